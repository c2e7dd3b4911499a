"""Run a cluster again and write down what it did: each plan of steps, and when chosen requests were out of the steps.

The event loop keeps no history: a run of ten million requests needs none. Who wants to look runs it a second time,
which gives the same to the last bit, and looks at the replica that is next in line before and after each event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.events import advance
from roundtrip.fleet.layout import EVENTS, LOST, NOTHING, PREEMPTED, SENT, SWAPPED
from roundtrip.fleet.records import Records

MOST_PLANS = 50_000
SLICE = 100_000  # events between two looks at the keyboard

# One plan: some steps of a replica in which the same requests write, or one step that reads prompts too; no step where
# a replica wakes up.
PLAN = np.dtype(
    [
        ("replica", "i8"),
        ("start_s", "f8"),
        ("end_s", "f8"),
        ("added_s", "f8"),  # what prompts add to it, for those that write
        ("steps", "i8"),
        ("writing", "i8"),
        ("tokens", "i8"),  # of prompts that are read
        ("running", "i8"),  # after it, when the next is made; as all that follows
        ("waiting", "i8"),
        ("pages", "i8"),  # that are not free
    ]
)
BREAK = np.dtype([("request", "i8"), ("cause", "i8"), ("start_s", "f8"), ("end_s", "f8")])
# What took a request out of the steps, as the causes of `roundtrip.fleet.records` are called.
BREAK_CAUSES = {PREEMPTED: "preemption", SWAPPED: "swap", SENT: "transfer", LOST: "failure"}
PLANS, BREAKS, COUNTS = range(3)
ROOM = 8  # breaks of a request beside those that are counted


@dataclass(frozen=True, eq=False)
class Log:
    """What was seen.

    Attributes
    ----------
    plans : array of `PLAN`
        In the order in which they ended; one that a failure cuts off is not among them.
    breaks : array of `BREAK`
        Times in which the chosen requests were out of the steps, up to their next token, and why.
    until_s : float
        Plans that end later were left out; infinite if none was.
    """

    plans: NDArray[np.void]
    breaks: NDArray[np.void]
    until_s: float


def watch(
    found: Records, chosen: Sequence[int] = (), window_s: tuple[float, float] = (0.0, np.inf), most: int = MOST_PLANS
) -> Log:
    """Run again what the records are of, as far as they go.

    Parameters
    ----------
    found : Records
    chosen : sequence of int
        Requests whose breaks are wanted.
    window_s : tuple of float
        Plans that end before or start after are not wanted [s].
    most : int
        Plans that are kept.
    """
    from roundtrip.fleet.layout import fresh, given

    fixed = given(found.work, found.deployment)
    state = fresh(found.work, found.deployment, fixed)
    more = state.more if len(state.more) else None
    plans = np.zeros(most, PLAN)
    which = np.asarray(sorted(set(chosen)), np.int64)
    retries = int(found.state.more["retries"][which].sum()) if more is not None else 0
    room = int(found.state.requests["preemptions"][which].sum()) + retries + ROOM * len(which)
    breaks = np.zeros(room if len(which) else 0, BREAK)
    counts = np.zeros(COUNTS, np.int64)
    since_s = np.full(len(which), np.nan)
    why = np.zeros(len(which), np.int64)
    sums_s = np.zeros((len(which), len(BREAK_CAUSES) + 1))
    left = int(found.state.counters[EVENTS])
    over = False
    while left > 0 and not over:
        step = min(left, SLICE)
        over = bool(
            look(fixed, state, more, plans, breaks, counts, which, since_s, why, sums_s, window_s[0], window_s[1], step)
        )
        left -= step
    kept = plans[: counts[PLANS]]
    full = counts[PLANS] == most
    return Log(kept, breaks[: counts[BREAKS]], float(kept["end_s"][-1]) if full else np.inf)


@compiled
def look(
    fixed: Any, state: Any, more: Any, plans: Any, breaks: Any, counts: Any, which: Any, since_s: Any, why: Any,
    sums_s: Any, from_s: float, to_s: float, limit: int,
) -> bool:  # fmt: skip
    """Handle up to `limit` events one by one and note what they end; say whether nothing more is to come or wanted."""
    for _ in range(limit):
        k = state.plan_items[0]
        replica = state.replicas[k]
        step = replica["step"]
        start_s, end_s, added_s = replica["now_s"], replica["until_s"], replica["added_s"]
        writing, tokens = replica["writing"], replica["tokens"]
        over = advance(fixed, state, more, 1)
        ended = replica["now_s"] == end_s and (end_s > start_s or replica["until_s"] > end_s)
        if ended and end_s >= from_s and start_s < to_s and counts[PLANS] < len(plans):
            row = plans[counts[PLANS]]
            row["replica"] = k
            row["start_s"] = start_s
            row["end_s"] = end_s
            row["added_s"] = added_s
            row["steps"] = replica["step"] - step
            row["writing"] = writing
            row["tokens"] = tokens
            row["running"] = replica["running"]
            row["waiting"] = replica["waiting"]
            row["pages"] = replica["pages"] - replica["free"]
            counts[PLANS] += 1
        gone = note_breaks(state, more, breaks, counts, which, since_s, why, sums_s)
        if over or (counts[PLANS] == len(plans) and gone):
            return True
    return False


@compiled
def note_breaks(
    state: Any, more: Any, breaks: Any, counts: Any, which: Any, since_s: Any, why: Any, sums_s: Any
) -> bool:
    """Note which of the chosen requests left the steps or came back, and say whether all of them are gone.

    How long a break was is what its cause took of the request since.
    """
    gone = True
    for j in range(len(which)):
        i = which[j]
        request = state.requests[i]
        if np.isnan(request["last_s"]):
            gone = False
        if why[j] != NOTHING and (request["cause"] != why[j] or request["mark_s"] != since_s[j]):
            sum_s = taken(request, more, i, why[j])
            if counts[BREAKS] < len(breaks):
                row = breaks[counts[BREAKS]]
                row["request"] = i
                row["cause"] = why[j]
                row["start_s"] = since_s[j]
                row["end_s"] = since_s[j] + (sum_s - sums_s[j, why[j]])
                counts[BREAKS] += 1
            why[j] = NOTHING
        if request["cause"] != NOTHING and why[j] == NOTHING:
            why[j] = request["cause"]
            since_s[j] = request["mark_s"]
            sums_s[j, why[j]] = taken(request, more, i, why[j])
    return gone


@compiled
def taken(request: Any, more: Any, i: int, cause: int) -> float:
    """Return what a cause has taken of a request so far [s]."""
    if more is not None:
        if cause == SWAPPED:
            return more[i]["swap_s"]
        if cause == SENT:
            return more[i]["transfer_s"]
        if cause == LOST:
            return more[i]["failed_s"]
    return request["lost_s"]
