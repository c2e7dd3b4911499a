"""``roundtrip trip``: the waterfall of one prompt."""

from __future__ import annotations

import click

from roundtrip.cli.inputs import check_samples, read_prompt, read_scenario, scenario_options
from roundtrip.cli.output import as_json, color, knows_unicode, say, say_json, width, write_whole
from roundtrip.errors import OutputError

FILE = "FILE"


@click.command()
@click.argument("prompt", required=False)
@scenario_options
@click.option("--samples", type=int, default=2_500, show_default=True, help="Samples behind the bands; 0 for none.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@as_json
@click.option("--csv", metavar=FILE, help="Write one span a line.")
@click.option("--chrome", metavar=FILE, help="Write a Chrome trace, which ui.perfetto.dev opens.")
@click.option("--otlp", metavar=FILE, help="Write OTLP JSON lines, which Jaeger reads.")
@click.option("--speedscope", metavar=FILE, help="Write a profile for speedscope.app.")
@click.option("--plot", metavar=FILE, help="Draw the waterfall as SVG.")
@click.option("--plot-strip", metavar=FILE, help="Draw how long each stage takes, one lane a room, as SVG.")
@click.option("--plot-energy", metavar=FILE, help="Draw the energy of each stage as SVG.")
@click.option("--linear", is_flag=True, help="Linear time in bars and plot, instead of logarithmic.")
@click.option("--sources", is_flag=True, help="List every source with its address.")
def trip(
    prompt: str | None,
    scenario: str,
    settings: tuple[str, ...],
    samples: int,
    seed: int,
    as_json: bool,
    csv: str | None,
    chrome: str | None,
    otlp: str | None,
    speedscope: str | None,
    plot: str | None,
    plot_strip: str | None,
    plot_energy: str | None,
    linear: bool,
    sources: bool,
) -> None:
    """Follow PROMPT (or, with -, standard input) from the finger to the model and back to the eye.

    Files are written beside the table; give several at once.
    """
    for path in (plot, plot_strip, plot_energy):
        if path is not None and not path.lower().endswith(".svg"):
            raise OutputError(f"{path}: a plot is written as SVG, expected a name that ends in .svg")
    check_samples(samples)
    chosen = read_scenario(scenario, settings, read_prompt(prompt))
    from roundtrip.journey.forecast import forecast

    trace = forecast(None, chosen, samples=samples, seed=seed)
    if csv is not None:
        from roundtrip.trace.csv import trace_csv

        write_whole(csv, trace_csv(trace))
    if chrome is not None:
        from roundtrip.trace.chrome import trace_chrome

        write_whole(chrome, trace_chrome(trace))
    if otlp is not None:
        from roundtrip.trace.otlp import trace_otlp

        write_whole(otlp, trace_otlp(trace))
    if speedscope is not None:
        from roundtrip.trace.speedscope import trace_speedscope

        write_whole(speedscope, trace_speedscope(trace))
    if plot is not None:
        from roundtrip.trace.svg import waterfall

        write_whole(plot, waterfall(trace, log=not linear))
    if plot_strip is not None:
        from roundtrip.trace.svg_strip import strip

        write_whole(plot_strip, strip(trace))
    if plot_energy is not None:
        from roundtrip.trace.svg_energy import energy

        write_whole(plot_energy, energy(trace))
    if as_json:
        say_json(trace.as_dict())
        return
    from roundtrip.trace.table import table

    say(table(trace, width(), color(), log=not linear, all_sources=sources, unicode=knows_unicode()))
