"""Hold a run of the event loop against the judge."""

from __future__ import annotations

import numpy as np

from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.layout import REFUSED
from roundtrip.fleet.simulate import Run
from roundtrip.fleet.workload import Workload
from tests.fleet.oracle import Oracle

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def compare(work: Workload, deployment: Deployment) -> Oracle:
    """Run both and demand equal records; raise `Tie` where rounding would decide."""
    oracle = Oracle(work, deployment)
    jobs = oracle.run()
    run = Run(work, deployment)
    assert run.step(10_000_000)
    rows = run.state.requests
    for name in ("replica", "preemptions", "cached"):
        expected = np.array([getattr(job, name) for job in jobs])
        np.testing.assert_array_equal(rows[name], expected, err_msg=name)
    np.testing.assert_array_equal(rows["state"] == REFUSED, [job.refused for job in jobs], err_msg="refused")
    for column, name in (
        ("arrived_s", "arrived"), ("started_s", "started"), ("first_s", "first"), ("last_s", "last"),
        ("others_s", "others"), ("lost_s", "lost"), ("early_s", "early"),
    ):  # fmt: skip
        expected = np.array([getattr(job, name) for job in jobs], float)
        np.testing.assert_allclose(rows[column], expected, err_msg=name, **CLOSE)
    for server, replica in zip(oracle.servers, run.state.replicas, strict=True):
        assert replica["step"] == server.steps
        assert replica["free"] == replica["pages"]
        assert len(server.pool.free) == server.total
        assert replica["running"] == replica["waiting"] == replica["requests"] == replica["work"] == 0
    return oracle
