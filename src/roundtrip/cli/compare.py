"""``roundtrip compare``: two scenarios side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roundtrip.cli.inputs import check_samples, complete_scenario, read_prompt, read_scenario
from roundtrip.cli.output import as_json, check_svg, say_json, say_page, width, write_whole

if TYPE_CHECKING:
    from roundtrip.journey.compare import Comparison


@click.command()
@click.argument("a", metavar="A", shell_complete=complete_scenario)
@click.argument("b", metavar="B", shell_complete=complete_scenario)
@click.option("--prompt", help="What is typed; - reads standard input.")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Set in both scenarios.")
@click.option("--samples", type=int, default=10_000, show_default=True, help="Samples behind the bands; 0 for none.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@as_json
@click.option("--plot", metavar="FILE", help="Draw both waterfalls on one axis, as SVG.")
@click.option("--linear", is_flag=True, help="Linear time in the plot.")
@click.option("--brief", is_flag=True, help="The sentence and the summary only.")
def compare(
    a: str,
    b: str,
    prompt: str | None,
    settings: tuple[str, ...],
    samples: int,
    seed: int,
    as_json: bool,
    plot: str | None,
    linear: bool,
    brief: bool,
) -> None:
    """Compare the scenarios A and B: presets or files; say what changed and why."""
    check_svg(plot)
    from roundtrip.journey.compare import compare as compared

    check_samples(samples)
    text = read_prompt(prompt)
    found = compared(read_scenario(a, settings, text), read_scenario(b, settings, text), None, samples, seed)
    if plot is not None:
        from roundtrip.trace.svg import waterfalls

        write_whole(plot, waterfalls([found.a, found.b], log=not linear))
    if as_json:
        say_json(found.as_dict())
        return
    page = render(found, max(width(), 60), brief)
    say_page(page)


def render(found: Comparison, columns: int, brief: bool = False) -> str:
    """Return the comparison as text; `brief` leaves out the spans that changed."""
    from roundtrip.journey.compare import MOST, summary_rows
    from roundtrip.trace.numbers import si
    from roundtrip.trace.table import clip, wrap

    columns = min(columns, 120)
    names = [str(t.scenario.get("name", "")) for t in (found.a, found.b)]
    label = columns - 2 * 13 - 9
    lines = [*wrap(found.sentence, columns), "", f"{'':<{label}} {clip(names[0], 12):>12} {clip(names[1], 12):>12}"]
    lines += [f"{clip(n, label):<{label}} {x:>12} {y:>12} {r:>8}" for n, x, y, r in summary_rows(found)]
    if found.capability:
        x, y = found.capability["a"], found.capability["b"]
        title = f"score of the model ({found.capability['benchmark'] or 'as published'})"
        lines.append(f"{clip(title, label):<{label}} {x['score']:>12.3g} {y['score']:>12.3g}")
    if brief:
        return "\n".join(lines)
    for heading, changes, unit in (
        ("The spans whose time changed most", found.changes[:MOST], "s"),
        ("The spans whose energy changed most", found.by_energy()[:MOST], "J"),
    ):
        rows = [(c, c.time_s if unit == "s" else c.energy_J) for c in changes]
        rows = [(c, pair) for c, pair in rows if pair[0] != pair[1]]
        if not rows:
            continue
        lines += ["", heading]
        for change, (one, two) in rows:
            text = f"  {change.id}: {change.title}"
            more = ("+" if two > one else "-") + si(abs(two - one), unit)
            lines.append(f"{clip(text, label):<{label}} {si(one, unit):>12} {si(two, unit):>12} {more:>8}")
    return "\n".join(lines)
