"""What glass, filters, lasers and amplifiers do to a wave."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.optics import fiber, waveguide

RATE_HZ = 64e9


def wave(samples: int, seed: int = 1) -> np.ndarray:
    stream = np.random.default_rng(seed)
    return stream.normal(size=(2, samples)) + 1j * stream.normal(size=(2, samples))


def test_dispersion_is_undone_by_its_opposite_and_adds_up_over_length() -> None:
    sent = wave(4_096)
    beta2 = -float(fiber.beta2_s2_m(16.7, 1550e-9))
    far = waveguide.disperse(sent, RATE_HZ, beta2, 800e3)
    assert np.abs(far - sent).max() > 1.0
    assert waveguide.disperse(far, RATE_HZ, beta2, -800e3) == pytest.approx(sent, abs=1e-9)
    twice = waveguide.disperse(waveguide.disperse(sent, RATE_HZ, beta2, 300e3), RATE_HZ, beta2, 500e3)
    assert twice == pytest.approx(far, abs=1e-9)


def test_agrawal_section_3_2_a_gauss_pulse_widens_by_its_formula() -> None:
    """G. P. Agrawal, Nonlinear Fiber Optics, eq. 3.2.10: T1 = T0 sqrt(1 + (z / L_D)^2)."""
    rate, width, beta2 = 1e12, 20e-12, -21.3e-27
    time = (np.arange(8_192) - 4_096) / rate
    sent = np.exp(-0.5 * (time / width) ** 2) + 0j
    length = 3.0 * width**2 / abs(beta2)
    power = np.abs(waveguide.disperse(sent, rate, beta2, length)) ** 2
    got = np.sqrt(2.0 * np.sum(power * time**2) / np.sum(power))
    assert got == pytest.approx(width * np.sqrt(10.0), rel=1e-4)


def test_turns_keep_the_power_and_delay_by_the_stated_mean() -> None:
    sent = wave(2_048)
    got = waveguide.turn(sent, RATE_HZ, 2e-12, np.random.default_rng(5))
    assert np.sum(np.abs(got) ** 2) == pytest.approx(np.sum(np.abs(sent) ** 2))
    assert np.abs(got - sent).max() > 0.1


def test_poole_nagel_the_mean_delay_of_many_fibers_is_the_stated_one() -> None:
    """The delay is the split of the eigenvalues of dM/dw M^-1: its mean over fibers is what was asked for."""
    delays = []
    step = 1e6
    for seed in range(300):
        columns = []
        for axis in range(2):
            tones = np.zeros((2, 3), np.complex128)
            tones[axis] = 1.0
            # Three samples at three frequencies: the transform of a tone in each.
            out = np.fft.fft(waveguide.turn(np.fft.ifft(tones), 3.0 * step, 1e-12, np.random.default_rng(seed)))
            columns.append(out)
        matrix = np.array(columns)  # (input axis, output axis, frequency)
        low, high = matrix[:, :, 0].T, matrix[:, :, 1].T
        change = (high - low) / (2.0 * np.pi * step) @ np.linalg.inv(low)
        values = np.linalg.eigvals(change)
        delays.append(abs(values[0].imag - values[1].imag))
    assert np.mean(delays) == pytest.approx(1e-12, rel=0.08)


def test_a_laser_walks_as_far_as_its_linewidth_says() -> None:
    sent = np.ones((2, 200_000), np.complex128)
    got = waveguide.wander(sent, RATE_HZ, 1e6, np.random.default_rng(7))
    phase = np.unwrap(np.angle(got[0]))
    steps = np.diff(phase[::1000])
    assert np.var(steps) == pytest.approx(float(waveguide.phase_walk_rad2(1e6, 1000 / RATE_HZ)), rel=0.25)
    assert got[0] == pytest.approx(got[1])


def test_a_filter_halves_the_power_at_its_edges_and_passes_the_middle() -> None:
    assert waveguide.filter_share(0.0, 50e9, 4.0) == pytest.approx(1.0)
    assert waveguide.filter_share(25e9, 50e9, 4.0) == pytest.approx(0.5)
    assert waveguide.filter_share(50e9, 50e9, 4.0) < 1e-60
    sent = wave(4_096)
    assert np.sum(np.abs(waveguide.cut(sent, RATE_HZ, 30e9, 4.0)) ** 2) < np.sum(np.abs(sent) ** 2)


def test_noise_has_the_stated_density() -> None:
    quiet = np.zeros((2, 100_000), np.complex128)
    got = waveguide.add_noise(quiet, RATE_HZ, 1e-18, np.random.default_rng(9))
    assert np.mean(np.abs(got) ** 2, axis=1) == pytest.approx(np.full(2, 1e-18 * RATE_HZ), rel=0.03)
