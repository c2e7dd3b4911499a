"""The timelines of QMK's unit tests of its seven debounce algorithms, as facts: quantum/debounce/tests, 5 ms each.

``0:+a> 5:>+a`` says: at 0 ms the contact of key a closes; at 5 ms the press of a is reported. Keys a and b share a
row, c has another. A timeline that starts with ``late`` is run without scans between its times. The two tests that
check how often the timer is read (AsyncTick) have no meaning here.
"""

from __future__ import annotations

KEYS = {"a": (0, 1), "b": (0, 2), "c": (2, 0)}
DEBOUNCE_MS = 5

_BOUNCE = "0:+a> 1:-a> 2:+a> 3:-a> 4:+a> 5:-a"

_DEFER = {
    "OneKeyShort1": "0:+a> 5:>+a 5:-a> 10:>-a",
    "OneKeyShort2": "0:+a> 5:>+a 6:-a> 11:>-a",
    "OneKeyShort3": "0:+a> 5:>+a 7:-a> 12:>-a",
    "OneKeyTooQuick1": "0:+a> 5:-a>",
    "OneKeyTooQuick2": "0:+a> 5:>+a 6:-a> 11:+a>",
    "OneKeyBouncing1": f"{_BOUNCE}> 6:+a> 11:>+a",
    "OneKeyBouncing2": "0:+a> 5:>+a 6:-a> 7:+a> 8:-a> 9:+a> 10:-a> 15:>-a",
    "OneKeyLong": "0:+a> 5:>+a 25:-a> 30:>-a 50:+a> 55:>+a",
    "TwoKeysSimultaneous1": "0:+a+b> 5:>+a+b 6:-a-b> 11:>-a-b",
    "OneKeyDelayedScan1": "late 0:+a> 300:>+a 300:-a> 305:>-a",
    "OneKeyDelayedScan2": "late 0:+a> 300:>+a 301:-a> 306:>-a",
    "OneKeyDelayedScan3": "late 0:+a> 300:-a>",
    "OneKeyDelayedScan4": "late 0:+a> 50:>+a 51:-a> 56:>-a",
}
_EAGER = {
    "OneKeyShort1": "0:+a>+a 1:-a> 5:>-a 6:+a> 10:>+a",
    "OneKeyShort2": "0:+a>+a 1:-a> 5:>-a 7:+a> 10:>+a",
    "OneKeyShort3": "0:+a>+a 1:-a> 5:>-a 8:+a> 10:>+a",
    "OneKeyShort4": "0:+a>+a 1:-a> 5:>-a 9:+a> 10:>+a",
    "OneKeyShort5": "0:+a>+a 1:-a> 5:>-a 10:+a>+a",
    "OneKeyShort6": "0:+a>+a 1:-a> 5:>-a 11:+a>+a",
    "OneKeyBouncing1": "0:+a>+a 1:-a> 2:+a> 3:-a> 4:+a> 5:-a>-a 6:+a> 10:>+a",
    "OneKeyBouncing2": ("0:+a>+a 1:-a> 1:+a> 2:-a> 2:+a> 2:-a> 3:+a> 3:-a> 3:+a> 4:-a> 4:+a> 5:-a>-a 6:+a> 10:>+a"),
    "OneKeyLong": "0:+a>+a 25:-a>-a 50:+a>+a",
    "OneKeyDelayedScan1": "late 0:+a>+a 300:-a>-a",
    "OneKeyDelayedScan2": "late 0:+a>+a 300:> 300:-a>-a",
    "OneKeyDelayedScan3": "late 0:+a>+a 300:> 301:-a>-a",
    "OneKeyDelayedScan4": "late 0:+a>+a 50:-a>-a",
    "OneKeyDelayedScan5": "late 0:+a>+a 50:> 50:-a>-a",
    "OneKeyDelayedScan6": "late 0:+a>+a 50:> 51:-a>-a",
}
_TWO_APART = "0:+a>+a 1:-a> 2:+{0}>+{0} 3:-{0}> 5:>-a 6:+a> 7:>-{0} 9:+{0}> 10:>+a 12:>+{0}"
_TOGETHER = "0:+a> 1:+b> 6:>+a+b 7:-a> 8:-b> 13:>-a-b"

TIMELINES: dict[str, dict[str, str]] = {
    "none": {
        "OneKeyShort1": "0:+a>+a 5:> 5:-a>-a 10:>",
        "OneKeyShort2": "0:+a>+a 5:> 6:-a>-a 11:>",
        "OneKeyShort3": "0:+a>+a 5:> 7:-a>-a 12:>",
        "OneKeyTooQuick1": "0:+a>+a 5:-a>-a",
        "OneKeyTooQuick2": "0:+a>+a 5:> 6:-a>-a 11:+a>+a",
        "OneKeyBouncing1": "0:+a>+a 1:-a>-a 2:+a>+a 3:-a>-a 4:+a>+a 5:-a>-a 6:+a>+a 11:-a>-a",
        "OneKeyBouncing2": "0:+a>+a 5:> 6:-a>-a 7:+a>+a 8:-a>-a 9:+a>+a 10:-a>-a 15:>",
        "OneKeyLong": "0:+a>+a 5:> 25:-a>-a 30:> 50:+a>+a 55:>",
        "TwoKeysShort": "0:+a>+a 1:+b>+b 6:> 7:-a>-a 8:-b>-b 13:>",
        "TwoKeysSimultaneous1": "0:+a+b>+a+b 5:> 6:-a-b>-a-b 11:>",
        "TwoKeysSimultaneous2": "0:+a>+a 1:+b>+b 5:> 6:> 7:-a>-a 8:-b>-b 13:>",
        "OneKeyDelayedScan1": "late 0:+a>+a 300:> 300:-a>-a 305:>",
        "OneKeyDelayedScan2": "late 0:+a>+a 300:> 301:-a>-a 306:>",
        "OneKeyDelayedScan3": "late 0:+a>+a 300:-a>-a",
        "OneKeyDelayedScan4": "late 0:+a>+a 50:> 51:-a>-a 56:>",
    },
    "sym_defer_g": {**_DEFER, "TwoKeysShort": _TOGETHER, "TwoKeysSimultaneous2": _TOGETHER},
    "sym_defer_pr": {
        **_DEFER,
        "TwoKeysShort": _TOGETHER,
        "TwoKeysSimultaneous2": "0:+a> 1:+b> 6:>+a+b 7:-b> 9:-a> 14:>-a-b",
    },
    "sym_defer_pk": {
        **_DEFER,
        "TwoKeysShort": "0:+a> 1:+b> 5:>+a 6:>+b 7:-a> 8:-b> 12:>-a 13:>-b",
        "TwoKeysSimultaneous2": "0:+a> 1:+b> 5:>+a 6:-a>+b 7:-b> 11:>-a 12:>-b",
    },
    "sym_eager_pr": {
        **_EAGER,
        "TwoRowsShort": _TWO_APART.format("c"),
        "TwoKeysOverlap": "0:+a>+a 1:-a> 2:+b> 5:>-a+b 6:+a> 10:>+a 11:-a> 12:-b> 15:>-a-b",
        "TwoKeysSimultaneous1": "0:+a+b>+a+b 20:-a>-a 21:-b> 25:>-b",
        "TwoKeysSimultaneous2": "0:+a+b>+a+b 20:-a-b>-a-b",
    },
    "sym_eager_pk": {**_EAGER, "TwoKeysShort": _TWO_APART.format("b")},
    "asym_eager_defer_pk": {
        "OneKeyShort1": "0:+a>+a 1:-a> 5:> 10:>-a 11:+a>+a",
        "OneKeyShort2": "0:+a>+a 2:-a> 5:> 10:>-a 11:+a>+a",
        "OneKeyShort3": "0:+a>+a 3:-a> 5:> 10:>-a 11:+a>+a",
        "OneKeyShort4": "0:+a>+a 4:-a> 5:> 10:>-a 11:+a>+a",
        "OneKeyShort5": "0:+a>+a 5:-a> 10:>-a 11:+a>+a",
        "OneKeyShort6": "0:+a>+a 6:-a> 11:>-a 12:+a>+a",
        "OneKeyShort7": "0:+a>+a 7:-a> 12:>-a 13:+a>+a",
        "OneKeyShort8": "0:+a>+a 1:-a> 5:> 10:>-a 10:+a>+a",
        "OneKeyShort9": "0:+a>+a 1:-a> 5:> 10:+a>",
        "OneKeyBouncing1": (
            "0:+a>+a 1:-a> 2:+a> 3:-a> 4:+a> 5:-a> 6:+a> 7:-a> 8:+a> 9:-a> 10:+a> 11:-a> 12:+a> 13:-a> 14:+a> "
            "15:-a> 20:>-a 21:+a>+a"
        ),
        "OneKeyBouncing2": (
            "0:+a>+a 1:-a> 1:+a> 2:-a> 2:+a> 2:-a> 6:+a> 6:-a> 7:+a> 7:-a> 7:+a> 8:-a> 8:+a> 9:-a> 9:+a> 9:-a> "
            "14:>-a 15:+a>+a"
        ),
        "OneKeyLong": "0:+a>+a 25:-a> 30:>-a 50:+a>+a 75:-a> 80:>-a 100:+a>+a",
        "TwoKeysShort": "0:+a>+a 1:+b>+b 2:-a> 3:-b> 5:> 6:> 10:>-a 11:+a>+a-b 12:+b>+b",
        "OneKeyDelayedScan1": "late 0:+a>+a 300:-a> 305:>-a",
        "OneKeyDelayedScan2": "late 0:+a>+a 300:-a> 600:>-a",
        "OneKeyDelayedScan3": "late 0:+a>+a 300:> 301:-a> 306:>-a",
        "OneKeyDelayedScan4": "late 0:+a>+a 300:> 301:-a> 600:>-a",
        "OneKeyDelayedScan5": "late 0:+a>+a 5:-a> 300:>-a 300:+a>+a",
        "OneKeyDelayedScan6": "late 0:+a>+a 5:-a> 300:>-a 301:+a>+a",
        "OneKeyDelayedScan7": "late 0:+a>+a 5:-a> 300:+a>",
        "OneKeyDelayedScan8": "late 0:+a>+a 50:> 51:-a> 100:>-a",
    },
}

Step = tuple[int, dict[tuple[int, int], bool], dict[tuple[int, int], bool]]


def steps(timeline: str) -> list[Step]:
    """Return a timeline as (time, contacts that change, reports)."""
    result: list[Step] = []
    for token in timeline.removeprefix("late ").split():
        time, _, rest = token.partition(":")
        moves, _, reports = rest.partition(">")
        result.append((int(time), _keys(moves), _keys(reports)))
    return result


def _keys(text: str) -> dict[tuple[int, int], bool]:
    return {KEYS[text[i + 1]]: text[i] == "+" for i in range(0, len(text), 2)}
