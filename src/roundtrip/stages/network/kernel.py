"""The kernel's path of a packet: system call, TCP, IP, queue, driver; and two ways around it.

A packet costs the kernel some microseconds: the switch into the kernel, a buffer for the packet, the layers, the
driver. Followers of the same burst are cheaper, because they share the call and the caches. XDP with AF_XDP sockets
hands frames to a program as they lie in the driver's ring [1]_; DPDK takes the whole device into the program and
polls it without pause [2]_, so a core is at work even when nothing arrives. At 100 Gb/s the smallest frames leave 6.7
ns for each: no kernel path keeps up on one core [3]_. For a single prompt the difference drowns in the wait for the
model.

References
----------
.. [1] K. Castillon du Perron, D. Lopez Pacheco and F. Huet, "Understanding delays in AF_XDP-based applications", 2024,
   https://arxiv.org/abs/2402.10513
.. [2] S. Gallenmueller et al., "Comparison of frameworks for high-performance packet IO", ANCS 2015,
   doi:10.1109/ANCS.2015.7110118
.. [3] Q. Cai et al., "Understanding host network stack overheads", SIGCOMM 2021, doi:10.1145/3452296.3472888
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1983, "4.2BSD, the socket interface; AF_XDP came with Linux 4.18 in 2018")


def path_time_s(packets: Number, packet_latency_s: Number, packet_time_s: Number) -> Number:
    """Return the time from the program's call until the last packet of a burst is with the device.

    Parameters
    ----------
    packets : float
        Packets of the burst.
    packet_latency_s : float
        Time of one packet on its own through the stack [s].
    packet_time_s : float
        Time that each further packet adds on the same core [s].
    """
    return packet_latency_s + np.maximum(packets - 1.0, 0.0) * packet_time_s


def packet_budget_s(frame_on_wire_B: Number, rate_bit_s: Number) -> Number:
    """Return the time between two frames on a full line: what a core may spend on one of them.

    Parameters
    ----------
    frame_on_wire_B : float
        Bytes of a frame with preamble and gap [B].
    rate_bit_s : float
        Rate of the line [bit/s].
    """
    return 8.0 * frame_on_wire_B / rate_bit_s


def cores(rate_bit_s: Number, frame_on_wire_B: Number, packet_time_s: Number) -> Number:
    """Return how many cores a full line keeps busy.

    Parameters
    ----------
    rate_bit_s : float
        Rate of the line [bit/s].
    frame_on_wire_B : float
        Bytes of a frame with preamble and gap [B].
    packet_time_s : float
        Time of one packet on one core, in a burst [s].
    """
    return packet_time_s / packet_budget_s(frame_on_wire_B, rate_bit_s)


def compute_energy_J(duration_s: Number, core_power_W: Number) -> Number:
    """Return the energy of a core that is at work instead of idle.

    Parameters
    ----------
    duration_s : float
        Time at work [s].
    core_power_W : float
        Power of a busy core beyond an idle one [W].
    """
    return duration_s * core_power_W
