"""Derivations of the claims about: keyboard."""
