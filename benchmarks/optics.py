"""Whole C-band lines, beside GNPy on the same inputs (`tools/judges.sh gnpy`)."""

from __future__ import annotations

import json
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cases import RUN, Result
from benchmarks.clock import best, process

GNPY = Path(__file__).parents[1] / ".judges" / "gnpy" / "bin"
SCRIPT = Path(__file__).parents[1] / "tools" / "judge_gnpy.py"
LINES = ("80-km", "1200-km", "coronet", "atlantic")


def lines() -> Iterator[Result]:
    """Yield the time of each line with all pairs of channels made anew, and of the whole command."""
    from roundtrip.journey.links import read
    from roundtrip.journey.links_gnpy import documents

    theirs = _judged({name: documents(read(name)) for name in LINES})
    for name in LINES:
        line = read(name)
        count = sum(part.kind == "fiber" for part in line.parts)
        note = f"{len(line.frequency_Hz)} channels, {count} span{'s' if count > 1 else ''}"
        seconds = best(lambda name=name: read(name).run(), repeat=10)
        beside = {"GNPy, propagation alone": theirs[name]["seconds"] * 1e3 if theirs else float("nan")}
        yield Result(f"line {name}", seconds * 1e3, "ms", 10.0, note=note, beside=beside)
    ours = process([*RUN, "link", "1200-km"])
    yield Result(
        "roundtrip link 1200-km",
        ours * 1e3,
        "ms",
        note="in a fresh process, best power too",
        beside={"gnpy-transmission-example": _command(documents(read("1200-km"))) * 1e3},
    )


def _judged(asked: dict[str, Any]) -> dict[str, Any]:
    python = GNPY / "python"
    if not python.is_file():
        return {}
    done = subprocess.run(
        [str(python), str(SCRIPT), "5"], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def _command(given: dict[str, Any], rounds: int = 3) -> float:
    """Return the processor seconds of GNPy's own command on one line."""
    command = GNPY / "gnpy-transmission-example"
    if not command.is_file():
        return float("nan")
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        files = {part: Path(folder) / f"{part}.json" for part in given}
        for part, path in files.items():
            path.write_text(json.dumps(given[part]), encoding="utf-8")
        call = [str(command), str(files["topology"]), "A", "B", "-e", str(files["equipment"])]
        for _ in range(rounds):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*call, "--spectrum", str(files["spectrum"])], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


CASES = {"optics": lines}
