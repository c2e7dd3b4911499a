"""Fit the shared constants of step times without some models: ``python tools/fit_apart.py FOLDER KEY WORD``.

FOLDER holds ``serving_silicon.csv``. What comes out is the entry KEY of ``catalog/data/step_constants_apart.toml``:
constants that no row whose model's name has WORD in it had a part in, with p5 and p95 from the fit. ``family_factor``
is how far off a family is that was left out, by the time per output token.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm, t

from roundtrip.serving import silicon
from roundtrip.serving.constants import SHARES
from roundtrip.serving.fit import BENCH, Fit, fit
from roundtrip.serving.measurements import Table, table

UNITS = {"_s": "s", "tile_tokens": "token"}


def rows_without(folder: Path, word: str) -> Table:
    """Return all aggregated rows of models without a word in their names."""
    runs, _, _ = silicon.read(folder / silicon.FILE)
    return table([run for run in runs if not run.writers and word not in run.model.lower()])


def family_half_width(rows: Table) -> float:
    """Return half of the band, p5 to p95, of the logarithm by which a new family is off.

    Each family is left out in turn; the spread of the medians is that of their middle size, so that one family of few
    rows does not make it, and the band is Student's for one more of so many.
    """
    families = np.unique(rows.labels["family"])
    off = np.empty(len(families))
    for i, family in enumerate(families):
        out = rows.labels["family"] == family
        found = fit(rows.take(~out), BENCH).predict(rows.take(out)) - rows.take(out).measured
        off[i] = np.nanmedian(found[:, 1])
    spread = np.median(np.abs(off)) / norm.ppf(0.75)
    return float(t.ppf(0.95, len(families) - 1) * spread * np.sqrt(1.0 + 1.0 / len(families)))


def entry(made: Fit, half: float, key: str, word: str) -> str:
    """Return the catalog's entry."""
    lines = [f"[{key}]", f'title = "Shared constants without any row of {word}"', f'without = "{word}"']
    spread = np.sqrt(np.diag(made.covariance))
    for i, name in enumerate(made.names):
        low, value, high = (float(np.exp(made.x[i] + z * spread[i])) for z in (-1.645, 0.0, 1.645))
        if name in SHARES:
            low, value, high = (min(x, most) for x, most in ((low, 0.97), (value, 0.98), (high, 0.99)))
        unit = next((u for end, u in UNITS.items() if name.endswith(end)), "1")
        note = f"fitted on {made.rows} rows of other families: tools/fit_apart.py; the band is that of the fit"
        lines.append(
            f'{name} = {{ value = {value:.4g}, low = {low:.4g}, high = {high:.4g}, unit = "{unit}", '
            f'grade = "derived", source = "aiconfigurator", note = "{note}" }}'
        )
    low, high = (float(np.exp(sign * half)) for sign in (-1.0, 1.0))
    lines.append(
        f'family_factor = {{ value = 1, low = {low:.4g}, high = {high:.4g}, unit = "1", grade = "derived", '
        'source = "aiconfigurator", note = "families left out in turn: medians of predicted over measured time per '
        'output token; the band for one more family" }'
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    kept = rows_without(Path(sys.argv[1]), sys.argv[3])
    print(entry(fit(kept, BENCH), family_half_width(kept), sys.argv[2], sys.argv[3]))
