"""The two lists of a replica: those that run, by admission, and those that wait, by the policy.

First come, first served waits in a list; a preempted request goes to its front. Other policies wait in a skew heap
(a heap that merges, in two links a request), ordered by their key and then by the request's number. Who leaves while it
waits stays in the list until it comes to its front, but is not counted.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.deployment import FCFS, PRIORITY
from roundtrip.fleet.layout import HANDED, WAITING

FIRST_COME = FCFS
BY_PRIORITY = PRIORITY


@compiled
def join(replica: Any, requests: Any, i: int) -> None:
    """Append to the running list."""
    last = replica["tail"]
    requests[i]["before"] = last
    requests[i]["after"] = -1
    if last >= 0:
        requests[last]["after"] = i
    else:
        replica["head"] = i
    replica["tail"] = i
    replica["running"] += 1


@compiled
def part(replica: Any, requests: Any, i: int) -> None:
    """Take out of the running list."""
    before, after = requests[i]["before"], requests[i]["after"]
    if before >= 0:
        requests[before]["after"] = after
    else:
        replica["head"] = after
    if after >= 0:
        requests[after]["before"] = before
    else:
        replica["tail"] = before
    replica["running"] -= 1


@compiled
def goes_first(fixed: Any, order: int, i: int, j: int) -> bool:
    """Say whether request i is served before j under a policy with a key."""
    if order == BY_PRIORITY:
        a, b = fixed.rank[i], fixed.rank[j]
    else:
        a, b = fixed.prompt[i], fixed.prompt[j]
    return a < b or (a == b and i < j)


@compiled
def wait(fixed: Any, replica: Any, requests: Any, order: int, i: int, at_front: bool) -> None:
    """Put into the waiting list: at its front after a preemption, else by the policy."""
    replica["waiting"] += 1
    requests[i]["before"] = -1
    requests[i]["after"] = -1
    if order != FIRST_COME:
        replica["next"] = merge(fixed, requests, order, replica["next"], i)
        return
    if replica["next"] < 0:
        replica["next"] = i
        replica["last"] = i
    elif at_front:
        requests[i]["after"] = replica["next"]
        replica["next"] = i
    else:
        requests[replica["last"]]["after"] = i
        replica["last"] = i


@compiled
def serve(fixed: Any, replica: Any, requests: Any, more: Any, order: int) -> None:
    """Take the first out of the waiting list."""
    replica["waiting"] -= 1
    drop(fixed, replica, requests, order)
    if more is not None:
        pass_over(fixed, replica, requests, order)


@compiled
def drop(fixed: Any, replica: Any, requests: Any, order: int) -> None:
    """Take the first out of the waiting list, whatever it is."""
    i = replica["next"]
    if order != FIRST_COME:
        replica["next"] = merge(fixed, requests, order, requests[i]["before"], requests[i]["after"])
        return
    replica["next"] = requests[i]["after"]
    if replica["next"] < 0:
        replica["last"] = -1


@compiled
def pass_over(fixed: Any, replica: Any, requests: Any, order: int) -> None:
    """Take those out of the front of the waiting list that have left."""
    while replica["next"] >= 0:
        where = requests[replica["next"]]["state"]
        if where in (WAITING, HANDED):
            return
        drop(fixed, replica, requests, order)


@compiled
def merge(fixed: Any, requests: Any, order: int, a: int, b: int) -> int:
    """Return the root of two skew heaps made one: down their right edges, children swapped."""
    if a < 0:
        return b
    if b < 0:
        return a
    if goes_first(fixed, order, b, a):
        a, b = b, a
    root = a
    while True:
        # a is the smaller root: its old left child becomes the right one, the merged rest the left.
        rest = requests[a]["after"]
        requests[a]["after"] = requests[a]["before"]
        if rest < 0:
            requests[a]["before"] = b
            return root
        if goes_first(fixed, order, b, rest):
            rest, b = b, rest
        requests[a]["before"] = rest
        a = rest
