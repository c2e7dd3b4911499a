"""Derivations of the claims about: eye."""
