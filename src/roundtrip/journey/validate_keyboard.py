"""Score the keyboard and the display against the two tables that were measured by one hand [1]_ [2]_.

The measured values stand in the catalog beside what is known of each keyboard and computer; the predictions come from
`roundtrip.journey.latency` and use nothing of them. A value counts as covered if it lies between p5 and p95 of one
press as the published setup reads it. Beside the coverage stands what it is worth: the width of the bands, the error
of the medians, and what one band for all rows (p5 to p95 of the table itself, which knows the answers) would do.

References
----------
.. [1] D. Luu, "Keyboard latency", 2017, https://danluu.com/keyboard-latency/
.. [2] D. Luu, "Computer latency: 1977-2017", https://danluu.com/input-lag/
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey.latency import Latency, table

Array = NDArray[np.float64]

COVERED = 0.85
SPLIT = "rules by class, none by row; two rules were changed after a first look (docs: keyboard and display)"
NAMES = {
    "A11": "keyboards, key to packet",
    "A13": "computers, key to screen",
    "rest": "further computers of that table",
}


def score(directory: Path) -> list[dict[str, Any]]:
    """Return coverage, error and width for both tables; `directory` holds nothing that is needed here."""
    keyboards, computers = table("measured_keyboards"), table("measured_systems")
    scores = [*_scores("A11", keyboards), *_scores("A13", [x for x in computers if x.table == "A13"])]
    return [*scores, _coverage("rest", [x for x in computers if x.table == "rest"], None)]


def _scores(name: str, found: list[Latency]) -> list[dict[str, Any]]:
    published = np.array([x.published_s for x in found])
    bands = np.array([x.reading.quantiles((0.05, 0.5, 0.95)) for x in found])
    error = np.abs(bands[:, 1] / published - 1.0)
    middle = float(np.median(published))
    ends = np.quantile(published, (0.05, 0.95))
    common = {"n": len(found), "coverage": f"all {len(found)} rows", "split": SPLIT}
    return [
        _coverage(name, found, COVERED),
        {
            "name": NAMES[name],
            "metric": "median error of the predicted median",
            "value": float(np.median(error)),
            "bar": None,
            "holds": True,
            **common,
            "rivals": {"the table's own median for all": float(np.median(np.abs(middle / published - 1.0)))},
        },
        {
            "name": NAMES[name],
            "metric": "median width of the band, s",
            "value": float(np.median(bands[:, 2] - bands[:, 0])),
            "bar": None,
            "holds": True,
            **common,
            "rivals": {"p5 to p95 of the table itself": float(ends[1] - ends[0])},
        },
        {
            "name": NAMES[name],
            "metric": "rank correlation of predicted and measured",
            "value": rank_correlation(bands[:, 1], published),
            "bar": None,
            "holds": True,
            **common,
            "rivals": {},
        },
    ]


def _coverage(name: str, found: list[Latency], bar: float | None) -> dict[str, Any]:
    rows = [_row(x) for x in found]
    inside = float(np.mean([row["holds"] for row in rows]))
    average = float(np.mean([x.as_dict()["inside_average"] for x in found]))
    return {
        "name": NAMES[name],
        "metric": "share inside p5 to p95",
        "value": inside,
        "bar": bar,
        "holds": bar is None or inside >= bar,
        "n": len(found),
        "coverage": f"all {len(found)} rows",
        "split": SPLIT,
        "rivals": {"the mean of many presses, phases averaged out": average},
        "rows": rows,
    }


def _row(x: Latency) -> dict[str, Any]:
    low, median, high = x.reading.quantiles((0.05, 0.5, 0.95))
    return {
        "id": x.key,
        "quantity": f"{x.title}, {1e3 * low:.0f} to {1e3 * high:.0f} ms",
        "model": median,
        "published": x.published_s,
        "unit": "s",
        "error": median / x.published_s - 1.0,
        "tolerance": high - median if x.published_s > median else median - low,
        "holds": low <= x.published_s <= high,
        "source": x.source,
    }


def rank_correlation(one: Array, other: Array) -> float:
    """Return Spearman's rank correlation, ties at their mean rank."""
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(x) == v)) for v in x]) for x in (one, other)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
