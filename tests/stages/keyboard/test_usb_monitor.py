"""Records of USB transfers: what is written is read, and tshark names the keys."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import hid_report, usb_monitor
from roundtrip.stages.network import capture

BEGAN_US = 1_700_000_000_000_000


@given(st.binary(max_size=80), st.sampled_from("SC"), st.integers(0, 2**50))
def test_records_return(data: bytes, kind: str, time_us: int) -> None:
    record = usb_monitor.record(3, kind, usb_monitor.INTERRUPT, 0x81, time_us, data)
    assert usb_monitor.read(record) == (kind, usb_monitor.INTERRUPT, 0x81, data)
    assert len(record) == usb_monitor.record_size_B(float(len(data)))


@given(st.binary(max_size=120))
def test_any_bytes_are_a_record_or_are_named(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert len(usb_monitor.read(data)[3]) == len(data) - 64


def test_the_configuration_says_its_own_length_and_that_of_the_report_descriptor() -> None:
    config = usb_monitor.configuration(63, 8)
    assert len(config) == int.from_bytes(config[2:4], "little") == 34
    assert config[25:27] == (63).to_bytes(2, "little")


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_names_the_keys(tmp_path: Path) -> None:
    """HID 1.11, appendix C: Shift and h are 02 00 0b 00 00 00 00 00."""
    down = hid_report.encode([0xE1, hid_report.usage_id("h")])
    records = usb_monitor.introduction(hid_report.BOOT_DESCRIPTOR, BEGAN_US)
    records += usb_monitor.report(5, down, BEGAN_US + 9_000, BEGAN_US + 10_000)
    file = tmp_path / "usb.pcapng"
    packets = [capture.Packet(time_us * 1_000, data) for time_us, data in records]
    file.write_bytes(capture.encode([capture.Interface(capture.USB_LINUX)], packets))
    said = subprocess.run(["tshark", "-r", file, "-V"], capture_output=True, text=True, check=True).stdout
    assert "Key: LeftShift (0xe1): DOWN" in said
    assert "Keyboard h and H" in said
    experts = subprocess.run(["tshark", "-r", file, "-q", "-z", "expert"], capture_output=True, text=True, check=True)
    assert "Error" not in experts.stdout
    assert "Warn" not in experts.stdout
