"""Derivations of the claims about: datacenter."""
