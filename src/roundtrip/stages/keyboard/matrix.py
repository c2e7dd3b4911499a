"""The key matrix: keys at the crossings of rows and columns, looked at one column after the other.

A pull-up resistor holds every row high. The controller drives one column low and reads the rows: where a held key
joins the two, the row is low and current flows, ``I = V / R``. Between two looks at the same column a full scan
passes, so a press that falls at a random moment waits a uniform share of the scan period. Without a diode at each key
current also flows backward through held keys, and three corners of a rectangle show a fourth.

References
----------
.. [1] Microchip, ATmega16U4/ATmega32U4 datasheet, table of DC characteristics: I/O pull-up 20 to 50 kohm.
.. [2] QMK firmware, quantum/matrix.c: drive a line, wait 30 us, read; https://github.com/qmk/qmk_firmware/pull/8587:
   scan rates.
.. [3] D. Luu, "Computer latency: 1977-2017", https://danluu.com/input-lag/: keyboards scan 100 to 200 times a second,
   the Apple 2e 556.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1981, "IBM Personal Computer keyboard (Model F): an Intel 8048 scans the matrix")

Position = tuple[int, int]


def scan_wait_s(scan_period_s: Number, scan_phase: Number) -> Number:
    """Return the wait of a press until its column is looked at, ``u T`` [s].

    Parameters
    ----------
    scan_period_s : float
        Time between two scans [s].
    scan_phase : float
        Where the press falls between two scans: 0 just before one, 1 just after.
    """
    return scan_period_s * scan_phase


def scan_time_s(key_columns: Number, select_delay_s: Number, firmware_loop_s: Number) -> Number:
    """Return the time of one full scan: every column driven and read, and the rest of the firmware's loop [s].

    Parameters
    ----------
    key_columns : float
        Columns of the matrix.
    select_delay_s : float
        Time for which one column is driven and read [s].
    firmware_loop_s : float
        Time of everything else in one turn of the loop [s].
    """
    return key_columns * select_delay_s + firmware_loop_s


def scan_duty(select_delay_s: Number, scan_period_s: Number) -> Number:
    """Return the share of the time in which one column is driven, and so in which a held key draws current.

    Parameters
    ----------
    select_delay_s : float
        Time for which one column is driven and read [s].
    scan_period_s : float
        Time between two scans [s].
    """
    return np.minimum(select_delay_s / scan_period_s, 1.0)


def recovery_time_s(pull_up_ohm: Number, line_capacitance_F: Number, threshold_share: Number) -> Number:
    """Return the time for a released row to rise to the threshold through its pull-up, ``-R C ln(1 - s)`` [s].

    A controller that moves on sooner reads the row as still pressed; this is why scans cannot be made arbitrarily fast.

    Parameters
    ----------
    pull_up_ohm : float
        Pull-up resistor [ohm].
    line_capacitance_F : float
        Capacitance of the row wire [F].
    threshold_share : float
        Share of the supply voltage at which the input reads high.
    """
    return -pull_up_ohm * line_capacitance_F * np.log1p(-threshold_share)


def pull_up_current_A(voltage_V: Number, pull_up_ohm: Number) -> Number:
    """Return the current through the pull-up of a row that is held low, ``V / R`` [A].

    Parameters
    ----------
    voltage_V : float
        Supply voltage [V].
    pull_up_ohm : float
        Pull-up resistor [ohm].
    """
    return voltage_V / pull_up_ohm


def pull_up_electrons(
    voltage_V: Number,
    pull_up_ohm: Number,
    hold_time_s: Number,
    scan_duty: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the electrons through the pull-up while a key is held, ``V d t / (R e)``.

    Parameters
    ----------
    voltage_V : float
        Supply voltage [V].
    pull_up_ohm : float
        Pull-up resistor [ohm].
    hold_time_s : float
        Time for which the key is held, or watched [s].
    scan_duty : float
        Share of that time in which the key's column is driven.
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return voltage_V / pull_up_ohm * hold_time_s * scan_duty / elementary_charge_C


def pull_up_energy_J(voltage_V: Number, pull_up_ohm: Number, hold_time_s: Number, scan_duty: Number) -> Number:
    """Return the energy lost in the pull-up while a key is held, ``V^2 d t / R`` [J].

    Parameters
    ----------
    voltage_V : float
        Supply voltage [V].
    pull_up_ohm : float
        Pull-up resistor [ohm].
    hold_time_s : float
        Time for which the key is held [s].
    scan_duty : float
        Share of that time in which the key's column is driven.
    """
    return voltage_V * voltage_V / pull_up_ohm * hold_time_s * scan_duty


def direct_wires(board_keys: Number) -> Number:
    """Return the wires of a keyboard with one wire for each key and a common return.

    Parameters
    ----------
    board_keys : float
        Keys of the keyboard.
    """
    return board_keys + 1.0


def matrix_wires(key_rows: Number, key_columns: Number) -> Number:
    """Return the wires of a matrix: one for each row and each column.

    Parameters
    ----------
    key_rows, key_columns : float
        Rows and columns of the matrix.
    """
    return key_rows + key_columns


def read_matrix(held: Iterable[Position], diodes: bool) -> frozenset[Position]:
    """Return the crossings that read as pressed, given the keys that are held, as (row, column).

    With a diode at each key current flows only from its row to its column. Without, it flows both ways through
    every held key: a row reads low if any path of held keys joins it to the driven column.
    """
    keys = frozenset(held)
    if diodes:
        return keys
    columns = {column for _, column in keys}
    return frozenset((row, column) for column in columns for row in _rows_pulled_low(keys, column))


def ghosts(held: Iterable[Position], diodes: bool = False) -> frozenset[Position]:
    """Return the crossings that read as pressed although nobody holds them."""
    keys = frozenset(held)
    return read_matrix(keys, diodes) - keys


def ambiguous(read: Iterable[Position]) -> bool:
    """Say whether a reading may hold a ghost: two rows that share two columns. Cheap boards then report nothing new."""
    columns: dict[int, set[int]] = {}
    for row, column in read:
        columns.setdefault(row, set()).add(column)
    rows = list(columns.values())
    return any(len(rows[i] & rows[j]) > 1 for i in range(len(rows)) for j in range(i))


def ghost_chance(key_rows: int, key_columns: int, held_keys: int) -> float:
    """Return the chance that keys held at random show a ghost on a matrix without diodes, exactly.

    A reading is free of ghosts if every group of joined keys fills its rectangle of rows and columns.
    """
    return 1.0 - _layouts(key_rows, key_columns, held_keys, True) / math.comb(key_rows * key_columns, held_keys)


def blocked_chance(key_rows: int, key_columns: int, held_keys: int) -> float:
    """Return the chance that keys held at random read as `ambiguous`: what a board that is wary of ghosts holds back.

    A reading is safe if every group of joined keys lies in one row or in one column.
    """
    return 1.0 - _layouts(key_rows, key_columns, held_keys, False) / math.comb(key_rows * key_columns, held_keys)


@cache
def _layouts(rows: int, columns: int, keys: int, blocks: bool) -> int:
    """Count the ways to hold keys in separate full rectangles; without `blocks`, only lines.

    The first row is empty, or it has one rectangle with `high - 1` of the rows below and `wide` of the columns.
    """
    if keys == 0:
        return 1
    if rows == 0 or columns == 0:
        return 0
    count = _layouts(rows - 1, columns, keys, blocks)
    for high in range(1, min(rows, keys) + 1):
        for wide in range(1, min(columns, keys // high) + 1):
            if blocks or high == 1 or wide == 1:
                ways = math.comb(rows - 1, high - 1) * math.comb(columns, wide)
                count += ways * _layouts(rows - high, columns - wide, keys - high * wide, blocks)
    return count


def _rows_pulled_low(keys: frozenset[Position], column: int) -> set[int]:
    low_columns, low_rows = {column}, set[int]()
    while True:
        rows = {row for row, c in keys if c in low_columns}
        columns = {c for row, c in keys if row in rows} | low_columns
        if rows == low_rows and columns == low_columns:
            return rows
        low_rows, low_columns = rows, columns
