"""Energy, water, carbon and cost of one prompt inside a boundary that the reader draws.

A trip lays joules under three heads (who caused them). This module sorts the same joules by a second question: what
part of the world drew them. Each part is a switch, and a switched-off part is left out, never spread over the others.

=========  =============================================================  =======================================
switch     what is in it                                                  how it is shared out
=========  =============================================================  =======================================
chip       accelerators while they read and write this prompt             operations and bytes of its own; standing
                                                                          power and weights over the batch
host       their servers, and gateway, balancer, cards, switches          host power over the batch; busy cores by
                                                                          time; boxes by the bits they carry
idle       servers that stand ready for the peak                          accelerator time times servers that wait
                                                                          for each one at work
pue        transformers, batteries, cooling                               (PUE - 1) of what is inside of chip, host
                                                                          and idle
network    home router, access, routers, amplifiers, transponders         bits over what a box really carries; the
                                                                          home router by time, undivided
client     keyboard, computer, screen                                     by time, undivided
embodied   making chips, servers, computer, screen                        time held over time served in a life;
                                                                          carbon only
training   the run that made the weights                                  its energy over the tokens that the model
                                                                          writes in its life
=========  =============================================================  =======================================

The host's part of a span is what vanishes when the host's power is set to zero: the trip is linear in it. The time of
accelerators that an answer is charged with follows in the same way from their standing power.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roundtrip.catalog.load import entry
from roundtrip.catalog.load import load as load_kind
from roundtrip.errors import ScenarioError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws
from roundtrip.journey.program import Program, program
from roundtrip.journey.rooms.energy import BODY
from roundtrip.journey.scenario import Scenario
from roundtrip.stages.datacenter import carbon, embodied, load, power, standby, water
from roundtrip.stages.training import energy as training
from roundtrip.trace.model import HEADS, Trace

PARTS = ("chip", "host", "idle", "pue", "network", "client", "embodied", "training")
METHODS = ("location", "market", "marginal")
ACCOUNT = "usual"
AMOUNTS = ("water_on_site_L", "water_off_site_L", "carbon_g", "electricity_usd", "rent_usd")
OWN_SCREENS = ("laptop-", "phone-")
EQUIPMENT = ("chip", "host", "idle")

_ROOMS = {"datacenter": "host", "network": "network", "optics": "network"}
_HOST_W, _STANDING_W = "model.serving.host_power_W", "model.accelerator.static_power_W"
_PLACES = {"site": "datacenter.grid", "person": "computer.grid"}
_GRID = (
    "carbon_intensity_g_kWh", "marginal_intensity_g_kWh", "solar_share", "firm_share", "hydropower_share",
    "water_intensity_L_kWh", "plants_water_L_kWh", "price_usd_kWh",
)  # fmt: skip
_SITE = ("pue", "water_usage_L_kWh", "contract_share", "nic_power_W", "nic_rate_bit_s", "link_utilization")


@dataclass(frozen=True, slots=True)
class Rules:
    """How joules become water and carbon.

    Attributes
    ----------
    hour_h : float or None
        Hour of the day by the sun at each grid; None for the average of the year.
    method : str
        ``location`` (average of the grid), ``market`` (contracts of the site first) or ``marginal`` (plants that
        follow demand).
    reservoirs : bool
        Whether evaporation of reservoirs counts as hydropower's.
    cached_share : float
        Share of the prompt's tokens whose keys and values were kept from before.
    """

    hour_h: float | None = None
    method: str = "location"
    reservoirs: bool = True
    cached_share: float = 0.0


@dataclass(slots=True)
class Line:
    """One part: joules under the heads, and what follows from them. Values are floats, or samples."""

    part: str
    place: str
    heads: dict[str, Any] = field(default_factory=dict[str, Any])
    amounts: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def energy_J(self) -> Any:
        """Joules under all heads."""
        return _sum(self.heads.values())


@dataclass(slots=True)
class Account:
    """What is inside the boundary, part by part."""

    scenario: Scenario
    boundary: tuple[str, ...]
    rules: Rules
    lines: list[Line]
    tokens: list[dict[str, Any]]
    facts: dict[str, Any]
    bands: dict[str, tuple[float, float]] = field(default_factory=dict[str, "tuple[float, float]"])

    def total(self, name: str) -> Any:
        """Return the sum of a head, of ``energy_J`` or of an amount over all lines."""
        if name == "energy_J":
            return _sum(line.energy_J for line in self.lines)
        return _sum((line.heads if name in HEADS else line.amounts).get(name, 0.0) for line in self.lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        names = ("energy_J", *HEADS, *AMOUNTS)
        return {
            "prompt": self.scenario.prompt,
            "scenario": self.scenario.as_dict(),
            "boundary": list(self.boundary),
            "rules": {
                "hour_h": self.rules.hour_h,
                "method": self.rules.method,
                "reservoirs": self.rules.reservoirs,
                "cached_share": self.rules.cached_share,
            },
            "parts": [
                {
                    "part": line.part,
                    "place": line.place,
                    "energy_J": float(line.energy_J),
                    "energy_heads_J": {head: float(value) for head, value in line.heads.items()},
                    **{name: float(value) for name, value in line.amounts.items()},
                }
                for line in self.lines
            ],
            "total": {name: float(self.total(name)) for name in names},
            "bands": {name: list(band) for name, band in self.bands.items()},
            "tokens": [dict(row) for row in self.tokens],
            "facts": {name: float(value) for name, value in self.facts.items()},
        }


def parse_boundary(text: str) -> tuple[str, ...]:
    """Read ``chip,host,pue`` (or ``all``) and return the parts in their order.

    Raises
    ------
    ScenarioError
        If a part is unknown, or none is named.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words == ["all"]:
        return PARTS
    for word in words:
        if word not in PARTS:
            raise ScenarioError(f"--boundary: no part {word!r}{nearest(word, PARTS)}; allowed: {', '.join(PARTS)}")
    if not words:
        raise ScenarioError(f"--boundary: no part is named; allowed: {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in words)


def scenario_of(trip: Trace | Scenario) -> Scenario:
    """Return the scenario that a trace was forecast from."""
    if isinstance(trip, Scenario):
        return trip
    s = trip.scenario
    return Scenario(s["name"], s["title"], s["sentence"], s["way"], s["choices"], s["values"], trip.prompt)


def account(
    trip: Trace | Scenario,
    boundary: Iterable[str] = PARTS,
    rules: Rules | None = None,
    samples: int = 0,
    seed: int = 1,
    changes: Mapping[str, float] | None = None,
) -> Account:
    """Return energy, water, carbon and cost of a trip inside a boundary.

    Parameters
    ----------
    trip : Trace or Scenario
    boundary : iterable of str
        Some of `PARTS`.
    rules : Rules, optional
    samples : int
        How many samples bands (p5 to p95) are drawn from; 0 for none.
    seed : int
    changes : mapping, optional
        Values of inputs of the trip (``model.serving.streams``) that replace those of the scenario.

    Raises
    ------
    ScenarioError
        If the scenario has no full trip, or a part is unknown.
    """
    scenario = scenario_of(trip)
    if scenario.way != "full":
        raise ScenarioError(f"{scenario.name}: the way {scenario.way!r} draws no electricity; choose a full trip")
    parts = parse_boundary(",".join(boundary))
    rules = rules or Rules()
    if rules.method not in METHODS:
        raise ScenarioError(f"method {rules.method!r}, allowed: {', '.join(METHODS)}")
    compiled = program(scenario)
    figures = dict(zip(compiled.keys, compiled.figures(scenario), strict=True))
    figures |= {key: scenario.figure(key) for key in _keys(scenario)}
    values: dict[str, Any] = {key: np.float64(figure.value) for key, figure in figures.items()}
    kept = {**entry("energy_accounts", ACCOUNT).figures, **_makings(scenario)}
    values |= {name: np.float64(figure.value) for name, figure in kept.items()}
    values |= {key: np.float64(value) for key, value in (changes or {}).items()}
    made = _lines(compiled, values, parts, rules, scenario)
    if samples:
        draws = Draws(samples, seed)
        drawn: dict[str, Any] = {key: draws.draw(figure, key) for key, figure in {**figures, **kept}.items()}
        drawn |= {key: np.float64(value) for key, value in (changes or {}).items()}
        spread = _lines(compiled, drawn, parts, rules, scenario)
        for name in ("energy_J", *HEADS, *AMOUNTS):
            band = draws.band(np.broadcast_to(spread.total(name), draws.shape))
            made.bands[name] = (band.low, band.high)
    return made


def _makings(scenario: Scenario) -> dict[str, Figure]:
    """Return what making computer and screen took, and how long they are in use: ``host.client_use_s``."""
    known, host, panel = load_kind("makings"), scenario.choices["computer.host"], scenario.choices["display.panel"]
    things = {"host": known.get(host, known["laptop"])}
    if host != "phone" and not panel.startswith(OWN_SCREENS):
        things["screen"] = known["screen"]
    return {f"{thing}.{name}": figure for thing, e in things.items() for name, figure in e.figures.items()}


def _keys(scenario: Scenario) -> list[str]:
    grids = [f"{slot}.{name}" for slot in _PLACES.values() for name in _GRID]
    run = [f"training.run.{n}" for n in ("accelerator_time_h", "accelerator_power_W", "pue", "carbon_intensity_g_kWh",
                                         "served_tokens", "price_usd_kWh")]  # fmt: skip
    known = scenario.entry("training.run").figures
    run = [key for key in run if key.rpartition(".")[2] in known]
    chips = ["model.accelerator.idle_power_W", "model.accelerator.energy_per_byte_J", _HOST_W, _STANDING_W,
             "model.serving.accelerators_per_server"]  # fmt: skip
    return [*grids, *run, *chips, *(f"datacenter.site.{name}" for name in _SITE)]


def _sum(values: Iterable[Any]) -> Any:
    total: Any = 0.0
    for value in values:
        total = total + value
    return total


def _run(compiled: Program, values: Mapping[str, Any], **changes: float) -> dict[str, Any]:
    """Evaluate the trip; `changes` are named by the last part of a key."""
    inputs = [np.float64(changes.get(key.rpartition(".")[2], 0.0)) if key.rpartition(".")[2] in changes else values[key]
              for key in compiled.keys]  # fmt: skip
    return dict(zip(compiled.outputs, compiled.arrays(inputs), strict=True))


def _draws(plan: Any) -> bool:
    return plan.carrier not in BODY and not plan.name.startswith("eye.") and any(h in plan.numbers for h in HEADS)


def _add(heads: dict[str, Any], more: Mapping[str, Any], times: Any = 1.0) -> None:
    for head, value in more.items():
        heads[head] = heads.get(head, 0.0) + times * value


def _lines(
    compiled: Program, values: Mapping[str, Any], parts: tuple[str, ...], rules: Rules, scenario: Scenario
) -> Account:
    whole = _run(compiled, values)
    bare = _run(compiled, values, host_power_W=0.0)
    still = _run(compiled, values, host_power_W=0.0, static_power_W=0.0)
    standing_W = np.maximum(values[_STANDING_W], 1e-12)
    cloud = scenario.text("model.where") == "cloud"
    lines = {part: Line(part, "person" if part in ("network", "client") else "site") for part in PARTS}
    spans: dict[str, tuple[Any, Any, Any]] = {}
    rent: Any = 0.0
    for plan in compiled.plans:
        if not _draws(plan) or plan.name == "datacenter.power":
            continue
        heads = {h: whole[f"{plan.id}/{h}"] for h in HEADS if h in plan.numbers}
        if plan.room == "model":
            chip = {h: bare[f"{plan.id}/{h}"] for h in heads}
            held_s = _sum(bare[f"{plan.id}/{h}"] - still[f"{plan.id}/{h}"] for h in heads) / standing_W
            kept = 1.0 - rules.cached_share if plan.id == "model.prefill" else 1.0
            host = {h: heads[h] - chip[h] for h in heads}
            _add(lines["chip"].heads, chip, kept)
            _add(lines["host"].heads, host, kept)
            spans[plan.id] = (_sum(chip.values()), _sum(host.values()), held_s)
            rent = rent + kept * (whole[f"{plan.id}/cost_usd"] if cloud and "cost_usd" in plan.numbers else 0.0)
        else:
            _add(lines[_ROOMS.get(plan.room, "client")].heads, heads)
    read, write = spans["model.prefill"], spans["model.decode"]
    prompt, output = whole["model.prefill/tokens"], whole["model.decode/tokens"]
    kept_J = _kept_token_J(whole, values)
    _add(lines["chip"].heads, {"marginal": rules.cached_share * prompt * kept_J})
    held_s = read[2] * (1.0 - rules.cached_share) + write[2]
    if cloud:
        waiting_J = standby.idle_J(
            held_s, values["spare_ratio"], values["model.accelerator.idle_power_W"], values[_HOST_W],
            np.clip(values["host_idle_share"], 0.0, 1.0),
        )  # fmt: skip
        lines["idle"].heads["allocated"] = waiting_J
        inside_J = _sum(lines[part].energy_J for part in EQUIPMENT if part in parts)
        lines["pue"].heads["allocated"] = power.overhead_J(inside_J, values["datacenter.site.pue"])
    lines["training"].heads["allocated"] = _training_J(values) * output
    for line in lines.values():
        _charge(line, values, rules, cloud)
    made_g = embodied.accelerator_g(
        held_s, values["chip_carbon_kg"], values["host_carbon_kg"], values["model.serving.accelerators_per_server"],
        values["lifetime_s"], np.clip(values["busy_share"], 0.01, 1.0),
    )  # fmt: skip
    used_s = whole["time_to_last_word_s"]
    own_g = _sum(
        embodied.client_g(used_s, values[f"{thing}.client_carbon_kg"], values[f"{thing}.client_use_s"])
        for thing in ("host", "screen")
        if f"{thing}.client_use_s" in values
    )
    lines["embodied"].amounts["carbon_g"] = (
        made_g if cloud and ("chip" in parts or "host" in parts) else 0.0
    ) + (own_g if "client" in parts else 0.0)  # fmt: skip
    lines["chip"].amounts["rent_usd"] = rent
    facts = {"accelerator_time_s": held_s, "prompt_tokens": prompt, "output_tokens": output, "used_s": used_s,
             "embodied_site_g": made_g, "embodied_client_g": own_g, "cached_token_J": kept_J}  # fmt: skip
    tokens = _tokens(read, write, facts, values, parts, scenario, rules, lines["idle"]) if np.ndim(held_s) == 0 else []
    return Account(scenario, parts, rules, [lines[part] for part in PARTS if part in parts], tokens, facts)


def _kept_token_J(whole: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """Return the joules of an input token that was kept: memory twice, and the wire between."""
    site = "datacenter.site."
    bit_J = values[site + "nic_power_W"] / (values[site + "nic_rate_bit_s"] * values[site + "link_utilization"])
    return load.cached_token_J(
        whole["step.model.kv_cache/kv_token_B"], values["model.accelerator.energy_per_byte_J"], bit_J
    )


def _training_J(values: Mapping[str, Any]) -> Any:
    """Return the share of the training run in one token."""
    run = "training.run."
    run_J = training.run_energy_J(
        values[run + "accelerator_time_h"], values[run + "accelerator_power_W"], values[run + "pue"]
    )
    return training.share_of_token_J(run_J, values[run + "served_tokens"])


def intensities(values: Mapping[str, Any], slot: str, rules: Rules, contract_share: Any = None) -> tuple[Any, Any]:
    """Return carbon [g/kWh] and water [L/kWh] of a kilowatt-hour from a grid by the rules.

    Parameters
    ----------
    values : mapping
        ``slot.field`` and the figures of the account.
    slot : str
        ``datacenter.grid`` or ``computer.grid``.
    rules : Rules
    contract_share : float, optional
        What the operator has under contract there; None for a household, whose tariff is not known.
    """
    g = {name: values[f"{slot}.{name}"] for name in _GRID}
    average = g["carbon_intensity_g_kWh"]
    if rules.hour_h is not None:
        average = average * carbon.hourly_factor(
            rules.hour_h, np.clip(g["solar_share"], 0.0, 0.6), np.clip(g["firm_share"], 0.0, 1.0),
            np.clip(values["must_run_share"], 0.05, 1.0), values["demand_swing"], values["peak_hour_h"],
        )  # fmt: skip
    if rules.method == "marginal":
        average = g["marginal_intensity_g_kWh"]
    elif rules.method == "market" and contract_share is not None:
        average = carbon.market_intensity_g_kWh(
            average, np.clip(contract_share, 0.0, 1.0), np.maximum(values["contract_intensity_g_kWh"], 0.0),
            values["residual_ratio"],
        )  # fmt: skip
    if rules.reservoirs:
        return average, g["water_intensity_L_kWh"]
    share = np.clip(g["hydropower_share"], 0.0, 1.0)
    return average, water.without_reservoirs_L_kWh(g["plants_water_L_kWh"], share)


def _charge(line: Line, values: Mapping[str, Any], rules: Rules, cloud: bool) -> None:
    """Add water, carbon and the price of electricity to a line."""
    energy_J, slot = line.energy_J, _PLACES[line.place]
    share = values["datacenter.site.contract_share"] if line.place == "site" and cloud else None
    carbon_g_kWh, water_L_kWh = intensities(values, slot, rules, share)
    price = values[f"{slot}.price_usd_kWh"]
    if line.part == "training":
        # The run was elsewhere and before: its own grid, over the year.
        carbon_g_kWh = values.get("training.run.carbon_intensity_g_kWh", carbon_g_kWh)
        price = values.get("training.run.price_usd_kWh", price)
    if line.part in EQUIPMENT and cloud:
        line.amounts["water_on_site_L"] = power.water_on_site_L(energy_J, values["datacenter.site.water_usage_L_kWh"])
    line.amounts["water_off_site_L"] = power.water_off_site_L(energy_J, water_L_kWh)
    line.amounts["carbon_g"] = power.carbon_g(energy_J, carbon_g_kWh)
    line.amounts["electricity_usd"] = power.electricity_cost_usd(energy_J, price)


def _tokens(
    read: tuple[Any, Any, Any], write: tuple[Any, Any, Any], facts: Mapping[str, Any], values: Mapping[str, Any],
    parts: tuple[str, ...], scenario: Scenario, rules: Rules, idle: Line,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return joules of input, kept, reasoning and answer tokens, with the parts of the site that are inside."""
    pue = values["datacenter.site.pue"] if "pue" in parts and idle.heads else 1.0
    rate = _sum(idle.heads.values()) / np.maximum(facts["accelerator_time_s"], 1e-30) if "idle" in parts else 0.0

    def cost(span: tuple[Any, Any, Any]) -> Any:
        inside = (span[0] if "chip" in parts else 0.0) + (span[1] if "host" in parts else 0.0) + rate * span[2]
        return inside * pue

    prompt, output = float(facts["prompt_tokens"]), float(facts["output_tokens"])
    reasoning = min(scenario.figure("prompt.reply.reasoning_tokens").value, output)
    written = max(output - 1.0, 1.0)  # the first token falls out of reading the prompt
    each = float(cost(write)) / written
    kept_J = float(facts["cached_token_J"]) * (float(pue) if "chip" in parts else 0.0)
    rows = (
        ("input, computed", prompt * (1.0 - rules.cached_share), float(cost(read)) / prompt),
        ("input, cached", prompt * rules.cached_share, kept_J),
        ("reasoning", reasoning, each * written / output if output else 0.0),
        ("answer", output - reasoning, each * written / output if output else 0.0),
    )
    return [{"kind": k, "tokens": n, "each_J": one_J, "energy_J": n * one_J} for k, n, one_J in rows]
