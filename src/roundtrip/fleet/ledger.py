"""What a run needs energy for, by replica: busy time, bytes of weights, pairs of tokens and contexts, added up by plan.

The event loop adds a line of numbers when a plan ends; joules are worked out afterwards (`roundtrip.fleet.account`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.layout import GROWTH, WIDTH
from roundtrip.fleet.speculate import ONE

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment

# Columns: time in which a step ran; contexts that written tokens looked back at, added up; bytes of weights that were
# read; pairs of tokens in prompts; tokens that went through the layers, those of drafts included.
BUSY_S, LOOKED, FETCHED_B, PAIRS, ROWS, COLUMNS = range(6)


@compiled
def book(fixed: Any, state: Any, k: int, now_s: float, steps: int) -> None:
    """Add a plan of so many steps that ends now."""
    replica = state.replicas[k]
    line = state.ledger[k]
    writing = replica["writing"]
    rate = fixed.policy[GROWTH] / ONE
    first = replica["bases"] + writing * (replica["step"] * rate + 1.0)
    rows = writing * fixed.policy[WIDTH] + replica["tokens"]
    line[BUSY_S] += now_s - replica["now_s"]
    line[LOOKED] += steps * (first + writing * rate * 0.5 * (steps - 1))
    line[FETCHED_B] += steps * fixed.fetched_B[replica["kind"], rows]
    line[ROWS] += steps * rows


def fetched_B(deployment: Deployment) -> NDArray[np.float64]:
    """Return the bytes of weights that a step reads, by kind of replica and rows; 0 where a kind has no setup [B]."""
    from roundtrip.serving.power import setup_weights_B

    rows = np.arange(deployment.token_budget + 1.0)
    tables = [
        np.zeros(len(rows)) if kind.setup is None else setup_weights_B(kind.setup, rows) for kind in deployment.kinds
    ]
    return np.stack(tables)
