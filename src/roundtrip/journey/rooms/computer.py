"""The computer on the way: from the report in its memory to the request that leaves, and from the first event back to
the page.
"""

from __future__ import annotations

from typing import Any

from roundtrip.journey.way import Mark, Stage, Way
from roundtrip.stages.computer import browser, interrupt, key_event, layout, memory, power, request


def lay(way: Way, after: Mark) -> Mark:
    """Lay the way of the key press through kernel, window system and page. Sets the fact ``request_B``."""
    entered = _lay_interrupt(way, after)
    queued = _lay_key_event(way, entered)
    stored = _lay_memory(way, queued)
    known = _lay_layout(way, stored)
    handled = _lay_browser(way, known)
    return _lay_request(way, handled)


def lay_back(way: Way, after: Mark) -> Mark:
    """Lay the first streamed event's way into the page; drawing it is the display's."""
    s = way.stage(browser)
    wait_s = s.use(browser.loop_wait_s, **_loop(s))
    size_B = s["computer.host.stream_event_B"]
    update_s = s.use(
        browser.update_time_s,
        stream_event_B=size_B,
        parse_rate_B_s=s["computer.host.parse_rate_B_s"],
        page_update_s=s["computer.host.page_update_s"],
    )
    return s.lay(
        "the page reads the event", wait_s + update_s, "stored charge", after=after, id="back.computer.browser",
        marginal_J=_work(s, update_s), bytes_in=size_B, loop_wait_s=wait_s,
    )  # fmt: skip


def lay_always_on(way: Way, until: Mark) -> Mark:
    """Lay what the computer, and a keyboard that is not part of it, draw because they are on, for as long as the
    trip lasts.
    """
    s = way.stage(power)
    power_W = s["computer.host.idle_power_W"]
    if way.word("keyboard.board.powered_by") != "internal":
        power_W = power_W + s["keyboard.board.controller_power_W"]
    energy_J = s.use(power.idle_energy_J, idle_power_W=power_W, duration_s=until.end_s)
    return s.lay(
        "the computer is on", until.end_s, "heat", id="on.computer.power", always_on_J=energy_J, power_W=power_W
    )


def _work(s: Stage, duration_s: Any) -> Any:
    """Return what a time of work adds to the machine's idle energy."""
    return s.use(
        power.work_energy_J,
        idle_power_W=s["computer.host.idle_power_W"],
        active_power_W=s["computer.host.active_power_W"],
        duration_s=duration_s,
    )


def _loop(s: Stage) -> dict[str, Any]:
    return {name: s[f"computer.host.{name}"] for name in ("utilization", "task_s", "task_variation")}


def _lay_interrupt(way: Way, after: Mark) -> Mark:
    s = way.stage(interrupt)
    clock_Hz = s["computer.host.clock_Hz"]
    entry_s = s.use(
        interrupt.entry_time_s,
        wake_s=s["computer.host.wake_s"],
        entry_cycles=s["computer.host.entry_cycles"],
        clock_Hz=clock_Hz,
    )
    handling_s = s.use(
        interrupt.handling_time_s,
        handler_cycles=s["computer.host.handler_cycles"],
        deferred_cycles=s["computer.host.deferred_cycles"],
        clock_Hz=clock_Hz,
    )
    return s.lay(
        "the processor wakes", entry_s + handling_s, "moving charge", after=after,
        marginal_J=_work(s, entry_s + handling_s), bytes_in=way.facts["report_B"], entry_time_s=entry_s,
    )  # fmt: skip


def _lay_key_event(way: Way, after: Mark) -> Mark:
    s = way.stage(key_event)
    size_B = s.use(key_event.event_size_B, input_events=s["computer.host.input_events"])
    delivery_s = s.use(
        key_event.delivery_time_s,
        dispatch_cycles=s["computer.host.dispatch_cycles"],
        clock_Hz=s["computer.host.clock_Hz"],
        scheduler_s=s["computer.host.scheduler_s"],
    )
    return s.lay(
        "the kernel queues the event", delivery_s, "stored charge", after=after,
        marginal_J=_work(s, delivery_s), bytes_in=way.facts["report_B"], bytes_out=size_B,
    )  # fmt: skip


def _lay_memory(way: Way, after: Mark) -> Mark:
    s = way.stage(memory)
    size_B = s.use(
        key_event.state_size_B,
        input_events=s["computer.host.input_events"],
        window_event_B=s["computer.host.window_event_B"],
        event_object_B=s["computer.host.event_object_B"],
    )
    cell = {name: s[f"computer.host.{name}"] for name in ("cell_capacitance_F", "cell_voltage_V")}
    electrons = s.use(memory.stored_electrons, size_B=size_B, ones_share=s["computer.host.ones_share"], **cell)
    swing_V = s.use(memory.bitline_swing_V, bitline_capacitance_F=s["computer.host.bitline_capacitance_F"], **cell)
    time_s = s.use(
        memory.access_time_s,
        memory_accesses=s["computer.host.memory_accesses"],
        restore_s=s["computer.host.restore_s"],
        precharge_s=s["computer.host.precharge_s"],
    )
    energy_J = s.use(memory.access_energy_J, size_B=size_B, energy_per_bit_J=s["computer.host.energy_per_bit_J"])
    rate_Hz = s.use(memory.refresh_rate_Hz, refresh_interval_s=s["computer.host.refresh_interval_s"])
    share = s.use(
        memory.refresh_share,
        refresh_command_s=s["computer.host.refresh_command_s"],
        refresh_gap_s=s["computer.host.refresh_gap_s"],
    )
    return s.lay(
        "the event rests in memory", time_s, "stored charge", after=after, marginal_J=energy_J,
        electrons=electrons, bytes_in=size_B, bytes_out=size_B, bitline_swing_V=swing_V, refresh_rate_Hz=rate_Hz,
        refresh_share=share,
    )  # fmt: skip


def _lay_layout(way: Way, after: Mark) -> Mark:
    s = way.stage(layout)
    time_s = s.use(
        layout.lookup_time_s, layout_cycles=s["computer.host.layout_cycles"], clock_Hz=s["computer.host.clock_Hz"]
    )
    typed_s = s.use(
        layout.typing_time_s,
        characters=s["prompt.text.characters"],
        keys_per_character=s["person.who.keys_per_character"],
        typing_interval_s=s["person.who.typing_interval_s"],
    )
    return s.lay(
        "the key becomes a character", time_s, "stored charge", after=after,
        marginal_J=_work(s, time_s), bytes_out=s["computer.host.window_event_B"], typing_time_s=typed_s,
    )  # fmt: skip


def _lay_browser(way: Way, after: Mark) -> Mark:
    s = way.stage(browser)
    handler_s = s["computer.host.handler_s"]
    wait_s = s.use(browser.loop_wait_s, **_loop(s))
    return s.lay(
        "the page hears of the key", wait_s + handler_s, "stored charge", after=after,
        marginal_J=_work(s, handler_s), loop_wait_s=wait_s,
    )  # fmt: skip


def _lay_request(way: Way, after: Mark) -> Mark:
    s = way.stage(request)
    prompt_B = s["prompt.text.bytes_B"]
    parts = ("escape_factor", "envelope_B", "history_B", "header_B", "cookie_B")
    size_B = s.use(request.request_size_B, bytes_B=prompt_B, **{name: s[f"computer.host.{name}"] for name in parts})
    way.fact("request_B", size_B)
    time_s = s.use(
        request.build_time_s,
        size_B=size_B,
        serialize_rate_B_s=s["computer.host.serialize_rate_B_s"],
        request_overhead_s=s["computer.host.request_overhead_s"],
    )
    return s.lay(
        "the page writes the request", time_s, "stored charge", after=after, marginal_J=_work(s, time_s),
        bytes_in=prompt_B, bytes_out=size_B,
    )  # fmt: skip
