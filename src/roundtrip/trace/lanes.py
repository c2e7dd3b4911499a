"""Put spans on lanes so that no two on one lane overlap, except a part inside its whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from roundtrip.trace.model import Span, Trace

NS = 1e9


@dataclass(slots=True)
class Slice:
    """A span on a lane, in whole nanoseconds: whole numbers cannot overlap by rounding."""

    span: Span
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class Lane:
    """One track of a viewer: slices in the order of their starts."""

    title: str
    slices: list[Slice] = field(default_factory=list[Slice])


def lanes(trace: Trace) -> list[Lane]:
    """Return the lanes of a trace, room after room, as few as its overlaps allow."""
    rooms: dict[str, list[Slice]] = {}
    for span in trace.spans:
        piece = Slice(span, round(span.start_s * NS), round(span.end_s * NS))
        rooms.setdefault(span.room, []).append(piece)
    result: list[Lane] = []
    for room, slices in rooms.items():
        slices.sort(key=lambda s: (s.start_ns, -s.end_ns))
        open_lanes: list[tuple[Lane, list[Slice]]] = []
        for piece in slices:
            free = next((pair for pair in open_lanes if _fits(pair[1], piece)), None)
            if free is None:
                lane, stack = Lane(room if not open_lanes else f"{room} {len(open_lanes) + 1}"), []
                open_lanes.append((lane, stack))
            else:
                lane, stack = free
            lane.slices.append(piece)
            stack.append(piece)
        result += [lane for lane, _ in open_lanes]
    return result


def _fits(stack: list[Slice], piece: Slice) -> bool:
    """Close what has ended, and say whether the piece may open now: on an empty lane, or inside its own whole."""
    open_then = [s for s in stack if s.end_ns > piece.start_ns]
    if open_then:
        whole = open_then[-1]
        if piece.span.parent != whole.span.id or piece.end_ns > whole.end_ns:
            return False
    stack[:] = open_then
    return True
