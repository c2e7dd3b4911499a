"""``roundtrip trip``: the waterfall of one prompt, forecast or recorded, and the real answer below it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Generator
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.cli.backend import backend_options, check_unused, choose, form_option, printer
from roundtrip.cli.carry import carried, carry_options, list_breaks, story
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
from roundtrip.errors import ScenarioError

if TYPE_CHECKING:
    from roundtrip.engine.backends import Backend
    from roundtrip.journey.carry import Carried
    from roundtrip.journey.queue_fleet import Simulated
    from roundtrip.journey.scenario import Scenario
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
WIDEST_ANSWER = 110
LONG = 2_000  # characters of a prompt that the small model reads for seconds
STEPS = ("decode.step_", "decode.gap_")  # of a record: one a token, too many for a table


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
@click.option(
    "--record", "records", is_flag=True, help="Send the prompt for real, and record its trip instead of forecasting it."
)
@click.option("--tls", is_flag=True, help="Record with TLS between client and server, too.")
@click.option(
    "--calibrate", "calibrates", is_flag=True, help="Measure this computer anew first; by default it is measured once."
)
@click.option("--live", is_flag=True, help="Print the answer's tokens as they come.")
@click.option(
    "--carry", "carries", is_flag=True, help="Carry the prompt's real bytes through every layer, and its real light."
)
@carry_options
@click.option("--artifacts", metavar="DIR", help="Write a carried trip's captures, tables, arrays and pictures.")
@click.option(
    "--queue",
    "queue_by",
    type=click.Choice(("closed", "simulate")),
    default="closed",
    show_default=True,
    help="The wait for the model: its closed form, or a run of the fleet at this deployment and load.",
)
@backend_options(64)
@form_option
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
    records: bool,
    tls: bool,
    calibrates: bool,
    live: bool,
    queue_by: str,
    carries: bool,
    breaks: tuple[str, ...],
    version: str,
    layout: str,
    artifacts: str | None,
    backend: str,
    base_url: str | None,
    model: str | None,
    api_key_env: str | None,
    max_tokens: int,
    form: str,
    **paths: str | None,
) -> None:
    """Follow PROMPT (or, with -, standard input) from the finger to the model and back to the eye.

    Files are written beside the table; give several at once.
    """
    check_svg(*(paths[name] for name in PLOTS))
    check_apart({f"--{name.replace('_', '-')}": path for name, path in paths.items()})
    check_samples(samples)
    if breaks == ("list",):
        list_breaks()
        return
    _check_carry(carries, records or queue_by != "closed", breaks, version, layout, artifacts)
    chosen = read_scenario(scenario, settings, read_prompt(prompt))
    shown = Shown(as_json, brief, linear, sources)
    if calibrates:
        from roundtrip.engine.calibrate import calibration

        calibration(renew=True)
    if not records:
        check_unused(backend, base_url, api_key_env)
        if tls:
            raise ScenarioError("--tls goes with --record: a forecast has its own (network.edge, network.connection)")
        if model is not None and answers:
            _check_model(model)
    else:
        server = choose(backend, base_url, model, api_key_env, tls)
        if scenario not in ("cloud", "here") or settings:
            raise ScenarioError("--record runs on this computer as it is: leave --scenario and --set out")
        if queue_by != "closed":
            raise ScenarioError("--queue simulate goes with a forecast: a recorded trip has waited for real")
        _record(chosen.prompt, server, form, max_tokens, live, shown, paths)
        return
    if carries:
        if artifacts is not None:
            from roundtrip.cli.carry_files import make_folder

            make_folder(artifacts)
        found_carried = carried(chosen, breaks, version, layout, seed, model, max_tokens, answers)
        _show_carried(found_carried, shown, paths, artifacts)
        return
    from roundtrip.journey.forecast import forecast

    chosen = _measured(chosen)
    found = _simulated(chosen) if queue_by == "simulate" else None
    trace = forecast(None, found.scenario if found else chosen, samples=samples, seed=seed)
    write_files(trace, paths, linear)
    if as_json:
        more = {"queue": found.as_dict()} if found else {}
        say_json({**trace.as_dict(), **more, **(_answer(trace, model, form, max_tokens) if answers else {})})
        return
    shown.show(trace)
    if found:
        from roundtrip.trace.table import wrap

        say_page("\n" + "\n".join(wrap(found.as_text(), min(width(), 100))) + "\n")
    if answers:
        _say_answer(trace, model, form, max_tokens, live)


def _check_carry(
    carries: bool, otherwise: bool, breaks: tuple[str, ...], version: str, layout: str, artifacts: str | None
) -> None:
    """Refuse options that would change nothing."""
    if carries and otherwise:
        raise ScenarioError("--carry goes with neither --record nor --queue simulate: each is a reading of its own")
    given = {"--break": bool(breaks), "--http": version != "1.1", "--layout": layout != "us", "--artifacts": artifacts}
    for name, is_given in given.items():
        if is_given and not carries:
            raise ScenarioError(f"{name} goes with --carry")


def _show_carried(found: Carried, shown: Shown, paths: dict[str, str | None], artifacts: str | None) -> None:
    """Print what became of the prompt, and write what was asked for."""
    from roundtrip.journey.carry.carried import summary
    from roundtrip.journey.carry.carried_trace import trace_of

    trace = trace_of(found)
    write_files(trace, paths, shown.linear)
    names: list[str] = []
    if artifacts is not None:
        from roundtrip.cli.carry_files import write_artifacts

        names = write_artifacts(artifacts, found)
    if shown.as_json:
        say_json({**trace.as_dict(), "carried": summary(found)})
        return
    if shown.brief:
        shown.show(trace)
    say(story(found))
    if artifacts is not None:
        say(f"  {len(names)} files in {artifacts}: begin with index.md.\n")


def _check_model(model: str) -> None:
    """Refuse weights that were named and cannot answer, before anything is printed."""
    from roundtrip.engine.gguf import GGUF
    from roundtrip.engine.model import sizes
    from roundtrip.engine.weights import resolve

    file = GGUF(resolve(model).path)
    sizes(file)
    file.close()


def _measured(chosen: Scenario) -> Scenario:
    """Return the scenario with this computer's own numbers where the small model runs on it."""
    if (chosen.choices["model.accelerator"], chosen.choices["model.serving"]) != ("this-machine", "numpy"):
        return chosen
    if os.environ.get("ROUNDTRIP_MODEL") == "none":
        return chosen
    from roundtrip.engine.calibrate import calibration
    from roundtrip.journey.here import measured_figures

    return chosen.with_measured(measured_figures(calibration()))


def _simulated(chosen: Scenario) -> Simulated:
    """Run the fleet at the scenario's deployment and load, with its progress on a terminal."""
    from roundtrip.cli.fleet_options import bar_on_terminal, clear_bar
    from roundtrip.journey.queue_fleet import simulated

    found = simulated(chosen, bar_on_terminal("runs", "stop"))
    clear_bar()
    return found


class Shown:
    """How a trace is printed."""

    def __init__(self, as_json: bool, brief: bool, linear: bool, sources: bool) -> None:
        self.as_json, self.brief, self.linear, self.sources = as_json, brief, linear, sources

    def show(self, trace: Trace) -> None:
        """Print a trace: a line a room, or a line a stage."""
        if self.brief:
            from roundtrip.trace.brief import brief as on_one_screen

            say(on_one_screen(trace, width(), color(), log=not self.linear, unicode=knows_unicode()))
        else:
            from roundtrip.trace.table import table

            say(table(trace, width(), color(), not self.linear, self.sources, knows_unicode()))


def _record(
    prompt: str, server: Backend, form: str, max_tokens: int, live: bool, shown: Shown, paths: dict[str, str | None]
) -> None:
    """Send the prompt for real; print its trip, its stages beside the forecast, and the answer."""
    from dataclasses import replace

    from roundtrip.journey.record import record, record_as_text

    live = live and not shown.as_json
    found = record(prompt, server, form, max_tokens, printer() if live else None)
    if live:
        say("\n")
    write_files(found.trace, paths, shown.linear, (found.started_ns, found.exchange.context.trace_id))
    if shown.as_json:
        say_json(found.as_dict())
        return
    shown.show(replace(found.trace, spans=[s for s in found.trace.spans if not s.id.startswith(STEPS)]))
    lines = ["The answer, and its trip as recorded beside the forecast for this computer:", ""]
    say_page("\n" + "\n".join([*lines, *record_as_text(found, min(width(), WIDEST_ANSWER))]) + "\n")


def _answer(trace: Trace, model: str | None, form: str, max_tokens: int) -> dict[str, Any]:
    """Let the model answer; return what a forecast gets beside it in JSON."""
    from roundtrip.errors import ModelError, PromptError

    try:
        from roundtrip.journey.answer import answer

        found = answer(trace.prompt, form, max_tokens, model=model)
    except (ModelError, PromptError) as error:
        return {"answered": None, "not_answered": str(error)}
    return {"answer": found.text, "answered": found.as_dict()}


def _say_answer(trace: Trace, model: str | None, form: str, max_tokens: int, live: bool) -> None:
    """Print the real answer below the forecast, or in one line why there is none.

    Who asked for no model (``ROUNDTRIP_MODEL=none``) is not told how to get one.
    """
    from roundtrip.errors import ModelError, PromptError

    if model is None and os.environ.get("ROUNDTRIP_MODEL") == "none":
        return
    try:
        from roundtrip.journey.answer import answer, answer_as_text

        if live:
            say("\n")
        with _patience(trace.prompt):
            found = answer(trace.prompt, form, max_tokens, model=model, on_text=printer() if live else None)
        lines = answer_as_text(found, trace.prompt, min(width(), WIDEST_ANSWER))
    except (ModelError, PromptError) as error:
        lines = [f"No real answer: {error}"]
    say_page("\n" + "\n".join(lines) + "\n")


@contextlib.contextmanager
def _patience(prompt: str) -> Generator[None]:
    """On a terminal, say what takes so long while the model reads a long prompt."""
    says = len(prompt) > LONG and sys.stderr.isatty()
    if says:
        sys.stderr.write("The small model reads the prompt, which takes a while; --no-answer leaves it out.")
        sys.stderr.flush()
    try:
        yield
    finally:
        if says:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def write_files(trace: Trace, paths: dict[str, str | None], linear: bool, made: tuple[int, str] | None = None) -> None:
    """Write each file that was asked for; `made` is when a recorded trip began, and its id on the wire."""
    for name, (module, function, _) in {**FILES, **PLOTS}.items():
        path = paths[name]
        if path is not None:
            make = getattr(import_module(f"roundtrip.trace.{module}"), function)
            if name == "plot":
                text = make(trace, log=not linear)
            else:
                text = make(trace, *made) if name == "otlp" and made else make(trace)
            write_whole(path, text)
