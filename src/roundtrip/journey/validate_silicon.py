"""Score the physics of serving against measured closed loops: time to first token and per output token.

``serving_silicon.csv`` is the silicon sample of aiconfigurator [1]_. Every score is on rows that were not fitted; its
split says which were left out. The filter needs no model (`roundtrip.serving.measurements.slow_start`), and what it
takes out of a score is counted in its coverage.

References
----------
.. [1] NVIDIA, aiconfigurator, https://github.com/ai-dynamo/aiconfigurator, ``silicon_sample.csv``, Apache-2.0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.journey import validate_steps
from roundtrip.serving import silicon, splits
from roundtrip.serving.constants import constants
from roundtrip.serving.fit import BENCH, predict, seen
from roundtrip.serving.fit import fit as fitted
from roundtrip.serving.measurements import Run, Table, kendall, table

FILE = silicon.FILE
Floats = NDArray[np.float64]
FIRST, EACH = 0, 1
SHORT = ("time to first token", "time per output token")
# What AIConfigurator 0.12 says of its own sample: 155 of 357 rows that were drawn could be asked without a network.
RIVAL = {FIRST: 0.53, EACH: 0.20}
RIVAL_COVERAGE = 0.43
LEAST_CELL = 5
REGIMES = ((0.7, "light"), (0.95, "busy"), (np.inf, "saturated"))


@dataclass(frozen=True, slots=True)
class Bar:
    """What a score must show, and what it aims at: shares of the measured time."""

    must: float
    aim: float


BARS = {
    "neighbors": (Bar(0.22, 0.16), Bar(0.08, 0.05)),
    "family left out": (Bar(0.36, 0.27), Bar(0.16, 0.12)),
    "accelerator left out": (Bar(0.36, 0.27), Bar(0.16, 0.12)),
    "three rows": (Bar(0.28, 0.22), Bar(0.12, 0.09)),
}
SPLITS = {
    "neighbors": "five folds, repeats of a configuration in one fold, with deviations",
    "family left out": "all rows of each model family left out (DeepSeek-V3 and R1 are one), shared constants",
    "accelerator left out": "all rows of each accelerator left out, shared constants",
    "three rows": "each family left out, then a scale from three measured rows a model, accelerator and engine",
}
WITHIN_TWO = (0.80, 0.97)
RANKING = 0.85
APART = Bar(0.25, 0.18)
COVERAGE = 0.95


def score(folder: Path) -> list[dict[str, Any]]:
    """Return the scores of the silicon sample in a folder."""
    runs, rows, bad = silicon.read(folder / FILE)
    together = [r for r in runs if not r.writers]
    unknown = sum(r.writers < 0.0 for r in runs)
    bad = [(line, reason) for line, reason in bad if not reason.startswith(silicon.APART_ROW)]
    asked = len(together) + len(bad)
    whole, refused = _answered(together)
    made = [_coverage(whole, refused, asked, rows, bad, unknown)]
    scored = ready(whole) if whole is not None else None
    if scored is not None and len(scored):
        made += _together(scored, asked)
    made += _apart([r for r in runs if r.writers > 0.0], scored)
    if whole is not None:
        made += _noise(whole)
    return made + validate_steps.score(folder)


def fit(folder: Path) -> dict[str, Any]:
    """Return the shared constants refitted on the rows of a folder; what they are worth says `score`."""
    runs, _, _ = silicon.read(folder / FILE)
    whole, _ = _answered([r for r in runs if not r.writers])
    rows = ready(whole) if whole is not None else None
    if rows is None or len(rows) < splits.LEAST_ROWS:
        raise DomainError(f"{folder / FILE}: fewer than {splits.LEAST_ROWS} rows that can be fitted")
    made = fitted(rows, BENCH)
    return {"name": "serving silicon", "rows": len(rows), "constants": made.values, "scores": []}


def _answered(runs: Sequence[Run]) -> tuple[Table | None, list[tuple[int, str]]]:
    """Return the rows that can be answered, if any, and why the others cannot."""
    try:
        found = table(runs)
    except DomainError:
        return None, [(r.line, f"{r.model} on {r.accelerator}: not known") for r in runs]
    return found, found.refused


def _together(scored: Table, asked: int) -> list[dict[str, Any]]:
    """Return the scores of rows where one replica reads and writes."""
    predictions = {
        "neighbors": splits.neighbors(scored),
        "family left out": splits.left_out(scored, "family"),
        "accelerator left out": splits.left_out(scored, "accelerator"),
    }
    predictions["three rows"] = splits.calibrated(scored, predictions["family left out"])
    made: list[dict[str, Any]] = []
    for name, found in predictions.items():
        made += _errors(name, SPLITS[name], scored, found, asked)
    made += _within_two(scored, predictions, asked)
    made += _ranking(scored, predictions["family left out"], asked)
    return made + _unseen(scored, asked)


def ready(whole: Table) -> Table:
    """Return the rows that are scored: no odd ones, and of a slow start no time to first token."""
    kept = whole.take(np.array([not r.odd for r in whole.runs], dtype=bool))
    slow = np.array([r.is_slow_start for r in kept.runs], dtype=bool)
    measured = kept.measured.copy()
    measured[slow, FIRST] = np.nan
    return Table(kept.runs, kept.case, kept.reader, kept.load, measured, kept.labels, kept.refused)


def _score(name: str, metric: str, value: float | None, bar: float | None, holds: bool, n: int, **more: Any) -> Any:
    body = {"name": f"serving silicon, {name}", "metric": metric, "value": value, "bar": bar, "holds": holds, "n": n}
    return body | {"coverage": None, "split": "", "rivals": {}} | more


def _coverage(
    whole: Table | None,
    refused: Sequence[tuple[int, str]],
    asked: int,
    rows: int,
    bad: Sequence[tuple[int, str]],
    unknown: int,
) -> dict[str, Any]:
    reasons: dict[str, int] = {}
    for _, reason in (*refused, *((line, reason.partition(": ")[2] or reason) for line, reason in bad)):
        reasons[reason] = reasons.get(reason, 0) + 1
    answered = whole.runs if whole is not None else ()
    odd: dict[str, int] = {}
    for r in answered:
        if r.odd:
            odd[r.odd] = odd.get(r.odd, 0) + 1
    value = len(answered) / asked if asked else None
    return _score(
        "rows",
        "share of the unique aggregated rows that is answered (at least)",
        value,
        COVERAGE,
        value is None or value >= COVERAGE,
        asked,
        coverage=value,
        split="none: whether a row can be answered",
        refused=reasons,
        not_scored=odd,
        slow_start=sum(r.is_slow_start and not r.odd for r in answered),
        scored=sum(not r.odd for r in answered),
        rows_in_file=rows,
        split_without_workers=unknown,
        rivals={"AIConfigurator 0.12": RIVAL_COVERAGE},
    )


def _errors(name: str, split: str, t: Table, found: Floats, asked: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for side, what in enumerate(SHORT):
        error = found[:, side] - t.measured[:, side]
        there = np.isfinite(error)
        bars = BARS[name][side]
        made.append(
            _median(
                f"{name}: {what}",
                error[there],
                bars,
                split,
                asked,
                rival=RIVAL[side],
                by=_tables(t.take(there), error[there]),
                runs=_rows(t, found, side),
            )
        )
    return made


def _median(
    name: str, error: Floats, bars: Bar, split: str, asked: int, rival: float | None = None, **more: Any
) -> dict[str, Any]:
    if not len(error):
        return _score(name, "median absolute error", None, None, True, 0, split=split, **more)
    size = np.abs(np.exp(error) - 1.0)
    value = float(np.median(size))
    rivals = {} if rival is None else {"AIConfigurator 0.12": rival, "at a coverage of": RIVAL_COVERAGE}
    return _score(
        name,
        "median absolute error",
        value,
        bars.must,
        value <= bars.must,
        len(error),
        aim=bars.aim,
        reaches_aim=value <= bars.aim,
        p75=float(np.percentile(size, 75)),
        bias=float(np.expm1(np.median(error))),
        within_2x=float((np.abs(error) < np.log(2.0)).mean()),
        coverage=len(error) / asked if asked else None,
        split=split,
        rivals=rivals,
        **more,
    )


def _tables(t: Table, error: Floats) -> dict[str, dict[str, Any]]:
    """Return medians and biases by accelerator, engine, family, precision and regime."""
    load = seen(t, constants()).load if len(t) else np.empty(0)
    edges, words = zip(*REGIMES, strict=True)
    regime = np.array(words)[np.searchsorted(np.array(edges)[:-1], load, side="right")]
    kinds = {name: t.labels[name] for name in ("accelerator", "engine", "family", "precision")} | {"regime": regime}
    return {
        name: {
            str(word): {
                "n": int((words == word).sum()),
                "median": float(np.median(np.abs(np.expm1(error[words == word])))),
                "bias": float(np.expm1(np.median(error[words == word]))),
            }
            for word in np.unique(words)
        }
        for name, words in kinds.items()
    }


def _rows(t: Table, found: Floats, side: int) -> list[dict[str, Any]]:
    """Return every row with what was measured and predicted [s]."""
    return [
        {
            "line": r.line,
            "measured_s": float(np.exp(m)),
            "predicted_s": float(np.exp(p)),
            "error": float(np.expm1(p - m)),
        }
        for r, p, m in zip(t.runs, found[:, side], t.measured[:, side], strict=True)
        if np.isfinite(p) and np.isfinite(m)
    ]


def _within_two(t: Table, predictions: dict[str, Floats], asked: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for name in ("family left out", "accelerator left out"):
        for side, what in enumerate(SHORT):
            error = predictions[name][:, side] - t.measured[:, side]
            error = error[np.isfinite(error)]
            if len(error):
                value = float((np.abs(error) < np.log(2.0)).mean())
                made.append(
                    _score(
                        f"{name}, within a factor of two: {what}",
                        "share of the rows (at least)",
                        value,
                        WITHIN_TWO[side],
                        value >= WITHIN_TWO[side],
                        len(error),
                        coverage=len(error) / asked,
                        split=name,
                    )
                )
    return made


def _ranking(t: Table, found: Floats, asked: int) -> list[dict[str, Any]]:
    """Return how well configurations of one model, accelerator and engine are put in order, the family left out."""
    taus: dict[str, float] = {}
    for cell in np.unique(t.labels["cell"]):
        rows = t.labels["cell"] == cell
        if rows.sum() >= LEAST_CELL:
            taus[str(cell)] = kendall(found[rows, EACH], t.measured[rows, EACH])
    if not taus:
        return []
    value = float(np.mean(list(taus.values())))
    return [
        _score(
            "ranking inside cells: time per output token",
            "mean of Kendall's tau (at least)",
            value,
            RANKING,
            value >= RANKING,
            len(taus),
            coverage=len(t) / asked,
            split="family left out",
            cells=taus,
        )
    ]


def _apart(apart: Sequence[Run], scored: Table | None) -> list[dict[str, Any]]:
    """Return the scores of rows where some replicas read and others write, by constants of aggregated rows alone."""
    t, _ = _answered(apart)
    if t is None:
        return []
    enough = scored is not None and len(scored) >= splits.LEAST_ROWS
    found = fitted(scored, BENCH).predict(t) if scored is not None and enough else predict(t, constants())
    split = "no row of this kind was fitted: constants of the aggregated rows"
    made: list[dict[str, Any]] = []
    for side in (EACH, FIRST):
        error = _finite(found[:, side] - t.measured[:, side])
        name = f"reading and writing apart: {SHORT[side]}"
        made.append(_median(name, error, APART, split, len(apart), runs=_rows(t, found, side)))
    made[1] |= {"bar": None, "holds": True, "aim": None, "reaches_aim": None}
    return made


def _noise(t: Table) -> list[dict[str, Any]]:
    """Return how far runs of one configuration differ: no model can be better than half of that."""
    made: list[dict[str, Any]] = []
    for side, what in enumerate(SHORT):
        spread = [
            float(np.expm1(np.ptp(t.measured[rows, side])))
            for word in np.unique(t.labels["configuration"])
            if (rows := t.labels["configuration"] == word).sum() > 1
        ]
        if spread:
            made.append(
                _score(
                    f"noise: {what}",
                    "largest over smallest of one configuration less one, median",
                    float(np.median(spread)),
                    None,
                    True,
                    len(spread),
                    split="repeats, one version of the engine",
                    p75=float(np.percentile(spread, 75)),
                    p90=float(np.percentile(spread, 90)),
                )
            )
    return made


def _unseen(t: Table, asked: int) -> list[dict[str, Any]]:
    """Return the errors of the shipped constants on rows of models or accelerators that they were not fitted on."""
    known = splits.fitted("families"), splits.fitted("accelerators")
    words = zip(t.labels["family"], t.labels["accelerator"], strict=True)
    new = np.array([str(family) not in known[0] or str(chip) not in known[1] for family, chip in words])
    if not new.any():
        return []
    own = t.take(new)
    found = predict(own, constants())
    split = "shipped constants; no row of the model or of the accelerator was fitted"
    made: list[dict[str, Any]] = []
    for side, what in enumerate(SHORT):
        error = found[:, side] - own.measured[:, side]
        there = np.isfinite(error)
        made.append(
            _median(
                f"shipped constants, never seen: {what}",
                error[there],
                BARS["family left out"][side],
                split,
                asked,
                by=_tables(own.take(there), error[there]),
                runs=_rows(own, found, side),
            )
        )
    return made


def _finite(x: Floats) -> Floats:
    return x[np.isfinite(x)]
