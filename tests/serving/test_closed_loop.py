"""The closed form of a closed loop, beside a plain simulation of the same server step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from roundtrip.serving import step
from roundtrip.serving.closed_loop import decode_step_s, held_streams, of, split
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import Setup

SETUP = Setup.of("llama-3.1-8b", "h100-sxm")
# No client and no wave: the server alone.
BARE = {**SETUP.known, "engine_overhead_s": 0.0, "client_time_s": 0.0, "wave_share": 0.0}


def simulated(s: Setup, clients: int, prompt: int, answer: int, rounds: int) -> tuple[float, float]:
    """Step through a server that reads one prompt at a time, beside those that write; lengths of answers are drawn."""
    random = np.random.default_rng(3)
    left = random.integers(1, answer, clients)  # so that not all end at once
    length = np.full(clients, answer)
    now, waiting = 0.0, []
    first: list[float] = []
    token: list[float] = []
    began = np.zeros(clients)
    asked = np.full(clients, np.nan)
    for _ in range(rounds * answer):
        writing = np.flatnonzero(left > 0)
        rows = len(writing) + (prompt if waiting else 0)
        pairs = prompt * (prompt + 1) / 2.0 if waiting else 0.0
        streams = len(writing) + bool(waiting)
        context = float(prompt + (length[writing] - left[writing]).mean()) if len(writing) else 0.0
        now += float(step.step_s(s, rows, streams, context, pairs)) if rows else 0.0
        left[writing] -= 1
        if waiting:
            i = waiting.pop(0)
            first.append(now - asked[i])
            length[i] = random.integers(answer // 2, answer * 3 // 2)
            left[i], began[i] = length[i] - 1, now
        for i in writing[left[writing] == 0]:
            if began[i]:
                token.append((now - began[i]) / (length[i] - 1))
            asked[i] = now
            waiting.append(i)
    return float(np.mean(first[clients:])), float(np.mean(token))


@pytest.mark.parametrize(("clients", "prompt", "answer"), [(1, 1024, 128), (8, 1024, 256), (32, 2048, 256)])
def test_a_plain_simulation_agrees(clients: int, prompt: int, answer: int) -> None:
    ttft_s, tpot_s = simulated(replace(SETUP, constants=BARE), clients, prompt, answer, rounds=8)
    found = of(replace(SETUP, constants=BARE), clients, prompt, answer)
    assert found.tpot_s == pytest.approx(tpot_s, rel=0.08)
    assert found.ttft_s == pytest.approx(ttft_s, rel=0.25)


def test_one_client_waits_for_nobody() -> None:
    found = of(replace(SETUP, constants=BARE), 1.0, 1024.0, 1024.0)
    assert found.ttft_s == pytest.approx(float(step.prefill_s(SETUP, 1024.0)))
    assert found.tpot_s == pytest.approx(float(step.decode_s(SETUP, 1.0, 1536.0)))


def test_littles_law_holds_while_all_caches_fit() -> None:
    found = of(SETUP, np.array([4.0, 16.0, 64.0]), 1024.0, 512.0)
    assert (found.batch <= np.array([4.0, 16.0, 64.0])).all()
    assert (np.diff(found.tpot_s) > 0.0).all()
    assert (np.diff(found.ttft_s) > 0.0).all()


def test_beyond_the_memory_clients_wait_for_a_place_and_tokens_come_no_slower() -> None:
    room = float(held_streams(SETUP.case, SETUP.known, 8192.0, 1024.0))
    below, above = of(SETUP, room * 0.9, 8192.0, 1024.0), of(SETUP, room * 3.0, 8192.0, 1024.0)
    assert above.batch <= room
    assert above.ttft_s > below.ttft_s + 1024.0 * below.tpot_s
    assert above.tpot_s < 1.3 * below.tpot_s


def test_weights_that_do_not_fit_are_answered_slowly_not_never() -> None:
    big = Setup.of("llama-3.1-405b", "h100-sxm")
    found = of(big, 64.0, 1024.0, 1024.0)
    assert np.isfinite(found.ttft_s)
    assert found.held >= 1.0


def test_apart_tokens_come_without_the_prompts_of_others() -> None:
    c, k = SETUP.case, SETUP.known
    load = (np.array([64.0]), np.array([8192.0]), np.array([256.0]))
    together = of(SETUP, *load)
    apart = split(c, c, k, *load, np.array([8.0]), np.array([1.0]))
    assert apart.tpot_s[0] < together.tpot_s[0]
    assert apart.tpot_s[0] == pytest.approx(float(decode_step_s(c, k, apart.batch, 8320.0)[0]), rel=0.01)


def test_too_few_readers_starve_the_writers() -> None:
    c, k = SETUP.case, SETUP.known
    load = (np.array([256.0]), np.array([8192.0]), np.array([128.0]))
    few, many = (split(c, c, k, *load, np.array([n]), np.array([1.0])) for n in (1.0, 64.0))
    assert few.batch[0] < 0.5 * many.batch[0]
    assert few.ttft_s[0] > 3.0 * many.ttft_s[0]


def test_groups_read_side_by_side() -> None:
    one = replace(SETUP, layout=Layout(tensor=1))
    eight = Setup.of("deepseek-v3", "h200-sxm", precision="fp8", layout=Layout(groups=8, expert=8))
    turns = {
        x: of(replace(eight, constants={**eight.known, "group_exponent": x}), 64.0, 2048.0, 512.0) for x in (0.0, 1.0)
    }
    assert turns[0.0].ttft_s > turns[1.0].ttft_s
    assert of(one, 1.0, 128.0, 128.0).load < 0.2
