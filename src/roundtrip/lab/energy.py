"""The energy screen's numbers: every boundary, place, hour and method of each preset, and what others published."""

from __future__ import annotations

from itertools import combinations
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
SITE = ("chip", "host", "idle", "pue")
_EACH = ("each_J", "energy_J")
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
    return {name: body[name] for name in ("boundary", "rules", "parts", "total", "bands", "tokens")}


def _boundaries(scenario: Scenario) -> dict[str, Any]:
    """Return the totals of every set of parts that holds at least one, in the order of `TOTALS`."""
    made: dict[str, Any] = {}
    for size in range(1, len(PARTS) + 1):
        for parts in combinations(PARTS, size):
            found = account(scenario, parts)
            made[",".join(parts)] = rounded([float(found.total(name)) for name in TOTALS], 4)
    return made


def _tokens(scenario: Scenario) -> dict[str, Any]:
    """Return joules of each kind of token for every set of the datacenter's parts."""
    made: dict[str, Any] = {}
    for size in range(1, len(SITE) + 1):
        for parts in combinations(SITE, size):
            rows = account(scenario, parts).tokens
            made[",".join(parts)] = [{**row, **dict(zip(_EACH, rounded([row[n] for n in _EACH]), strict=True))}
                                     for row in rows]  # fmt: skip
    return made


def water_L(made: Account) -> float:
    """Return the water of an account, on site and off site."""
    return float(made.total("water_on_site_L")) + float(made.total("water_off_site_L"))


def _preset(name: str) -> dict[str, Any]:
    scenario = load_scenario(name)
    whole = account(scenario, samples=SAMPLES)
    others = [(title, account(scenario, rules=rules)) for title, rules in OTHER_RULES]
    hours = {
        method: [float(account(scenario, rules=Rules(hour_h=float(h), method=method)).total("carbon_g")) for h in HOURS]
        for method in METHODS
    }
    return {
        "whole": _short(whole),
        "boundaries": _boundaries(scenario),
        "tokens": _tokens(scenario),
        "others": [
            {"account": title, "carbon_g": float(a.total("carbon_g")), "water_L": water_L(a)} for title, a in others
        ],
        "hours": hours,
        "grids": [_moved(scenario, key, grid.title) for key, grid in load("grids").items()],
    }


def _moved(scenario: Scenario, key: str, title: str) -> dict[str, Any]:
    """Return carbon and water with another grid under the site, under the person's things, and under both."""
    changes = {"site": ("datacenter.grid",), "person": ("computer.grid",), "both": ("datacenter.grid", "computer.grid")}
    made: dict[str, Any] = {"key": key, "title": title}
    for whose, slots in changes.items():
        moved = account(scenario.with_settings([f"{slot}={key}" for slot in slots]))
        made[whose] = rounded([float(moved.total("carbon_g")), water_L(moved)], 4)
    return made


def energy() -> dict[str, Any]:
    """Return the accounts of every full preset, and the published figures beside ours."""
    return {
        "parts": [{"key": p, "title": PART_TITLES[p][0], "meaning": PART_TITLES[p][1]} for p in PARTS],
        "totals": list(TOTALS),
        "methods": [{"key": m, "title": METHOD_TITLES[m]} for m in METHODS],
        "presets": {name: _preset(name) for name in presets() if load_scenario(name).way == "full"},
        "reconcile": {
            "reference_J": reconcile.energy_J(reconcile.reference()),
            "cases": [case.as_dict() for case in reconcile.reconcile()],
        },
    }
