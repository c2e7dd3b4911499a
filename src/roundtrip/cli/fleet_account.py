"""Energy, water, carbon and cost of a fleet's run on the command line: two options, and some lines of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.fleet.account import Account
    from roundtrip.fleet.records import Records

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = [
    click.option(
        "--datacenter", metavar="NAME", help="Building of the cluster [hyperscale-us]; 'roundtrip catalog datacenters'."
    ),
    click.option("--grid", metavar="NAME", help="Its electricity [usa]; see 'roundtrip catalog grids'."),
]


def account_options(function: F) -> F:
    """Give a command the options that say where the cluster stands."""
    made: Any = function
    for option in reversed(OPTIONS):
        made = option(made)
    return made


def check_place(options: dict[str, Any]) -> None:
    """Refuse a place that the catalog does not have, or one beside step times that say nothing of a machine."""
    from roundtrip.fleet.account import DATACENTER, GRID, check

    for name in ("datacenter", "grid"):
        if options[name] is not None and options.get("step_times") is not None:
            raise DomainError(f"--{name} has no meaning beside --step-times: no accelerator is known that draws power")
    check(options["datacenter"] or DATACENTER, options["grid"] or GRID)


def accounted(options: dict[str, Any], found: Records) -> Account | str:
    """Return the account of a run, or why there is none."""
    from roundtrip.fleet.account import DATACENTER, GRID, account, missing

    return missing(found) or account(found, options["datacenter"] or DATACENTER, options["grid"] or GRID)


def account_json(made: Account | str) -> dict[str, Any]:
    """Return the part of the JSON form."""
    return {"account": None, "account_missing": made} if isinstance(made, str) else {"account": made.as_dict()}


def account_lines(made: Account | str, columns: int) -> str:
    """Return the account as text."""
    from roundtrip.trace.numbers import digits
    from roundtrip.trace.table import wrap

    columns = min(columns, 100)
    if isinstance(made, str):
        return "\n".join(wrap(f"No account of energy: {made}.", columns))
    amounts, whole_J = made.amounts, made.amounts["energy_J"]
    if whole_J <= 0.0:
        return "Nothing was drawn: nothing is done."
    parts = {"accelerators": "accelerators_J", "waiting": "waiting_J", "host": "host_J", "building": "building_J"}
    shares = ", ".join(f"{word} {100 * amounts[name] / whole_J:.0f} %" for word, name in parts.items())
    low, high = (_energy(x) for x in made.bands["energy_J"]) if made.bands else ("", "")
    band = f" ({low} to {high})" if made.bands else ""
    each = made.each("energy_J")
    lines = wrap(f"Energy {_energy(whole_J)}{band}: {shares}; {_energy(made.power_W).replace('J', 'W')} on average.",
                 columns)  # fmt: skip
    if each["request"] is not None and each["output_token"] is not None:
        rent = made.each("rent_usd")["output_token"] or 0.0
        lines += wrap(f"{_energy(each['request'])} a request and {_energy(each['output_token'])} an output token, "
                      f"{digits(1e6 * rent)} US dollars a million of these.", columns)  # fmt: skip
    water, carbon = (
        (amounts["water_on_site_L"], amounts["water_off_site_L"]),
        (amounts["carbon_g"], amounts["embodied_g"]),
    )
    rent, electricity = digits(amounts["rent_usd"]), digits(amounts["electricity_usd"])
    lines += wrap(
        f"Water {_water(water[0])} on site and {_water(water[1])} off site, carbon {_mass(carbon[0])} from the grid "
        f"({made.grid}) and {_mass(carbon[1])} from making the machines; rent {rent} US dollars, {electricity} of it "
        "for electricity.", columns,
    )  # fmt: skip
    return "\n".join(lines)


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    from roundtrip.trace.numbers import digits

    for size, unit in steps:
        if value >= size:
            return f"{digits(value / size)} {unit}"
    return f"{digits(value / steps[-1][0])} {steps[-1][1]}"


def _energy(value_J: float) -> str:
    return _scaled(value_J, ((1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ")))


def _water(value_L: float) -> str:
    return _scaled(value_L, ((1e3, "m³"), (1.0, "L"), (1e-3, "mL")))


def _mass(value_g: float) -> str:
    return _scaled(value_g, ((1e6, "t"), (1e3, "kg"), (1.0, "g"), (1e-3, "mg")))
