"""Units at the border, with Pint as the judge of dimensions and factors."""

from __future__ import annotations

import itertools

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import DomainError, UnitError
from roundtrip.figures.units import UNITS, convert, parse_quantity

REGISTRY = pint.UnitRegistry()

# What Pint calls our units; those that Pint does not have (tokens, operations, money, CO2) have no judge.
PINT = {
    "us": "microsecond", "µs": "microsecond", "min": "minute", "h": "hour", "um": "micrometer", "µm": "micrometer",
    "um2": "micrometer**2", "mm2": "millimeter**2", "cm2": "centimeter**2", "m2": "meter**2", "L": "liter",
    "mL": "milliliter", "m3": "meter**3", "g_mass": "gram", "uJ": "microjoule", "uW": "microwatt", "1/s": "1/second",
    "1/day": "1/day", "B": "byte", "bytes": "byte", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte",
    "TB": "terabyte", "PB": "petabyte", "KiB": "kibibyte", "MiB": "mebibyte", "kbit": "kilobit", "Mbit": "megabit",
    "bit/s": "bit/second", "kbit/s": "kilobit/second", "Mbit/s": "megabit/second", "Gbit/s": "gigabit/second",
    "Tbit/s": "terabit/second", "B/s": "byte/second", "kB/s": "kilobyte/second", "MB/s": "megabyte/second",
    "GB/s": "gigabyte/second", "TB/s": "terabyte/second", "byte/s": "byte/second", "electrons": "elementary_charge",
    "C": "coulomb", "uA": "microampere", "N": "newton", "m/s": "meter/second", "km/s": "kilometer/second",
    "mm/s": "millimeter/second", "m/s2": "meter/second**2", "deg": "degree", "cd/m2": "candela/meter**2",
    "nit": "nit", "K": "kelvin", "mi": "mile", "inch": "inch", "year": "julian_year", "%": "percent", "1": "",
    "kg": "kilogram", "day": "day", "m": "meter", "s": "second", "J": "joule", "W": "watt", "V": "volt", "A": "ampere",
    "F": "farad", "ohm": "ohm", "Hz": "hertz", "bit": "bit", "eV": "electron_volt",
}  # fmt: skip
PREFIXED = {"ms", "ns", "ps", "fs", "km", "cm", "mm", "nm", "mJ", "nJ", "pJ", "fJ", "kJ", "MJ", "Wh", "kWh", "MWh"}
PREFIXED |= {"GWh", "mW", "nW", "kW", "MW", "GW", "kHz", "MHz", "GHz", "THz", "mV", "kV", "mA", "nA", "pA", "kohm"}
PREFIXED |= {"pF", "fF", "nF"}
NO_JUDGE = {"carbon", "operations", "flop-rate", "token", "token-rate", "decibel", "level", "loss", "money"}


def judge(unit: str) -> pint.Quantity:
    return REGISTRY.Quantity(1.0, PINT.get(unit, unit))


JUDGED = sorted(u for u in UNITS if u in PINT or u in PREFIXED)


def test_nearly_every_unit_has_a_judge() -> None:
    unjudged = {UNITS[u][0] for u in UNITS if u not in JUDGED}
    known = {UNITS[u][0] for u in JUDGED}
    assert not (unjudged & known), {u for u in UNITS if u not in JUDGED and UNITS[u][0] in known}


@pytest.mark.parametrize("unit", JUDGED)
def test_factors_are_those_of_pint(unit: str) -> None:
    dimension = UNITS[unit][0]
    for other in (u for u in JUDGED if UNITS[u][0] == dimension):
        ours = convert(1.0, unit, other)
        assert ours == pytest.approx(judge(unit).to(PINT.get(other, other)).magnitude, rel=1e-9), (unit, other)


def test_what_we_refuse_is_another_dimension_to_pint() -> None:
    # Pint has no dimension for angle, ratio and bit: it would let them through, we do not.
    lax = {"angle", "ratio", "data", "bits", "rate", "byte-rate", "frequency"}
    for one, two in itertools.combinations(JUDGED, 2):
        if UNITS[one][0] != UNITS[two][0]:
            with pytest.raises(UnitError, match="is of the dimension"):
                convert(1.0, one, two, "x")
            if not {UNITS[one][0], UNITS[two][0]} & lax:
                assert judge(one).dimensionality != judge(two).dimensionality, (one, two)


@given(st.floats(-1e9, 1e9), st.sampled_from(sorted(UNITS)), st.data())
def test_there_and_back_is_the_same(value: float, unit: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from([u for u in UNITS if UNITS[u][0] == UNITS[unit][0]]))
    assert convert(convert(value, unit, other), other, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("written", "into", "value"),
    [
        ("3000 km", "m", 3e6), ("5ms", "s", 5e-3), ("1.5", "s", 1.5), ("  -2 ", "dB", -2.0), ("1e3 nm", "m", 1e-6),
        ("1_000 m", "m", 1000.0), (".5 h", "s", 1800.0), ("60 %", "1", 0.6), ("10 GWh", "J", 3.6e13),
        ("400 Gbit/s", "bit/s", 4e11), ("2.5e-3kWh", "J", 9000.0), ("+7", "1", 7.0),
    ],
)  # fmt: skip
def test_quantities_as_people_write_them(written: str, into: str, value: float) -> None:
    assert parse_quantity(written, into) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("written", ["nan", "NaN s", "inf", "-Infinity", "1e999"])
def test_what_is_not_finite_is_refused(written: str) -> None:
    with pytest.raises(DomainError, match="not finite"):
        parse_quantity(written, "s", "wait")


@pytest.mark.parametrize("written", ["", "fast", "s 5", "1,5 m", "--3", "1 2 m"])
def test_what_is_no_quantity_is_refused(written: str) -> None:
    with pytest.raises((DomainError, UnitError)):
        parse_quantity(written, "m", "length")


def test_messages_name_the_thing_the_value_and_what_is_allowed() -> None:
    with pytest.raises(UnitError, match=r"length: 5 kg is of the dimension mass, expected length \(m, km"):
        parse_quantity("5 kg", "m", "length")
    with pytest.raises(UnitError, match="unknown unit 'kmm', expected m; did you mean 'mm'"):
        parse_quantity("5 kmm", "m", "length")
