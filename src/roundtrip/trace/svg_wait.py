"""The wait as one picture: the first word enlarged, and below it the whole answer in proportion, one tick a token."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.trace.look import LOOKS
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import digits, si
from roundtrip.trace.path import critical_path
from roundtrip.trace.svg import WIDTH, bar, document, label, legend
from roundtrip.trace.table import one_line

LEFT, RIGHT = 24.0, 24.0
FIRST_Y, FIRST_H, WHOLE_Y, WHOLE_H = 112.0, 38.0, 236.0, 22.0
HEIGHT = 312.0
MOST_TICKS = 600
NAMES = {
    "keyboard": "keyboard",
    "computer": "computer",
    "network": "network",
    "optics": "light in glass",
    "datacenter": "datacenter",
    "model": "model",
    "display": "display",
    "eye": "eye",
}


@dataclass(slots=True)
class Piece:
    """Neighbors on the path of one room and carrier."""

    room: str
    carrier: str
    start_s: float
    end_s: float
    spans: list[Span]


def wait(trace: Trace) -> str:
    """Return the two bars, joined by a shaded magnifier."""
    figure = "time_to_first_word_s" if "time_to_first_word_s" in trace.algebra else "time_to_first_token_s"
    path = critical_path(trace, figure)
    if not path:
        return document(WIDTH, 60, "no first word", [label(24, 34, "This trace has no first word.", "text title")])
    first_s = path[-1].end_s
    last_s = max(first_s, float(trace.summary.get("time_to_last_token_s", first_s)))
    pieces = _pieces(path)
    used = [c for c in LOOKS if any(p.carrier == c for p in pieces)]
    scale = (WIDTH - LEFT - RIGHT) / first_s
    whole = (WIDTH - LEFT - RIGHT) / last_s
    word = "the first word is understood" if figure == "time_to_first_word_s" else "the first word arrives"
    body = [
        label(LEFT, 34, f"“{one_line(trace.prompt, 70)}”", "text title"),
        *legend(LEFT, 60, used),
        label(LEFT, FIRST_Y - 12, f"{si(first_s, 's')}: {word}", "text name"),
        *_first(pieces, scale),
        _magnifier(first_s * whole),
        *_whole(trace, first_s, last_s, whole),
    ]
    said = f"The first word after {si(first_s, 's')}, the whole answer after {si(last_s, 's')}"
    return document(WIDTH, HEIGHT, said, body)


def _pieces(path: list[Span]) -> list[Piece]:
    pieces: list[Piece] = []
    for span in path:
        last = pieces[-1] if pieces else None
        if last is not None and last.room == span.room and last.carrier == span.carrier:
            last.end_s = span.end_s
            last.spans.append(span)
        else:
            pieces.append(Piece(span.room, span.carrier, span.start_s, span.end_s, [span]))
    return pieces


def _first(pieces: list[Piece], scale: float) -> list[str]:
    parts: list[str] = []
    for piece in pieces:
        x, width = LEFT + piece.start_s * scale, (piece.end_s - piece.start_s) * scale
        tip = ", ".join(f"{s.title} ({si(s.duration_s, 's')})" for s in piece.spans)
        parts.append(bar(x, FIRST_Y, max(width, 0.5), FIRST_H, piece.carrier, tip))
    return parts + _labels(pieces, scale)


def _labels(pieces: list[Piece], scale: float) -> list[str]:
    """Name each stay in a room under its part of the bar, the longest first, as far as there is place."""
    stays: list[tuple[str, float, float]] = []
    for piece in pieces:
        if stays and stays[-1][0] == piece.room:
            stays[-1] = (piece.room, stays[-1][1], piece.end_s)
        else:
            stays.append((piece.room, piece.start_s, piece.end_s))
    parts: list[str] = []
    taken: list[tuple[float, float]] = []
    for room, low, high in sorted(stays, key=lambda stay: stay[1] - stay[2]):
        text = f"{NAMES.get(room, room)} {si(high - low, 's')}"
        width = 6.8 * len(text)
        for x, anchor in ((LEFT + low * scale, "start"), (LEFT + high * scale, "end")):
            start, end = (x, x + width) if anchor == "start" else (x - width, x)
            inside = start >= LEFT - 1.0 and end <= WIDTH - RIGHT + 1.0
            if inside and all(end + 8 < other or start > last + 8 for other, last in taken):
                taken.append((start, end))
                parts.append(label(x, FIRST_Y + FIRST_H + 15, text, "muted small", anchor))
                break
    return parts


def _magnifier(width: float) -> str:
    top, bottom = FIRST_Y + FIRST_H + 24, WHOLE_Y - 4
    right = LEFT + max(width, 1.0)
    points = ((LEFT, top), (WIDTH - RIGHT, top), (right, bottom), (LEFT, bottom))
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon class="muted" opacity=".13" points="{corners}"/>'


def _whole(trace: Trace, first_s: float, last_s: float, scale: float) -> list[str]:
    end = WIDTH - RIGHT
    parts = [
        bar(LEFT, WHOLE_Y, first_s * scale, WHOLE_H, "waiting", f"until the first word: {si(first_s, 's')}"),
        bar(LEFT + first_s * scale, WHOLE_Y, (last_s - first_s) * scale, WHOLE_H, "photons", "the answer streams"),
    ]
    tokens = int(float(trace.summary.get("tokens", 0.0)))
    if 1 < tokens <= MOST_TICKS:
        step = (last_s - first_s) * scale / tokens
        path = "".join(
            f"M{LEFT + first_s * scale + i * step:.2f} {WHOLE_Y:.0f}v{WHOLE_H:.0f}" for i in range(1, tokens)
        )
        parts.append(f'<path class="tick" d="{path}"/>')
    times = f"{digits(last_s / first_s, 2)} times the wait for the first word"
    ticks = f", one tick for each of {tokens} tokens" if 1 < tokens <= MOST_TICKS else ""
    parts.append(
        label(LEFT, WHOLE_Y + WHOLE_H + 18, f"{si(last_s, 's')}: the whole answer, in proportion{ticks}", "text name")
    )
    parts.append(label(end, WHOLE_Y + WHOLE_H + 18, times, "muted small", "end"))
    return parts
