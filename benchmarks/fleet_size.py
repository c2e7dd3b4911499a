"""The search for a fleet on a published trace: processor seconds of search, verdict and evidence, against a minute."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchmarks.cases import Result
from benchmarks.clock import best
from benchmarks.fleet import TRACES

TRACE = "AzureLLMInferenceTrace_conv.csv"
SLO = "ttft_p99=1s,tpot_p99=50ms"
LIMIT_S = 60.0


def size() -> Iterator[Result]:
    """Yield the time to find, judge and explain the cheapest fleet for 19,366 requests and a 70B model."""
    path = TRACES / TRACE
    name = "fleet size, Azure conversation"
    if not path.is_file():
        yield Result(name, math.nan, "s", note=f"no trace in {TRACES}")
        return
    from roundtrip.fleet.slo import limits
    from roundtrip.fleet.study.answer import answer
    from roundtrip.fleet.study.price import rented
    from roundtrip.fleet.study.size import size as search
    from roundtrip.fleet.study.space import Space
    from roundtrip.fleet.traces import read

    work, space = read(str(path)), Space("llama-3.1-70b", rented(), policy={"router": "least requests"})
    runs: list[int] = []

    def find() -> None:
        found = answer(search(work, limits(SLO), space))
        runs.append(found.sizing.bench.runs)

    seconds = best(find, rounds=2)
    yield Result(name, seconds, "s", LIMIT_S, note=f"{runs[-1]:,} fleets run, of {len(space.shapes())} kinds")


CASES = {"fleet-size": size}
