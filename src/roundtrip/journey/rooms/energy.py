"""Water, carbon and money of every span, from its joules and the place where they were drawn.

The rule stands in docs/explanation/energy.md. Energy of a span inside the datacenter (rooms ``datacenter`` and
``model``) is what the equipment draws; the building's overhead is a span of its own. Everything else is drawn at the
person's place.
Work of the body (carriers ``motion`` and ``chemistry``, and everything in the eye) draws no electricity.
"""

from __future__ import annotations

from typing import Any

from roundtrip.journey.way import Plan, Stage, Way
from roundtrip.stages.datacenter import power
from roundtrip.trace.model import HEADS

INSIDE = ("datacenter", "model")
BODY = ("motion", "chemistry")
_GRID = ("carbon_intensity_g_kWh", "water_intensity_L_kWh", "price_usd_kWh")


def lay(way: Way) -> None:
    """Lay the building's overhead, then give every span that draws electricity its water, carbon and cost."""
    drawing = [plan for plan in way.plans if _draws(plan)]
    if way.word("model.where") == "cloud":
        _lay_power(way, [plan for plan in drawing if _inside(plan)])
        drawing.append(way.plans[-1])
    for plan in drawing:
        _charge(way, plan)


def _draws(plan: Plan) -> bool:
    body = plan.carrier in BODY or plan.name.startswith("eye.")
    return not body and any(head in plan.numbers for head in HEADS)


def _inside(plan: Plan) -> bool:
    return plan.name.partition(".")[0] in INSIDE


def _energy_J(plan: Plan) -> Any:
    heads = [plan.numbers[head] for head in HEADS if head in plan.numbers]
    return sum(heads[1:], heads[0])


def _sum(terms: list[Any]) -> Any:
    return sum(terms[1:], terms[0]) if terms else 0.0


def _lay_power(way: Way, plans: list[Plan]) -> None:
    """Lay power delivery and cooling from the prompt's arrival to its last token, over all that was drawn meanwhile."""
    s: Stage = way.stage(power)
    for field in _GRID:
        _ = s[f"datacenter.grid.{field}"]
    _ = s["datacenter.site.water_usage_L_kWh"]
    arrived = way.facts["datacenter_arrival"]
    equipment_J = _sum([_energy_J(plan) for plan in plans])
    unpaid_J = _sum([_energy_J(plan) for plan in plans if "cost_usd" not in plan.numbers])
    chips_J = _sum([_energy_J(plan) for plan in plans if plan.name.startswith("model.")])
    pue, price = s["datacenter.site.pue"], s["datacenter.grid.price_usd_kWh"]
    overhead_J = s.use(power.overhead_J, energy_J=equipment_J, pue=pue)
    cooling_cycles = s["datacenter.site.concentration_cycles"]
    halls = {name: s[f"datacenter.site.{name}"] for name in ("transformer_efficiency", "ups_efficiency")}
    boards = {name: s[f"datacenter.site.{name}"] for name in ("supply_efficiency", "regulator_efficiency")}
    volts = s["datacenter.site.supply_voltage_V"]
    heat_J = equipment_J * pue
    s.lay(
        "power in, heat out",
        way.marks["model.decode"].end_s - arrived.end_s,
        "heat",
        after=arrived,
        allocated_J=overhead_J,
        electrons=s.use(power.chip_electrons, energy_J=chips_J, supply_voltage_V=volts, **boards),
        cost_usd=s.use(power.electricity_cost_usd, energy_J=unpaid_J * (pue - 1.0), price_usd_kWh=price),
        equipment_J=equipment_J,
        building_J=heat_J,
        hall_loss_J=s.use(power.hall_loss_J, energy_J=equipment_J, **halls),
        delivery_efficiency=s.use(power.delivery_efficiency, **halls, **boards),
        tower_water_L=s.use(power.evaporated_L, energy_J=heat_J, concentration_cycles=cooling_cycles),
    )


def _charge(way: Way, plan: Plan) -> None:
    """Add water, carbon and cost to one span; what a room has set itself (rent, which pays for electricity) stays."""
    energy_J = _energy_J(plan)
    inside = _inside(plan)
    grid = "datacenter.grid" if inside else "computer.grid"
    numbers = plan.numbers
    read = {field: way.read(f"{grid}.{field}") for field in _GRID}
    if inside and plan.name != "datacenter.power":
        numbers["water_on_site_L"] = power.water_on_site_L(energy_J, way.read("datacenter.site.water_usage_L_kWh"))
    numbers["water_off_site_L"] = power.water_off_site_L(energy_J, read["water_intensity_L_kWh"])
    numbers["carbon_g"] = power.carbon_g(energy_J, read["carbon_intensity_g_kWh"])
    if "cost_usd" not in numbers:
        numbers["cost_usd"] = power.electricity_cost_usd(energy_J, read["price_usd_kWh"])
    if not inside and "always_on" in numbers:
        # The person's grid stands among the sources of the trace through the things that are always on.
        plan.inputs = tuple(dict.fromkeys((*plan.inputs, *(f"{grid}.{field}" for field in _GRID))))
