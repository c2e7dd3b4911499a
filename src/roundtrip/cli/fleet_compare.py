"""``roundtrip fleet compare``: two fleets or more on the same requests, with paired intervals."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.fleet_options import (
    bar_on_terminal,
    clear_bar,
    deployment_options,
    said,
    seed_option,
    workload_options,
)  # fmt: skip
from roundtrip.cli.output import as_json, color, say_json, say_page, width
from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.cli.fleet_grid import Case
    from roundtrip.fleet.study.pairs import Seen, Side

SCHEMA = "roundtrip.fleet.compare/1"
SEEDS = 8
MOST_SIDES = 26


@click.command(short_help="Fleets on the same requests: what differs, and how sure that is.")
@click.argument("sides", metavar="[A B ...]", nargs=-1)
@click.option("--vary", multiple=True, metavar="NAME=A,B,…", help="Compare the values of an option of 'fleet run'; "
              "again for another. With commas in a value: NAME=A;B.")  # fmt: skip
@click.option("--seeds", type=int, default=SEEDS, show_default=True, help="Seeds of a made load, the same for all.")
@workload_options
@deployment_options
@seed_option
@as_json
@click.pass_context
def compare(ctx: click.Context, /, **options: Any) -> int:
    """Run fleets on the same requests, and say what differs and how sure that is.

    A and B are TOML files with options of 'fleet run' (model = "llama-3.1-8b"), cases of a sweep (DIR:17), or records
    that 'fleet run --csv' wrote. With --vary they follow from the options given here. The first is what the others are
    held against.
    """
    names, sides = said(ctx, options), options["sides"]
    if options["vary"] and sides:
        raise DomainError("--vary has no meaning beside files: expected one or the other")
    if options["seeds"] < 1 or options["seeds"] > 1000:
        raise DomainError(f"--seeds = {options['seeds']}, expected 1 to 1000")
    if sides and all(side.lower().endswith(".csv") for side in sides):
        for name in sorted(names - {"sides", "as_json"}):
            raise DomainError(f"--{name.replace('_', '-')} has no meaning for records: they were run already")
        _enough(len(sides))
        return _tell([_of_csv(path) for path in sides], "Records of the same requests", options["as_json"])
    cases = _cases(ctx, options)
    _enough(len(cases))
    runs, what = _seeded(next(iter(cases.values())), options["seeds"], "seeds" in names)
    progress = bar_on_terminal("runs", "nothing is kept")
    found: list[Side] = []
    for number, (name, case) in enumerate(cases.items()):
        found.append(_run(name, case, runs))
        if progress:
            progress(number + 1, len(cases))
    clear_bar()
    return _tell(found, what, options["as_json"])


def _enough(count: int) -> None:
    if not 2 <= count <= MOST_SIDES:
        raise DomainError(
            f"{count} to compare, expected 2 to {MOST_SIDES}: files, cases of a sweep, or --vary NAME=A,B"
        )


def _cases(ctx: click.Context, options: dict[str, Any]) -> dict[str, Case]:
    """Return what is compared as cases, by name."""
    from roundtrip.cli.fleet_grid import Grid, check, grid_of_file, in_words, named_options, varied
    from roundtrip.cli.fleet_store import read_case

    given = named_options(ctx, options)
    cases: dict[str, Case] = {}
    if options["vary"]:
        grid = Grid(given | dict(varied(text) for text in options["vary"]))
        cases = {in_words(case, grid.axes): case for case in grid.cases()[: MOST_SIDES + 1]}
    for side in options["sides"]:
        if side.lower().endswith(".csv"):
            raise DomainError(f"{side}: records can be compared with records only")
        if side.lower().endswith(".toml"):
            grid = Grid(given | grid_of_file(side))
            if grid.axes:
                raise DomainError(f"{side}: {grid.axes[0].replace('_', '-')} has several values, expected one")
            case = grid.cases()[0]
        elif ":" in side:
            case = {name: values[0] for name, values in given.items()} | read_case(side)
        else:
            raise DomainError(f"{side!r}: expected a file .toml or .csv, or a case of a sweep as DIR:17")
        cases[side if side not in cases else f"{side} again"] = case
    if cases:
        check(list(cases.values()))
        _same_requests(cases)
    return cases


def _same_requests(cases: dict[str, Case]) -> None:
    from roundtrip.cli.fleet_grid import of_requests

    first, *others = cases.items()
    for name, case in others:
        for option in sorted(of_requests() - {"seed"}):
            if case.get(option) != first[1].get(option):
                raise DomainError(
                    f"{first[0]} and {name} have other requests (--{option.replace('_', '-')}): expected the same "
                    "workload for all"
                )


def _seeded(case: Case, seeds: int, is_said: bool) -> tuple[list[str], str]:
    """Return the seeds to run, and words for the requests."""
    from roundtrip.cli.fleet_grid import made

    work, _, _ = made(case)
    begin = int(case.get("seed", "0"))
    if "trace" in case:
        if is_said:
            raise DomainError("--seeds has no meaning for a trace: it is there once; its blocks are drawn anew")
        return [str(begin)], f"{work.name}: {len(work):,} requests, the same for all"
    return [
        str(begin + k) for k in range(seeds)
    ], f"{work.name}: {len(work):,} requests, {seeds} seeds, the same for all"


def _run(name: str, case: Case, seeds: list[str]) -> Side:
    from roundtrip.cli.fleet_case import price_of
    from roundtrip.cli.fleet_grid import made
    from roundtrip.fleet.simulate import simulate
    from roundtrip.fleet.study.pairs import Side, seen

    runs: list[Seen] = []
    usd_h: float | None = None
    accelerators = 0
    for seed in seeds:
        work, cluster, options = made(case | {"seed": seed})
        found = simulate(work, cluster)
        if found.interrupted:
            raise KeyboardInterrupt
        price = price_of(options, cluster)
        usd_h, accelerators = price and price.value, cluster.accelerators
        runs.append(seen(found))
    return Side(name, tuple(runs), usd_h, accelerators)


def _of_csv(path: str) -> Side:
    """Read records that ``fleet run --csv`` wrote."""
    import numpy as np

    from roundtrip.fleet.records import CAUSES, COLUMNS, RARE_CAUSES
    from roundtrip.fleet.study.pairs import Seen, Side

    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DomainError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise DomainError(
            f"{path}: is no file of 'roundtrip fleet run --csv': expected the columns {', '.join(COLUMNS)}"
        )
    if len(rows) < 2:
        raise DomainError(f"{path}: no requests")
    causes = (*CAUSES, *(cause for cause in RARE_CAUSES if f"{cause}_s" in rows[0]))
    table: dict[str, Any] = {}
    for place, name in enumerate(rows[0]):
        if name not in (*COLUMNS, *(f"{cause}_s" for cause in causes)) or name == "state":
            continue
        for line, row in enumerate(rows[1:], start=2):
            try:
                table.setdefault(name, []).append(float(row[place]) if row[place] else float("nan"))
            except (ValueError, IndexError):
                raise DomainError(f"{path}: line {line}: {name}: expected a number") from None
    column = {name: np.array(values) for name, values in table.items()}
    prompt, output = (np.nan_to_num(column[name]).astype(np.int64) for name in ("prompt_tokens", "output_tokens"))
    spans = {"ttft": column["ttft_s"], "tpot": column["tpot_s"], "e2e": column["last_token_s"] - column["arrival_s"]}
    waits = {cause: column[f"{cause}_s"] for cause in causes}
    return Side(path, (Seen(column["arrival_s"], column["last_token_s"], prompt, output, spans, waits),))


def _tell(sides: list[Side], what: str, is_json: bool) -> int:
    from roundtrip.fleet.study.pairs import compare as pair

    found = [pair(sides[0], other) for other in sides[1:]]
    if is_json:
        say_json({"schema": SCHEMA, "what": what, "comparisons": [one.as_dict() for one in found]})
    else:
        from roundtrip.fleet.study.pairs_report import report
        from roundtrip.trace.table import painter

        say_page(report(found, what, max(width(), 60), painter(color())))
    return 0
