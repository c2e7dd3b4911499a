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

from roundtrip.fleet.compiled import compiled, merged
from roundtrip.fleet.give import reserved
from roundtrip.fleet.layout import (
    BUDGET,
    CHUNKED,
    DRAFT_S,
    GROWTH,
    HANDED,
    LOOKAHEAD,
    NODES,
    ORDER,
    PAGE,
    READING,
    RESERVE,
    SEQUENCES,
    STUCK,
    SWAP_B_S,
    WIDTH,
)  # fmt: skip
from roundtrip.fleet.ledger import PAIRS
from roundtrip.fleet.pages import fill, found, hold
from roundtrip.fleet.speculate import ONE, grown
from roundtrip.fleet.spend import SAME_S, end_after, pages_ahead, steps_with, take_pages
from roundtrip.fleet.times import line, piece
from roundtrip.fleet.transfer import fetch, join_ready
from roundtrip.fleet.turns import begin_writing, preempt, settle
from roundtrip.fleet.waiting import join, serve

END = 2**62  # no limit


@merged
def plan(fixed: Any, state: Any, more: Any, k: int) -> None:
    """Schedule the next step of a replica, and as many more as nothing changes.

    Here as in all of the loop, `more` is None where nothing can happen that needs it: such code is then not even
    compiled.
    """
    replica = state.replicas[k]
    requests = state.requests
    policy = fixed.policy
    page = policy[PAGE]
    width = policy[WIDTH]
    now_s = replica["now_s"]
    blind_s = now_s - SAME_S if policy[LOOKAHEAD] > 0 and replica["running"] > 0 else np.inf
    replica["added_s"] = 0.0
    replica["tokens"] = 0
    replica["swapping"] = 0

    # Pages for those that write, then for the prompt under way.
    settled = True
    needed = pages_ahead(fixed, state, k, 0, 1)
    while replica["writing"] > 0 and needed > replica["free"]:
        preempt(fixed, state, more, k, now_s, False)
        settled = False
        needed = pages_ahead(fixed, state, k, 0, 1)
    take_pages(fixed, state, k, needed)
    chunk = next_part(fixed, state, k)
    held, needed = 0, 0
    i = replica["reading"]
    if i >= 0:
        held = -(-requests[i]["base"] // page)
        needed = -(-(requests[i]["base"] + chunk) // page) - held
        while needed > replica["free"]:
            settled = False
            if preempt(fixed, state, more, k, now_s, True) == i:
                break
    budget = policy[BUDGET] - replica["writing"] * width
    readers = 0
    tokens = 0
    pairs = 0.0
    if replica["reading"] >= 0 and chunk > 0:
        pairs += attended(requests[i]["base"], chunk)
        grow(fixed, state, k, i, requests[i]["base"], held, chunk, needed)
        budget -= chunk
        tokens += chunk
        readers += 1

    # Those that came over from a replica that reads prompts, then those that wait.
    if more is not None:
        if replica["ready"] >= 0:
            budget -= width * join_ready(fixed, state, more, k, budget)
        if replica["running"] == 0:  # a step that is left empty is none: it is planned anew
            settled = True
            blind_s = np.inf
    while settled and replica["waiting"] > 0 and budget > 0 and replica["running"] < policy[SEQUENCES]:
        i = replica["next"]
        request = requests[i]
        if more is not None and request["state"] == HANDED:
            if not fetch(fixed, state, more, k, i):
                break
            continue
        if request["seen_s"] > blind_s:  # it arrived when this step was planned already
            settled = False
            break
        goal = request["goal"]
        pages, idle = 0, 0
        own = 0
        nodes = policy[NODES]
        if replica["caching"] > 0:
            own = len(state.replicas) * nodes + i
            pages, idle = found(fixed, state.runs, k * nodes, own, i)
        done = min(pages * page, (goal - 1) // page * page)
        kept = 0
        if more is not None:
            kept = more[i]["kept"]
            if kept > 0 and kept == goal - 1 and request["end"] > 0:
                if budget < width or not write_again(fixed, state, more, k, i, pages, idle, own):
                    break
                budget -= width
                continue
            done = max(done, kept)
        chunk = min(goal - done, budget)
        if policy[CHUNKED] == 0 and goal - done > budget:
            break
        needed = max(-(-(done + chunk) // page) - pages, 0)
        asked = max(-(-goal // page) - pages, 0) if policy[RESERVE] else needed
        if asked + idle > replica["free"]:
            break
        serve(fixed, replica, requests, more, policy[ORDER])
        join(replica, requests, i)
        request["state"] = READING
        if replica["caching"] > 0:
            hold(fixed, replica, state.runs, k * nodes, own, i, pages)
        if more is not None and kept > 0:
            replica["swapping"] += max(-(-kept // page) - pages, 0)
            more[i]["kept"] = 0
        if np.isnan(request["started_s"]):
            request["started_s"] = max(now_s, request["arrived_s"])
            request["cached"] = done
        pairs += attended(done, chunk)
        grow(fixed, state, k, i, done, pages, chunk, needed)
        budget -= chunk
        tokens += chunk
        readers += 1

    if replica["writing"] + readers == 0:
        replica["until_s"] = np.inf
        if replica["waiting"] > 0 and replica["moving"] == 0 and replica["handed"] == 0:
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
    policy = fixed.policy
    return min(request["goal"] - request["base"], policy[BUDGET] - replica["writing"] * policy[WIDTH])


@compiled
def attended(done: int, chunk: int) -> float:
    """Return the pairs of a part of a prompt: each token sees those before it and itself."""
    return chunk * (done + 0.5 * (chunk + 1.0))


@merged
def grow(fixed: Any, state: Any, k: int, i: int, done: int, held: int, chunk: int, pages: int) -> None:
    """Let a request read a part of its prompt in the next step: pages are taken, an ending prompt is remembered."""
    replica = state.replicas[k]
    request = state.requests[i]
    take_pages(fixed, state, k, pages)
    if replica["caching"] > 0:
        fill(fixed, state.runs, k * fixed.policy[NODES], i, held, done + chunk, fixed.policy[PAGE])
    request["base"] = done + chunk
    if done + chunk < request["goal"]:
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
def write_again(fixed: Any, state: Any, more: Any, k: int, i: int, pages: int, idle: int, own: int) -> bool:
    """Let a request whose pages lie in the host's memory write in the next step, or say that pages are missing.

    Parameters
    ----------
    pages, idle, own : int
        Pages of it that are still here, those of them that are free, and the run of its own ones.
    """
    replica = state.replicas[k]
    policy = fixed.policy
    page, step = policy[PAGE], replica["step"]
    kept = more[i]["kept"]
    after = kept + grown(step + 1, policy[GROWTH]) - grown(step, policy[GROWTH])
    if max(reserved(fixed, kept) - pages, 0) + idle > replica["free"]:
        return False
    needed = max(-(-after // page) - pages, 0)
    serve(fixed, replica, state.requests, more, policy[ORDER])
    join(replica, state.requests, i)
    if replica["caching"] > 0:
        base = k * policy[NODES]
        hold(fixed, replica, state.runs, base, own, i, pages)
        take_pages(fixed, state, k, needed)
        fill(fixed, state.runs, base, i, pages, after, page)
    else:
        take_pages(fixed, state, k, needed)
    replica["swapping"] += max(-(-kept // page) - pages, 0)
    more[i]["kept"] = 0
    settle(state, more, i, replica["now_s"])
    begin_writing(fixed, state, more, k, i, kept, state.requests[i]["end"])
    return True


@merged
def price(fixed: Any, state: Any, k: int, readers: int, tokens: int, pairs: float, most: int) -> None:
    """Find the time of the planned step, and how many such steps follow each other, at most `most`."""
    replica = state.replicas[k]
    policy = fixed.policy
    kind = replica["kind"]
    writing = replica["writing"]
    width, growth = policy[WIDTH], policy[GROWTH]
    rate = growth / ONE  # tokens by which a context grows in a step
    alone_s, attention_s, slope_s = 0.0, 0.0, 0.0
    total = replica["bases"] + writing * (replica["step"] * rate + 1.0)
    bend = 0
    if writing > 0:
        context = fixed.context[kind]
        bend = piece(context, total / writing)
        values = fixed.context_s[kind, writing]
        slope_s = (values[bend + 1] - values[bend]) / (context[bend + 1] - context[bend])
        attention_s = values[bend] + slope_s * (total / writing - context[bend]) + fixed.numbers[DRAFT_S]
        alone_s = fixed.rows_s[kind, writing * width] + fixed.sequence_s[kind] * writing + attention_s
    replica["moving_s"] = 0.0
    if replica["swapping"] > 0:
        replica["swapped"] += replica["swapping"]
        replica["moving_s"] = replica["swapping"] * policy[PAGE] * fixed.token_B[kind] / fixed.numbers[SWAP_B_S]
        most = 1
    if readers > 0:
        state.ledger[k, PAIRS] += pairs
        sequences_s = fixed.sequence_s[kind] * (writing + readers)
        rows = writing * width + tokens
        step_s = fixed.rows_s[kind, rows] + sequences_s + line(fixed.pairs[kind], fixed.pairs_s[kind], pairs)
        if writing > 0:
            context, values = fixed.context[kind], fixed.mixed_s[kind, writing]
            slope_s = (values[bend + 1] - values[bend]) / (context[bend + 1] - context[bend])
            step_s += values[bend] + slope_s * (total / writing - context[bend]) + fixed.numbers[DRAFT_S]
        replica["tokens"] = tokens
        replica["added_s"] = step_s - alone_s
        replica["step_s"] = step_s + replica["moving_s"]
        replica["growth_s"] = 0.0
        replica["plan"] = 1
    else:
        steps = min(int(state.end_keys[k, 0]) - replica["step"], most)
        context = fixed.context[kind]
        if bend + 2 < len(context):
            left = context[bend + 1] * writing - total
            steps = min(steps, max(int(np.ceil(left / (writing * rate))), 1))
        steps = 1 + steps_with(
            state.residues[k], writing, replica["step"] + 1, replica["free"], policy[PAGE], growth, steps - 1
        )
        replica["step_s"] = alone_s + replica["moving_s"]
        replica["growth_s"] = slope_s * rate
        replica["plan"] = steps
    replica["paid"] = 1
    replica["until_s"] = end_after(replica, replica["plan"])
