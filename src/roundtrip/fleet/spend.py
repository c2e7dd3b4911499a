"""What a plan of steps takes: its time up to any of its steps, and the pages of the cache up to any of its steps.

Those that write need a page where their context is a whole number of pages. A request's context is its base and what
contexts grew by on the replica (its steps, or more where tokens are guessed), so the counts of bases by residue say who
needs one at any token; a round as long as a page brings one for each.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.layout import GROWTH, NODES, PAGE
from roundtrip.fleet.pages import give_up, leave, path_pages, take
from roundtrip.fleet.speculate import grown, steps_within

SAME_S = 1e-9  # an arrival so soon after the end of a step is seen by the next one


@compiled
def end_after(replica: Any, steps: int) -> float:
    """Return when so many steps of the plan are done."""
    return replica["now_s"] + (steps * replica["step_s"] + replica["growth_s"] * (0.5 * steps * (steps - 1.0)))


@compiled
def steps_begun(replica: Any, now_s: float) -> int:
    """Return the steps of the plan of which the last is running: the fewest that end after an arrival, at least one."""
    low, high = 1, replica["plan"]
    while low < high:
        middle = (low + high) >> 1
        if end_after(replica, middle) >= now_s - SAME_S:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def steps_done(replica: Any, now_s: float) -> int:
    """Return the steps of the plan that are done when something breaks it off: the most that end by then."""
    low, high = 0, replica["plan"]
    while low < high:
        middle = (low + high + 1) >> 1
        if end_after(replica, middle) <= now_s:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def pages_of(residues: Any, writing: int, at: int, tokens: int, page: int) -> int:
    """Return the pages that so many tokens more of each need: each round of a page's length needs one for all.

    Parameters
    ----------
    at : int
        What contexts have grown by before.
    """
    rounds = tokens // page
    total = rounds * writing
    residue = -at % page
    for _ in range(tokens - rounds * page):
        total += residues[residue]
        residue -= 1
        if residue < 0:
            residue = page - 1
    return total


@compiled
def steps_with(residues: Any, writing: int, step: int, free: int, page: int, growth: int, most: int) -> int:
    """Return how many steps, at most `most`, the free pages last."""
    at = grown(step, growth)
    wanted = grown(step + most, growth) - at
    rounds = free // writing
    tokens = rounds * page
    if tokens >= wanted:
        return most
    left = free - rounds * writing
    residue = -at % page
    while tokens < wanted:
        left -= residues[residue]
        if left < 0:
            break
        tokens += 1
        residue -= 1
        if residue < 0:
            residue = page - 1
    return min(steps_within(step, tokens, growth), most)


@compiled
def pages_ahead(fixed: Any, state: Any, k: int, done: int, steps: int) -> int:
    """Return the pages that the plan's steps from `done` to `steps` need."""
    replica = state.replicas[k]
    growth = fixed.policy[GROWTH]
    at = grown(replica["step"] + done, growth)
    tokens = grown(replica["step"] + steps, growth) - at
    if tokens == 1:
        return state.residues[k, -at % fixed.policy[PAGE]]
    return pages_of(state.residues[k], replica["writing"], at, tokens, fixed.policy[PAGE])


@compiled
def empty_run(fixed: Any, state: Any, k: int) -> int:
    """Return the run of a replica's pages that hold nothing."""
    return len(state.replicas) * fixed.policy[NODES] + len(state.requests) + k


@compiled
def take_pages(fixed: Any, state: Any, k: int, pages: int) -> None:
    """Take free pages of a replica."""
    replica = state.replicas[k]
    if pages == 0:
        return
    if replica["caching"] > 0:
        take(replica, state.runs, pages, empty_run(fixed, state, k))
    else:
        replica["free"] -= pages


@compiled
def return_pages(fixed: Any, state: Any, k: int, pages: int) -> None:
    """Return pages that hold nothing that could be found again: they are the first to be taken."""
    replica = state.replicas[k]
    if pages == 0:
        return
    if replica["caching"] > 0:
        give_up(replica, state.runs, empty_run(fixed, state, k), pages)
    else:
        replica["free"] += pages


@compiled
def free_pages(fixed: Any, state: Any, k: int, i: int, tokens: int, stays: bool) -> None:
    """Return the pages of a request that has so many tokens in the cache."""
    replica = state.replicas[k]
    policy = fixed.policy
    if replica["caching"] > 0:
        nodes = policy[NODES]
        own = len(state.replicas) * nodes + i
        leave(fixed, replica, state.runs, k * nodes, own, empty_run(fixed, state, k), i, tokens, policy[PAGE], stays)
    else:
        replica["free"] += -(-tokens // policy[PAGE])


@compiled
def free_for_good(fixed: Any, state: Any, k: int, i: int, tokens: int) -> None:
    """Return the pages of a request that goes on elsewhere: only its prefix can be found here again."""
    replica = state.replicas[k]
    page = fixed.policy[PAGE]
    if replica["caching"] > 0:
        prefix = path_pages(fixed, i)
        return_pages(fixed, state, k, -(-tokens // page) - prefix)
        free_pages(fixed, state, k, i, prefix * page, False)
    else:
        replica["free"] += -(-tokens // page)


@compiled
def pay(fixed: Any, state: Any, k: int, steps: int) -> None:
    """Take the pages of the plan's steps up to `steps`, if they are not taken yet."""
    replica = state.replicas[k]
    if steps <= replica["paid"]:
        return
    pages = pages_ahead(fixed, state, k, replica["paid"], steps)
    replica["paid"] = steps
    take_pages(fixed, state, k, pages)
