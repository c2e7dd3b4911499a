"""Energy, water, carbon and cost of a run: what its replicas drew, at work and waiting, and what follows from it.

=============  =======================================================================================================
head           what is in it
=============  =======================================================================================================
accelerators   standing power over the busy time, bytes and operations of all steps (`roundtrip.serving.power`)
waiting        idle power of accelerators between requests
host           their servers: a share of the accelerators' power at work, about half of that without
building       transformers, batteries, cooling: (PUE - 1) of all above
=============  =======================================================================================================

The run lasts from the first arrival to the last token; every accelerator is paid and powered for as long. Water and
carbon are by place; carbon of making the machines is the share of their life that the run takes. Rent pays for
electricity too, so the two are never added. Bands are p5 to p95 of the catalog's figures and of the errors that the
energy of a model not in the fit has; prices, grids and buildings have bands of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.errors import DomainError
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws
from roundtrip.fleet.deployment import Kind
from roundtrip.fleet.ledger import BUSY_S, FETCHED_B, LOOKED, PAIRS, ROWS
from roundtrip.fleet.records import Records
from roundtrip.serving.power import draw, host_energy_J, idle_energy_J, setup_work, step_energy_J, value_of
from roundtrip.stages.datacenter import embodied, power
from roundtrip.stages.model import silicon

Floats = NDArray[np.float64]
Value = Callable[[Figure, str], Any]

DATACENTER = "hyperscale-us"
GRID = "usa"
SAMPLES = 1000
HEADS = ("accelerators_J", "waiting_J", "host_J", "building_J")
AMOUNTS = (
    "energy_J", "water_on_site_L", "water_off_site_L", "carbon_g", "embodied_g", "electricity_usd", "rent_usd",
)  # fmt: skip
NEEDED = ("idle_power_W", "rated_power_W", "price_usd_h", "bf16_rate_flop_s")


@dataclass(frozen=True, slots=True)
class Totals:
    """What replicas of one kind did, as arrays over replicas or as sums.

    Attributes
    ----------
    busy_s, idle_s : float or array
        With a step and without [s].
    rows, sequences : float or array
        Tokens that went through the layers, and those of them that continued an answer.
    context : float or array
        Mean context that these looked back at [token].
    pairs : float or array
        Pairs of tokens in prompts.
    fetched_B : float or array
        Bytes of weights that were read [B].
    """

    busy_s: Any
    idle_s: Any
    rows: Any
    sequences: Any
    context: Any
    pairs: Any
    fetched_B: Any


@dataclass(frozen=True, slots=True)
class Account:
    """Energy and what follows from it.

    Attributes
    ----------
    datacenter, grid : str
        Keys of the catalog.
    duration_s : float
        Of the run [s].
    requests, output_tokens : int
        That are done, and written in them.
    amounts : dict
        `HEADS` and `AMOUNTS` of the whole run.
    bands : dict
        p5 and p95 of each.
    replica_J : array, (replicas,)
        Energy of each replica, its host and its part of the building [J].
    power_W : float
        Mean power of the whole cluster over the run, building included [W].
    """

    datacenter: str
    grid: str
    duration_s: float
    requests: int
    output_tokens: int
    amounts: dict[str, float]
    bands: dict[str, tuple[float, float]]
    replica_J: Floats
    power_W: float = 0.0
    notes: tuple[str, ...] = field(default=())

    def each(self, name: str) -> dict[str, float | None]:
        """Return an amount for each request that is done and each output token; None where there is none."""
        value = self.amounts[name]
        return {
            "request": value / self.requests if self.requests else None,
            "output_token": value / self.output_tokens if self.output_tokens else None,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "datacenter": self.datacenter,
            "grid": self.grid,
            "duration_s": self.duration_s,
            "mean_power_W": self.power_W,
            "amounts": dict(self.amounts),
            "bands": {name: list(band) for name, band in self.bands.items()},
            "per_request": {name: self.each(name)["request"] for name in AMOUNTS},
            "per_output_token": {name: self.each(name)["output_token"] for name in AMOUNTS},
            "replicas_J": self.replica_J.tolist(),
            "notes": list(self.notes),
        }


def check(datacenter: str = DATACENTER, grid: str = GRID) -> None:
    """Refuse a building or a grid that the catalog does not have, before a run."""
    entry("datacenters", datacenter)
    if not entry("grids", grid).figures:
        raise DomainError(f"grid {grid!r} is no place; see 'roundtrip catalog grids'")


def missing(found: Records) -> str:
    """Say why there is no account of a run, in a sentence; empty if there is one."""
    for kind in found.deployment.kinds:
        if kind.setup is None:
            return f"{kind.name}: its model and accelerator are not known, so there is no account of energy"
        figures = entry("accelerators", kind.setup.accelerator).figures
        lacking = [name for name in NEEDED if name not in figures]
        if lacking:
            return f"{kind.setup.accelerator}: {lacking[0]} is not in the catalog, so there is no account of energy"
    return ""


def account(found: Records, datacenter: str = DATACENTER, grid: str = GRID, samples: int = SAMPLES) -> Account:
    """Return energy, water, carbon and cost of a run.

    Parameters
    ----------
    found : Records
        The run, done or interrupted.
    datacenter, grid : str
        Keys of the catalog.
    samples : int
        From which bands are drawn; 0 for none.

    Raises
    ------
    DomainError
        If a kind of replica has no setup, or the catalog does not know what its accelerator draws: see `missing`.
    """
    check(datacenter, grid)
    reason = missing(found)
    if reason:
        raise DomainError(reason)
    replicas = np.array(found.deployment.replicas)
    replica_J = np.zeros(len(replicas))
    amounts: dict[str, float] = dict.fromkeys((*HEADS, *AMOUNTS), 0.0)
    spread = {name: np.zeros((1, 1)) for name in amounts}
    draws = Draws(samples) if samples else None
    for number, kind in enumerate(found.deployment.kinds):
        mine = replicas == number
        if not mine.any():
            continue
        each = priced(kind, totals(found, mine), datacenter, grid)
        replica_J[mine] = each["energy_J"]
        for name in amounts:
            amounts[name] += float(np.sum(each[name]))
        if draws is not None:
            whole = priced(kind, summed(totals(found, mine)), datacenter, grid, draws.draw, int(mine.sum()))
            spread = {name: spread[name] + whole[name] for name in amounts}
    bands: dict[str, tuple[float, float]] = {}
    if draws is not None:
        for name, values in spread.items():
            band = draws.band(np.broadcast_to(values, draws.shape))
            bands[name] = (band.low, band.high)
    duration_s = found.duration_s
    return Account(
        datacenter, grid, duration_s, int(found.done.sum()), int(found.work.output[found.done].sum()), amounts, bands,
        replica_J, amounts["energy_J"] / duration_s if duration_s > 0.0 else 0.0,
    )  # fmt: skip


def totals(found: Records, which: NDArray[np.bool_]) -> Totals:
    """Return what some replicas did, one value a replica."""
    ledger, replicas = found.state.ledger[which], found.state.replicas[which]
    busy_s = ledger[:, BUSY_S]
    sequences = (ledger[:, ROWS] - replicas["read"]) / found.deployment.width
    return Totals(
        busy_s,
        np.maximum(found.duration_s - busy_s, 0.0),
        ledger[:, ROWS],
        sequences,
        ledger[:, LOOKED] / np.maximum(sequences, 1.0),
        ledger[:, PAIRS],
        ledger[:, FETCHED_B],
    )


def summed(t: Totals) -> Totals:
    """Return the sums over replicas."""
    sequences = np.sum(t.sequences)
    return Totals(
        np.sum(t.busy_s), np.sum(t.idle_s), np.sum(t.rows), sequences,
        np.sum(t.context * t.sequences) / np.maximum(sequences, 1.0), np.sum(t.pairs), np.sum(t.fetched_B),
    )  # fmt: skip


def priced(
    kind: Kind, t: Totals, datacenter: str, grid: str, value: Value = value_of, replicas: int = 1
) -> dict[str, Any]:
    """Return `HEADS` and `AMOUNTS` of what replicas of a kind did: values, or with `Draws.draw` samples.

    Parameters
    ----------
    kind : Kind
        With a setup.
    t : Totals
        One value a replica, or sums over `replicas`.
    datacenter, grid : str
        Keys of the catalog.
    value : callable
        Makes a number or samples of a figure and its cause.
    replicas : int
        How many replicas a sum is over.
    """
    setup, chips = kind.setup, float(kind.accelerators)
    if setup is None:
        raise DomainError(f"{kind.name}: its model and accelerator are not known, so there is no account of energy")
    chip, site, place = (
        entry("accelerators", setup.accelerator), entry("datacenters", datacenter), entry("grids", grid),
    )  # fmt: skip
    made = entry("energy_accounts", "usual")

    def take(where: Any, name: str) -> Any:
        return value(where.figure(name), f"{where.key}.{name}")

    d = draw(setup.accelerator, value)
    w = setup_work(setup, t.rows, t.sequences, t.context, t.pairs, t.fetched_B)
    busy_J = step_energy_J(w, d, chips, t.busy_s)
    waiting_J = idle_energy_J(d, chips, t.idle_s)
    host_busy_J, host_idle_J = host_energy_J(d, chips, busy_J, t.busy_s, t.idle_s)
    equipment_J = busy_J + waiting_J + host_busy_J + host_idle_J
    building_J = power.overhead_J(equipment_J, take(site, "pue"))
    drawn_J = equipment_J + building_J
    held_s = chips * (t.busy_s + t.idle_s)
    return {
        "accelerators_J": busy_J,
        "waiting_J": waiting_J,
        "host_J": host_busy_J + host_idle_J,
        "building_J": building_J,
        "energy_J": drawn_J,
        "water_on_site_L": power.water_on_site_L(equipment_J, take(site, "water_usage_L_kWh")),
        "water_off_site_L": power.water_off_site_L(drawn_J, take(place, "water_intensity_L_kWh")),
        "carbon_g": power.carbon_g(drawn_J, take(place, "carbon_intensity_g_kWh")),
        "embodied_g": embodied.accelerator_g(
            held_s, take(made, "chip_carbon_kg"), take(made, "host_carbon_kg"), float(setup.case.server),
            take(made, "lifetime_s"), take(made, "busy_share"),
        ),
        "electricity_usd": power.electricity_cost_usd(drawn_J, take(place, "price_usd_kWh")),
        "rent_usd": silicon.rent_usd(take(chip, "price_usd_h"), held_s, 1.0),
    }  # fmt: skip
