"""``roundtrip link``: the budget of an optical line, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roundtrip.cli.output import as_json, check_svg, say, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError, OutputError

if TYPE_CHECKING:
    from roundtrip.journey.links import Row
    from roundtrip.journey.links_budget import Budget

MOST_SAMPLES = 10_000
MOST_ROWS, ENDS = 60, 7  # longer lines show their ends and their switches


@click.command()
@click.argument("name", metavar="[NAME|FILE]", required=False)
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Set a figure or a text of the link: launch_power_dBm=1, chain='3 x (80 km g652d, amp 5.5)', line.power_W=18.",
)
@click.option("--best", is_flag=True, help="Launch the power at which GSNR is highest.")
@click.option("--all", "whole", is_flag=True, help="Print every element of a long line.")
@click.option("--samples", type=int, default=100, show_default=True, help="Lines behind the bands; 0 for none.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the samples.")
@as_json
@click.option("--plot", metavar="FILE", help="Draw levels and noise along the line, as SVG.")
@click.option("--gnpy", metavar="PREFIX", help="Write the same line for GNPy: PREFIX-topology.json and two more.")
def link(
    name: str | None,
    settings: tuple[str, ...],
    best: bool,
    whole: bool,
    samples: int,
    seed: int,
    as_json: bool,
    plot: str | None,
    gnpy: str | None,
) -> None:
    """Send all channels through the optical line NAME: noise, margin, best power, capacity, reach, watts.

    Without NAME, the links of the catalog are listed; a TOML file with one link of your own is as good.
    """
    check_svg(plot)
    if samples != 0 and not 4 <= samples <= MOST_SAMPLES:
        raise DomainError(f"--samples = {samples}, allowed: 0 (no bands), or 4 to {MOST_SAMPLES:,}")
    from roundtrip.catalog.load import load
    from roundtrip.journey.links import KIND, read

    if gnpy == "":
        raise OutputError("--gnpy '': expected the beginning of the names of three files")
    if name is None:
        if settings or best or plot is not None or gnpy is not None:
            raise DomainError("--set, --best, --plot and --gnpy need a NAME; see 'roundtrip link'")
        entries = load(KIND)
        if as_json:
            say_json({"links": [{"name": e.key, "title": e.title} for e in entries.values()]})
            return
        wide = max(len(key) for key in entries)
        say("\n".join(f"{key:<{wide}}  {e.title}" for key, e in entries.items()))
        return
    from roundtrip.journey.links_budget import budget

    line = read(name, settings)
    found = budget(line, best, samples, seed)
    if plot is not None:
        from roundtrip.journey.links_svg import picture

        write_whole(plot, picture(found))
    if gnpy is not None:
        import json

        from roundtrip.journey.links_gnpy import documents

        for part, body in documents(line).items():
            write_whole(f"{gnpy}-{part}.json", json.dumps(body, indent=1) + "\n")
    if as_json:
        say_json(found.as_dict())
        return
    page = render(found, max(width(), 80), whole)
    say_page(page)


def render(found: Budget, columns: int, whole: bool = False) -> str:
    """Return the budget as text: a line for each element, then what it comes to."""
    from roundtrip.trace.table import wrap

    columns = min(columns, 120)
    line = found.line
    count, rate, apart = len(line.frequency_Hz), line.value("symbol_rate_Hz"), line.value("channel_spacing_Hz")
    lines = [line.entry.title]
    about = (
        f"{count} channels of {rate / 1e9:g} GBd, {apart / 1e9:g} GHz apart, {found.launch_dBm:.2f} dBm each into a "
        "span. OSNR: signal over amplifier noise; GSNR: over nonlinear noise too; margin: GSNR of the worst channel in "
        "0.1 nm above what is required and kept for aging. Watts serve both directions."
    )
    lines += wrap(about, columns)
    lines += ["", *_table(found.rows, columns, whole), ""]
    for label, text in _sentences(found):
        lines += wrap(f"{label:<11}{text}", columns, " " * 11)
    return "\n".join(lines)


def _table(rows: list[Row], columns: int, whole: bool) -> list[str]:
    from roundtrip.trace.table import clip

    title = columns - 7 - 7 - 7 - 14 - 14 - 7 - 8 - 2
    bandwidths = f"{'0.1 nm':>6} {'signal':>6}"
    lines = [
        f"{'':<{title + 9}} {'dBm a':>6} {'change':>6} {'OSNR, dB':>13} {'GSNR, dB':>13} {'margin':>6} {'power':>7}",
        f"{'km':>7}  {'behind':<{title}} {'chan.':>6} {'dB':>6} {bandwidths} {bandwidths} {'dB':>6} {'W':>7}",
    ]  # fmt: skip
    skipped = 0
    for number, row in enumerate(rows):
        near = number < ENDS or number >= len(rows) - ENDS or row.kind == "switch"
        if not whole and len(rows) > MOST_ROWS and not near:
            skipped += 1
            continue
        if skipped:
            lines.append(f"{'':>7}  … {skipped} elements (--all shows them)")
            skipped = 0
        watts = f"{row.power_W:.0f}" if row.power_W else ""
        lines.append(
            f"{row.at_m / 1e3:>7.1f}  {clip(row.title, title):<{title}} {row.level_dBm:>6.2f} {row.change_dB:>6.2f} "
            f"{_dB(row.osnr_dB)} {_dB(row.osnr_signal_dB)} {_dB(row.gsnr_dB)} {_dB(row.gsnr_signal_dB)} "
            f"{_dB(row.margin_dB)} {watts:>7}".rstrip()
        )
    return lines


def _dB(value: float) -> str:
    return f"{value:>6.2f}" if abs(value) < 1e3 else f"{'∞':>6}"


def _between(found: Budget, name: str) -> str:
    low, high = found.bands.get(name, (0.0, 0.0))
    return f" (p5–p95: {low:.1f} to {high:.1f})" if low < high < 1e3 else ""


def _sentences(found: Budget) -> list[tuple[str, str]]:
    from roundtrip.trace.numbers import si

    s = found.summary
    band = f"the signal's {found.line.value('symbol_rate_Hz') / 1e9:g} GHz"
    margin = s["margin_dB"]
    if margin >= 0.0:
        verdict = "the link closes with its reserve."
    elif margin >= -s["design_margin_dB"]:
        verdict = "error correction holds, but a part of the reserve is used up."
    else:
        verdict = "the worst channel is lost."
    sustained = s["sustained_length_m"]
    could = f"; with its margin used up such a line could be {si(sustained, 'm')} long" if sustained < 1e9 else ""
    spans = "1 span" if s["spans"] == 1.0 else f"{s['spans']:.0f} spans"
    per_bit = f", {si(s['energy_per_bit_J'], 'J')} a bit from end to end when full" if s["capacity_bit_s"] else ""
    return [
        ("available", f"GSNR {s['gsnr_dB']:.2f} dB{_between(found, 'gsnr_dB')} in 0.1 nm, "
         f"{s['gsnr_signal_dB']:.2f} dB in {band}; worst channel {s['worst_gsnr_dB']:.2f} dB in 0.1 nm. "
         f"OSNR {_dB(s['osnr_dB']).strip()} dB{_between(found, 'osnr_dB')} in 0.1 nm, "
         f"{_dB(s['osnr_signal_dB']).strip()} dB in {band}."),
        ("required", f"{s['required_osnr_dB']:.2f} dB in 0.1 nm, {s['required_snr_signal_dB']:.2f} dB in {band} "
         f"({found.line.text('line')}); {s['design_margin_dB']:g} dB more are kept for aging."),
        ("margin", f"{margin:.2f} dB{_between(found, 'margin_dB')}: {verdict}"),
        ("best power", f"{s['best_launch_power_dBm']:.2f} dBm a channel gives a GSNR of {s['best_gsnr_dB']:.2f} dB in "
         "0.1 nm."),
        ("capacity", f"{si(s['capacity_bit_s'], 'bit/s')} on {s['channels_that_close']:.0f} of {s['channels']:.0f} "
         f"channels; Shannon's limit at this noise is {si(s['shannon_bit_s'], 'bit/s')}."),
        ("reach", f"{si(s['length_m'], 'm')} in {spans}{could}. Without any "
         f"amplifier, light for a receiver lasts {si(s['unamplified_reach_m'], 'm')}."),
        ("glass", f"{si(s['delay_s'], 's')} of flight, {s['dispersion_ps_nm']:,.0f} ps/nm of dispersion, "
         f"{si(s['polarization_spread_s'], 's')} between the polarizations."),
        ("power", f"{si(s['power_W'], 'W')}{per_bit}."),
    ]  # fmt: skip
