"""Traces of ``roundtrip fleet run``: the run for Perfetto, requests as `Trace` or OTLP, one on the screen."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.cli.output import check_apart, color, knows_unicode, say, width, write_whole
from roundtrip.errors import DomainError, OutputError

if TYPE_CHECKING:
    from roundtrip.fleet.records import Records
    from roundtrip.trace.model import Trace

F = TypeVar("F", bound=Callable[..., Any])

FILES = ("perfetto", "trace_out", "otlp")
OPTIONS: list[Callable[[Any], Any]] = [
    click.option("--perfetto", metavar="FILE", help="Write the run for ui.perfetto.dev: replicas, steps, requests."),
    click.option("--trace-out", metavar="FILE", help="Write requests as traces, JSON lines (roundtrip.trace/1)."),
    click.option("--otlp", metavar="FILE", help="Write requests as OTLP JSON lines, which Jaeger reads."),
    click.option(
        "--request", "numbers", type=int, multiple=True, metavar="N",
        help="Only this request (repeatable); without a file, print where its time went.",
    ),
    click.option("--sample", type=int, default=200, show_default=True, help="Requests in those files, at most."),
    click.option("--window", metavar="A,B", help="Steps and requests only from A to B, for example 60s,90s."),
]  # fmt: skip


def trace_options(function: F) -> F:
    """Give a command the options that write traces."""
    made: Any = function
    for option in reversed(OPTIONS):
        made = option(made)
    return made


def check_traces(options: dict[str, Any], said: set[str]) -> None:
    """Refuse what contradicts itself, before anything is run."""
    names = {"--csv": options["csv_file"], "--plot": options["plot"]}
    check_apart(names | {f"--{name.replace('_', '-')}": options[name] for name in FILES})
    for path in (options[name] for name in FILES):
        folder = Path(path).parent if path and "\0" not in path else None
        if folder is not None and not folder.is_dir():  # before a run of minutes rather than after it
            raise OutputError(f"{path}: cannot be written: no such folder")
    if "sample" in said and options["numbers"]:
        raise DomainError("--sample has no meaning beside --request")
    for name in ("sample", "window"):
        if name in said and not any(options[file] for file in FILES):
            raise DomainError(f"--{name} has no meaning without --perfetto, --trace-out or --otlp")
    if not 1 <= options["sample"] <= 100_000:
        raise DomainError(f"--sample = {options['sample']}, expected 1 to 100000")
    _window(options)


def write_traces(options: dict[str, Any], found: Records) -> None:
    """Write the files that were asked for."""
    from roundtrip.fleet.request_trace import check_requests, otlp_lines, trace_lines
    from roundtrip.fleet.trace_out import notes, perfetto, sample
    from roundtrip.fleet.watch import watch

    numbers = check_requests(found, options["numbers"])
    if not any(options[name] for name in FILES):
        return
    window_s = _window(options)
    chosen = list(dict.fromkeys(numbers)) or sample(found, options["sample"], window_s)
    if options["trace_out"]:
        write_whole(options["trace_out"], trace_lines(found, chosen))
    if options["otlp"]:
        write_whole(options["otlp"], otlp_lines(found, chosen))
    if options["perfetto"]:
        log = watch(found, chosen, window_s)
        left_out = notes(found, log, chosen, window_s)
        write_whole(options["perfetto"], perfetto(found, log, chosen, left_out))
        if left_out:
            click.echo(f"{options['perfetto']}: {'; '.join(left_out)}", err=True)


def named_traces(options: dict[str, Any], found: Records) -> list[Trace]:
    """Return the traces of the named requests if no file was asked for: they are shown instead."""
    if not options["numbers"] or any(options[name] for name in FILES):
        return []
    from roundtrip.fleet.request_trace import check_requests, request_trace

    return [request_trace(found, i) for i in check_requests(found, options["numbers"])]


def show_traces(traces: list[Trace]) -> None:
    """Print where the time of requests went."""
    from roundtrip.trace.table import table

    for trace in traces:
        say("\n" + table(trace, width(), color(), log=False, unicode=knows_unicode()))


def _window(options: dict[str, Any]) -> tuple[float, float]:
    """Read ``60s,90s``; an end may be left out."""
    from roundtrip.figures.units import parse_quantity

    text = options["window"]
    if text is None:
        return 0.0, math.inf
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise DomainError(f"--window {text!r}: expected two times, for example 60s,90s")
    from_s = parse_quantity(parts[0], "s", "--window") if parts[0] else 0.0
    to_s = parse_quantity(parts[1], "s", "--window") if parts[1] else math.inf
    if not 0.0 <= from_s < to_s:
        raise DomainError(f"--window {text!r}: expected a start of 0 or more, and an end after it")
    return from_s, to_s
