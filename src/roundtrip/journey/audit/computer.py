"""Derivations of the claims about: computer."""
