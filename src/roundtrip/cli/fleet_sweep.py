"""``roundtrip fleet sweep``: throughput against speed for a user over many fleets, resumable."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.fleet_options import bar_on_terminal, clear_bar, deployment_options, seed_option, workload_options
from roundtrip.cli.output import as_json, check_svg, color, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.cli.fleet_store import Store

FLUSH_S = 0.25  # rows are kept at least so often


@click.command(short_help="A grid of fleets: throughput against speed for a user.")
@click.argument("grid_file", metavar="[GRID.toml]", required=False)
@click.option("--out", metavar="DIR", required=True, help="Folder for the results; a sweep that is in it goes on.")
@click.option("--vary", multiple=True, metavar="NAME=A,B,…", help="Give an option of 'fleet run' several values; "
              "again for another. With commas in a value: NAME=A;B.")  # fmt: skip
@click.option("--workers", type=int, metavar="N", help="Processes on this machine; one for each core by default.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on this Dask cluster instead, for example tcp://host:8786.")
@click.option("--plot", metavar="FILE", help="Draw throughput against speed for a user with its front, as SVG.")
@workload_options
@deployment_options
@seed_option
@as_json
@click.pass_context
def sweep(ctx: click.Context, /, **options: Any) -> int:
    """Run every fleet of a grid, and say which are on the front of throughput and speed for a user.

    The grid is a TOML file with options of 'fleet run', each with a value or a list; --vary and options given here
    stand in for those of the file. What is done stays: the same command goes on where it was stopped or killed.
    """
    check_svg(options["plot"])
    if options["scheduler"] is not None and options["workers"] is not None:
        raise DomainError("--workers has no meaning beside --scheduler: the cluster has its own")
    if options["workers"] is not None and not 1 <= options["workers"] <= 1024:
        raise DomainError(f"--workers = {options['workers']}, expected 1 to 1024")
    from roundtrip.cli.fleet_grid import Grid, check, grid_of_file, named_options, varied
    from roundtrip.cli.fleet_store import Store

    values = grid_of_file(options["grid_file"]) if options["grid_file"] else {}
    values |= named_options(ctx, options) | dict(varied(text) for text in options["vary"])
    grid = Grid(values)
    cases = grid.cases()
    check(cases)
    store = Store(options["out"], grid)
    try:
        interrupted = _fill(store, options)
        return _tell(store, options, interrupted)
    finally:
        store.close()


def _fill(store: Store, options: dict[str, Any]) -> bool:
    """Run what is left, and say whether it was interrupted."""
    from roundtrip.cli.fleet_case import run_case
    from roundtrip.cli.fleet_workers import cluster, processes

    left = [(number, store.cases[number]) for number in store.left()]
    if not left:
        return False
    progress = bar_on_terminal("fleets", "what is done stays")
    if options["scheduler"] is not None:
        rows = cluster(left, run_case, options["scheduler"])
    else:
        rows = processes(left, run_case, options["workers"] or _cores())
    try:
        _keep(store, rows, progress)
    except KeyboardInterrupt:
        return True
    finally:
        clear_bar()
    return False


def _keep(store: Store, rows: Generator[list[Any]], progress: Callable[[int, int], None] | None) -> None:
    """Write rows as they come, a few times a second, and those that are there when it ends in whatever way."""
    waiting: list[Any] = []
    last = time.monotonic()
    try:
        for batch in rows:
            waiting += batch
            if time.monotonic() - last >= FLUSH_S:
                done, waiting = waiting, []
                store.add(done)
                last = time.monotonic()
                if progress:
                    progress(len(store.rows), len(store.cases))
    finally:
        store.add(waiting)
        rows.close()


def _tell(store: Store, options: dict[str, Any], interrupted: bool) -> int:
    from roundtrip.fleet.study.front import mark_front, means

    rows = [store.rows[case] for case in sorted(store.rows)]
    points = means(rows, tuple(store.grid.values))
    mark_front(points)
    path = None
    if not store.left():
        front = {case for point in points if point["is_front"] for case in point["cases"]}
        path = store.finish([{"is_front": row["case"] in front} for row in rows])
    if options["plot"] and points:
        from roundtrip.fleet.study.plot_sweep import picture

        write_whole(options["plot"], picture(points, store.grid.axes))
    from roundtrip.fleet.study.sweep_report import Sweep, report

    told = Sweep(
        options["out"], str(path or ""), len(store.cases), store.found, rows, points, store.grid.axes, interrupted
    )  # fmt: skip
    if options["as_json"]:
        say_json(told.as_dict())
    else:
        from roundtrip.trace.table import painter

        say_page(report(told, max(width(), 60), painter(color())))
    return 130 if interrupted else 0 if points else 1


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
