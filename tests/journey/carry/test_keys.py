"""Typing: what the layout cannot give comes through the input method, and a broken keyboard types something else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.errors import DomainError, ScenarioError
from roundtrip.journey.carry import keymaps
from roundtrip.journey.carry.artifact import Artifact
from roundtrip.journey.carry.keys import Board, strokes, type_prompt
from roundtrip.stages.computer import key_event, layout
from roundtrip.stages.keyboard import hid_report, usb
from roundtrip.stages.network import capture

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
JUDGE = Path(__file__).parents[3] / ".judges" / "carry" / "bin" / "python"
PROMPT = "héllo, 世界 👋"


@pytest.mark.parametrize("name", sorted(keymaps.LAYOUTS))
@pytest.mark.parametrize("prompt", [PROMPT, "The capital of France is", "ÄÖÜß é ê Привет ά ΐ €\n", "aaa  111!!"])
def test_any_prompt_arrives_on_any_layout(name: str, prompt: str) -> None:
    assert type_prompt(prompt, name, seed=1).text == prompt


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=12), st.integers(0, 10_000))
def test_any_text_arrives(prompt: str, seed: int) -> None:
    assert type_prompt(prompt, "us", seed=seed).text == prompt


@pytest.mark.parametrize("name", sorted(keymaps.LAYOUTS))
def test_libxkbcommon_agrees_on_every_key(name: str) -> None:
    theirs = keymaps.from_system(name)
    if theirs is None:
        pytest.skip("libxkbcommon is not installed")
    assert theirs == layout.LAYOUTS[name]


def test_a_dead_key_and_a_letter_are_two_strokes_and_a_far_character_its_number() -> None:
    german, american = keymaps.keymap("de"), keymaps.keymap("us")
    assert len(strokes("é", german)) == 2
    chords = strokes("世", american)
    assert len(chords[0]) == 3
    assert [chord[0] for chord in chords[1:]] == [hid_report.usage_id(sign) for sign in [*"4e16", "Space"]]
    assert type_prompt("世", "us").committed == ["世"]


def test_without_debouncing_letters_double() -> None:
    got = type_prompt("Hello World", "us", board=Board(algorithm="none"), seed=2)
    assert len(got.text) > len("Hello World")
    assert [(note.stage, note.fate) for note in got.notes] == [("keyboard.debounce", "died")]


def test_without_diodes_overlapping_keys_make_ghosts_and_with_diodes_they_do_not() -> None:
    held = 0.7
    assert type_prompt(PROMPT, board=Board(hold_s=held), seed=1).text == PROMPT
    got = type_prompt(PROMPT, board=Board(hold_s=held, diodes=False), seed=1)
    assert got.text != PROMPT
    assert got.notes[0].stage == "keyboard.matrix"
    assert "ghost" in got.notes[0].text


def test_a_wrong_keymap_is_noticed_where_the_key_becomes_a_character() -> None:
    got = type_prompt("why yes", "us", read_as="de")
    assert got.text == "whz zes"
    assert [(note.stage, note.fate) for note in got.notes] == [("computer.layout", "died")]


def test_what_cannot_be_typed_is_named() -> None:
    with pytest.raises(ScenarioError, match="not one of us, de"):
        type_prompt("x", "klingon")
    with pytest.raises(DomainError, match="at most 20,000"):
        type_prompt("x" * 20_001)
    with pytest.raises(DomainError, match="key presses on layout us, at most 50,000"):
        type_prompt("世" * 10_000)
    assert type_prompt("").text == ""


def artifact(name: str, prompt: str = PROMPT) -> Artifact:
    return next(a for a in type_prompt(prompt, seed=3).artifacts if a.name == name)


def test_every_packet_on_the_wire_has_its_checksum_and_reports_take_turns() -> None:
    _, packets, _ = capture.decode(artifact("usb-wire").data)
    data = [packet.data for packet in packets if packet.data[0] in (usb.DATA0, usb.DATA1)]
    reports = [usb.read_data(packet, turn) for turn, packet in enumerate(data)]
    assert b"".join(reports) == artifact("reports").data
    assert sum(packet.data == bytes([usb.NAK]) for packet in packets) > len(data)


def test_fields_tile_their_bytes() -> None:
    for name in ("reports", "events"):
        found = artifact(name)
        assert [f.offset for f in found.fields] == list(range(0, len(found.data), found.fields[0].length))
    assert len(key_event.decode(artifact("events").data)) == len(artifact("events").fields)


@needs_tshark
def test_tshark_finds_both_checksums_good_and_names_keys(tmp_path: Path) -> None:
    for name in ("usb-wire", "usb-monitor"):
        file = tmp_path / f"{name}.pcapng"
        file.write_bytes(artifact(name, "Hi").data)
        out = subprocess.run(["tshark", "-r", file, "-V"], capture_output=True, text=True, check=True).stdout
        if name == "usb-wire":
            assert "CRC Status: Good" in out
            assert "CRC5 Status: Good" in out
            assert "Status: Bad" not in out
        else:
            assert "LeftShift (0xe1): DOWN" in out
            assert "Keyboard i and I" in out
        expert = subprocess.run(
            ["tshark", "-r", file, "-q", "-z", "expert"], capture_output=True, text=True, check=True
        )
        assert "Error" not in expert.stdout
        assert "Warn" not in expert.stdout


@pytest.mark.skipif(not JUDGE.is_file(), reason="hid-parser is not set up: tools/judges.sh carry")
def test_hid_parser_reads_the_report_descriptor() -> None:
    code = (
        "import sys, hid_parser\n"
        "d = hid_parser.ReportDescriptor(list(bytes.fromhex(sys.argv[1])))\n"
        "print(d.get_input_report_size().byte, d.get_output_report_size().byte)\n"
    )
    done = subprocess.run(
        [JUDGE, "-c", code, hid_report.BOOT_DESCRIPTOR.hex()], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["8", "1"]
