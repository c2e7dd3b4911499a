"""Derivations of the claims about: journey."""
