"""What a run looked like over time, in a fixed number of buckets: when they are full, pairs become one."""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.compiled import compiled


@compiled
def note(state: Any, replica: Any, end_s: float, writing: int, steps: int) -> None:
    """Add a plan that ends now to the buckets that it lies in, evenly over its time."""
    series = state.series
    buckets = len(series)
    start_s = replica["now_s"]
    while end_s >= buckets * state.width_s[0]:
        for b in range(buckets // 2):
            for c in range(series.shape[1]):
                series[b, c] = series[2 * b, c] + series[2 * b + 1, c]
        series[buckets // 2 :] = 0.0
        state.width_s[0] *= 2.0
    if end_s <= start_s:
        return
    width_s = state.width_s[0]
    duration_s = end_s - start_s
    used = replica["pages"] - replica["free"]
    first, last = int(start_s / width_s), min(int(end_s / width_s), buckets - 1)
    for b in range(first, last + 1):
        inside_s = max(min(end_s, (b + 1) * width_s) - max(start_s, b * width_s), 0.0)
        share = inside_s / duration_s
        series[b, 0] += inside_s
        series[b, 1] += inside_s * writing
        series[b, 2] += share * replica["tokens"]
        series[b, 3] += share * writing * steps
        series[b, 4] += inside_s * used
