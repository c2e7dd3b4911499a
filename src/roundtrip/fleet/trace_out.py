"""A run in Chrome's trace event format, which Perfetto opens (https://ui.perfetto.dev): written line by line.

Each replica is a process with a track of its steps, counters of what runs, waits and fills its cache, and tracks of
requests. Times are whole nanoseconds, written with three digits after the microsecond, so that nothing overlaps by
rounding. What is in the file is bounded: some requests, and steps up to a number; the file says what was left out.

References
----------
.. [1] Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.records import SCHEMA, TITLES, Records
from roundtrip.fleet.watch import BREAK_CAUSES, Log
from roundtrip.trace.chrome import COLORS
from roundtrip.trace.json import dumps

SAMPLE = 200  # requests, where none are named
SLOWEST = 10  # one in so many of them is one of the slowest
CLUSTER, FIRST = 1, 10  # processes
STEPS, LANES = 1, 10  # tracks of a replica
OTHERS = "others' prompts"


def sample(found: Records, most: int = SAMPLE, window_s: tuple[float, float] = (0.0, np.inf)) -> list[int]:
    """Return at most so many requests that are done: the slowest to their first token, the others evenly by arrival.

    Parameters
    ----------
    found : Records
    most : int
    window_s : tuple of float
        Requests that are gone before or come after are left out [s].
    """
    rows = found.state.requests
    done = np.flatnonzero(found.done & (rows["last_s"] >= window_s[0]) & (rows["arrived_s"] < window_s[1]))
    if len(done) <= most:
        return done.tolist()
    rows = rows[done]
    slow = np.argsort(rows["arrived_s"] - rows["first_s"], kind="stable")[: most // SLOWEST]
    rest = np.setdiff1d(np.arange(len(done)), slow)
    even = rest[np.linspace(0, len(rest) - 1, most - len(slow)).round().astype(np.int64)]
    return done[np.sort(np.concatenate([slow, even]))].tolist()


def notes(found: Records, log: Log, chosen: Sequence[int], window_s: tuple[float, float] = (0.0, np.inf)) -> list[str]:
    """Return what a file of these requests and steps leaves out."""
    made: list[str] = []
    total = len(found.work)
    if len(chosen) < total:
        made.append(f"{len(chosen):,} of {total:,} requests")
    if window_s[0] > 0.0 or np.isfinite(window_s[1]):
        made.append(f"steps and requests from {window_s[0]:g} s to {window_s[1]:g} s")
    if np.isfinite(log.until_s):
        made.append(f"the first {len(log.plans):,} groups of steps, up to {log.until_s:.3f} s")
    if found.interrupted:
        made.append("interrupted: what is done by then")
    return made


def perfetto(found: Records, log: Log, chosen: Sequence[int], left_out: Sequence[str] = ()) -> Iterator[str]:
    """Yield the file in parts.

    Parameters
    ----------
    found : Records
    log : Log
        Of the same run, with the breaks of the chosen requests.
    chosen : sequence of int
        Requests, all done.
    left_out : sequence of str
        What the reader must know of what is missing; see `notes`.
    """
    other = {"schema": SCHEMA, "workload": found.work.name, "shown": list(left_out)}
    yield f'{{"displayTimeUnit":"ms","otherData":{dumps(other, indent=None)},"traceEvents":[\n'
    yield _event("M", CLUSTER, 0, name="process_name", args={"name": f"cluster: {found.work.name}"}, last=False)
    yield from _cluster(found)
    used = sorted({int(k) for k in np.unique(log.plans["replica"])} | {_replica(found, i) for i in chosen})
    for k in used:
        yield from _replica_events(found, log, k, [i for i in chosen if _replica(found, i) == k])
    yield _event("M", CLUSTER, 0, name="process_sort_index", args={"sort_index": 0}, last=True)
    yield "]}\n"


def _replica(found: Records, i: int) -> int:
    return int(found.state.requests["replica"][i])


def _cluster(found: Records) -> Iterator[str]:
    """Yield the run over time: the buckets that every run keeps."""
    series = found.series()
    names = ("in_system", "waiting", "writing", "busy_replicas", "pages_share")
    begin_s = 0.0
    for b, end_s in enumerate(series["end_s"]):
        for name in names:
            yield _event("C", CLUSTER, 0, begin_s, name=name.replace("_", " "), args={"value": series[name][b]})
        begin_s = end_s


def _replica_events(found: Records, log: Log, k: int, chosen: list[int]) -> Iterator[str]:
    kind = found.deployment.kinds[found.deployment.replicas[k]]
    pid = FIRST + k
    yield _event("M", pid, 0, name="process_name", args={"name": f"replica {k}: {kind.name}"})
    yield _event("M", pid, 0, name="process_sort_index", args={"sort_index": k + 1})
    yield _event("M", pid, STEPS, name="thread_name", args={"name": "steps"})
    yield _event("M", pid, STEPS, name="thread_sort_index", args={"sort_index": STEPS})
    plans = log.plans[log.plans["replica"] == k]
    for row in plans:
        steps, writing, tokens = int(row["steps"]), int(row["writing"]), int(row["tokens"])
        if steps:
            what = f"read {tokens}" + (f", write {writing}" if writing else "") if tokens else f"write {writing}"
            args = {"steps": steps, "writing": writing, "prompt_tokens": tokens,
                    "duration_s": float(row["end_s"] - row["start_s"]), "added_s": float(row["added_s"])}  # fmt: skip
            color = COLORS["moving charge" if tokens else "stored charge"]
            yield _event("X", pid, STEPS, float(row["start_s"]), float(row["end_s"]), name=what, cname=color, args=args)
        end_s = float(row["end_s"])
        for name in ("running", "waiting", "pages"):
            yield _event("C", pid, 0, end_s, name=name, args={"value": int(row[name])})
    if not chosen:
        return
    for tid, lane in enumerate(_lanes(found, chosen), start=LANES):
        yield _event("M", pid, tid, name="thread_name", args={"name": f"requests {tid - LANES + 1}"})
        yield _event("M", pid, tid, name="thread_sort_index", args={"sort_index": tid})
        for i in lane:
            yield from _request(found, log, plans, pid, tid, i)


def _lanes(found: Records, chosen: list[int]) -> list[list[int]]:
    """Return the requests on as few tracks as their overlaps allow."""
    rows = found.state.requests
    made: list[list[int]] = []
    ends: list[int] = []
    for i in sorted(chosen, key=lambda i: (rows["arrived_s"][i], i)):
        start, end = _ns(float(rows["arrived_s"][i])), _ns(float(rows["last_s"][i]))
        lane = next((n for n, last in enumerate(ends) if last <= start), len(ends))
        if lane == len(ends):
            made.append([])
            ends.append(0)
        made[lane].append(i)
        ends[lane] = end
    return made


def _request(found: Records, log: Log, plans: NDArray[Any], pid: int, tid: int, i: int) -> Iterator[str]:
    """Yield a request: the whole, its phases, and inside them when it was out of the steps and others' prompts came."""
    row = found.state.requests[i]
    arrived_s, started_s, first_s, last_s = (float(row[n]) for n in ("arrived_s", "started_s", "first_s", "last_s"))
    waits = {f"{cause}_s": float(x[0]) for cause, x in found.waits(np.array([i])).items()}
    args: dict[str, Any] = {
        "prompt_tokens": int(found.work.prompt[i]), "output_tokens": int(found.work.output[i]),
        "cached_tokens": int(row["cached"]), "preemptions": int(row["preemptions"]),
        "ttft_s": first_s - arrived_s + found.deployment.network_rtt_s,
        "e2e_s": last_s - arrived_s + found.deployment.network_rtt_s, **waits,
    }  # fmt: skip
    yield _event("X", pid, tid, arrived_s, last_s, name=f"request {i + 1}", args=args)
    own = log.breaks[log.breaks["request"] == i]
    breaks = [(float(b["start_s"]), float(b["end_s"]), BREAK_CAUSES[int(b["cause"])]) for b in own]
    phases = (
        (TITLES["queue"], arrived_s, started_s, "waiting"),
        (TITLES["prefill"], started_s, first_s, "moving charge"),
        (TITLES["decode"], first_s, last_s, "stored charge"),
    )
    for title, start_s, end_s, carrier in phases:
        yield _event("X", pid, tid, start_s, end_s, name=title, cname=COLORS[carrier])
        inside = [
            (max(a, start_s), min(b, end_s), TITLES.get(cause, cause), "heat") for a, b, cause in breaks
            if a < end_s and b > start_s
        ]  # fmt: skip
        if start_s == first_s:
            inside += [(a, b, OTHERS, "waiting") for a, b in others(plans, breaks, first_s, last_s)]
        for a, b, name, look in sorted(inside):
            yield _event("X", pid, tid, a, b, name=name, cname=COLORS[look])


def others(
    plans: NDArray[Any], breaks: Sequence[tuple[float, float, str]], first_s: float, last_s: float
) -> list[tuple[float, float]]:
    """Return when prompts of others held up a request that writes, at the end of each step that reads: (start, end).

    The steps are those of the replica that wrote its last token.
    """
    mask = (plans["added_s"] > 0.0) & (plans["start_s"] >= first_s) & (plans["end_s"] <= last_s)
    for start_s, end_s, _ in breaks:
        mask &= (plans["end_s"] <= start_s) | (plans["start_s"] >= end_s)
    return [(float(p["end_s"] - p["added_s"]), float(p["end_s"])) for p in plans[mask]]


def _event(
    ph: str, pid: int, tid: int, start_s: float | None = None, end_s: float | None = None, last: bool = False,
    **rest: Any,
) -> str:  # fmt: skip
    """Return one event; a slice ends where the next may begin, in whole nanoseconds."""
    times = ""
    if start_s is not None:
        start = _ns(start_s)
        times = f'"ts":{start // 1000}.{start % 1000:03d},'
        if end_s is not None:
            duration = _ns(end_s) - start
            times += f'"dur":{duration // 1000}.{duration % 1000:03d},'
    body = dumps({"pid": pid, "tid": tid, **rest}, indent=None)
    return f'{{"ph":"{ph}",{times}{body[1:]}{"" if last else ","}\n'


def _ns(time_s: float) -> int:
    return round(time_s * 1e9)
