"""A binary heap over arrays, in which an item can be found, moved and removed.

A heap is a row of keys and a row of items; equal keys are ordered by their items, so that the order of events never
depends on history. Row 0 of `place` tells where an item lies.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled


@compiled
def push(keys: Any, items: Any, place: Any, size: int, key: float, item: int) -> None:
    """Add an item; the caller counts the size."""
    _up(keys, items, place, size, key, item)


@compiled
def remove(keys: Any, items: Any, place: Any, size: int, at: int) -> None:
    """Remove what lies at a position of a heap of `size` items; the caller counts."""
    last = size - 1
    key, item = keys[last], items[last]
    if at == last:
        return
    parent = (at - 1) >> 1
    if at > 0 and (key < keys[parent] or (key == keys[parent] and item < items[parent])):
        _up(keys, items, place, at, key, item)
    else:
        _down(keys, items, place, last, at, key, item)


@compiled
def change(keys: Any, items: Any, place: Any, size: int, at: int, key: float) -> None:
    """Give the item at a position another key."""
    item = items[at]
    if key < keys[at]:
        _up(keys, items, place, at, key, item)
    else:
        _down(keys, items, place, size, at, key, item)


@compiled
def _up(keys: Any, items: Any, place: Any, at: int, key: float, item: int) -> None:
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] < key or (keys[parent] == key and items[parent] <= item):
            break
        keys[at] = keys[parent]
        items[at] = items[parent]
        place[items[at]] = at
        at = parent
    keys[at] = key
    items[at] = item
    place[item] = at


@compiled
def _down(keys: Any, items: Any, place: Any, size: int, at: int, key: float, item: int) -> None:
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (keys[right] < keys[child] or (keys[right] == keys[child] and items[right] < items[child])):
            child = right
        if key < keys[child] or (key == keys[child] and item <= items[child]):
            break
        keys[at] = keys[child]
        items[at] = items[child]
        place[items[at]] = at
        at = child
    keys[at] = key
    items[at] = item
    place[item] = at
