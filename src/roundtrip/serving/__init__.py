"""A model on accelerators under an engine: counts, step times, memory, power, and the few constants that were fitted.

The physics stays in `roundtrip.stages.model`; this room puts its functions together over the layers of an
architecture, with arrays. Nothing is imported here; the room starts with `roundtrip.serving.architecture`.
"""
