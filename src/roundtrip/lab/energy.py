"""The energy screen's numbers: every boundary, place, hour and method of each preset, and what others published."""

from __future__ import annotations

from typing import Any

from roundtrip.catalog.load import load
from roundtrip.journey import reconcile
from roundtrip.journey.boundary import METHODS, PARTS, Account, Rules, account
from roundtrip.journey.scenario import Scenario, load_scenario, presets
from roundtrip.lab.formulas import rounded

SAMPLES = 2_500
TOTALS = (
    "energy_J", "marginal", "allocated", "always_on", "water_on_site_L", "water_off_site_L", "carbon_g",
    "electricity_usd", "rent_usd",
)  # fmt: skip
# Digits of the many totals; three are shown.
SEEN = 4
# Whose electricity another grid gives: under the site, under the person's things, under both.
WHOSE = {"site": ("datacenter.grid",), "person": ("computer.grid",), "both": ("datacenter.grid", "computer.grid")}
HOURS = tuple(range(24))
PART_TITLES = {
    "chip": ("the chips", "accelerators while they read and write this prompt"),
    "host": ("their servers", "processors, gateways, cards and switches beside them"),
    "idle": ("servers on call", "servers that stand ready for the peak"),
    "pue": ("the building", "transformers, batteries and cooling"),
    "network": ("the network", "router at home, access, routers, amplifiers, transponders"),
    "client": ("your own things", "keyboard, computer and screen"),
    "embodied": ("making them", "what making chips, servers, computer and screen took: carbon only"),
    "training": ("training", "this prompt's share of the run that made the weights"),
}
METHOD_TITLES = {
    "location": "by place: the average of the grid",
    "market": "by the operator's contracts",
    "marginal": "of one kilowatt-hour more",
}
OTHER_RULES = (
    ("by place, average of the year", Rules()),
    ("by place, at noon", Rules(hour_h=12.0)),
    ("by place, at seven in the evening", Rules(hour_h=19.0)),
    ("by the operator's contracts", Rules(method="market")),
    ("of one kilowatt-hour more", Rules(method="marginal")),
    ("without reservoirs", Rules(reservoirs=False)),
)


def _short(made: Account) -> dict[str, Any]:
    body = made.as_dict()
    return {name: body[name] for name in ("boundary", "rules", "parts", "total", "bands")}


def _boundaries(scenario: Scenario) -> list[list[float]]:
    """Return one row of each of `TOTALS`: what it is for every set of parts but none, part n of `PARTS` being bit n.

    A total changes with few of the parts, so its row repeats itself and packs well.
    """
    found = [
        account(scenario, tuple(part for n, part in enumerate(PARTS) if bits >> n & 1))
        for bits in range(1, 1 << len(PARTS))
    ]
    return [rounded([float(each.total(name)) for each in found], SEEN) for name in TOTALS]


def water_L(made: Account) -> float:
    """Return the water of an account, on site and off site."""
    return float(made.total("water_on_site_L")) + float(made.total("water_off_site_L"))


def _preset(name: str) -> dict[str, Any]:
    scenario = load_scenario(name)
    whole = account(scenario, samples=SAMPLES)
    others = [(title, account(scenario, rules=rules)) for title, rules in OTHER_RULES]
    hours = {
        method: rounded(
            [float(account(scenario, rules=Rules(hour_h=float(h), method=method)).total("carbon_g")) for h in HOURS]
        )
        for method in METHODS
    }
    return {
        "whole": _short(whole),
        "boundaries": _boundaries(scenario),
        "others": [
            {"account": title, "carbon_g": float(a.total("carbon_g")), "water_L": water_L(a)} for title, a in others
        ],
        "hours": hours,
        "grids": {whose: _moved(scenario, slots) for whose, slots in WHOSE.items()},
    }


def _moved(scenario: Scenario, slots: tuple[str, ...]) -> list[list[float]]:
    """Return carbon and water with each grid of the catalog in these slots, in the catalog's order."""
    moved = [account(scenario.with_settings([f"{slot}={key}" for slot in slots])) for key in load("grids")]
    return [rounded([float(each.total("carbon_g")) for each in moved], SEEN), rounded(list(map(water_L, moved)), SEEN)]


def energy() -> dict[str, Any]:
    """Return the accounts of every full preset, and the published figures beside ours."""
    return {
        "parts": [{"key": p, "title": PART_TITLES[p][0], "meaning": PART_TITLES[p][1]} for p in PARTS],
        "totals": list(TOTALS),
        "grids": [{"key": key, "title": grid.title} for key, grid in load("grids").items()],
        "methods": [{"key": m, "title": METHOD_TITLES[m]} for m in METHODS],
        "presets": {name: _preset(name) for name in presets() if load_scenario(name).way == "full"},
        "reconcile": {
            "reference_J": reconcile.energy_J(reconcile.reference()),
            "cases": [case.as_dict() for case in reconcile.reconcile()],
        },
    }
