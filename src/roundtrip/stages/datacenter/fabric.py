"""The fabric: spine and leaf switches, the cables between them, and the error correction at each end.

A switch that cuts through sends the head of a frame on while its tail still arrives, so that a path clocks the frame
once; one that stores and forwards clocks it at each hop: ``t = t_0 + (1 - c) 8 S / R``. On lines of 50 Gbit/s and
more every receiver first collects a whole Reed-Solomon block before it may trust a bit, ``K / R`` and the decoder's
own time, at each hop [3]_. A folded Clos network of k-port switches in n tiers joins ``2 (k/2)^n`` hosts [1]_ [2]_.

References
----------
.. [1] C. Clos, "A Study of Non-Blocking Switching Networks", Bell System Technical Journal 32(2), 1953,
   doi:10.1002/j.1538-7305.1953.tb01433.x
.. [2] M. Al-Fares, A. Loukissas and A. Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM 2008,
   doi:10.1145/1402958.1402967
.. [3] A. Sella, A. W. Moore and N. Zilberman, "FEC Killed the Cut-Through Switch", NEAT 2018,
   doi:10.1145/3229574.3229577
.. [4] IEEE Std 802.3-2022, clause 119: RS(544,514) over symbols of 10 bits, interleaved by two at 400 Gbit/s
   (a block of 10,880 bits on the lines), https://standards.ieee.org/ieee/802.3/10422/
"""

from __future__ import annotations

import hashlib

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1953, "C. Clos, non-blocking switching networks; as a datacenter's: M. Al-Fares et al., SIGCOMM 2008")


def switch_s(size_B: Number, rate_bit_s: Number, latency_s: Number, cut_through: Number) -> Number:
    """Return the time from the first bit in to the first bit out, without a queue [s].

    Parameters
    ----------
    size_B : float
        Bytes of the frame [B].
    rate_bit_s : float
        Rate of the port [bit/s].
    latency_s : float
        The chip's own time: parse, look up, cross [s].
    cut_through : float
        Share of frames that are sent on before they are whole: 1 always, 0 never.
    """
    return latency_s + (1.0 - cut_through) * 8.0 * size_B / rate_bit_s


def fec_s(fec_block_bit: Number, rate_bit_s: Number, fec_decode_s: Number) -> Number:
    """Return what error correction adds at one hop: the block is collected, then decoded [3]_ [s].

    Parameters
    ----------
    fec_block_bit : float
        Bits of a block, all interleaved codewords together [bit].
    rate_bit_s : float
        Rate of the port [bit/s].
    fec_decode_s : float
        Pipeline of the decoder [s].
    """
    return fec_block_bit / rate_bit_s + fec_decode_s


def cable_s(length_m: Number, signal_speed_m_s: Number) -> Number:
    """Return the time along a cable [s].

    Parameters
    ----------
    length_m : float
        Length [m].
    signal_speed_m_s : float
        Speed of the signal in it: about 0.68 c in glass [m/s].
    """
    return length_m / signal_speed_m_s


def path_s(
    hops: Number, switch_crossing_s: Number, fec_hop_s: Number, length_m: Number, signal_speed_m_s: Number
) -> Number:
    """Return the time from edge to server: the switches, one receiver more than switches, and the cable [s].

    Parameters
    ----------
    hops : float
        Switches on the way.
    switch_crossing_s : float
        Time through one of them [s].
    fec_hop_s : float
        Error correction at one receiver [s].
    length_m : float
        Cable in all [m].
    signal_speed_m_s : float
        Speed of the signal [m/s].
    """
    return hops * switch_crossing_s + (hops + 1.0) * fec_hop_s + length_m / signal_speed_m_s


def tree_hosts(switch_ports: Number, *, tiers: int = 2) -> Number:
    """Return the hosts that a folded Clos network joins at full bandwidth, ``2 (k/2)^n`` [2]_.

    Parameters
    ----------
    switch_ports : float
        Ports k of each switch.
    tiers : int
        Levels n: 2 for leaf and spine.
    """
    return 2.0 * np.power(switch_ports / 2.0, float(tiers))


def share_energy_J(size_B: Number, power_W: Number, capacity_bit_s: Number, link_utilization: Number) -> Number:
    """Return the share of a switch or transceiver that carried bytes have to bear, ``P 8 S / (C u)`` [J].

    Parameters
    ----------
    size_B : float
        Bytes carried [B].
    power_W : float
        Power, drawn at any load [W].
    capacity_bit_s : float
        Bits a second at full load [bit/s].
    link_utilization : float
        Share of it in use, averaged over the day.
    """
    return power_W * 8.0 * size_B / (capacity_bit_s * link_utilization)


def link_photons(
    size_B: Number,
    rate_bit_s: Number,
    launch_power_W: Number,
    wavelength_m: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the photons launched while bytes are clocked out, ``P t lambda / (h c)``.

    Parameters
    ----------
    size_B : float
        Bytes [B].
    rate_bit_s : float
        Rate of the link [bit/s].
    launch_power_W : float
        Mean optical power [W].
    wavelength_m : float
        Wavelength [m].
    planck_constant_J_s : float
    speed_of_light_m_s : float
    """
    return launch_power_W * (8.0 * size_B / rate_bit_s) * (wavelength_m / (planck_constant_J_s * speed_of_light_m_s))


def equal_cost_path(flow: str, paths: int) -> int:
    """Return which of several equal paths a connection takes: a hash of its five-tuple keeps its frames in order."""
    return int.from_bytes(hashlib.blake2b(flow.encode("utf-8"), digest_size=4).digest(), "big") % paths
