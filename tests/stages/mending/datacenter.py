"""Vectors of the datacenter's functions that must fit together."""

from __future__ import annotations

import numpy as np

from tests.stages.sampling import mend


@mend("datacenter.queue.waiting_probability")
def whole_servers(drawn: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Servers are counted."""
    return {**drawn, "servers": np.floor(drawn["servers"])}
