"""``roundtrip fit``: the constants of step times, fitted to one's own measurements."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from roundtrip.cli.output import as_json, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError

FORMATS = ("auto", "csv", "aiperf", "vllm-bench", "silicon")
MOST_REFITS = 1000


@click.command()
@click.argument("data", metavar="DATA")
@click.option("--format", "form", metavar="FORMAT", default="auto", show_default=True, help=", ".join(FORMATS) + ".")
@click.option("--model", metavar="NAME", help="Key of the catalog, name on the hub, or path of a config.json.")
@click.option("--accelerator", metavar="NAME", help="One of 'roundtrip catalog accelerators'.")
@click.option("--engine", metavar="NAME", help="vllm, sglang, trtllm, or another name.")
@click.option("--precision", metavar="NAME", help="bf16, fp8, fp4, mxfp4 or int4; as published by default.")
@click.option("--tensor", type=int, metavar="N", help="Accelerators that split every matrix.")
@click.option("--groups", type=int, metavar="N", help="Groups with a batch of their own that share experts.")
@click.option("--expert", type=int, metavar="N", help="Parts into which the experts are dealt out.")
@click.option("--pipeline", type=int, metavar="N", help="Stages of layers.")
@click.option("--clients", type=float, metavar="N", help="Requests at a time, where the file does not say.")
@click.option("--wide", is_flag=True, help="Start from wide priors, not from the constants that are shipped.")
@click.option("--refits", type=int, default=10, show_default=True, metavar="N", help="Refits for the bands.")
@click.option(
    "--out", metavar="FILE.toml", help="Write the constants, for 'roundtrip fleet run --constants FILE.toml'."
)
@as_json
def fit(data: str, **options: Any) -> None:
    """Fit the constants of a server to measured runs of a closed loop, and say how sure they are.

    DATA is a file or a folder: exports of aiperf, results of vllm bench serve (--save-result), a CSV with the columns
    clients, prompt_tokens, output_tokens, ttft_ms and tpot_ms, or the silicon sample of aiconfigurator.
    """
    from roundtrip.serving import fit_report
    from roundtrip.serving.bench_files import Given, read
    from roundtrip.serving.constants import constants, priors
    from roundtrip.serving.measurements import table

    if not 0 <= options["refits"] <= MOST_REFITS:
        raise DomainError(f"--refits = {options['refits']}, expected 0 to {MOST_REFITS}")
    given = Given(
        model=options["model"] or "", accelerator=options["accelerator"] or "", engine=options["engine"] or "",
        precision=options["precision"] or "", tensor=_whole("tensor", options["tensor"]),
        groups=_whole("groups", options["groups"]), expert=_whole("expert", options["expert"]),
        pipeline=_whole("pipeline", options["pipeline"]), clients=_clients(options["clients"]),
    )  # fmt: skip
    rows = table(read(data, options["form"], given))
    is_wide = options["wide"] or options["form"] == "silicon"
    prior = priors() if is_wide else fit_report.rounded_priors(SHIPPED_SPREAD, dict(constants(rows.runs[0].engine)))
    made = fit_report.report(rows, layers(rows), prior=prior, refits=options["refits"], progress=_progress())
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    command = "roundtrip fit " + shlex.join(sys.argv[2:] if sys.argv[1:2] == ["fit"] else [data])
    if options["out"]:
        write_whole(options["out"], fit_report.as_toml(made, command))
    if options["as_json"]:
        say_json(fit_report.as_dict(made) | {"refused": [list(one) for one in rows.refused]})
    else:
        say_page(render(made, rows.refused, options["out"], width()))


SHIPPED_SPREAD = 0.4  # of the shipped constants where one's own rows move them


def layers(rows: Any) -> Any:
    """Return deviations by who measured, where rows of several do."""
    import numpy as np

    from roundtrip.serving.fit import BENCH

    return BENCH if len(np.unique(rows.labels["bench"])) > 1 else ()


def render(made: Any, refused: Any, out: str | None, columns: int) -> str:
    """Return the constants as text, one a line, and below what is not known."""
    from roundtrip.trace.table import wrap

    lines = [f"{made.rows} measured runs.", "", f"{'constant':<24} {'value':>10} {'p5':>10} {'p95':>10} {'unit':<6}"]
    for c in made.constants:
        sign = "" if c.is_identified else "  not identified"
        lines.append(f"{c.name:<24} {c.value:>10.3g} {c.low:>10.3g} {c.high:>10.3g} {c.unit:<6}{sign}")
    for engine, own in made.engines.items():
        lines += wrap(f"{engine}: " + ", ".join(f"{name} {value:.3g}" for name, value in own.items()), columns, "  ")
    unknown = [c for c in made.constants if not c.is_identified]
    if unknown:
        reasons = [f"{c.name} (trades against {c.trades_with})" if c.trades_with else c.name for c in unknown]
        text = "Not identified by these runs, so that their values are mostly those of the prior: "
        lines += ["", *wrap(text + ", ".join(reasons) + ".", columns)]
    lines.append("")
    for what, errors in made.errors.items():
        parts = [f"{name} {value:.1%}" for name, value in errors.items() if value is not None]
        lines += wrap(f"Median error, {what}: " + ", ".join(parts) + ".", columns)
    if "rows left out" not in made.errors:
        lines.append("All runs are of one configuration: none could be left out.")
    for line, reason in refused[:5]:
        lines += wrap(f"Line {line} was not used: {reason}", columns, "  ")
    if len(refused) > 5:
        lines.append(f"{len(refused) - 5} more lines were not used.")
    if out:
        lines.append(f"Written: {out}")
    return "\n".join(lines)


def _whole(name: str, value: int | None) -> int:
    if value is not None and not 1 <= value <= 100_000:
        raise DomainError(f"--{name} = {value}, expected 1 to 100000")
    return value or 0


def _clients(value: float | None) -> float:
    if value is not None and not 0.0 < value < 1e9:
        raise DomainError(f"--clients = {value:g}, expected above 0 and below 1e9")
    return value or 0.0


def _progress() -> Any:
    if not sys.stderr.isatty():
        return None

    def tell(text: str) -> None:
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    return tell
