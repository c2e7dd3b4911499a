"""Prompts are read on some replicas and answers written on others: the cache of a prompt goes from one to the other.

As in vLLM with a connector that pulls: when a prompt is read, its first token is there and its pages stay; the request
waits at a replica that writes until pages for all of it are free there, then the cache is sent. A replica that reads
has one link, on which caches follow each other; what is on it is sent, whatever becomes of the request. Who has come
over enters the steps before those that wait.

References
----------
.. [1] Y. Zhong et al., "DistServe: disaggregating prefill and decoding for goodput-optimized large language model
   serving", OSDI 2024, https://arxiv.org/abs/2401.09670
.. [2] P. Patel et al., "Splitwise: efficient generative LLM inference using phase splitting", ISCA 2024,
   https://arxiv.org/abs/2311.18677
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.give import release_source, reserved, ring_at, send_on, wake
from roundtrip.fleet.layout import (
    COMING,
    GROWTH,
    HANDED,
    LINK_B_S,
    LINK_LATENCY_S,
    MOVING,
    ORDER,
    PAGE,
    READY,
    SENT,
    SEQUENCES,
    WIDTH,
)  # fmt: skip
from roundtrip.fleet.speculate import grown
from roundtrip.fleet.spend import return_pages, take_pages
from roundtrip.fleet.turns import begin_writing, settle
from roundtrip.fleet.waiting import join, part, serve


@compiled
def hand_over(fixed: Any, state: Any, more: Any, k: int, i: int, now_s: float) -> None:
    """Let a request whose prompt was read go to a replica that writes; its pages stay until they are sent."""
    replica = state.replicas[k]
    request = state.requests[i]
    part(replica, state.requests, i)
    replica["requests"] -= 1
    replica["work"] -= fixed.prompt[i] + fixed.output[i]
    replica["handed"] += 1
    more[i]["source"] = k
    more[i]["kept"] = request["goal"]
    request["goal"] += 1
    request["state"] = HANDED
    request["cause"] = SENT
    request["mark_s"] = now_s
    send_on(fixed, state, more, i, now_s, 1)


@compiled
def fetch(fixed: Any, state: Any, more: Any, k: int, i: int) -> bool:
    """Take pages for the first that waits and have its cache sent, or say that pages are missing."""
    replica = state.replicas[k]
    kept = more[i]["kept"]
    pages = reserved(fixed, kept)
    if pages > replica["free"]:
        return False
    serve(fixed, replica, state.requests, more, fixed.policy[ORDER])
    take_pages(fixed, state, k, pages)
    request = state.requests[i]
    request["state"] = MOVING
    request["before"] = replica["moving_tail"]
    request["after"] = -1
    if replica["moving_tail"] >= 0:
        state.requests[replica["moving_tail"]]["after"] = i
    else:
        replica["moving_head"] = i
    replica["moving_tail"] = i
    replica["moving"] += 1
    state.counters[COMING] += 1
    source = state.replicas[more[i]["source"]]
    sent_s = fixed.token_B[source["kind"]] * kept / fixed.numbers[LINK_B_S]
    source["link_s"] = max(source["link_s"], replica["now_s"]) + sent_s
    source["sent"] += kept
    ring_at(state, source["link_s"] + fixed.numbers[LINK_LATENCY_S], len(state.requests) + i)
    return True


@compiled
def come_over(fixed: Any, state: Any, more: Any, i: int, now_s: float) -> None:
    """Let a request whose cache was sent wait for a place in a step."""
    request = state.requests[i]
    k = int(request["replica"])
    replica = state.replicas[k]
    stop_moving(state, k, i)
    release_source(fixed, state, more, i, now_s)
    if more[i]["quits"] > 0:
        request["state"] = more[i]["quits"]
        replica["requests"] -= 1
        replica["work"] -= fixed.prompt[i] + fixed.output[i]
        return_pages(fixed, state, k, reserved(fixed, more[i]["kept"]))
        wake(fixed, state, k, now_s, True, 0)
        return
    request["state"] = READY
    request["after"] = -1
    if replica["ready"] >= 0:
        state.requests[replica["ready_last"]]["after"] = i
    else:
        replica["ready"] = i
    replica["ready_last"] = i
    wake(fixed, state, k, now_s, True, 0)


@compiled
def stop_moving(state: Any, k: int, i: int) -> None:
    """Take a request out of those that come to a replica."""
    replica = state.replicas[k]
    requests = state.requests
    before, after = requests[i]["before"], requests[i]["after"]
    if before >= 0:
        requests[before]["after"] = after
    else:
        replica["moving_head"] = after
    if after >= 0:
        requests[after]["before"] = before
    else:
        replica["moving_tail"] = before
    replica["moving"] -= 1
    state.counters[COMING] -= 1


@compiled
def join_ready(fixed: Any, state: Any, more: Any, k: int, budget: int) -> int:
    """Let those that have come over write in the next step, as tokens and sequences last; return how many do."""
    replica = state.replicas[k]
    policy = fixed.policy
    page, step = policy[PAGE], replica["step"]
    joined = 0
    while replica["ready"] >= 0:
        i = replica["ready"]
        request = state.requests[i]
        if request["state"] == READY:
            if replica["running"] >= policy[SEQUENCES] or budget < policy[WIDTH]:
                break
            kept = more[i]["kept"]
            after = kept + grown(step + 1, policy[GROWTH]) - grown(step, policy[GROWTH])
            return_pages(fixed, state, k, reserved(fixed, kept) - -(-after // page))
            replica["ready"] = request["after"]
            join(replica, state.requests, i)
            settle(state, more, i, replica["now_s"])
            more[i]["kept"] = 0
            begin_writing(fixed, state, more, k, i, kept, request["end"])
            budget -= policy[WIDTH]
            joined += 1
        else:  # it has left
            replica["ready"] = request["after"]
    return joined
