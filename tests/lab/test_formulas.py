"""The closed forms of the browser give what Python gives, in node and in Chromium."""

from __future__ import annotations

import http.server
import json
import math
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.figures.figure import Figure
from roundtrip.figures.primitives import ndtri
from roundtrip.figures.print_code import compile_numpy
from roundtrip.figures.sampling import quantile
from roundtrip.journey.program import program
from roundtrip.journey.scenario import load_scenario, presets
from roundtrip.lab import formulas
from tests.lab.rig import GENERATED, WEB, needs_browser, needs_modules, run_node

WORST = 1e-12
RANDOM = 2_000


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of one preset for each module, with what is not finite as text."""
    seen: dict[str, str] = {}
    for name in presets():
        seen.setdefault(formulas.module_name(program(load_scenario(name))), name)
    body = {name: formulas.vectors(load_scenario(name), RANDOM) for name in seen.values()}
    for made in body.values():
        for part in ("rows", "results"):
            made[part] = [[x if math.isfinite(x) else _spell(x) for x in row] for row in made[part]]
    path = tmp_path_factory.mktemp("vectors") / "vectors.json"
    path.write_text(json.dumps(body, allow_nan=False), encoding="utf-8")
    return path


def _spell(x: float) -> str:
    return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"


def _hold(told: dict[str, Any]) -> None:
    assert "concept" in told
    for name, result in told.items():
        assert result["rows"] >= RANDOM + formulas.STOPS, name
        assert result["finite"] >= 0.99 * result["rows"] * result["outputs"], name
        assert result["worst"] <= WORST, (name, result["where"])


@needs_modules
def test_node_agrees_with_python(vectors: Path) -> None:
    _hold(run_node("parity.mjs", str(GENERATED), str(vectors)))


@pytest.fixture
def files(vectors: Path, tmp_path: Path) -> Iterator[int]:
    """A static server with the modules, the vectors and nothing else."""
    shutil.copytree(GENERATED, tmp_path / "generated")
    shutil.copy(WEB / "test" / "compare.mjs", tmp_path / "compare.mjs")
    shutil.copy(vectors, tmp_path / "vectors.json")
    (tmp_path / "index.html").write_text("<!doctype html><title>parity</title>", encoding="utf-8")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def guess_type(self, path: Any) -> str:
            return "text/javascript" if str(path).endswith("js") else super().guess_type(path)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


@needs_browser
@needs_modules
def test_chromium_agrees_with_python(files: int) -> None:
    _hold(run_node("browser.mjs", "parity", f"http://127.0.0.1:{files}/"))


@pytest.mark.parametrize("shape", [*formulas.SHAPES])
def test_a_shape_is_that_of_the_samples(shape: str) -> None:
    value, low, high = (0.3, 0.1, 0.7) if shape == "share" else (4.0, 1.5, 7.0)
    figure = Figure(value, low, high, "1", "estimate", "user", shape=shape)
    levels = (np.arange(50) + 0.5) / 50
    deviates = np.asarray(ndtri(levels))
    ours = formulas.SHAPES[shape](value, low, high, levels, deviates)
    np.testing.assert_allclose(ours, quantile(figure, levels, deviates), rtol=1e-12)


def _bands(name: str, count: int = 40_000) -> dict[str, tuple[float, float]]:
    """p5 and p95 of the summary from many samples in one row: no two axes, as in the page."""
    scenario = load_scenario(name)
    compiled = program(scenario)
    keys, wanted = formulas.inputs(compiled), formulas.outputs(compiled)
    levels = (np.arange(count) + 0.5) / count
    deviates = np.asarray(ndtri(levels))
    rng = np.random.default_rng(1)
    orders: dict[tuple[str, str], Any] = {}
    drawn: list[Any] = []
    for key in keys:
        figure = scenario.figure(key)
        if figure.low == figure.high:
            drawn.append(np.float64(figure.value))
            continue
        order = orders.setdefault((figure.spread, figure.cause or key), rng.permutation(count))
        drawn.append(quantile(figure, levels, deviates)[order])
    results = compile_numpy(compiled.way.graph, list(wanted.values()), keys)(drawn)
    return {
        output: (float(np.quantile(column, 0.05)), float(np.quantile(column, 0.95)))
        for output, column in zip(wanted, results, strict=True)
    }


@needs_modules
def test_bands_of_the_page_are_near_those_of_many_samples() -> None:
    told = run_node("bands.mjs", str(GENERATED))
    assert set(told) == set(presets())
    for name, bands in told.items():
        many = _bands(name)
        for output, band in bands.items():
            low, high = many[output]
            width = max(high - low, 1e-9 * abs(high))
            assert abs(band["low"] - low) <= 0.1 * width, (name, output)
            assert abs(band["high"] - high) <= 0.3 * width, (name, output)


@needs_modules
def test_the_sliders_start_at_the_seed() -> None:
    """45, 50 and 50 ms, 4.2 s; first word 145 ms, whole answer 4.3 s (claims B001 to B006)."""
    made = run_node("bands.mjs", str(GENERATED), "values")["concept"]
    assert made["network_s"] == pytest.approx(0.045, rel=1e-12)
    assert made["queue_s"] == pytest.approx(0.05, rel=1e-12)
    assert made["prefill_s"] == pytest.approx(0.05, rel=1e-12)
    assert round(made["decode_s"], 1) == 4.2
    assert made["time_to_first_token_s"] == pytest.approx(0.145, rel=1e-12)
    assert round(made["time_to_last_token_s"], 1) == 4.3
