"""Access networks against what was published, and the two kinds of spread in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roundtrip.catalog.load import load
from roundtrip.figures.sampling import Draws
from roundtrip.journey import validate_access


def test_published_medians_lie_inside_their_kind_of_line() -> None:
    share, error = validate_access.score(Path())
    assert share["holds"]
    assert error["holds"]
    assert error["rivals"]["ours, the same lines"] < 0.5 * error["rivals"]["WebPageTest profiles"]


def test_every_measured_network_is_an_entry() -> None:
    assert {row["network"] for row in validate_access.compared()} <= set(load("access_networks"))


@pytest.mark.parametrize("name", sorted(load("access_networks")))
def test_every_line_spreads_from_trip_to_trip_and_most_also_by_what_is_not_known(name: str) -> None:
    trips = validate_access.round_trips_s(load("access_networks")[name], Draws(10_000))
    band = Draws(10_000).band(trips)
    assert 0.0 < band.low < band.median < band.slow
    assert band.median_low < band.median_high
    assert np.all(trips > 0.0)


def test_a_satellite_is_never_faster_than_light() -> None:
    for name in ("starlink", "geo-satellite"):
        entry = load("access_networks")[name]
        trips = validate_access.round_trips_s(entry, Draws(10_000))
        assert np.min(trips) > 4.0 * entry.figures["altitude_m"].low / 299_792_458.0
