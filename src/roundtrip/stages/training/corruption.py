"""Silent corruption: an adder gives a wrong sum, nothing reports it, and the model learns from it.

Error-correcting memory guards bits from the moment they are written. A bit that flips inside an arithmetic unit is
written *with* a matching check word: memory finds nothing wrong. What does find it is arithmetic about arithmetic
(ABFT): for C = A B the column sums of C must equal the column sums of A times B, up to rounding [1]_. The check costs
``1/m + 1/2n + 1/2k`` of the product.

This page holds both codes as logic, and the rates: Meta's 54-day log names 6 silent corruptions on 16,384 accelerators
[3]_, one in 3.5 million accelerator hours; Google writes of one in a week or two on its training fleet [4]_. What is
not noticed is not in a log: these are lower bounds.

References
----------
.. [1] K.-H. Huang and J. A. Abraham, "Algorithm-based fault tolerance for matrix operations", IEEE Trans. Computers
   C-33(6), 518-528, 1984, doi:10.1109/TC.1984.1676475
.. [2] M. Y. Hsiao, "A class of optimal minimum odd-weight-column SEC-DED codes", IBM J. Research and Development
   14(4), 395-401, 1970, doi:10.1147/rd.144.0395
.. [3] A. Grattafiori et al., "The Llama 3 herd of models", 2024, table 5, https://arxiv.org/abs/2407.21783
.. [4] Gemini Team, "Gemini: a family of highly capable multimodal models", 2023, section 3,
   https://arxiv.org/abs/2312.11805
.. [5] H. D. Dixit et al., "Silent data corruptions at scale", 2021, https://arxiv.org/abs/2102.11245
.. [6] N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, section 2.8 and chapter 3
"""

from __future__ import annotations

import struct
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1984, "K.-H. Huang and J. A. Abraham, Algorithm-based fault tolerance for matrix operations")

Matrix = NDArray[np.float64]


def rate_of_events(interruptions: Number, accelerators: Number, duration_s: Number) -> Number:
    """Return the rate of one accelerator, from the events that n of them saw in a time [1/s]."""
    return interruptions / (accelerators * np.maximum(duration_s, 1.0))


def expected_corruptions(corruption_rate: Number, accelerators: Number, duration_s: Number) -> Number:
    """Return the expected silent corruptions of a run, ``lambda n t``."""
    return corruption_rate * accelerators * duration_s


def corrupted_chance(corruption_rate: Number, accelerators: Number, duration_s: Number) -> Number:
    """Return the chance of at least one silent corruption, ``1 - exp(-lambda n t)``."""
    return -np.expm1(-(corruption_rate * accelerators * duration_s))


def time_between_s(corruption_rate: Number, accelerators: Number) -> Number:
    """Return the mean time between silent corruptions of a cluster [s]."""
    return 1.0 / (corruption_rate * accelerators)


def rollback_loss_s(detection_s: Number, interval_s: Number, restart_s: Number) -> Number:
    """Return the time that one corruption costs: back to the last checkpoint before it, and a restart [s].

    Checkpoints written between the corruption and its discovery are wrong too; half an interval is lost on top.
    """
    return detection_s + interval_s / 2.0 + restart_s


def checksum_overhead(matrix_rows: Number, matrix_columns: Number, inner_length: Number) -> Number:
    """Return the work of the column check over the work of the product.

    ``e A`` takes m k additions, ``(e A) B`` 2 k n, ``e C`` m n, against 2 m n k of the product [1]_.
    """
    return 1.0 / (2.0 * matrix_columns) + 1.0 / matrix_rows + 1.0 / (2.0 * inner_length)


def rounding_of_check(machine_epsilon: Number, matrix_rows: Number, inner_length: Number) -> Number:
    """Return the relative difference that honest rounding leaves in the check: errors add like a random walk [6]_.

    ``eps sqrt(m k)`` for m sums of k terms; what differs by much more is corruption.
    """
    return machine_epsilon * np.sqrt(matrix_rows * inner_length)


def flip_bit(value: float, bit: int) -> float:
    """Return a 64-bit number with one bit flipped: 0 to 51 are the mantissa, 52 to 62 the exponent, 63 the sign."""
    (word,) = struct.unpack("<Q", struct.pack("<d", value))
    (flipped,) = struct.unpack("<d", struct.pack("<Q", word ^ (1 << bit)))
    return flipped


def _hsiao_columns() -> tuple[int, ...]:
    """Return 64 distinct check columns of odd weight: all 56 of weight three, then eight of weight five."""
    columns = [sum(1 << b for b in bits) for weight in (3, 5) for bits in combinations(range(8), weight)]
    return tuple(columns[:64])


_COLUMNS = _hsiao_columns()


def check_bits(value: float) -> int:
    """Return the 8 check bits that memory stores beside the 64 bits of a number [2]_."""
    (word,) = struct.unpack("<Q", struct.pack("<d", value))
    check = 0
    for bit, column in enumerate(_COLUMNS):
        if word >> bit & 1:
            check ^= column
    return check


def memory_sees(value: float, check: int) -> bool:
    """Say whether memory finds a stored number at odds with its check bits."""
    return check_bits(value) != check


def multiply_with_fault(a: Matrix, b: Matrix, row: int, column: int, bit: int) -> Matrix:
    """Return A B with one bit of one result flipped on its way out of the adder."""
    product = a @ b
    product[row, column] = flip_bit(float(product[row, column]), bit)
    return product


def checksum_sees(a: Matrix, b: Matrix, product: Matrix, margin: float = 8.0) -> bool:
    """Say whether the column sums of a product are at odds with its factors by more than rounding explains [1]_.

    The bound of each column is `margin` times ``eps sqrt(m k)`` of the sum of magnitudes that went into it.
    """
    rows, inner = a.shape
    expected = a.sum(axis=0) @ b
    scale = np.abs(a).sum(axis=0) @ np.abs(b)
    allowed = (
        margin * float(rounding_of_check(float(np.finfo(np.float64).eps), rows, inner)) * scale / (rows * inner) ** 0.5
    )
    difference = np.abs(product.sum(axis=0) - expected)
    return bool(np.any(~(difference <= allowed)))
