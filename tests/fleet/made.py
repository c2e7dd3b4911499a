"""Clusters and loads that the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.deployment import Deployment, Kind, uniform
from roundtrip.fleet.times import polynomial
from roundtrip.fleet.workload import Workload


def cluster(replicas: int = 1, pages: int = 100_000, step_s: float = 5e-3, **choices: Any) -> Deployment:
    """Return replicas with affine step times."""
    terms = {name: choices.pop(name) for name in ("row_s", "sequence_s", "context_s", "pair_s") if name in choices}
    limits = {"token_budget": 2048, "max_sequences": 256} | {
        name: choices.pop(name) for name in ("token_budget", "max_sequences") if name in choices
    }
    times = polynomial(**limits, step_s=step_s, **terms)
    return uniform(Kind("made", times, pages), replicas, **limits, **choices)


def load(arrival_s: Any, prompt: Any, output: Any, **more: Any) -> Workload:
    """Return requests; numbers of tokens may be one for all."""
    times_s = np.asarray(arrival_s, float)
    tokens = [np.broadcast_to(np.asarray(x, np.int64), times_s.shape).copy() for x in (prompt, output)]
    return Workload("made", times_s, *tokens, **more)
