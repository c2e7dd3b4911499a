"""A request is given to a replica, or leaves for good; a replica that can do something new is woken.

While no replica of its stage is up, a request waits before the router, in the order in which it came there; where none
will ever be up again, it fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.compiled import compiled, merged
from roundtrip.fleet.heap import change, push
from roundtrip.fleet.layout import (
    ALARMS,
    BUDGET,
    CANCELED,
    CHUNKED,
    CLIENTS,
    FAILED,
    FAULT,
    GROWTH,
    HANDED,
    LEFT_COUNT,
    LOBBY,
    LOBBY_HEAD,
    LOBBY_TAIL,
    LOOKAHEAD,
    ORDER,
    PAGE,
    PERIOD_S,
    POOL,
    QUEUE_LIMIT,
    REFUSED,
    REFUSED_COUNT,
    RTT_S,
    SEQUENCES,
    SPAWNED,
    SPLIT,
    WAITING,
    WIDTH,
)  # fmt: skip
from roundtrip.fleet.route import route
from roundtrip.fleet.speculate import ONE, SHIFT
from roundtrip.fleet.spend import end_after, free_for_good, steps_begun
from roundtrip.fleet.waiting import FIRST_COME, wait


@compiled
def ring_at(state: Any, at_s: float, item: int) -> None:
    """Set an alarm."""
    push(state.alarm_keys, state.alarm_items, state.alarm_place, state.counters[ALARMS], at_s, item)
    state.counters[ALARMS] += 1


@merged
def send(fixed: Any, state: Any, more: Any, i: int, now_s: float, stage: int, is_new: bool) -> None:
    """Give a request to a replica of a stage: 0 reads prompts (and writes, where replicas do both), 1 writes."""
    policy = fixed.policy
    request = state.requests[i]
    k = route(fixed, state, i, now_s, stage)
    request["replica"] = k
    if more is not None and k < 0:
        if can_recover(fixed, state, stage):
            enter_lobby(state, more, i)
        else:
            drop_out(fixed, state, more, i, now_s)
        return
    replica = state.replicas[k]
    work = fixed.prompt[i] + fixed.output[i]
    most = work - 1
    if len(fixed.most) > 0:
        most = fixed.most[i]
    too_large = -(-most // policy[PAGE]) > replica["pages"]
    too_long = policy[CHUNKED] == 0 and most > policy[BUDGET]
    full = is_new and policy[QUEUE_LIMIT] > 0 and replica["waiting"] >= policy[QUEUE_LIMIT]
    if too_large or too_long or full:
        if more is not None and not is_new:
            drop_out(fixed, state, more, i, now_s)
            return
        request["state"] = REFUSED
        state.counters[REFUSED_COUNT] += 1
        let_follow(fixed, state, i, now_s + fixed.numbers[RTT_S])
        return
    if stage == 0:
        request["state"] = WAITING
    request["seen_s"] = now_s
    if replica["plan"] > 0 and replica["until_s"] < np.inf:
        request["seen_s"] = end_after(replica, steps_begun(replica, now_s))
    replica["requests"] += 1
    replica["work"] += work
    was_empty = replica["waiting"] == 0
    wait(fixed, replica, state.requests, policy[ORDER], i, False)
    may_start = was_empty or (policy[ORDER] != FIRST_COME and replica["next"] == i)
    wake(fixed, state, k, now_s, may_start, policy[LOOKAHEAD] if stage == 0 else 0)


@compiled
def send_on(fixed: Any, state: Any, more: Any, i: int, now_s: float, stage: int) -> None:
    """Give a request that has been somewhere to a replica: seldom enough to be code of its own."""
    send(fixed, state, more, i, now_s, stage, False)


@compiled
def wake(fixed: Any, state: Any, k: int, now_s: float, may_start: bool, further: int) -> None:
    """Let a replica plan now if it is idle, or after its running step if someone may start who could not before.

    Parameters
    ----------
    further : int
        Steps after the running one that are planned already.
    """
    replica = state.replicas[k]
    policy = fixed.policy
    if replica["until_s"] == np.inf:
        replica["now_s"] = now_s
        replica["until_s"] = now_s
        replica["plan"] = 0
        replica["paid"] = 0
        replica["added_s"] = 0.0
        replica["moving_s"] = 0.0
        replica["tokens"] = 0
        plan_at(state, k)
    elif (
        may_start
        and replica["plan"] > 1
        and replica["running"] < policy[SEQUENCES]
        and replica["writing"] * policy[WIDTH] < policy[BUDGET]
    ):
        cut(state, k, now_s, further)


@compiled
def cut(state: Any, k: int, now_s: float, further: int) -> None:
    """End the plan of a replica with its running step, or so many steps further."""
    replica = state.replicas[k]
    if replica["plan"] <= 1:
        return
    steps = steps_begun(replica, now_s) + further
    if steps < replica["plan"]:
        replica["plan"] = steps
        replica["until_s"] = end_after(replica, steps)
        plan_at(state, k)


@compiled
def plan_at(state: Any, k: int) -> None:
    """Put the end of a replica's plan in its place among all plans."""
    replicas = state.replicas
    change(state.plan_keys, state.plan_items, replicas["place"], len(replicas), replicas[k]["place"],
           replicas[k]["until_s"])  # fmt: skip


@compiled
def can_recover(fixed: Any, state: Any, stage: int) -> bool:
    """Say whether a replica of a stage will be up again."""
    if fixed.numbers[PERIOD_S] < np.inf:
        return True
    split = fixed.policy[SPLIT]
    for n in range(state.counters[FAULT], len(fixed.fault_s)):
        if fixed.fault_up[n] > 0 and (split == 0 or (fixed.fault_replica[n] >= split) == (stage == 1)):
            return True
    return False


@compiled
def enter_lobby(state: Any, more: Any, i: int) -> None:
    """Let a request wait before the router."""
    counters = state.counters
    if state.requests[i]["state"] != HANDED:
        state.requests[i]["state"] = WAITING
    more[i]["link"] = -1
    if counters[LOBBY_HEAD] < 0:
        counters[LOBBY_HEAD] = i
    else:
        more[counters[LOBBY_TAIL]]["link"] = i
    counters[LOBBY_TAIL] = i
    counters[LOBBY] += 1


@compiled
def drop_out(fixed: Any, state: Any, more: Any, i: int, now_s: float) -> None:
    """Let a request fail that no replica has in its lists."""
    if state.requests[i]["state"] == HANDED:
        release_source(fixed, state, more, i, now_s)
    leave_for_good(fixed, state, more, i, FAILED, now_s)


@compiled
def leave_for_good(fixed: Any, state: Any, more: Any, i: int, code: int, now_s: float) -> None:
    """Let a request end without its last token."""
    state.requests[i]["state"] = code
    say_goodbye(fixed, state, more, i, code, now_s)


@compiled
def say_goodbye(fixed: Any, state: Any, more: Any, i: int, code: int, now_s: float) -> None:
    """Count a request that leaves, though its place in a step may be free only later."""
    more[i]["left_s"] = now_s
    state.counters[LEFT_COUNT] += 1
    let_follow(fixed, state, i, now_s if code == CANCELED else now_s + fixed.numbers[RTT_S])


@compiled
def let_follow(fixed: Any, state: Any, i: int, heard_s: float) -> None:
    """Release the request that waits for this one: the next of the session, or of the clients' common list.

    Parameters
    ----------
    heard_s : float
        When the client knows of the end [s].
    """
    counters = state.counters
    j = -1
    if len(fixed.following) > 0:
        j = fixed.following[i]
    elif fixed.policy[CLIENTS] > 0 and counters[POOL] < len(state.requests):
        j = counters[POOL]
        counters[POOL] += 1
    if j >= 0:
        at_s = heard_s + (fixed.delay_s[j] if len(fixed.delay_s) > 0 else 0.0)
        push(state.late_keys, state.late_items, state.late_place, counters[SPAWNED], at_s, j)
        counters[SPAWNED] += 1


@compiled
def reserved(fixed: Any, kept: int) -> int:
    """Return the pages that a request takes where it will write: those of its cache, and of what its next step adds."""
    return -(-(kept + ((fixed.policy[GROWTH] + ONE - 1) >> SHIFT)) // fixed.policy[PAGE])


@compiled
def release_source(fixed: Any, state: Any, more: Any, i: int, now_s: float) -> None:
    """Free the pages of a request at the replica that read its prompt."""
    k = more[i]["source"]
    more[i]["source"] = -1
    state.replicas[k]["handed"] -= 1
    free_for_good(fixed, state, k, i, more[i]["kept"])
    wake(fixed, state, k, now_s, True, 0)
