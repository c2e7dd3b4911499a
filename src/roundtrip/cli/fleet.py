"""``roundtrip fleet``: a serving cluster under a trace, or under a load that is made."""

from __future__ import annotations

from typing import Any

import click

from roundtrip.cli.fleet_account import account_json, account_lines, account_options, accounted, check_place
from roundtrip.cli.fleet_compare import compare
from roundtrip.cli.fleet_options import (
    deployment,
    deployment_options,
    said,
    seed_option,
    with_progress,
    workload,
    workload_options,
)
from roundtrip.cli.fleet_size import size
from roundtrip.cli.fleet_sweep import sweep
from roundtrip.cli.fleet_trace import check_traces, named_traces, show_traces, trace_options, write_traces
from roundtrip.cli.output import as_json, check_svg, color, say_json, say_page, width, write_whole


@click.group()
def fleet() -> None:
    """Run a serving cluster under real or made traffic, and say where each request's wait came from.

    Every command takes --json.
    """


@fleet.command()
@workload_options
@deployment_options
@seed_option
@click.option("--slo", metavar="LIMITS", help="For example ttft_p99=1s,tpot_p99=50ms (ttft, tpot, e2e, queue).")
@click.option("--csv", "csv_file", metavar="FILE", help="Write every request's record as CSV.")
@click.option("--plot", metavar="FILE", help="Draw the run over time and where the wait came from, as SVG.")
@trace_options
@account_options
@as_json
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> int:
    """Run a cluster under a trace or a load, and say how long requests waited and for what.

    An option that the chosen load, policy or router cannot honor is refused.
    """
    check_svg(options["plot"])
    from roundtrip.fleet.slo import limits

    named = said(ctx, options)
    check_traces(options, named)
    check_place(options)
    work = workload(options, named)
    also = ("visible",) if len(work.reasoning) else ()
    slo = limits(options["slo"], also) if options["slo"] is not None else ()
    cluster = deployment(options, named, work)
    found = with_progress(work, cluster)
    if options["csv_file"]:
        write_whole(options["csv_file"], found.rows())
    if options["plot"]:
        from roundtrip.fleet.plot import picture

        write_whole(options["plot"], picture(found, slo))
    write_traces(options, found)
    traces = named_traces(options, found)
    account = accounted(options, found)
    if options["as_json"]:
        say_json(
            found.as_dict(slo)
            | account_json(account)
            | ({"traces": [trace.as_dict() for trace in traces]} if traces else {})
        )
    else:
        from roundtrip.fleet.report import report
        from roundtrip.trace.table import painter

        page = report(found, slo, max(width(), 60), painter(color()))
        say_page(f"{page}\n\n{account_lines(account, max(width(), 60))}")
        show_traces(traces)
    return 130 if found.interrupted else 0


fleet.add_command(size)
fleet.add_command(sweep)
fleet.add_command(compare)
