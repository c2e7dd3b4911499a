"""GNPy 3.0.1 on the same lines: OSNR and GSNR of every channel within 0.1 dB."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.journey.links import Line, read
from roundtrip.journey.links_gnpy import documents

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".judges" / "gnpy" / "bin" / "python"
COMMAND, EXAMPLES = PYTHON.with_name("gnpy-transmission-example"), PYTHON.with_name("gnpy-example-data")

pytestmark = pytest.mark.skipif(not COMMAND.is_file(), reason="GNPy is not here: run tools/judges.sh gnpy")

# The three lines of GNPy's own examples, three of ours, and the same with what its examples never do.
CASES = {
    "80-km": (),
    "1200-km": (),
    "coronet": (),
    "atlantic": (),
    "metro": (),
    "mixed": (),
    "80-km, 6 dBm": ("launch_power_dBm=6",),
    "80-km, one channel": ("channels=1",),
    "coronet, sloped": ("dispersion=sloped", "launch_power_dBm=1"),
    "metro, saturated": ("launch_power_dBm=4", "amplifier.saturation_level_dBm=20"),
    "mixed, 0 km": ("chain=0 km g652d, amp 5, 2 x (50 km g655, amp 5.5), 0 km g654e, amp 5 2",),
}


def line(name: str) -> Line:
    return read(name.partition(",")[0], CASES[name])


def mixed_rates() -> tuple[Line, dict[str, Any]]:
    """30 channels of 32 GBd in 50 GHz beside 30 of 63.1 GBd in 87.5 GHz, on the metro line's spans and switches."""
    made = read("metro", ["launch_power_dBm=1"])
    given = documents(read("metro", ["launch_power_dBm=1"]))  # apart: a line remembers its channels
    narrow, wide = 191.4e12 + 50e9 * np.arange(30), 193.0e12 + 87.5e9 * np.arange(30)
    made.__dict__["frequency_Hz"] = np.concatenate([narrow, wide])
    made.__dict__["symbol_rate_Hz"] = np.repeat([32e9, 63.1e9], 30)
    parts = [dict(given["spectrum"]["spectrum"][0]) for _ in range(2)]
    parts[0] |= {"f_min": 191.4e12, "f_max": float(narrow[-1]), "baud_rate": 32e9, "slot_width": 50e9}
    parts[1] |= {"f_min": 193.0e12, "f_max": float(wide[-1]), "baud_rate": 63.1e9, "slot_width": 87.5e9}
    given["spectrum"]["spectrum"] = parts
    return made, given


@cache
def judged() -> dict[str, Any]:
    asked = json.dumps({**{name: documents(line(name)) for name in CASES}, "mixed rates": mixed_rates()[1]})
    script = str(ROOT / "tools" / "judge_gnpy.py")
    done = subprocess.run([str(PYTHON), script], input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("name", [*CASES, "mixed rates"])
def test_every_channel_within_a_tenth_of_a_decibel(name: str) -> None:
    chosen = mixed_rates()[0] if name == "mixed rates" else line(name)
    end, theirs = chosen.run()[-1], judged()[name]
    for key, nonlinear, signal in (
        ("osnr_dB", False, False),
        ("gsnr_dB", True, False),
        ("osnr_signal_dB", False, True),
        ("gsnr_signal_dB", True, True),
    ):
        ours = end.ratio_dB(nonlinear, signal_bandwidth=signal)
        assert len(ours) == len(theirs[key])
        assert float(np.max(np.abs(ours - theirs[key]))) < 0.1, key


@pytest.mark.parametrize(("name", "place"), [("80-km", None), ("coronet", ("Abilene", "Albany"))])
def test_gnpys_own_example_as_its_command_prints_it(name: str, place: tuple[str, str] | None) -> None:
    """Here GNPy designs the line itself, from its own library; we have its noise figures and levels."""
    arguments: list[str] = []
    if place:
        shown = subprocess.run([str(EXAMPLES)], capture_output=True, text=True, check=True)
        folder = shown.stdout.strip().splitlines()[-1]
        arguments = [str(Path(folder) / "CORONET_Global_Topology.json"), *place]
    printed = subprocess.run([str(COMMAND), *arguments], capture_output=True, text=True, check=True).stdout
    last = printed.rpartition("\nTransceiver")[2]
    end = line(name).run()[-1]
    for title, nonlinear, signal in (
        ("OSNR ASE (0.1nm, dB)", False, False),
        ("GSNR (0.1nm, dB)", True, False),
        ("OSNR ASE (signal bw, dB)", False, True),
        ("GSNR (signal bw, dB)", True, True),
    ):
        found = re.search(re.escape(title) + r":\s+([\d.]+)", last)
        assert found, title
        ours = float(np.mean(end.ratio_dB(nonlinear, signal_bandwidth=signal)))
        assert ours == pytest.approx(float(found[1]), abs=0.1), title
    glass = re.search(r"CD \(ps/nm\):\s+([\d.]+)", last)
    assert glass
    from roundtrip.journey.links_budget import budget

    assert budget(line(name)).summary["dispersion_ps_nm"] == pytest.approx(float(glass[1]), rel=1e-3)


def test_the_files_that_the_command_writes_are_read_by_gnpy(tmp_path: Path) -> None:
    for part, body in documents(line("metro")).items():
        (tmp_path / f"{part}.json").write_text(json.dumps(body), encoding="utf-8")
    files = {part: str(tmp_path / f"{part}.json") for part in ("topology", "equipment", "spectrum")}
    done = subprocess.run(
        [str(COMMAND), files["topology"], "A", "B", "-e", files["equipment"], "--spectrum", files["spectrum"]],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = re.search(r"GSNR \(0\.1nm, dB\):\s+([\d.]+)", done.stdout.rpartition("\nTransceiver")[2])
    assert found
    ours = float(np.mean(line("metro").run()[-1].ratio_dB(nonlinear=True)))
    assert ours == pytest.approx(float(found[1]), abs=0.1)
