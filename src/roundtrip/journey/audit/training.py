"""Derivations of the claims about: training."""
