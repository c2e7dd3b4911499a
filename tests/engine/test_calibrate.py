"""What a machine can do: measured, kept for this machine alone, and renewed when it is not ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtrip.engine import calibrate as room
from roundtrip.engine.calibrate import Calibration, Measured, Shape, calibrate
from roundtrip.journey.here import counted, here, measured_figures

SMALL = Shape(layers=2, width=64, heads=4, kv_heads=2, head_width=16, inner_width=96, vocabulary=300)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own, and a machine that is measured in no time."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(room, "POOL_B", 2_000_000)
    monkeypatch.setattr(room, "calibrate", lambda: calibrate(SMALL, budget_s=0.02))
    return tmp_path / "roundtrip" / "calibration.json"


def _holds(found: Calibration) -> None:
    for key, m in found.figures().items():
        assert 0.0 < m.low <= m.value * (1 + 1e-9), key
        assert m.value <= m.high * (1 + 1e-9), key
        if m.unit == "1":
            assert m.high <= 1.0, key


def test_every_number_has_a_band_and_stands_in_the_scenario(home: Path) -> None:
    found = room.calibration()
    _holds(found)
    assert found.bandwidth_B_s.unit == "B/s"
    scenario = here(found)
    for key in found.figures():
        figure = scenario.figure(key)
        assert (figure.grade, figure.source) == ("measured", "this-machine"), key
        assert found.date in figure.note


def test_it_is_measured_once_and_then_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = room.calibration()
    assert home.is_file()

    def again() -> Calibration:
        raise AssertionError("measured a second time")

    monkeypatch.setattr(room, "calibrate", again)
    assert room.calibration() == first
    with pytest.raises(AssertionError, match="second time"):
        room.calibration(renew=True)


@pytest.mark.parametrize("harm", ["other machine", "cut", "other form", "no number", "list"])
def test_what_is_not_this_machines_is_measured_anew(home: Path, harm: str) -> None:
    room.calibration()
    body = json.loads(home.read_text())
    if harm == "other machine":
        body["machine"] = "0" * 32
    elif harm == "other form":
        body["form"] = room.FORM + 1
    elif harm == "no number":
        del body["bandwidth_B_s"]
    text = json.dumps([body] if harm == "list" else body)
    home.write_text(text[:100] if harm == "cut" else text)
    assert room.kept() is None
    found = room.calibration()
    assert found.machine == room.fingerprint()
    assert room.kept() == found


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(room, "POOL_B", 2_000_000)
    monkeypatch.setattr(room, "calibrate", lambda: calibrate(SMALL, budget_s=0.02))
    _holds(room.calibration())


def test_the_line_through_two_points_gives_back_copy_and_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """With made-up times the rates are those that the times were made from."""
    layer = sum(a * b for a, b in SMALL.matrices)
    copy_s, row_s, read_s = 4.0 * layer / 1e10, 2.0 * layer / 5e10, 4.0 * layer / 2e10
    monkeypatch.setattr(room, "POOL_B", 4 * layer * 10)
    # In the order of measuring: stream (10 layers), products of 256 rows (2 layers), layers with calls, some rows, and
    # the stream again.
    stream, product, some = [10 * read_s], [2 * (copy_s + 256 * row_s)], [10 * (copy_s + 8 * row_s)]
    made = iter([stream, product, [10 * (read_s + 1e-4)], some, stream])

    def times(run: object, budget_s: float, least: int = 3) -> list[float]:
        return next(made, [1e-6])

    monkeypatch.setattr(room, "_times", times)
    found = calibrate(SMALL)
    assert found.bandwidth_B_s.value == pytest.approx(2e10)
    assert found.flop_rate_flop_s.value == pytest.approx(5e10)
    assert found.packing_share.value == pytest.approx(0.5)


def test_a_counted_answer_is_forecast_with_exactly_its_tokens(home: Path) -> None:
    from roundtrip.journey.forecast import forecast

    text = "any text at all, of any length, for only the count is asked for here " * 3
    trace = forecast(text, here(room.calibration()).with_measured(counted(text, 77, 9)), samples=0)
    assert trace.span("model.tokenizer").attributes["prompt_tokens"] == 77.0
    assert trace.summary["tokens"] == 9.0


def test_a_band_without_width_is_fixed() -> None:
    made = Measured(1.0, 1.0, 1.0, "1")
    assert made.value == 1.0
    figures = measured_figures(calibrate_fake())
    assert figures["model.serving.memory_efficiency"].shape == "fixed"
    assert figures["model.accelerator.bandwidth_B_s"].shape == "lognormal"
    assert figures["model.serving.cache_efficiency"].shape == "share"


def calibrate_fake() -> Calibration:
    """A machine of round numbers."""

    def of(value: float, unit: str) -> Measured:
        return Measured(value, value * 0.9, value * 1.1, unit)

    return Calibration(
        "0" * 32, "a processor", "2026-11-30T12:00:00+00:00", 1.0, of(3e10, "B/s"), of(1e11, "flop/s"), of(0.4, "1"),
        of(0.8, "1"), of(0.5, "1"), of(1e-6, "s"), of(5e-5, "s"), of(2e-6, "s"), of(1e-9, "s"), of(4e-5, "s"),
    )  # fmt: skip
