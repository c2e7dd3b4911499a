"""Numbers for people: SI prefixes, three digits, bands in the unit of their value."""

from __future__ import annotations

import math

PREFIXES = (
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
    (1e-15, "f"),
    (1e-18, "a"),
)
CENT = 0.01
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# Units that take a prefix, each with the largest that people use: no kiloseconds, no megameters.
_SCALED = {
    "s": 1.0,
    "m": 1e3,
    "m/s": 1e3,
    "g": 1e3,
    "L": 1.0,
    "J": 1e12,
    "W": 1e12,
    "Hz": 1e12,
    "B": 1e12,
    "bit": 1e12,
    "bit/s": 1e12,
    "B/s": 1e12,
    "flop": 1e12,
    "flop/s": 1e12,
    "C": 1.0,
    "V": 1e3,
    "A": 1e3,
    "ohm": 1e6,
    "F": 1.0,
    "N": 1e3,
}


def digits(value: float, count: int = 3) -> str:
    """Return a value with `count` significant digits and no exponent: 4.31, 45.0, 145, 4310."""
    if value == 0.0:
        return "0"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "?"
    if abs(value) >= 999.5:
        return f"{value:,.0f}" if abs(value) >= 9_999.5 else f"{value:.0f}"
    rounded = float(f"{value:.{count - 1}e}")
    places = count - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(places, 0)}f}"


def scale(value: float, unit: str) -> tuple[float, str]:
    """Return the factor and the prefix that bring a value between 1 and 1000."""
    if unit not in _SCALED or value == 0.0 or not math.isfinite(value):
        return 1.0, ""
    size = float(f"{abs(value):.2e}")
    largest = _SCALED[unit]
    for factor, prefix in PREFIXES:
        if factor <= largest and size >= factor * (1.0 - 1e-12):
            return factor, prefix
    return PREFIXES[-1]


def si(value: float | None, unit: str, count: int = 3) -> str:
    """Return a value with its unit and prefix: ``4.31 s``, ``45.0 ms``, ``12.3 kJ``; a dash where there is none."""
    if value is None:
        return "–"
    if unit == "USD":
        return _money(value, count)
    if unit not in _SCALED:
        shown = unit if unit != "1" else ""
        text = digits(value, count) if value == 0.0 or 1e-4 <= abs(value) < 1e6 else power_of_ten(value)
        return f"{text} {shown}".rstrip()
    factor, prefix = scale(value, unit)
    if value != 0.0 and not 1e-3 <= abs(value) / factor < 1e5:
        return f"{power_of_ten(value)} {unit}"
    return f"{digits(value / factor, count)} {prefix}{unit}"


def _money(value: float, count: int) -> str:
    """Return dollars, or cents below one: ``$1.20``, ``0.0164 ¢``."""
    if value == 0.0 or abs(value) >= CENT:
        return f"${digits(value, count)}"
    cents = value / CENT
    return f"{digits(cents, count) if abs(cents) >= 1e-4 else power_of_ten(cents)} ¢"


def band(low: float, high: float, value: float, unit: str) -> str:
    """Return a band in the prefix of its value: ``31–310``; empty where it has no width."""
    if low == high:
        return ""
    factor = CENT if unit == "USD" and abs(value) < CENT else scale(value, unit)[0]
    low, high = low / factor, high / factor
    for count in (2, 3):
        ends = _short(low, count), _short(high, count)
        if ends[0] != ends[1]:
            break
    return "–".join(ends)


def _short(value: float, count: int) -> str:
    if value == 0.0:
        return "0"
    if not 5e-4 <= abs(value) < 99_950:
        return power_of_ten(value, count - 1)
    return digits(value, count if abs(value) < 100 else count + 1)


def power_of_ten(value: float, count: int = 2) -> str:
    """Return ``3.1·10¹⁵``."""
    if value == 0.0 or not math.isfinite(value):
        return digits(value)
    mantissa, _, exponent = f"{value:.{count - 1}e}".partition("e")
    power = "10" + str(int(exponent)).translate(SUPERSCRIPTS)
    return power if mantissa in ("1", "1.0") else f"{mantissa}·{power}"


# Endings of names and their units; the longest that fits is meant.
_ENDINGS = {
    "s": "s", "J": "J", "W": "W", "L": "L", "g": "g", "B": "B", "m": "m", "m2": "m2", "Hz": "Hz", "V": "V", "A": "A",
    "C": "C", "F": "F", "N": "N", "K": "K", "eV": "eV", "deg": "deg", "dB": "dB", "dBm": "dBm", "usd": "USD",
    "ohm": "ohm", "bit": "bit", "flop": "flop", "bit_s": "bit/s", "B_s": "B/s", "token_s": "token/s",
    "flop_s": "flop/s", "m_s": "m/s", "m_s2": "m/s2", "1_s": "1/s", "1_m": "1/m", "1_day": "1/day", "L_kWh": "L/kWh",
    "g_kWh": "g/kWh", "usd_kWh": "USD/kWh", "usd_h": "USD/h", "cd_m2": "cd/m2", "dB_km": "dB/km", "dB_m": "dB/m",
    "m2_W": "m2/W", "1_W_m": "1/(W m)", "s2_m": "s2/m", "ps_nm": "ps/nm", "ps_nm_km": "ps/(nm km)",
    "ps_nm2_km": "ps/(nm2 km)", "ps_sqrt_km": "ps/√km", "h": "h",
}  # fmt: skip


def unit_of(name: str) -> str:
    """Return the unit in which a figure's name ends: ``s`` for ``queue_s``; 1 where there is none."""
    if name.startswith("time_"):
        return "s"
    parts = name.split("_")
    for start in range(1, len(parts)):
        unit = _ENDINGS.get("_".join(parts[start:]))
        if unit and parts[start - 1] != "per":
            return unit
    return "1"
