"""Addresses, checksums, hops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import ip

address = st.ip_addresses(v=4).map(str)


def test_checksum_of_a_known_header() -> None:
    """The example of Wikipedia's page on the checksum, seen in many captures: b861."""
    header = bytes.fromhex("45000073000040004011") + b"\0\0" + bytes.fromhex("c0a80001c0a800c7")
    assert ip.checksum(header) == 0xB861


def test_checksum_example_of_rfc_1071_section_3() -> None:
    assert ip.checksum(bytes.fromhex("0001f203f4f5f6f7")) == ~0xDDF2 & 0xFFFF


@given(st.integers(0, 1_480), address, address, st.integers(2, 255))
def test_a_header_sums_to_ones_also_after_every_router(payload_B: int, one: str, other: str, time_to_live: int) -> None:
    header = ip.encode_header(payload_B, one, other, time_to_live)
    assert ip.checksum(header) == 0
    after = ip.forward(header)
    assert ip.checksum(after) == 0
    assert after[8] == ip.hops_left(float(time_to_live), 1.0)
    assert after[12:] == header[12:]


@given(st.integers(0, 159), address)
def test_one_wrong_bit_is_noticed(bit: int, one: str) -> None:
    header = bytearray(ip.encode_header(100, one, "192.0.2.1"))
    header[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ValueError, match="does not hold"):
        ip.forward(bytes(header))


def test_time_runs_out() -> None:
    header = ip.encode_header(0, "192.0.2.1", "192.0.2.2", 3)
    header = ip.forward(ip.forward(header))
    with pytest.raises(ValueError, match="run out"):
        ip.forward(header)


def test_sizes_add_up() -> None:
    assert ip.packet_size_B(1_448.0, tcp_options_B=12.0) == 1_500.0 == 1_448.0 + ip.packet_header_B(12.0)
    assert ip.translation_time_s(1.0, 5e-5, 2e-6) == 5e-5
    assert ip.translation_time_s(11.0, 5e-5, 2e-6) == pytest.approx(7e-5)
