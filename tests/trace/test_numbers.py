"""Numbers for people."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.trace.numbers import band, digits, power_of_ten, si, unit_of


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4.31, "s", "4.31 s"),
        (0.045, "s", "45.0 ms"),
        (0.9996, "s", "1.00 s"),
        (7.62e-9, "s", "7.62 ns"),
        (184.0, "s", "184 s"),
        (12_300.0, "J", "12.3 kJ"),
        (4.5e6, "m", "4500 km"),
        (2e8, "m/s", "2.0·10⁸ m/s"),
        (2.4e-4, "L", "240 µL"),
        (0.0, "s", "0 s"),
        (2017.0, "year", "2017 year"),
        (0.0021, "USD", "0.210 ¢"),
        (1.2, "USD", "$1.20"),
        (3.1e15, "1", "3.1·10¹⁵"),
        (0.31, "1", "0.310"),
        (-0.02, "s", "-20.0 ms"),
    ],
)
def test_si(value: float, unit: str, text: str) -> None:
    assert si(value, unit) == text


def test_unknown_is_a_dash_and_never_zero() -> None:
    assert si(None, "J") == "–"


@given(st.floats(min_value=1e-17, max_value=1e14), st.sampled_from(["J", "W", "Hz", "B"]))
def test_three_digits_lose_less_than_half_a_percent(value: float, unit: str) -> None:
    number, _, rest = si(value, unit).partition(" ")
    prefix = rest.removesuffix(unit)
    factor = {
        "T": 1e12,
        "G": 1e9,
        "M": 1e6,
        "k": 1e3,
        "": 1.0,
        "m": 1e-3,
        "µ": 1e-6,
        "n": 1e-9,
        "p": 1e-12,
        "f": 1e-15,
        "a": 1e-18,
    }[prefix]
    assert float(number) * factor == pytest.approx(value, rel=5.1e-3)
    assert len(si(value, unit)) <= 9


@given(st.floats(min_value=1e-9, max_value=1e9), st.floats(1.0, 100.0), st.floats(1.0, 100.0))
def test_a_band_is_short_enough_for_its_column(value: float, down: float, up: float) -> None:
    assert len(band(value / down, value * up, value, "s")) <= 15


def test_band() -> None:
    assert band(0.031, 0.31, 0.1, "s") == "31–310"
    assert band(2.0, 2.0, 2.0, "s") == ""
    assert band(4e-5, 4.4e-4, 1.6e-4, "USD") == "0.0040–0.044"


def test_digits_of_what_is_no_number() -> None:
    assert [digits(x) for x in (math.inf, -math.inf, math.nan)] == ["∞", "-∞", "?"]
    assert power_of_ten(1e15) == "10¹⁵"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("time_to_first_token_s", "s"),
        ("energy_per_word_J", "J"),
        ("water_per_word_L", "L"),
        ("carbon_g", "g"),
        ("cost_usd", "USD"),
        ("conversions", "1"),
        ("prefill_rate_token_s", "token/s"),
        ("acceleration_m_s2", "m/s2"),
    ],
)
def test_unit_of_a_name(name: str, unit: str) -> None:
    assert unit_of(name) == unit
