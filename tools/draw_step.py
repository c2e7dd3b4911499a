"""Draw docs/explanation/rooms/deepseek-step.svg: from the read of 11 ms to a token of DeepSeek-V3, part by part."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from roundtrip.catalog.load import entry
from roundtrip.journey.validate_disclosures import DAY, Span, gap, rates
from roundtrip.trace.svg import document, label

FILE = Path(__file__).parents[1] / "docs" / "explanation" / "rooms" / "deepseek-step.svg"
WIDTH, LEFT, RIGHT, TOP, ROW = 1080.0, 290.0, 40.0, 84.0, 34.0
STYLE = (
    "<style>.bar{fill:currentColor;opacity:.5}.whole{fill:currentColor;opacity:.8}.open{fill:none;stroke:currentColor;"
    "stroke-dasharray:3 3}.there{stroke:currentColor;stroke-width:2;stroke-dasharray:6 4}.ink{color:#23262D}"
    "@media(prefers-color-scheme:dark){.ink{color:#E8E6E1}}</style>"
)
ALONE = 2  # lines before the parts that add up
SUM = "a written token"


def drawn(spans: list[Span]) -> str:
    """Return the picture."""
    most_s = 1.1 * max(span.duration_s for span in spans)

    def x(seconds: float) -> float:
        return LEFT + seconds / most_s * (WIDTH - LEFT - RIGHT)

    summed = next(i for i, span in enumerate(spans) if span.title == SUM)
    body, at_s, y = [STYLE, '<g class="ink">'], 0.0, TOP
    body.append(label(24, 34, "A token of DeepSeek-V3 on 144 H800, part by part", "text title"))
    for number, span in enumerate(spans):
        is_part = ALONE <= number < summed
        start_s = at_s if is_part else 0.0
        look = "whole" if span.title == SUM else "bar" if is_part else "open"
        width = max(x(start_s + span.duration_s) - x(start_s), 1.0)
        body.append(label(24, y + 15, span.title, "text name"))
        body.append(f'<rect class="{look}" x="{x(start_s):.1f}" y="{y:.1f}" width="{width:.1f}" height="18" rx="2"/>')
        right = x(start_s) + width + 6.0
        body.append(label(right, y + 14, f"{1e3 * span.duration_s:.1f} ms", "muted small"))
        at_s = at_s + span.duration_s if is_part else at_s
        y += ROW
    published = entry("disclosures", DAY).figure("user_rate_token_s").value
    there = x(1.0 / published)
    body.append(f'<line class="there" x1="{there:.1f}" x2="{there:.1f}" y1="{TOP - 14:.1f}" y2="{y:.1f}"/>')
    body.append(label(there, TOP - 20, f"published: {1e3 / published:.0f} ms", "text small", "middle"))
    low, high = (1.0 / float(v) for v in _band())
    words = f"p5 to p95 of a token: {1e3 * low:.0f} to {1e3 * high:.0f} ms. Dashed bars are beside the sum."
    body.append(label(24, y + 20, words, "muted small"))
    return document(WIDTH, y + 36, "Parts of the time of one token of DeepSeek-V3 on H800", [*body, "</g>"])


def _band() -> tuple[float, float]:
    low, high = np.percentile(rates()["user_rate_token_s"], (95, 5))
    return float(low), float(high)


if __name__ == "__main__":
    FILE.write_text(drawn(gap()), encoding="utf-8")
