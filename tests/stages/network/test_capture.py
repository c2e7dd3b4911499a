"""Capture files: what is written is read, tshark reads it too, and what is broken is named."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import capture, ethernet

INTERFACES = [capture.Interface(capture.ETHERNET, "client", 4), capture.Interface(capture.USB_FULL_SPEED)]
PACKETS = st.lists(
    st.builds(capture.Packet, st.integers(0, 2**63), st.binary(max_size=90), st.integers(0, 1)), max_size=8
)


@given(PACKETS, st.binary(max_size=40))
def test_files_return(packets: list[capture.Packet], secrets: bytes) -> None:
    data = capture.encode(INTERFACES, packets, secrets)
    assert capture.decode(data) == (INTERFACES, packets, secrets)


def test_a_block_is_as_long_as_the_formula_says() -> None:
    one = len(capture.encode(INTERFACES, []))
    for size in range(9):
        grown = len(capture.encode(INTERFACES, [capture.Packet(1, bytes(size))])) - one
        assert grown == capture.block_size_B(20.0 + size)


@given(PACKETS, st.integers(0, 10_000), st.integers(0, 7), st.integers(0, 400))
def test_broken_files_are_read_or_named(packets: list[capture.Packet], at: int, bit: int, cut: int) -> None:
    data = bytearray(capture.encode(INTERFACES, packets, b"secret"))
    data[at % len(data)] ^= 1 << bit
    del data[len(data) - min(cut, len(data)) :]
    with contextlib.suppress(ValueError):
        assert len(capture.decode(bytes(data))[1]) <= len(packets)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "empty"), (bytes(12), "impossible length 0"), (capture.encode([], [])[:-4], "impossible length"),
     (capture.encode([], []) * 2, "one opening block"),
     (capture.encode([], [capture.Packet(0, b"x")]), "does not fit")],
)  # fmt: skip
def test_what_is_no_capture_is_named(data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        capture.decode(data)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_reads_times_lengths_and_check_sequences(tmp_path: Path) -> None:
    frame = ethernet.encode_frame(bytes(6), bytes(6), b"x" * 60, 0x88B5)
    packets = [capture.Packet(1_700_000_000_123_456_789 + i, frame) for i in range(3)]
    file = tmp_path / "a.pcapng"
    file.write_bytes(capture.encode(INTERFACES[:1], packets))
    fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "eth.fcs.status"]
    command = ["tshark", "-r", file, "-o", "eth.check_fcs:TRUE", *fields]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == [f"1700000000.{123_456_789 + i}\t78\t1" for i in range(3)]
