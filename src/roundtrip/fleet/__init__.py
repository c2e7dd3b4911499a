"""A serving cluster under load: requests, router, scheduler, pages of the cache, and where each wait came from.

Nothing is imported here; the room starts with `roundtrip.fleet.simulate.simulate`.
"""
