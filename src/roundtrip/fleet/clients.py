"""Clients that hang up, answers that begin with reasoning and priorities, drawn for requests that are there already."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError, nearest
from roundtrip.figures.units import parse_quantity
from roundtrip.fleet.generate import lengths
from roundtrip.fleet.workload import Workload

_NAMES = ("exponential", "uniform", "lognormal")
_STREAM = {"patience": 3, "reasoning": 4, "priorities": 5}  # own numbers: none changes what else a seed draws
MOST_S = 1e9
MOST_PRIORITIES = 20


def with_patience(work: Workload, text: str, seed: int) -> Workload:
    """Return the requests with clients that hang up some time after they asked; `durations` says what text may be.

    Raises
    ------
    DomainError
        If the text is no time, or the trace says itself when clients hang up.
    """
    if len(work.cancel_s):
        raise DomainError(f"--patience: {work.name} has a column 'cancel_s' already, expected one of both")
    rng = np.random.default_rng([seed, _STREAM["patience"]])
    return replace(work, cancel_s=durations(text, len(work), rng, "--patience"))


def with_reasoning(work: Workload, text: str, seed: int) -> Workload:
    """Return the requests with so many tokens of reasoning before each answer, in the form of `generate.lengths`.

    The turns that follow do not contain them: an engine gets a conversation without its reasoning.
    """
    if len(work.reasoning):
        raise DomainError(f"--reasoning: {work.name} has a column 'reasoning_tokens' already, expected one of both")
    rng = np.random.default_rng([seed, _STREAM["reasoning"]])
    thought = lengths(text, len(work), rng)
    return replace(work, output=work.output + thought, reasoning=thought)


def with_priorities(work: Workload, text: str, seed: int) -> Workload:
    """Return the requests with priorities drawn by their shares, ``1,3``: a quarter has 0 and goes first, the rest 1.

    All turns of a conversation have the one of its session.
    """
    if len(work.priority):
        raise DomainError(f"--priorities: {work.name} has a column 'priority' already, expected one of both")
    try:
        shares = np.array([float(part) for part in text.split(",")])
    except ValueError:
        shares = np.empty(0)
    if not 2 <= len(shares) <= MOST_PRIORITIES or not ((shares >= 0.0) & (shares < 1e9)).all() or shares.sum() <= 0.0:
        raise DomainError(f"--priorities {text!r}: expected 2 to {MOST_PRIORITIES} shares, for example 1,3")
    rng = np.random.default_rng([seed, _STREAM["priorities"]])
    who = work.session if len(work.session) else np.arange(len(work))
    drawn = rng.choice(len(shares), int(who.max()) + 1, p=shares / shares.sum())
    return replace(work, priority=drawn[who].astype(np.int64))


def durations(text: str, count: int, rng: np.random.Generator, name: str) -> NDArray[np.float64]:
    """Return times: ``30s``, ``exponential:30s``, ``uniform:5s,60s`` or ``lognormal:30s,1`` (deviation over mean).

    Parameters
    ----------
    text : str
    count : int
        How many.
    rng : Generator
    name : str
        Of the option, for errors.

    Returns
    -------
    array, (count,)
        Above 0 [s].
    """
    kind, sign, rest = text.partition(":")
    if not sign:
        return np.full(count, _time(text, name))
    if kind not in _NAMES:
        raise DomainError(f"{name} {text!r}: {kind!r} is not one of {', '.join(_NAMES)}{nearest(kind, _NAMES)}")
    parts = [part.strip() for part in rest.split(",")]
    if len(parts) != (1 if kind == "exponential" else 2):
        raise DomainError(f"{name} {text!r}: expected {'one value' if kind == 'exponential' else 'two values'}")
    first_s = _time(parts[0], name)
    if kind == "exponential":
        return np.maximum(rng.exponential(first_s, count), 1e-9)
    if kind == "uniform":
        second_s = _time(parts[1], name)
        if second_s < first_s:
            raise DomainError(f"{name} {text!r}: expected the lower end first")
        return rng.uniform(first_s, second_s, count)
    if not re.fullmatch(r"[0-9.eE+-]+", parts[1]) or not 0.0 < (spread := parse_quantity(parts[1], "1", name)) <= 100.0:
        raise DomainError(f"{name} {text!r}: expected a deviation over the mean above 0, at most 100")
    sigma = np.sqrt(np.log1p(spread**2))
    return np.maximum(rng.lognormal(np.log(first_s) - sigma**2 / 2.0, sigma, count), 1e-9)


def _time(text: str, name: str) -> float:
    value_s = parse_quantity(text, "s", name)
    if not 1e-9 <= value_s <= MOST_S:
        raise DomainError(f"{name} = {text.strip()}, expected 1 ns to {MOST_S:.0e} s")
    return value_s
