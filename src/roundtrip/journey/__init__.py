"""Scenario in, `Trace` out: forecast, compare, explain, audit, validate."""
