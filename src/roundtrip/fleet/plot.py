"""A run as a picture: what came, waited and wrote over time, and what the slowest requests waited for."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np

from roundtrip.fleet.records import CAUSES, TITLES, Records
from roundtrip.fleet.report import time
from roundtrip.fleet.slo import Limit
from roundtrip.trace.numbers import digits
from roundtrip.trace.svg import WIDTH, document, label

LEFT, RIGHT, HIGH, GAP = 200.0, 40.0, 90.0, 46.0
# Hue belongs to the carriers of energy: here causes differ by how much ink they have.
INK = {
    "queue": 0.9, "prefill": 0.62, "preemption": 0.42, "others_prefill": 0.26, "decode": 0.12, "swap": 0.34,
    "failure": 0.76, "transfer": 0.52, "network": 0.06,
}  # fmt: skip
STYLE = (
    "<style>.curve{fill:none;stroke:currentColor;stroke-width:1.4}.under{fill:currentColor;opacity:.14}"
    ".ink{color:#23262D}@media(prefers-color-scheme:dark){.ink{color:#E8E6E1}}"
    + "".join(f".{cause}{{fill:currentColor;opacity:{ink}}}" for cause, ink in INK.items())
    + "</style>"
)
CURVES = {
    "arrivals_per_s": "arrivals a second",
    "waiting": "requests that wait",
    "writing": "requests that write",
    "pages_share": "share of pages in use",
    "output_tokens_per_s": "output tokens a second",
}
SHARES = (50, 90, 99, 99.9)


def picture(found: Records, limits: tuple[Limit, ...] = ()) -> str:
    """Return the picture of a run."""
    series = found.series()
    title = f"{found.work.name}: {len(found.work):,} requests on {_replicas(len(found.deployment.replicas))}"
    body = [STYLE, '<g class="ink">', label(24, 34, title, "text title")]
    y = 64.0
    for name, words in CURVES.items():
        body += curve(words, series["end_s"], series[name], y)
        y += HIGH + GAP
    y += 8.0
    body += _causes(found, y)
    y += 40.0 + 30.0 * len(SHARES) + 44.0
    for limit in limits:
        values = found.measure(limit.measure)
        reached = limit.reached_s(values)
        word = "holds" if limit.holds(values) else "does not hold"
        shown = "-" if reached is None else time(reached)
        text = f"{limit.measure} p{limit.percentile:g}: {shown}, limit {time(limit.most_s)}, {word}"
        body.append(label(24, y, text, "text"))
        y += 22.0
    return document(WIDTH, y, title, [*body, "</g>"])


def curve(words: str, ends_s: Sequence[float], values: Sequence[float], y: float) -> list[str]:
    """Return one curve over time with its greatest value."""
    if not values:
        return []
    most = max(*values, 1e-12)
    wide = (WIDTH - LEFT - RIGHT) / ends_s[-1]
    points = [(LEFT, y + HIGH)]
    before_s = 0.0
    for end_s, value in zip(ends_s, values, strict=True):
        level = y + HIGH * (1.0 - value / most)
        points += [(LEFT + wide * before_s, level), (LEFT + wide * end_s, level)]
        before_s = end_s
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    base = y + HIGH
    return [
        f"<g><title>{escape(words)}: at most {digits(most)}</title>",
        f'<polygon class="under" points="{path} {points[-1][0]:.1f},{base:.1f}"/>',
        f'<polyline class="curve" points="{path}"/>',
        f'<line class="rule" x1="{LEFT:g}" y1="{base:.1f}" x2="{WIDTH - RIGHT:g}" y2="{base:.1f}"/>',
        label(24, y + 14, words, "text name"),
        label(24, y + 32, f"at most {digits(most)}", "muted small"),
        label(LEFT, base + 16, "0", "muted small"),
        label(WIDTH - RIGHT, base + 16, time(ends_s[-1]), "muted small", "end"),
        "</g>",
    ]


def _causes(found: Records, y: float) -> list[str]:
    """Return what the requests around some percentiles of the whole time waited for, as shares of that time."""
    waits = {cause: x for cause, x in found.waits().items() if cause in CAUSES or x.any()}
    total_s = np.sum(list(waits.values()), axis=0)
    if not len(total_s):
        return [label(24, y, "no request is done", "text")]
    order = np.argsort(total_s, kind="stable")
    parts = [label(24, y, "Where the time went, for requests around a percentile", "text name")]
    y += 16.0
    wide = WIDTH - LEFT - RIGHT - 90.0
    for percent in SHARES:
        middle = min(int(len(order) * percent / 100.0), len(order) - 1)
        half = max(len(order) // 200, 1) if percent < 99 else max(len(order) // 2000, 1)
        near = order[max(middle - half, 0) : middle + half]
        spent = {cause: float(x[near].mean()) for cause, x in waits.items()}
        sum_s = sum(spent.values())
        x = LEFT
        parts.append(label(24, y + 15, f"p{percent:g}: {time(sum_s)}", "text"))
        for cause, spent_s in spent.items():
            part = wide * max(spent_s, 0.0) / sum_s if sum_s > 0.0 else 0.0
            tip = f"{TITLES[cause]}: {time(max(spent_s, 0.0))}"
            parts.append(
                f'<rect class="{cause}" x="{x:.1f}" y="{y:.1f}" width="{part:.1f}" height="20">'
                f"<title>{escape(tip)}</title></rect>"
            )
            x += part
        y += 30.0
    x = 24.0
    for cause in waits:
        parts.append(f'<rect class="{cause}" x="{x:.1f}" y="{y + 2:.1f}" width="14" height="14"/>')
        parts.append(label(x + 20, y + 14, TITLES[cause], "muted small"))
        x += 34.0 + 6.6 * len(TITLES[cause])
    return parts


def _replicas(count: int) -> str:
    return "one replica" if count == 1 else f"{count:,} replicas"
