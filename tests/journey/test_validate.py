"""What validate reports is what was computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey.truth import check, rows
from roundtrip.journey.validate import stage_scores, validate


def test_every_truth_row_is_counted_once() -> None:
    scores = stage_scores()
    assert sum(s["n"] for s in scores) == len(rows())
    for score in scores:
        mine = [check(r) for r in rows() if f"stage {r.stage}" == score["name"]]
        assert score["holds"] == all(s.holds for s in mine)
        assert (score["value"] <= score["bar"]) == score["holds"] or abs(score["value"] - 1.0) < 1e-9


def test_unknown_files_are_named_and_readme_is_not(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("x")
    (tmp_path / "other.csv").write_text("x")
    (tmp_path / "folder").mkdir()
    assert validate(str(tmp_path))["not_scored"] == ["folder/", "other.csv"]


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(TruthError, match="--truth /no/such: no such folder"):
        validate("/no/such")


def test_a_broken_data_set_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "azure_rtt.csv").write_text("not,what\nwas,expected\n")
    with pytest.raises(TruthError, match=r"azure_rtt\.csv"):
        validate(str(tmp_path))
