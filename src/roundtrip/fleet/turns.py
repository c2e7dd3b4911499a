"""How a request enters the steps of a replica and leaves them: it writes, it gives way, it comes back.

While it writes it stores only its base (context minus what contexts have grown by on the replica) and the step after
which it is finished. Time lost outside of the steps is counted from `mark_s` by its cause.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.heap import push, remove
from roundtrip.fleet.layout import (
    GROWTH,
    LOST,
    NOTHING,
    ORDER,
    PAGE,
    PREEMPTED,
    SENT,
    SWAP,
    SWAPPED,
    WAITING,
    WRITING,
)  # fmt: skip
from roundtrip.fleet.speculate import grown, held_after
from roundtrip.fleet.spend import free_pages, return_pages
from roundtrip.fleet.waiting import BY_PRIORITY, goes_first, part, wait


@compiled
def settle(state: Any, more: Any, i: int, now_s: float) -> None:
    """Count the time since a request was taken out of the steps to what took it out."""
    request = state.requests[i]
    gone_s = max(now_s - request["mark_s"], 0.0)
    cause = request["cause"]
    request["cause"] = NOTHING
    if cause == PREEMPTED:
        request["lost_s"] += gone_s
    if more is not None:
        if cause == SWAPPED:
            more[i]["swap_s"] += gone_s
        elif cause == SENT:
            more[i]["transfer_s"] += gone_s
        elif cause == LOST:
            more[i]["failed_s"] += gone_s


@compiled
def begin_writing(fixed: Any, state: Any, more: Any, k: int, i: int, tokens: int, written: int) -> None:
    """Let a request write from the next step of its replica on.

    Parameters
    ----------
    tokens : int
        Its tokens in the cache.
    written : int
        Steps that have yielded a token of it.
    """
    replica = state.replicas[k]
    request = state.requests[i]
    step = replica["step"]
    end = step + fixed.output[i] - written
    key = end
    if more is not None:
        if len(fixed.visible) > 0 and written < fixed.visible[i]:
            key = min(end, step + fixed.visible[i] - written)
        more[i]["moved_mark_s"] = replica["moved_s"]
    request["state"] = WRITING
    request["base"] = tokens - grown(step, fixed.policy[GROWTH])
    request["end"] = end
    request["mark_s"] = replica["extra_s"]
    push(state.end_keys[k], state.end_items[k], state.requests["place"], replica["writing"], float(key), i)
    replica["writing"] += 1
    replica["bases"] += request["base"]
    state.residues[k, request["base"] % fixed.policy[PAGE]] += 1


@compiled
def stop_writing(fixed: Any, state: Any, more: Any, k: int, i: int) -> int:
    """Take a request out of those that write, count what it waited for there, and return its tokens in the cache."""
    replica = state.replicas[k]
    request = state.requests[i]
    remove(state.end_keys[k], state.end_items[k], state.requests["place"], replica["writing"], request["place"])
    replica["writing"] -= 1
    replica["bases"] -= request["base"]
    state.residues[k, request["base"] % fixed.policy[PAGE]] -= 1
    request["others_s"] += replica["extra_s"] - request["mark_s"]
    if more is not None:
        more[i]["swap_s"] += replica["moved_s"] - more[i]["moved_mark_s"]
    return request["base"] + grown(replica["step"], fixed.policy[GROWTH])


@compiled
def break_off(fixed: Any, state: Any, more: Any, k: int, i: int) -> int:
    """Take a request out of those that write in the middle of its answer, and return its tokens in the cache."""
    request = state.requests[i]
    tokens = stop_writing(fixed, state, more, k, i)
    written = fixed.output[i] - (request["end"] - state.replicas[k]["step"])
    request["end"] = written
    request["goal"] = held_after(fixed.prompt[i], written, fixed.policy[GROWTH]) + 1
    return tokens


@compiled
def preempt(fixed: Any, state: Any, more: Any, k: int, now_s: float, has_page: bool) -> int:
    """Preempt one running request and return it: the last admitted, or under priorities the least important.

    `has_page` says that those that write hold the pages which the step to come needs.
    """
    replica = state.replicas[k]
    requests = state.requests
    page = fixed.policy[PAGE]
    i = replica["tail"]
    if fixed.policy[ORDER] == BY_PRIORITY:
        j = int(requests[i]["before"])
        while j >= 0:
            if goes_first(fixed, BY_PRIORITY, i, j):
                i = j
            j = int(requests[j]["before"])
    request = requests[i]
    part(replica, requests, i)
    if request["state"] == WRITING:
        tokens = break_off(fixed, state, more, k, i)
        if has_page:
            after = request["base"] + grown(replica["step"] + 1, fixed.policy[GROWTH])
            return_pages(fixed, state, k, -(-after // page) - -(-tokens // page))
        kept = request["goal"] - 1
    else:
        kept = tokens = request["base"]
        replica["reading"] = -1
        if request["cause"] != NOTHING:
            settle(state, more, i, now_s)
    free_pages(fixed, state, k, i, tokens, True)
    request["state"] = WAITING
    request["mark_s"] = now_s
    request["cause"] = PREEMPTED
    if more is not None and fixed.policy[SWAP] > 0:
        more[i]["kept"] = kept
        replica["swapping"] += -(-tokens // page)
        request["cause"] = SWAPPED
    request["preemptions"] += 1
    replica["preemptions"] += 1
    wait(fixed, replica, requests, fixed.policy[ORDER], i, True)
    return i
