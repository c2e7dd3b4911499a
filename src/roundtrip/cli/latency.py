"""``roundtrip latency``: from a key to the wire and to the screen, as distributions beside what was measured."""

from __future__ import annotations

from typing import Any

import click

from roundtrip.cli.output import as_json, check_svg, color, say_json, say_page, width, write_whole

BARS = " ▁▂▃▄▅▆▇█"
BINS = 60


@click.command()
@click.argument("name", required=False)
@click.option("--plot", metavar="FILE", help="Write the predicted bands and the measured values as SVG.")
@as_json
def latency(name: str | None, plot: str | None, as_json: bool) -> None:
    """Predict how long a key press takes to the USB packet or to the screen, beside what was measured.

    Without NAME all keyboards and computers of the tables; with NAME the parts of its way and its distribution.
    """
    check_svg(plot)
    from roundtrip.journey.latency import KINDS, table
    from roundtrip.journey.latency import latency as predicted
    from roundtrip.trace.table import painter

    found = [predicted(name)] if name else [x for kind in KINDS for x in table(kind)]
    if plot:
        from roundtrip.trace.svg_bands import bands

        groups: dict[str, list[dict[str, Any]]] = {}
        for x in found:
            groups.setdefault(KINDS[x.kind].capitalize(), []).append(x.as_dict())
        write_whole(plot, bands("A key press, predicted and measured", groups))
    if as_json:
        say_json({"latencies": [x.as_dict() for x in found]})
        return
    paint = painter(color())
    page = one(predicted(name), max(width(), 60), paint) if name else everything(found, max(width(), 60), paint)
    say_page(page)


def everything(found: list[Any], columns: int, paint: Any) -> str:
    """Return all predictions, a line each, by kind and by what was measured."""
    from roundtrip.journey.latency import KINDS
    from roundtrip.trace.table import clip, wrap

    wide = min(columns, 100) - 44
    lines: list[str] = []
    for kind, way in KINDS.items():
        rows = [x.as_dict() for x in found if x.kind == kind]
        lines += ["", paint(f"{way.capitalize():<{wide}} {'measured':>9} {'median':>9} {'p5 to p95':>16}", "bold")]
        for row in rows:
            reading = {k: 1e3 * v for k, v in row["reading_s"].items()}
            sign = "" if row["inside"] else " outside"
            lines.append(
                f"{clip(row['title'], wide):<{wide}} {1e3 * row['published_s']:>6.0f} ms {reading['p50']:>6.0f} ms "
                f"{reading['p5']:>5.0f} to {reading['p95']:>3.0f} ms{sign}"
            )
        inside = sum(row["inside"] for row in rows)
        spans = sorted(row["reading_s"]["p95"] - row["reading_s"]["p5"] for row in rows)
        lines.append(f"{inside} of {len(rows)} inside; the median band is {1e3 * spans[len(spans) // 2]:.0f} ms wide.")
    lines += ["", *wrap("What is not public of a controller has the published range of its class, the same for all; "
                        "see 'roundtrip latency NAME', with the keys of 'roundtrip catalog measured_keyboards'.",
                        min(columns, 100))]  # fmt: skip
    return "\n".join(lines[1:])


def one(found: Any, columns: int, paint: Any) -> str:
    """Return the parts of one way and a histogram of one press."""
    from roundtrip.trace.table import wrap

    body = found.as_dict()
    lines = [paint(found.title, "bold"), f"{found.kind}/{found.key}", ""]
    lines.append(f"{'part':<14} {'mean':>9} {'p5':>9} {'p95':>9}  what passes")
    for part in body["parts"]:
        numbers = " ".join(f"{1e3 * part[key]:>6.2f} ms" for key in ("mean_s", "p5_s", "p95_s"))
        lines.append(f"{part['name']:<14} {numbers}  {part['text']}".rstrip())
    reading, average = body["reading_s"], body["average_s"]
    lines += ["", *histogram(found.reading, found.published_s, min(BINS, columns - 4)), ""]
    sign = "inside" if body["inside"] else "outside"
    lines += wrap(
        f"One press, as it would be read: {1e3 * reading['p5']:.0f} to {1e3 * reading['p95']:.0f} ms (p5 to p95), "
        f"median {1e3 * reading['p50']:.0f} ms. Mean of many presses: {1e3 * average['p5']:.0f} to "
        f"{1e3 * average['p95']:.0f} ms. Measured: {1e3 * found.published_s:.0f} ms, {sign}.",
        min(columns, 100),
    )
    return "\n".join(lines)


def histogram(density: Any, published_s: float, columns: int) -> list[str]:
    """Return a density as a row of bars over its time axis, with a mark where the measured value lies."""
    low_s, high_s = density.quantiles((0.001, 0.995))
    low_s, high_s = min(low_s, published_s), max(high_s, published_s) * 1.0001
    mass = density.bins(columns, low_s, high_s)
    bars = "".join(BARS[min(round(8.0 * float(m / mass.max())), 8)] for m in mass)
    place = int((published_s - low_s) / (high_s - low_s) * columns)
    left, right = f"{1e3 * low_s:.0f} ms", f"{1e3 * high_s:.0f} ms"
    axis = f"{left}{right:>{max(columns - len(left), len(right) + 1)}}"
    return ["  " + bars, "  " + axis, "  " + " " * min(place, columns - 1) + "^ measured"]
