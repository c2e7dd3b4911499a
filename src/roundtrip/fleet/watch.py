"""Run a cluster again and write down what it did: each plan of steps, and when chosen requests were preempted.

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
from roundtrip.fleet.layout import DONE, EVENTS, WRITING
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
PREEMPTED = np.dtype([("request", "i8"), ("start_s", "f8"), ("end_s", "f8")])
PLANS, BREAKS, OPEN, COUNTS = range(4)


@dataclass(frozen=True, eq=False)
class Log:
    """What was seen.

    Attributes
    ----------
    plans : array of `PLAN`
        In the order in which they ended.
    preempted : array of `PREEMPTED`
        Times in which the chosen requests had lost their pages, up to their next token.
    until_s : float
        Plans that end later were left out; infinite if none was.
    """

    plans: NDArray[np.void]
    preempted: NDArray[np.void]
    until_s: float


def watch(
    found: Records, chosen: Sequence[int] = (), window_s: tuple[float, float] = (0.0, np.inf), most: int = MOST_PLANS
) -> Log:
    """Run again what the records are of, as far as they go.

    Parameters
    ----------
    found : Records
    chosen : sequence of int
        Requests whose preemptions are wanted.
    window_s : tuple of float
        Plans that end before or start after are not wanted [s].
    most : int
        Plans that are kept.
    """
    from roundtrip.fleet.layout import fresh, given

    fixed = given(found.work, found.deployment)
    state = fresh(found.work, found.deployment, fixed)
    plans = np.zeros(most, PLAN)
    which = np.asarray(sorted(set(chosen)), np.int64)
    rows = found.state.requests
    breaks = np.zeros(int(rows["preemptions"][which].sum()), PREEMPTED)
    counts = np.zeros(COUNTS, np.int64)
    seen = np.zeros(len(which), np.int64)
    since_s = np.full(len(which), np.nan)
    left = int(found.state.counters[EVENTS])
    over = False
    while left > 0 and not over:
        step = min(left, SLICE)
        over = bool(look(fixed, state, plans, breaks, counts, which, seen, since_s, window_s[0], window_s[1], step))
        left -= step
    kept = plans[: counts[PLANS]]
    full = counts[PLANS] == most
    return Log(kept, breaks[: counts[BREAKS]], float(kept["end_s"][-1]) if full else np.inf)


@compiled
def look(
    fixed: Any, state: Any, plans: Any, breaks: Any, counts: Any, which: Any, seen: Any, since_s: Any, from_s: float,
    to_s: float, limit: int,
) -> bool:  # fmt: skip
    """Handle up to `limit` events one by one and note what they end; say whether nothing more is to come or wanted."""
    for _ in range(limit):
        k = state.plan_items[0]
        replica = state.replicas[k]
        step, preemptions = replica["step"], replica["preemptions"]
        start_s, end_s, added_s = replica["now_s"], replica["until_s"], replica["added_s"]
        writing, tokens = replica["writing"], replica["tokens"]
        over = advance(fixed, state, 1)
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
        if len(which) > 0 and (counts[OPEN] > 0 or replica["preemptions"] > preemptions):
            note_breaks(state, breaks, counts, which, seen, since_s, k)
        if over or (counts[PLANS] == len(plans) and counts[BREAKS] == len(breaks)):
            return True
    return False


@compiled
def note_breaks(state: Any, breaks: Any, counts: Any, which: Any, seen: Any, since_s: Any, k: int) -> None:
    """Note which of the chosen requests of a replica lost their pages, and which have their next token."""
    now_s = state.replicas[k]["now_s"]
    for j in range(len(which)):
        request = state.requests[which[j]]
        if request["replica"] != k:
            continue
        again = request["preemptions"] > seen[j]
        back = request["state"] == WRITING or request["state"] == DONE
        if not np.isnan(since_s[j]) and (again or back):
            row = breaks[counts[BREAKS]]
            row["request"] = which[j]
            row["start_s"] = since_s[j]
            row["end_s"] = now_s
            counts[BREAKS] += 1
            counts[OPEN] -= 1
            since_s[j] = np.nan
        if again:
            seen[j] = request["preemptions"]
            since_s[j] = now_s
            counts[OPEN] += 1
