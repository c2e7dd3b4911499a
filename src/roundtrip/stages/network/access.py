"""The way to the internet: glass, coax, telephone wire or radio to the first router of the provider.

The time has four parts, for each direction: half of the idle round trip of the line (slots granted, interleaving,
modem), half of that of the radio at home (contention, see `airtime_s`), the flight to a satellite and down where
there is one, and the time that the message itself occupies the line. A fifth comes from others: bytes of an upload
that lie in the modem's buffer before ours. Buffers are often sized for a second, which is called bufferbloat [1]_.

Only what the line adds for our bytes is marginal energy. The power of one subscriber's line in the provider's network
is allocated, and the box at home is on anyway, both for as long as the trip lasts [2]_.

References
----------
.. [1] J. Gettys and K. Nichols, "Bufferbloat: dark buffers in the Internet", ACM Queue 9(11), 2011,
   doi:10.1145/2063166.2071893
.. [2] D. Mytton, D. Lunden and J. Malmodin, "Network energy use not directly proportional to data volume", Journal of
   Industrial Ecology 28(4), 2024, doi:10.1111/jiec.13512
.. [3] IEEE Std 802.11-2020, clauses 10 and 17, https://standards.ieee.org/ieee/802.11/7028/
.. [4] M. Handley, "Delay is not an option: low latency routing in space", HotNets 2018, doi:10.1145/3286062.3286075
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (1977, "GTE, first telephone traffic over fiber, in Long Beach; Wi-Fi is IEEE 802.11 of 1997")


def one_way_s(access_round_trip_s: Number, radio_round_trip_s: Number, access_swing: Number = 1.0) -> Number:
    """Return the one-way time of line and radio: half of both round trips.

    Parameters
    ----------
    access_round_trip_s : float
        Median round trip of this line to the provider's first router: it differs from line to line [s].
    radio_round_trip_s : float
        Idle round trip of the radio at home; 0 on a cable [s].
    access_swing : float
        One trip over this line against its median: grants, retries and satellites that change.
    """
    return 0.5 * (access_round_trip_s * access_swing + radio_round_trip_s)


def satellite_flight_s(altitude_m: Number, slant_factor: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time of light to a satellite and down to its ground station [4]_.

    Parameters
    ----------
    altitude_m : float
        Height of the orbit; 0 where there is no satellite [m].
    slant_factor : float
        Path over height: 1 straight above, more at low elevation.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    return 2.0 * altitude_m * slant_factor / speed_of_light_m_s


def buffer_wait_s(buffer_delay_s: Number, buffer_fill: Number) -> Number:
    """Return the wait behind bytes that lie in the modem already [1]_.

    Parameters
    ----------
    buffer_delay_s : float
        Time in which a full buffer drains [s].
    buffer_fill : float
        How full it is; near 0 on a quiet line.
    """
    return buffer_delay_s * buffer_fill


def line_time_s(wire_B: Number, access_rate_bit_s: Number) -> Number:
    """Return the time that a message occupies the line.

    Parameters
    ----------
    wire_B : float
        Bytes of the message on the wire [B].
    access_rate_bit_s : float
        Rate of the line in this direction [bit/s].
    """
    return 8.0 * wire_B / access_rate_bit_s


def airtime_s(
    wire_B: Number,
    radio_rate_bit_s: Number,
    contention_slots: Number,
    slot_s: Number = 9e-6,
    sifs_s: Number = 16e-6,
    preamble_s: Number = 20e-6,
    acknowledgment_s: Number = 44e-6,
) -> Number:
    """Return the time of one frame exchange of Wi-Fi: wait, frame, pause, acknowledgment [3]_.

    Parameters
    ----------
    wire_B : float
        Bytes of the frame [B].
    radio_rate_bit_s : float
        Rate at which its body is sent [bit/s].
    contention_slots : float
        Slots that are waited at random; the mean of an empty channel is 7.5.
    slot_s, sifs_s : float
        Slot and short pause at 5 GHz; the wait begins with a pause and two slots [s].
    preamble_s, acknowledgment_s : float
        Preamble of the frame; the whole acknowledgment at 6 Mb/s [s].
    """
    wait = sifs_s + (2.0 + contention_slots) * slot_s
    return wait + preamble_s + 8.0 * wire_B / radio_rate_bit_s + sifs_s + acknowledgment_s


def marginal_energy_J(wire_B: Number, access_energy_per_bit_J: Number) -> Number:
    """Return the energy that the bits of a message add on line and radio [2]_.

    Parameters
    ----------
    wire_B : float
        Bytes on the wire [B].
    access_energy_per_bit_J : float
        Energy of one more bit [J].
    """
    return 8.0 * wire_B * access_energy_per_bit_J


def allocated_energy_J(line_power_W: Number, duration_s: Number) -> Number:
    """Return the share of the provider's equipment: the power of one subscriber's line for a time [2]_.

    Parameters
    ----------
    line_power_W : float
        Baseline power of one line in access and core network [W].
    duration_s : float
        Length of the trip [s].
    """
    return line_power_W * duration_s


def home_energy_J(home_power_W: Number, duration_s: Number) -> Number:
    """Return the energy of the box at home, which is on anyway.

    Parameters
    ----------
    home_power_W : float
        Power of router and modem, dish or phone modem [W].
    duration_s : float
        Length of the trip [s].
    """
    return home_power_W * duration_s
