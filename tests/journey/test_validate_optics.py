"""The scores of optical lines."""

from __future__ import annotations

from pathlib import Path

from roundtrip.journey.validate_optics import PUBLISHED, score


def test_lines_hold_to_published_results_and_beat_the_formula_of_equal_spans(tmp_path: Path) -> None:
    scores = score(tmp_path)
    assert [row["holds"] for row in scores] == [True, True, True]
    for row in scores[:2]:
        assert row["n"] == len(PUBLISHED)
        assert row["value"] < min(row["rivals"].values())


def test_a_field_trial_stays_under_shannons_limit_but_not_far() -> None:
    trial = score(Path())[2]
    assert 0.5 < trial["value"] < 1.0
