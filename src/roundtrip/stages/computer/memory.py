"""The key event in DRAM: charge on capacitors that leaks, is destroyed when read, and is written back.

A bit is a capacitor behind a switch. It holds ``C V / e`` electrons. To read it, the switch joins it to a bitline
precharged to half the voltage; the line moves by ``V/2 * Cs / (Cs + Cb)``, the sense amplifier decides and drives the
full voltage back. Charge leaks all the while, so every row is read and written back within 64 ms, 32 ms when hot.
What flips nevertheless is put right by eight more bits on each sixty-four.

References
----------
.. [1] R. H. Dennard, US patent 3,387,286, 1968: one transistor and one capacitor.
.. [2] NPTEL, "Basics of the DRAM cell", equation 29.3: charge sharing.
.. [3] D. C. Giancoli, Physics: Principles with Applications, 7th edition: 35 fF at 1.5 V, leaking 0.30 fC/s.
.. [4] Micron, MT40A256M16 datasheet, table 159: tREFI 7.8 us up to 85 C, 3.9 us up to 95 C; tRFC 260 to 550 ns.
.. [5] B. Schroeder, E. Pinheiro, W.-D. Weber, "DRAM errors in the wild", 2009, doi:10.1145/1555349.1555372.
.. [6] R. W. Hamming, "Error detecting and error correcting codes", 1950, doi:10.1002/j.1538-7305.1950.tb00463.x.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1968, "R. H. Dennard, field-effect transistor memory, US patent 3,387,286")


def cell_electrons(
    cell_capacitance_F: Number, cell_voltage_V: Number, elementary_charge_C: Number = 1.602176634e-19
) -> Number:
    """Return the electrons by which a charged cell differs from an empty one, ``C V / e``.

    Parameters
    ----------
    cell_capacitance_F : float
        Capacitance of the cell [F].
    cell_voltage_V : float
        Voltage of a charged cell [V].
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return cell_capacitance_F * cell_voltage_V / elementary_charge_C


def stored_electrons(
    size_B: Number,
    ones_share: Number,
    cell_capacitance_F: Number,
    cell_voltage_V: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the electrons that hold a piece of data: its one bits times those of a cell.

    Parameters
    ----------
    size_B : float
        Bytes of the data [B].
    ones_share : float
        Share of its bits that are one.
    cell_capacitance_F : float
        Capacitance of a cell [F].
    cell_voltage_V : float
        Voltage of a charged cell [V].
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return 8.0 * size_B * ones_share * cell_capacitance_F * cell_voltage_V / elementary_charge_C


def bitline_swing_V(cell_capacitance_F: Number, bitline_capacitance_F: Number, cell_voltage_V: Number) -> Number:
    """Return by how much a read moves the bitline from half the voltage, ``V/2 * Cs / (Cs + Cb)`` [V] [2]_.

    Parameters
    ----------
    cell_capacitance_F, bitline_capacitance_F : float
        Capacitances of the cell and of the line that it is read through [F].
    cell_voltage_V : float
        Voltage of a charged cell [V].
    """
    return 0.5 * cell_voltage_V * cell_capacitance_F / (cell_capacitance_F + bitline_capacitance_F)


def row_cycle_s(restore_s: Number, precharge_s: Number) -> Number:
    """Return the time of one row from its opening to the next: read, written back, bitlines ready (tRC = tRAS +
    tRP) [s].

    Parameters
    ----------
    restore_s : float
        Time for which the row stays open for its charge to be written back (tRAS) [s].
    precharge_s : float
        Time to prepare the bitlines (tRP) [s].
    """
    return restore_s + precharge_s


def access_time_s(memory_accesses: Number, restore_s: Number, precharge_s: Number) -> Number:
    """Return the time of a number of row accesses, one after the other [s].

    Parameters
    ----------
    memory_accesses : float
        Rows opened.
    restore_s, precharge_s : float
        tRAS and tRP [s].
    """
    return memory_accesses * (restore_s + precharge_s)


def access_energy_J(size_B: Number, energy_per_bit_J: Number) -> Number:
    """Return the energy to move data between the cells and the processor [J].

    Parameters
    ----------
    size_B : float
        Bytes moved [B].
    energy_per_bit_J : float
        Energy for one bit [J].
    """
    return 8.0 * size_B * energy_per_bit_J


def refresh_rate_Hz(refresh_interval_s: Number) -> Number:
    """Return how often a second each cell is refreshed [Hz].

    Parameters
    ----------
    refresh_interval_s : float
        Time within which every cell is refreshed [s].
    """
    return 1.0 / refresh_interval_s


def refresh_share(refresh_command_s: Number, refresh_gap_s: Number) -> Number:
    """Return the share of the time in which a chip is busy with refresh, ``tRFC / tREFI``.

    Parameters
    ----------
    refresh_command_s : float
        Time for which a refresh command blocks the chip (tRFC) [s].
    refresh_gap_s : float
        Time between two refresh commands (tREFI) [s].
    """
    return np.minimum(refresh_command_s / refresh_gap_s, 1.0)


def decay_time_s(cell_capacitance_F: Number, cell_voltage_V: Number, leakage_A: Number, lost_share: Number) -> Number:
    """Return the time until a leaking cell has lost a share of its charge, ``s C V / I``: the leak is a steady
    current [s] [3]_.

    Parameters
    ----------
    cell_capacitance_F : float
        Capacitance of the cell [F].
    cell_voltage_V : float
        Voltage of a charged cell [V].
    leakage_A : float
        Current that leaks [A].
    lost_share : float
        Share of the charge that may be lost.
    """
    return lost_share * cell_capacitance_F * cell_voltage_V / leakage_A


def expected_errors(soft_errors_per_Mbit: Number, size_B: Number, duration_s: Number) -> Number:
    """Return the memory errors to expect, from a rate for each megabit (2^20 bit) in 1e9 hours [5]_.

    Parameters
    ----------
    soft_errors_per_Mbit : float
        Errors for each megabit in 1e9 hours.
    size_B : float
        Bytes that are watched [B].
    duration_s : float
        For how long [s].
    """
    return soft_errors_per_Mbit * (8.0 * size_B / 1_048_576.0) * (duration_s / 3.6e12)


# The check bits of SECDED(72,64) stand at the powers of two (1 to 64) of a word counted from 1; bit 0 makes the
# whole even [6]_.
_CHECKS = tuple(1 << i for i in range(7))
_DATA = tuple(place for place in range(1, 72) if place not in _CHECKS)


def encode(data: int) -> int:
    """Return 64 bits as a word of 72, from which one flipped bit can be put right and two are noticed."""
    word = sum((data >> i & 1) << place for i, place in enumerate(_DATA))
    word |= sum(((_syndrome(word) >> i) & 1) << check for i, check in enumerate(_CHECKS))
    return word | (word.bit_count() & 1)


def decode(word: int) -> tuple[int, str]:
    """Return the 64 bits of such a word and ``clean``, ``corrected`` or ``uncorrectable``."""
    syndrome, odd = _syndrome(word), word.bit_count() & 1
    state = "clean"
    if odd and syndrome < 72:
        word ^= 1 << syndrome
        state = "corrected"
    elif odd or syndrome:
        state = "uncorrectable"
    return sum((word >> place & 1) << i for i, place in enumerate(_DATA)), state


def _syndrome(word: int) -> int:
    """Return the exclusive or of the places of all set bits: zero for a sound word, else the place of a single
    flipped bit.
    """
    place = 0
    for i in range(1, 72):
        if word >> i & 1:
            place ^= i
    return place
