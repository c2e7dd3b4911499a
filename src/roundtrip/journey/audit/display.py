"""Derivations of the claims about: display."""
