"""The transport on the way: TCP with TLS, or QUIC; what opens, seals, cuts, limits and repeats a message.

The word ``network.transport`` chooses; both are laid from the same figures of the edge and of the access line, so that
their difference is that of the protocols.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.journey.way import Mark, Stage, Way
from roundtrip.stages.network import dns, ethernet, ip, kernel, loss, quic, tcp, tls


@dataclass(frozen=True, slots=True)
class Train:
    """A message as packets: bytes with what seals them, how many packets, their payload, bytes on the wire."""

    sealed_B: Any
    packets: Any
    payload_B: Any
    wire_B: Any


def connect(way: Way, after: Mark) -> Mark:
    """Lay what a connection needs before the request may leave: nothing if it is warm."""
    state = way.word("network.connection")
    if state == "warm":
        return after
    mark = after
    if state == "cold":
        d = way.stage(dns)
        look_s = d.use(
            dns.lookup_time_s,
            resolver_round_trip_s=d["network.edge.resolver_round_trip_s"], miss_share=d["network.edge.miss_share"],
            name_levels=d["network.edge.name_levels"], authority_round_trip_s=d["network.edge.authority_round_trip_s"],
        )  # fmt: skip
        query_B = d.use(dns.query_size_B, characters=d["network.edge.characters"])
        mark = d.lay("the name is looked up", look_s, "waiting", after=mark, bytes_out=query_B)
    if way.word("network.transport") == "quic":
        return _connect_quic(way, mark) if state == "cold" else mark
    round_trip_s = way.facts["connection_round_trip_s"]
    t = way.stage(tcp)
    shake_s = t.use(
        tcp.handshake_time_s, round_trip_s=round_trip_s, handshake_round_trips=t["network.edge.handshake_round_trips"]
    )
    mark = t.lay("the connection opens", shake_s, "waiting", after=mark, id="network.tcp.handshake")
    if state == "cold":
        h = way.stage(tls)
        keys_s = h.use(
            tls.handshake_time_s, round_trip_s=round_trip_s,
            handshake_round_trips=h["network.edge.handshake_round_trips"],
            handshake_compute_s=h["network.edge.handshake_compute_s"],
        )  # fmt: skip
        flight_s = h.use(
            tcp.window_wait_s, size_B=h["network.edge.certificate_B"], payload_B=_payload(h),
            window_segments=h["network.edge.window_segments"], round_trip_s=round_trip_s,
        )  # fmt: skip
        mark = h.lay(
            "both ends agree on keys", keys_s + flight_s, "waiting", after=mark, id="network.tls.handshake",
            marginal_J=compute_J(h, h["network.edge.handshake_compute_s"]),
        )  # fmt: skip
    return _opening_loss(way, mark)


def _connect_quic(way: Way, after: Mark) -> Mark:
    """Lay the one handshake of QUIC; a resumed connection sends its request along and waits for none."""
    q = way.stage(quic)
    more = q.use(quic.amplification_rounds, certificate_B=q["network.edge.certificate_B"])
    open_s = q.use(
        quic.handshake_time_s, round_trip_s=way.facts["connection_round_trip_s"],
        handshake_round_trips=q["network.edge.handshake_round_trips"], more_rounds=more,
        handshake_compute_s=q["network.edge.handshake_compute_s"],
    )  # fmt: skip
    mark = q.lay(
        "connection and keys at once", open_s, "waiting", after=after, id="network.quic.handshake",
        marginal_J=compute_J(q, q["network.edge.handshake_compute_s"]), more_rounds=more,
    )  # fmt: skip
    return _opening_loss(way, mark)


def _opening_loss(way: Way, after: Mark) -> Mark:
    """Lay the mean wait for a lost first packet: a second, because no round trip is known yet."""
    s = way.stage(loss)
    first: dict[str, Any] = {}
    if way.word("network.transport") == "quic":
        first["first_timeout_s"] = s.use(quic.first_timeout_s)
    wait_s = s.use(loss.opening_wait_s, loss_share=s["network.access.loss_share"], **first)
    return s.lay("a lost greeting, sent again", wait_s, "waiting", after=after, id="network.loss.handshake")


def lay_loss(way: Way, after: Mark, packets: Any, back: str) -> Mark:
    """Lay the mean wait for lost packets of a message; the sender learns of a loss over the connection's round trip."""
    s = way.stage(loss)
    share, trip_s = s["network.access.loss_share"], way.facts["connection_round_trip_s"]
    variation_s = s["network.access.round_trip_variation_s"]
    if way.word("network.transport") == "quic":
        timeout_s = s.use(quic.probe_timeout_s, round_trip_s=trip_s, round_trip_variation_s=variation_s)
        tail_s = timeout_s
        fast_s = s.use(quic.later_packet_wait_s, round_trip_s=trip_s)
    else:
        timeout_s = s.use(loss.retransmission_timeout_s, round_trip_s=trip_s, round_trip_variation_s=variation_s)
        probe_s = s.use(loss.probe_timeout_s, round_trip_s=trip_s, packets=packets)
        tail_s = s.use(loss.tail_wait_s, probe_s=probe_s, timeout_s=timeout_s)
        fast_s = s.use(loss.fast_wait_s, round_trip_s=trip_s)
    wait_s = s.use(
        loss.message_wait_s, packets=packets, loss_share=share, fast_s=fast_s, tail_s=tail_s, timeout_s=timeout_s
    )
    return s.lay(
        "lost packets, sent again", wait_s, "waiting", after=after, id=f"{back}network.loss",
        sends=s.use(loss.sends, loss_share=share), tail_s=tail_s, timeout_s=timeout_s,
    )  # fmt: skip


def cut(way: Way, framed_B: Any) -> Train:
    """Return how a framed message is sealed and cut: records in segments, or packets in datagrams."""
    if way.word("network.transport") == "quic":
        q = way.stage(quic)
        overhead_B = q.use(quic.packet_overhead_B)
        payload_B = q.use(quic.packet_payload_B, datagram_B=q["network.edge.datagram_B"], packet_overhead_B=overhead_B)
        packets = q.use(tcp.segments, size_B=framed_B, payload_B=payload_B)
        sealed_B = q.use(quic.sealed_size_B, size_B=framed_B, packets=packets, packet_overhead_B=overhead_B)
    else:
        t = way.stage(tls)
        sealed_B = t.use(tls.sealed_size_B, size_B=framed_B, overhead_B=t.use(tls.record_overhead_B))
        c = way.stage(tcp)
        payload_B = _payload(c)
        packets = c.use(tcp.segments, size_B=sealed_B, payload_B=payload_B)
    return Train(sealed_B, packets, payload_B, _wire(way, sealed_B, packets))


def lay_window(way: Way, after: Mark, train: Train) -> Mark:
    """Lay the wait for the window: both transports begin with ten packets and double."""
    by_quic = way.word("network.transport") == "quic"
    s = way.stage(quic if by_quic else tcp)
    size_B = train.packets * train.payload_B if by_quic else train.sealed_B
    wait_s = s.use(
        tcp.window_wait_s, size_B=size_B, payload_B=train.payload_B,
        window_segments=s["network.edge.window_segments"], round_trip_s=way.facts["connection_round_trip_s"],
    )  # fmt: skip
    return s.lay(
        "packets await the window" if by_quic else "segments await the window", wait_s, "waiting", after=after,
        id="network.quic.window" if by_quic else "network.tcp", segments=train.packets, bytes_out=train.sealed_B,
    )  # fmt: skip


def seal(way: Way, after: Mark, plain_B: Any, train: Train, back: str) -> Mark:
    by_quic = way.word("network.transport") == "quic"
    s = way.stage(quic if by_quic else tls)
    cipher = {
        "record_setup_s": s["network.edge.record_setup_s"], "cipher_rate_B_s": s["network.edge.cipher_rate_B_s"]
    }  # fmt: skip
    if by_quic:
        time_s = s.use(quic.seal_time_s, size_B=plain_B, packets=train.packets, **cipher)
    else:
        time_s = s.use(tls.seal_time_s, size_B=plain_B, **cipher)
    sizes = {"bytes_in": train.sealed_B, "bytes_out": plain_B} if back else {
        "bytes_in": plain_B, "bytes_out": train.sealed_B
    }  # fmt: skip
    what = "packet" if by_quic else "record"
    return s.lay(
        f"the {what} is opened" if back else f"the {what} is sealed", time_s, "moving charge", after=after,
        id=f"{back}{s.name}", marginal_J=compute_J(s, time_s), **sizes,
    )  # fmt: skip


def _payload(s: Stage) -> Any:
    return s.use(tcp.segment_size_B, mtu_B=s["network.edge.mtu_B"], tcp_options_B=s["network.edge.tcp_options_B"])


def _wire(way: Way, sealed_B: Any, packets: Any) -> Any:
    """Return the bytes of a message on the wire, all headers, preambles and gaps included."""
    s = way.stage(ethernet)
    header_B = around_B(way, s)
    return s.use(
        ethernet.message_wire_B, size_B=sealed_B, packets=packets, packet_header_B=header_B,
        frame_overhead_B=s.use(ethernet.frame_overhead_B),
    )  # fmt: skip


def around_B(way: Way, s: Stage) -> Any:
    if way.word("network.transport") == "quic":
        return s.use(quic.datagram_header_B)
    return s.use(ip.packet_header_B, tcp_options_B=s["network.edge.tcp_options_B"])


def compute_J(s: Stage, time_s: Any) -> Any:
    return s.use(kernel.compute_energy_J, duration_s=time_s, core_power_W=s["network.access.core_power_W"])
