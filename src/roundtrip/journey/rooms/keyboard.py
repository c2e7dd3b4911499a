"""The keyboard on the way: the last key press, from the finger to the report in the host's memory."""

from __future__ import annotations

from typing import Any

from roundtrip.journey.way import Mark, Way
from roundtrip.stages.keyboard import bluetooth, debounce, hid_report, matrix, press, switch, touch, usb

BUS_TIME = {"low": usb.bus_time_low_s, "full": usb.bus_time_full_s, "high": usb.bus_time_high_s}


def lay(way: Way) -> Mark:
    """Lay the press of Enter: only the last key delays the prompt. Sets the fact ``report_B``."""
    pressed = _lay_press(way)
    connection = way.word("keyboard.board.connection")
    if connection == "touch":
        return _lay_touch(way, pressed)
    accepted = _lay_debounce(way, _lay_matrix(way, _lay_switch(way, pressed)))
    written = _lay_report(way, accepted)
    return _lay_bluetooth(way, written) if connection == "bluetooth" else _lay_usb(way, written)


def _lay_press(way: Way) -> Mark:
    s = way.stage(press)
    travel_m = s["keyboard.switch.travel_m"]
    travel_s = s.use(press.travel_time_s, travel_m=travel_m, acceleration_m_s2=s["person.who.acceleration_m_s2"])
    work_J = s.use(press.work_J, force_N=s["keyboard.switch.force_N"], travel_m=s["keyboard.switch.full_travel_m"])
    return s.lay("the finger presses the key", travel_s, "motion", marginal_J=work_J)


def _lay_switch(way: Way, after: Mark) -> Mark:
    s = way.stage(switch)
    capacitance_F = s["keyboard.board.line_capacitance_F"]
    travel_m = s["keyboard.switch.travel_m"]
    closing_s = s.use(
        switch.closing_time_s,
        contact_resistance_ohm=s["keyboard.switch.contact_resistance_ohm"],
        line_capacitance_F=capacitance_F,
        threshold_share=s["keyboard.board.threshold_share"],
    )
    energy_J = s.use(switch.line_energy_J, line_capacitance_F=capacitance_F, voltage_V=s["keyboard.board.voltage_V"])
    speed_m_s = s.use(switch.impact_speed_m_s, acceleration_m_s2=s["person.who.acceleration_m_s2"], travel_m=travel_m)
    spring_J = s.use(
        switch.spring_work_J,
        preload_N=s["keyboard.switch.preload_N"],
        actuation_force_N=s["keyboard.switch.actuation_force_N"],
        travel_m=travel_m,
    )
    return s.lay(
        "the contacts meet", closing_s, "moving charge", after=after, marginal_J=energy_J,
        impact_speed_m_s=speed_m_s, spring_work_J=spring_J,
    )  # fmt: skip


def _lay_matrix(way: Way, after: Mark) -> Mark:
    s = way.stage(matrix)
    period_s = s["keyboard.board.scan_period_s"]
    wait_s = s.use(matrix.scan_wait_s, scan_period_s=period_s, scan_phase=s["keyboard.board.scan_phase"])
    duty = s.use(matrix.scan_duty, select_delay_s=s["keyboard.board.select_delay_s"], scan_period_s=period_s)
    held = {
        "voltage_V": s["keyboard.board.voltage_V"],
        "pull_up_ohm": s["keyboard.board.pull_up_ohm"],
        "hold_time_s": s["person.who.hold_time_s"],
        "scan_duty": duty,
    }
    electrons = s.use(matrix.pull_up_electrons, **held)
    energy_J = s.use(matrix.pull_up_energy_J, **held)
    return s.lay("the scan reaches the key", wait_s, "waiting", after=after, electrons=electrons, marginal_J=energy_J)


def _lay_debounce(way: Way, after: Mark) -> Mark:
    s = way.stage(debounce)
    bounce_s, quiet_s = s["keyboard.switch.bounce_s"], s["keyboard.board.debounce_s"]
    chatter = s.use(debounce.chatter_chance, bounce_s=bounce_s, debounce_s=quiet_s)
    if way.word("keyboard.board.debounce") == "eager":
        # The first closed reading is reported at once: no time passes, and this is what an eager firmware is for.
        return s.lay("firmware believes at once", 0.0, "waiting", after=after, chatter_chance=chatter)
    scans_s = s.use(debounce.whole_scans_s, debounce_s=quiet_s, scan_period_s=s["keyboard.board.scan_period_s"])
    delay_s = s.use(debounce.defer_delay_s, bounce_s=bounce_s, debounce_s=scans_s)
    return s.lay("firmware waits for quiet", delay_s, "waiting", after=after)


def _lay_report(way: Way, after: Mark) -> Mark:
    s = way.stage(hid_report)
    cycles = s["keyboard.board.firmware_cycles"]
    size_B = s.use(hid_report.report_size_B, rollover_keys=s["keyboard.board.rollover_keys"])
    way.fact("report_B", size_B)
    time_s = s.use(hid_report.assembly_time_s, firmware_cycles=cycles, clock_Hz=s["keyboard.board.clock_Hz"])
    energy_J = s.use(
        hid_report.assembly_energy_J, firmware_cycles=cycles, energy_per_cycle_J=s["keyboard.board.energy_per_cycle_J"]
    )
    return s.lay("a report is written", time_s, "stored charge", after=after, marginal_J=energy_J, bytes_out=size_B)


def _lay_usb(way: Way, after: Mark) -> Mark:
    s = way.stage(usb)
    size_B: Any = way.facts["report_B"]
    interval_s = s["keyboard.board.poll_interval_s"]
    wait_s = s.use(usb.poll_wait_s, poll_interval_s=interval_s, poll_phase=s["keyboard.board.poll_phase"])
    bus_s = s.use(BUS_TIME[way.word("keyboard.board.speed")], report_B=size_B)
    bits = s.use(usb.wire_bits, report_B=size_B)
    energy_J = s.use(
        usb.signal_energy_J,
        line_bits=bits,
        line_capacitance_F=s["keyboard.board.cable_capacitance_F"],
        voltage_V=s["keyboard.board.signal_voltage_V"],
    )
    rate_Hz = s.use(usb.poll_rate_Hz, poll_interval_s=interval_s)
    return s.lay(
        "the host polls the keyboard", wait_s + bus_s, "moving charge", after=after, marginal_J=energy_J,
        bytes_in=size_B, bytes_out=size_B, bus_time_s=bus_s, poll_rate_Hz=rate_Hz,
    )  # fmt: skip


def _lay_bluetooth(way: Way, after: Mark) -> Mark:
    s = way.stage(bluetooth)
    size_B: Any = way.facts["report_B"]
    interval_s, rate_bit_s = s["keyboard.board.connection_interval_s"], s["keyboard.board.rate_bit_s"]
    loss = s["keyboard.board.radio_loss"]
    wait_s = s.use(bluetooth.event_wait_s, connection_interval_s=interval_s, poll_phase=s["keyboard.board.poll_phase"])
    retry_s = s.use(bluetooth.retry_wait_s, connection_interval_s=interval_s, radio_loss=loss)
    air_s = s.use(bluetooth.air_time_s, report_B=size_B, rate_bit_s=rate_bit_s)
    energy_J = s.use(
        bluetooth.radio_energy_J,
        radio_power_W=s["keyboard.board.radio_power_W"],
        report_B=size_B,
        rate_bit_s=rate_bit_s,
        radio_loss=loss,
    )
    return s.lay(
        "radio carries the report", wait_s + retry_s + air_s + s["keyboard.board.radio_stack_s"],
        "photons", after=after, marginal_J=energy_J, bytes_in=size_B, bytes_out=size_B, air_time_s=air_s,
    )  # fmt: skip


def _lay_touch(way: Way, after: Mark) -> Mark:
    s = way.stage(touch)
    period_s, frames = s["keyboard.board.sense_period_s"], s["keyboard.board.filter_frames"]
    pulses = s["keyboard.board.drive_cycles"]
    size_B = way.fact("report_B", s["keyboard.board.report_B"])
    delay_s = s.use(
        touch.report_delay_s, sense_period_s=period_s, scan_phase=s["keyboard.board.scan_phase"], filter_frames=frames
    )
    reading_s = s.use(
        touch.frame_time_s,
        drive_lines=s["keyboard.board.drive_lines"],
        drive_cycles=pulses,
        drive_frequency_Hz=s["keyboard.board.drive_frequency_Hz"],
    )
    electrons = s.use(
        touch.signal_electrons,
        capacitance_change_F=s["keyboard.board.capacitance_change_F"],
        voltage_V=s["keyboard.board.voltage_V"],
        drive_cycles=pulses,
    )
    energy_J = s.use(
        touch.reading_energy_J,
        controller_power_W=s["keyboard.board.controller_power_W"],
        sense_period_s=period_s,
        filter_frames=frames,
    )
    return s.lay(
        "the glass feels the finger", delay_s, "waiting", after=after, electrons=electrons, marginal_J=energy_J,
        bytes_out=size_B, reading_time_s=reading_s,
    )  # fmt: skip
