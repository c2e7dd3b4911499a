"""50 clients at once, a third of which hang up, among rubbish and slow ones; then SIGTERM. Tiny model; real on request.

``ROUNDTRIP_FULL=1`` (as `make validate` sets it) runs the same with the real weights, which takes minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.engine import abuse
from tests.engine.judging import weights_path
from tests.engine.tiny import tiny_gguf

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
full = pytest.mark.skipif(
    os.environ.get("ROUNDTRIP_FULL") != "1", reason="minutes with the real weights: make validate"
)


def hold(model: Path, most: int, drain: int, *options: str) -> None:
    with abuse.started(model, *options) as running:
        found = abuse.abused(running, clients=50, rounds=3, most=most)
        sys.stdout.write(f"\n{found}\n")
        assert not found.problems
        assert found.survivors == 3 * 33
        assert found.hung_up > 0
        assert len(set(found.free)) == 1, "free pages at the start and after each round"
        assert found.resident_MB[2] - found.resident_MB[0] < 20.0
        assert not found.not_ties
        answer, status, code, left = abuse.drained(running, drain)
    assert answer is not None
    assert (answer.outcome, answer.completion_tokens) == ("complete", drain), "what was begun is finished"
    assert (status, code) == (503, "draining")
    assert left == 0


@needs_proc
def test_abuse_with_the_tiny_model(tmp_path: Path) -> None:
    hold(tiny_gguf(tmp_path / "tiny.gguf"), 24, 150, "--pages", "24", "--slots", "8")


@full
@needs_proc
def test_abuse_with_the_real_model() -> None:
    hold(weights_path(), 24, 60)
