"""The laser and the photodiode: bits become photons, photons become bits.

Electrons fall across a band gap and leave its energy as light, so the material sets the color: ``lambda = h c / E_g``.
The standard wavelengths of glass (`BANDS`) are where fiber is clear and lasers, amplifiers and detectors exist: 850 nm
for multimode fiber over meters, the O band around 1310 nm, where standard fiber hardly disperses, for kilometers, and
the C band around 1550 nm, where it is clearest and erbium amplifies, for the long haul; the L band doubles it.

A bit is carried by ``P / (h f R)`` photons: thousands to hundreds of thousands at launch. An ideal receiver would need
ten. Short links send four levels of amplitude (PAM4) and count on error correction; long links use phase
(`roundtrip.stages.optics.coherent`).

References
----------
.. [1] R. N. Hall et al., "Coherent light emission from GaAs junctions", Phys. Rev. Lett. 9, 366, 1962,
   doi:10.1103/PhysRevLett.9.366
.. [2] R. E. Nahory et al., "Band gap versus composition and demonstration of Vegard's law for InGaAsP lattice matched
   to InP", Appl. Phys. Lett. 33, 659, 1978, doi:10.1063/1.90455: E = 1.35 - 0.72 y + 0.12 y^2.
.. [3] G. P. Agrawal, Fiber-Optic Communication Systems, 4th edition, Wiley 2010, chapter 4: shot noise,
   responsivity, quantum limit; doi:10.1002/9780470918524
.. [4] ITU-T Series G Supplement 39, "Optical system design and engineering considerations": the spectral bands.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import erfc

SINCE = (1962, "R. N. Hall et al., coherent light emission from GaAs junctions, Phys. Rev. Lett. 9, 366")

# Name, shortest and longest wavelength in meters: the multimode window and the bands of single-mode fiber [4]_.
BANDS: tuple[tuple[str, float, float], ...] = (
    ("850 nm", 0.840e-6, 0.860e-6),
    ("O", 1.260e-6, 1.360e-6),
    ("E", 1.360e-6, 1.460e-6),
    ("S", 1.460e-6, 1.530e-6),
    ("C", 1.530e-6, 1.565e-6),
    ("L", 1.565e-6, 1.625e-6),
    ("U", 1.625e-6, 1.675e-6),
)


def band_of(meters: float) -> str:
    """Return the name of the band that holds a wavelength, or an empty text between the bands."""
    for name, shortest, longest in BANDS:
        if shortest <= meters < longest:
            return name
    return ""


def photon_energy_J(
    wavelength_m: Number, planck_constant_J_s: Number = 6.62607015e-34, speed_of_light_m_s: Number = 299_792_458.0
) -> Number:
    """Return the energy of one photon, ``h c / lambda`` [J]."""
    return planck_constant_J_s * speed_of_light_m_s / wavelength_m


def emission_wavelength_m(
    bandgap_eV: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the wavelength that a band gap emits, ``h c / E_g`` [m]."""
    return planck_constant_J_s * speed_of_light_m_s / (bandgap_eV * elementary_charge_C)


def quaternary_bandgap_eV(arsenic_fraction: Number) -> Number:
    """Return the band gap of InGaAsP lattice-matched to InP, the stuff of telecom lasers, at 298 K [2]_ [eV].

    Parameters
    ----------
    arsenic_fraction : float
        y in In(1-x)Ga(x)As(y)P(1-y): 0 is InP (0.92 um), 1 is InGaAs (1.65 um).
    """
    return 1.35 - 0.72 * arsenic_fraction + 0.12 * arsenic_fraction * arsenic_fraction


def level_dBm(optical_power_W: Number) -> Number:
    """Return a power as a level over a milliwatt [dBm]."""
    return 10.0 * np.log10(optical_power_W / 1e-3)


def power_of_level_W(level_dBm: Number) -> Number:
    """Return the power of a level [W]."""
    return 1e-3 * 10.0 ** (level_dBm / 10.0)


def photons_per_bit(
    optical_power_W: Number,
    wavelength_m: Number,
    rate_bit_s: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return how many photons carry one bit, ``P lambda / (h c R)``.

    Parameters
    ----------
    optical_power_W : float
        Mean power of the light at launch or at the receiver [W].
    wavelength_m : float
        Wavelength in vacuum [m].
    rate_bit_s : float
        Payload bits a second on that light [bit/s].
    """
    return optical_power_W * wavelength_m / (planck_constant_J_s * speed_of_light_m_s) / rate_bit_s


def responsivity_A_W(
    quantum_efficiency: Number,
    wavelength_m: Number,
    elementary_charge_C: Number = 1.602176634e-19,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the photocurrent for each watt, ``eta e lambda / (h c)`` [3]_ [A/W]."""
    return quantum_efficiency * elementary_charge_C * wavelength_m / (planck_constant_J_s * speed_of_light_m_s)


def shot_noise_A(current_A: Number, bandwidth_Hz: Number, elementary_charge_C: Number = 1.602176634e-19) -> Number:
    """Return the root-mean-square shot noise of a photocurrent, ``sqrt(2 e I B)`` [3]_ [A]."""
    return np.sqrt(2.0 * elementary_charge_C * current_A * bandwidth_Hz)


def thermal_noise_A(
    temperature_K: Number,
    resistance_ohm: Number,
    bandwidth_Hz: Number,
    boltzmann_constant_J_K: Number = 1.380649e-23,
) -> Number:
    """Return the root-mean-square thermal noise of the receiver's resistor, ``sqrt(4 k T B / R)`` [3]_ [A]."""
    return np.sqrt(4.0 * boltzmann_constant_J_K * temperature_K * bandwidth_Hz / resistance_ohm)


def quantum_limit_photons(bit_error_ratio: Number) -> Number:
    """Return the mean photons a bit that an ideal counter of on-off light needs, ``-ln(2 p) / 2`` [3]_.

    A one of 2 N photons is taken for a zero when none arrives, with the Poisson chance ``exp(-2 N)``.
    """
    return -0.5 * np.log(2.0 * bit_error_ratio)


def pam_bit_error_ratio(snr_dB: Number, levels: Number = 4.0) -> Number:
    """Return the bit error ratio of Gray-coded amplitude levels: nearest neighbors only.

    ``2 (1 - 1/M) / log2 M  Q( sqrt(3 SNR / (M^2 - 1)) )``, J. G. Proakis, Digital Communications, chapter 5.

    Parameters
    ----------
    snr_dB : float
        Mean signal power over noise power, per symbol [dB].
    levels : float
        Levels M: 2 for NRZ, 4 for PAM4.
    """
    argument = np.sqrt(3.0 * 10.0 ** (snr_dB / 10.0) / (levels * levels - 1.0))
    return (1.0 - 1.0 / levels) / np.log2(levels) * erfc(argument / np.sqrt(2.0))


def energy_share_J(
    power_W: Number, size_B: Number, rate_bit_s: Number, fill: Number, directions: Number = 2.0
) -> Number:
    """Return a message's share of a device that always draws its full power [J].

    ``P / n_d * 8 S / (R u)``: the power of one direction, for the time that the device works for these bits, were it
    never idle between them. What it draws for empty capacity is carried by the bits that do travel.

    Parameters
    ----------
    power_W : float
        Power of the device [W].
    size_B : float
        Bytes of the message [B].
    rate_bit_s : float
        Capacity of the device in one direction [bit/s].
    fill : float
        Share of the capacity that carries traffic on average.
    directions : float
        Directions that share the power.
    """
    return power_W / directions * 8.0 * size_B / (rate_bit_s * fill)
