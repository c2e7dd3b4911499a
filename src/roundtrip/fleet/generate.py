"""Loads that are made, from a seed: when requests come, how long they are, and what they share."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError, nearest
from roundtrip.fleet.workload import Workload

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ARRIVALS = ("poisson", "gamma", "diurnal", "constant")
DAY_S = 86_400.0
SWING = 0.6  # of the rate over a day, up and down
_LENGTHS = re.compile(r"(?P<name>[a-z]+):(?P<first>[0-9.eE+]+)(,(?P<second>[0-9.eE+]+))?")
_NAMES = ("uniform", "lognormal", "geometric")


def lengths(text: str, count: int, rng: np.random.Generator) -> Ints:
    """Return numbers of tokens: ``512``, ``uniform:100,2000``, ``lognormal:MEAN,CV`` or ``geometric:MEAN``."""
    if re.fullmatch(r"\d{1,12}", text):
        return np.full(count, _at_least_one(int(text), text), np.int64)
    match = _LENGTHS.fullmatch(text)
    if not match:
        raise DomainError(f"{text!r} is no number of tokens: expected 512, uniform:100,2000, lognormal:1000,0.8 or "
                          "geometric:200")  # fmt: skip
    name = match["name"]
    if name not in _NAMES:
        raise DomainError(f"{text!r}: {name!r} is not one of {', '.join(_NAMES)}{nearest(name, _NAMES)}")
    try:
        first, second = float(match["first"]), float(match["second"]) if match["second"] else None
    except ValueError:
        raise DomainError(f"{text!r}: expected numbers") from None
    if (second is None) != (name == "geometric"):
        raise DomainError(f"{text!r}: expected {'one number' if name == 'geometric' else 'two numbers'}")
    _at_least_one(first, text)
    if name == "geometric" or second is None:
        return rng.geometric(1.0 / first, count)
    if name == "uniform":
        if second < first:
            raise DomainError(f"{text!r}: expected the lower end first")
        return rng.integers(int(first), int(second) + 1, count)
    sigma = np.sqrt(np.log1p(second**2))
    drawn = rng.lognormal(np.log(first) - sigma**2 / 2.0, sigma, count)
    return np.maximum(np.rint(drawn), 1.0).astype(np.int64)


def _at_least_one(value: float, text: str) -> int:
    if not 1.0 <= value <= 1e12:
        raise DomainError(f"{text!r}: expected 1 to 1e12 tokens")
    return int(value)


def arrivals(
    kind: str,
    rate_per_s: float,
    count: int,
    rng: np.random.Generator,
    spread: float = 2.0,
    day_s: float = DAY_S,
    swing: float = SWING,
) -> Floats:
    """Return sorted arrival times [s].

    Parameters
    ----------
    kind : str
        ``poisson``; ``gamma``, whose gaps have the coefficient of variation `spread` (bursts above 1); ``diurnal``, a
        Poisson stream whose rate swings over a day about its mean, low at its start; ``constant`` gaps.
    rate_per_s : float
        Mean rate [1/s].
    count : int
        Requests.
    rng : Generator
    spread : float
        Coefficient of variation of the gaps of ``gamma``.
    day_s : float
        Length of the day of ``diurnal``: a shorter one is a day in little [s].
    swing : float
        By which share of its mean the rate of ``diurnal`` swings.
    """
    if kind not in ARRIVALS:
        raise DomainError(f"arrivals {kind!r} are not one of {', '.join(ARRIVALS)}{nearest(kind, ARRIVALS)}")
    if not 0.0 < rate_per_s < 1e9:
        raise DomainError(f"rate = {rate_per_s:g}/s, expected above 0 and below 1e9")
    if not 0.0 < spread <= 100.0:
        raise DomainError(f"spread = {spread:g}, expected above 0, at most 100")
    if not 1.0 <= day_s <= 1e9:
        raise DomainError(f"day = {day_s:g} s, expected 1 to 1e9")
    if not 0.0 <= swing <= 1.0:
        raise DomainError(f"swing = {swing:g}, expected 0 to 1")
    if kind == "constant":
        return np.arange(count) / rate_per_s
    if kind == "gamma":
        shape = 1.0 / spread**2
        return np.cumsum(rng.gamma(shape, 1.0 / (shape * rate_per_s), count))
    unit = np.cumsum(rng.exponential(1.0, count)) / rate_per_s  # in a time that runs as fast as the rate
    return unit if kind == "poisson" else _after_midnight(unit, day_s, swing)


def _after_midnight(unit_s: Floats, day_s: float, swing: float) -> Floats:
    """Return when a rate that swings over the day has brought as much as a constant one at the given times."""
    grid_s = np.linspace(0.0, day_s, 2881)
    w = 2.0 * np.pi / day_s
    brought_s = grid_s - swing / w * np.sin(w * grid_s)  # integral of 1 - swing cos: low at midnight, high at noon
    days = np.floor(unit_s / day_s)
    return days * day_s + np.interp(unit_s - days * day_s, brought_s, grid_s)


def open_load(
    count: int,
    rate_per_s: float,
    prompt: str,
    output: str,
    *,
    kind: str = "poisson",
    spread: float = 2.0,
    day_s: float = DAY_S,
    swing: float = SWING,
    seed: int = 0,
) -> Workload:
    """Return requests that come whether or not earlier ones are done; `arrivals` says how."""
    _check(count)
    rng = np.random.default_rng(seed)
    times_s = arrivals(kind, rate_per_s, count, rng, spread, day_s, swing)
    return Workload(f"{kind}, {rate_per_s:g}/s", times_s, lengths(prompt, count, rng), lengths(output, count, rng))


def closed_load(count: int, clients: int, prompt: str, output: str, *, seed: int = 0) -> Workload:
    """Return requests of so many clients, each of which sends the next one when its last is done."""
    _check(count)
    if not 1 <= clients <= 10_000_000:
        raise DomainError(f"clients = {clients}, expected 1 to 10000000")
    rng = np.random.default_rng(seed)
    return Workload(
        f"{clients} clients", np.zeros(count), lengths(prompt, count, rng), lengths(output, count, rng),
        given=min(clients, count), clients=clients,
    )  # fmt: skip


def sessions(
    count: int, rate_per_s: float, prompt: str, output: str, *, turns: int = 5, think_s: float = 10.0,
    shared_tokens: int = 0, block_tokens: int = 16, kind: str = "poisson", day_s: float = DAY_S, swing: float = SWING,
    seed: int = 0,
) -> Workload:  # fmt: skip
    """Return conversations: each turn sends all that was said before, some time after the last answer.

    Parameters
    ----------
    count : int
        Conversations.
    rate_per_s : float
        Of new conversations [1/s].
    prompt, output : str
        Lengths of what is new in a turn, and of its answer.
    turns : int
        Turns of each conversation.
    think_s : float
        Mean time from an answer to the next turn; exponential [s].
    shared_tokens : int
        Tokens that all conversations start with: a system prompt.
    block_tokens : int
        Tokens of the blocks by which prefixes are told apart.
    kind, day_s, swing
        How conversations begin: see `arrivals`.
    """
    _check(count * turns)
    if not 1 <= turns <= 10_000:
        raise DomainError(f"turns = {turns}, expected 1 to 10000")
    if not 0.0 <= think_s < 1e9:
        raise DomainError(f"think time = {think_s:g} s, expected 0 to 1e9")
    if not 0 <= shared_tokens <= 10**9:
        raise DomainError(f"shared tokens = {shared_tokens}, expected 0 to 1e9")
    rng = np.random.default_rng(seed)
    times_s = arrivals(kind, rate_per_s, count, rng, day_s=day_s, swing=swing)
    new = lengths(prompt, count * turns, rng).reshape(turns, count)
    answers = lengths(output, count * turns, rng).reshape(turns, count)
    before = np.cumsum(new + answers, axis=0) - answers  # up to and with what is new in this turn
    total = count * turns
    following = np.full(total, -1, np.int64)
    following[: total - count] = np.arange(count, total)
    body: dict[str, Any] = _conversation_blocks(shared_tokens + before, shared_tokens, block_tokens)
    return Workload(
        f"{count} conversations of {turns} turns", np.concatenate([times_s, np.zeros(total - count)]),
        (shared_tokens + before).reshape(-1), answers.reshape(-1), given=count, following=following,
        delay_s=rng.exponential(think_s, total) if think_s else np.zeros(total),
        session=np.tile(np.arange(count), turns), **body,
    )  # fmt: skip


def _conversation_blocks(prompt: Ints, shared_tokens: int, block_tokens: int) -> dict[str, Any]:
    """Return the full blocks of each prompt: those of the shared beginning alike for all, others by conversation."""
    turns, count = prompt.shape
    full = prompt // block_tokens
    common = shared_tokens // block_tokens
    lengths_of = full.reshape(-1)
    offsets = np.concatenate([[0], np.cumsum(lengths_of)])
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths_of)
    speaker = np.repeat(np.tile(np.arange(count), turns), lengths_of)
    longest = int(full.max(initial=0)) + 1
    ids = np.where(place < common, place, (speaker + 1) * longest + place)
    return {"offsets": offsets, "ids": ids, "block_tokens": block_tokens}


def _check(count: int) -> None:
    if not 1 <= count <= 200_000_000:
        raise DomainError(f"requests = {count}, expected 1 to 200000000")
