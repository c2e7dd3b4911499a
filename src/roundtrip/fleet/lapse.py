"""A request leaves before its last token: its client hangs up, or the server gives it up.

Who waits leaves at once. Who is in a step leaves when that step ends, with the pages that it has by then.
"""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.give import cut, leave_for_good, release_source, reserved, say_goodbye, wake
from roundtrip.fleet.layout import (
    CANCELED,
    HANDED,
    LOBBY,
    MOVING,
    ORDER,
    READING,
    READY,
    TIMED_OUT,
    TIMEOUT_S,
    WAITING,
    WRITING,
)  # fmt: skip
from roundtrip.fleet.spend import free_pages, return_pages
from roundtrip.fleet.turns import stop_writing
from roundtrip.fleet.waiting import part, pass_over


@compiled
def lapse(fixed: Any, state: Any, more: Any, i: int, now_s: float) -> None:
    """Let a request leave whose time is over, if it is still there."""
    request = state.requests[i]
    where = request["state"]
    code = TIMED_OUT if fixed.patience_s[i] >= fixed.numbers[TIMEOUT_S] else CANCELED
    k = int(request["replica"])
    if where in (WAITING, HANDED):
        leave_list(fixed, state, more, k, i, code, now_s)
    elif where == READY:
        replica = state.replicas[k]
        leave_for_good(fixed, state, more, i, code, now_s)
        replica["requests"] -= 1
        replica["work"] -= fixed.prompt[i] + fixed.output[i]
        return_pages(fixed, state, k, reserved(fixed, more[i]["kept"]))
        wake(fixed, state, k, now_s, True, 0)
    elif where in (READING, WRITING) and more[i]["quits"] == 0:
        more[i]["quits"] = code
        more[i]["link"] = state.replicas[k]["leaving"]
        state.replicas[k]["leaving"] = i
        say_goodbye(fixed, state, more, i, code, now_s)
        cut(state, k, now_s, 0)
    elif where == MOVING and more[i]["quits"] == 0:
        more[i]["quits"] = code
        say_goodbye(fixed, state, more, i, code, now_s)


@compiled
def leave_list(fixed: Any, state: Any, more: Any, k: int, i: int, code: int, now_s: float) -> None:
    """Let a request leave the waiting list of a replica, or the one before the router."""
    if state.requests[i]["state"] == HANDED:
        release_source(fixed, state, more, i, now_s)
    leave_for_good(fixed, state, more, i, code, now_s)
    if k < 0:
        state.counters[LOBBY] -= 1
        return
    replica = state.replicas[k]
    replica["requests"] -= 1
    replica["work"] -= fixed.prompt[i] + fixed.output[i]
    replica["waiting"] -= 1
    was_first = replica["next"] == i
    pass_over(fixed, replica, state.requests, fixed.policy[ORDER])
    if was_first and replica["waiting"] > 0:
        wake(fixed, state, k, now_s, True, 0)


@compiled
def let_leave(fixed: Any, state: Any, more: Any, k: int) -> None:
    """Let those leave whose time was over in the step that has ended, but for those whose prompt ended with it."""
    replica = state.replicas[k]
    i = replica["leaving"]
    replica["leaving"] = -1
    while i >= 0:
        following = more[i]["link"]
        if state.requests[i]["state"] == WRITING:
            quit_step(fixed, state, more, k, i, stop_writing(fixed, state, more, k, i))
        elif replica["reading"] == i:
            replica["reading"] = -1
            quit_step(fixed, state, more, k, i, state.requests[i]["base"])
        i = following


@compiled
def quit_step(fixed: Any, state: Any, more: Any, k: int, i: int, tokens: int) -> None:
    """Let a running request leave with so many tokens in the cache."""
    replica = state.replicas[k]
    free_pages(fixed, state, k, i, tokens, True)
    part(replica, state.requests, i)
    replica["requests"] -= 1
    replica["work"] -= fixed.prompt[i] + fixed.output[i]
    state.requests[i]["state"] = more[i]["quits"]
