"""Audit: every figure of the three documents, recomputed. One module a room holds the derivations."""
