"""What exists, as data with provenance. See `roundtrip.catalog.load`."""
