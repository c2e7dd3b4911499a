"""Derivations of the claims about: network."""
