"""Compute the constants of the trip's queue with the fleet: `python tools/make_queue.py` writes them into the catalog.

Run it after a change of the fleet, of step times or of a way of serving. `--check` writes nothing and says how far the
catalog is from a new run; `--table` prints both beside each other for the docs. A test holds them within 10 %.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

from roundtrip.catalog.load import load
from roundtrip.journey.queue_fleet import run
from roundtrip.journey.queue_preset import Constant, Preset, closed_waits_s, compute, scenario_of, servings

FILE = Path(__file__).parent.parent / "src" / "roundtrip" / "catalog" / "data" / "servings.toml"
REQUESTS = 100_000


def block(key: str, name: str, constant: Constant) -> str:
    """Return a figure of the catalog."""
    numbers = [float(f"{x:.3g}") for x in (constant.value, constant.low, constant.high)]
    band = f"low = {numbers[1]!r}\nhigh = {numbers[2]!r}\n" if numbers[1] < numbers[2] else ""
    return (
        f'[{key}.{name}]\nvalue = {numbers[0]!r}\n{band}unit = "1"\ngrade = "derived"\nsource = "fleet"\n'
        f'note = "{constant.note}"\n'
    )


def places(found: Preset) -> Constant:
    """Return the share of the places in use, with the band of the streams: spread from trip to trip."""
    one = load("servings")[found.serving].figures
    streams, cards, slots = one["streams"], one["accelerators"].value, one["slots"].value
    low, value, high = (min(x * cards / slots, 0.95) for x in (streams.low, streams.value, streams.high))
    return Constant(value, low, high, f"{streams.value:g} streams on {cards:g} accelerators of {slots:g} places")


def table() -> None:
    """Print the waits of the fleet and of the closed form with the catalog's constants."""
    print("| serving | prompts a second | mean | median | 95 % | 99 % |\n|---|---|---|---|---|---|")
    for key in servings():
        scenario = scenario_of(key)
        waits, ours_s = run(scenario, REQUESTS), closed_waits_s(scenario)
        cells = [
            f"{1e3 * fleet:.3g} / {1e3 * closed:.3g}"
            for fleet, closed in [(waits.mean_s, float(ours_s.mean()))]
            + [(waits.percentile_s(q), float(np.percentile(ours_s, q))) for q in (50, 95, 99)]
        ]
        print(f"| {key} | {waits.rate_per_s:.3g} | {' | '.join(cells)} |")


def main() -> None:
    """Write the figures, or say how far they are off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--table", action="store_true", help="write nothing, print a table of waits in ms")
    given = parser.parse_args()
    if given.table:
        table()
        return
    text = FILE.read_text(encoding="utf-8")
    for key in servings():
        found = compute(key, REQUESTS)
        old = load("servings")[key].figures
        print(f"{key}: {found.waits.name}, mean wait {1e3 * found.waits.mean_s:.1f} ms")
        for name, constant in found.constants.items():
            print(f"  {name} {constant.value:.4g} ({constant.low:.4g} to {constant.high:.4g}), was {old[name].value:g}")
        for name, constant in {**found.constants, "utilization": places(found)}.items():
            made = block(key, name, constant)
            if name == "utilization":
                made = made.replace("note =", 'spread = "variability"\nnote =')
            text, count = re.subn(
                rf"^\[{key}\.{name}\]\n(?:\S.*\n)+", lambda _, new=made: new, text, flags=re.MULTILINE
            )
            if count != 1:
                raise SystemExit(f"{FILE.name}: expected one [{key}.{name}], found {count}")
    if not given.check:
        FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
