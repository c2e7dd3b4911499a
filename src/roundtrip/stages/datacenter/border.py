"""The border router: the first box of the datacenter that reads the packet.

It receives the packet whole (store and forward: the next line may run at another rate), looks its destination up in
the table of prefixes, holds it against the access control list, takes one from its time to live and sends it on.
The time is the pipeline of the chip plus the time to clock the packet in, ``t = t_0 + 8 S / R``; a chip that keeps a
line full of the shortest frames has ``8 (S + 20) / R`` for each.

The list, the lookup and the header are logic here, and work on real bytes: `permits`, `longest_prefix`,
`decrement_ttl` (which mends the checksum incrementally, as routers do).

References
----------
.. [1] J. Postel, "Internet Protocol", RFC 791, 1981, https://www.rfc-editor.org/rfc/rfc791
.. [2] A. Rijsinghani, "Computation of the Internet Checksum via Incremental Update", RFC 1624, 1994,
   https://www.rfc-editor.org/rfc/rfc1624
.. [3] F. Baker, "Requirements for IP Version 4 Routers", RFC 1812, 1995, https://www.rfc-editor.org/rfc/rfc1812
.. [4] S. Bradner and J. McQuaid, "Benchmarking Methodology for Network Interconnect Devices", RFC 2544, 1999,
   https://www.rfc-editor.org/rfc/rfc2544
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from roundtrip.figures.graph import Number

SINCE = (1981, "J. Postel, Internet Protocol, RFC 791: the time to live")


def clock_in_s(size_B: Number, rate_bit_s: Number) -> Number:
    """Return the time to clock a packet in from the line, ``8 S / R`` [s].

    Parameters
    ----------
    size_B : float
        Bytes of the packet on the line [B].
    rate_bit_s : float
        Rate of the line [bit/s].
    """
    return 8.0 * size_B / rate_bit_s


def crossing_s(size_B: Number, rate_bit_s: Number, latency_s: Number) -> Number:
    """Return the time through a store-and-forward router without a queue, ``t_0 + 8 S / R`` [s].

    Parameters
    ----------
    size_B : float
        Bytes of the packet [B].
    rate_bit_s : float
        Rate of the line on which it arrives [bit/s].
    latency_s : float
        Pipeline of the chip: parse, look up, list, schedule [s].
    """
    return latency_s + 8.0 * size_B / rate_bit_s


def packet_budget_s(size_B: Number, rate_bit_s: Number, preamble_gap_B: Number = 20.0) -> Number:
    """Return the time between two frames on a full line: what a chip has for each [4]_ [s].

    Parameters
    ----------
    size_B : float
        Bytes of the frame with its check sequence [B].
    rate_bit_s : float
        Rate of the line [bit/s].
    preamble_gap_B : float
        Preamble, start delimiter and gap between frames, in bytes [B].
    """
    return 8.0 * (size_B + preamble_gap_B) / rate_bit_s


def share_energy_J(size_B: Number, power_W: Number, capacity_bit_s: Number, link_utilization: Number) -> Number:
    """Return a packet's share of a box that draws its power whether busy or not [J].

    The power over the bits that the box really carries, times the packet's bits: ``P 8 S / (C u)``.

    Parameters
    ----------
    size_B : float
        Bytes carried [B].
    power_W : float
        Power of the box [W].
    capacity_bit_s : float
        Bits a second that it could carry [bit/s].
    link_utilization : float
        Share of the capacity in use, averaged over the day.
    """
    return power_W * 8.0 * size_B / (capacity_bit_s * link_utilization)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an access control list; an empty field matches everything."""

    action: str
    source: str = "0.0.0.0/0"
    destination: str = "0.0.0.0/0"
    protocol: int | None = None
    ports: tuple[int, int] = (0, 65535)


def permits(rules: Sequence[Rule], source: str, destination: str, protocol: int, port: int) -> bool:
    """Say whether a packet may pass: the first rule that matches decides, and none that matches means no."""
    for rule in rules:
        if (
            ip_address(source) in ip_network(rule.source)
            and ip_address(destination) in ip_network(rule.destination)
            and rule.protocol in (None, protocol)
            and rule.ports[0] <= port <= rule.ports[1]
        ):
            return rule.action == "permit"
    return False


def longest_prefix(routes: Mapping[str, str], destination: str) -> str | None:
    """Return the next hop of the most specific prefix that holds an address; None without a route."""
    address = ip_address(destination)
    matching = [prefix for prefix in routes if address in ip_network(prefix)]
    return routes[max(matching, key=lambda prefix: ip_network(prefix).prefixlen)] if matching else None


def header_checksum(header: bytes) -> int:
    """Return the ones' complement checksum of an IPv4 header whose own checksum field counts as zero [1]_."""
    words = [int.from_bytes(header[i : i + 2], "big") for i in range(0, len(header), 2) if i != 10]
    total = sum(words)
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def decrement_ttl(header: bytes) -> bytes | None:
    """Return an IPv4 header with one taken from its time to live, or None where it has run out.

    The checksum is mended, not made anew: ``HC' = ~(~HC + ~m + m')`` over the word that changed [2]_.
    """
    if header[8] <= 1:
        return None
    old = int.from_bytes(header[8:10], "big")
    new = old - 0x0100
    total = (~int.from_bytes(header[10:12], "big") & 0xFFFF) + (~old & 0xFFFF) + new
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:8] + new.to_bytes(2, "big") + (~total & 0xFFFF).to_bytes(2, "big") + header[12:]
