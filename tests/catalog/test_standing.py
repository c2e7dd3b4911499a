"""Every source is opened, ours, or says why it was not opened."""

from __future__ import annotations

from pathlib import Path

from roundtrip.catalog.load import kinds, load, sources
from roundtrip.catalog.standing import standing


def test_each_source_stands_in_one_list() -> None:
    now = standing()
    lists = (*now.opened, *now.unopened, *now.ours)
    assert sorted(lists) == sorted(sources())


def test_every_figure_is_counted_once() -> None:
    figures = sum(len(e.figures) for kind in kinds() for e in load(kind).values())
    assert sum(standing().grades.values()) == figures


def test_who_was_not_opened_says_why() -> None:
    known = sources()
    silent = [key for key in standing().unopened if not known[key].note.startswith(("not opened", "not looked for"))]
    assert silent == []


def test_few_firm_figures_hang_on_what_nobody_opened() -> None:
    now = standing()
    assert now.firm_on_unopened() < 0.05 * sum(now.grades.values())
    assert set(now.unopened_in_use()) <= set(now.unopened)


def test_the_page_names_what_figures_use_and_nobody_opened() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "sources.md").read_text(encoding="utf-8")
    assert [key for key in standing().unopened_in_use() if f"`{key}`" not in page] == []
