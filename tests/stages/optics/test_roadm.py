"""Wavelength switches and mirrors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import roadm


@given(st.floats(1e3, 2e7), st.floats(1e4, 1e6))
def test_every_line_has_two_ends(length_m: float, node_spacing_m: float) -> None:
    nodes = roadm.node_count(length_m, node_spacing_m)
    assert nodes >= 2.0
    assert length_m / (nodes - 1.0) <= node_spacing_m * (1.0 + 1e-12)


def test_finer_ramps_steer_farther_and_the_grating_equation_holds() -> None:
    pixels = np.array([4.0, 8.0, 16.0, 32.0])
    angle = roadm.steering_angle_deg(1.55e-6, 8e-6, pixels)
    assert np.all(np.diff(angle) < 0.0)
    assert np.allclose(np.sin(np.radians(angle)) * pixels * 8e-6, 1.55e-6)


def test_a_mirror_turns_light_by_twice_its_tilt() -> None:
    assert np.isclose(roadm.beam_shift_m(5.0, 0.1), 0.1 * np.tan(np.radians(10.0)))


def test_a_ringing_mirror_has_settled_to_the_tolerance() -> None:
    frequency, quality, tolerance = 1_000.0, 8.0, 0.01
    time_s = roadm.mirror_settling_s(frequency, quality, tolerance)
    # Amplitude of a damped oscillator: exp(-pi f t / Q).
    assert np.isclose(np.exp(-np.pi * frequency * time_s / quality), tolerance)


def test_half_the_gap_is_four_times_faster() -> None:
    slow = roadm.crystal_relaxation_s(0.15, 8e-6, 1.2e-11)
    assert np.isclose(slow, 4.0 * roadm.crystal_relaxation_s(0.15, 4e-6, 1.2e-11))


@given(st.floats(1.0, 30.0), st.floats(1.0, 5.0))
def test_cascade_equals_the_product_of_filters(nodes: float, order: float) -> None:
    width = 5e10
    edge = 0.5 * roadm.narrowed_bandwidth_Hz(width, nodes, order)
    transmission = np.exp(-np.log(2.0) * (2.0 * edge / width) ** (2.0 * order)) ** nodes
    assert np.isclose(transmission, 0.5)


def test_a_packet_meets_glass_only_but_a_circuit_waits() -> None:
    assert roadm.transit_s(6.0, 10.0, 1.468) < 1e-6
    assert np.isclose(roadm.bits_in_the_dark(1e-2, 4e11), 4e9)
    assert np.isclose(roadm.passing_loss_dB(4.0, 6.0), 24.0)


def test_a_full_fiber_pays_for_all_nodes() -> None:
    second_B = 1e12 * 0.3 / 8.0
    assert np.isclose(2.0 * roadm.nodes_energy_share_J(6.0, 60.0, second_B, 1e12, 0.3), 360.0)
