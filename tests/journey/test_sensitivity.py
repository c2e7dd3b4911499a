"""Sobol' indices against an analytic case."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roundtrip.figures.figure import Figure
from roundtrip.journey.sensitivity import indices


def _uniform(cause: str = "") -> Figure:
    return Figure(0.0, -np.pi, np.pi, "1", "derived", "user", shape="uniform", cause=cause)


def _ishigami(x: Any) -> Any:
    return np.sin(x[0]) + 7.0 * np.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * np.sin(x[0])


def test_ishigami_saltelli_2008_page_179() -> None:
    keys = ["x1", "x2", "x3"]
    result = indices("ishigami", _ishigami, keys, [_uniform()] * 3, samples=32_768, seed=1)
    found = {i.cause: i for i in result.influences}
    for cause, first, total in (("x1", 0.3139, 0.5576), ("x2", 0.4424, 0.4424), ("x3", 0.0, 0.2437)):
        assert found[cause].first == pytest.approx(first, abs=0.02)
        assert found[cause].total == pytest.approx(total, abs=0.02)
    assert result.variance == pytest.approx(13.844, rel=0.02)


def test_what_shares_a_cause_is_one_influence() -> None:
    figures = [_uniform("together"), _uniform("together"), _uniform()]
    result = indices("sum", lambda x: x[0] + x[1] + x[2], ["a", "b", "c"], figures, samples=8_192, seed=2)
    found = {i.cause: i for i in result.influences}
    assert set(found) == {"together", "c"}
    assert found["together"].total == pytest.approx(0.8, abs=0.03)
    assert found["c"].total == pytest.approx(0.2, abs=0.03)


def test_a_fixed_figure_has_no_influence() -> None:
    fixed = Figure(1.0, 1.0, 1.0, "1", "derived", "user", shape="fixed")
    result = indices("x", lambda x: x[0] * x[1], ["moves", "fixed"], [_uniform(), fixed], samples=64, seed=3)
    assert [i.cause for i in result.influences] == ["moves"]
