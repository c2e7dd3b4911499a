"""The network on the way: from the browser to the datacenter, back with each token, and what is always on."""

from __future__ import annotations

from typing import Any

from roundtrip.journey.rooms import network_transport as transport
from roundtrip.journey.rooms import optics
from roundtrip.journey.way import Mark, Stage, Way
from roundtrip.stages.network import (
    access,
    copper,
    dma,
    edge,
    ethernet,
    http,
    ip,
    kernel,
    quic,
    route,
    serdes,
    stream,
)


def lay_out(way: Way, after: Mark) -> Mark:
    """Lay the request's way out; leaves request_wire_B, request_segments, cable_m and one_way_s."""
    _measure_route(way)
    ready = transport.connect(way, after)
    mark, train = _wrap(way, ready, way.facts["request_B"])
    mark = transport.lay_window(way, mark, train)
    way.fact("request_segments", train.packets)
    way.fact("request_wire_B", train.wire_B)

    mark = _address(way, mark, train, "")
    mark = _frame(way, mark, train.packets, "")
    mark = _kernel(way, mark, train.packets, "")
    mark = _fetch(way, mark, train.wire_B, "")
    mark = _serialize(way, mark, train.wire_B, "")
    mark = _copper(way, mark, "")
    mark = _access(way, mark, train.wire_B, "")
    mark = _edge(way, mark, train.sealed_B, "")
    mark = optics.lay(way, mark, False)
    mark = _route(way, mark, train.wire_B, "")
    mark = transport.lay_loss(way, mark, train.packets, "")
    way.fact("one_way_s", mark.end_s - ready.end_s)
    return mark


def lay_back(way: Way, after: Mark) -> Mark:
    """Lay the way of the first token's event, sealed by the datacenter, to the page; leaves event_wire_B."""
    h = way.stage(http)
    envelope = {"event_envelope_B": h["network.edge.event_envelope_B"], "token_text_B": h["network.edge.token_text_B"]}
    if way.word("network.transport") == "quic":
        event_B = h.use(quic.framed_size_B, size_B=sum(envelope.values()))
    else:
        event_B = h.use(http.event_size_B, **envelope)
    train = transport.cut(way, event_B)
    way.fact("event_wire_B", train.wire_B)

    mark = _route(way, after, train.wire_B, "back.")
    mark = optics.lay(way, mark, True)
    mark = _edge(way, mark, train.sealed_B, "back.")
    mark = _access(way, mark, train.wire_B, "back.")
    mark = _copper(way, mark, "back.")
    mark = _serialize(way, mark, train.wire_B, "back.")
    mark = _fetch(way, mark, train.wire_B, "back.")
    mark = _frame(way, mark, train.packets, "back.")
    mark = _address(way, mark, train, "back.")
    mark = _kernel(way, mark, train.packets, "back.")
    mark = transport.lay_loss(way, mark, train.packets, "back.")
    mark = transport.seal(way, mark, event_B, train, "back.")
    return _envelope(h, mark, event_B, event_B, "back.")


def lay_stream(way: Way, page: Mark) -> Mark:
    """Lay the arrival of all further tokens: thoughts first, then the answer."""
    s = way.stage(stream)
    interval_s = way.facts["time_per_output_token_s"]
    cloud = way.word("model.where") == "cloud"
    if cloud:
        line_s = s.use(
            ethernet.line_time_s, wire_B=way.facts["event_wire_B"], rate_bit_s=s["network.access.downlink_rate_bit_s"]
        )
        interval_s = s.use(stream.pipeline_interval_s, time_per_output_token_s=interval_s, event_line_time_s=line_s)
    thoughts = way.facts["reasoning_tokens"]
    rest = way.facts["answer_tokens"] - 1.0
    mark = page
    for title, tokens, name in (
        ("reasoning streams by unseen", thoughts, "stream.reasoning"),
        ("tokens arrive one by one", rest, "stream.answer"),
    ):
        time_s = s.use(stream.streaming_time_s, tokens_left=tokens, time_per_output_token_s=interval_s)
        bits: dict[str, Any] = {}
        if cloud:
            bits = {"bytes_in": way.facts["event_wire_B"] * tokens, **_event_energy(way, tokens)}
        mark = s.lay(title, time_s, "photons" if cloud else "moving charge", after=mark, id=name, tokens=tokens, **bits)
    return mark


def lay_always_on(way: Way, until: Mark) -> None:
    """Lay what is on anyway for as long as the trip lasts: the box at home, and the line's share of the network."""
    if way.word("model.where") != "cloud":
        return
    s = way.stage(access)
    home_J = s.use(access.home_energy_J, home_power_W=s["network.access.home_power_W"], duration_s=until.end_s)
    line_J = s.use(access.allocated_energy_J, line_power_W=s["network.access.line_power_W"], duration_s=until.end_s)
    s.lay("router and line are on", until.end_s, "heat", id="on.network.access", always_on_J=home_J, allocated_J=line_J)


def _measure_route(way: Way) -> None:
    """Reckon the cable and the round trips, so that handshakes can wait for them before anything flies."""
    r = way.stage(route)
    distance_m = r.use(
        route.great_circle_m,
        from_latitude_deg=r["network.place.latitude_deg"], from_longitude_deg=r["network.place.longitude_deg"],
        to_latitude_deg=r["network.region.latitude_deg"], to_longitude_deg=r["network.region.longitude_deg"],
    )  # fmt: skip
    cable_m = _cable(way, r, distance_m)
    way.fact("distance_m", distance_m)
    way.fact("cable_m", cable_m)
    haul_s = r.use(route.one_way_s, cable_m=cable_m, routers_s=_routers(r), group_index=r["optics.fiber.group_index"])
    a = way.stage(access)
    line_s = _access_time(a)
    there_s = line_s + haul_s
    whole_s = there_s + there_s
    near_s = whole_s
    if way.word("network.edge") != "none":
        e = way.stage(edge)
        near_s = e.use(
            edge.near_round_trip_s, access_there_s=line_s, access_back_s=line_s,
            edge_cable_m=e["network.edge.edge_cable_m"], group_index=e["optics.fiber.group_index"],
        )  # fmt: skip
    way.fact("connection_round_trip_s", near_s)


def _cable(way: Way, r: Stage, distance_m: Any) -> Any:
    """Return the length of the cable: by distance alone, or through the two gateways of a sea."""
    if way.word("network.route.course") == "direct":
        names = ("far_stretch", "near_stretch", "near_scale_m", "detour_m")
        shape = {name: r[f"network.route.{name}"] for name in names}
        return r.use(route.direct_length_m, distance_m=distance_m, **shape)

    def leg(end: str, gateway: str) -> Any:
        return r.use(
            route.great_circle_m,
            from_latitude_deg=r[f"network.{end}.latitude_deg"], from_longitude_deg=r[f"network.{end}.longitude_deg"],
            to_latitude_deg=r[f"network.route.{gateway}_latitude_deg"],
            to_longitude_deg=r[f"network.route.{gateway}_longitude_deg"],
        )  # fmt: skip

    return r.use(
        route.gateway_length_m,
        legs_m=leg("place", "gateway") + leg("region", "other_gateway"),
        crossed_legs_m=leg("place", "other_gateway") + leg("region", "gateway"),
        land_stretch=r["network.route.land_stretch"], sea_m=r["network.route.sea_m"], distance_m=distance_m,
    )  # fmt: skip


def _wrap(way: Way, after: Mark, size_B: Any) -> tuple[Mark, transport.Train]:
    """Frame and seal the request, and cut it into packets."""
    s = way.stage(http)
    if way.word("network.transport") == "quic":
        framed_B = s.use(quic.framed_size_B, size_B=size_B)
    else:
        framed_B = s.use(http.framed_size_B, size_B=size_B)
    mark = _envelope(s, after, size_B, framed_B, "")
    train = transport.cut(way, framed_B)
    return transport.seal(way, mark, framed_B, train, ""), train


def _envelope(s: Stage, after: Mark, size_B: Any, framed_B: Any, back: str) -> Mark:
    time_s = s.use(
        http.framing_time_s, size_B=framed_B, framing_latency_s=s["network.edge.framing_latency_s"],
        copy_rate_B_s=s["network.access.copy_rate_B_s"],
    )  # fmt: skip
    return s.lay(
        "the event leaves its frame" if back else "the request is framed", time_s, "moving charge", after=after,
        id=f"{back}network.http", marginal_J=transport.compute_J(s, time_s), bytes_in=size_B, bytes_out=framed_B,
    )  # fmt: skip


def _address(way: Way, after: Mark, train: transport.Train, back: str) -> Mark:
    s = way.stage(ip)
    whole_B = train.sealed_B + train.packets * transport.around_B(way, s)
    sum_s = s.use(ip.checksum_time_s, size_B=whole_B, copy_rate_B_s=s["network.access.copy_rate_B_s"])
    forward_s = s.use(
        ip.translation_time_s, packets=train.packets, forward_latency_s=s["network.access.forward_latency_s"],
        forward_packet_s=s["network.access.forward_packet_s"],
    )  # fmt: skip
    left = s.use(ip.hops_left, time_to_live=s["network.access.time_to_live"], hops=s["network.route.hops"])
    return s.lay(
        "packets are addressed", sum_s + forward_s, "moving charge", after=after,
        id=f"{back}network.ip", marginal_J=transport.compute_J(s, sum_s), bytes_in=train.sealed_B, bytes_out=whole_B,
        hops_left=left,
    )  # fmt: skip


def _frame(way: Way, after: Mark, packets: Any, back: str) -> Mark:
    s = way.stage(ethernet)
    frame_B = packets * s.use(ethernet.frame_overhead_B)
    rate = s.use(
        serdes.data_rate_bit_s, lane_rate_bit_s=s["network.access.lane_rate_bit_s"],
        code_payload_bits=s["network.access.code_payload_bits"], code_block_bits=s["network.access.code_block_bits"],
    )  # fmt: skip
    time_s = s.use(ethernet.line_time_s, wire_B=frame_B, rate_bit_s=rate)
    return s.lay(
        "packets become frames", time_s, "moving charge", after=after, id=f"{back}network.ethernet",
        overhead_B=frame_B,
    )  # fmt: skip


def _kernel(way: Way, after: Mark, packets: Any, back: str) -> Mark:
    s = way.stage(kernel)
    time_s = s.use(
        kernel.path_time_s, packets=packets, packet_latency_s=s["network.access.packet_latency_s"],
        packet_time_s=s["network.access.packet_time_s"],
    )  # fmt: skip
    return s.lay(
        "the kernel's stack", time_s, "moving charge", after=after, id=f"{back}network.kernel",
        marginal_J=transport.compute_J(s, time_s), packets=packets,
    )  # fmt: skip


def _fetch(way: Way, after: Mark, wire_B: Any, back: str) -> Mark:
    s = way.stage(dma)
    bus_B = s.use(
        dma.bus_size_B, size_B=wire_B, transaction_payload_B=s["network.access.transaction_payload_B"],
        transaction_header_B=s["network.access.transaction_header_B"],
    )  # fmt: skip
    time_s = s.use(
        dma.fetch_time_s, bus_B=bus_B, bus_reads=s["network.access.bus_reads"],
        bus_round_trip_s=s["network.access.bus_round_trip_s"], bus_rate_B_s=s["network.access.bus_rate_B_s"],
    )  # fmt: skip
    energy_J = s.use(dma.copy_energy_J, bus_B=bus_B, energy_per_byte_J=s["network.access.energy_per_byte_J"])
    title = "the packet goes to memory" if back else "the adapter fetches it"
    return s.lay(
        title, time_s, "moving charge", after=after, id=f"{back}network.dma", marginal_J=energy_J, bytes_out=bus_B
    )


def _serialize(way: Way, after: Mark, wire_B: Any, back: str) -> Mark:
    s = way.stage(serdes)
    code = {
        "code_payload_bits": s["network.access.code_payload_bits"],
        "code_block_bits": s["network.access.code_block_bits"],
    }
    rate = s["network.access.lane_rate_bit_s"]
    time_s = s.use(
        serdes.serialization_time_s, wire_B=wire_B, lane_rate_bit_s=rate,
        lane_latency_s=s["network.access.lane_latency_s"], **code,
    )  # fmt: skip
    bits = s.use(serdes.line_bits, wire_B=wire_B, **code)
    per_bit = s.use(
        serdes.electrons_per_bit, swing_V=s["network.access.swing_V"],
        line_resistance_ohm=s["network.access.line_resistance_ohm"], lane_rate_bit_s=rate,
    )  # fmt: skip
    energy_J = s.use(
        serdes.lane_energy_J, wire_B=wire_B, lane_energy_per_bit_J=s["network.access.lane_energy_per_bit_J"]
    )
    return s.lay(
        "bits come in one by one" if back else "bytes leave bit by bit", time_s, "moving charge",
        after=after, id=f"{back}network.serdes", marginal_J=energy_J, electrons=bits * per_bit,
        electrons_per_bit=per_bit, line_bits=bits,
    )  # fmt: skip


def _copper(way: Way, after: Mark, back: str) -> Mark:
    s = way.stage(copper)
    time_s = s.use(
        copper.delay_s, copper_length_m=s["network.access.copper_length_m"],
        relative_permittivity=s["network.access.relative_permittivity"],
    )  # fmt: skip
    return s.lay("the field runs on copper", time_s, "moving charge", after=after, id=f"{back}network.copper")


def _access_time(s: Stage) -> Any:
    """Return the one-way time of an idle access line, satellite included."""
    idle_s = s.use(
        access.one_way_s, access_round_trip_s=s["network.access.access_round_trip_s"],
        radio_round_trip_s=s["network.access.radio_round_trip_s"], access_swing=s["network.access.access_swing"],
    )  # fmt: skip
    flight_s = s.use(
        access.satellite_flight_s,
        altitude_m=s["network.access.altitude_m"],
        slant_factor=s["network.access.slant_factor"],
    )
    return idle_s + flight_s


def _access(way: Way, after: Mark, wire_B: Any, back: str) -> Mark:
    s = way.stage(access)
    idle_s = _access_time(s)
    rate = s["network.access.downlink_rate_bit_s" if back else "network.access.uplink_rate_bit_s"]
    line_s = s.use(access.line_time_s, wire_B=wire_B, access_rate_bit_s=rate)
    # Buffers swell before the narrow direction, from home to the network.
    more: dict[str, Any] = {}
    time_s = idle_s + line_s
    if not back:
        more["buffer_s"] = s.use(
            access.buffer_wait_s, buffer_delay_s=s["network.access.buffer_delay_s"],
            buffer_fill=s["network.access.buffer_fill"],
        )  # fmt: skip
        time_s = time_s + more["buffer_s"]
    energy_J = s.use(
        access.marginal_energy_J, wire_B=wire_B, access_energy_per_bit_J=s["network.access.access_energy_per_bit_J"]
    )
    title = "radio and line, homeward" if back else "radio and line, outward"
    return s.lay(
        title, time_s, "photons", after=after, id=f"{back}network.access", marginal_J=energy_J, bytes_out=wire_B,
        conversions=s["network.access.conversions_one_way"], line_s=line_s, **more,
    )  # fmt: skip


def _edge(way: Way, after: Mark, sealed_B: Any, back: str) -> Mark:
    """Lay the proxy of a content network, if there is one."""
    if way.word("network.edge") == "none":
        return after
    s = way.stage(edge)
    time_s = s.use(
        edge.proxy_time_s, size_B=sealed_B, proxy_latency_s=s["network.edge.proxy_latency_s"],
        cipher_rate_B_s=s["network.edge.cipher_rate_B_s"],
    )  # fmt: skip
    return s.lay("the edge seals it anew", time_s, "moving charge", after=after, id=f"{back}network.edge")


def _routers(s: Stage) -> Any:
    return s.use(
        route.router_time_s, hops=s["network.route.hops"], router_latency_s=s["network.route.router_latency_s"],
        router_queue_s=s["network.route.router_queue_s"],
    )  # fmt: skip


def _route(way: Way, after: Mark, wire_B: Any, back: str) -> Mark:
    s = way.stage(route)
    hops = s["network.route.hops"]
    energy_J = s.use(
        route.router_energy_J,
        wire_B=wire_B,
        hops=hops,
        router_energy_per_bit_J=s["network.route.router_energy_per_bit_J"],
    )
    return s.lay(
        "routers queue and forward", _routers(s), "moving charge", after=after, id=f"{back}network.route",
        allocated_J=energy_J, bytes_out=wire_B, hops=hops, conversions=s.use(route.router_conversions, hops=hops),
        great_circle_m=way.facts["distance_m"], cable_m=way.facts["cable_m"],
    )  # fmt: skip


def _event_energy(way: Way, tokens: Any) -> dict[str, Any]:
    """Return what the events of some tokens cost on the way back: each what the first one cost, head by head."""
    spans = [plan.numbers for plan in way.plans if plan.id.startswith(("back.network.", "back.optics."))]
    return {
        f"{head}_J": tokens * sum(numbers[head] for numbers in spans if head in numbers)
        for head in ("marginal", "allocated")
    }
