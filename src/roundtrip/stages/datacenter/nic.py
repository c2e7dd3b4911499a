"""The network card of the server: frames become bytes in memory, bytes become one request.

The card checks the frame and writes it to memory by itself (DMA over PCI Express), waits a little so that one
interrupt serves several frames, and the kernel merges the segments of one connection (receive coalescing) before the
stack looks at them: its cost falls on each merged buffer, not on each segment. Then TCP puts the bytes in order, they
are copied to the process and, where the inside is encrypted too, opened there.

``t = t_0 + S / B + u tau + ceil(n / m) t_stack + S c / f``: the bus, the wait, the stack, the copy.

References
----------
.. [1] Q. Cai, S. Chaudhary, M. Vuppalapati, J. Hwang and R. Agarwal, "Understanding Host Network Stack Overheads",
   SIGCOMM 2021, doi:10.1145/3452296.3472888
.. [2] R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018,
   doi:10.1145/3230543.3230560
.. [3] J. C. Mogul and K. K. Ramakrishnan, "Eliminating Receive Livelock in an Interrupt-Driven Kernel", ACM
   Transactions on Computer Systems 15(3), 1997, doi:10.1145/263326.263335
.. [4] W. Eddy (ed.), "Transmission Control Protocol (TCP)", RFC 9293, 2022, https://www.rfc-editor.org/rfc/rfc9293
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2005, "L. Grossman, Large Receive Offload in Neterion 10GbE, Ottawa Linux Symposium; PCI Express 1.0, 2003")


def dma_s(size_B: Number, bandwidth_B_s: Number, latency_s: Number) -> Number:
    """Return the time from the card to memory, ``t_0 + S / B`` [2]_ [s].

    Parameters
    ----------
    size_B : float
        Bytes [B].
    bandwidth_B_s : float
        What the bus carries [B/s].
    latency_s : float
        Fixed time of card and bus [s].
    """
    return latency_s + size_B / bandwidth_B_s


def interrupt_wait_s(receive_phase: Number, receive_timer_s: Number) -> Number:
    """Return how long the last frame waits for the interrupt that serves several, ``u tau`` [3]_ [s].

    Parameters
    ----------
    receive_phase : float
        Place of the frame before the end of the timer, between 0 and 1.
    receive_timer_s : float
        Time that the card gathers frames [s].
    """
    return receive_phase * receive_timer_s


def merged_buffers(arrived_segments: Number, merge_limit: Number) -> Number:
    """Return the buffers that the stack sees after the segments of a connection were merged, ``ceil(n / m)``.

    Parameters
    ----------
    arrived_segments : float
        TCP segments that arrived together.
    merge_limit : float
        Segments that one buffer may hold (64 KiB of them in Linux).
    """
    return np.ceil(arrived_segments / merge_limit)


def stack_s(buffers: Number, stack_cost_s: Number) -> Number:
    """Return the time of the kernel's stack, so much for each buffer [s].

    Parameters
    ----------
    buffers : float
        Buffers after merging.
    stack_cost_s : float
        From the interrupt to the waiting process, for one buffer [s].
    """
    return buffers * stack_cost_s


def copy_s(size_B: Number, copy_cycles_B: Number, clock_Hz: Number) -> Number:
    """Return the time of the copy to the process (and of opening it, where it is sealed) [1]_ [s].

    Parameters
    ----------
    size_B : float
        Bytes [B].
    copy_cycles_B : float
        Cycles of the core for each byte.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return size_B * copy_cycles_B / clock_Hz


def one_core_rate_bit_s(copy_cycles_B: Number, clock_Hz: Number) -> Number:
    """Return the rate at which one core can take bytes in, whatever the line carries: ``8 f / c`` [bit/s].

    Parameters
    ----------
    copy_cycles_B : float
        Cycles of the core for each byte, all its work for the network together.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return 8.0 * clock_Hz / copy_cycles_B


def merge(segments: Iterable[tuple[int, bytes]], limit_B: int = 65_536) -> list[tuple[int, bytes]]:
    """Return segments of one connection merged where they follow each other, no buffer above `limit_B` bytes.

    Only neighbors in the order of arrival are merged, as a card does it: what is out of order stays apart.
    """
    merged: list[tuple[int, bytes]] = []
    for number, data in segments:
        if merged:
            first, held = merged[-1]
            if first + len(held) == number and len(held) + len(data) <= limit_B:
                merged[-1] = (first, held + data)
                continue
        merged.append((number, data))
    return merged


def reassemble(segments: Iterable[tuple[int, bytes]], start: int = 0) -> tuple[bytes, int]:
    """Return the bytes that can be read in order, and the next sequence number that is awaited [4]_.

    Segments come as (sequence number, data), in any order, some of them twice or overlapping. Numbers count modulo
    2^32. Bytes behind a gap are held back.
    """
    held: dict[int, bytes] = {}
    for number, data in segments:
        offset = (number - start) % 2**32
        early = 2**32 - offset if offset >= 2**31 else 0
        place, fresh = (0, data[early:]) if early else (offset, data)
        if len(fresh) > len(held.get(place, b"")):
            held[place] = fresh
    stream = bytearray()
    for offset in sorted(held):
        if offset > len(stream):
            break
        stream += held[offset][len(stream) - offset :]
    return bytes(stream), (start + len(stream)) % 2**32
