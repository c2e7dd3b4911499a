"""What tests need from outside: the judges of .judges/engine and the real weights. Without them they are skipped."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roundtrip.engine.engine import Engine, load
from roundtrip.engine.weights import ModelMissing, resolve

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".judges" / "engine" / "bin" / "python"


def judge(*questions: dict[str, Any]) -> list[Any]:
    """Return the judges' answers to questions (see judge.py), all out of one process."""
    if not any(PYTHON.parent.parent.glob(".xllamacpp*")):
        pytest.skip("the judges are missing: tools/judges.sh engine")
    done = subprocess.run(
        [PYTHON, ROOT / "tests" / "engine" / "judge.py"],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def weights_path() -> Path:
    """Return the path of the real weights."""
    try:
        return resolve().path
    except ModelMissing as error:
        pytest.skip(f"the weights are missing: {error}")


@functools.cache
def _loaded(path: Path) -> Engine:
    return load(path)


def real_engine() -> Engine:
    """Return the engine with the real weights, loaded once a process."""
    return _loaded(weights_path())
