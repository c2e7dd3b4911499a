"""The network's functions take every vector that the glossary allows: nothing needs to be made to fit."""
