"""Derivations of the claims about: model."""
