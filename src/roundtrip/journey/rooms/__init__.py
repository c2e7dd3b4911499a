"""One module a room: it opens the room's stages and joins them to the catalog and to each other."""
