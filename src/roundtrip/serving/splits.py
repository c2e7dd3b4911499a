"""Predict measured rows by constants that were fitted without them: folds, groups left out, a few rows to calibrate on.

No row is ever predicted by a fit that saw it. Fits start from the wide priors; the shipped constants, which were fitted
on most published rows, take their place only where what is left out was not among those.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.serving.constants import KIND, NAMES, Prior, constants, priors
from roundtrip.serving.fit import BENCH, DEVIATIONS, fit, predict
from roundtrip.serving.measurements import Table, family

Floats = NDArray[np.float64]
FOLDS = 5
SEED = 5
LEAST_ROWS = 40  # fewer say too little: then the priors answer
CALIBRATION = 3
SHRINK = 0.25  # rows that the scale of a cell is held at 1 by, as if so many more had been measured
SHIPPED_SPREAD = 0.25  # of the shipped constants where they are a prior


@cache
def fitted(kind: str) -> frozenset[str]:
    """Return the words (families, accelerators, cells) of the rows that the shipped constants were fitted on.

    A family is kept by the name of one of its models, since the catalog may come to name it otherwise.
    """
    words = entry(KIND, "shared").texts.get(kind, "").split(", ")
    if kind == "accelerators":
        return frozenset(words)
    parts = [word.partition(" ") for word in words]
    return frozenset(family(model) + space + rest for model, space, rest in parts)


def prior_for(kind: str, words: Sequence[str]) -> dict[str, Prior]:
    """Return where a fit starts that leaves these words out: the shipped constants if no row of theirs was fitted."""
    known = fitted({"family": "families", "accelerator": "accelerators"}.get(kind, "cells"))
    if any(word in known for word in words):
        return priors()
    shipped = constants()
    return {name: Prior(shipped[name], min(SHIPPED_SPREAD, priors()[name].spread)) for name in NAMES}


def left_out(table: Table, kind: str) -> Floats:
    """Return predictions of each row by shared constants that were fitted without all rows of its word.

    Parameters
    ----------
    table : Table
        Measured runs.
    kind : str
        "family" or "accelerator".
    """
    words = table.labels[kind]
    found = np.full((len(table), 2), np.nan)
    for word in np.unique(words):
        out = words == word
        prior = prior_for(kind, [str(word)])
        rest, own = table.take(~out), table.take(out)
        if len(rest) < LEAST_ROWS:
            found[out] = predict(own, {name: p.value for name, p in prior.items()})
        else:
            found[out] = fit(rest, BENCH, prior=prior).predict(own)
    return found


def neighbors(table: Table, folds: int = FOLDS) -> Floats:
    """Return predictions by all constants and deviations, fitted on other folds; repeats of a run share a fold."""
    names, number = np.unique(table.labels["configuration"], return_inverse=True)
    fold = np.random.default_rng(SEED).integers(0, folds, len(names))[number]
    found = np.full((len(table), 2), np.nan)
    for one in range(folds):
        out = fold == one
        if not out.any():
            continue
        prior = prior_for("cell", [str(w) for w in np.unique(table.labels["cell"][out])])
        if (~out).sum() < LEAST_ROWS:
            found[out] = predict(table.take(out), {name: p.value for name, p in prior.items()})
        else:
            found[out] = fit(table.take(~out), (*BENCH, *DEVIATIONS), prior=prior).predict(table.take(out))
    return found


def calibrated(table: Table, found: Floats) -> Floats:
    """Return predictions scaled by three measured rows of each cell; these rows come back as NaN.

    Parameters
    ----------
    table : Table
        Measured runs.
    found : array, (rows, 2)
        Predictions in which each row's family was left out.
    """
    result = np.full_like(found, np.nan)
    for cell in np.unique(table.labels["cell"]):
        rows = np.flatnonzero(table.labels["cell"] == cell)
        if len(rows) <= CALIBRATION:
            continue
        chosen = rows[anchors(found[rows, 1])]
        others = np.setdiff1d(rows, chosen)
        error = table.measured[chosen] - found[chosen]
        there = np.isfinite(error)
        scale = np.where(there, error, 0.0).sum(axis=0) / (there.sum(axis=0) + SHRINK)
        result[others] = found[others] + scale
    return result


def anchors(expected: Floats) -> NDArray[np.int64]:
    """Return which rows to measure: those at the edges and the middle of what is expected."""
    order = np.argsort(expected, kind="stable")
    at = np.round(np.linspace(0.1, 0.9, CALIBRATION) * (len(order) - 1)).astype(int)
    while len(set(at)) < CALIBRATION:
        at = np.round(np.linspace(0.0, 1.0, CALIBRATION) * (len(order) - 1)).astype(int)
    return order[at]
