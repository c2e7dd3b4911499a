"""A touch screen instead of a key: a grid of capacitors that a finger disturbs.

Each crossing of a driven and a sensed line is a capacitor. A pulse on the driven line moves the charge ``C V``; a
finger steals the part ``dC V`` of it. Line after line is pulsed many times, so that noise averages out with the
square root of the pulses. A touch is reported when it has been seen in one reading and stayed for a few more. Then
software finds its center and the key drawn under it.

References
----------
.. [1] G. Walker, "A review of technologies for sensing contact location on the surface of a display", J. SID 20(8),
   2012, doi:10.1002/jsid.100.
.. [2] Microchip, "CVD mutual sensing", onlinedocs.microchip.com: a pulse on one line, charge on the other.
.. [3] DevicePulse, "Touch sampling rate", 2025: 120 to 480 readings a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2007, "Apple iPhone: a projected-capacitive screen for many fingers, US patent 7,663,607")


def report_delay_s(sense_period_s: Number, scan_phase: Number, filter_frames: Number) -> Number:
    """Return the time from the touch of the glass to its report, ``(u + f) T`` [s].

    Parameters
    ----------
    sense_period_s : float
        Time between two readings of the whole sensor [s].
    scan_phase : float
        Where the touch falls between two readings of its line.
    filter_frames : float
        Further readings for which it must stay.
    """
    return (scan_phase + filter_frames) * sense_period_s


def frame_time_s(drive_lines: Number, drive_cycles: Number, drive_frequency_Hz: Number) -> Number:
    """Return the time of one reading of the whole sensor: lines times pulses over their frequency [s].

    Parameters
    ----------
    drive_lines : float
        Lines that are driven one after the other.
    drive_cycles : float
        Pulses on each.
    drive_frequency_Hz : float
        Frequency of the pulses [Hz].
    """
    return drive_lines * drive_cycles / drive_frequency_Hz


def signal_electrons(
    capacitance_change_F: Number,
    voltage_V: Number,
    drive_cycles: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the electrons that a finger takes from one crossing during one reading, ``n dC V / e``.

    Parameters
    ----------
    capacitance_change_F : float
        Capacitance that the finger takes away [F].
    voltage_V : float
        Voltage of the pulses [V].
    drive_cycles : float
        Pulses of one reading.
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return drive_cycles * capacitance_change_F * voltage_V / elementary_charge_C


def signal_to_noise(
    capacitance_change_F: Number,
    voltage_V: Number,
    drive_cycles: Number,
    noise_electrons: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the signal over the noise of one reading: independent noise of each pulse averages, so it grows with
    ``sqrt(n)``.

    Parameters
    ----------
    capacitance_change_F : float
        Capacitance that the finger takes away [F].
    voltage_V : float
        Voltage of the pulses [V].
    drive_cycles : float
        Pulses of one reading.
    noise_electrons : float
        Noise of one pulse in electrons.
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return capacitance_change_F * voltage_V / elementary_charge_C / noise_electrons * np.sqrt(drive_cycles)


def reading_energy_J(controller_power_W: Number, sense_period_s: Number, filter_frames: Number) -> Number:
    """Return the energy of the readings that a touch asks for beyond the one that found it [J].

    Parameters
    ----------
    controller_power_W : float
        Power of the touch controller while it reads [W].
    sense_period_s : float
        Time of a reading [s].
    filter_frames : float
        Readings for which the touch must stay.
    """
    return controller_power_W * sense_period_s * (1.0 + filter_frames)


def center(deltas: Sequence[Sequence[float]], threshold: float) -> tuple[float, float] | None:
    """Return the center of a touch in lines (row, column): the mean of what exceeds the threshold, weighted; None
    without a touch.
    """
    total = row_sum = column_sum = 0.0
    for row, line in enumerate(deltas):
        for column, delta in enumerate(line):
            if delta > threshold:
                total += delta
                row_sum += delta * row
                column_sum += delta * column
    return (row_sum / total, column_sum / total) if total else None


def key_at(point: tuple[float, float], keys: Mapping[str, tuple[float, float]]) -> str:
    """Return the key whose middle is nearest: a touch between two keys has to mean one of them."""
    return min(keys, key=lambda name: (keys[name][0] - point[0]) ** 2 + (keys[name][1] - point[1]) ** 2)
