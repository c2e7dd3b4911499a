"""The event loop: a run from arrival to arrival and from plan to plan, never from token to token.

A replica plans steps and tells when they end. A step that reads a prompt is a plan of its own. Steps that only write
are planned together: until a request ends, the pages run out or the step time bends; a request that arrives and could
start cuts the plan at the end of the running step. What else comes at a time (a client hangs up, a cache has been sent,
a replica fails) is an alarm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.compiled import compiled, merged
from roundtrip.fleet.fail import next_fault
from roundtrip.fleet.give import let_follow, plan_at, ring_at, send
from roundtrip.fleet.heap import change, remove
from roundtrip.fleet.lapse import lapse, let_leave, quit_step
from roundtrip.fleet.layout import (
    ALARMS,
    COMING,
    DONE,
    DONE_COUNT,
    EVENTS,
    GIVEN,
    LOBBY,
    NEXT,
    NOTHING,
    RTT_S,
    SPAWNED,
    STUCK,
)  # fmt: skip
from roundtrip.fleet.ledger import book
from roundtrip.fleet.plan import plan
from roundtrip.fleet.series import note
from roundtrip.fleet.spend import SAME_S, free_pages, pay
from roundtrip.fleet.transfer import come_over, hand_over
from roundtrip.fleet.turns import begin_writing, settle, stop_writing
from roundtrip.fleet.waiting import part


@compiled
def advance(fixed: Any, state: Any, more: Any, limit: int) -> bool:
    """Handle up to `limit` events; say whether the run is over."""
    counters = state.counters
    given = fixed.policy[GIVEN]
    for _ in range(limit):
        arrival_s = np.inf
        i = -1
        if counters[NEXT] < given:
            i = counters[NEXT]
            arrival_s = fixed.arrival_s[i]
        late = False
        if counters[SPAWNED] > 0 and state.late_keys[0] < arrival_s:
            late = True
            i = state.late_items[0]
            arrival_s = state.late_keys[0]
        k = state.plan_items[0]
        plan_s = state.plan_keys[0]
        if i < 0 and plan_s == np.inf and counters[LOBBY] + counters[COMING] == 0:
            return True
        counters[EVENTS] += 1
        if more is not None and counters[ALARMS] > 0:
            alarm_s = state.alarm_keys[0]
            if alarm_s < arrival_s and alarm_s <= plan_s + SAME_S:
                alarm(fixed, state, more, alarm_s)
                continue
        if i >= 0 and arrival_s <= plan_s + SAME_S:
            if late:
                remove(state.late_keys, state.late_items, state.late_place, counters[SPAWNED], 0)
                counters[SPAWNED] -= 1
            else:
                counters[NEXT] += 1
            state.requests[i]["arrived_s"] = arrival_s
            state.requests[i]["goal"] = fixed.prompt[i]
            if more is not None and len(fixed.patience_s) > 0 and fixed.patience_s[i] < np.inf:
                ring_at(state, arrival_s + fixed.patience_s[i], i)
            send(fixed, state, more, i, arrival_s, 0, True)
        else:
            finish_plan(fixed, state, more, k)
            plan(fixed, state, more, k)
            plan_at(state, k)
            if counters[STUCK] >= 0:
                return True
    return False


@compiled
def alarm(fixed: Any, state: Any, more: Any, now_s: float) -> None:
    """Do what the first alarm is for."""
    count = len(state.requests)
    item = state.alarm_items[0]
    remove(state.alarm_keys, state.alarm_items, state.alarm_place, state.counters[ALARMS], 0)
    state.counters[ALARMS] -= 1
    if item < count:
        lapse(fixed, state, more, item, now_s)
    elif item < 2 * count:
        come_over(fixed, state, more, item - count, now_s)
    else:
        next_fault(fixed, state, more, now_s)


@merged
def finish_plan(fixed: Any, state: Any, more: Any, k: int) -> None:
    """Do the planned steps: count, take pages, let requests end, let prompts that were read become answers."""
    replica = state.replicas[k]
    requests = state.requests
    now_s = replica["until_s"]
    steps = replica["plan"]
    pay(fixed, state, k, steps)
    writing = replica["writing"]
    note(state, replica, now_s, writing, steps)
    book(fixed, state, k, now_s, steps)
    replica["step"] += steps
    replica["extra_s"] += replica["added_s"]
    replica["moved_s"] += replica["moving_s"]
    replica["written"] += writing * steps
    replica["read"] += replica["tokens"]
    replica["now_s"] = now_s
    replica["plan"] = 0
    replica["paid"] = 0
    if more is not None and replica["leaving"] >= 0:
        let_leave(fixed, state, more, k)
    while replica["writing"] > 0 and state.end_keys[k, 0] <= replica["step"]:
        i = state.end_items[k, 0]
        if more is not None and requests[i]["end"] > replica["step"]:  # its reasoning ends, not its answer
            more[i]["visible_s"] = now_s
            change(state.end_keys[k], state.end_items[k], requests["place"], replica["writing"], 0,
                   float(requests[i]["end"]))  # fmt: skip
            continue
        end_request(fixed, state, more, k, i, stop_writing(fixed, state, more, k, i), now_s)
    i = replica["ending"]
    replica["ending"] = -1
    while i >= 0:
        following = int(requests[i]["place"])
        if more is not None and more[i]["quits"] > 0:
            quit_step(fixed, state, more, k, i, requests[i]["goal"])
        else:
            read_to_end(fixed, state, more, k, i, now_s)
        i = following


@merged
def read_to_end(fixed: Any, state: Any, more: Any, k: int, i: int, now_s: float) -> None:
    """Give a request whose prompt was read its next token; it writes from the next step on, here or elsewhere."""
    replica = state.replicas[k]
    request = state.requests[i]
    written = request["end"] + 1
    request["end"] = written
    replica["written"] += 1
    if request["cause"] != NOTHING:
        settle(state, more, i, now_s)
    if written == 1:
        request["first_s"] = now_s
        request["early_s"] = request["lost_s"]
        if more is not None:
            request["early_s"] += more[i]["swap_s"] + more[i]["failed_s"] + more[i]["transfer_s"]
    if more is not None and len(fixed.visible) > 0 and written == fixed.visible[i]:
        more[i]["visible_s"] = now_s
    if written >= fixed.output[i]:
        end_request(fixed, state, more, k, i, request["goal"], now_s)
        return
    if more is not None and replica["reads_only"] > 0:
        hand_over(fixed, state, more, k, i, now_s)
        return
    begin_writing(fixed, state, more, k, i, request["goal"], written)


@compiled
def end_request(fixed: Any, state: Any, more: Any, k: int, i: int, tokens: int, now_s: float) -> None:
    """Let a request leave with its last token, and with so many tokens in the cache."""
    replica = state.replicas[k]
    request = state.requests[i]
    if more is not None and len(fixed.visible) > 0 and fixed.visible[i] == fixed.output[i]:
        more[i]["visible_s"] = now_s
    free_pages(fixed, state, k, i, tokens, False)
    part(replica, state.requests, i)
    replica["requests"] -= 1
    replica["work"] -= fixed.prompt[i] + fixed.output[i]
    request["last_s"] = now_s
    request["state"] = DONE
    request["end"] = fixed.output[i]
    state.counters[DONE_COUNT] += 1
    let_follow(fixed, state, i, now_s + fixed.numbers[RTT_S])
