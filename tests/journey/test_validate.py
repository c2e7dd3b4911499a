"""What validate reports is what was computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey import validate_engine
from roundtrip.journey.truth import check, rows
from roundtrip.journey.validate import stage_scores, validate
from tests.engine.service import tiny
from tests.engine.test_calibrate import calibrate_fake


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine takes is measured by ``roundtrip validate``, not by tests."""
    monkeypatch.setenv("ROUNDTRIP_MODEL", "none")


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


def test_without_weights_the_engine_is_skipped_and_says_so(tmp_path: Path) -> None:
    body = validate(str(tmp_path))
    assert not [s for s in body["scores"] if s["name"].startswith("engine")]
    assert body["skipped"] == ["engine on this machine: no language model: ROUNDTRIP_MODEL is 'none'"]


def _fast(ratio: float) -> validate_engine.Round:
    return validate_engine.Round(1.0, ratio, 0.02, 0.02 * ratio, 0.01)


@pytest.mark.parametrize(("ratio", "holds"), [(1.2, (True, True)), (0.72, (False, True)), (1.4, (False, False))])
def test_the_round_in_the_middle_is_held_to_the_bars(
    monkeypatch: pytest.MonkeyPatch, ratio: float, holds: tuple[bool, bool]
) -> None:
    rounds = iter([_fast(3.0), _fast(0.1), _fast(ratio)])
    monkeypatch.setattr(validate_engine, "missing", lambda: None)
    monkeypatch.setattr("roundtrip.engine.engine.load", lambda: None)
    monkeypatch.setattr(validate_engine, "_round", lambda _: next(rounds))
    scores = validate_engine.score(Path())
    assert tuple(s["holds"] for s in scores) == holds
    assert [s["value"] for s in scores] == pytest.approx([abs(ratio - 1.0)] * 2)
    assert [s["bar"] for s in scores] == [0.25, 0.30]
    assert "measured" in scores[0]["metric"]


def test_a_round_measures_and_forecasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtrip.engine.calibrate.calibrate", calibrate_fake)
    monkeypatch.setattr(validate_engine, "PROMPT_TOKENS", 60)
    made = validate_engine._round(tiny())
    assert made.prefill_s > 0.0
    assert made.decode_s > 0.0
    assert 1e-4 < made.decode_forecast_s < 1e-3  # two layers of 50 µs, and what surrounds them
    assert made.decode_bound_s == pytest.approx(4.0 * tiny().card.parameters / 3e10)
    assert made.prefill_forecast_s > made.decode_forecast_s
