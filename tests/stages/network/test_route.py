"""Distances, cables and routers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.load import load
from roundtrip.stages.network import route

latitude = st.floats(-90, 90)
longitude = st.floats(-180, 180)


@given(latitude, longitude, latitude, longitude)
def test_the_great_circle_is_symmetric_and_at_most_half_round(a: float, b: float, c: float, d: float) -> None:
    there, back = route.great_circle_m(a, b, c, d), route.great_circle_m(c, d, a, b)
    assert np.isclose(there, back, rtol=1e-9, atol=1e-3)
    assert 0.0 <= there <= np.pi * 6_371_008.8 + 1e-3


@given(latitude, longitude, latitude, longitude)
def test_the_great_circle_equals_the_angle_between_two_vectors(a: float, b: float, c: float, d: float) -> None:
    def vector(lat: float, lon: float) -> np.ndarray:
        p, q = np.radians(lat), np.radians(lon)
        return np.array([np.cos(p) * np.cos(q), np.cos(p) * np.sin(q), np.sin(p)])

    one, other = vector(a, b), vector(c, d)
    angle = np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other)
    assert np.isclose(route.great_circle_m(a, b, c, d), 6_371_008.8 * angle, rtol=1e-6, atol=1.0)


@given(st.floats(0, 2e7), st.floats(1, 4), st.floats(0, 4), st.floats(1e5, 5e6), st.floats(0, 1e7))
def test_never_faster_than_light_in_fiber(d: float, far: float, near: float, scale: float, detour: float) -> None:
    bound = 2.0 * route.flight_time_s(d)
    assert route.land_round_trip_s(d, far, near, scale, detour, 0.0) >= bound * (1.0 - 1e-12)
    assert route.sea_round_trip_s(0.1 * d, 0.2 * d, far, detour, d, 0.0) >= bound * (1.0 - 1e-12)


@pytest.mark.parametrize("name", sorted(n for n, e in load("routes").items() if e.texts["course"] == "direct"))
def test_farther_takes_longer_on_every_direct_route(name: str) -> None:
    figures = {key: figure.value for key, figure in load("routes")[name].figures.items()}
    shape = [figures[key] for key in ("far_stretch", "near_stretch", "near_scale_m", "detour_m")]
    distance_m = np.linspace(0.0, 2e7, 2_001)
    assert np.all(route.stretch(distance_m, *shape[:3]) >= 1.0)
    assert np.all(np.diff(route.direct_length_m(distance_m, *shape)) > 0.0)


@pytest.mark.parametrize("name", sorted(n for n, e in load("routes").items() if e.texts["course"] == "gateways"))
def test_no_sea_cable_is_shorter_than_the_great_circle_of_its_gateways(name: str) -> None:
    figures = load("routes")[name].figures
    ends = [
        figures[f"{gateway}_{axis}_deg"].value
        for gateway in ("gateway", "other_gateway")
        for axis in ("latitude", "longitude")
    ]
    assert figures["sea_m"].low >= route.great_circle_m(*ends)


def test_gateways_may_stand_in_either_order() -> None:
    assert route.gateway_length_m(3e6, 1e6, 1.5, 5e6, 1e6) == route.gateway_length_m(1e6, 3e6, 1.5, 5e6, 1e6) == 6.5e6


def test_travel_time_is_distance_over_speed() -> None:
    assert route.travel_time_s(9e6, 2e8) == 0.045
    assert route.flight_time_s(1e3) == pytest.approx(4.897e-6, rel=1e-3)


def test_parts_add_up() -> None:
    assert route.router_time_s(10.0, 36e-6, 20e-6) == pytest.approx(0.56e-3)
    assert route.one_way_s(1e6, 1e-3) == pytest.approx(route.flight_time_s(1e6) + 1e-3)
    assert route.router_conversions(10.0) == 20.0
    assert route.router_energy_J(1.0, 10.0, 1e-9) == pytest.approx(8e-8)
