"""What tests need from outside: the judges of .judges/engine and the real weights. Without them they are skipped."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from roundtrip.engine.engine import Engine, load
from roundtrip.engine.weights import ModelMissing, resolve
from tests.engine.agreement import ask


def judge(*questions: dict[str, Any]) -> list[Any]:
    """Return the judges' answers to questions (see tools/judge_engine.py), all out of one process."""
    answers = ask(*questions)
    if answers is None:
        pytest.skip("the judges are missing: tools/judges.sh engine")
    return answers


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
