"""Records, the handshake's round trips and the key schedule."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import tls


def test_early_and_derived_secret_rfc_8448_section_3() -> None:
    early = tls.extract(b"", bytes(32))
    assert early.hex() == "33ad0a1c607ec03b09e6cd9893680ce210adf300aa1f2660e1b22e10f170f92a"
    derived = tls.expand_label(early, "derived", hashlib.sha256(b"").digest(), 32)
    assert derived.hex() == "6f2615a108c702c5678f54fc9dbab69716c076189c48250cebeac3576c3611ba"


@given(st.floats(1, 1e8))
def test_every_record_adds_22_bytes(size_B: float) -> None:
    sealed = tls.sealed_size_B(size_B, tls.record_overhead_B())
    assert sealed - size_B == pytest.approx(22.0 * tls.records(size_B), abs=1e-6)


def test_a_resumed_session_waits_for_computation_only() -> None:
    assert tls.handshake_time_s(0.1, 0.0, 1e-3) == 1e-3
    assert tls.handshake_time_s(0.1, 1.0, 1e-3) == pytest.approx(0.101)


def test_header_and_nonce_rfc_8446_sections_5_2_and_5_3() -> None:
    assert tls.record_header(302 - 5).hex() == "1703030129"
    iv = bytes.fromhex("5d313eb2671276ee13000b30")
    assert tls.nonce(iv, 0) == iv
    assert tls.nonce(iv, 1)[:-1] == iv[:-1]
    assert tls.nonce(iv, 1)[-1] == iv[-1] ^ 1
    with pytest.raises(ValueError, match="allowed"):
        tls.record_header(20_000)


@given(st.integers(1, 2**40), st.integers(1, 2**40))
def test_no_two_records_share_a_nonce(one: int, other: int) -> None:
    iv = bytes(range(12))
    assert (tls.nonce(iv, one) == tls.nonce(iv, other)) == (one == other)
