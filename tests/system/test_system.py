"""The command as a user starts it, and the make targets that need no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.clock import process

ROOT = Path(__file__).parents[2]
RUN = ["-c", "from roundtrip.cli.main import run; run()"]

SPAN_KEYS = {
    "id", "parent", "after", "lag_s", "name", "title", "start_s", "duration_s", "energy_J", "energy_heads_J", "carrier",
    "electrons", "photons", "bytes_in", "bytes_out", "reading", "grade", "sources", "since", "attributes", "bands",
}  # fmt: skip


def test_the_start_is_light() -> None:
    """Processor time of ``roundtrip --version`` beside a bare interpreter's: at most 8 times."""
    assert process([*RUN, "--version"]) <= 8.0 * process(["-c", "pass"])


def test_the_json_of_a_trip_is_complete() -> None:
    done = subprocess.run(
        [sys.executable, *RUN, "trip", "The capital of France is", "--json", "--no-answer"],
        capture_output=True,
        text=True,
        check=True,
    )
    body = json.loads(done.stdout)
    assert body["schema"] == "roundtrip.trace/1"
    assert body["prompt"] == "The capital of France is"
    assert len(body["spans"]) >= 60
    for span in body["spans"]:
        assert set(span) == SPAN_KEYS
        assert span["bands"]["duration_s"].keys() == {"low", "median", "high", "median_low", "median_high", "slow"}
        assert span["grade"] in ("measured", "derived", "datasheet", "estimate")
        assert all(key in body["sources"] or key == "user" for key in span["sources"])
    assert all(source["url"] for source in body["sources"].values())


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not on this machine")
def test_make_alone_lists_the_targets() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True)
    makefile = (ROOT / "Makefile").read_text()
    named = next(line for line in makefile.splitlines() if line.startswith(".PHONY")).split()[1:]
    assert all(f"make {target}" in done.stdout for target in named if target != "help")


def _copy(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "set_up.sh", tmp_path / "tools")
    return tmp_path


def test_set_up_without_a_new_enough_python_is_one_line(tmp_path: Path) -> None:
    _copy(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "touch", "id"):
        os.symlink(shutil.which(name) or f"/bin/{name}", tools / name)
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(tmp_path / "tools" / "set_up.sh"), "python3", "run"],
        env={"PATH": str(tools)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Python 3.11 or newer is needed" in done.stderr


def test_set_up_without_the_module_venv_is_one_line(tmp_path: Path) -> None:
    _copy(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "dirname", "touch"):
        os.symlink(shutil.which(name) or f"/bin/{name}", tools / name)
    (tools / "id").write_text("#!/bin/sh\necho 1000\n")
    new = tools / "python3"
    new.write_text('#!/bin/sh\ncase "$2" in *venv*) exit 1;; *) exit 0;; esac\n')
    for tool in (new, tools / "id"):
        tool.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(tmp_path / "tools" / "set_up.sh"), "python3", "run"],
        env={"PATH": str(tools)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "has no module venv" in done.stderr
