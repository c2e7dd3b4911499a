"""``roundtrip trip``: the waterfall of one prompt."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.cli.inputs import check_samples, read_prompt, read_scenario, scenario_options
from roundtrip.cli.output import (
    as_json,
    check_apart,
    check_svg,
    color,
    knows_unicode,
    say,
    say_json,
    say_page,
    width,
    write_whole,
)

if TYPE_CHECKING:
    from roundtrip.trace.model import Trace

F = TypeVar("F", bound=Callable[..., Any])

# Option: module and function in roundtrip.trace that make its text, and what help says.
FILES = {
    "csv": ("csv", "trace_csv", "Write one span a line."),
    "chrome": ("chrome", "trace_chrome", "Write a Chrome trace, which ui.perfetto.dev opens."),
    "otlp": ("otlp", "trace_otlp", "Write OTLP JSON lines, which Jaeger reads."),
    "speedscope": ("speedscope", "trace_speedscope", "Write a profile for speedscope.app."),
}
PLOTS = {
    "plot": ("svg", "waterfall", "Draw the waterfall as SVG."),
    "plot_strip": ("svg_strip", "strip", "Draw how long each stage takes, one lane a room, as SVG."),
    "plot_wait": ("svg_wait", "wait", "Draw the wait: the first word enlarged, then the whole answer, as SVG."),
    "plot_energy": ("svg_energy", "energy", "Draw the energy of each stage as SVG."),
}


def file_options(function: F) -> F:
    """Give the verb an option for each file that it can write."""
    for name, (_, _, text) in reversed({**FILES, **PLOTS}.items()):
        function = click.option(f"--{name.replace('_', '-')}", metavar="FILE", help=text)(function)
    return function


@click.command()
@click.argument("prompt", required=False)
@scenario_options
@click.option("--samples", type=int, default=10_000, show_default=True, help="Samples behind the bands; 0 for none.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@as_json
@file_options
@click.option("--linear", is_flag=True, help="Linear time in bars and plot, instead of logarithmic.")
@click.option("--brief", is_flag=True, help="A line a room instead of a line a stage.")
@click.option("--sources", is_flag=True, help="List every source with its address.")
@click.option(
    "--answer/--no-answer",
    "answers",
    default=True,
    show_default=True,
    help="Let the small model on this computer answer for real, below the forecast.",
)
def trip(
    prompt: str | None,
    scenario: str,
    settings: tuple[str, ...],
    samples: int,
    seed: int,
    as_json: bool,
    linear: bool,
    brief: bool,
    sources: bool,
    answers: bool,
    **paths: str | None,
) -> None:
    """Follow PROMPT (or, with -, standard input) from the finger to the model and back to the eye.

    Files are written beside the table; give several at once.
    """
    check_svg(*(paths[name] for name in PLOTS))
    check_apart({f"--{name.replace('_', '-')}": path for name, path in paths.items()})
    check_samples(samples)
    chosen = read_scenario(scenario, settings, read_prompt(prompt))
    from roundtrip.journey.forecast import forecast

    trace = forecast(None, chosen, samples=samples, seed=seed)
    write_files(trace, paths, linear)
    if as_json:
        found = _answer(trace) if answers else {}
        say_json({**trace.as_dict(), "answer": trace.answer, **found})
        return
    if brief:
        from roundtrip.trace.brief import brief as on_one_screen

        say(on_one_screen(trace, width(), color(), log=not linear, unicode=knows_unicode()))
    else:
        from roundtrip.trace.table import table

        say(table(trace, width(), color(), log=not linear, all_sources=sources, unicode=knows_unicode()))
    if answers:
        _say_answer(trace)


def _answer(trace: Trace) -> dict[str, Any]:
    """Let the model answer; what a trace of the forecast gets beside it in JSON."""
    from roundtrip.engine.weights import ModelMissing
    from roundtrip.journey.answer import answer

    try:
        found = answer(trace.prompt)
    except ModelMissing as error:
        return {"answered": None, "answered_missing": str(error)}
    trace.answer = found.text
    return {"answer": found.text, "answered": found.as_dict()}


def _say_answer(trace: Trace) -> None:
    """Print the real answer below the forecast, or in one line why there is none."""
    from roundtrip.errors import ModelError, PromptError

    try:
        from roundtrip.journey.answer import answer, answer_as_text

        lines = answer_as_text(answer(trace.prompt), trace.prompt, min(width(), 110))
    except (ModelError, PromptError) as error:
        lines = [f"No real answer: {error}"]
    say_page("\n" + "\n".join(lines) + "\n")


def write_files(trace: Trace, paths: dict[str, str | None], linear: bool) -> None:
    """Write each file that was asked for."""
    for name, (module, function, _) in {**FILES, **PLOTS}.items():
        path = paths[name]
        if path is not None:
            make = getattr(import_module(f"roundtrip.trace.{module}"), function)
            write_whole(path, make(trace, log=not linear) if name == "plot" else make(trace))
