"""Days that were run beforehand, for the fleet screen without a server: it shows the nearest one and says which.

The grid is a plane of rates and replicas, and around its middle one other choice at a time. What packs well: columns
instead of rows; what changes over the day as steps of two percent, each as the difference to the one before; replicas
as differences to the first one. Figures of the whole day have three digits.
`web/src/screens/fleet/grid.ts` puts the rows together again.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from roundtrip.fleet.records import records
from roundtrip.lab import fleet
from roundtrip.lab.fleet_day import QUANTILES, Day, shortened

WINDOWS = 24
SHOWN = 8  # requests of the whole day that are shown one by one
DIGITS = 3
EVENTS = 1_000_000
LEAST, STEP = 1e-5, 1.02  # of what is stored as steps

RATES = (20.0, 40.0, 60.0)
REPLICAS = (3.0, 4.0, 6.0)
# One other choice at a time, at the usual rate and number of replicas.
AROUND: tuple[dict[str, Any], ...] = (
    {"prefix": 1.0},
    {"prefix": 1.0, "router": "prefix-aware"},
    {"accelerator": "b200"},
    *({"model": key} for key in ("llama-3.1-70b", "gpt-oss-120b")),
    {"precision": "fp8"},
    {"batch": 32.0},
    {"prompt": 1000.0},
    {"rate": 60.0, "queue": 16.0},
    {"memory": 0.5},
    {"swing": 0.0},
)
COLUMNS = ("arrivals_per_s", "token_per_s_accelerator", "token_per_s_user")
PICTURED = ("writing", "waiting", "used", "kept")
# Of the whole run what the page shows.
COUNTS = ("requests", "done", "refused", "preemptions", "left_at_midnight", "interrupted")
FIGURES = (
    "mean_batch", "busy_share", "cached_share", "good_share", "goodput_per_s", "output_tokens_per_s_per_accelerator",
)  # fmt: skip
SPANS = ("ttft_s", "tpot_s")
KEPT = ("p50", "p99")


def points() -> list[dict[str, Any]]:
    """Return what each run of the grid changes of the usual."""
    plane = [{"rate": rate, "replicas": count} for count in REPLICAS for rate in RATES]
    return [*plane, *(dict(each) for each in AROUND)]


def grid() -> dict[str, Any]:
    """Return the controls and the runs, each as columns."""
    runs = [packed(each) for each in points()]
    curves: list[Any] = []
    for run in runs:  # equal replicas under equal requests have one curve
        if run["curve"] not in curves:
            curves.append(run["curve"])
        run["curve"] = curves.index(run["curve"])
    return {
        "controls": fleet.controls(),
        "quantiles": list(QUANTILES),
        "least": LEAST,
        "step": STEP,
        "curves": curves,
        "runs": runs,
    }


def packed(changed: dict[str, Any]) -> dict[str, Any]:
    """Return the run of one point of the grid."""
    spec = fleet.spec_of(changed)
    day = Day(spec, WINDOWS, 0)
    while not day.is_done:
        day.go(EVENTS)
    head = day.head()
    whole, rows = day.summary(), day.rows
    nothing = (None,)
    at = {name: np.array([row["replicas"][name] for row in rows]) for name in PICTURED}
    for name in ("used", "kept"):
        at[name] = np.rint(100.0 * at[name]).astype(np.int64)  # percent
    body = {
        "curve": head["curve"],
        "causes": head["causes"],
        "kind": head["kind"],
        "accelerators": head["accelerators"],
        "cache_token": head["cache_token"],
        "good": [row["good"] for row in rows],
        "shown": _requests(day).tolist(),
        **{name: whole[name] for name in FIGURES},
        **{name: [whole[name][each] for each in KEPT] for name in SPANS},
        "day_waits_s": list(whole["waits_s"].values()),
        "paid": whole["paid"],
    }
    return {
        "set": changed,
        **_whole(shortened(body, DIGITS)),
        **{name: whole[name] for name in COUNTS},
        **({"window_refused": [row["refused"] for row in rows]} if whole["refused"] else {}),
        "command": head["command"],
        "steps": {
            **{name: _steps([row[name] for row in rows]) for name in COLUMNS},
            **{name: _steps([(row[name] or nothing)[-1] for row in rows]) for name in ("first_s", "token_s")},
            "half_first_s": _steps([(row["first_s"] or nothing)[0] for row in rows]),
            "waits_s": [_steps(list(line)) for line in zip(*(row["waits_s"] for row in rows), strict=True)],
        },
        "replicas": {
            name: [(line if k == 0 else line - lines.T[0]).tolist() for k, line in enumerate(lines.T)]
            for name, lines in at.items()
            if lines.any()
        },
    }


def _whole(body: Any) -> Any:
    """Return a body whose whole numbers are written without a point."""
    if isinstance(body, dict):
        return {key: _whole(value) for key, value in cast("dict[str, Any]", body).items()}
    if isinstance(body, list):
        return [_whole(value) for value in cast("list[Any]", body)]
    return int(body) if isinstance(body, float) and body.is_integer() else body


def _steps(values: list[float | None]) -> list[int]:
    """Return numbers as steps of `STEP` above `LEAST`, each as the difference to the one before; 0 where none is."""
    x = np.array([value or 0.0 for value in values])
    steps = np.where(x > 0.0, np.maximum(np.rint(np.log(np.maximum(x, LEAST) / LEAST) / np.log(STEP)), 1.0), 0.0)
    return np.diff(steps.astype(np.int64), prepend=0).tolist()


def _requests(day: Day) -> Any:
    """Return the parts of some requests of the whole day, evenly from the shortest to the longest."""
    found = records(day.run)
    parts = np.stack(list(found.waits().values()), axis=1)
    order = np.argsort(parts.sum(axis=1), kind="stable")
    return parts[order[((np.arange(SHOWN) + 0.5) * len(order) / SHOWN).astype(np.int64)]]
