"""A figure whose spread a simulation found."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws


def test_samples_have_the_levels_that_were_found() -> None:
    found = np.random.default_rng(1).exponential(2.0, 50_000)
    levels = tuple(np.quantile(found, (np.arange(500) + 0.5) / 500).tolist())
    figure = Figure(1.4, 0.1, 6.0, "s", "derived", "fleet", spread="variability", shape="sampled", levels=levels)
    drawn = Draws(40_000).draw(figure, "wait")
    assert drawn.shape[0] == 1, "it differs from trip to trip, not from world to world"
    for q in (5, 50, 95, 99):
        assert np.percentile(drawn, q) == pytest.approx(np.percentile(found, q), rel=0.05)


@pytest.mark.parametrize(("shape", "levels"), [("sampled", ()), ("uniform", (1.0, 2.0)), ("sampled", (2.0, 1.0))])
def test_levels_go_with_the_shape(shape: str, levels: tuple[float, ...]) -> None:
    with pytest.raises(DomainError, match="levels"):
        Figure(1.5, 1.0, 2.0, "s", "derived", "fleet", shape=shape, levels=levels)
