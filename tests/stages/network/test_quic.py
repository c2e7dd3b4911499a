"""Handshakes, packets, timers and integers of QUIC."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import ethernet, quic, tls


@pytest.mark.parametrize(
    ("wire", "value"),
    [("c2197c5eff14e88c", 151_288_809_941_952_652), ("9d7f3e7d", 494_878_333), ("7bbd", 15_293), ("25", 37)],
)
def test_integers_of_rfc_9000_appendix_a_1(wire: str, value: int) -> None:
    assert quic.decode_integer(bytes.fromhex(wire) + b"rest") == (value, b"rest")
    assert quic.encode_integer(value).hex() == wire


@given(st.integers(0, 2**62 - 1), st.binary(max_size=8))
def test_integers_come_back(value: int, rest: bytes) -> None:
    assert quic.decode_integer(quic.encode_integer(value) + rest) == (value, rest)


def test_integers_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="allowed"):
        quic.encode_integer(2**62)
    with pytest.raises(ValueError, match="of which 1 are there"):
        quic.decode_integer(b"\x7b")


def test_first_keys_of_a_client_rfc_9001_appendix_a_1() -> None:
    initial = tls.extract(quic.INITIAL_SALT, bytes.fromhex("8394c8f03e515708"))
    client = tls.expand_label(initial, "client in", b"", 32)
    assert client.hex().startswith("c00cf151ca5be075")
    assert tls.expand_label(client, "quic key", b"", 16).hex() == "1f369613dd76d5467730efcbe3b1a22d"
    assert tls.expand_label(client, "quic iv", b"", 12).hex() == "fa044b2f42a3fd3b46fb255c"
    assert tls.expand_label(client, "quic hp", b"", 16).hex() == "9f50449e04a0e810283a1e9933adedd2"


def test_a_first_datagram_fills_a_frame_of_1242_bytes() -> None:
    # 1,200 bytes are the least (RFC 9000, section 14.1); 14 of Ethernet without the check, 28 of IP and UDP.
    assert 1200.0 + quic.datagram_header_B() + 14.0 == 1242.0
    assert ethernet.frame_overhead_B() > 14.0


@given(st.integers(1, 200_000))
def test_header_of_a_frame_is_a_type_and_an_integer(size_B: int) -> None:
    assert quic.framed_size_B(float(size_B)) - size_B == 1 + len(quic.encode_integer(size_B))


@given(st.floats(1.0, 1e6))
def test_full_packets_carry_the_message_and_nothing_is_lost(size_B: float) -> None:
    overhead = quic.packet_overhead_B()
    payload = quic.packet_payload_B(1250.0, overhead)
    assert payload + overhead == 1250.0
    packets = -(-size_B // payload)
    sealed = quic.sealed_size_B(size_B, packets, overhead)
    assert size_B < sealed <= packets * 1250.0 + 1e-6


def test_a_long_chain_costs_a_round_trip_and_a_resumed_connection_none() -> None:
    short, long = (quic.amplification_rounds(size_B) for size_B in (3_000.0, 5_000.0))
    assert quic.handshake_time_s(0.1, 1.0, short, 0.0) == pytest.approx(0.1)
    assert quic.handshake_time_s(0.1, 1.0, long, 0.0) == pytest.approx(0.2)
    assert quic.handshake_time_s(0.1, 0.0, 0.0, 0.0) == 0.0
