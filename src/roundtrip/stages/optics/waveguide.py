"""What a wave goes through: glass that smears and turns it, filters that cut it, lasers that wander, and noise.

Chromatic dispersion delays each frequency by its own time: a phase ``b2 L w^2 / 2`` over the spectrum, all of it
undone later by the opposite phase. Polarization-mode dispersion is many short pieces of glass, each with two axes that
differ in speed, turned against each other at random. Wavelength switches cut the edges of the band. The lasers of
both ends wander in phase like a drunkard: ``2 pi dv t`` radians squared after a time t. Amplifier noise, and the
nonlinear noise that the Gaussian-noise model gives, are white over the signal: the budget of the line says how much
(`roundtrip.stages.optics.gsnr`), here it is drawn.

References
----------
.. [1] G. P. Agrawal, Fiber-Optic Communication Systems, 4th ed., Wiley 2010, sections 2.3, 2.4 and 4.5,
   doi:10.1002/9780470918524
.. [2] C. D. Poole and J. Nagel, "Polarization effects in lightwave systems", in Optical Fiber Telecommunications IIIA,
   1997: mean delay of many sections, ``sqrt(8 N / 3 pi) t``.
.. [3] C. Henry, "Theory of the linewidth of semiconductor lasers", IEEE J. Quantum Electron. 18, 259, 1982,
   doi:10.1109/JQE.1982.1071522
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1982, "C. Henry, theory of the linewidth of semiconductor lasers")

Complex = NDArray[np.complexfloating[Any, Any]]
Floats = NDArray[np.float64]
SECTIONS = 24  # of glass between turns of the polarization


def dispersion_phase_rad(frequency_offset_Hz: Number, beta2_s2_m: Number, length_m: Number) -> Number:
    """Return the phase that dispersion gives to a frequency, ``b2 L (2 pi f)^2 / 2`` [1]_ [rad].

    Parameters
    ----------
    frequency_offset_Hz : float
        Distance from the carrier [Hz].
    beta2_s2_m : float
        Dispersion of the group velocity, its size [s2/m].
    length_m : float
        Length of the glass [m].
    """
    omega = 2.0 * np.pi * frequency_offset_Hz
    return 0.5 * beta2_s2_m * length_m * omega * omega


def phase_walk_rad2(linewidth_Hz: Number, duration_s: Number) -> Number:
    """Return the variance of a laser's phase after some time, ``2 pi dv t`` [3]_ [rad2]."""
    return 2.0 * np.pi * linewidth_Hz * duration_s


def filter_share(frequency_offset_Hz: Number, bandwidth_Hz: Number, filter_order: Number) -> Number:
    """Return the power that a super-Gaussian filter passes, ``exp(-ln 2 (2 f / B)^(2 m))``: half at its edges."""
    steep = np.minimum(2.0 * filter_order * np.log(np.maximum(2.0 * frequency_offset_Hz / bandwidth_Hz, 1e-9)), 6.0)
    return np.exp(-np.log(2.0) * np.exp(steep))


def section_delay_s(mean_delay_s: Number, sections: Number) -> Number:
    """Return the delay between the axes of each of equal sections, ``t sqrt(3 pi / 8 N)`` [2]_ [s]."""
    return mean_delay_s * np.sqrt(3.0 * np.pi / (8.0 * sections))


def grid_Hz(samples: int, rate_Hz: float) -> Floats:
    """Return the frequencies of a sampled wave's spectrum, in the order of the transform [Hz]."""
    return np.asarray(np.fft.fftfreq(samples, 1.0 / rate_Hz), np.float64)


def disperse(wave: Complex, rate_Hz: float, beta2_s2_m: float, length_m: float) -> Complex:
    """Return a wave after glass of this length; a negative length undoes it.

    Parameters
    ----------
    wave : array of complex, (..., samples)
    rate_Hz : float
        Samples a second.
    beta2_s2_m : float
        With its sign [s2/m].
    length_m : float
    """
    phase = np.asarray(dispersion_phase_rad(grid_Hz(wave.shape[-1], rate_Hz), beta2_s2_m, length_m))
    return np.fft.ifft(np.fft.fft(wave) * np.exp(1j * phase))


def turn(wave: Complex, rate_Hz: float, mean_delay_s: float, stream: np.random.Generator) -> Complex:
    """Return both polarizations after many sections with turned axes.

    Parameters
    ----------
    wave : array of complex, (2, samples)
    rate_Hz : float
    mean_delay_s : float
        Mean difference of arrival of the two axes over the whole way [s].
    stream : Generator
        Of the turns.
    """
    omega = 2.0 * np.pi * grid_Hz(wave.shape[-1], rate_Hz)
    half = 0.5 * float(section_delay_s(mean_delay_s, float(SECTIONS))) * omega
    ahead = np.exp(1j * half)
    late = ahead.conj()
    x, y = np.fft.fft(wave)
    for number in range(SECTIONS + 1):
        (a, b), (c, d) = _rotation(stream)
        x, y = a * x + b * y, c * x + d * y
        if number < SECTIONS:
            x, y = x * ahead, y * late
    return np.fft.ifft(np.stack([x, y]))


def _rotation(stream: np.random.Generator) -> Complex:
    """Return a unitary matrix drawn evenly from all of them, up to a common phase."""
    a = stream.normal(size=4)
    a /= np.sqrt(a @ a)
    one, two = complex(a[0], a[1]), complex(a[2], a[3])
    return np.array([[one, two], [-two.conjugate(), one.conjugate()]])


def wander(wave: Complex, rate_Hz: float, linewidth_Hz: float, stream: np.random.Generator) -> Complex:
    """Return a wave whose phase walks as that of a laser of this linewidth; both polarizations share it."""
    step = np.sqrt(float(phase_walk_rad2(linewidth_Hz, 1.0 / rate_Hz)))
    walk = np.cumsum(stream.normal(0.0, step, wave.shape[-1])) + stream.uniform(0.0, 2.0 * np.pi)
    return wave * np.exp(1j * walk)


def cut(wave: Complex, rate_Hz: float, bandwidth_Hz: float, filter_order: float) -> Complex:
    """Return a wave after the filters of wavelength switches, as one super-Gaussian of their joint width."""
    offset = np.abs(grid_Hz(wave.shape[-1], rate_Hz))
    return np.fft.ifft(np.fft.fft(wave) * np.sqrt(filter_share(offset, bandwidth_Hz, filter_order)))


def add_noise(wave: Complex, rate_Hz: float, density_W_Hz: float, stream: np.random.Generator) -> Complex:
    """Return a wave with white noise of this density in each polarization.

    Parameters
    ----------
    wave : array of complex, (2, samples)
        Square root of power in each polarization [W^0.5].
    rate_Hz : float
        Samples a second: the noise fills the sampled band.
    density_W_Hz : float
        Noise power a hertz in one polarization [W/Hz].
    """
    scale = np.sqrt(0.5 * density_W_Hz * rate_Hz)
    return wave + stream.normal(0.0, scale, wave.shape) + 1j * stream.normal(0.0, scale, wave.shape)
