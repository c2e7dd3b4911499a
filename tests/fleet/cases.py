"""Random clusters and loads for the judge, small enough for it and mean enough for the event loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from roundtrip.fleet.deployment import ADMISSION, POLICIES, ROUTERS, Deployment, Kind
from roundtrip.fleet.times import StepTimes, polynomial
from roundtrip.fleet.workload import Workload


def bent(rng: np.random.Generator, budget: int, sequences: int) -> StepTimes:
    """Return step times with knots, jumps by rows and slopes that change."""
    knots = np.concatenate([[0.0], np.cumsum(rng.uniform(3.0, 60.0, rng.integers(1, 6)))])
    pairs = np.concatenate([[0.0], np.cumsum(rng.uniform(50.0, 5000.0, rng.integers(1, 4)))])
    steps = np.cumsum(rng.uniform(0.0, 1e-4, (sequences + 1, len(knots))), axis=1)
    beside = np.cumsum(rng.uniform(0.0, 3e-4, (sequences + 1, len(knots))), axis=1)
    return StepTimes(
        rows_s=rng.uniform(1e-3, 3e-3) + np.cumsum(rng.exponential(1e-5, budget + 1)),
        context=knots,
        context_s=steps * np.arange(sequences + 1)[:, None],
        pairs=pairs,
        pairs_s=np.cumsum(rng.uniform(0.0, 1e-3, len(pairs))),
        sequence_s=rng.uniform(0.0, 1e-4),
        mixed_s=beside * np.arange(sequences + 1)[:, None],
    )


EVENTS = ("cancel", "timeout", "reasoning", "given failures", "drawn failures", "swap", "split", "drafts", "network")


def happen(
    seed: int, events: Any, horizon_s: float, replicas: int, count: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is drawn for some of `EVENTS`: of the load, and of the cluster."""
    rng = np.random.default_rng([seed, 7])
    scale_s = max(horizon_s, 0.05)
    load: dict[str, Any] = {}
    cluster: dict[str, Any] = {}
    if "cancel" in events:
        patience_s = rng.exponential(scale_s * rng.choice([0.1, 1.0]), count) + 1e-6
        load["cancel_s"] = np.where(rng.random(count) < 0.6, patience_s, np.inf)
    if "timeout" in events:
        cluster["timeout_s"] = scale_s * rng.uniform(0.05, 2.0)
    if "given failures" in events:
        outages: list[tuple[int, float, float]] = []
        for k in range(replicas):
            at_s = 0.0
            for _ in range(int(rng.integers(0, 4))):
                down_s = at_s + rng.exponential(scale_s)
                at_s = down_s + rng.exponential(0.5 * scale_s)
                outages.append((k, down_s, np.inf if rng.random() < 0.1 else at_s))
                if outages[-1][2] == np.inf:
                    break
        cluster["failures"] = tuple(outages)
    elif "drawn failures" in events:
        cluster["mtbf_s"], cluster["mttr_s"] = scale_s * rng.uniform(0.5, 2.0), scale_s * rng.uniform(0.05, 0.5)
    if cluster.keys() & {"mtbf_s"} or cluster.get("failures"):
        cluster["on_failure"] = "retry" if rng.random() < 0.7 else "fail"
    if "swap" in events:
        cluster |= {"preemption": "swap", "swap_B_s": 10.0 ** rng.uniform(4, 7)}
    if "split" in events and replicas > 1:
        cluster |= {"prefill_replicas": int(rng.integers(1, replicas)), "link_B_s": 10.0 ** rng.uniform(4, 8),
                    "link_latency_s": float(rng.choice([0.0, 1e-3]))}  # fmt: skip
    if "network" in events:
        cluster["network_rtt_s"] = rng.uniform(0.0, 0.1)
    return load, cluster


def build(
    seed: int, count: int, kinds: int, replicas: int, events: Any = (), **choices: Any
) -> tuple[Workload, Deployment]:
    """Return a load and a cluster drawn from a seed, some choices, and what may happen."""
    rng = np.random.default_rng(seed)
    budget = int(rng.integers(8, 90))
    sequences = int(rng.integers(1, min(budget, 24) + 1))
    also = np.random.default_rng([seed, 8])
    if "drafts" in events:
        drafts = min(int(also.integers(1, 5)), budget - 1)
        sequences = max(min(sequences, budget // (1 + drafts)), 1)
        choices |= {"draft_tokens": drafts, "acceptance": float(also.choice([0.0, 1.0, also.random()])),
                    "draft_s": also.uniform(0.0, 1e-3)}  # fmt: skip
    page = int(choices.pop("page"))
    longest = int(rng.integers(4, 160))
    prompt = rng.integers(1, longest + 1, count)
    output = np.minimum(rng.geometric(1.0 / rng.integers(1, 60), count), 200)
    need = -(-(prompt + output + (6 if "drafts" in events else 0)) // page)
    pressure = choices.pop("pressure")
    roomy = int(need.sum()) + 1
    tight = int(need.max() * (1.0 + 2.0 * rng.random())) + (0 if rng.random() < 0.2 else 1)
    made = []
    for _ in range(kinds):
        if rng.random() < 0.5:
            times = bent(rng, budget, sequences)
        else:
            times = polynomial(
                budget, sequences, step_s=rng.uniform(1e-3, 5e-3), row_s=rng.uniform(0, 1e-4),
                sequence_s=rng.uniform(0, 1e-4), context_s=rng.uniform(0, 1e-6), pair_s=rng.uniform(0, 1e-6),
            )  # fmt: skip
        made.append(Kind("drawn", times, tight if pressure else roomy, token_B=also.uniform(10.0, 200.0)))
    mode = choices.pop("mode")
    rate = rng.uniform(2.0, 400.0)
    arrival = np.sort(np.cumsum(rng.exponential(1.0 / rate, count)) * (1.0 if rng.random() < 0.8 else 0.0))
    more: dict[str, Any] = {}
    if mode == "clients":
        more = {"clients": int(rng.integers(1, 9)), "given": min(int(rng.integers(1, 9)), count)}
    elif mode == "sessions":
        first = max(count // 3, 1)
        following = np.full(count, -1)
        ends = list(range(first))
        for j in range(first, count):
            i = int(rng.integers(0, len(ends)))
            following[ends[i]] = j
            ends[i] = j
        more = {"given": first, "following": following, "delay_s": rng.exponential(0.05, count)}
    blocks = int(rng.integers(1, 4)) * page
    if choices.get("prefix_cache"):
        ids: list[int] = []
        offsets = [0]
        for i in range(count):
            family = int(rng.integers(0, 3))
            shared = int(rng.integers(0, 8))
            count_here = -(-int(prompt[i]) // blocks)
            ids += [100 * family + b if b < shared else 1000 * (i + 1) + b for b in range(count_here)]
            if rng.random() < 0.2:  # a trace may name fewer blocks than there are
                del ids[offsets[-1] + 1 :]
            offsets.append(len(ids))
        more |= {"offsets": np.array(offsets), "ids": np.array(ids, np.int64), "block_tokens": blocks}
    load, cluster = happen(seed, events, float(arrival[-1]), replicas, count)
    if "reasoning" in events:
        load["reasoning"] = also.integers(0, output + 1)
    more |= load
    choices |= cluster
    work = Workload(
        "drawn", arrival, prompt, output, priority=rng.integers(0, 3, count), session=rng.integers(0, 5, count), **more
    )
    deployment = Deployment(
        kinds=tuple(made),
        replicas=tuple(int(k) for k in rng.integers(0, kinds, replicas)),
        token_budget=budget,
        max_sequences=sequences,
        page_tokens=page,
        queue_limit=int(rng.integers(1, 6)) if rng.random() < 0.1 else 0,
        seed=seed % 1000,
        **choices,
    )
    return work, deployment


@st.composite
def cases(draw: st.DrawFn, most: int = 60) -> tuple[Workload, Deployment]:
    """Draw a load and a cluster."""
    cache = draw(st.booleans())
    routers = ROUTERS if cache else ROUTERS[:-1]
    return build(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, most)),
        draw(st.integers(1, 2)),
        draw(st.integers(1, 4)),
        draw(st.one_of(st.just(()), st.sets(st.sampled_from(EVENTS)))),
        page=draw(st.sampled_from([1, 2, 4, 7, 16])),
        pressure=draw(st.booleans()),
        mode=draw(st.sampled_from(["open", "clients", "sessions"])),
        policy=draw(st.sampled_from(POLICIES)),
        router=draw(st.sampled_from(routers)),
        admission=draw(st.sampled_from(ADMISSION)),
        plans_ahead=draw(st.booleans()),
        chunked_prefill=draw(st.sampled_from([True, True, True, False])),
        prefix_cache=cache,
    )
