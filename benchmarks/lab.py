"""The lab in a real Chromium: what a slider, a band and a frame of 3D cost, and its bytes. Nothing if it is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Result

ROOT = Path(__file__).parents[1]
SITE = ROOT / "src" / "roundtrip" / "lab" / "site"


def _there() -> bool:
    from tests.lab.rig import CHROMIUM, NODE

    packages = ROOT / "web" / "node_modules" / "playwright-core"
    return bool(CHROMIUM and NODE and packages.is_dir() and (SITE / "index.html").is_file())


def sliders() -> Iterator[Result]:
    """Yield the script of one step of a slider, and the time until the band follows."""
    from tests.lab.rig import run_node, serving

    if not _there():
        return
    with serving() as port:
        told = run_node("wait.mjs", f"http://127.0.0.1:{port}/")
    for name, title in (("round", "slider, round numbers"), ("full", "slider, whole trip")):
        median = f"middle {told[name]['median_ms']:.1f} ms; best of three, 100 values"
        yield Result(title, told[name]["p95_ms"], "ms", 8.0, note=f"95th percentile, {median}")
    yield Result("band after the last input", told["band_ms"], "ms", 50.0, note="200 samples of the whole trip")


def frames() -> Iterator[Result]:
    """Yield the script of a frame of the 3D pictures while their signal runs, and what is drawn when it rests."""
    from tests.lab.rig import run_node, serving
    from tests.lab.test_scene import CALLS

    if not _there():
        return
    with serving() as port:
        told = run_node("scene.mjs", "speed", f"http://127.0.0.1:{port}/", timeout=600.0)
    for picture, cost in told.items():
        note = (
            f"95th percentile of {cost['frames']} frames, best of three; middle {cost['median_ms']:.1f} ms; "
            f"whole page {cost['page_ms']:.1f} ms on average; {cost['calls']} draw calls"
        )
        yield Result(f"script a frame, {picture}", cost["p95_ms"], "ms", 4.0, note=note)
    yield Result(
        "draw calls", max(cost["calls"] for cost in told.values()), "", CALLS, note="the most of these pictures"
    )
    yield Result("frames drawn at rest", sum(cost["idle"] for cost in told.values()), "", 0.0, note="in 1.5 s each")


def size() -> Iterator[Result]:
    """Yield the bytes of the first chunk, of the 3D chunk and of the whole site, gzipped."""
    if not (SITE / "index.html").is_file():
        return
    from tests.lab.test_budgets import FIRST, SCENE, WHOLE, chunks, first, zipped

    yield Result("first chunk", sum(map(zipped, first())) / 1e3, "kB", FIRST / 1e3, note="gzipped")
    scene = sum(zipped(path) for path in chunks("*.js") if "WebGLRenderer" in path.read_text(encoding="utf-8"))
    yield Result("3D chunk", scene / 1e3, "kB", SCENE / 1e3, note="gzipped")
    files = (path for path in SITE.rglob("*") if path.is_file() and path.suffix != ".pdf")
    yield Result("whole site", sum(map(zipped, files)) / 1e3, "kB", WHOLE / 1e3, note="gzipped, without ready PDFs")


CASES = {"lab-sliders": sliders, "lab-frames": frames, "lab-size": size}
