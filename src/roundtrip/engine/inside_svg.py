"""The look inside as pictures: plain SVG on light and dark ground.

Darkness of a cell is a share between 0 and 1; hue is left to the carriers of a trip.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.sax.saxutils import escape

from roundtrip.engine.inside import Inside
from roundtrip.trace.numbers import digits
from roundtrip.trace.svg import document, label
from roundtrip.trace.table import one_line

LEFT, TOP, RIGHT = 84.0, 104.0, 24.0
MOST = 12  # tokens side by side: the first, on which most attention rests, and the last ones
CELL_W, CELL_H = 88.0, 19.0


def pictures() -> dict[str, Callable[[Inside], str]]:
    """Return the pictures by name, each a function from a look inside to SVG."""
    return {"lens": lens, "attention": attention, "neighbors": neighbors, "states": states}


def lens(found: Inside) -> str:
    """Draw each layer's best guess after each token: darker where it is surer; the last layer is on top."""
    columns = _columns(found)
    body = _heading(found, "What each layer would say next", "Darker: surer. The last layer, on top, decides.")
    body += _tokens(found, columns)
    layers = len(found.lens)
    for row, layer in enumerate(reversed(range(layers))):
        y = TOP + row * CELL_H
        body.append(label(LEFT - 8, y + 14, _layer_name(layer), "muted small", "end"))
        for column, token in enumerate(columns):
            share, text = found.lens_probability[layer][token], found.lens[layer][token]
            tip = f"layer {layer}, after {seen(found.tokens[token].text)}: {seen(text)}, {100 * share:.1f} %"
            body.append(_cell(column, y, share, tip, seen(text)))
    return document(_width(columns), TOP + layers * CELL_H + 20, "Best guess of each layer after each token", body)


def attention(found: Inside) -> str:
    """Draw where the last token looks in each layer, and the head that looks hardest at one of the others."""
    columns = _columns(found)
    last = seen(found.tokens[-1].text)
    body = _heading(
        found, f"Where {last} looks", "Mean over the heads; at the right, the head that looks hardest at one token."
    )
    body += _tokens(found, columns)
    for row, glance in enumerate(reversed(found.glances)):
        y = TOP + row * CELL_H
        body.append(label(LEFT - 8, y + 14, _layer_name(glance.layer), "muted small", "end"))
        for column, token in enumerate(columns):
            share = glance.weights[token]
            tip = f"layer {glance.layer}: {100 * share:.1f} % at {seen(found.tokens[token].text)}"
            body.append(_cell(column, y, share, tip, f"{100 * share:.0f} %" if share >= 0.005 else ""))
        at = seen(found.tokens[glance.at].text)
        said = f"head {glance.head + 1}: {100 * glance.weight:.0f} % at {at}"
        body.append(label(LEFT + len(columns) * CELL_W + 10, y + 14, said, "text small"))
    height = TOP + len(found.glances) * CELL_H + 20
    return document(
        max(_width(columns), LEFT + len(columns) * CELL_W + 220), height, f"Attention of {last} by layer", body
    )


def neighbors(found: Inside) -> str:
    """Draw the nearest neighbors of each token's vector, by the cosine between them."""
    shown = [found.tokens[token] for token in _columns(found)]
    body = _heading(found, "Who is near in the embedding table", "Cosine between the vectors: 1 is the same direction.")
    width, row = 980.0, 19.0
    start, end = LEFT + 70.0, width - RIGHT - 30.0
    y = TOP

    def x(cosine: float) -> float:
        return start + max(min(cosine, 1.0), 0.0) * (end - start)

    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    body += [label(x(tick), TOP - 14, f"{tick:g}", "muted small", "middle") for tick in ticks]
    marks: list[str] = []
    for token in shown:
        near = token.neighbors
        marks.append(label(24, y + 14, seen(token.text), "text name"))
        for neighbor in near:
            at = x(neighbor.cosine)
            tip = f"{seen(token.text)} and {seen(neighbor.text)}: {neighbor.cosine:.3f}"
            marks.append(
                f'<g><title>{escape(tip)}</title><circle class="text" cx="{at:.1f}" cy="{y + 10:.1f}" r="3.5"/></g>'
            )
            marks.append(label(at + 8, y + 14, seen(neighbor.text), "text small"))
            y += row
        y += 10
    rules = [f'<line class="rule" x1="{x(t):.1f}" x2="{x(t):.1f}" y1="{TOP - 6:.1f}" y2="{y:.1f}"/>' for t in ticks]
    return document(width, y + 16, "Nearest neighbors of each token in the embedding table", [*body, *rules, *marks])


def states(found: Inside) -> str:
    """Draw the largest number in each token's state from layer to layer, on a logarithmic axis."""
    columns = _columns(found)
    values = [[found.largest[layer][token] for layer in range(len(found.largest))] for token in columns]
    body = _heading(
        found, "The largest number in each state",
        "Logarithmic: in a few tokens, mostly the first, a few numbers grow thousands of times larger than the rest.",
    )  # fmt: skip
    width, height = 980.0, 420.0
    every = [v for line in values for v in line if v > 0.0]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    high = max(high, low + 1)
    layers = len(found.largest) - 1
    right = width - RIGHT - 110.0

    def place(layer: int, value: float) -> tuple[float, float]:
        share = (math.log10(max(value, 10.0**low)) - low) / (high - low)
        return LEFT + layer / max(layers, 1) * (right - LEFT), TOP + (1.0 - share) * (height - TOP - 50.0)

    for power in range(low, high + 1):
        y = place(0, 10.0**power)[1]
        body.append(f'<line class="rule" x1="{LEFT:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(label(LEFT - 8, y + 4, f"{10.0**power:,g}" if power < 6 else f"1e{power}", "muted small", "end"))
    for layer in range(0, layers + 1, 5):
        body.append(label(place(layer, 10.0**low)[0], height - 26, str(layer), "muted small", "middle"))
    body.append(label(LEFT - 8, height - 26, "layer", "muted small", "end"))
    taken: list[float] = []
    for token, line in sorted(zip(columns, values, strict=True), key=lambda pair: -pair[1][-1]):  # labels from the top
        points = " ".join("{:.1f},{:.1f}".format(*place(layer, v)) for layer, v in enumerate(line))
        text = seen(found.tokens[token].text)
        tip = f"{text}: up to {digits(max(line))}"
        body.append(
            f'<g><title>{escape(tip)}</title><polyline points="{points}" fill="none" class="band" '
            'style="stroke-width:1.8;opacity:.9"/></g>'
        )
        x, y = place(layers, line[-1])
        while any(abs(y - other) < 13 for other in taken):
            y += 13
        taken.append(y)
        body.append(label(x + 8, y + 4, text, "text small"))
    return document(width, max([height, *(y + 20 for y in taken)]), "Largest number in each token's state", body)


def _columns(found: Inside) -> list[int]:
    count = len(found.tokens)
    return list(range(count)) if count <= MOST else [0, *range(count - MOST + 1, count)]


def _width(columns: list[int]) -> float:
    return max(LEFT + len(columns) * CELL_W + RIGHT, 780.0)


def _heading(found: Inside, title: str, said: str) -> list[str]:
    prompt = one_line(found.prompt, 40)
    count = len(found.tokens)
    if count > MOST:
        said += f" Shown: the first token and the last {MOST - 1} of {count}."
    return [label(24, 34, f"{title}: “{prompt}”", "text title"), label(24, 56, said, "muted small")]


def _tokens(found: Inside, columns: list[int]) -> list[str]:
    return [
        label(LEFT + (i + 0.5) * CELL_W, TOP - 10, _clip(seen(found.tokens[token].text)), "text name", "middle")
        for i, token in enumerate(columns)
    ]


def _cell(column: int, y: float, share: float, tip: str, text: str) -> str:
    """Return a cell whose darkness is a share, with a text that reads on both ends of it."""
    x = LEFT + column * CELL_W
    dark = share > 0.55
    shade = f'<rect class="text" opacity="{max(min(share, 1.0), 0.0) * 0.85:.3f}"'
    box = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{CELL_W - 2:.1f}" height="{CELL_H - 2:.1f}" rx="2"/>'
    said = label(x + CELL_W / 2, y + 14, _clip(text), f"{'ground' if dark else 'text'} small", "middle")
    return f"<g><title>{escape(tip)}</title>{shade} {box}{said}</g>"


def _layer_name(layer: int) -> str:
    return "embedding" if layer == 0 else f"layer {layer}"


def seen(text: str) -> str:
    """Return a token's text with what would not be seen in a picture made visible."""
    made = text.replace("\n", "↵").replace("\t", "⇥")
    made = "".join(c if c.isprintable() else "·" for c in made)
    inner = made.strip(" ")
    if not inner:
        return "␣" * len(made) or "∅"
    before = len(made) - len(made.lstrip(" "))
    return "␣" * before + inner + "␣" * (len(made) - before - len(inner))


def _clip(text: str) -> str:
    return text if len(text) <= 12 else text[:11] + "…"
