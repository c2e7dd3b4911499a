"""How fast Roundtrip is, alone and beside its peers: ``python -m benchmarks``."""
