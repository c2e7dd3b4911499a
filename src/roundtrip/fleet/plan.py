"""The scheduler: what the next step of a replica does, how long it takes, and for how many steps nothing changes.

It is that of vLLM (version 1): a step first takes all that write, then the prompt that is read in parts, then those
that wait, as long as tokens, sequences and pages last. If pages run out, the last admitted (or the one of lowest
priority) is preempted: its pages go, it waits at the front and is computed anew; that step starts no other.

References
----------
.. [1] W. Kwon et al., "Efficient memory management for large language model serving with PagedAttention", SOSP 2023,
   https://arxiv.org/abs/2309.06180
.. [2] vLLM, vllm/v1/core/sched/scheduler.py, https://github.com/vllm-project/vllm
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.heap import remove
from roundtrip.fleet.layout import (
    BUDGET,
    CACHING,
    CHUNKED,
    NODES,
    ORDER,
    PAGE,
    READING,
    RESERVE,
    SEQUENCES,
    STUCK,
    WAITING,
    WRITING,
)  # fmt: skip
from roundtrip.fleet.pages import fill, found, hold
from roundtrip.fleet.spend import end_after, free_pages, return_page, steps_with, take_pages
from roundtrip.fleet.times import line, piece
from roundtrip.fleet.waiting import BY_PRIORITY, goes_first, join, part, serve, wait

END = 2**62  # no limit


@compiled
def plan(fixed: Any, state: Any, k: int) -> None:
    """Schedule the next step of a replica, and as many more as nothing changes."""
    replica = state.replicas[k]
    requests = state.requests
    policy = fixed.policy
    page = policy[PAGE]
    now_s = replica["now_s"]
    residues = state.residues[k]
    replica["added_s"] = 0.0
    replica["tokens"] = 0

    # Pages for those that write, then for the prompt under way.
    settled = True
    while replica["writing"] > 0 and residues[-replica["step"] % page] > replica["free"]:
        preempt(fixed, state, k, now_s, False)
        settled = False
    take_pages(fixed, state, k, residues[-replica["step"] % page])
    chunk = next_part(fixed, state, k)
    held, more = 0, 0
    i = replica["reading"]
    if i >= 0:
        held = -(-requests[i]["base"] // page)
        more = -(-(requests[i]["base"] + chunk) // page) - held
        while more > replica["free"]:
            settled = False
            if preempt(fixed, state, k, now_s, True) == i:
                break
    writing = replica["writing"]
    budget = policy[BUDGET] - writing
    readers = 0
    tokens = 0
    pairs = 0.0
    if replica["reading"] >= 0 and chunk > 0:
        pairs += attended(requests[i]["base"], chunk)
        grow(fixed, state, k, i, requests[i]["base"], held, chunk, more)
        budget -= chunk
        tokens += chunk
        readers += 1

    # Those that wait.
    while settled and replica["waiting"] > 0 and budget > 0 and replica["running"] < policy[SEQUENCES]:
        i = replica["next"]
        request = requests[i]
        goal = fixed.prompt[i] + request["end"]
        pages, idle = 0, 0
        own = 0
        nodes = policy[NODES]
        if policy[CACHING]:
            own = len(state.replicas) * nodes + i
            pages, idle = found(fixed, state.runs, k * nodes, own, i)
        done = min(pages * page, (goal - 1) // page * page)
        chunk = min(goal - done, budget)
        if policy[CHUNKED] == 0 and goal - done > budget:
            break
        more = max(-(-(done + chunk) // page) - pages, 0)
        asked = max(-(-goal // page) - pages, 0) if policy[RESERVE] else more
        if asked + idle > replica["free"]:
            break
        serve(fixed, replica, requests, policy[ORDER])
        join(replica, requests, i)
        request["state"] = READING
        if policy[CACHING]:
            hold(fixed, replica, state.runs, k * nodes, own, i, pages)
        if np.isnan(request["started_s"]):
            request["started_s"] = max(now_s, request["arrived_s"])
            request["cached"] = done
        pairs += attended(done, chunk)
        grow(fixed, state, k, i, done, pages, chunk, more)
        budget -= chunk
        tokens += chunk
        readers += 1

    if writing + readers == 0:
        replica["until_s"] = np.inf
        if replica["waiting"] > 0:
            state.counters[STUCK] = k
        return
    price(fixed, state, k, readers, tokens, pairs, 1 if not settled else END)


@compiled
def next_part(fixed: Any, state: Any, k: int) -> int:
    """Return the tokens of the prompt under way that fit into the next step."""
    replica = state.replicas[k]
    i = replica["reading"]
    if i < 0:
        return 0
    request = state.requests[i]
    return min(fixed.prompt[i] + request["end"] - request["base"], fixed.policy[BUDGET] - replica["writing"])


@compiled
def attended(done: int, chunk: int) -> float:
    """Return the pairs of a part of a prompt: each token sees those before it and itself."""
    return chunk * (done + 0.5 * (chunk + 1.0))


@compiled
def grow(fixed: Any, state: Any, k: int, i: int, done: int, held: int, chunk: int, more: int) -> None:
    """Let a request read a part of its prompt in the next step: pages are taken, an ending prompt is remembered."""
    replica = state.replicas[k]
    request = state.requests[i]
    take_pages(fixed, state, k, more)
    if fixed.policy[CACHING]:
        fill(fixed, state.runs, k * fixed.policy[NODES], i, held, done + chunk, fixed.policy[PAGE])
    request["base"] = done + chunk
    if done + chunk < fixed.prompt[i] + request["end"]:
        replica["reading"] = i
        return
    replica["reading"] = -1
    request["place"] = -1
    if replica["ending"] < 0:
        replica["ending"] = i
    else:
        state.requests[replica["closing"]]["place"] = i
    replica["closing"] = i


@compiled
def price(fixed: Any, state: Any, k: int, readers: int, tokens: int, pairs: float, most: int) -> None:
    """Find the time of the planned step, and how many such steps follow each other, at most `most`."""
    replica = state.replicas[k]
    policy = fixed.policy
    kind = replica["kind"]
    writing = replica["writing"]
    alone_s, attention_s, slope_s = 0.0, 0.0, 0.0
    total = replica["bases"] + writing * (replica["step"] + 1)
    bend = 0
    if writing > 0:
        context = fixed.context[kind]
        bend = piece(context, total / writing)
        values = fixed.context_s[kind, writing]
        slope_s = (values[bend + 1] - values[bend]) / (context[bend + 1] - context[bend])
        attention_s = values[bend] + slope_s * (total / writing - context[bend])
        alone_s = fixed.rows_s[kind, writing] + fixed.sequence_s[kind] * writing + attention_s
    if readers > 0:
        sequences_s = fixed.sequence_s[kind] * (writing + readers)
        step_s = (
            fixed.rows_s[kind, writing + tokens] + sequences_s + line(fixed.pairs[kind], fixed.pairs_s[kind], pairs)
        )
        if writing > 0:
            values = fixed.mixed_s[kind, writing]
            slope_s = (values[bend + 1] - values[bend]) / (context[bend + 1] - context[bend])
            step_s += values[bend] + slope_s * (total / writing - context[bend])
        replica["tokens"] = tokens
        replica["added_s"] = step_s - alone_s
        replica["step_s"] = step_s
        replica["growth_s"] = 0.0
        replica["plan"] = 1
    else:
        steps = min(int(state.end_keys[k, 0]) - replica["step"], most)
        context = fixed.context[kind]
        if bend + 2 < len(context):
            left = context[bend + 1] * writing - total
            steps = min(steps, max(int(np.ceil(left / writing)), 1))
        steps = 1 + steps_with(
            state.residues[k], writing, replica["step"] + 1, replica["free"], policy[PAGE], steps - 1
        )
        replica["step_s"] = alone_s
        replica["growth_s"] = slope_s
        replica["plan"] = steps
    replica["paid"] = 1
    replica["until_s"] = end_after(replica, replica["plan"])


@compiled
def preempt(fixed: Any, state: Any, k: int, now_s: float, has_page: bool) -> int:
    """Preempt one running request and return it: the last admitted, or under priorities the least important.

    `has_page` says that those that write hold the page which the step to come needs.
    """
    replica = state.replicas[k]
    requests = state.requests
    i = replica["tail"]
    if fixed.policy[ORDER] == BY_PRIORITY:
        j = requests[i]["before"]
        while j >= 0:
            if goes_first(fixed, BY_PRIORITY, i, j):
                i = j
            j = requests[j]["before"]
    request = requests[i]
    part(replica, requests, i)
    if request["state"] == WRITING:
        tokens = request["base"] + replica["step"]
        written = fixed.output[i] - (request["end"] - replica["step"])
        stop_writing(fixed, state, k, i)
        if has_page and tokens % fixed.policy[PAGE] == 0:
            return_page(fixed, state, k)
        request["end"] = written
        request["others_s"] += replica["extra_s"] - request["mark_s"]
    else:
        tokens = request["base"]
        replica["reading"] = -1
        if request["preemptions"] > 0:
            request["lost_s"] += now_s - request["mark_s"]
    free_pages(fixed, state, k, i, tokens, True)
    request["state"] = WAITING
    request["mark_s"] = now_s
    request["preemptions"] += 1
    replica["preemptions"] += 1
    wait(fixed, replica, requests, fixed.policy[ORDER], i, True)
    return i


@compiled
def stop_writing(fixed: Any, state: Any, k: int, i: int) -> None:
    """Take a request out of the counters of those that write."""
    replica = state.replicas[k]
    request = state.requests[i]
    remove(state.end_keys[k], state.end_items[k], state.requests["place"], replica["writing"], request["place"])
    replica["writing"] -= 1
    replica["bases"] -= request["base"]
    state.residues[k, request["base"] % fixed.policy[PAGE]] -= 1
