"""The serializer: bytes become one bit after the other, coded so that the receiver can find the beat.

64b/66b puts two bits before 64 and scrambles the 64 with the polynomial x^58 + x^39 + 1 [1]_: 10 Gigabit Ethernet
signals at 10.3125 GBd for 10 Gb/s of data. PCI Express does the like with 130 bits for 128. The two bits are always
01 or 10, so there is a change at least every 66 bits, and a run of equal bits longer than that is no valid code. The
descrambler needs no starting value: after 58 bits it is in step by itself, and one wrong bit on the line becomes
three.

Each bit moves charge: a swing of V over a line of resistance R for a time 1/f is V/(R f) coulombs, some millions of
electrons, which are pushed on a little each; none of them makes the way (`roundtrip.stages.network.copper`).

References
----------
.. [1] IEEE Std 802.3-2022, clause 49, https://standards.ieee.org/ieee/802.3/10422/
.. [2] W. Dally and J. Poulton, Digital Systems Engineering, Cambridge 1998, chapter 8, doi:10.1017/CBO9781139166980
"""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.figures.graph import Number

SINCE = (2002, "IEEE 802.3ae, 10 Gigabit Ethernet with 64b/66b")

_DATA, _CONTROL = 0b01, 0b10
_STATE_BITS = 58


def expansion(code_payload_bits: Number, code_block_bits: Number) -> Number:
    """Return how many bits travel for one bit of data: 66/64 [1]_.

    Parameters
    ----------
    code_payload_bits, code_block_bits : float
        Bits of data in a block, and bits of the block.
    """
    return code_block_bits / code_payload_bits


def signaling_rate_bit_s(rate_bit_s: Number, code_payload_bits: Number, code_block_bits: Number) -> Number:
    """Return the bits a second on the line for a rate of data.

    Parameters
    ----------
    rate_bit_s : float
        Rate of data [bit/s].
    code_payload_bits, code_block_bits : float
        Bits of data in a block, and bits of the block.
    """
    return rate_bit_s * expansion(code_payload_bits, code_block_bits)


def data_rate_bit_s(lane_rate_bit_s: Number, code_payload_bits: Number, code_block_bits: Number) -> Number:
    """Return the rate of data on a line of a given signaling rate.

    Parameters
    ----------
    lane_rate_bit_s : float
        Bits a second on the line [bit/s].
    code_payload_bits, code_block_bits : float
        Bits of data in a block, and bits of the block.
    """
    return lane_rate_bit_s / expansion(code_payload_bits, code_block_bits)


def serialization_time_s(
    wire_B: Number,
    lane_rate_bit_s: Number,
    code_payload_bits: Number,
    code_block_bits: Number,
    lane_latency_s: Number,
) -> Number:
    """Return the time until the last bit has left, the pipeline of coder and serializer included.

    Parameters
    ----------
    wire_B : float
        Bytes to send [B].
    lane_rate_bit_s : float
        Bits a second on the line, code included [bit/s].
    code_payload_bits, code_block_bits : float
        Bits of data in a block, and bits of the block.
    lane_latency_s : float
        Coder, serializer, deserializer and decoder [s].
    """
    return lane_latency_s + 8.0 * wire_B * expansion(code_payload_bits, code_block_bits) / lane_rate_bit_s


def line_bits(wire_B: Number, code_payload_bits: Number, code_block_bits: Number) -> Number:
    """Return the bits on the line for some bytes.

    Parameters
    ----------
    wire_B : float
        Bytes to send [B].
    code_payload_bits, code_block_bits : float
        Bits of data in a block, and bits of the block.
    """
    return 8.0 * wire_B * expansion(code_payload_bits, code_block_bits)


def electrons_per_bit(
    swing_V: Number, line_resistance_ohm: Number, lane_rate_bit_s: Number, elementary_charge_C: Number = 1.602176634e-19
) -> Number:
    """Return how many electrons pass the driver in one bit time, ``V / (R f e)`` [2]_.

    Parameters
    ----------
    swing_V : float
        Differential swing at the driver [V].
    line_resistance_ohm : float
        Differential impedance that it drives [ohm].
    lane_rate_bit_s : float
        Bits a second on the line [bit/s].
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return swing_V / line_resistance_ohm / lane_rate_bit_s / elementary_charge_C


def lane_energy_J(wire_B: Number, lane_energy_per_bit_J: Number) -> Number:
    """Return the energy of both ends of the lane for some bytes.

    Parameters
    ----------
    wire_B : float
        Bytes to send [B].
    lane_energy_per_bit_J : float
        Energy of one bit at both ends [J].
    """
    return 8.0 * wire_B * lane_energy_per_bit_J


def scramble(bits: Sequence[int], state: int = (1 << _STATE_BITS) - 1) -> tuple[list[int], int]:
    """Scramble bits with x^58 + x^39 + 1; return them and the state, which holds the last 58 that were sent."""
    out: list[int] = []
    for bit in bits:
        sent = bit ^ (state >> 57 & 1) ^ (state >> 38 & 1)
        out.append(sent)
        state = (state << 1 | sent) & ((1 << _STATE_BITS) - 1)
    return out, state


def descramble(bits: Sequence[int], state: int = 0) -> tuple[list[int], int]:
    """Undo `scramble`; whatever the starting state, the bits are right from the 59th on."""
    out: list[int] = []
    for bit in bits:
        out.append(bit ^ (state >> 57 & 1) ^ (state >> 38 & 1))
        state = (state << 1 | bit) & ((1 << _STATE_BITS) - 1)
    return out, state


def encode(data: bytes) -> list[int]:
    """Return the line bits of data blocks: 01, then 64 scrambled bits; the last block is filled with zeros."""
    line: list[int] = []
    state = (1 << _STATE_BITS) - 1
    for i in range(0, len(data), 8):
        block = data[i : i + 8].ljust(8, b"\0")
        bits, state = scramble([byte >> k & 1 for byte in block for k in range(8)], state)
        line += [0, 1, *bits]
    return line


def decode(line: Sequence[int], state: int = (1 << _STATE_BITS) - 1) -> bytes:
    """Return the bytes of line bits that begin at a block.

    Raises
    ------
    ValueError
        If the line is no whole number of blocks, or two leading bits are equal: the receiver is not in step.
    """
    if len(line) % 66:
        raise ValueError(f"{len(line)} bits are no whole number of blocks of 66")
    out = bytearray()
    for i in range(0, len(line), 66):
        if line[i] << 1 | line[i + 1] not in (_DATA, _CONTROL):
            raise ValueError(f"block {i // 66} begins with two equal bits: out of step")
        bits, state = descramble(line[i + 2 : i + 66], state)
        out += bytes(sum(bits[8 * k + j] << j for j in range(8)) for k in range(8))
    return bytes(out)
