"""Run a workload on a deployment, in slices, so that a run can tell how far it is and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.workload import Workload

SLICE = 200_000  # events; a slice takes some tens of milliseconds when compiled
SLOW_SLICE = 500


class Run:
    """A run that can go on: `step` handles a slice of events.

    Attributes
    ----------
    is_done : bool
        Nothing is left to happen.
    """

    def __init__(self, work: Workload, deployment: Deployment) -> None:
        from roundtrip.fleet.layout import fresh, given

        self.work = work
        self.deployment = deployment
        self.fixed = given(work, deployment)
        self.state = fresh(work, deployment, self.fixed)
        self.is_done = False

    def step(self, events: int) -> bool:
        """Handle so many events at most, and say whether the run is over."""
        from roundtrip.fleet.events import advance
        from roundtrip.fleet.layout import STUCK

        more = self.state.more if len(self.state.more) else None  # rows, where something can happen that needs them
        self.is_done = bool(advance(self.fixed, self.state, more, events))
        stuck = int(self.state.counters[STUCK])
        if stuck >= 0:
            raise DomainError(f"replica {stuck} has waiting requests but can start none of them")
        return self.is_done

    @property
    def finished(self) -> int:
        """Requests that are done, were refused or have left."""
        from roundtrip.fleet.layout import DONE_COUNT, LEFT_COUNT, REFUSED_COUNT

        return int(self.state.counters[[DONE_COUNT, REFUSED_COUNT, LEFT_COUNT]].sum())


def simulate(work: Workload, deployment: Deployment, progress: Callable[[int, int], None] | None = None) -> Any:
    """Run to the end, or to an interruption, and return the records.

    Parameters
    ----------
    work : Workload
    deployment : Deployment
    progress : callable, optional
        Called after each slice with the requests done and all of them.

    Returns
    -------
    Records
        Of what is done; `Records.interrupted` says whether something is missing.
    """
    from roundtrip.fleet.compiled import is_compiled
    from roundtrip.fleet.records import records

    run = Run(work, deployment)
    interrupted = False
    try:
        while not run.step(SLICE if is_compiled() else SLOW_SLICE):
            if progress:
                progress(run.finished, len(work))
    except KeyboardInterrupt:
        interrupted = True
    return records(run, interrupted)
