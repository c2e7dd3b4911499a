"""A day of a cluster in windows: what came, what each replica was at, and what requests that ended waited for.

The run goes on in slices of events. What each replica is at is the event loop's own state at the first slice after a
window's end; all else is counted from the requests that ended in the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.layout import DONE, NEXT, REFUSED, SPAWNED
from roundtrip.fleet.records import Records, records
from roundtrip.fleet.simulate import Run
from roundtrip.lab import fleet

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment

Floats = NDArray[np.float64]

WINDOWS = 96
SHOWN = 12  # requests of a window that are shown one by one
SLICE = 200  # events between two looks at the clock
MOST_EVENTS = 20_000_000
QUANTILES = (50.0, 99.0)
DIGITS = 4


class Day:
    """A run of a day that can go on.

    Attributes
    ----------
    rows : list of dict
        Windows that are over.
    is_done : bool
        Nothing is left to happen, or the limit of events is reached.
    """

    def __init__(self, spec: fleet.Spec, windows: int = WINDOWS, shown: int = SHOWN) -> None:
        self.spec = spec
        self.windows = windows
        self.shown = shown
        self.limits = fleet.slo(spec)
        self.run = Run(fleet.work(spec), fleet.cluster(spec))
        self.rows: list[dict[str, Any]] = []
        self.left: int | None = None  # requests under way at midnight
        self.is_done = False
        self.events = 0

    def head(self) -> dict[str, Any]:
        """Return what is known before the first event."""
        cluster = self.run.deployment
        kind = cluster.kinds[0]
        return {
            "spec": self.spec.as_dict(),
            "kind": kind.name,
            "accelerators": kind.accelerators,
            "cache_token": kind.pages * cluster.page_tokens,
            "requests": len(self.run.work),
            "windows": self.windows,
            "hour_s": self.spec.hour,
            "causes": causes(self.run),
            "command": fleet.command(self.spec),
            "curve": curve(self.run, self.spec.token),
        }  # fmt: skip

    def go(self, events: int) -> list[dict[str, Any]]:
        """Handle so many events at most, and return the windows that ended with them; at most one at a time."""
        before = len(self.rows)
        most = self.events + events
        while not self.is_done and self.events < most and len(self.rows) == before:
            over = self.run.step(SLICE)
            self.events += SLICE
            now_s = now(self.run)
            if len(self.rows) < self.windows and now_s >= self._end_s(len(self.rows)):
                self.rows.append(self._row(len(self.rows)))
            if len(self.rows) == self.windows and self.left is None:
                self.left = _under_way(self.run)
            self.is_done = (over and len(self.rows) == self.windows) or self.events >= MOST_EVENTS
        return self.rows[before:]

    def summary(self) -> dict[str, Any]:
        """Return the figures of the whole run: those of ``roundtrip fleet run``."""
        found = records(self.run, not self.is_done or self.events >= MOST_EVENTS)
        return {
            **found.summary(self.limits),
            "interrupted": found.interrupted,
            "left_at_midnight": self.left if self.left is not None else _under_way(self.run),
            "paid": paid(found),
        }

    def _end_s(self, window: int) -> float:
        return self.spec.day_s * (window + 1) / self.windows

    def _row(self, window: int) -> dict[str, Any]:
        start_s, end_s = self._end_s(window - 1), self._end_s(window)
        found = records(self.run)
        rows = self.run.state.requests
        with np.errstate(invalid="ignore"):
            ended = np.flatnonzero((rows["state"] == DONE) & (rows["last_s"] > start_s) & (rows["last_s"] <= end_s))
            arrived = (rows["arrived_s"] > start_s) & (rows["arrived_s"] <= end_s)
        refused = int((arrived & (rows["state"] == REFUSED)).sum())
        width_s = end_s - start_s
        return shortened({
            "hour": (window + 1) * fleet.HOURS / self.windows,
            "arrivals_per_s": float(arrived.sum()) / width_s,
            "refused": refused,
            "ended": len(ended),
            **waits(found, ended, refused, width_s, self),
            "replicas": replicas(self.run),
        })  # fmt: skip


def shortened(body: Any, digits: int = DIGITS) -> Any:
    """Return a body whose numbers have the digits that are seen."""
    if isinstance(body, float):
        return float(f"{body:.{digits - 1}e}")
    if isinstance(body, dict):
        return {key: shortened(value, digits) for key, value in cast("dict[str, Any]", body).items()}
    if isinstance(body, list):
        return [shortened(value, digits) for value in cast("list[Any]", body)]
    return body


def causes(run: Run) -> list[str]:
    """Return the parts of a wait in this run, in their order."""
    return list(records(run).waits(np.empty(0, np.int64)))


def waits(found: Records, ended: NDArray[np.int64], refused: int, width_s: float, day: Day) -> dict[str, Any]:
    """Return what the requests that ended in a window waited for, how fast they were, how many were good."""
    parts = np.stack(list(found.waits(ended).values()), axis=1)
    rows = found.state.requests[ended]
    written = found.work.output[ended]
    if not len(ended):
        return {"waits_s": [0.0] * parts.shape[1], "first_s": None, "token_s": None, "good": None,
                "token_per_s_accelerator": 0.0, "token_per_s_user": None, "requests": []}  # fmt: skip
    first_s = rows["first_s"] - rows["arrived_s"]
    token_s = ((rows["last_s"] - rows["first_s"]) / np.maximum(written - 1, 1))[written > 1]
    good = float(found.within(day.limits)[ended].sum()) / (len(ended) + refused)
    order = np.argsort(parts.sum(axis=1), kind="stable")
    picks = order[((np.arange(day.shown) + 0.5) * len(order) / day.shown).astype(np.int64)] if day.shown else order[:0]
    return {
        "waits_s": parts.mean(axis=0).tolist(),
        "first_s": np.percentile(first_s, QUANTILES).tolist(),
        "token_s": np.percentile(token_s, QUANTILES).tolist() if len(token_s) else None,
        "good": good,
        "token_per_s_accelerator": float(written.sum()) / width_s / found.deployment.accelerators,
        "token_per_s_user": 1.0 / float(np.median(token_s)) if len(token_s) else None,
        "requests": parts[picks].tolist(),
    }


def paid(found: Records) -> dict[str, Any] | None:
    """Return what a request took of energy, water, carbon and money, and the mean power; None where nobody knows."""
    from roundtrip.fleet.account import account, missing

    if missing(found) or not found.done.any():
        return None
    made = account(found)
    each = {name: float(made.each(name)["request"] or 0.0) for name in made.amounts}
    low, high = made.bands["energy_J"]
    return {
        "energy_J": each["energy_J"],
        "energy_band_J": [low / made.requests, high / made.requests],
        "output_token_J": made.each("energy_J")["output_token"],
        "water_L": each["water_on_site_L"] + each["water_off_site_L"],
        "carbon_g": each["carbon_g"],
        "rent_usd": each["rent_usd"],
        "mean_power_W": made.power_W,
    }


def replicas(run: Run) -> dict[str, list[Any]]:
    """Return what each replica is at: answers it writes, prompts it reads, requests that wait, shares of its cache."""
    rows = run.state.replicas
    pages = rows["pages"]
    return {
        "writing": rows["writing"].tolist(),
        "reading": (rows["running"] - rows["writing"]).tolist(),
        "waiting": rows["waiting"].tolist(),
        "used": ((pages - rows["free"]) / pages).tolist(),
        "kept": (kept_pages(run) / pages).tolist(),
    }


def kept_pages(run: Run) -> NDArray[np.int64]:
    """Return the pages of each replica that nobody uses but that still hold a prefix."""
    from roundtrip.fleet.layout import NODES

    count = len(run.state.replicas)
    nodes = int(run.fixed.policy[NODES])
    runs = run.state.runs[: count * nodes].reshape(count, nodes) if len(run.state.runs) else None
    if runs is None:
        return np.zeros(count, np.int64)
    return np.where(runs["refs"] == 0, runs["present"], 0).sum(axis=1)


def now(run: Run) -> float:
    """Return the time of the next event: all before it is known; infinite at the end [s]."""
    state = run.state
    times = [float(state.plan_keys[0])]
    i = int(state.counters[NEXT])
    if i < run.work.given:
        times.append(float(run.work.arrival_s[i]))
    if state.counters[SPAWNED]:
        times.append(float(state.late_keys[0]))
    return min(times)


def _under_way(run: Run) -> int:
    rows = run.state.replicas
    return int((rows["running"] + rows["waiting"]).sum())


def curve(run: Run, goal_s: float) -> dict[str, Any]:
    """Return throughput of an accelerator against speed of a user, by batch, if nothing is done but writing.

    Every answer has the load's mean context. ``room`` is the batch at which such contexts fill the cache; `goal_s` is
    the most that a token may take.
    """
    cluster: Deployment = run.deployment
    kind = cluster.kinds[0]
    context = float(run.work.prompt.mean() + run.work.output.mean() / 2.0)
    batches = np.unique(np.minimum(2 ** np.arange(11), cluster.max_sequences))
    times = kind.times
    step_s = np.array(
        [
            times.rows_s[n] + n * times.sequence_s + np.interp(context, times.context, times.context_s[n])
            for n in batches
        ]
    )
    return {
        "batch": batches.tolist(),
        "token_per_s_user": (1.0 / step_s).tolist(),
        "token_per_s_accelerator": (batches / step_s / kind.accelerators).tolist(),
        "context_token": context,
        "goal_token_per_s_user": 1.0 / goal_s,
        "room": kind.pages * cluster.page_tokens / context,
    }
