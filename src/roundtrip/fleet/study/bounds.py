"""How many replicas it takes at least: the work that must be done in time, over the time that there is.

A row of a step costs no less than the cheapest row of any step, an answer no less than its rows. Of the requests that
came in a window, all but those that may be late must be done with the window and the limit over. The bound takes away
the costliest of those that may be late, looks at windows of several lengths, and never says more than is needed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.slo import Limit
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload

Floats = NDArray[np.float64]

WINDOWS_S = (5.0, 20.0, 60.0, 300.0, 1800.0, 7200.0)
SLACK = 1e-9


def fewest_replicas(work: Workload, times: StepTimes, limits: tuple[Limit, ...], prefix_cache: bool = False) -> int:
    """Return a number of replicas below which no fleet of this kind can hold the limits.

    Parameters
    ----------
    work : Workload
        Requests; where ends release others, the bound is one.
    times : StepTimes
        Of a replica.
    limits : tuple of Limit
    prefix_cache : bool
        Prompts may be found in the cache, so that only answers are certain work.
    """
    if work.given < len(work):
        return 1
    prompts_s, answers_s = certain_work(work, times, prefix_cache)
    first = [limit for limit in limits if limit.measure == "ttft"]
    whole = [limit for limit in limits if limit.measure == "e2e"]
    each = [limit for limit in limits if limit.measure == "tpot"]
    found = 1
    for limit in first:
        found = max(found, _bound(work.arrival_s, prompts_s, limit.most_s, [limit]))
    for limit in whole:
        found = max(found, _bound(work.arrival_s, prompts_s + answers_s, limit.most_s, [limit]))
    for limit in first:
        for other in each:
            slack_s = limit.most_s + other.most_s * float(work.output.max() - 1)
            found = max(found, _bound(work.arrival_s, prompts_s + answers_s, slack_s, [limit, other]))
    return found


def certain_work(work: Workload, times: StepTimes, prefix_cache: bool = False) -> tuple[Floats, Floats]:
    """Return the least time of a replica that each prompt and each answer takes [s], (requests,) each."""
    rows = np.arange(1.0, len(times.rows_s))
    row_s = float((times.rows_s[1:] / rows).min())
    pair_s = max(float((np.diff(times.pairs_s) / np.diff(times.pairs)).min()), 0.0)
    prompt = work.prompt.astype(np.float64)
    answers_s: Floats = row_s * (work.output.astype(np.float64) - 1.0)
    prompts_s: Floats = row_s * prompt + pair_s * prompt * (prompt - 1.0) / 2.0
    return (np.zeros_like(prompt) if prefix_cache else prompts_s), answers_s


def _bound(
    arrival_s: Floats, work_s: Floats, slack_s: float, limits: list[Limit]
) -> int:  # fmt: skip
    count = len(work_s)
    allowed = sum(count - 1 - math.floor((count - 1) * limit.percentile / 100.0) for limit in limits)
    spared_s = float(np.sort(work_s)[max(count - allowed, 0) :].sum())
    done_s = np.concatenate([[0.0], np.cumsum(work_s)])
    most = 0.0
    for width_s in (*WINDOWS_S, float(arrival_s[-1] - arrival_s[0])):
        ends = np.searchsorted(arrival_s, arrival_s + width_s, side="right")
        most = max(most, float((done_s[ends] - done_s[:-1]).max() - spared_s) / (width_s + slack_s))
    return max(math.ceil(most * (1.0 - SLACK)), 1)
