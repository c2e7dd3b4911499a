"""A figure says what is wrong with it when it is made."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import DomainError, RoundtripError
from roundtrip.figures.figure import GRADES, SHAPES, SPREADS, Figure, default_shape

GOOD = {"value": 2.0, "low": 1.0, "high": 3.0, "unit": "s", "grade": "measured", "source": "user"}


def test_a_good_figure_is_kept_as_given() -> None:
    figure = Figure(**GOOD, note="page 3")
    assert figure.as_dict() == {
        **GOOD, "spread": "ignorance", "shape": "lognormal", "note": "page 3"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": math.nan}, "value = nan is not finite"),
        ({"high": math.inf}, "high = inf is not finite"),
        ({"low": 2.5}, r"band \[2.5, 3\] does not hold the value 2"),
        ({"value": 4.0}, "does not hold the value 4"),
        ({"grade": "good"}, "grade = 'good', allowed: measured, derived, datasheet, estimate"),
        ({"spread": "luck"}, "spread = 'luck', allowed: variability|spread = 'luck', allowed: ignorance"),
        ({"shape": "square"}, "shape = 'square', allowed: lognormal"),
        ({"low": 0.0}, "'lognormal' needs low > 0"),
        ({"low": -1.0}, "'lognormal' needs low > 0"),
        ({"shape": "fixed"}, "'fixed' has no band"),
    ],
)
def test_a_bad_figure_names_what_is_allowed(change: dict[str, object], message: str) -> None:
    with pytest.raises(DomainError, match=message) as caught:
        Figure(**{**GOOD, **change})  # type: ignore[arg-type]
    assert isinstance(caught.value, RoundtripError)
    assert "\n" not in str(caught.value)


@given(
    st.floats(-1e9, 1e9), st.floats(0.0, 1e9), st.floats(0.0, 1e9),
    st.sampled_from(GRADES), st.sampled_from(SPREADS), st.sampled_from(SHAPES),
)  # fmt: skip
def test_a_figure_is_made_or_refused_and_nothing_between(
    value: float, down: float, up: float, grade: str, spread: str, shape: str
) -> None:
    low, high = value - down, value + up
    sound = (shape != "lognormal" or low > 0.0) and (shape != "fixed" or low == high)
    sound = sound and (shape != "share" or (low > 0.0 and high < 1.0))
    if sound:
        assert Figure(value, low, high, "s", grade, "user", spread, shape).value == value
    else:
        with pytest.raises(DomainError):
            Figure(value, low, high, "s", grade, "user", spread, shape)


def test_default_shapes_are_always_sound() -> None:
    assert default_shape(1.0, 1.0) == "fixed"
    assert default_shape(1.0, 2.0) == "lognormal"
    assert default_shape(0.0, 2.0) == "uniform"
    assert default_shape(-1.0, 2.0) == "uniform"
    assert default_shape(0.1, 0.4, 0.0, 0.999) == "share"
    assert default_shape(0.1, 1.0, 0.0, 1.0) == "uniform"
