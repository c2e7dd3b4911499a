"""Figures as a reader of a level says them, in a language: ``11.0 ms``, or to a child ``11 thousandths of a second``.

The words stand in ``web/strings`` (keys ``said`` and ``number``); ``web/src/core/said.ts`` says the same on the page.
"""

from __future__ import annotations

from roundtrip.lab.strings import load
from roundtrip.trace.numbers import digits, si

MINUTE_S, HOUR_S, DAY_S, YEAR_S = 60.0, 3_600.0, 86_400.0, 31_557_600.0
SPANS_OF_TIME = ((YEAR_S, "year"), (DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute"), (1.0, "second"))
SMALL = ((1e-3, "thousandths"), (1e-6, "millionths"), (1e-9, "billionths"))
LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
CHILD_UNITS = ("m", "J", "W", "L", "B", "B/s")
NBSP = "\N{NO-BREAK SPACE}"


def _say(key: str, language: str, level: str = "child", **values: str) -> str:
    entry = load(language)[key]
    text = entry if isinstance(entry, str) else entry[level]
    return text.format(**values)


def plain(number: str, language: str) -> str:
    """Return a number with the language's decimal mark and separator of thousands."""
    if language == "en":
        return number
    marks = {".": _say("number.decimal", language), ",": _say("number.group", language)}
    return "".join(marks.get(sign, sign) for sign in number)


def _trim(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _with(number: str, key: str, language: str) -> str:
    """Return a number with the words of a key, kept on its line."""
    return _say(key, language, n=plain(number, language) + "\0").replace("\0 ", NBSP).replace("\0", "")


def count(value: float, size: int = 3, language: str = "en") -> str:
    """Return a count in words: 7,168, 671 billion, 14.8 trillion."""
    for factor, name in LARGE:
        if abs(value) >= factor * 0.9995:
            number = _trim(digits(value / factor, size))
            return f"{plain(number, language)}{NBSP}{_say(f'number.{name}', language)}"
    if abs(value) < 1.0:
        return plain(_trim(digits(value, 2)), language)
    if abs(value) < 100.0:
        return plain(_trim(digits(value, size)), language)
    return plain(f"{float(f'{value:.{size - 1}e}'):,.0f}", language)


def _units(number: str, name: str, language: str) -> str:
    return _with(number, f"said.{name}{'' if number == '1' else 's'}", language)


def long_time(value_s: float, language: str = "en") -> str:
    """Return a time in the largest unit that it fills: 21,300 years, 2.9 days, 2 hours."""
    for factor, name in SPANS_OF_TIME:
        if value_s >= factor:
            ratio = value_s / factor
            number = f"{float(f'{ratio:.2e}'):,.0f}" if ratio >= 100.0 else _trim(digits(ratio, 2))
            return _units(number, name, language)
    return _si(value_s, "s", 3, language)


def child_time(value_s: float, language: str = "en") -> str:
    """Return a time as a child says it: 11 thousandths of a second, 0.7 seconds, 3 minutes."""
    if value_s >= MINUTE_S:
        return long_time(value_s, language)
    if value_s >= 0.1 or value_s == 0.0:
        return _units(_trim(digits(value_s, 2)), "second", language)
    return _small(value_s, "s", language)


def _small(value: float, unit: str, language: str) -> str:
    for factor, part in SMALL:
        if value >= factor:
            return _with(_trim(digits(value / factor, 2)), f"said.{unit}.{part}", language)
    return _si(value, unit, 2, language)


def _si(value: float, unit: str, size: int, language: str, short: bool = False) -> str:
    number, _, shown = si(value, unit, size).partition(" ")
    number = plain(_trim(number) if short else number, language)
    return f"{number}{NBSP}{shown}" if shown else number


def share(value: float, level: str, language: str = "en") -> str:
    """Return a share: 97 %, or to a child 97 parts in a hundred."""
    number = f"{100.0 * value:.0f}"
    return _with(number, "said.share", language) if level == "child" else f"{number}{NBSP}%"


def speed(value_m_s: float, level: str, language: str = "en") -> str:
    """Return a speed of light as kilometers in a thousandth of a second."""
    number = f"{value_m_s * 1e-6:.0f}{NBSP}"
    return _say("said.speed", language, level, n=number).replace(f"{NBSP} ", NBSP)


def worded(value: float, unit: str, level: str, exact: bool = False, language: str = "en") -> str:
    """Return a figure as a reader of that level says it; what is exact keeps its digits below a million."""
    if unit == "share":
        return share(value, level, language)
    if unit in ("1", "token"):
        if exact and value.is_integer() and value < 1e6:
            return plain(f"{value:,.0f}", language)
        return count(value, 2 if level == "child" else 3, language)
    if unit == "day":
        return long_time(value * DAY_S, language)
    if unit == "h":
        return long_time(value * HOUR_S, language)
    if unit == "token/s":
        if value >= 100.0:
            return count(value, language=language)
        return plain(_trim(digits(value, 3 if level == "engineer" else 2)), language)
    if unit == "flop" and level != "engineer":
        return count(value, 2, language)
    if unit == "s" and level == "child":
        return child_time(value, language)
    if unit == "m" and value >= 1e4:
        if level == "child":
            return _with(f"{float(f'{value / 1e3:.2g}'):,.0f}", "said.km", language)
        return plain(f"{value / 1e3:,.0f}", language) + f"{NBSP}km"
    if level == "child" and unit in CHILD_UNITS:
        if value < 0.1:
            return _si(value, unit, 2, language) if unit.startswith("B") else _small(value, unit, language)
        return _say(f"said.{unit}", language, n=count(value, 2, language) + "\0").replace("\0 ", NBSP)
    if level != "engineer":
        return _si(value, unit, 3 if level == "student" else 2, language, short=True)
    return _si(value, unit, 3, language)


def between(low: float, high: float, unit: str, level: str, language: str = "en") -> str:
    """Return a band in words: 87.2 nL to 1.3 µL."""
    ends = [worded(end, unit, level, language=language) for end in (low, high)]
    return _say("said.to", language, low=ends[0], high=ends[1])
