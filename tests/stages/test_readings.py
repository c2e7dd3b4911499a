"""The five readings of every stage function: floats, samples, symbols, typeset, JavaScript."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.figures.graph import INFIX, Node
from roundtrip.figures.print_code import compile_numpy, javascript, javascript_library
from roundtrip.figures.typeset import tex, text
from roundtrip.journey.stages import closed_forms, equation, parameters, stage_module, stage_names
from tests.stages import mending  # noqa: F401 - registers how vectors are made to fit
from tests.stages.sampling import vectors

CASES = [(f"{stage}.{name}", f) for stage in stage_names() for name, f in closed_forms(stage_module(stage)).items()]
NAMES = [name for name, _ in CASES]


@pytest.mark.parametrize(("name", "function"), CASES, ids=NAMES)
def test_floats_and_samples_agree(name: str, function: Any) -> None:
    drawn = vectors(name, function, random=40, stops=10)
    with np.errstate(all="raise", under="ignore"):
        whole = np.broadcast_to(function(**drawn), (50,))
        single = [float(function(**{k: np.float64(v[i]) for k, v in drawn.items()})) for i in range(50)]
    assert np.all(np.isfinite(whole)), name
    np.testing.assert_allclose(whole, single, rtol=1e-13, atol=0.0)


@pytest.mark.parametrize(("name", "function"), CASES, ids=NAMES)
def test_traces_and_typesets(name: str, function: Any) -> None:
    node = equation(function, constants=True)
    assert tex(node)
    assert text(node)


def _terms(node: Node) -> list[int]:
    """Return the terms of all sums: an error is measured against the largest of them."""
    graph = node.graph
    found = [node.number]
    for number in graph.live([node.number]):
        operation, *arguments = graph.nodes[number]
        if operation in ("add", "subtract") and operation in INFIX:
            found += arguments
    return list(dict.fromkeys(found))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine: JavaScript parity not run")
def test_javascript_equals_numpy(tmp_path: Path) -> None:
    script = [javascript_library(), "const data=JSON.parse(require('fs').readFileSync(0));const out={};"]
    data: dict[str, dict[str, list[float]]] = {}
    expected: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for i, (name, function) in enumerate(CASES):
        drawn = vectors(name, function)
        node = equation(function, constants=True)
        data[name] = {k: list(map(float, v)) for k, v in drawn.items()}
        script.append(javascript({"y": node}, f"f{i}"))
        script.append(
            f"{{const d=data[{name!r}],k=Object.keys(d),n=d[k[0]].length,r=[];for(let j=0;j<n;j++)"
            f"{{const v={{}};for(const x of k)v[x]=d[x][j];r.push(Number(f{i}(v).y));}}out[{name!r}]=r;}}"
        )
        terms = _terms(node)
        with np.errstate(all="ignore"):
            values = compile_numpy(node.graph, terms, parameters(function))([drawn[p] for p in parameters(function)])
        count = len(next(iter(drawn.values())))
        scale = np.max([np.broadcast_to(np.abs(v), (count,)) for v in values], axis=0)
        expected[name] = (np.broadcast_to(np.asarray(values[0], dtype=float), (count,)), scale)
    script.append("process.stdout.write(JSON.stringify(out));")
    file = tmp_path / "parity.js"
    file.write_text("\n".join(script), encoding="utf-8")
    run = subprocess.run(["node", str(file)], input=json.dumps(data), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2_000:]
    result = json.loads(run.stdout)
    wrong = []
    for name, (value, scale) in expected.items():
        error = np.abs(np.array(result[name], dtype=float) - value) / np.maximum(scale, 1e-300)
        if not np.all(error <= 1e-12):
            worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
            wrong.append(f"{name}: {error[worst]:.2e} at { {k: v[worst] for k, v in data[name].items()} }")
    assert not wrong, "\n".join(wrong)
