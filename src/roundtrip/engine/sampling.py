"""From scores to one token: greedy, or drawn with temperature, top-k and top-p.

References
----------
.. [1] A. Holtzman et al., "The curious case of neural text degeneration": top-p (2019),
https://arxiv.org/abs/1904.09751
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.engine.steps import Candidate, Floats
from roundtrip.errors import DomainError


@dataclass(frozen=True)
class Sampling:
    """How the next token is picked.

    Parameters
    ----------
    temperature
        0 takes the best token; above, scores are divided by it before one is drawn. 0 to 100.
    top_k
        Draw among so many of the best only; 0 for all.
    top_p
        Draw among the best that together reach this probability only. Above 0, to 1.
    seed
        The same seed draws the same tokens; without one, they differ each time.
    stop
        Texts that end the answer; they are not part of it.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Hold every setting to what is allowed."""
        if not (math.isfinite(self.temperature) and 0 <= self.temperature <= 100):
            raise DomainError(f"temperature {self.temperature!r}: from 0 to 100 is allowed")
        if self.top_k < 0:
            raise DomainError(f"top_k {self.top_k!r}: 0 (all) or more is allowed")
        if not 0 < self.top_p <= 1:
            raise DomainError(f"top_p {self.top_p!r}: above 0, to 1 is allowed")
        if self.seed is not None and self.seed < 0:
            raise DomainError(f"seed {self.seed!r}: 0 or more is allowed")
        if any(not text for text in self.stop):
            raise DomainError("a stop text may not be empty")

    def generator(self) -> np.random.Generator:
        """Return the source of chance for one answer."""
        return np.random.default_rng(self.seed)


GREEDY = Sampling()


def pick(logits: Floats, sampling: Sampling = GREEDY, rng: np.random.Generator | None = None) -> int:
    """Return the id of the next token.

    Parameters
    ----------
    logits
        Scores, (vocabulary,).
    sampling
        How to pick.
    rng
        The source of chance, kept from token to token (`sampling.generator()`); greedy needs none.
    """
    if sampling.temperature == 0 or sampling.top_k == 1:
        return int(logits.argmax())
    with np.errstate(over="ignore"):  # at a temperature next to zero all but the best are at minus infinity
        scores = (logits.astype(np.float64) - logits.max()) / sampling.temperature
    ids = best(scores, sampling.top_k or len(scores))
    weights = np.exp(scores[ids])
    weights /= weights.sum()
    if sampling.top_p < 1:
        enough = int(np.searchsorted(np.cumsum(weights), sampling.top_p)) + 1
        ids, weights = ids[:enough], weights[:enough] / weights[:enough].sum()
    rng = rng or sampling.generator()
    place = int(np.searchsorted(np.cumsum(weights), rng.random(), side="right"))
    return int(ids[min(place, len(ids) - 1)])


def best(scores: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Return the ids of the `k` highest scores, the best first, and of equals the lower id first."""
    if k < 1:
        return np.empty(0, np.intp)
    ids = np.arange(len(scores))
    if k < len(scores):
        ids = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
    return ids[np.lexsort((ids, -scores[ids]))][:k]


def log_probabilities(logits: Floats) -> NDArray[np.float64]:
    """Return the natural logarithm of each token's probability: (..., vocabulary)."""
    scores = logits.astype(np.float64)
    scores -= scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def log_probability(logits: Floats, token: int) -> float:
    """Return the natural logarithm of one token's probability."""
    best = float(logits.max())
    return float(logits[token]) - best - math.log(float(np.exp(logits - best).sum(dtype=np.float64)))


def top(logits: Floats, k: int) -> list[Candidate]:
    """Return the `k` most probable tokens, the best first, with their share among all tokens."""
    ids = best(logits, k)
    highest = float(logits.max())
    total = float(np.exp(logits - highest).sum(dtype=np.float64))
    return [Candidate(int(i), float(logits[i]), math.exp(float(logits[i]) - highest) / total) for i in ids]


def entropy(logits: Floats) -> float:
    """Return how undecided the scores are, in nat: 0 for certain, ln(vocabulary) for all alike."""
    logs = log_probabilities(logits)
    return float(-(np.exp(logs) * logs).sum())
