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


def build(seed: int, count: int, kinds: int, replicas: int, **choices: Any) -> tuple[Workload, Deployment]:
    """Return a load and a cluster drawn from a seed and some choices."""
    rng = np.random.default_rng(seed)
    budget = int(rng.integers(8, 90))
    sequences = int(rng.integers(1, min(budget, 24) + 1))
    page = int(choices.pop("page"))
    longest = int(rng.integers(4, 160))
    prompt = rng.integers(1, longest + 1, count)
    output = np.minimum(rng.geometric(1.0 / rng.integers(1, 60), count), 200)
    need = -(-(prompt + output) // page)
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
        made.append(Kind("drawn", times, tight if pressure else roomy))
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
        page=draw(st.sampled_from([1, 2, 4, 7, 16])),
        pressure=draw(st.booleans()),
        mode=draw(st.sampled_from(["open", "clients", "sessions"])),
        policy=draw(st.sampled_from(POLICIES)),
        router=draw(st.sampled_from(routers)),
        admission=draw(st.sampled_from(ADMISSION)),
        chunked_prefill=draw(st.sampled_from([True, True, True, False])),
        prefix_cache=cache,
    )
