"""Guessed tokens: how many steps a request needs when several tokens of a step may be right.

A step checks one token and some drafts of each sequence that writes. Drafts are right up to the first wrong one, each
with the same chance if all before it were, and the step yields one token more than were right. On average that is

    m = (1 - a^(d + 1)) / (1 - a)

tokens a step with d drafts and the chance a [1]_. How many steps a request needs is drawn once, before the run, from
the law of these numbers. Within the run every context grows by the mean m, the same for all: the number of tokens
after s steps is ``floor(m s)``, so that pages and step times stay sums that need no walk over the sequences.

References
----------
.. [1] Y. Leviathan, M. Kalman and Y. Matias, "Fast inference from transformers via speculative decoding", ICML 2023,
   https://arxiv.org/abs/2211.17192
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.compiled import compiled

Ints = NDArray[np.int64]

SHIFT = 16  # binary places of the mean tokens of a step
ONE = 1 << SHIFT
LONG = 20_000  # tokens beyond which the number of steps is drawn from its normal limit
MOST = 9e18


def mean_tokens(drafts: int, acceptance: float) -> float:
    """Return the mean tokens of a step."""
    return float(sum(acceptance**k for k in range(drafts + 1)))


def growth(drafts: int, acceptance: float) -> int:
    """Return the mean tokens of a step in units of 1/65536: what the run works with."""
    return round(mean_tokens(drafts, acceptance) * ONE)


def steps(output: Ints, drafts: int, acceptance: float, seed: int) -> Ints:
    """Return the steps that each answer takes, the one that reads the end of its prompt included.

    Parameters
    ----------
    output : array of int, (requests,)
        Tokens of the answers.
    drafts, acceptance : int, float
        Drafts of a step, and the chance that one is right if all before it were.
    seed : int
    """
    if drafts == 0:
        return output
    rng = np.random.default_rng([seed, 1])
    left = output - 1
    needed = np.ones(len(output), np.int64)
    long = np.flatnonzero(left > LONG)
    if len(long):
        needed[long] += _many(left[long], drafts, acceptance, rng)
        left = np.where(left > LONG, 0, left)
    open_ = np.flatnonzero(left > 0)
    left = left[open_]
    while len(open_):
        needed[open_] += 1
        left = left - 1 - _right(len(open_), drafts, acceptance, rng)
        stays = left > 0
        open_, left = open_[stays], left[stays]
    if float(needed.sum()) * growth(drafts, acceptance) > MOST:
        raise DomainError(f"{float(output.sum()):.3g} tokens of answers are too many to guess at")
    return needed


def _right(count: int, drafts: int, acceptance: float, rng: np.random.Generator) -> Ints:
    """Return how many drafts of a step are right: a geometric number, cut at the drafts there are."""
    if acceptance >= 1.0:
        return np.full(count, drafts, np.int64)
    return np.minimum(rng.geometric(1.0 - acceptance, count) - 1, drafts)


def _many(tokens: Ints, drafts: int, acceptance: float, rng: np.random.Generator) -> Ints:
    """Return the steps of long answers: a renewal count, normal about ``n / m`` with variance ``n var / m^3``."""
    weights = np.array([acceptance**k * (1.0 - acceptance) for k in range(drafts)] + [acceptance**drafts])
    sizes = np.arange(1.0, drafts + 2.0)
    mean = float(weights @ sizes)
    variance = float(weights @ (sizes - mean) ** 2)
    drawn = tokens / mean + np.sqrt(tokens * variance / mean**3) * rng.standard_normal(len(tokens))
    return np.clip(np.rint(drawn), -(-tokens // (drafts + 1)), tokens).astype(np.int64)


@compiled
def grown(step: int, growth: int) -> int:
    """Return the tokens by which every context has grown after so many steps of a replica."""
    if growth == ONE:
        return step
    return (step * growth) >> SHIFT


@compiled
def steps_within(step: int, tokens: int, growth: int) -> int:
    """Return how many steps after the `step`-th a context grows by at most so many tokens."""
    if growth == ONE:
        return tokens
    return (((grown(step, growth) + tokens + 1) << SHIFT) - 1) // growth - step


@compiled
def held_after(prompt: int, written: int, growth: int) -> int:
    """Return the tokens of the cache of a request that so many steps have written, as it comes back to the steps."""
    return prompt + grown(written - 1, growth)


def bound(prompt: Any, needed: Any, growth: int) -> Any:
    """Return the most tokens of the cache that requests ever hold: prompt, what steps may add, one of rounding."""
    return prompt + (((needed - 1) * growth + ONE - 1) >> SHIFT) + 1
