"""A replica goes down and comes up again: the running step is lost, and all that its memory held.

Its requests go to other replicas, which compute prompt and answer so far anew, or they fail with it. A request whose
cache lies at a replica that reads prompts waits for another that writes; one that was to be sent from a replica that
fails is read anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.give import drop_out, plan_at, release_source, reserved, ring_at, send_on, wake
from roundtrip.fleet.heap import remove
from roundtrip.fleet.layout import (
    ALARMS,
    FAULT,
    FIRST_POOL,
    HANDED,
    LOBBY,
    LOBBY_HEAD,
    LOBBY_TAIL,
    LOST,
    NODES,
    NOTHING,
    ORDER,
    PERIOD_S,
    READY,
    RETRY,
    SECOND_POOL,
    SPLIT,
    WAITING,
    WRITING,
)  # fmt: skip
from roundtrip.fleet.pages import forget
from roundtrip.fleet.series import note
from roundtrip.fleet.spend import empty_run, return_pages, steps_done
from roundtrip.fleet.transfer import stop_moving
from roundtrip.fleet.turns import break_off, settle
from roundtrip.fleet.waiting import drop, part, wait


@compiled
def next_fault(fixed: Any, state: Any, more: Any, now_s: float) -> None:
    """Handle the change that is due, and set the alarm of the one after it."""
    n = state.counters[FAULT]
    state.counters[FAULT] += 1
    count = len(fixed.fault_s)
    following = n + 1
    if following < count or fixed.numbers[PERIOD_S] < np.inf:
        at_s = fixed.fault_s[following % count]
        if following >= count:
            at_s += (following // count) * fixed.numbers[PERIOD_S]
        ring_at(state, at_s, 2 * len(state.requests))
    k = fixed.fault_replica[n % count]
    if fixed.fault_up[n % count] > 0:
        go_up(fixed, state, more, k, now_s)
    else:
        go_down(fixed, state, more, k, now_s)


@compiled
def go_down(fixed: Any, state: Any, more: Any, k: int, now_s: float) -> None:
    """Break off the running step, empty the replica, and send its requests elsewhere or let them fail."""
    replica = state.replicas[k]
    requests = state.requests
    replica["alive"] = 0
    replica["failures"] += 1
    replica["down_s"] -= now_s  # with the time at which it comes up added, how long it was down
    leave_pool(fixed, state, k)
    if replica["until_s"] < np.inf:
        steps = steps_done(replica, now_s)
        replica["tokens"] = 0
        note(state, replica, now_s, replica["writing"], steps)
        replica["step"] += steps
        replica["written"] += replica["writing"] * steps
    first, last = -1, -1
    i = replica["head"]
    while i >= 0:
        following = int(requests[i]["after"])
        if requests[i]["state"] == WRITING:
            break_off(fixed, state, more, k, i)
        elif requests[i]["cause"] != NOTHING:
            settle(state, more, i, now_s)
        if more[i]["quits"] > 0:
            requests[i]["state"] = more[i]["quits"]
        else:
            lose(state, more, i, now_s)
            first, last = chain(more, first, last, i)
        i = following
    i = replica["ready"]
    while i >= 0:
        following = int(requests[i]["after"])
        if requests[i]["state"] == READY:  # else it has left
            settle(state, more, i, now_s)
            lose(state, more, i, now_s)
            first, last = chain(more, first, last, i)
        i = following
    while replica["moving_head"] >= 0:
        i = replica["moving_head"]
        stop_moving(state, k, i)
        silence(state, len(requests) + i)
        if more[i]["quits"] > 0:
            release_source(fixed, state, more, i, now_s)
            requests[i]["state"] = more[i]["quits"]
        else:
            requests[i]["state"] = HANDED
            first, last = chain(more, first, last, i)
    while replica["next"] >= 0:
        i = replica["next"]
        drop(fixed, replica, requests, fixed.policy[ORDER])
        where = requests[i]["state"]
        if where == WAITING:
            if not np.isnan(requests[i]["started_s"]):
                if requests[i]["cause"] != NOTHING:
                    settle(state, more, i, now_s)
                lose(state, more, i, now_s)
        elif where != HANDED:
            continue
        first, last = chain(more, first, last, i)
    if fixed.policy[SPLIT] > k:
        first, last = recall(fixed, state, more, k, now_s, first, last)
    reset(fixed, state, k)
    while first >= 0:
        i = first
        first = more[i]["link"]
        if fixed.policy[RETRY] == 0:
            drop_out(fixed, state, more, i, now_s)
        else:
            more[i]["retries"] += 1
            send_on(fixed, state, more, i, now_s, 1 if requests[i]["state"] == HANDED else 0)


@compiled
def lose(state: Any, more: Any, i: int, now_s: float) -> None:
    """Let a request that had started be computed anew elsewhere."""
    request = state.requests[i]
    request["cause"] = LOST
    request["mark_s"] = now_s
    request["state"] = WAITING
    more[i]["kept"] = 0
    more[i]["source"] = -1


@compiled
def chain(more: Any, first: int, last: int, i: int) -> tuple[int, int]:
    """Append to the chain of those that look for another replica, and return its ends."""
    more[i]["link"] = -1
    if last >= 0:
        more[last]["link"] = i
        return first, i
    return i, i


@compiled
def recall(fixed: Any, state: Any, more: Any, k: int, now_s: float, first: int, last: int) -> tuple[int, int]:
    """Call back those whose cache was to be sent from a replica that fails, from all places where they may be."""
    requests = state.requests
    for other in range(fixed.policy[SPLIT], len(state.replicas)):
        replica = state.replicas[other]
        freed = False
        i = replica["moving_head"]
        while i >= 0:
            following = int(requests[i]["after"])
            if more[i]["source"] == k:
                stop_moving(state, other, i)
                silence(state, len(requests) + i)
                return_pages(fixed, state, other, reserved(fixed, more[i]["kept"]))
                replica["requests"] -= 1
                replica["work"] -= fixed.prompt[i] + fixed.output[i]
                freed = True
                settle(state, more, i, now_s)
                more[i]["source"] = -1
                if more[i]["quits"] > 0:
                    requests[i]["state"] = more[i]["quits"]
                else:
                    lose(state, more, i, now_s)
                    first, last = chain(more, first, last, i)
            i = following
        stays, stays_last = -1, -1
        while replica["next"] >= 0:
            i = replica["next"]
            drop(fixed, replica, requests, fixed.policy[ORDER])
            where = requests[i]["state"]
            if where == HANDED and more[i]["source"] == k:
                replica["requests"] -= 1
                replica["work"] -= fixed.prompt[i] + fixed.output[i]
                replica["waiting"] -= 1
                freed = True
                settle(state, more, i, now_s)
                lose(state, more, i, now_s)
                first, last = chain(more, first, last, i)
            elif where in (WAITING, HANDED):
                stays, stays_last = chain(more, stays, stays_last, i)
        while stays >= 0:
            i = stays
            stays = more[i]["link"]
            replica["waiting"] -= 1
            wait(fixed, replica, requests, fixed.policy[ORDER], i, False)
        if freed and replica["alive"] > 0:
            wake(fixed, state, other, now_s, True, 0)
    return recall_lobby(state, more, k, now_s, first, last)


@compiled
def recall_lobby(state: Any, more: Any, k: int, now_s: float, first: int, last: int) -> tuple[int, int]:
    """Call back those before the router whose cache lies at a replica that fails."""
    counters, requests = state.counters, state.requests
    i = counters[LOBBY_HEAD]
    stays, stays_last = -1, -1
    while i >= 0:
        following = more[i]["link"]
        where = requests[i]["state"]
        if where == HANDED and more[i]["source"] == k:
            counters[LOBBY] -= 1
            settle(state, more, i, now_s)
            lose(state, more, i, now_s)
            first, last = chain(more, first, last, i)
        elif where in (WAITING, HANDED):
            stays, stays_last = chain(more, stays, stays_last, i)
        i = following
    counters[LOBBY_HEAD] = stays
    counters[LOBBY_TAIL] = stays_last
    return first, last


@compiled
def reset(fixed: Any, state: Any, k: int) -> None:
    """Leave a replica with an empty memory and nothing to do."""
    replica = state.replicas[k]
    while replica["head"] >= 0:
        part(replica, state.requests, replica["head"])
    replica["until_s"] = np.inf
    replica["plan"] = 0
    replica["paid"] = 0
    replica["tokens"] = 0
    replica["added_s"] = 0.0
    replica["moving_s"] = 0.0
    replica["waiting"] = 0
    replica["requests"] = 0
    replica["work"] = 0
    replica["handed"] = 0
    replica["reading"] = -1
    replica["ending"] = -1
    replica["leaving"] = -1
    replica["ready"] = -1
    replica["next"] = -1
    replica["last"] = -1
    replica["free"] = replica["pages"]
    plan_at(state, k)
    if replica["caching"] > 0:
        nodes = fixed.policy[NODES]
        forget(replica, state.runs, empty_run(fixed, state, k))
        for run in range(k * nodes, (k + 1) * nodes):
            state.runs[run]["present"] = 0
            state.runs[run]["refs"] = 0
            state.runs[run]["older"] = -1
            state.runs[run]["younger"] = -1


@compiled
def silence(state: Any, item: int) -> None:
    """Take back an alarm."""
    remove(state.alarm_keys, state.alarm_items, state.alarm_place, state.counters[ALARMS], state.alarm_place[item])
    state.counters[ALARMS] -= 1


@compiled
def leave_pool(fixed: Any, state: Any, k: int) -> None:
    """Take a replica out of those that the router knows."""
    split = fixed.policy[SPLIT]
    stage = 1 if split > 0 and k >= split else 0
    counter = FIRST_POOL if stage == 0 else SECOND_POOL
    pool = state.pools[stage]
    state.counters[counter] -= 1
    at = 0
    while pool[at] != k:
        at += 1
    for after in range(at, state.counters[counter]):
        pool[after] = pool[after + 1]


@compiled
def go_up(fixed: Any, state: Any, more: Any, k: int, now_s: float) -> None:
    """Let the router know a replica again, and those that wait before it go on."""
    replica = state.replicas[k]
    counters = state.counters
    replica["alive"] = 1
    replica["down_s"] += now_s
    replica["link_s"] = 0.0
    split = fixed.policy[SPLIT]
    stage = 1 if split > 0 and k >= split else 0
    counter = FIRST_POOL if stage == 0 else SECOND_POOL
    pool = state.pools[stage]
    at = counters[counter]
    while at > 0 and pool[at - 1] > k:
        pool[at] = pool[at - 1]
        at -= 1
    pool[at] = k
    counters[counter] += 1
    i = counters[LOBBY_HEAD]
    counters[LOBBY_HEAD] = -1
    counters[LOBBY_TAIL] = -1
    counters[LOBBY] = 0
    while i >= 0:
        following = more[i]["link"]
        where = state.requests[i]["state"]
        if where in (WAITING, HANDED):
            send_on(fixed, state, more, i, now_s, 1 if where == HANDED else 0)
        i = following
