"""The web lab. Its pages come with the room of that name; the command says so until then."""
