"""``roundtrip sheet``: the question sheet as a PDF."""

from __future__ import annotations

import click

from roundtrip.cli.inputs import read_scenario, scenario_options
from roundtrip.cli.output import say, write_whole
from roundtrip.errors import OutputError


@click.command()
@click.argument("file", metavar="FILE.pdf")
@click.option("--paper", default="a4", show_default=True, metavar="a4|letter", help="Size of the paper.")
@click.option("--level", default="child", show_default=True, metavar="child|student|engineer", help="Reading level.")
@click.option("--lang", default="en", show_default=True, metavar="en|de", help="Language of the sheet.")
@scenario_options
def sheet(file: str, paper: str, level: str, lang: str, scenario: str, settings: tuple[str, ...]) -> None:
    """Write the question sheet: questions for children, a page for grown-ups, a lesson, answers with sources.

    The answers speak of the trip that --scenario and --set choose.
    """
    if not file.lower().endswith(".pdf"):
        raise OutputError(f"{file}: the sheet is written as PDF, expected a name that ends in .pdf")
    chosen = read_scenario(scenario, settings)
    from roundtrip.lab.sheet import pdf_sheet, trip_of
    from roundtrip.lab.strings import Texts

    made = pdf_sheet(level, paper, trip_of(chosen), lang)
    write_whole(file, made.pdf)
    texts = Texts(level, language=lang)
    say(texts("sheet.cli.wrote", file=file, pages=made.pages, paper=texts(f"sheet.paper.{paper}")))
