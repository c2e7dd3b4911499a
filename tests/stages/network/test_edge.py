"""The edge near the reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import edge, tcp, tls


@given(st.floats(1e-3, 0.05), st.floats(0.05, 0.4), st.floats(1.0, 3.0))
def test_what_it_saves_is_the_difference_of_the_handshakes(near_s: float, far_s: float, trips: float) -> None:
    def wait(round_trip_s: float) -> float:
        return float(tcp.handshake_time_s(round_trip_s, 1.0) + tls.handshake_time_s(round_trip_s, trips - 1.0, 0.0))

    assert edge.saved_s(trips, far_s, near_s) == pytest.approx(wait(far_s) - wait(near_s), abs=1e-12)


@given(st.floats(0, 2e6))
def test_a_site_is_never_nearer_than_the_access_line_and_light(cable_m: float) -> None:
    assert edge.near_round_trip_s(1e-3, 2e-3, cable_m) >= 3e-3 + 2.0 * cable_m / 299_792_458.0 - 1e-15


def test_a_proxy_enciphers_twice() -> None:
    assert edge.proxy_time_s(5e9, 1e-3, 5e9) == pytest.approx(2.001)
