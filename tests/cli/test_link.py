"""``roundtrip link``: the table, its JSON, the files beside it, and bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import here

Capture = pytest.CaptureFixture[str]


def test_without_a_name_the_links_are_listed(capsys: Capture) -> None:
    ran = here(capsys, "link")
    assert ran.code == 0
    assert "coronet" in ran.out
    assert {"name": "80-km"}.items() <= json.loads(here(capsys, "link", "--json").out)["links"][0].items()


def test_the_table_names_both_bandwidths_and_the_json_has_the_same_figures(capsys: Capture) -> None:
    text = here(capsys, "link", "80-km").out
    body = json.loads(here(capsys, "link", "80-km", "--json").out)
    assert body["summary"]["gsnr_dB"] == pytest.approx(31.17, abs=0.01)
    for name in ("gsnr_dB", "gsnr_signal_dB", "osnr_dB", "osnr_signal_dB", "required_osnr_dB", "margin_dB"):
        assert f"{body['summary'][name]:.2f}" in text, name
    assert text.count("0.1 nm") >= 5
    assert [row["kind"] for row in body["elements"]] == ["transmitter", "fiber", "amplifier", "receiver"]
    assert len(body["channels"]["gsnr_dB"]) == 76
    assert body["bands"]["gsnr_dB"]["low"] < body["summary"]["gsnr_dB"] < body["bands"]["gsnr_dB"]["high"]


def test_a_long_line_is_folded_unless_all_is_asked_for(capsys: Capture) -> None:
    short = here(capsys, "link", "atlantic", "--samples", "0").out
    whole = here(capsys, "link", "atlantic", "--samples", "0", "--all").out
    assert "(--all shows them)" in short
    assert "(--all shows them)" not in whole
    assert whole.count("56 km g654e") == 118


@pytest.mark.parametrize("columns", ["80", "100", "200"])
def test_the_table_fits(capsys: Capture, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = here(capsys, "link", "coronet", "--samples", "16").out
    assert max(map(len, out.splitlines())) <= int(columns)


def test_settings_and_the_best_power_change_the_line(capsys: Capture) -> None:
    def summary(*more: str) -> dict[str, float]:
        found: dict[str, float] = json.loads(here(capsys, "link", "1200-km", "--samples", "0", *more, "--json").out)[
            "summary"
        ]
        return found

    plain, loud, best = summary(), summary("--set", "launch_power_dBm=3"), summary("--best")
    assert loud["gsnr_dB"] < plain["gsnr_dB"] < best["gsnr_dB"]
    assert best["launch_power_dBm"] == best["best_launch_power_dBm"]
    assert summary("--set", "line.power_W=10 W")["power_W"] < plain["power_W"]


def test_files_are_written_whole(capsys: Capture, tmp_path: Path) -> None:
    picture, prefix = tmp_path / "line.svg", tmp_path / "line"
    ran = here(capsys, "link", "metro", "--samples", "0", "--plot", str(picture), "--gnpy", str(prefix))
    assert ran.code == 0
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    names = {"line.svg", "line-topology.json", "line-equipment.json", "line-spectrum.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    topology = json.loads((tmp_path / "line-topology.json").read_text(encoding="utf-8"))
    assert len(topology["connections"]) == len(topology["elements"]) - 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nosuch"], "no entry 'nosuch'"),
        (["no.toml"], "no such file"),
        (["80-km", "--set", "chain=80 km g652e"], "did you mean"),
        (["80-km", "--set", "launch_power_dBm=1 W"], "expected"),
        (["80-km", "--samples", "2"], "--samples"),
        (["80-km", "--plot", "line.png"], "SVG"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, arguments: list[str], says: str) -> None:
    assert says in here(capsys, "link", *arguments).line
