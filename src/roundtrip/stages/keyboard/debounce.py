"""Debouncing: the firmware decides when a bouncing contact means a press.

Two families. *Defer*: report once the contact has been quiet for a set time; a press is late by the bounce and that
time, and noise is never reported. *Eager*: report the first change at once and be deaf for the set time; a press is
not late, but a spike of noise, or a bounce that lasts longer than the deafness, is reported as a press.

A firmware can time the whole keyboard, each row or each key. QMK, which most keyboards with open firmware run, has
seven algorithms, and `ALGORITHMS` has them by its names. A firmware that looks only every T rounds the quiet time up
to whole scans, ``T ceil(t_d / T)``.

References
----------
.. [1] QMK firmware, docs/feature_debounce_type.md and quantum/debounce/tests: the timelines of all seven, to which the
   logic below is held.
.. [2] J. G. Ganssle, "A guide to debouncing", 2008, http://www.ganssle.com/debouncing.htm.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1981, "IBM Personal Computer keyboard (Model F): the firmware of an Intel 8048")

Key = tuple[int, int]  # row and column
# One scan: its time in milliseconds, and the contacts that changed since the last, True for closed.
Scan = tuple[int, dict[Key, bool]]
# What the computer is told: time, key, True for pressed.
Report = tuple[int, Key, bool]


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


def whole_scans_s(debounce_s: Number, scan_period_s: Number) -> Number:
    """Return the quiet time in effect, for a firmware sees the keys only once a scan: ``T ceil(t_d / T)`` [s].

    Parameters
    ----------
    debounce_s : float
        Quiet time that the firmware asks for [s].
    scan_period_s : float
        Time between two scans [s].
    """
    return scan_period_s * np.ceil(debounce_s / scan_period_s)


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


def tell_all(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report every change in the scan that sees it (QMK's none)."""
    return [(time, key, closed) for time, changes in scans for key, closed in changes.items()]


def defer_all(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report every change once the whole keyboard has been quiet for `debounce_ms` (QMK's sym_defer_g)."""
    return _defer(scans, debounce_ms, lambda key: None)


def defer_row(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report every change once its row has been quiet for `debounce_ms` (QMK's sym_defer_pr)."""
    return _defer(scans, debounce_ms, lambda key: key[0])


def defer_each(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report each key's change once that key has been quiet for `debounce_ms` (QMK's sym_defer_pk)."""
    return _defer(scans, debounce_ms, lambda key: key)


def eager_row(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report a row's changes at once, then be deaf to that row for `debounce_ms` (QMK's sym_eager_pr)."""
    return _eager(scans, debounce_ms, lambda key: key[0])


def eager_each(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report each key's change at once, then be deaf to that key for `debounce_ms` (QMK's sym_eager_pk)."""
    return _eager(scans, debounce_ms, lambda key: key)


def eager_press_defer_release(scans: Iterable[Scan], debounce_ms: int) -> list[Report]:
    """Report each press at once and each release once it has lasted (QMK's asym_eager_defer_pk).

    After a press the key is not looked at for `debounce_ms`; only then can a release start its own wait.
    """
    raw: dict[Key, bool] = {}
    told: dict[Key, bool] = {}
    timers: dict[Key, tuple[int, bool]] = {}  # key: when it runs out, and whether a press started it
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


def _defer(scans: Iterable[Scan], debounce_ms: int, group_of: Callable[[Key], Hashable]) -> list[Report]:
    """Report the changes of a group once nothing in it has changed for `debounce_ms`."""
    raw: dict[Key, bool] = {}
    told: dict[Key, bool] = {}
    quiet_since: dict[Hashable, int] = {}
    reports: list[Report] = []
    for time, changes in scans:
        raw.update(changes)
        quiet_since.update({group_of(key): time for key in changes})
        due = {group for group, since in quiet_since.items() if time - since >= debounce_ms}
        for key, closed in raw.items():
            if group_of(key) in due and told.get(key, False) != closed:
                told[key] = closed
                reports.append((time, key, closed))
        for group in due:
            del quiet_since[group]
    return reports


def _eager(scans: Iterable[Scan], debounce_ms: int, group_of: Callable[[Key], Hashable]) -> list[Report]:
    """Report the changes of a group at once, all of one scan together, and be deaf to it for `debounce_ms`."""
    raw: dict[Key, bool] = {}
    told: dict[Key, bool] = {}
    deaf_until: dict[Hashable, int] = {}
    reports: list[Report] = []
    for time, changes in scans:
        raw.update(changes)
        heard = [
            (key, closed)
            for key, closed in raw.items()
            if told.get(key, False) != closed and time >= deaf_until.get(group_of(key), time)
        ]
        for key, closed in heard:
            told[key] = closed
            deaf_until[group_of(key)] = time + debounce_ms
            reports.append((time, key, closed))
    return reports


ALGORITHMS: dict[str, Callable[[Iterable[Scan], int], list[Report]]] = {
    "none": tell_all,
    "sym_defer_g": defer_all,
    "sym_defer_pr": defer_row,
    "sym_defer_pk": defer_each,
    "sym_eager_pr": eager_row,
    "sym_eager_pk": eager_each,
    "asym_eager_defer_pk": eager_press_defer_release,
}
