"""Debouncing: the firmware decides when a bouncing contact means a press.

Two families. *Defer*: report once the contact has been quiet for a set time; a press is late by the bounce and that
time, and noise is never reported. *Eager*: report the first change at once and be deaf for the set time; a press is
not late, but a spike of noise, or a bounce that lasts longer than the deafness, is reported as a press.

References
----------
.. [1] QMK firmware, docs/feature_debounce_type.md and quantum/debounce/tests (sym_defer_g, sym_eager_pk,
   asym_eager_defer_pk): the timelines that the logic below is held to.
.. [2] J. G. Ganssle, "A guide to debouncing", 2008, http://www.ganssle.com/debouncing.htm.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1981, "IBM Personal Computer keyboard (Model F): the firmware of an Intel 8048")

# One scan: its time in milliseconds, and the contacts that changed since the last, True for closed.
Scan = tuple[int, dict[Hashable, bool]]
# What the computer is told: time, key, True for pressed.
Report = tuple[int, Hashable, bool]


def defer_delay_s(bounce_s: Number, debounce_s: Number) -> Number:
    """Return by how much a deferring firmware reports late: every bounce starts the quiet time anew [s].

    Parameters
    ----------
    bounce_s : float
        Time from the first touch of the contacts to the last [s].
    debounce_s : float
        Quiet time that the firmware asks for [s].
    """
    return bounce_s + debounce_s


def chatter_chance(bounce_s: Number, debounce_s: Number) -> Number:
    """Return the chance that an eager firmware reports one press twice, ``exp(-t_d / t_b)``.

    Bounce times are taken as exponential with the mean `bounce_s`:
    the tail beyond the firmware's deafness is what chatters.

    Parameters
    ----------
    bounce_s : float
        Mean bounce time [s].
    debounce_s : float
        Time for which the firmware is deaf after a report [s].
    """
    return np.exp(-debounce_s / np.maximum(bounce_s, 1e-9))


def fastest_taps_Hz(bounce_s: Number, debounce_s: Number) -> Number:
    """Return how often a key can be tapped with every press and release still reported by a deferring firmware [Hz].

    Parameters
    ----------
    bounce_s : float
        Bounce time, on the press and on the release [s].
    debounce_s : float
        Quiet time that the firmware asks for [s].
    """
    return 0.5 / np.maximum(bounce_s + debounce_s, 1e-6)


def defer_all(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report every change once the whole keyboard has been quiet for `debounce_ms` (QMK's sym_defer_g)."""
    raw: dict[Hashable, bool] = {}
    told: dict[Hashable, bool] = {}
    reports: list[Report] = []
    quiet_since: int | None = None
    for time, changes in scans:
        if changes:
            raw.update(changes)
            quiet_since = time
        elif quiet_since is not None and time - quiet_since >= debounce_ms:
            quiet_since = None
            for key, closed in raw.items():
                if told.get(key, False) != closed:
                    told[key] = closed
                    reports.append((time, key, closed))
    return reports


def eager_each(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report each key's change at once, then be deaf to that key for `debounce_ms` (QMK's sym_eager_pk)."""
    raw: dict[Hashable, bool] = {}
    told: dict[Hashable, bool] = {}
    deaf_until: dict[Hashable, int] = {}
    reports: list[Report] = []
    for time, changes in scans:
        raw.update(changes)
        for key, closed in raw.items():
            if told.get(key, False) != closed and time >= deaf_until.get(key, time):
                told[key] = closed
                deaf_until[key] = time + debounce_ms
                reports.append((time, key, closed))
    return reports


def eager_press_defer_release(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report each press at once and each release once it has lasted (QMK's asym_eager_defer_pk).

    After a press the key is not looked at for `debounce_ms`; only then can a release start its own wait.
    """
    raw: dict[Hashable, bool] = {}
    told: dict[Hashable, bool] = {}
    timers: dict[Hashable, tuple[int, bool]] = {}  # key: when it runs out, and whether a press started it
    reports: list[Report] = []
    for time, changes in scans:
        raw.update(changes)
        for key, closed in raw.items():
            was = told.get(key, False)
            ends, by_press = timers.get(key, (time, False))
            if key in timers and time >= ends:
                del timers[key]
                if not by_press and was != closed:
                    told[key] = closed
                    reports.append((time, key, closed))
                    continue
            if key not in timers and was != closed:
                timers[key] = (time + debounce_ms, closed)
                if closed:
                    told[key] = True
                    reports.append((time, key, True))
            elif key in timers and was == closed and not timers[key][1]:
                del timers[key]
    return reports
