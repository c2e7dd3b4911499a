"""The serializer: bytes become one bit after the other, coded so that the receiver can find the beat.

64b/66b sends 66 bits for 64 [1]_ (the code itself is `roundtrip.stages.network.pcs`): 10 Gigabit Ethernet signals at
10.3125 GBd for 10 Gb/s of data. PCI Express does the like with 130 bits for 128.

Each bit moves charge: a swing of V over a line of resistance R for a time 1/f is V/(R f) coulombs, some millions of
electrons, which are pushed on a little each; none of them makes the way (`roundtrip.stages.network.copper`).

References
----------
.. [1] IEEE Std 802.3-2022, clause 49, https://standards.ieee.org/ieee/802.3/10422/
.. [2] W. Dally and J. Poulton, Digital Systems Engineering, Cambridge 1998, chapter 8, doi:10.1017/CBO9781139166980
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2002, "IEEE 802.3ae, 10 Gigabit Ethernet with 64b/66b")


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
