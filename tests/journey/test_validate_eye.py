"""The scoreboard of the eye: every score holds, and would not if the physics were replaced by a simpler rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roundtrip.journey import validate_eye


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in validate_eye.score(Path(tmp_path_factory.mktemp("none")))}


def test_every_score_holds(scores: dict[str, dict[str, Any]]) -> None:
    assert len(scores) == 11
    assert all(entry["holds"] for entry in scores.values()), [e["name"] for e in scores.values() if not e["holds"]]
    keys = {"name", "metric", "value", "bar", "holds", "n", "coverage", "split", "rivals"}
    assert all(set(entry) == keys for entry in scores.values())


def test_green_for_white_is_wrong_by_more_than_half(scores: dict[str, dict[str, Any]]) -> None:
    entry = scores["photons of a pixel in a frame"]
    assert entry["n"] == 30
    assert entry["value"] < 0.01
    assert entry["rivals"]["white counted as 555 nm"] > 0.5


def test_the_division_by_the_volume_would_not_hold(scores: dict[str, dict[str, Any]]) -> None:
    entry = scores["delay of the rod's photon"]
    assert entry["rivals"]["divided by the volume"] < 0.0 < entry["value"] < 5e-3


def test_adding_up_latencies_would_make_four_times_the_whole(scores: dict[str, dict[str, Any]]) -> None:
    rivals = scores["latencies of the cortex"]["rivals"]
    assert rivals["sum over the whole"] > 3.0
    assert 0.0 < rivals["each drawn alone"] < scores["latencies of the cortex"]["value"]


def test_tables_are_within_a_thousandth_of_their_solvers(scores: dict[str, dict[str, Any]]) -> None:
    tables = [entry for name, entry in scores.items() if name.startswith("table of")]
    assert len(tables) == 3
    assert all(entry["value"] <= 1e-3 for entry in tables)
