"""Looking up the name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import dns

label = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20)


@given(st.lists(label, min_size=1, max_size=6), st.sampled_from(sorted(dns.TYPES)), st.integers(0, 65_535))
def test_a_question_survives_the_wire_and_has_the_length_that_the_formula_says(
    labels: list[str], kind: str, identifier: int
) -> None:
    name = ".".join(labels)
    wire = dns.encode_query(name, kind, identifier)
    assert dns.decode_question(wire) == (identifier, name, dns.TYPES[kind])
    assert len(wire) == dns.query_size_B(float(len(name)), 0.0, 0.0)


def test_known_bytes_rfc_1035_section_4_1() -> None:
    assert (
        dns.encode_query("a.io", "A", 0x1234).hex()
        == "123401000001000000000000" + "0161" + "02696f" + "00" + "00010001"
    )


@pytest.mark.parametrize("name", ["", "a..b", "x" * 64 + ".org", ".".join(["abcdefgh"] * 30)])
def test_a_name_that_no_server_takes(name: str) -> None:
    with pytest.raises(ValueError, match=r"label|name|empty"):
        dns.encode_name(name)


def test_a_cut_message_is_refused_at_every_length() -> None:
    wire = dns.encode_query("example.org")
    for length in range(len(wire)):
        with pytest.raises(ValueError, match=r"cut off|at least"):
            dns.decode_question(wire[:length])


def test_a_cached_name_costs_the_resolver_only() -> None:
    assert dns.lookup_time_s(0.01, 0.0, 3.0, 0.1) == 0.01
    assert dns.lookup_time_s(0.01, 1.0, 3.0, 0.1) == pytest.approx(0.31)
