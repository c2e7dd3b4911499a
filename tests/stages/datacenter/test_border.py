"""The border router: lines full of short frames, the list, the table of prefixes, and a header that stays valid."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.datacenter import border


def header(ttl: int, source: bytes = bytes([192, 0, 2, 1]), destination: bytes = bytes([198, 51, 100, 7])) -> bytes:
    bare = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 1500, 0x1C46, 0x4000, ttl, 6, 0, source, destination)
    return bare[:10] + border.header_checksum(bare).to_bytes(2, "big") + bare[12:]


def test_rfc_1071_style_header_checksum_of_a_known_packet() -> None:
    known = bytes.fromhex("45000073000040004011b861c0a80001c0a800c7")
    assert border.header_checksum(known) == 0xB861


@given(st.integers(2, 255), st.binary(min_size=4, max_size=4), st.binary(min_size=4, max_size=4))
def test_rfc_1624_the_mended_checksum_is_the_one_made_anew(ttl: int, source: bytes, destination: bytes) -> None:
    out = border.decrement_ttl(header(ttl, source, destination))
    assert out is not None
    assert out[8] == ttl - 1
    assert int.from_bytes(out[10:12], "big") == border.header_checksum(out)


@pytest.mark.parametrize("ttl", [0, 1])
def test_a_packet_whose_time_has_run_out_is_dropped(ttl: int) -> None:
    assert border.decrement_ttl(header(ttl)) is None


def test_a_packet_lives_for_as_many_routers_as_its_ttl_says() -> None:
    packet: bytes | None = header(64)
    hops = 0
    while packet is not None:
        packet = border.decrement_ttl(packet)
        hops += 1
    assert hops == 64


RULES = [
    border.Rule("deny", source="203.0.113.0/24"),
    border.Rule("permit", destination="198.51.100.0/24", protocol=6, ports=(443, 443)),
    border.Rule("permit", destination="198.51.100.0/24", protocol=17, ports=(443, 443)),
]


@pytest.mark.parametrize(
    ("source", "protocol", "port", "passes"),
    [
        ("192.0.2.1", 6, 443, True),
        ("192.0.2.1", 17, 443, True),
        ("192.0.2.1", 6, 22, False),
        ("203.0.113.9", 6, 443, False),
    ],
)
def test_the_first_rule_that_matches_decides_and_none_means_no(
    source: str, protocol: int, port: int, passes: bool
) -> None:
    assert border.permits(RULES, source, "198.51.100.7", protocol, port) is passes


def test_order_of_rules_matters() -> None:
    assert border.permits(list(reversed(RULES)), "203.0.113.9", "198.51.100.7", 6, 443)


def test_the_longest_prefix_wins() -> None:
    routes = {"0.0.0.0/0": "internet", "198.51.0.0/16": "campus", "198.51.100.0/24": "gateway"}
    assert border.longest_prefix(routes, "198.51.100.7") == "gateway"
    assert border.longest_prefix(routes, "198.51.7.7") == "campus"
    assert border.longest_prefix(routes, "8.8.8.8") == "internet"
    assert border.longest_prefix({"10.0.0.0/8": "x"}, "8.8.8.8") is None


def test_crossing_is_latency_and_the_packet_clocked_in() -> None:
    assert border.crossing_s(1500.0, 4e11, 4e-6) == pytest.approx(4e-6 + 30e-9)
    assert border.crossing_s(0.0, 4e11, 4e-6) == 4e-6


def test_148_million_shortest_frames_a_second_at_100_gigabit() -> None:
    assert 1.0 / border.packet_budget_s(64.0, 1e11) == pytest.approx(148.8e6, rel=1e-3)


def test_shares_of_all_packets_add_up_to_the_box() -> None:
    carried_B = 9.6e12 * 0.2 / 8.0
    assert border.share_energy_J(carried_B, 1000.0, 9.6e12, 0.2) == pytest.approx(1000.0)
    sizes = np.array([64.0, 1500.0, 9000.0])
    whole = border.share_energy_J(float(sizes.sum()), 1000.0, 9.6e12, 0.2)
    assert border.share_energy_J(sizes, 1000.0, 9.6e12, 0.2).sum() == pytest.approx(whole)
