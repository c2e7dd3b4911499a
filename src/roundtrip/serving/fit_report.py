"""What a fit says and does not say: constants with bands, those that rows do not identify, errors on rows left out.

A band is p5 to p95 of the larger of two spreads: that of the Jacobian with the prior, and that of refits on resampled
groups of rows, since rows of one server and version err together. A constant is identified when the rows have narrowed
its prior to less than half, and refits agree; otherwise its value is mostly where the search began, or trades against
another constant, which is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import glossary
from roundtrip.serving.constants import ENGINES, NAMES, SHARES, Prior, priors
from roundtrip.serving.fit import BENCH, Fit, fit
from roundtrip.serving.measurements import Table

Floats = NDArray[np.float64]
Z90 = 1.645
NARROWED = 0.5  # of the prior's spread: what is left of it where rows say something
TRADED = 0.8  # correlation of errors from which on two constants cannot be told apart
FOLDS = 5
REFITS = 10
SEED = 11


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant that was fitted: value, band, and whether rows identify it."""

    name: str
    value: float
    low: float
    high: float
    unit: str
    is_identified: bool
    left_of_prior: float
    trades_with: str = ""


@dataclass(frozen=True)
class Report:
    """What a fit gave.

    Attributes
    ----------
    fit : Fit
        The constants and deviations.
    constants : tuple of Constant
        The shared ones.
    engines : dict
        Constants of an engine's front where rows of several engines tell them apart.
    errors : dict
        Median absolute errors: of the fitted rows, and of rows that were left out of a fit.
    rows : int
        Rows of the fit.
    """

    fit: Fit
    constants: tuple[Constant, ...]
    engines: dict[str, dict[str, float]]
    errors: dict[str, Any]
    rows: int


def report(
    table: Table,
    layers: Sequence[tuple[str, str, float]] = BENCH,
    *,
    prior: dict[str, Prior] | None = None,
    refits: int = REFITS,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Fit, refit and leave out.

    Parameters
    ----------
    table : Table
        Measured runs.
    layers : sequence
        Deviations, as for `roundtrip.serving.fit.fit`.
    prior : dict, optional
        Where the constants start.
    refits : int
        Fits on resampled groups of rows.
    progress : callable, optional
        Is told what is done.
    """
    tell = progress or _quiet
    tell("fit")
    made = fit(table, layers, prior=prior)
    logs: list[Floats] = []
    for number in range(refits):
        tell(f"refit {number + 1} of {refits}")
        logs.append(fit(table, layers, prior=prior, first=made, weight=resampled(table, number)).x[: len(NAMES)])
    tell("rows left out")
    errors = {"fitted rows": errors_of(made.predict(table), table.measured)}
    left = _left_out(table, layers, prior)
    if left is not None:
        errors["rows left out"] = errors_of(left, table.measured)
    return Report(made, _constants(made, logs), _engines(made), errors, len(table))


def _quiet(_: str) -> None:
    """Tell nobody."""


def resampled(table: Table, number: int) -> Floats:
    """Return how often each row counts in a refit: groups of one server and version are drawn with repetition."""
    random = np.random.default_rng((SEED, number))
    _, group = np.unique(table.labels["version"], return_inverse=True)
    groups = int(group.max()) + 1
    if groups < 4:  # few servers: rows are drawn
        return random.multinomial(len(table), np.full(len(table), 1.0 / len(table))).astype(np.float64)
    return random.multinomial(groups, np.full(groups, 1.0 / groups)).astype(np.float64)[group]


def errors_of(found: Floats, measured: Floats) -> dict[str, float | None]:
    """Return the median absolute errors of the times to first token and per output token."""
    size = np.abs(np.expm1(found - measured))
    sides = (size[np.isfinite(size[:, i]), i] for i in range(2))
    return {
        name: float(np.median(side)) if len(side) else None
        for name, side in zip(("time to first token", "time per output token"), sides, strict=True)
    }


def _left_out(table: Table, layers: Sequence[tuple[str, str, float]], prior: dict[str, Prior] | None) -> Floats | None:
    names, number = np.unique(table.labels["configuration"], return_inverse=True)
    if len(names) < 2:
        return None
    fold = np.random.default_rng(SEED).permutation(len(names))[number] % min(FOLDS, len(names))
    found = np.full((len(table), 2), np.nan)
    for one in np.unique(fold):
        out = fold == one
        found[out] = fit(table.take(~out), layers, prior=prior).predict(table.take(out))
    return found


def _constants(made: Fit, refits: Sequence[Floats]) -> tuple[Constant, ...]:
    n = len(NAMES)
    spread = np.sqrt(np.diag(made.covariance))[:n]
    if len(refits) > 2:
        spread = np.maximum(spread, np.std(np.array(refits), axis=0))
    own = np.sqrt(np.diag(made.covariance))
    correlation = made.covariance / np.outer(own, own)
    found: list[Constant] = []
    for i, name in enumerate(NAMES):
        value = made.values[name]
        low, high = (value * math.exp(sign * Z90 * float(spread[i])) for sign in (-1.0, 1.0))
        term = glossary()[name]
        top = 1.0 if name in SHARES else term.high
        left = float(spread[i] / made.spread[i])
        others = np.abs(correlation[i, :n]) * (np.arange(n) != i)
        partner = NAMES[int(np.argmax(others))] if others.max() > TRADED else ""
        found.append(
            Constant(
                name, value, max(low, term.low), max(min(high, top), value), term.unit,
                left < NARROWED and not partner, left, partner,
            )
        )  # fmt: skip
    return tuple(found)


def _engines(made: Fit) -> dict[str, dict[str, float]]:
    """Return the constants of each engine's front, as the mean over the habits of those who measured it.

    How many requests start at once is a habit alone and stays shared.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for e, x in zip(made.effects, made.x[len(NAMES) :], strict=True):
        name = e.word.partition(" ")[0]
        if e.kind == "bench" and name in ENGINES and e.constant != "wave_share":
            found.setdefault(name, {}).setdefault(e.constant, []).append(float(x))
    shared = made.values
    return {
        engine: {
            name: min(shared[name] * math.exp(float(np.mean(logs))), 1.0 if name in SHARES else math.inf)
            for name, logs in sorted(own.items())
        }
        for engine, own in found.items()
    }


def as_toml(made: Report, command: str, source: str = "own-measurement") -> str:
    """Return the constants in the form of the catalog: a table for the shared ones, and one for each engine."""
    lines = [
        f"# {command}",
        f"# {made.rows} rows; bands are p5 to p95 of {REFITS} refits and of the Jacobian, whichever is wider.",
        "",
        "[shared]",
        'title = "Fitted on all rows"',
    ]
    for c in made.constants:
        note = "identified" if c.is_identified else _why(c)
        lines += ["", f"[shared.{c.name}]", *_figure(c.value, c.low, c.high, c.unit, source, note)]
    bands = {c.name: (c.low / c.value, c.high / c.value) for c in made.constants if c.value}
    for engine, own in made.engines.items():
        lines += ["", f"[{engine}]", f'title = "What is different with {engine}"']
        for name, value in own.items():
            low, high = (value * ratio for ratio in bands[name])
            top = 1.0 if name in SHARES else high
            lines += ["", f"[{engine}.{name}]"]
            lines += _figure(value, low, max(min(high, top), value), glossary()[name].unit, source, "of its runs alone")
    return "\n".join(lines) + "\n"


def _why(c: Constant) -> str:
    reason = f"trades against {c.trades_with}" if c.trades_with else "rows hardly narrow its prior"
    return f"not identified: {reason}"


def _figure(value: float, low: float, high: float, unit: str, source: str, note: str) -> list[str]:
    return [
        f"value = {value:.4g}", f"low = {min(low, value):.4g}", f"high = {max(high, value):.4g}", f'unit = "{unit}"',
        'grade = "derived"', f'source = "{source}"', 'spread = "ignorance"', f'note = "{note}"',
    ]  # fmt: skip


def as_dict(made: Report) -> dict[str, Any]:
    """Return the JSON form."""
    return {
        "rows": made.rows,
        "constants": [
            {"name": c.name, "value": c.value, "low": c.low, "high": c.high, "unit": c.unit,
             "identified": c.is_identified, "left_of_prior": c.left_of_prior, "trades_with": c.trades_with or None}
            for c in made.constants
        ],
        "engines": made.engines,
        "errors": made.errors,
    }  # fmt: skip


def rounded_priors(spread: float, values: dict[str, float]) -> dict[str, Prior]:
    """Return priors around values, no wider than those of the catalog."""
    return {name: Prior(values[name], min(spread, priors()[name].spread)) for name in NAMES}
