"""The documented commands and their stored output: ``python -m tests.golden.commands`` writes it anew.

A figure that changes on purpose changes these files with it, so that a reader of the change sees what it does.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from unittest import mock

FOLDER = Path(__file__).parent / "stored"

COMMANDS: dict[str, list[str]] = {
    "help": ["--help"],
    "trip": ["trip", "The capital of France is"],
    "trip-brief": ["trip", "The capital of France is", "--brief"],
    "trip-concept": ["trip", "--scenario", "concept"],
    "trip-phone": ["trip", "--scenario", "phone"],
    "trip-device": ["trip", "--scenario", "device"],
    "trip-here": ["trip", "--scenario", "here", "--brief"],
    "trip-linear": ["trip", "--linear", "--samples", "0"],
    "compare": ["compare", "cloud", "intercontinental"],
    "compare-device": ["compare", "cloud", "device"],
    "explain-stage": ["explain", "optics.fiber"],
    "explain-function": ["explain", "keyboard.press.travel_time_s"],
    "explain-summary": ["explain", "time_to_first_token_s"],
    "explain-figure": ["explain", "keyboard.switch.travel_m"],
    "audit": ["audit"],
    "audit-one": ["audit", "A043"],
    "catalog": ["catalog"],
    "catalog-entry": ["catalog", "key_switches", "scissor"],
    "scenarios": ["scenarios"],
    "scenario": ["scenarios", "cloud"],
    "validate": ["validate"],
    "model-show": ["model", "show", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--context", "100000"],
}
NARROW = {"trip-phone": "60", "trip-device": "80"}


def output(name: str) -> str:
    """Return what a command prints in a pipe, at 100 columns unless `NARROW` says otherwise."""
    from roundtrip.cli.main import main

    out = io.StringIO()
    environment = {"COLUMNS": NARROW.get(name, "100"), "NO_COLOR": "1", "ROUNDTRIP_MODEL": "none"}
    with mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(out):
        code = main(COMMANDS[name])
    return f"$ roundtrip {' '.join(a if ' ' not in a else repr(a) for a in COMMANDS[name])}\n{out.getvalue()}" + (
        f"[{code}]\n" if code else ""
    )


def write() -> None:
    """Write the output of every command."""
    FOLDER.mkdir(exist_ok=True)
    for stale in FOLDER.glob("*.txt"):
        if stale.stem not in COMMANDS:
            stale.unlink()
    for name in COMMANDS:
        (FOLDER / f"{name}.txt").write_text(output(name), encoding="utf-8")


if __name__ == "__main__":
    write()
