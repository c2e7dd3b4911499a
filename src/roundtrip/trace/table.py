"""The waterfall in a terminal: one line a span, a bar on the time line, and the summary below.

The table fits the width it is given, down to 60 columns, and says everything without color: each carrier has a
character of its own for its bar.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from roundtrip.trace.look import LOOKS, group_of
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import band, digits, power_of_ten, si
from roundtrip.trace.story import story, summary_lines

GRADE_LETTERS = {"measured": "m", "derived": "d", "datasheet": "s", "estimate": "e"}
WIDEST, NARROWEST = 160, 60
_ASCII = str.maketrans(
    {
        "–": "-",
        "µ": "u",
        "·": "*",
        "…": ".",
        "╱": "/",
        "¢": "ct",
        "█": "#",
        "━": "=",
        "▒": "%",
        "▓": "&",
        "▄": "_",
        "≈": "~",
        "─": "-",
        "│": "|",
        "└": "`",
        "⁰": "0",
        "¹": "1",
        "²": "2",
        "³": "3",
        "⁴": "4",
        "⁵": "5",
        "⁶": "6",
        "⁷": "7",
        "⁸": "8",
        "⁹": "9",
        "⁻": "-",
        "×": "x",
        "∞": "inf",
        "γ": "ph",
        "−": "-",
        "→": "->",
        "▁": ".",
        "▂": ":",
        "▃": "-",
        "▅": "=",
        "▆": "+",
        "▇": "*",
        "“": '"',
        "”": '"',
        "’": "'",
        "₂": "2",
        "√": "sqrt",
        "⌈": "ceil[",
        "⌉": "]",
        "⌊": "floor[",
        "⌋": "]",
        "≥": ">=",
        "≤": "<=",
        "␣": "_",
        "↵": "\\n",
        "∅": "-",
    }
)

Paint = Callable[[str, str], str]


def ascii_only(text: str) -> str:
    """Return the text for a terminal that knows only ASCII: ``10⁻⁹`` becomes ``10^-9``."""
    text = re.sub("10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "10^" + m.group(1), text)
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def painter(color: bool) -> Paint:
    """Return a function that gives a text the look of a carrier, or of ``dim`` or ``bold``; or leaves it plain."""
    if not color:
        return lambda text, _look: text

    def paint(text: str, look: str) -> str:
        words = text.rstrip()
        if not words:
            return text
        code = {"dim": "2", "bold": "1"}.get(look) or f"38;5;{LOOKS[look].ansi}"
        return f"\x1b[{code}m{words}\x1b[0m{text[len(words) :]}"

    return paint


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths of the columns; 0 leaves one out."""

    name: int
    title: int
    bar: int
    time: int
    band: int
    energy: int
    count: int
    grade: int
    source: int

    @classmethod
    def fit(cls, width: int, bands: bool = True) -> Columns:
        """Return the columns for a width: titles from 96 columns on, counts from 80, bands (if any) from 70."""
        width = max(min(width, WIDEST), NARROWEST)
        band = 9 if bands and width >= 70 else 0
        fixed = cls(11, 0, 0, 7, band, 7, 10 if width >= 80 else 0, 1, 4)
        if width < 96:
            return replace(fixed, bar=width - fixed.used() - 1)
        spare = width - fixed.used() - 2
        bar = max(13, spare * 2 // 5 - 3)
        return replace(fixed, title=spare - bar, bar=bar)

    def used(self) -> int:
        """Return the columns in use, with one blank between each and two before the first."""
        widths = (
            self.name,
            self.title,
            self.bar,
            self.time,
            self.band,
            self.energy,
            self.count,
            self.grade,
            self.source,
        )
        return 1 + sum(w + 1 for w in widths if w)


class Timeline:
    """Maps seconds to the cells of a bar, on a linear or a logarithmic axis."""

    def __init__(self, trace: Trace, cells: int, log: bool) -> None:
        ends = [span.end_s for span in trace.spans if span.end_s > 1e-18]
        self.cells = cells
        self.last_s = max(ends, default=1.0)
        shown = min((end for end in ends), default=1e-3)
        self.first_s = max(10.0 ** math.floor(math.log10(shown)), self.last_s * 1e-6)
        self.log = log and self.last_s > self.first_s * 1.01

    def place(self, time_s: float) -> float:
        """Return where a time lies, between 0 and 1."""
        if self.log:
            low, high = math.log10(self.first_s), math.log10(self.last_s)
            return min(max((math.log10(max(time_s, self.first_s)) - low) / (high - low), 0.0), 1.0)
        return min(max(time_s / self.last_s, 0.0), 1.0)

    def bar(self, span: Span) -> tuple[str, str]:
        """Return the blank before a bar, and the bar, at least one cell long; an instant is a thin stroke."""
        start = min(int(self.place(span.start_s) * self.cells), self.cells - 1)
        end = min(max(math.ceil(self.place(span.end_s) * self.cells - 1e-9), start + 1), self.cells)
        glyph = LOOKS[span.carrier].glyph if span.duration_s > 0.0 else "│"
        return " " * start, glyph * (end - start)

    def scale(self) -> str:
        """Return the line of labels above the bars."""
        line = [" "] * self.cells
        ticks: list[float] = []
        if self.log:
            power = math.ceil(math.log10(self.first_s))
            while 10.0**power <= self.last_s:
                ticks.append(10.0**power)
                power += 1
        else:
            step = 10.0 ** math.floor(math.log10(self.last_s))
            ticks = [step * i for i in range(10) if step * i <= self.last_s]
        taken = -1
        for tick in ticks:
            label = si(tick, "s", 1).replace(" ", "") if tick else "0"
            at = min(int(self.place(tick) * self.cells), self.cells - 1)
            if at > taken and at + len(label) <= self.cells:
                line[at : at + len(label)] = label
                taken = at + len(label)
        return "".join(line)


def table(
    trace: Trace,
    width: int = 100,
    color: bool = False,
    log: bool = True,
    all_sources: bool = False,
    unicode: bool = True,
) -> str:
    """Return the waterfall with its summary, sentences and sources.

    Parameters
    ----------
    trace : Trace
    width : int
        Columns of the terminal; 60 to 160 are used.
    color : bool
        Paint the bars with the hue of their carrier.
    log : bool
        Logarithmic time, in which a microsecond and a minute both show; else linear.
    all_sources : bool
        List every source; else the eight that carry the most spans.
    unicode : bool
        False writes ASCII alone.
    """
    width = max(min(width, WIDEST), NARROWEST)
    columns = Columns.fit(width, bands=any(span.bands for span in trace.spans))
    paint = painter(color)
    numbers = source_numbers(trace)
    line = Timeline(trace, columns.bar, log)
    lines = [*opening(trace, width, paint), "", _head(columns, line, paint)]
    depth = depths(trace)
    for heading, spans in groups(trace).items():
        joules = sum(span.total_J or 0.0 for span in spans)
        lines += ["", _heading(heading, joules, columns, paint)]
        lines += [
            ("~" if stands_in(trace, span) else " ") + _row(span, depth[span.id], columns, line, numbers, paint)[1:]
            for span in spans
        ]
    lines += ["", legend(paint, width), *wrap(" ".join(_notes(trace)), width), ""]
    lines += summary_lines(trace, width, paint)
    lines += ["", *story(trace, width), ""]
    lines += _sources(trace, numbers, width, all_sources)
    text = "\n".join(part.rstrip() for part in lines) + "\n"
    return text if unicode else ascii_only(text)


def opening(trace: Trace, width: int, paint: Paint) -> list[str]:
    """Return the prompt, the scenario, what the reader set otherwise, and what does not go together."""
    lines = [clip(f"“{one_line(trace.prompt)}”", width)]
    lines.append(paint(clip(str(trace.scenario.get("title", "")), width), "dim"))
    changes = [one_line(change) for change in trace.scenario.get("changes", ())]
    if changes:
        lines += [paint(line, "dim") for line in wrap("but with " + ", ".join(changes), width)]
    for warning in trace.warnings:
        lines += wrap(f"note: {warning}", width, "  ")
    return lines


def depths(trace: Trace) -> dict[str, int]:
    """Return how deep each span lies: 0 for a whole, 1 for its parts, 2 for theirs."""
    found: dict[str, int] = {}
    for span in trace.spans:
        found[span.id] = found.get(span.parent, 0) + 1 if span.parent else 0
    return found


def stands_in(trace: Trace, span: Span) -> bool:
    """Say whether a span of a record was not recorded: it stands in from the forecast."""
    return trace.reading == "record" and span.reading == "forecast"


def _notes(trace: Trace) -> list[str]:
    notes = ["src: the first source, + where there are more (--sources lists all)."]
    if any(stands_in(trace, span) for span in trace.spans):
        notes.insert(0, "~: not recorded, stands in from the forecast.")
    if any("body_J" in span.attributes for span in trace.spans):
        notes.append("Joules in brackets: work of the body, in no sum.")
    if any(span.id.startswith("step.") for span in trace.spans):
        notes.append("Parts of the writing: one token's step.")
    return notes


def _joules(span: Span) -> str:
    if span.total_J is None and "body_J" in span.attributes:
        return f"({si(float(span.attributes['body_J']), 'J')})"
    return si(span.total_J, "J")


def groups(trace: Trace) -> dict[str, list[Span]]:
    """Return the spans under their headings, parts directly after their whole."""
    parts: dict[str, list[Span]] = {}
    for span in trace.spans:
        if span.parent:
            parts.setdefault(span.parent, []).append(span)
    result: dict[str, list[Span]] = {}

    def add(heading: str, span: Span) -> None:
        result.setdefault(heading, []).append(span)
        for part in parts.get(span.id, ()):
            add(heading, part)

    for span in trace.spans:
        if not span.parent:
            add(group_of(span.id, span.room), span)
    return result


def source_numbers(trace: Trace) -> dict[str, int]:
    """Return the number of each source, in the order in which the spans meet them."""
    order = dict.fromkeys(key for span in trace.spans for key in span.sources if key in trace.sources and key != "user")
    return {key: number for number, key in enumerate(order, start=1)}


def clip(text: str, width: int) -> str:
    """Return the text cut to a width, with an ellipsis where something is missing."""
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def one_line(text: str, limit: int = 400) -> str:
    """Return a text on one line, control characters shown as blanks."""
    shown = "".join(c if c.isprintable() else " " for c in text[:limit])
    return " ".join(shown.split()) + ("…" if len(text) > limit else "")


def legend(paint: Paint, width: int) -> str:
    """Return what the bars mean."""
    parts = [f"{paint(look.glyph * 2, name)} {name}" for name, look in LOOKS.items()]
    plain = [f"{look.glyph * 2} {name}" for name, look in LOOKS.items()]
    lines, used = [""], 0
    for part, bare in zip(parts, plain, strict=True):
        if used and used + len(bare) + 3 > width:
            lines.append("")
            used = 0
        lines[-1] += ("   " if used else "") + part
        used += len(bare) + (3 if used else 0)
    grades = "grade: m measured, d derived, s datasheet, e estimate (the weakest that the stage read)"
    return "\n".join([*lines, *wrap(grades, width)])


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Return a text broken into lines; lines after the first start with `indent`."""
    import textwrap

    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _head(columns: Columns, line: Timeline, paint: Paint) -> str:
    cells = [
        ("stage", columns.name, "<"),
        ("what happens", columns.title, "<"),
        (line.scale(), columns.bar, "<"),
        ("time", columns.time, ">"),
        ("p5–p95", columns.band, "<"),
        ("energy", columns.energy, ">"),
        ("counted", columns.count, ">"),
        ("g", columns.grade, "<"),
        ("src", columns.source, "<"),
    ]
    return paint("  " + " ".join(f"{clip(t, w):{a}{w}}" for t, w, a in cells if w), "dim")


def _heading(heading: str, joules: float, columns: Columns, paint: Paint) -> str:
    before = 2 + sum(w + 1 for w in (columns.name, columns.title, columns.bar, columns.time, columns.band) if w)
    text = clip(heading, before - 2)
    energy = f"{si(joules, 'J'):>{columns.energy}}" if joules else ""
    return paint(text, "bold") + " " * (before - len(text)) + paint(energy, "dim")


def _row(span: Span, depth: int, columns: Columns, line: Timeline, numbers: dict[str, int], paint: Paint) -> str:
    name = span.id.removeprefix("back.").removeprefix("on.").removeprefix("stream.")
    name = span.room if span.id.startswith("on.") else name.removeprefix(f"{span.room}.")
    name = "  " * (depth - 1) + f"└ {name.rpartition('.')[2]}" if depth else name
    blank, bar = line.bar(span)
    time = span.bands.get("duration_s")
    spread = band(time["low"], time["high"], span.duration_s, "s") if time else ""
    cells = [
        f"{clip(name, columns.name):<{columns.name}}",
        f"{clip(span.title, columns.title):<{columns.title}}" if columns.title else "",
        blank + paint(bar, span.carrier) + " " * (columns.bar - len(blank) - len(bar)),
        f"{si(span.duration_s, 's'):>{columns.time}}",
        paint(f"{clip(spread, columns.band):<{columns.band}}", "dim") if columns.band else "",
        f"{_joules(span):>{columns.energy}}",
        f"{_count(span):>{columns.count}}" if columns.count else "",
        GRADE_LETTERS.get(span.grade, "?"),
        _source(span, numbers),
    ]
    return "  " + " ".join(cell for cell in cells if cell)


def _count(span: Span) -> str:
    for value, sign in ((span.photons, "γ"), (span.electrons, "e⁻")):
        if value is not None:
            return f"{power_of_ten(value) if value >= 1e4 or 0.0 < value < 1e-2 else digits(value, 2)}{sign}"
    return ""


def _source(span: Span, numbers: dict[str, int]) -> str:
    known = [numbers[key] for key in span.sources if key in numbers]
    if not known:
        return "you" if "user" in span.sources else ""
    return f"{known[0]}{'+' if len(known) > 1 else ''}"


def _sources(trace: Trace, numbers: dict[str, int], width: int, everything: bool) -> list[str]:
    uses = {key: sum(key in span.sources for span in trace.spans) for key in numbers}
    chosen = (
        list(numbers) if everything else sorted(sorted(numbers, key=lambda k: -uses[k])[:8], key=numbers.__getitem__)
    )
    if not chosen:
        return []
    lines = ["Sources" if everything else f"Sources: {len(chosen)} of {len(numbers)} (all with --sources)"]
    for key in chosen:
        source = trace.sources[key]
        text = f"{numbers[key]:>3}  {source['title']} ({source['year']})"
        if everything:
            lines += [*wrap(text, width, "     "), f"     {source['url']}"]
        else:
            lines.append(clip(text, width))
    return lines
