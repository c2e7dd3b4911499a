"""The lab in a real Chromium: what a slider and a band cost, and how large the site is. Nothing where it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Result

ROOT = Path(__file__).parents[1]
SITE = ROOT / "src" / "roundtrip" / "lab" / "site"


def sliders() -> Iterator[Result]:
    """Yield the script of one step of a slider, and the time until the band follows."""
    from tests.lab.rig import CHROMIUM, run_node, serving

    packages = ROOT / "web" / "node_modules" / "playwright-core"
    if not (CHROMIUM and shutil.which("node") and packages.is_dir() and (SITE / "index.html").is_file()):
        return
    with serving() as port:
        told = run_node("wait.mjs", f"http://127.0.0.1:{port}/")
    for name, title in (("round", "slider, round numbers"), ("full", "slider, whole trip")):
        median = f"middle {told[name]['median_ms']:.1f} ms; best of three, 100 values"
        yield Result(title, told[name]["p95_ms"], "ms", 8.0, note=f"95th percentile, {median}")
    yield Result("band after the last input", told["band_ms"], "ms", 50.0, note="200 samples of the whole trip")


def size() -> Iterator[Result]:
    """Yield the bytes of the first chunk and of the whole site, gzipped."""
    if not (SITE / "index.html").is_file():
        return
    from tests.lab.test_budgets import FIRST, WHOLE, first, zipped

    yield Result("first chunk", sum(map(zipped, first())) / 1e3, "kB", FIRST / 1e3, note="gzipped")
    files = (path for path in SITE.rglob("*") if path.is_file() and path.suffix != ".pdf")
    yield Result("whole site", sum(map(zipped, files)) / 1e3, "kB", WHOLE / 1e3, note="gzipped, without ready PDFs")


CASES = {"lab-sliders": sliders, "lab-size": size}
