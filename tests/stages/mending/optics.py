"""The ranges of the optics room fit together as they are: no drawn vector has to be mended."""
