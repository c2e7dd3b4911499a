"""What came out: every request's times and why it waited, and the figures over all of them.

The time of a request from arrival to last token is cut into parts that add up to it exactly: **queue** (nothing was
done for it yet), **prefill** (its prompt is read, with whatever else is in those steps), **preemption** (its pages were
taken: waiting and computing anew, up to the next token), **others' prefill** (what prompts of others added to the steps
in which it wrote) and **decode** (the rest of those steps). Where they can happen there are four more: **swap** (its
pages lay in the host's memory, or a step waited for pages of others that came and went), **failure** (from the failure
of its replica to the next token), **transfer** (from the end of its prompt on one replica to its first step on another)
and **network** (there and back).

Times of a request are those that its client sees: where the network takes time, tokens come later by a round trip, and
the start of its first step by half of it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.layout import CANCELED, DONE, EVENTS, FAILED, REFUSED, SERIES, TIMED_OUT, State
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.speculate import mean_tokens
from roundtrip.fleet.workload import Workload

if TYPE_CHECKING:
    from roundtrip.fleet.simulate import Run

Floats = NDArray[np.float64]

SCHEMA = "roundtrip.fleet/1"
CAUSES = ("queue", "prefill", "preemption", "others_prefill", "decode")
RARE_CAUSES = ("swap", "failure", "transfer", "network")
TITLES = {
    "queue": "in the queue",
    "prefill": "its prompt is read",
    "preemption": "preempted, computed anew",
    "others_prefill": "others' prompts are read",
    "decode": "its answer is written",
    "swap": "swapped to the host",
    "failure": "replica failed, done anew",
    "transfer": "its cache is sent",
    "network": "network",
}
ENDS = {"done": DONE, "refused": REFUSED, "canceled": CANCELED, "timed out": TIMED_OUT, "failed": FAILED}
MEASURES = ("ttft", "tpot", "e2e", "queue")
QUANTILES = (50, 90, 95, 99)
ROWS = 10_000
NAMED = 20  # refused requests that a report names
COLUMNS = (
    "request", "state", "replica", "arrival_s", "started_s", "first_token_s", "last_token_s", "prompt_tokens",
    "output_tokens", "cached_tokens", "preemptions", "ttft_s", "tpot_s", *(f"{cause}_s" for cause in CAUSES),
)  # fmt: skip
RARE_COLUMNS = (*(f"{cause}_s" for cause in RARE_CAUSES), "left_s", "first_visible_token_s", "retries")


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a run.

    Attributes
    ----------
    work, deployment : Workload, Deployment
        What was run.
    state : State
        The state at the end.
    interrupted : bool
        The run was stopped: requests without a last token were still under way or had not arrived.
    """

    work: Workload
    deployment: Deployment
    state: State
    interrupted: bool = False

    @cached_property
    def done(self) -> NDArray[np.bool_]:
        """Which requests are done, (requests,)."""
        return self.state.requests["state"] == DONE

    @cached_property
    def refused(self) -> NDArray[np.int64]:
        """Numbers of the requests that were refused."""
        return np.flatnonzero(self.state.requests["state"] == REFUSED)

    def measure(self, name: str) -> Floats:
        """Return one of `MEASURES` for each request that is done (of an answer of one token, no ``tpot``) [s]."""
        values_s = self.each(name)
        return values_s[self.done & ~np.isnan(values_s)]

    def each(self, name: str) -> Floats:
        """Return a measure for every request, (requests,) [s]; NaN for what did not happen.

        ``ttft``, ``tpot`` (of answers of two tokens or more), ``e2e``, ``queue``; ``visible``: the first token after
        the reasoning, where there is some.
        """
        rows, rtt_s = self.state.requests, self.deployment.network_rtt_s
        if name == "tpot":
            output = self.work.output
            return np.where(output > 1, (rows["last_s"] - rows["first_s"]) / np.maximum(output - 1, 1), np.nan)
        if name == "queue":
            return rows["started_s"] - rows["arrived_s"]
        if name == "visible":
            return self.state.more["visible_s"] - rows["arrived_s"] + rtt_s
        return rows[{"ttft": "first_s", "e2e": "last_s"}[name]] - rows["arrived_s"] + rtt_s

    def ended(self, word: str) -> int:
        """Return how many requests ended in a way: one of `ENDS`."""
        return int((self.state.requests["state"] == ENDS[word]).sum())

    @property
    def is_rich(self) -> bool:
        """Say whether something could happen to requests that has a row and causes of its own."""
        return len(self.state.more) > 0 or self.deployment.network_rtt_s > 0.0

    def waits(self, which: NDArray[Any] | None = None) -> dict[str, Floats]:
        """Return the parts of each request's time, those of `which` or all that are done [s]."""
        which = self.done if which is None else which
        rows = self.state.requests[which]
        out_s = rows["lost_s"].copy()
        rare: dict[str, Floats] = {}
        if self.is_rich:
            none = np.zeros(len(rows))
            names = {"swap": "swap_s", "failure": "failed_s", "transfer": "transfer_s"}
            more = self.state.more[which] if len(self.state.more) else None
            rare = {cause: none if more is None else more[name].copy() for cause, name in names.items()}
            out_s = out_s + sum(rare.values())
            rare["network"] = none + self.deployment.network_rtt_s
        late_s = out_s - rows["early_s"]
        return {
            "queue": rows["started_s"] - rows["arrived_s"],
            "prefill": rows["first_s"] - rows["started_s"] - rows["early_s"],
            "preemption": rows["lost_s"].copy(),
            "others_prefill": rows["others_s"].copy(),
            "decode": rows["last_s"] - rows["first_s"] - rows["others_s"] - late_s,
            **rare,
        }

    @property
    def duration_s(self) -> float:
        """Return the time from the first arrival to the last token, or until the last client has hung up."""
        if not self.done.any():
            return 0.0
        rows, more = self.state.requests, self.state.more
        end_s = float(np.nanmax(rows["last_s"]))
        if len(more) and np.isfinite(more["left_s"]).any():
            end_s = max(end_s, float(np.nanmax(more["left_s"])))
        return end_s - float(np.nanmin(rows["arrived_s"])) + self.deployment.network_rtt_s

    def good(self, limits: tuple[Limit, ...]) -> float:
        """Return the share of all requests that were done within every limit, whatever percentile it is meant for."""
        return float(self.within(limits).mean())

    def within(self, limits: tuple[Limit, ...]) -> NDArray[np.bool_]:
        """Return which requests were done within every limit, (requests,)."""
        ok = self.done.copy()
        for limit in limits:
            values_s = self.each(limit.measure)
            ok &= (values_s <= limit.most_s) | ((limit.measure == "tpot") & np.isnan(values_s))
        return ok

    def quantiles(self, name: str) -> dict[str, float]:
        """Return mean, percentiles and maximum of a measure [s]; empty where nothing is done."""
        values = self.measure(name)
        if not len(values):
            return {}
        found = np.percentile(values, QUANTILES)
        return {
            "mean": float(values.mean()),
            **{f"p{q}": float(x) for q, x in zip(QUANTILES, found, strict=True)},
            "max": float(values.max()),
        }

    def summary(self, limits: tuple[Limit, ...] = ()) -> dict[str, Any]:
        """Return the figures over all requests."""
        rows, replicas, count = self.state.requests, self.state.replicas, len(self.work)
        duration_s = self.duration_s
        written = int(self.work.output[self.done].sum())

        def rate(x: float) -> float | None:
            return x / duration_s if duration_s > 0.0 else None

        busy_s = float(self.state.series[:, 0].sum())
        body: dict[str, Any] = {
            "requests": count,
            "done": int(self.done.sum()),
            "refused": len(self.refused),
            "duration_s": duration_s,
            "requests_per_s": rate(float(self.done.sum())),
            "output_tokens_per_s": rate(written),
            "output_tokens_per_s_per_accelerator": rate(written / self.deployment.accelerators),
            "preemptions": int(replicas["preemptions"].sum()),
            "steps": int(replicas["step"].sum()),
            "events": int(self.state.counters[EVENTS]),
            "mean_batch": float(self.state.series[:, 1].sum()) / busy_s if busy_s else 0.0,
            "busy_share": busy_s / (len(replicas) * duration_s) if duration_s > 0.0 else 0.0,
            "cached_share": float(rows["cached"][self.done].sum() / max(self.work.prompt[self.done].sum(), 1)),
            "prompt_tokens_read": int(replicas["read"].sum()),
            "pages_evicted": int(replicas["evicted"].sum()),
        }
        for name in MEASURES:
            body[f"{name}_s"] = self.quantiles(name)
        body |= self._rare()
        body["waits_s"] = {cause: float(x.mean()) if len(x) else 0.0 for cause, x in self.waits().items()}
        if limits:
            body["slo"] = [
                {**limit.as_dict(), "reached_s": limit.reached_s(self.measure(limit.measure)),
                 "holds": limit.holds(self.measure(limit.measure))} for limit in limits
            ]  # fmt: skip
            body["good_share"] = self.good(limits)
            body["goodput_per_s"] = rate(self.good(limits) * count)
        return body

    def _rare(self) -> dict[str, Any]:
        """Return the figures of what can happen only in some runs."""
        replicas, more, work = self.state.replicas, self.state.more, self.work
        body: dict[str, Any] = {}
        if len(more):
            body = {word.replace(" ", "_"): self.ended(word) for word in ("canceled", "timed out", "failed")}
            body |= {
                "failures": int(replicas["failures"].sum()),
                "retries": int(more["retries"].sum()),
                "pages_swapped": int(replicas["swapped"].sum()),
                "tokens_sent": int(replicas["sent"].sum()),
            }
        if len(work.reasoning):
            body["visible_s"] = self.quantiles("visible")
        if self.deployment.draft_tokens:
            body["tokens_per_step"] = mean_tokens(self.deployment.draft_tokens, self.deployment.acceptance)
        if len(work.priority) and self.deployment.policy == "priority":
            body["by_priority"] = [self._of_rank(int(rank)) for rank in np.unique(work.priority)[:NAMED]]
        return body

    def _of_rank(self, rank: int) -> dict[str, Any]:
        """Return the figures of the requests of one priority."""
        which = self.work.priority == rank
        body: dict[str, Any] = {"priority": rank, "requests": int(which.sum()), "done": int(self.done[which].sum())}
        for name in MEASURES:
            values_s = self.each(name)[which & self.done]
            values_s = values_s[~np.isnan(values_s)]
            if len(values_s):
                found = np.percentile(values_s, (50, 99))
                body[f"{name}_s"] = {"mean": float(values_s.mean()), "p50": float(found[0]), "p99": float(found[1])}
        return body

    def series(self) -> dict[str, list[float]]:
        """Return the run over time: means of each bucket over all replicas; those that wait are counted at its end."""
        width_s, rows = float(self.state.width_s[0]), self.state.requests
        used = np.flatnonzero(self.state.series.any(axis=1))
        count = int(used[-1]) + 1 if len(used) else 0
        table = dict(zip(SERIES, self.state.series[:count].T, strict=True))
        ends = (np.arange(count) + 1.0) * width_s

        def passed(name: str) -> NDArray[np.int64]:
            times = rows[name]
            return np.searchsorted(np.sort(times[np.isfinite(times)]), ends, side="right")

        tokens = 1.0
        if self.deployment.draft_tokens:  # the run counts steps
            tokens = mean_tokens(self.deployment.draft_tokens, self.deployment.acceptance)
        left_s = self.state.more["left_s"] if len(self.state.more) else np.empty(0)
        left = np.searchsorted(np.sort(left_s[np.isfinite(left_s)]), ends, side="right")
        unseen_s = left_s[np.isfinite(left_s) & np.isnan(rows["started_s"])] if len(left_s) else left_s
        unseen = np.searchsorted(np.sort(unseen_s), ends, side="right")
        accepted = rows["arrived_s"][rows["state"] != REFUSED]
        arrived = np.searchsorted(np.sort(accepted[np.isfinite(accepted)]), ends, side="right")
        pages_s = float(self.state.replicas["pages"].sum()) * width_s
        return {
            "end_s": ends.tolist(),
            "arrivals_per_s": (np.diff(arrived, prepend=0) / width_s).tolist(),
            "waiting": (arrived - passed("started_s") - unseen).tolist(),
            "in_system": (arrived - passed("last_s") - left).tolist(),
            "busy_replicas": (table["busy_s"] / width_s).tolist(),
            "writing": (table["writing_s"] / width_s).tolist(),
            "prompt_tokens_per_s": (table["read"] / width_s).tolist(),
            "output_tokens_per_s": (tokens * table["written"] / width_s).tolist(),
            "pages_share": (table["pages_s"] / pages_s).tolist(),
        }

    def as_dict(self, limits: tuple[Limit, ...] = ()) -> dict[str, Any]:
        """Return the JSON form; the requests themselves are written by `rows`."""
        replicas = self.state.replicas
        named = [
            {
                "request": int(i) + 1,
                "prompt_tokens": int(self.work.prompt[i]),
                "output_tokens": int(self.work.output[i]),
            }
            for i in self.refused[:NAMED]
        ]
        return {
            "schema": SCHEMA,
            "workload": self.work.as_dict(),
            "deployment": self.deployment.as_dict(),
            "interrupted": self.interrupted,
            "summary": self.summary(limits),
            "refused": named,
            "replicas": [
                {
                    "kind": self.deployment.kinds[r["kind"]].name, "pages": int(r["pages"]), "steps": int(r["step"]),
                    "written": int(r["written"]), "read": int(r["read"]), "preemptions": int(r["preemptions"]),
                }
                for r in replicas
            ],
            "series": self.series(),
        }  # fmt: skip

    def rows(self) -> Iterator[str]:
        """Yield the requests as CSV in parts: a head, then so many lines each; what did not happen stays empty."""
        yield ",".join(COLUMNS + (RARE_COLUMNS if self.is_rich else ())) + "\n"
        names, rtt_s = {state: word for word, state in ENDS.items()}, self.deployment.network_rtt_s
        tpot_s = self.each("tpot")
        for start in range(0, len(self.work), ROWS):
            part = slice(start, min(start + ROWS, len(self.work)))
            rows = self.state.requests[part]
            which = np.arange(part.start, part.stop)
            waits = {cause: np.where(self.done[part], x, np.nan) for cause, x in self.waits(which).items()}
            columns: list[Any] = [
                which + 1,
                [names.get(state, "unfinished") for state in rows["state"].tolist()],
                rows["replica"],
                rows["arrived_s"], rows["started_s"] + rtt_s / 2.0, rows["first_s"] + rtt_s, rows["last_s"] + rtt_s,
                self.work.prompt[part], self.work.output[part], rows["cached"], rows["preemptions"],
                rows["first_s"] + rtt_s - rows["arrived_s"], tpot_s[part], *waits.values(),
            ]  # fmt: skip
            if self.is_rich:
                more = self.state.more[part] if len(self.state.more) else None
                columns += (
                    [np.full(len(rows), np.nan)] * 2 if more is None else [more["left_s"], more["visible_s"] + rtt_s]
                )
                columns.append(np.zeros(len(rows), np.int64) if more is None else more["retries"])
            sheet = io.StringIO()
            writer = csv.writer(sheet, lineterminator="\n")
            cells = [[_cell(x) for x in (c.tolist() if isinstance(c, np.ndarray) else c)] for c in columns]
            writer.writerows(zip(*cells, strict=True))
            yield sheet.getvalue()


def _cell(x: Any) -> Any:
    """Return a number as it is written: times to a nanosecond, nothing for what did not happen."""
    if not isinstance(x, float):
        return x
    return f"{x:.9f}".rstrip("0").rstrip(".") if math.isfinite(x) else ""


def records(run: Run, interrupted: bool = False) -> Records:
    """Return the records of a run as it stands."""
    return Records(run.work, run.deployment, run.state, interrupted)
