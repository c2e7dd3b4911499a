"""What a plan of steps takes: its time up to any of its steps, and the pages of the cache up to any of its steps.

Those that write need a page where their context is a whole number of pages. A request's context is its base and the
steps of the replica, so the counts of bases by residue say who needs one at any step; a round as long as a page brings
one for each.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.layout import CACHING, NODES, PAGE
from roundtrip.fleet.pages import give_up, leave, take

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
def pages_of(residues: Any, writing: int, step: int, steps: int, page: int) -> int:
    """Return the pages that so many steps need after the `step`-th: each round of a page's length needs one for all."""
    rounds = steps // page
    total = rounds * writing
    for s in range(step + rounds * page, step + steps):
        total += residues[-s % page]
    return total


@compiled
def steps_with(residues: Any, writing: int, step: int, free: int, page: int, most: int) -> int:
    """Return how many steps, at most `most`, the free pages last."""
    rounds = free // writing
    steps = rounds * page
    if steps >= most:
        return most
    left = free - rounds * writing
    while steps < most:
        left -= residues[-(step + steps) % page]
        if left < 0:
            break
        steps += 1
    return steps


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
    if fixed.policy[CACHING]:
        take(replica, state.runs, pages, empty_run(fixed, state, k))
    else:
        replica["free"] -= pages


@compiled
def return_page(fixed: Any, state: Any, k: int) -> None:
    """Return a page that was taken and not written to."""
    replica = state.replicas[k]
    if fixed.policy[CACHING]:
        give_up(replica, state.runs, empty_run(fixed, state, k))
    else:
        replica["free"] += 1


@compiled
def free_pages(fixed: Any, state: Any, k: int, i: int, tokens: int, stays: bool) -> None:
    """Return the pages of a request that has so many tokens in the cache."""
    replica = state.replicas[k]
    policy = fixed.policy
    if policy[CACHING]:
        nodes = policy[NODES]
        own = len(state.replicas) * nodes + i
        leave(fixed, replica, state.runs, k * nodes, own, empty_run(fixed, state, k), i, tokens, policy[PAGE], stays)
    else:
        replica["free"] += -(-tokens // policy[PAGE])


@compiled
def pay(fixed: Any, state: Any, k: int, steps: int) -> None:
    """Take the pages of the plan's steps up to `steps`, if they are not taken yet."""
    replica = state.replicas[k]
    page = fixed.policy[PAGE]
    count = steps - replica["paid"]
    if count <= 0:
        return
    pages = pages_of(state.residues[k], replica["writing"], replica["step"] + replica["paid"], count, page)
    replica["paid"] = steps
    take_pages(fixed, state, k, pages)
