"""``trip --carry`` and ``carry show``: what they print and write, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtrip.stages.network import capture
from tests.cli.run import here

Capture = pytest.CaptureFixture[str]
CARRY = ("trip", "Hi, you", "--carry", "--no-answer")


def test_the_story_says_what_was_meant_typed_and_received(capsys: Capture) -> None:
    done = here(capsys, *CARRY)
    assert done.code == 0
    for line in ("meant     Hi, you", "typed     Hi, you", "received  Hi, you"):
        assert line in done.out
    assert "came through whole" in done.out


def test_a_break_is_told_with_its_stage(capsys: Capture) -> None:
    done = here(capsys, *CARRY, "--break", "cut-fiber")
    assert done.code == 0
    assert "The message died at optics.fiber." in done.out


def test_json_is_a_trace_with_the_reading_carry(capsys: Capture) -> None:
    body = json.loads(here(capsys, *CARRY, "--json", "--http", "2").out)
    assert body["schema"] == "roundtrip.trace/1"
    assert body["reading"] == "carry"
    assert body["carried"]["is_whole"]
    assert body["carried"]["typed"] == "Hi, you"
    assert any(span["reading"] == "carry" for span in body["spans"])


def test_artifacts_are_written_with_an_index(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "out" / "deep"
    assert here(capsys, *CARRY, "--artifacts", str(folder)).code == 0
    names = {path.name for path in folder.iterdir()}
    assert {
        "index.md",
        "network-tcp-client.pcapng",
        "keyboard-usb-usb-wire.pcapng",
        "optics-amplifier-distances.png",
    } <= names
    interfaces, packets, secrets = capture.decode((folder / "network-tcp-client.pcapng").read_bytes())
    assert interfaces[0].link_type == capture.ETHERNET
    assert len(packets) > 20
    assert b"CLIENT_HANDSHAKE_TRAFFIC_SECRET" in secrets
    index = (folder / "index.md").read_text(encoding="utf-8")
    assert all(name in index for name in names - {"index.md"} if not name.endswith(".png"))


def test_artifacts_that_cannot_be_written_are_named(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    done = here(capsys, *CARRY, "--artifacts", str(file / "deep"))
    assert done.code == 2
    assert "--artifacts" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("trip", "Hi", "--break", "no-fec"), "--break goes with --carry"),
        (("trip", "Hi", "--layout", "de"), "--layout goes with --carry"),
        (("trip", "Hi", "--carry", "--record"), "--carry goes with neither"),
        (("trip", "Hi", "--carry", "--break", "nofec"), "did you mean 'no-fec'?"),
        (("trip", "Hi", "--carry", "--scenario", "device"), "device itself"),
        (("carry", "show", "keyboard.usv", "Hi"), "did you mean 'keyboard.usb'?"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(capsys: Capture, arguments: tuple[str, ...], said: str) -> None:
    done = here(capsys, *arguments)
    assert said in done.line


def test_show_prints_bytes_with_their_fields(capsys: Capture) -> None:
    done = here(capsys, "carry", "show", "keyboard.hid_report", "Hi")
    assert "02 00 0b 00 00 00 00 00" in done.out
    assert "h, Left Shift" in done.out
    body = json.loads(here(capsys, "carry", "show", "network.ethernet", "Hi", "--json").out)
    fields = {field["name"]: field["value"] for field in body["artifacts"][0]["fields"]}
    assert fields["ip.protocol"] == "6, TCP"
    assert bytes.fromhex(body["artifacts"][0]["hex"])[12:14] == b"\x08\x00"


def test_breaks_are_listed(capsys: Capture) -> None:
    assert "dead-amplifier" in here(capsys, "trip", "--carry", "--break", "list").out


def test_what_a_terminal_would_act_on_is_written_out_and_what_is_long_is_cut(capsys: Capture) -> None:
    done = here(capsys, "trip", "a\x1b[31mb\n", "--carry", "--no-answer")
    assert r"meant     a\x1b[31mb\n" in done.out
    assert "\x1b" not in done.out
    assert "\x1b" not in here(capsys, "carry", "show", "computer.layout", "a\x1bb").out
    done = here(capsys, "trip", "ab" * 200, "--carry", "--no-answer")
    assert "abab … (400 characters)" in done.out
    assert "meant     ' '" in here(capsys, "trip", " ", "--carry", "--no-answer").out


@pytest.mark.parametrize("folder", ["", " ", "/dev/null", "/proc/none", "a\0b"])
def test_a_folder_that_cannot_be_is_named_before_anything_is_carried(capsys: Capture, folder: str) -> None:
    done = here(capsys, *CARRY, "--artifacts", folder)
    assert done.code == 2
    assert done.out == ""
    assert "--artifacts" in done.err
    assert done.err.count("\n") == 1
