"""``roundtrip sensitivity``: which unknown matters most, and which measurement would help most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roundtrip.cli.inputs import read_prompt, read_scenario, scenario_options
from roundtrip.cli.output import as_json, check_svg, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.journey.sensitivity import Sensitivity

LEAST, MOST = 64, 65_536


@click.command()
@click.argument("figure", required=False, default="time_to_first_token_s")
@scenario_options
@click.option("--prompt", help="What is typed; - reads standard input.")
@click.option("--rows", type=int, default=2_048, show_default=True, help="Rows of each of the two sample matrices.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@click.option("--top", type=int, default=12, show_default=True, help="How many causes to show.")
@as_json
@click.option("--plot", metavar="FILE", help="Draw a tornado as SVG.")
def sensitivity(
    figure: str,
    scenario: str,
    settings: tuple[str, ...],
    prompt: str | None,
    rows: int,
    seed: int,
    top: int,
    as_json: bool,
    plot: str | None,
) -> None:
    """Say which causes move FIGURE most: a summary figure, or SPAN/NUMBER.

    Examples: time_to_first_token_s, energy_J.allocated, carbon_g, optics.fiber/duration_s.
    """
    check_svg(plot)
    for name, value, low, high in (("--rows", rows, LEAST, MOST), ("--top", top, 1, 1_000), ("--seed", seed, 0, 2**31)):
        if not low <= value <= high:
            raise DomainError(f"{name} {value}: allowed are {low} to {high}")
    from roundtrip.journey.sensitivity import sensitivity as measured

    found = measured(read_scenario(scenario, settings, read_prompt(prompt)), figure, rows, seed)
    if plot is not None:
        write_whole(plot, _picture(found, top))
    if as_json:
        say_json(found.as_dict())
        return
    page = render(found, top, max(width(), 60))
    say_page(page)


def _unit(name: str) -> str:
    from roundtrip.trace.numbers import unit_of

    return unit_of(name.rpartition("/")[2].partition(".")[0])


def _picture(found: Sensitivity, top: int) -> str:
    from roundtrip.trace.svg_tornado import Gust, tornado

    gusts = [Gust(i.cause, i.spread, i.low, i.high, max(i.total, 0.0)) for i in found.influences[:top]]
    return tornado(found.name, _unit(found.name), found.value, gusts)


def render(found: Sensitivity, top: int, columns: int) -> str:
    """Return the causes as a table, strongest first, and what it means."""
    from roundtrip.trace.numbers import si
    from roundtrip.trace.table import clip, wrap

    unit = _unit(found.name)
    columns = min(columns, 120)
    label = columns - 50
    head = f"{'cause':<{label}} {'alone':>6} {'in all':>6} {'at its p5':>10} {'at its p95':>10}  spread"
    lines = [f"{found.name} = {si(found.value, unit)}", "", head]
    for i in found.influences[:top]:
        first, total = (f"{max(share, 0.0):.0%}" for share in (i.first, i.total))
        ends = f"{si(i.low, unit):>10} {si(i.high, unit):>10}"
        lines.append(f"{clip(i.cause, label):<{label}} {first:>6} {total:>6} {ends}  {i.spread}")
    return "\n".join([*lines, "", *wrap(meaning(found), columns)])


def meaning(found: Sensitivity) -> str:
    """Return in a sentence which cause matters, and which measurement would help."""
    if not found.influences:
        return "Nothing that this figure depends on has a band."
    most = found.influences[0]
    unknown = [i for i in found.influences if i.spread == "ignorance"]
    text = (
        f"'Alone' is the share of the variance that would go if this cause were known; 'in all' the share that would "
        f"stay if all others were. {most.cause} matters most ({max(most.total, 0.0):.0%})."
    )
    if unknown and unknown[0] is not most:
        text += (
            f" Much of the spread is no lack of knowledge but differs from trip to trip; of what a measurement could "
            f"settle, {unknown[0].cause} would help most ({max(unknown[0].total, 0.0):.1%})."
        )
    elif unknown:
        text += " It is one number that is not known better: measuring it would help most."
    return text
