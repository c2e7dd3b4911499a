"""One case of a sweep, run in this process or in another: options in, a row of figures out."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.cli.fleet_grid import FILES, Case, made
from roundtrip.errors import RoundtripError

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment
    from roundtrip.fleet.study.price import Price

ROOMS = ("fleet", "serving", "stages/model", "catalog", "figures")


def run_case(case: Case) -> dict[str, Any]:
    """Return the row of a case: its figures, or why it cannot be."""
    from roundtrip.fleet.simulate import simulate
    from roundtrip.fleet.study.figures import FIGURES, figures

    nothing: dict[str, Any] = dict.fromkeys(FIGURES)
    try:
        work, cluster, options = made(case)
        found = simulate(work, cluster)
    except RoundtripError as error:
        return nothing | {"status": "impossible", "reason": str(error)}
    if found.interrupted:
        raise KeyboardInterrupt
    return figures(found, price_of(options, cluster)) | {"status": "done", "reason": None}


def price_of(options: dict[str, Any], cluster: Deployment) -> Price | None:
    """Return the price of a cluster by the hour; None where an accelerator is not known or has no price."""
    from roundtrip.fleet.study.price import Price, price

    if options["step_times"] is not None:
        return None
    total = Price(0.0, 0.0, 0.0)
    for number, kind in enumerate(cluster.kinds):
        each = price(kind.setup.accelerator if kind.setup else options["accelerator"])
        if not each.value > 0.0:
            return None
        more = each.times(float(kind.accelerators * cluster.replicas.count(number)))
        total = Price(total.value + more.value, total.low + more.low, total.high + more.high)
    return total


@cache
def made_by() -> str:
    """Return a digest of the sources and the data that a case's figures come from."""
    import roundtrip

    home = Path(roundtrip.__file__).parent
    digest = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((home / room).rglob("*")):
            if path.suffix in (".py", ".toml", ".csv", ".json"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint(case: Case) -> str:
    """Return the content hash of a case: its options and what stands in its files."""
    files = {name: digest_of(case[name]) for name in (*FILES, "model") if name in case}
    body = dict(case) | {name: digest for name, digest in files.items() if digest}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:32]


@cache
def digest_of(path: str) -> str:
    """Return the digest of a file; empty where there is none (a model may be a file or a name)."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""
