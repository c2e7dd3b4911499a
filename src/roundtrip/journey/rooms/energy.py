"""Water, carbon and money of every span, from its joules and the place where they were drawn."""

from __future__ import annotations

from roundtrip.journey.way import Plan, Way
from roundtrip.stages.datacenter import power
from roundtrip.trace.model import HEADS

INSIDE = ("datacenter", "model")


def lay(way: Way) -> None:
    """Give every span that draws electricity its water, carbon and cost.

    Energy of a span inside the datacenter is what the equipment draws; the building adds its overhead (PUE) and its
    cooling water. Energy of the person's own things and of the network comes from the person's grid. Work of the body
    (carriers motion and chemistry) draws no electricity.
    """
    for plan in way.plans:
        heads = [plan.numbers[head] for head in HEADS if head in plan.numbers]
        if heads and plan.carrier not in ("motion", "chemistry"):
            _charge(way, plan, sum(heads[1:], heads[0]))


def _charge(way: Way, plan: Plan, energy_J: object) -> None:
    inside = plan.name.partition(".")[0] in INSIDE
    grid = "datacenter.grid" if inside else "computer.grid"
    numbers = plan.numbers
    if inside:
        numbers["water_on_site_L"] = power.water_on_site_L(energy_J, way.read("datacenter.site.water_usage_L_kWh"), way.read("datacenter.site.pue"))  # type: ignore[arg-type]
    numbers["water_off_site_L"] = power.water_off_site_L(energy_J, way.read(f"{grid}.water_intensity_L_kWh"))  # type: ignore[arg-type]
    numbers["carbon_g"] = power.carbon_g(energy_J, way.read(f"{grid}.carbon_intensity_g_kWh"))  # type: ignore[arg-type]
    if "cost_usd" not in numbers:
        numbers["cost_usd"] = power.electricity_cost_usd(energy_J, way.read(f"{grid}.price_usd_kWh"))  # type: ignore[arg-type]
