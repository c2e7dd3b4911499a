"""Carry: the real bytes of a prompt through every layer, and the real light."""
