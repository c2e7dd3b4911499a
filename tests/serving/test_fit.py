"""A fit finds constants that are known, says which it cannot know, and holds on rows that it never saw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import least_squares

from roundtrip.errors import DomainError
from roundtrip.serving import constants as known
from roundtrip.serving import fit_report, splits
from roundtrip.serving.fit import BENCH, NUDGE, Fit, fit, predict
from roundtrip.serving.measurements import Table, table
from tests.serving.made import TRUE, measured, runs, timed


@pytest.fixture(scope="module")
def made() -> Table:
    return measured()


@pytest.fixture(scope="module")
def found(made: Table) -> Fit:
    return fit(made, ())


def test_known_constants_are_found(found: Fit) -> None:
    for name in ("memory_efficiency", "prefill_efficiency", "per_stream_time_s", "engine_overhead_s"):
        assert found.values[name] == pytest.approx(TRUE[name], rel=0.1), name


def test_predictions_are_as_good_as_the_noise(found: Fit, made: Table) -> None:
    error = found.predict(made) - made.measured
    assert np.std(error) < 0.02


def test_the_minimum_is_that_of_scipy(made: Table) -> None:
    """The same cost, minimized by another program from the same start: no better than ours."""
    few = made.take(np.arange(0, len(made), 4))
    ours = fit(few, (), rounds=40)
    scale = np.array([0.7, 0.15])

    def rest(x: np.ndarray) -> np.ndarray:
        k = {
            n: min(math.exp(v), 1.0) if n in known.SHARES else math.exp(v) for n, v in zip(known.NAMES, x, strict=True)
        }
        r = ((predict(few, k) - few.measured) / scale).ravel()
        soft = np.sqrt(2.0 * (np.sqrt(1.0 + r * r) - 1.0))
        return np.concatenate([soft, (x - ours.start) / ours.spread])

    theirs = least_squares(rest, ours.start, max_nfev=60)
    assert 0.5 * np.sum(rest(ours.x) ** 2) <= theirs.cost * 1.01 + 1e-9


def test_a_deviation_is_found_on_its_rows_and_nowhere_else() -> None:
    slow = timed(runs(engines=("vllm", "sglang")))
    slow = [r if r.engine == "vllm" else type(r)(**{n: getattr(r, n) for n in r.__slots__ if n != "tpot_s"},
                                                  tpot_s=r.tpot_s * 1.3) for r in slow]  # fmt: skip
    t = table(slow)
    layers = (("layer_time_s", "engine", 0.5), ("memory_efficiency", "engine", 0.5))
    own = fit(t, layers)
    plain = fit(t, ())
    errors = [float(np.nanmedian(np.abs(f.predict(t) - t.measured)[:, 1])) for f in (own, plain)]
    assert errors[0] < 0.6 * errors[1]
    unseen = table(timed(runs(engines=("another",))))
    np.testing.assert_allclose(own.predict(unseen), predict(unseen, own.values))


def test_a_row_far_off_moves_little(made: Table, found: Fit) -> None:
    measured_rows = made.measured.copy()
    measured_rows[3] += 3.0
    broken = Table(made.runs, made.case, made.reader, made.load, measured_rows, made.labels)
    moved = fit(broken, ())
    assert np.median(np.abs(moved.predict(made) - found.predict(made))) < 0.01


def test_times_that_were_not_measured_do_not_count(made: Table) -> None:
    half = made.measured.copy()
    half[:, 0] = np.nan
    f = fit(Table(made.runs, made.case, made.reader, made.load, half, made.labels), ())
    assert f.values["wave_share"] == pytest.approx(known.priors()["wave_share"].value, rel=0.05)
    assert np.median(np.abs(f.predict(made) - made.measured)[:, 1]) < 0.02


def test_the_jacobian_of_a_deviation_is_that_of_its_constant(made: Table) -> None:
    """Nudge a deviation by hand: the change is that of the constant on its rows, none elsewhere."""
    t = made.take(np.arange(0, len(made), 7))
    layers = (("layer_time_s", "accelerator", 0.3),)
    f = fit(t, layers, rounds=2)
    x = f.x.copy()
    x[-1] += NUDGE
    moved = Fit(f.names, f.effects, x, f.start, f.spread, f.covariance)
    change = moved.predict(t) - f.predict(t)
    own = t.labels["accelerator"] == f.effects[-1].word
    assert (change[~own] == 0.0).all()
    assert (change[own][:, 1] > 0.0).all()


def test_what_the_rows_do_not_say_is_told(made: Table) -> None:
    """One accelerator, dense models alone: nothing is learned of experts and exchanges."""
    dense = np.array(["235" not in r.model for r in made.runs])
    r = fit_report.report(made.take(dense), (), refits=3)
    by_name = {c.name: c for c in r.constants}
    for name in ("expert_efficiency", "moe_layer_time_s", "exchange_latency_s", "tile_tokens", "group_exponent"):
        assert not by_name[name].is_identified, name
        assert by_name[name].value == pytest.approx(known.priors()[name].value, rel=0.02)
    assert by_name["prefill_efficiency"].is_identified
    assert by_name["prefill_efficiency"].low < TRUE["prefill_efficiency"] < by_name["prefill_efficiency"].high
    assert r.errors["rows left out"]["time per output token"] < 0.02


def test_what_was_written_is_read_again(made: Table, tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "own.toml"
    r = fit_report.report(made.take(np.arange(0, len(made), 3)), (), refits=0)
    file.write_text(fit_report.as_toml(r, "roundtrip fit x"), encoding="utf-8")
    again = known.read(str(file))
    for c in r.constants:
        assert again[c.name] == pytest.approx(c.value, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"table \[shared\] is missing"),
        ("[shared]\nlayer_tim_s = 1.0", "did you mean 'layer_time_s'"),
        ("[shared]\nlayer_time_s = -1.0", "expected a number from 0"),
        ("[shared]\nlink_efficiency = 2.0", "at most 1"),
        ("[shared]\nlayer_time_s = 'x'", "expected a number"),
        ("[shared", "--constants"),
    ],
)
def test_constants_that_cannot_be_are_refused(text: str, says: str, tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=says):
        known.read(str(file))


def test_a_file_of_constants_that_is_not_there() -> None:
    with pytest.raises(DomainError, match="cannot be read"):
        known.read("no/such.toml")


def test_no_row_is_predicted_by_a_fit_that_saw_it(made: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []

    def spy(t: Table, *more: object, **rest: object) -> Fit:
        f = fit(t, *more, **rest)  # pyright: ignore[reportArgumentType]
        seen.append({id(r) for r in t.runs})

        class Guard(Fit):
            def predict(self, table: Table) -> np.ndarray:
                assert not seen[-1] & {id(r) for r in table.runs}
                return f.predict(table)

        return Guard(f.names, f.effects, f.x, f.start, f.spread, f.covariance)

    monkeypatch.setattr(splits, "fit", spy)
    for left in (splits.left_out(made, "family"), splits.left_out(made, "accelerator"), splits.neighbors(made, 2)):
        assert np.isfinite(left).all()
    assert len(seen) == 4 + 2 + 2


def test_shipped_constants_are_a_prior_only_for_words_they_never_saw() -> None:
    wide = splits.prior_for("family", ["qwen3-32b"])
    assert wide == known.priors()
    own = splits.prior_for("family", ["a-model-of-tomorrow"])
    assert own["layer_time_s"].value == known.constants()["layer_time_s"]


def test_bench_habits_are_told_apart() -> None:
    assert {constant for constant, _, _ in BENCH} <= set(known.LOOP)
