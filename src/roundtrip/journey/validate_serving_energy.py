"""Score joules of an output token, worked out before anything of a run is measured, on models that were left out.

Rows of models that the catalog's constants were fitted to are predicted by constants that were fitted again without
that model; rows of any other model by the catalog's own. Both are one score an accelerator. Bands hold the spread of
errors on other models that were left out, never the model's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry, keys
from roundtrip.journey.validate_energy import ecologits_J
from roundtrip.serving import energy_fit
from roundtrip.serving.energy_runs import FILE, Floats, Runs, predict, read, runs

BARS = {"h100-sxm": 0.15, "b200": 0.20}  # median error of models left out
COVER = (0.85, 0.95)  # what bands of 90 % may hold
LEAST_MODELS = 5  # fewer are not fitted again
ENOUGH = 40  # rows on which a coverage is judged


def _fitted(r: Runs) -> NDArray[np.bool_]:
    """Say which runs are of a model and an accelerator that the catalog's constants were fitted to."""
    models = energy_fit.fitted_models()
    return np.array([m in models and a in BARS for m, a in zip(r.models, r.accelerators, strict=True)], dtype=bool)


def _can_leave_out(r: Runs) -> bool:
    return len({m for m, known in zip(r.models, _fitted(r), strict=True) if known}) >= LEAST_MODELS


def _out_of_fit(r: Runs, group: Any = str) -> Floats:
    """Return joules a token that no constant was fitted to, as far as there is enough to fit again [J]."""
    joules = predict(r, energy_fit.shipped())[0]
    known = _fitted(r)
    if _can_leave_out(r):
        joules[known] = energy_fit.left_out(r.only(known), group)
    return joules


def _bands(r: Runs, joules: Floats) -> tuple[Floats, Floats]:
    """Return p5 and p95 of each run [J]: the catalog's spread, or for its own models that of the other ones."""
    low, high = np.full(len(r), np.nan), np.full(len(r), np.nan)
    known = _fitted(r) & _can_leave_out(r)
    fitted = r.only(known)
    models, chips = np.array(r.models), np.array(r.accelerators)
    for key in set(r.accelerators):
        where = key if key in keys(energy_fit.KIND) else energy_fit.SHARED
        figure = entry(energy_fit.KIND, where).figure("energy_spread")
        for model in set(r.models):
            mine = (models == model) & (chips == key)
            least, most = figure.low, figure.high
            if (mine & known).any():
                least, most = energy_fit.spread(fitted, joules[known], model, key)
            low[mine], high[mine] = least * joules[mine], most * joules[mine]
    return low, high


def _line(name: str, metric: str, value: float, bar: float | None, holds: bool, n: int, **rest: Any) -> dict[str, Any]:
    return {"name": name, "metric": metric, "value": value, "bar": bar, "holds": holds, "n": n, "coverage": None,
            "split": "", "rivals": {}} | rest  # fmt: skip


def _scores(r: Runs, rivals: Floats, refused: list[str]) -> list[dict[str, Any]]:
    joules = _out_of_fit(r)
    low, high = _bands(r, joules)
    strict = _out_of_fit(r, energy_fit.family)
    result: list[dict[str, Any]] = []
    chips = np.array(r.accelerators)
    for key in sorted(set(r.accelerators)):
        mine = chips == key
        inside_fit = 0 if _can_leave_out(r) else int((mine & _fitted(r)).sum())
        seen, ours = r.measured_J[mine], joules[mine]
        ratio = ours / seen
        error, bar = float(np.median(np.abs(ratio - 1.0))), BARS.get(key)
        result.append(
            _line(
                f"joules an output token on {key}", "median error, models left out", error, bar,
                bar is None or error <= bar, len(seen),
                split="a model is left out of the fit, or was never in it; times are worked out, not taken from the row"
                + ("" if bar else "; no run on this accelerator was in the fit: shared constants")
                + (f"; {inside_fit} rows are of models in the fit, too few to fit again" if inside_fit else ""),
                rivals={"EcoLogits 0.11.3, true batch and accelerators":
                        float(np.median(np.abs(rivals[mine] / seen - 1.0)))},
                median_ratio=float(np.median(ratio)), within_2=float(np.mean((ratio > 0.5) & (ratio < 2.0))),
                family_left_out=float(np.median(np.abs(strict[mine] / seen - 1.0))),
            )
        )  # fmt: skip
        inside = float(np.mean((low[mine] <= seen) & (seen <= high[mine])))
        judged = bar is not None and len(seen) >= ENOUGH
        result.append(
            _line(
                f"joules an output token on {key}: bands of 90 %", "share inside, models left out", inside,
                0.9 if judged else None, not judged or COVER[0] <= inside <= COVER[1], len(seen), coverage=inside,
                split="p5 to p95 by the errors on other models that were left out; 85 to 95 % hold",
            )
        )  # fmt: skip
    total = len(r) + len(refused)
    answered = len(r) / total if total else 0.0
    result.append(
        _line(
            "joules an output token: rows answered", "share of all rows", answered, None, True, total,
            coverage=answered, split="a model, precision or accelerator that the catalog does not know is left out",
            refused=sorted(set(refused)),
        )
    )  # fmt: skip
    return result


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the runs of a folder; rows that the catalog cannot answer are counted, and named in ``refused``."""
    rows = read(directory / FILE)
    if not rows:
        return []
    r, refused = runs(rows)
    rivals = np.array([ecologits_J(rows[i]) if rows[i].get("params_active_B") else np.nan for i in r.numbers])
    return _scores(r, rivals, refused)


def fit(directory: Path) -> dict[str, Any]:
    """Fit the constants to the runs of a folder, without keeping them: what they are, and the band of each."""
    r, _ = runs(read(directory / FILE))
    if len(set(r.models)) < LEAST_MODELS:
        return {"name": "energy of runs", "constants": {}, "n": len(r)}
    constants, bands = energy_fit.fit(r), energy_fit.bootstrap(r)
    by_model, by_accelerator = energy_fit.left_out(r), energy_fit.accelerator_left_out(r)
    chips = sorted(set(r.accelerators))
    return {
        "name": "energy of runs",
        "n": len(r),
        "models": sorted(set(r.models)),
        "constants": {
            name: {"value": value, "low": float(bands[name][0]), "high": float(bands[name][1])}
            for name, value in constants.items()
        },
        "spread": {key: energy_fit.spread(r, by_model, accelerator=key) for key in chips},
        "spread_accelerator_left_out": {key: energy_fit.spread(r, by_accelerator, accelerator=key) for key in chips},
    }
