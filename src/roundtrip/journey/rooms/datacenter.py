"""The datacenter on the way: from the fiber to a place in the batch, and out again."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.way import Mark, Way
from roundtrip.stages.datacenter import balancer, border, fabric, gateway, nic, queue
from roundtrip.stages.model import prefill

SIMULATED = "simulated"  # the word of a queue whose waits a run of the fleet found


def lay_in(way: Way, after: Mark) -> Mark:
    """Lay the prompt's way from the border router to its place in a batch.

    Needs the facts ``request_wire_B`` and ``request_segments`` of the network and ``prompt_tokens``, ``step_s`` and
    ``request_service_s`` of the model; leaves the fact ``datacenter_arrival``, the mark at which the prompt comes in.
    """
    way.fact("datacenter_arrival", after)
    request_B = way.facts["request_wire_B"]
    segments = way.facts["request_segments"]
    entered = _border(way, after, request_B, request_B / segments, "datacenter.border", "the border lets it in")
    opened = _gateway(way, entered, request_B)
    chosen = _balancer(way, opened, request_B)
    carried = _fabric(way, chosen, request_B, request_B / segments, "")
    read = _receive(way, carried, request_B, segments)
    return _queue(way, read)


def lay_local(way: Way, after: Mark) -> Mark:
    """Lay what is left of the queue when the model runs on the person's own device: a hand-over."""
    way.fact("datacenter_arrival", after)
    return _queue(way, after)


def lay_back(way: Way, after: Mark) -> Mark:
    """Lay the first token's way out of the building.

    The duration is that of the first event; energy and bytes are those of the whole answer: every token takes this way.
    """
    s = way.stage(nic)
    event_B = s["datacenter.site.event_inside_B"]
    answer_B = event_B * way.facts["output_tokens"]
    sent_s = s.use(
        nic.dma_s,
        size_B=event_B,
        bandwidth_B_s=s["datacenter.site.nic_bandwidth_B_s"],
        latency_s=s["datacenter.site.nic_latency_s"],
    )
    stack_s = s.use(nic.stack_s, buffers=1.0, stack_cost_s=s["datacenter.site.stack_cost_s"])
    sealed_s = s.use(
        nic.copy_s,
        size_B=event_B,
        clock_Hz=s["datacenter.site.clock_Hz"],
        copy_cycles_B=s["datacenter.site.copy_cycles_B"] + s["datacenter.site.cipher_cycles_B"],
    )
    left = s.lay(
        "the server sends the event",
        sent_s + stack_s + sealed_s,
        "moving charge",
        after=after,
        id="back.datacenter.nic",
        bytes_out=answer_B,
        marginal_J=(stack_s + sealed_s) * way.facts["output_tokens"] * s["datacenter.site.core_power_W"],
        allocated_J=_card_J(way, s, answer_B),
    )
    crossed = _fabric(way, left, answer_B, event_B, "back.")
    s = way.stage(gateway)
    work_s = s["datacenter.site.event_work_s"]
    seal_s = s.use(
        gateway.decrypt_s,
        size_B=event_B,
        cipher_cycles_B=s["datacenter.site.cipher_cycles_B"],
        clock_Hz=s["datacenter.site.clock_Hz"],
    )
    work_J = s.use(gateway.work_J, time_s=work_s + seal_s, power_W=s["datacenter.site.core_power_W"])
    passed = s.lay(
        "the gateway seals and sends",
        work_s + seal_s,
        "moving charge",
        after=crossed,
        id="back.datacenter.gateway",
        bytes_out=answer_B,
        marginal_J=work_J * way.facts["output_tokens"],
    )
    return _border(way, passed, answer_B, event_B, "back.datacenter.border", "the border lets it out")


def _border(way: Way, after: Mark, carried_B: Any, packet_B: Any, span: str, title: str) -> Mark:
    s = way.stage(border)
    rate_bit_s = s["datacenter.site.border_rate_bit_s"]
    time_s = s.use(
        border.crossing_s, size_B=packet_B, rate_bit_s=rate_bit_s, latency_s=s["datacenter.site.border_latency_s"]
    )
    share_J = s.use(
        border.share_energy_J,
        size_B=carried_B,
        power_W=s["datacenter.site.border_power_W"],
        capacity_bit_s=s["datacenter.site.border_capacity_bit_s"],
        link_utilization=s["datacenter.site.link_utilization"],
    )
    return s.lay(
        title,
        time_s,
        "moving charge",
        after=after,
        id=span,
        allocated_J=share_J,
        bytes_in=carried_B,
        bytes_out=carried_B,
    )


def _gateway(way: Way, after: Mark, request_B: Any) -> Mark:
    s = way.stage(gateway)
    core_W = s["datacenter.site.core_power_W"]
    open_s = s.use(
        gateway.decrypt_s,
        size_B=request_B,
        cipher_cycles_B=s["datacenter.site.cipher_cycles_B"],
        clock_Hz=s["datacenter.site.clock_Hz"],
    )
    key_s = s["datacenter.site.authentication_s"] + s["datacenter.site.limit_check_s"]
    screen_s = s.use(
        gateway.screening_s,
        tokens=way.facts["prompt_tokens"],
        screen_parameters=s["datacenter.site.screen_parameters"],
        flop_rate_flop_s=s["datacenter.site.screen_rate_flop_s"],
        efficiency=s["datacenter.site.screen_efficiency"],
        latency_s=s["datacenter.site.screen_fixed_s"],
    )
    whole = s.lay(
        "the gateway checks it",
        open_s + key_s + screen_s,
        "moving charge",
        after=after,
        bytes_in=request_B,
        bytes_out=request_B,
    )
    t = way.stage(gateway)
    open_J = t.use(gateway.work_J, time_s=open_s, power_W=t["datacenter.site.core_power_W"])
    opened = t.lay(
        "TLS ends at the gateway",
        open_s,
        "moving charge",
        after=after,
        parent=whole,
        id="datacenter.gateway.tls",
        marginal_J=open_J,
    )
    t = way.stage(gateway)
    key_s = t["datacenter.site.authentication_s"] + t["datacenter.site.limit_check_s"]
    checked = t.lay(
        "key and limits are checked",
        key_s,
        "moving charge",
        after=opened,
        parent=whole,
        id="datacenter.gateway.key",
        marginal_J=key_s * core_W,
    )
    t = way.stage(gateway)
    screen_J = t.use(gateway.work_J, time_s=screen_s, power_W=t["datacenter.site.screen_power_W"])
    t.lay(
        "a classifier screens it",
        screen_s,
        "moving charge",
        after=checked,
        parent=whole,
        id="datacenter.gateway.screen",
        allocated_J=screen_J,
    )
    return whole


def _balancer(way: Way, after: Mark, request_B: Any) -> Mark:
    s = way.stage(balancer)
    time_s = s["datacenter.balancer.choice_s"]
    hit = s.use(
        balancer.expected_hit,
        prefix_share=s["datacenter.balancer.prefix_share"],
        prefix_affinity=s["datacenter.balancer.prefix_affinity"],
        backends=s["datacenter.balancer.backends"],
    )
    peak = s.use(
        balancer.table_peak, backends=s["datacenter.balancer.backends"], table_size=s["datacenter.balancer.table_size"]
    )
    return s.lay(
        "a server is chosen",
        time_s,
        "moving charge",
        after=after,
        bytes_in=request_B,
        bytes_out=request_B,
        marginal_J=time_s * s["datacenter.site.core_power_W"],
        expected_hit_share=hit,
        table_peak_share=peak,
    )


def _fabric(way: Way, after: Mark, carried_B: Any, frame_B: Any, way_back: str) -> Mark:
    s = way.stage(fabric)
    hops = s["datacenter.site.fabric_hops"]
    rate_bit_s = s["datacenter.fabric.rate_bit_s"]
    cross_s = s.use(
        fabric.switch_s,
        size_B=frame_B,
        rate_bit_s=rate_bit_s,
        latency_s=s["datacenter.fabric.latency_s"],
        cut_through=s["datacenter.fabric.cut_through"],
    )
    correct_s = s.use(
        fabric.fec_s,
        fec_block_bit=s["datacenter.fabric.fec_block_bit"],
        rate_bit_s=rate_bit_s,
        fec_decode_s=s["datacenter.fabric.fec_decode_s"],
    )
    path_s = s.use(
        fabric.path_s,
        hops=hops,
        switch_crossing_s=cross_s,
        fec_hop_s=correct_s,
        length_m=s["datacenter.site.fabric_cable_m"],
        signal_speed_m_s=s["datacenter.site.signal_speed_m_s"],
    )
    modules_s = 2.0 * hops * s["optics.short.latency_s"]
    last_s = s.use(border.clock_in_s, size_B=frame_B, rate_bit_s=rate_bit_s)
    whole = s.lay(
        "the fabric carries it",
        path_s + modules_s + last_s,
        "photons",
        after=after,
        id=f"{way_back}datacenter.fabric",
        bytes_in=carried_B,
        bytes_out=carried_B,
        hop_s=cross_s + correct_s,
    )
    t = way.stage(fabric)
    switches_J = t.use(
        fabric.share_energy_J,
        size_B=carried_B * t["datacenter.site.fabric_hops"],
        power_W=t["datacenter.fabric.power_W"],
        capacity_bit_s=t["datacenter.fabric.capacity_bit_s"],
        link_utilization=t["datacenter.site.link_utilization"],
    )
    switched = t.lay(
        "the switches cross it",
        hops * cross_s + last_s,
        "moving charge",
        after=after,
        parent=whole,
        id=f"{way_back}datacenter.fabric.switches",
        allocated_J=switches_J,
    )
    t = way.stage(fabric)
    corrected = t.lay(
        "receivers correct errors",
        (t["datacenter.site.fabric_hops"] + 1.0) * correct_s,
        "moving charge",
        after=switched,
        parent=whole,
        id=f"{way_back}datacenter.fabric.fec",
    )
    t = way.stage(fabric)
    cable_s = t.use(
        fabric.cable_s,
        length_m=t["datacenter.site.fabric_cable_m"],
        signal_speed_m_s=t["datacenter.site.signal_speed_m_s"],
    )
    modules_J = t.use(
        fabric.share_energy_J,
        size_B=carried_B * (2.0 * t["datacenter.site.fabric_hops"]),
        power_W=t["optics.short.power_W"],
        capacity_bit_s=t["optics.short.rate_bit_s"],
        link_utilization=t["datacenter.site.link_utilization"],
    )
    photons = t.use(
        fabric.link_photons,
        size_B=carried_B * t["datacenter.site.fabric_hops"],
        rate_bit_s=t["optics.short.rate_bit_s"],
        launch_power_W=t["optics.short.launch_power_W"],
        wavelength_m=t["optics.short.wavelength_m"],
    )
    t.lay(
        "light through short fibers",
        cable_s + modules_s,
        "photons",
        after=corrected,
        parent=whole,
        id=f"{way_back}datacenter.fabric.light",
        allocated_J=modules_J,
        photons=photons,
        conversions=2.0 * t["datacenter.site.fabric_hops"],
    )
    return whole


def _receive(way: Way, after: Mark, request_B: Any, segments: Any) -> Mark:
    s = way.stage(nic)
    bus_s = s.use(
        nic.dma_s,
        size_B=request_B,
        bandwidth_B_s=s["datacenter.site.nic_bandwidth_B_s"],
        latency_s=s["datacenter.site.nic_latency_s"],
    )
    wait_s = s.use(
        nic.interrupt_wait_s,
        receive_phase=s["datacenter.site.receive_phase"],
        receive_timer_s=s["datacenter.site.receive_timer_s"],
    )
    buffers = s.use(
        nic.merged_buffers, arrived_segments=np.maximum(segments, 1.0), merge_limit=s["datacenter.site.merge_limit"]
    )
    stack_s = s.use(nic.stack_s, buffers=buffers, stack_cost_s=s["datacenter.site.stack_cost_s"])
    copy_s = s.use(
        nic.copy_s,
        size_B=request_B,
        clock_Hz=s["datacenter.site.clock_Hz"],
        copy_cycles_B=s["datacenter.site.copy_cycles_B"] + s["datacenter.site.cipher_cycles_B"],
    )
    return s.lay(
        "the card merges packets",
        bus_s + wait_s + stack_s + copy_s,
        "moving charge",
        after=after,
        bytes_in=request_B,
        bytes_out=way.facts.get("request_B", request_B),
        buffers=buffers,
        marginal_J=(stack_s + copy_s) * s["datacenter.site.core_power_W"],
        allocated_J=_card_J(way, s, request_B),
    )


def _card_J(way: Way, s: Any, carried_B: Any) -> Any:
    """Return the card's share: it draws its power at any load, like a switch."""
    return s.use(
        fabric.share_energy_J,
        size_B=carried_B,
        power_W=s["datacenter.site.nic_power_W"],
        capacity_bit_s=s["datacenter.site.nic_rate_bit_s"],
        link_utilization=s["datacenter.site.link_utilization"],
    )


def _queue(way: Way, after: Mark) -> Mark:
    """Lay the wait until the engine begins with the prompt: what the fleet found, or the closed form of it."""
    s = way.stage(queue)
    if way.word("model.serving.queue") == SIMULATED:
        wait_s = s["model.serving.engine_wait_s"]
        return s.lay(
            "it waits for a place",
            s["datacenter.site.handover_s"] + wait_s,
            "waiting",
            after=after,
            engine_wait_s=wait_s,
        )
    places, utilization = s["model.serving.slots"], s["model.serving.utilization"]
    probability = s.use(queue.waiting_probability_many, places=places, utilization=utilization)
    variation = s["datacenter.site.service_variation"]
    service_s = way.facts["request_service_s"]
    place_s = s.use(
        queue.wait_quantile_s,
        queue_phase=s["datacenter.site.queue_phase"],
        wait_probability=probability,
        places=places,
        utilization=utilization,
        service_time_s=service_s,
        service_variation=variation,
    )
    mean_s = s.use(
        queue.mean_wait_s,
        wait_probability=probability,
        places=places,
        utilization=utilization,
        service_time_s=service_s,
        service_variation=variation,
    )
    extra: dict[str, Any] = {}
    if way.word("model.serving.disaggregated") == "yes":
        # Accelerators that only read work in passes; who comes waits for the one that runs.
        ahead_s = s.use(
            prefill.pass_wait_s,
            pass_phase=s["model.serving.pass_phase"],
            utilization=s["model.serving.read_utilization"],
            pass_time_s=way.facts["others_pass_s"] * s["model.serving.read_wait_factor"],
        )
        extra = {"others_pass_s": way.facts["others_pass_s"]}
    else:
        # One engine reads and writes: first its running step ends, then come the prompts that were there before.
        reading = way.facts["reading_share"]
        read_s = s.use(
            queue.wait_quantile_s,
            queue_phase=s["datacenter.site.queue_phase"],
            wait_probability=reading,
            places=1.0,
            utilization=reading,
            service_time_s=way.facts["others_read_s"] * s["model.serving.read_wait_factor"],
            service_variation=1.0,
        )
        running_s = s.use(
            queue.join_wait_s, join_phase=s["datacenter.site.join_phase"], step_duration_s=way.facts["step_s"]
        )
        # Only a batch that runs and has a place left makes a newcomer wait for its step.
        join_s = np.maximum(1.0 - np.power(1.0 - utilization, places) - probability, 0.0) * running_s
        ahead_s = join_s + read_s
        extra = {"join_wait_s": join_s, "reading_share": reading, "others_read_s": way.facts["others_read_s"]}
    return s.lay(
        "it waits for a place",
        s["datacenter.site.handover_s"] + place_s + ahead_s,
        "waiting",
        after=after,
        wait_probability=probability,
        place_wait_s=place_s,
        mean_place_wait_s=mean_s,
        engine_wait_s=ahead_s,
        **extra,
    )
