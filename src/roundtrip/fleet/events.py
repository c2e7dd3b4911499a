"""The event loop: a run from arrival to arrival and from plan to plan, never from token to token.

A replica plans steps and tells when they end. A step that reads a prompt is a plan of its own. Steps that only write
are planned together: until a request ends, the pages run out or the step time bends; a request that arrives and could
start cuts the plan at the end of the running step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.heap import change, push, remove
from roundtrip.fleet.layout import (
    BUDGET,
    CHUNKED,
    CLIENTS,
    DONE,
    DONE_COUNT,
    EVENTS,
    GIVEN,
    NEXT,
    NODES,
    ORDER,
    PAGE,
    POOL,
    QUEUE_LIMIT,
    REFUSED,
    REFUSED_COUNT,
    ROUTER,
    SEQUENCES,
    SPAWNED,
    STUCK,
    TURN,
    WAITING,
    WRITING,
)  # fmt: skip
from roundtrip.fleet.plan import plan, stop_writing
from roundtrip.fleet.route import (
    LEAST_REQUESTS,
    LEAST_WORK,
    PREFIX_AWARE,
    ROUND_ROBIN,
    STICKY,
    TWO_CHOICES,
    best_prefix,
    fewest,
    home,
    least_work,
    two_choices,
)  # fmt: skip
from roundtrip.fleet.series import note
from roundtrip.fleet.spend import SAME_S, end_after, free_pages, pay, steps_begun
from roundtrip.fleet.waiting import FIRST_COME, part, wait


@compiled
def advance(fixed: Any, state: Any, limit: int) -> bool:
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
        if i < 0 and plan_s == np.inf:
            return True
        counters[EVENTS] += 1
        if i >= 0 and arrival_s <= plan_s + SAME_S:
            if late:
                remove(state.late_keys, state.late_items, state.late_place, counters[SPAWNED], 0)
                counters[SPAWNED] -= 1
            else:
                counters[NEXT] += 1
            arrive(fixed, state, i, arrival_s)
        else:
            finish_plan(fixed, state, k)
            plan(fixed, state, k)
            change(state.plan_keys, state.plan_items, state.replicas["place"], len(state.replicas),
                   state.replicas[k]["place"], state.replicas[k]["until_s"])  # fmt: skip
            if counters[STUCK] >= 0:
                return True
    return False


@compiled
def arrive(fixed: Any, state: Any, i: int, now_s: float) -> None:
    """Let a request arrive: it is routed, refused or put into the waiting list of its replica."""
    policy = fixed.policy
    request = state.requests[i]
    request["arrived_s"] = now_s
    k = route(fixed, state, i, now_s)
    replica = state.replicas[k]
    request["replica"] = k
    page = policy[PAGE]
    tokens = fixed.prompt[i] + fixed.output[i]
    too_large = -(-(tokens - 1) // page) > replica["pages"]
    too_long = policy[CHUNKED] == 0 and tokens - 1 > policy[BUDGET]
    full = policy[QUEUE_LIMIT] > 0 and replica["waiting"] >= policy[QUEUE_LIMIT]
    if too_large or too_long or full:
        request["state"] = REFUSED
        state.counters[REFUSED_COUNT] += 1
        let_follow(fixed, state, i, now_s)
        return
    request["state"] = WAITING
    replica["requests"] += 1
    replica["work"] += tokens
    was_empty = replica["waiting"] == 0
    wait(fixed, replica, state.requests, policy[ORDER], i, False)
    until_s = replica["until_s"]
    if until_s == np.inf:
        replica["now_s"] = now_s
        replica["until_s"] = now_s
        replica["plan"] = 0
        replica["paid"] = 0
        replica["added_s"] = 0.0
        replica["tokens"] = 0
    elif (
        replica["plan"] > 1
        and (was_empty or (policy[ORDER] != FIRST_COME and replica["next"] == i))
        and replica["running"] < policy[SEQUENCES]
        and replica["writing"] < policy[BUDGET]
    ):
        steps = steps_begun(replica, now_s)
        replica["plan"] = steps
        replica["until_s"] = end_after(replica, steps)
    if replica["until_s"] != until_s:
        change(state.plan_keys, state.plan_items, state.replicas["place"], len(state.replicas),
               replica["place"], replica["until_s"])  # fmt: skip


@compiled
def route(fixed: Any, state: Any, i: int, now_s: float) -> int:
    """Return the replica of a request that arrives now."""
    policy = fixed.policy
    router = policy[ROUTER]
    replicas = state.replicas
    if router == ROUND_ROBIN:
        k = state.counters[TURN] % len(replicas)
        state.counters[TURN] += 1
        return k
    if router == TWO_CHOICES:
        return two_choices(replicas, fixed.draws[i, 0], fixed.draws[i, 1])
    if router == LEAST_REQUESTS:
        return fewest(replicas)
    if router == LEAST_WORK:
        return least_work(replicas)
    if router == STICKY:
        return home(replicas, state.homes, fixed.session[i])
    if router == PREFIX_AWARE:
        for k in range(len(replicas)):
            if replicas[k]["plan"] > replicas[k]["paid"]:  # what steps begun by now have pushed out of the caches
                pay(fixed, state, k, steps_begun(replicas[k], now_s))
        return best_prefix(fixed, replicas, state.runs, policy[NODES], policy[PAGE], i)
    return fixed.assigned[i]


@compiled
def finish_plan(fixed: Any, state: Any, k: int) -> None:
    """Do the planned steps: count, take pages, let requests end, let prompts that were read become answers."""
    replica = state.replicas[k]
    requests = state.requests
    now_s = replica["until_s"]
    steps = replica["plan"]
    pay(fixed, state, k, steps)
    writing = replica["writing"]
    note(state, replica, now_s, writing, steps)
    replica["step"] += steps
    replica["extra_s"] += replica["added_s"]
    replica["written"] += writing * steps
    replica["read"] += replica["tokens"]
    replica["now_s"] = now_s
    replica["plan"] = 0
    replica["paid"] = 0
    while replica["writing"] > 0 and state.end_keys[k, 0] <= replica["step"]:
        i = state.end_items[k, 0]
        stop_writing(fixed, state, k, i)
        request = requests[i]
        request["others_s"] += replica["extra_s"] - request["mark_s"]
        end_request(fixed, state, k, i, fixed.prompt[i] + fixed.output[i] - 1, now_s)
    i = replica["ending"]
    replica["ending"] = -1
    while i >= 0:
        following = requests[i]["place"]
        start_writing(fixed, state, k, i, now_s)
        i = following


@compiled
def start_writing(fixed: Any, state: Any, k: int, i: int, now_s: float) -> None:
    """Give a request whose prompt was read its next token; it writes from the next step on."""
    replica = state.replicas[k]
    request = state.requests[i]
    tokens = fixed.prompt[i] + request["end"]
    written = request["end"] + 1
    replica["written"] += 1
    if request["preemptions"] > 0:
        request["lost_s"] += now_s - request["mark_s"]
    if written == 1:
        request["first_s"] = now_s
        request["early_s"] = request["lost_s"]
    if written >= fixed.output[i]:
        end_request(fixed, state, k, i, tokens, now_s)
        return
    end = replica["step"] + fixed.output[i] - written
    request["state"] = WRITING
    request["base"] = tokens - replica["step"]
    request["end"] = end
    request["mark_s"] = replica["extra_s"]
    push(state.end_keys[k], state.end_items[k], state.requests["place"], replica["writing"], float(end), i)
    replica["writing"] += 1
    replica["bases"] += request["base"]
    state.residues[k, request["base"] % fixed.policy[PAGE]] += 1


@compiled
def end_request(fixed: Any, state: Any, k: int, i: int, tokens: int, now_s: float) -> None:
    """Let a request leave with its last token."""
    replica = state.replicas[k]
    request = state.requests[i]
    free_pages(fixed, state, k, i, tokens, False)
    part(replica, state.requests, i)
    replica["requests"] -= 1
    replica["work"] -= fixed.prompt[i] + fixed.output[i]
    request["last_s"] = now_s
    request["state"] = DONE
    request["end"] = fixed.output[i]
    state.counters[DONE_COUNT] += 1
    let_follow(fixed, state, i, now_s)


@compiled
def let_follow(fixed: Any, state: Any, i: int, now_s: float) -> None:
    """Release the request that waits for this one: the next of the session, or of the clients' common list."""
    counters = state.counters
    j = -1
    if len(fixed.following) > 0:
        j = fixed.following[i]
    elif fixed.policy[CLIENTS] > 0 and counters[POOL] < len(state.requests):
        j = counters[POOL]
        counters[POOL] += 1
    if j >= 0:
        at_s = now_s + (fixed.delay_s[j] if len(fixed.delay_s) > 0 else 0.0)
        push(state.late_keys, state.late_items, state.late_place, counters[SPAWNED], at_s, j)
        counters[SPAWNED] += 1
