"""The question sheet as a tagged PDF: children's pages, a page for grown-ups, a lesson, answers with sources.

Texts, drawing and style are those of the lab's screen (``web/strings``, ``web/paper``), the figures those of a trip.
WeasyPrint sets it as PDF/UA; nothing of the moment goes in, so the same sheet is the same bytes.
"""

from __future__ import annotations

import base64
import contextlib
import html
import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from roundtrip.catalog.load import sources
from roundtrip.errors import OutputError, ScenarioError, nearest
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.lab.fills import Fill, fills, trip_fills
from roundtrip.lab.strings import Texts, check_level, folder, places
from roundtrip.lab.thin import thin
from roundtrip.lab.worded import between, worded

VARIANT = "pdf/ua-1"
CLOCK = "SOURCE_DATE_EPOCH"
PAPERS = {"a4": "A4", "letter": "letter"}
PARTS = ("device", "tower", "internet", "balancer", "server", "cache", "tokens", "screen", "eye")
QUESTIONS = ("fast", "wait", "one", "notes", "small", "secret", "helpers", "likely", "power", "rare")
SHARES = ("network", "queue", "prefill", "decode")
SLIDERS = {
    "distance": ("concept.lab.distance_m", "m"),
    "queue": ("concept.lab.queue_wait_s", "s"),
    "prompt": ("concept.lab.prompt_tokens", "1"),
    "reply": ("concept.lab.output_tokens", "1"),
}
BAR_WIDTH, BAR_HEIGHT, LEAST_LABEL = 1000.0, 46.0, 60.0
EMPTY_HEIGHT = 84.0
MARGINS = {"a4": "13mm 16mm 15mm", "letter": "10mm 16mm 13mm"}
LINES, LAST_LINES = 3, {"a4": 7, "letter": 5}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A PDF, and how many pages it has."""

    pdf: bytes
    pages: int


@dataclass(frozen=True, slots=True)
class Trip:
    """The trip that the answers speak of."""

    scenario: Scenario
    fills: dict[str, Fill]

    @property
    def shares(self) -> list[tuple[str, float, Fill]]:
        """Return the parts of the wait with their share of the whole, and what is left."""
        whole = self.fills["trip_whole"].value
        names = {"prefill": "trip_read", "decode": "trip_write"}
        found = [(name, self.fills.get(names.get(name, f"trip_{name}"))) for name in SHARES]
        return [(name, part.value / whole, part) for name, part in found if part is not None and part.value > 0.0]

    @property
    def rest_s(self) -> float:
        """Return the time that none of the four parts takes."""
        left = self.fills["trip_whole"].value - sum(part.value for _, _, part in self.shares)
        return left if left > 1e-9 * self.fills["trip_whole"].value else 0.0


def trip_of(scenario: Scenario | str = "concept") -> Trip:
    """Return the trip of a scenario."""
    chosen = load_scenario(scenario) if isinstance(scenario, str) else scenario
    return Trip(chosen, trip_fills(forecast(scenario=chosen, samples=0)))


def html_sheet(level: str = "child", paper: str = "a4", trip: Trip | None = None, language: str = "en") -> str:
    """Return the whole sheet as one HTML page, for the PDF."""
    if paper not in PAPERS:
        raise ScenarioError(f"no paper {paper!r}{nearest(paper, PAPERS)}, allowed: {', '.join(PAPERS)}")
    check_level(level)
    told = trip or trip_of()
    known: dict[str, Fill] = {**fills(), **told.fills}
    say = Texts(level, {name: fill.said(level, language) for name, fill in known.items()}, language)
    pages = "".join(
        [_child(say, LAST_LINES[paper]), _talk(say), _adult(say), _teacher(say), _answers(say, told, known)]
    )
    css = (folder("paper") / "sheet.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8">'
        f"<title>{_e(say('sheet.title'))}</title>"
        f'<meta name="author" content="{_e(say("app.name"))}">'
        f'<meta name="description" content="{_e(say("sheet.intro"))}">'
        f"<style>{_print_css(paper, say)}{css}</style></head><body>{pages}</body></html>"
    )


def pdf_sheet(level: str = "child", paper: str = "a4", trip: Trip | None = None, language: str = "en") -> Sheet:
    """Return the sheet as a tagged PDF.

    Raises
    ------
    OutputError
        If WeasyPrint is not installed.
    """
    try:
        from weasyprint import HTML
        from weasyprint.text.fonts import FontConfiguration
    except (ImportError, OSError) as error:
        raise OutputError(
            "the PDF needs WeasyPrint: pip install 'prompt-roundtrip[sheet]' (and Pango, for example 'apt-get install "
            f"libpango-1.0-0 libpangoft2-1.0-0'); or print the lab's question sheet from a browser ({error})"
        ) from None
    page = html_sheet(level, paper, trip, language)
    with _no_clock():
        fonts = FontConfiguration()
        made = HTML(string=page, base_url=str(folder("fonts")) + "/").render(font_config=fonts, pdf_variant=VARIANT)
        return Sheet(bytes(made.write_pdf(finisher=thin, pdf_variant=VARIANT) or b""), len(made.pages))


@contextlib.contextmanager
def _no_clock() -> Generator[None]:
    """Keep the time out of the fonts: fontTools stamps each subset with it, or with this variable."""
    before = os.environ.get(CLOCK)
    os.environ[CLOCK] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[CLOCK]
        else:
            os.environ[CLOCK] = before


def printed() -> dict[str, bytes]:
    """Return the sheets that the site holds ready, by file name; none where WeasyPrint is missing."""
    try:
        return {f"sheet-{paper}.pdf": pdf_sheet("child", paper).pdf for paper in PAPERS}
    except OutputError:
        return {}


def _print_css(paper: str, say: Texts) -> str:
    foot = _css(say("sheet.foot"))
    return (
        '@font-face{font-family:"Lab Serif";src:url("lab-serif.woff2");font-weight:400 600}'
        '@font-face{font-family:"Lab Sans";src:url("lab-sans.woff2");font-weight:400 600}'
        f"@page{{size:{PAPERS[paper]};margin:{MARGINS[paper]};"
        f'@bottom-left{{content:"{foot}";font:8pt "Lab Sans",sans-serif}}'
        '@bottom-right{content:counter(page) " / " counter(pages);font:8pt "Lab Sans",sans-serif}}'
        "body{margin:0}"
    )


def _css(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _e(text: str) -> str:
    return html.escape(text, quote=True)


def _top(say: Texts, tab: str, fields: bool = False) -> str:
    blanks = "".join(f'<span>{_e(say(key))} <span class="qs-blank">&#8288;</span></span>'
                     for key in ("sheet.name", "sheet.date"))  # fmt: skip
    right = f'<div class="qs-fields">{blanks}</div>' if fields else ""
    return f'<div class="qs-top"><span>{_e(say(tab))}</span>{right}</div>'


def _h(say: Texts, key: str) -> str:
    return f'<h1 class="qs-h">{_e(say(key))}</h1>'


def _s(say: Texts, key: str) -> str:
    return f'<h2 class="qs-s">{_e(say(key))}</h2>'


def _page(name: str, body: str) -> str:
    return f'<section class="qs-page" id="{name}">{body}</section>'


def _picture(svg: str, alt: str) -> str:
    """Return a drawing as an image with its text: a tagged figure."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{_e(alt)}" src="data:image/svg+xml;base64,{data}">'


def drawing() -> str:
    """Return the drawing of the trip, black on white."""
    svg = (folder("paper") / "trip.svg").read_text(encoding="utf-8")
    return svg.replace("var(--paper, #fff)", "#fff").replace("currentColor", "#000")


def _list(say: Texts, keys: list[str], tag: str = "ul", two: bool = False) -> str:
    items = "".join(f"<li>{_e(say(key))}</li>" for key in keys)
    return f'<{tag} class="qs-list{" qs-two" if two else ""}">{items}</{tag}>'


def _n(number: int) -> str:
    return f'<span class="qs-n">{number}</span>'


def _child(say: Texts, lines: int) -> str:
    parts = "".join(
        f"<li>{_n(n)}<b>{_e(say(f'part.{part}.name'))}</b>: {_e(say(f'part.{part}.does'))}</li>"
        for n, part in enumerate(PARTS, start=1)
    )
    names = "".join(f'<span><span class="qs-box"></span>{_e(say(f"wait.share.{name}"))}</span>' for name in SHARES)
    return _page(
        "child",
        f"{_top(say, 'sheet.child.tab', fields=True)}{_h(say, 'sheet.child.title')}"
        f'<p class="qs-lead">{_e(say("sheet.child.lead"))}</p>'
        f'<figure class="qs-trip">{_picture(drawing(), say("sheet.child.picture"))}</figure>'
        f'<ol class="qs-parts">{parts}</ol>'
        f'<p class="qs-read">{_e(say("sheet.child.draw"))}</p>'
        f"{_s(say, 'sheet.child.guess.title')}"
        f'<p class="qs-read">{_e(say("sheet.child.guess"))}</p>'
        f'<figure class="qs-bar">{_picture(empty_bar(), say("sheet.child.guess.bar"))}</figure>'
        f'<p class="qs-key">{names}</p>'
        f"{_s(say, 'sheet.child.after.title')}"
        f'<p class="qs-read">{_e(say("sheet.child.after"))}</p>{lines * _LINE}',
    )


_LINE = '<div class="qs-line"></div>'


def _talk(say: Texts) -> str:
    items = "".join(
        f'<li><p class="qs-q">{_n(n)}{_e(say(f"sheet.q.{key}"))}</p>{LINES * _LINE}</li>'
        for n, key in enumerate(QUESTIONS, start=1)
    )
    return _page(
        "talk",
        f"{_top(say, 'sheet.child.tab', fields=True)}{_h(say, 'sheet.child.talk')}"
        f'<p class="qs-lead">{_e(say("sheet.child.hint"))}</p><ol class="qs-questions">{items}</ol>',
    )


def _adult(say: Texts) -> str:
    listen = "".join(
        f"<div><dt>{_n(n)}{_e(say(f'sheet.topic.{key}'))}</dt><dd>{_e(say(f'sheet.adult.listen.{key}'))}</dd></div>"
        for n, key in enumerate(QUESTIONS, start=1)
    )
    return _page(
        "adult",
        f"{_top(say, 'sheet.adult.tab')}{_h(say, 'sheet.adult.title')}"
        f'<p class="qs-lead">{_e(say("sheet.adult.lead"))}</p>'
        f"{_s(say, 'sheet.adult.how.title')}{_list(say, say.keys('sheet.adult.how.')[1:], 'ol')}"
        f'{_s(say, "sheet.adult.listen.title")}<dl class="qs-pairs">{listen}</dl>'
        f"{_s(say, 'sheet.adult.words.title')}{_list(say, say.keys('sheet.adult.word.'), two=True)}",
    )


def _teacher(say: Texts) -> str:
    steps = sorted({key.rpartition(".")[0] for key in say.keys("sheet.teacher.plan.") if key[-5:] == ".when"} -
                   {"sheet.teacher.plan"})  # fmt: skip
    rows = "".join(
        f'<tr><th scope="row" class="qs-when">{_e(say(f"{step}.when"))}</th><td>{_e(say(f"{step}.what"))}</td>'
        f"<td>{_e(say(f'{step}.why'))}</td></tr>"
        for step in steps
    )
    head = "".join(
        f'<th scope="col">{_e(say(f"sheet.teacher.plan.{column}"))}</th>' for column in ("when", "what", "why")
    )
    return _page(
        "teacher",
        f"{_top(say, 'sheet.teacher.tab')}{_h(say, 'sheet.teacher.title')}"
        f'<p class="qs-lead">{_e(say("sheet.teacher.lead"))}</p>'
        f"{_s(say, 'sheet.teacher.goals.title')}{_list(say, say.keys('sheet.teacher.goal.'))}"
        f"{_s(say, 'sheet.teacher.bring.title')}<p>{_e(say('sheet.teacher.bring'))}</p>"
        f"{_s(say, 'sheet.teacher.plan.title')}"
        f'<table class="qs-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"{_s(say, 'sheet.teacher.more.title')}<p>{_e(say('sheet.teacher.more'))}</p>"
        f"{_s(say, 'sheet.teacher.check.title')}<p>{_e(say('sheet.teacher.check'))}</p>",
    )


def _told(say: Texts, trip: Trip) -> str:
    if trip.scenario.way != "concept":
        return say("sheet.answer.trip.preset", title=trip.scenario.title, sentence=trip.scenario.sentence)
    values = {
        name: worded(trip.scenario.figure(key).value, unit, say.level, exact=True, language=say.language)
        for name, (key, unit) in SLIDERS.items()
    }
    return say("sheet.answer.trip.sliders", **values)


def _bar_words(say: Texts, trip: Trip) -> str:
    parts = "; ".join(
        f"{say(f'wait.share.{name}')} {part.said(say.level, say.language)}" for name, _, part in trip.shares
    )
    rest = (
        f"; {say('sheet.answer.rest')} {worded(trip.rest_s, 's', say.level, language=say.language)}"
        if trip.rest_s
        else ""
    )
    return say("sheet.answer.bar", parts=parts + rest)


def _answers(say: Texts, trip: Trip, known: Mapping[str, Fill]) -> str:
    named = [name for key in QUESTIONS for name in places(say.raw(f"sheet.answer.{key}"))]
    used = {name: known[name] for name in dict.fromkeys(named) if f"fill.{name}" in say}
    cited = list(dict.fromkeys(key for fill in used.values() for key in fill.source_keys))
    pairs = "".join(
        f"<div><dt>{_n(n)}{_e(say(f'sheet.topic.{key}'))}</dt><dd>{_e(say(f'sheet.answer.{key}'))}</dd></div>"
        for n, key in enumerate(QUESTIONS, start=1)
    )
    figures = "".join(
        f"<div>{_e(say(key))}<b>{_e(trip.fills[name].said(say.level, say.language))}</b></div>"
        for key, name in (("sheet.answer.first", "trip_first"), ("sheet.answer.whole", "trip_whole"))
    )
    words = _bar_words(say, trip)
    return _page(
        "answers",
        f"{_top(say, 'sheet.answer.tab')}{_h(say, 'sheet.answer.title')}"
        f'<p class="qs-read">{_e(say("sheet.answer.lead"))}</p>'
        f"{_s(say, 'sheet.answer.trip')}<p>{_e(_told(say, trip))}</p>"
        f'<div class="qs-figures">{figures}</div>'
        f'<figure class="qs-bar">{_picture(wait_bar(say, trip), words)}</figure><p class="qs-hint">{_e(words)}</p>'
        f'{_s(say, "sheet.answer.known")}<dl class="qs-pairs">{pairs}</dl>',
    ) + _page(
        "sources",
        f"{_top(say, 'sheet.answer.tab')}{_h(say, 'sheet.answer.numbers')}{_numbers(say, used, cited)}"
        f"{_s(say, 'sheet.answer.sources')}"
        f'<p class="qs-small">{_e(say("sheet.answer.sources.lead"))}</p>{_sources(cited)}',
    )


def _numbers(say: Texts, used: Mapping[str, Fill], cited: list[str]) -> str:
    rows: list[str] = []
    for name, fill in used.items():
        value, spread = fill.said("engineer", say.language), _band(fill, say.language)
        marks = ", ".join(str(cited.index(key) + 1) for key in fill.source_keys)
        rows.append(
            f'<tr><th scope="row">{_e(say(f"fill.{name}"))}</th><td>{_e(value)}</td>'
            f"<td>{_e(spread)}</td><td>{_e(say(f'grade.{fill.grade}'))}</td>"
            f'<td><span lang="en">{_e(fill.origin)}</span>{f" [{marks}]" if marks else ""}</td></tr>'
        )
    columns = ("name", "value", "band", "grade", "from")
    head = "".join(f'<th scope="col">{_e(say(f"sheet.answer.number.{column}"))}</th>' for column in columns)
    return f'<table class="qs-table qs-small"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _band(fill: Fill, language: str) -> str:
    if fill.low == fill.high:
        return ""
    return between(fill.low, fill.high, fill.unit, "student", language)


def _sources(cited: list[str]) -> str:
    known: dict[str, Any] = sources()
    items = "".join(
        f"<li>{_n(n)}{_e(s.authors)}{': ' if s.authors else ''}{_e(s.title)} ({s.year}). "
        f'<a href="{_e(s.url)}">{_e(s.url)}</a></li>'
        for n, s in enumerate((known[key] for key in cited), start=1)
    )
    return f'<ol class="qs-sources" lang="en">{items}</ol>'


def _svg(body: str, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {BAR_WIDTH + 2:.0f} {height + 2:.0f}" fill="none" '
        f'stroke="#000" stroke-width="1.4" font-family="Lab Sans, sans-serif" font-size="19">{body}</svg>'
    )


def empty_bar() -> str:
    """Return the bar to be colored: ten marks along it, no numbers."""
    ticks = "".join(
        f'<path d="M{BAR_WIDTH * n / 10:.0f} {EMPTY_HEIGHT:.0f}v8" stroke-width="1"/>' for n in range(1, 10)
    )
    return _svg(f'<rect width="{BAR_WIDTH:.0f}" height="{EMPTY_HEIGHT:.0f}"/>{ticks}', EMPTY_HEIGHT + 8)


def wait_bar(say: Texts, trip: Trip) -> str:
    """Return the wait as a bar whose parts differ by pattern: black, hatched, gray, ticks."""
    rest = trip.rest_s / trip.fills["trip_whole"].value
    parts = [(name, part) for name, part, _ in trip.shares] + ([("rest", rest)] if rest else [])
    at, body = 0.0, ""
    for name, part in parts:
        wide = BAR_WIDTH * part
        body += _filled(name, at, wide)
        if wide > LEAST_LABEL:
            label = say("sheet.answer.rest") if name == "rest" else say(f"wait.share.{name}")
            body += f'<text x="{at + 4:.1f}" y="{BAR_HEIGHT + 22:.0f}" fill="#000" stroke="none">{_e(label)}</text>'
        at += wide
    return _svg(f'{body}<rect width="{BAR_WIDTH:.0f}" height="{BAR_HEIGHT:.0f}"/>', BAR_HEIGHT + 28)


_SHADES = {"network": "#000", "queue": "#fff", "prefill": "#8a8a8a", "decode": "#fff", "rest": "#dcdcdc"}
_STEPS = {"queue": 7.0, "decode": 5.0}


def _filled(name: str, at: float, wide: float) -> str:
    body = f'<rect x="{at:.2f}" width="{wide:.2f}" height="{BAR_HEIGHT:.0f}" fill="{_SHADES[name]}"/>'
    step = _STEPS.get(name)
    if step is None:
        return body
    lean = BAR_HEIGHT / 2 if name == "queue" else 0.0
    marks = ""
    x = at + step
    while x < at + wide - 0.5:
        top = min(x + lean, at + wide)
        low = BAR_HEIGHT - (top - x) * (BAR_HEIGHT / lean) if lean else 0.0
        marks += f"M{x:.1f} {BAR_HEIGHT:.0f}L{top:.1f} {low:.1f}"
        x += step
    return f'{body}<path d="{marks}" stroke-width="0.7"/>'
