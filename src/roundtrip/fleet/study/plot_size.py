"""The search for a fleet as a picture: the price of every fleet that was run against how far it is from the limits."""

from __future__ import annotations

from roundtrip.fleet.study.answer import Answer
from roundtrip.fleet.study.chart import STYLE, axis, grid, key, mark
from roundtrip.fleet.study.size_report import dollars, settings, words
from roundtrip.fleet.study.space import Tried
from roundtrip.trace.numbers import digits
from roundtrip.trace.svg import WIDTH, document, label

LEFT, RIGHT, HIGH = 84.0, 40.0, 420.0
FAR = 30.0  # times the limit: what is further lies on the edge


def picture(found: Answer) -> str:
    """Return the picture of a search."""
    bench = found.sizing.bench
    limits = bench.limits
    best = found.best.tried.fleet if found.best else None
    # Of each shape and number of replicas the scheduler that comes nearest.
    nearest: dict[tuple[object, int], Tried] = {}
    for tried in bench.tried.values():
        if tried.is_cut or not tried.margin(limits):
            continue
        place = (tried.fleet.shape, tried.fleet.replicas)
        if place not in nearest or tried.margin(limits) > nearest[place].margin(limits) or tried.fleet == best:
            nearest[place] = tried
    title = f"{bench.space.model} on {bench.work.name} within {', '.join(words(limit) for limit in limits)}"
    body = [STYLE, '<g class="ink">', label(24, 34, title, "text title")]
    names = list(dict.fromkeys(t.fleet.shape.accelerator for t in nearest.values()))
    marks, top = key(names, 24, 62, WIDTH - RIGHT)
    body += marks
    if not nearest:
        body.append(label(24, top + 12, "No fleet could be run.", "text"))
        return document(WIDTH, top + 40, title, [*body, "</g>"])
    prices = [bench.space.price(t.fleet.shape).value * t.fleet.replicas for t in nearest.values()]
    ratios = [min(1.0 / t.margin(limits), FAR) for t in nearest.values()]
    top += 34.0
    x = axis(prices, LEFT, WIDTH - RIGHT, "dollars an hour")
    y = axis(
        [*ratios, 1.0], top + HIGH, top, "reached over limit, of the limit that is nearest: below one the fleet holds"
    )
    body += grid(x, y)
    at = y.place(1.0)
    body.append(f'<line class="limit" x1="{LEFT:.1f}" y1="{at:.1f}" x2="{WIDTH - RIGHT:.1f}" y2="{at:.1f}"/>')
    for tried, usd_h, ratio in zip(nearest.values(), prices, ratios, strict=True):
        fleet = tried.fleet
        tip = f"{fleet}, ${digits(usd_h)} an hour, {settings(fleet)}: {digits(1.0 / tried.margin(limits))} of the limit"
        place = (x.place(usd_h), y.place(ratio))
        body.append(mark(names.index(fleet.shape.accelerator), *place, tip, "full" if tried.holds else "full faint"))
    for number, one in enumerate(found.sizing.ranking[:2]):
        place = (x.place(one.price.value), y.place(1.0 / one.tried.margin(limits)))
        name = f"{'cheapest' if number == 0 else 'runner-up'}: {one.tried.fleet}, {dollars(one.price, False)}"
        body.append(f'<circle class="ring" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="9"/>')
        is_left = place[0] < (LEFT + WIDTH) / 2
        body.append(
            label(place[0] + (14 if is_left else -14), place[1] + 16, name, "text", "start" if is_left else "end")
        )
    return document(WIDTH, top + HIGH + 64, title, [*body, "</g>"])
