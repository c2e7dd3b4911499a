"""Derivations of the claims about: optics."""
