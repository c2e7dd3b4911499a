"""Hold a run of the event loop against the judge."""

from __future__ import annotations

import numpy as np

from roundtrip.fleet import layout
from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.simulate import Run
from roundtrip.fleet.workload import Workload
from tests.fleet.judge import Oracle, column

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
STATES = {
    "ahead": layout.AHEAD, "done": layout.DONE, "refused": layout.REFUSED, "canceled": layout.CANCELED,
    "timed out": layout.TIMED_OUT, "failed": layout.FAILED,
}  # fmt: skip


def compare(work: Workload, deployment: Deployment) -> Oracle:
    """Run both and demand equal records; raise `Tie` where rounding would decide."""
    oracle = Oracle(work, deployment)
    jobs = oracle.run()
    run = Run(work, deployment)
    assert run.step(10_000_000)
    rows, more = run.state.requests, run.state.more
    np.testing.assert_array_equal(rows["state"], [STATES[job.where] for job in jobs], err_msg="state")
    for name in ("replica", "preemptions", "cached"):
        np.testing.assert_array_equal(rows[name], column(jobs, name), err_msg=name)
    for name, where in (
        ("arrived_s", "arrived"), ("seen_s", "seen"), ("started_s", "started"), ("first_s", "first"),
        ("last_s", "last"),
        ("others_s", "others"), ("early_s", "early"),
    ):  # fmt: skip
        np.testing.assert_allclose(rows[name], column(jobs, where).astype(float), err_msg=name, **CLOSE)
    waits = {cause: np.array([job.waits[cause] for job in jobs]) for cause in jobs[0].waits}
    np.testing.assert_allclose(rows["lost_s"], waits["preempted"], err_msg="preempted", **CLOSE)
    if len(more):
        for name, cause in (("swap_s", "swapped"), ("transfer_s", "sent"), ("failed_s", "lost")):
            np.testing.assert_allclose(more[name], waits[cause], err_msg=name, **CLOSE)
        np.testing.assert_allclose(more["left_s"], column(jobs, "left"), err_msg="left", **CLOSE)
        np.testing.assert_array_equal(more["retries"], column(jobs, "retries"), err_msg="retries")
        if len(work.reasoning):
            np.testing.assert_allclose(more["visible_s"], column(jobs, "visible"), err_msg="visible", **CLOSE)
    for server, replica in zip(oracle.servers, run.state.replicas, strict=True):
        assert replica["step"] == server.steps
        assert replica["failures"] == server.failures
        assert replica["swapped"] == server.swapped
        assert replica["free"] == replica["pages"]
        assert len(server.pool.free) == server.total
        assert replica["running"] == replica["waiting"] == replica["requests"] == replica["work"] == 0
        assert replica["moving"] == replica["handed"] == replica["writing"] == replica["bases"] == 0
        assert replica["next"] == replica["head"] == replica["moving_head"] == -1
    return oracle
