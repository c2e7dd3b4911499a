"""``roundtrip validate``: the model against published figures and data sets."""

from __future__ import annotations

from typing import Any

import click

from roundtrip.cli.output import as_json, say_json, say_page, width
from roundtrip.errors import TruthError


@click.command()
@click.option("--truth", metavar="DIR", help="Folder of data sets to score the shipped constants on.")
@click.option("--fit", metavar="DIR", help="Folder of data sets to refit the constants on first.")
@as_json
@click.pass_context
def validate(ctx: click.Context, truth: str | None, fit: str | None, as_json: bool) -> None:
    """Hold every stage to its published figures, and the model to data sets; exit code 1 if a check fails."""
    for option, folder in (("--truth", truth), ("--fit", fit)):
        if folder == "":
            raise TruthError(f"{option} '': no such folder")
    from roundtrip.journey.validate import validate as validated

    body = validated(truth, fit)
    if as_json:
        say_json(body)
    else:
        page = render(body, width())
        say_page(page)
    ctx.exit(0 if all(score["holds"] for score in body["scores"]) else 1)


def render(body: dict[str, Any], columns: int) -> str:
    """Return the scores as text: one a line, and the rows that fail."""
    from roundtrip.trace.table import clip, wrap

    columns = min(max(columns, 72), 120)
    name = columns - 8 - 12 - 12 - 6 - 4
    lines = [f"{'':<7} {'what':<{name}} {'value':>11} {'bar':>11} {'n':>6}"]
    for score in body["scores"]:
        sign = ("holds" if score["bar"] is not None else "shown") if score["holds"] else "FAILS"
        text = f"{score['name']}: {score['metric']}" if not score["name"].startswith("stage ") else score["name"]
        bar = f"{score['bar']:.3g}" if score["bar"] is not None else "-"
        value = f"{score['value']:.3g}" if score["value"] is not None else "-"
        lines.append(f"{sign:<7} {clip(text, name):<{name}} {value:>11} {bar:>11} {score['n']:>6}")
        for row in score.get("rows", ()):
            if not row["holds"]:
                numbers = f"{row['model']:.4g} {row['unit']}, published {row['published']:.4g}"
                lines += wrap(
                    f"        {row['id']}: {row['quantity']}: {numbers} ({row['source']})", columns, "          "
                )
    judged = [score for score in body["scores"] if score["bar"] is not None or not score["holds"]]
    count = sum(score["holds"] for score in judged)
    figures = sum(score["n"] for score in body["scores"] if score["name"].startswith("stage "))
    lines += ["", f"{count} of {len(judged)} checks hold; {figures} published figures over the stages."]
    for reason in body["skipped"]:
        lines += wrap(f"Skipped: {reason}", columns)
    if body["not_scored"]:
        lines += wrap("Not scored yet: " + ", ".join(body["not_scored"]), columns)
    return "\n".join(lines)
