"""Derivations of the claims about the keyboard: press, matrix, debouncing, report, USB, Bluetooth."""

from __future__ import annotations

import numpy as np

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.keyboard import bluetooth, debounce, hid_report, matrix, press, usb

BOARD, SWITCH = "keyboards/desktop-full-speed", "key_switches/mx-brown"


@derives("A001", latitude="about")
def press_time(bench: Bench) -> Finding:
    time_s = bench.use(
        press.travel_time_s,
        travel_m=bench["key_switches/scissor.travel_m"],
        acceleration_m_s2=bench["people/adult.acceleration_m_s2"],
    )
    return Finding(
        time_s,
        "Even acceleration over the 1.5 mm to the closing point of a laptop key; slow and fast fingers take 17 "
        "and 5 ms.",
    )


@derives("A002")
def laptop_travel(bench: Bench) -> Finding:
    return Finding(
        bench["key_switches/scissor.full_travel_m"],
        "2 mm for a scissor switch: the low end of the stated range; thin laptops of today have 1.0 to 1.5 mm.",
    )


@derives("A003")
def mechanical_travel(bench: Bench) -> Finding:
    return Finding(
        bench["key_switches/mx-brown.full_travel_m"],
        "4 mm to the bottom; the contact closes at 2 mm, and only that part of the way delays anything.",
    )


@derives("A004")
def direct_wires(bench: Bench) -> Finding:
    wires = bench.use(matrix.direct_wires, board_keys=bench[f"{BOARD}.board_keys"])
    return Finding(wires, "104 keys and a common return; as a matrix the same board has 22 wires.")


@derives("A005")
def basic_rate(bench: Bench) -> Finding:
    rate_Hz = bench.use(usb.poll_rate_Hz, poll_interval_s=bench["keyboards/desktop-low-speed.poll_interval_s"])
    return Finding(rate_Hz, "Low-speed boards may ask for 10 ms at best; hosts poll them every 8 ms.")


@derives("A006")
def gaming_rate(bench: Bench) -> Finding:
    rate_Hz = bench.use(usb.poll_rate_Hz, poll_interval_s=bench[f"{BOARD}.poll_interval_s"])
    return Finding(rate_Hz, "Full speed with bInterval 1: every frame of 1 ms.")


@derives("A007")
def fastest_rate(bench: Bench) -> Finding:
    rate_Hz = bench.use(usb.poll_rate_Hz, poll_interval_s=bench["keyboards/gaming-8k.poll_interval_s"])
    return Finding(rate_Hz, "High speed with bInterval 1: every microframe of 125 us.")


@derives("A008")
def scan_at_1000_Hz(bench: Bench) -> Finding:
    period_s = bench.use(matrix.scan_wait_s, scan_period_s=bench[f"{BOARD}.scan_period_s"], scan_phase=np.float64(1.0))
    return Finding(
        period_s,
        "1,000 Hz is how often the host asks, not how often the matrix is scanned: scans of 107 to 11,330 a "
        "second were "
        "measured on boards that are polled 1,000 times. That our typical board scans in 1 ms is its own affair.",
        verdict="ill-defined",
    )


@derives("A009")
def sensed_electrons(bench: Bench) -> Finding:
    watched_s = bench.use(
        debounce.defer_delay_s, bounce_s=bench[f"{SWITCH}.bounce_s"], debounce_s=bench[f"{BOARD}.debounce_s"]
    )
    electrons = bench.use(
        matrix.pull_up_electrons,
        voltage_V=bench[f"{BOARD}.voltage_V"],
        pull_up_ohm=bench[f"{BOARD}.pull_up_ohm"],
        hold_time_s=watched_s,
        scan_duty=bench.use(
            matrix.scan_duty,
            select_delay_s=bench[f"{BOARD}.select_delay_s"],
            scan_period_s=bench[f"{BOARD}.scan_period_s"],
        ),
    )
    return Finding(
        electrons,
        "Pull-up current over the milliseconds of debouncing, for the 3 % of them in which the column is driven. "
        "The stated "
        "count holds, but not by the stated way: the current is some 30 times larger (A113), and flows only in "
        "that share.",
    )


@derives("A113")
def held_current(bench: Bench) -> Finding:
    current_A = bench.use(
        matrix.pull_up_current_A, voltage_V=bench[f"{BOARD}.voltage_V"], pull_up_ohm=bench[f"{BOARD}.pull_up_ohm"]
    )
    return Finding(
        current_A,
        "5 V over 35 kohm is 143 uA, and 500 uA over the usual 10 kohm; a few microamperes would need a megohm. "
        "Averaged over "
        "the scan (3 % of the time) it comes to 4 uA, which may be what was meant; the text says the current "
        "when pulled low.",
    )


@derives("A114")
def scan_per_poll(bench: Bench) -> Finding:
    same = bench["keyboards/laptop.scan_period_s"] == bench["keyboards/laptop.poll_interval_s"]
    return Finding(
        bool(np.all(same)),
        "The controller's scan and the host's poll are two clocks that know nothing of each other: a laptop "
        "scans every 7 ms and "
        "is polled every 8, others scan several times between two polls. Neither rate follows from the other.",
        basis="looked-up",
        verdict="ill-defined",
    )


@derives("A010")
def ghosting(bench: Bench) -> Finding:
    corners = {(0, 0), (0, 1), (1, 0)}
    ghost = bench.use(matrix.ghosts, held=corners, diodes=False)
    none = bench.use(matrix.ghosts, held=corners, diodes=True)
    return Finding(
        ghost == {(1, 1)} and not none, "Current followed through held keys, with and without diodes.", basis="tested"
    )


@derives("A011")
def bounce(bench: Bench) -> Finding:
    return Finding(
        bench[f"{SWITCH}.bounce_s"],
        "18 switches on an oscilloscope bounced for 1.6 ms on average and nearly always less than 6.2; Cherry "
        "specifies 5 at most.",
    )


@derives("A012")
def report_length(bench: Bench) -> Finding:
    size_B = bench.use(hid_report.report_size_B, rollover_keys=bench["keyboards/laptop.rollover_keys"])
    return Finding(
        size_B,
        "Modifiers, a reserved byte, six keys: the list that the document lost. Only the boot report is so; "
        "boards with more "
        "rollover send longer ones.",
    )


@derives("A013")
def usage_of_a(bench: Bench) -> Finding:
    return Finding(
        float(bench.use(hid_report.usage_id, name="a")), "HID usage tables, keyboard page.", basis="looked-up"
    )


@derives("A014")
def low_speed(bench: Bench) -> Finding:
    return Finding(bench["keyboards/desktop-low-speed.rate_bit_s"], "USB 2.0, section 7.1.11.")


@derives("A015")
def full_speed(bench: Bench) -> Finding:
    return Finding(bench[f"{BOARD}.rate_bit_s"], "USB 2.0, section 7.1.11.")


@derives("A016")
def high_speed(bench: Bench) -> Finding:
    return Finding(bench["keyboards/gaming-8k.rate_bit_s"], "USB 2.0, section 7.1.11.")


@derives("A017")
def common_interval(bench: Bench) -> Finding:
    return Finding(
        bench["keyboards/laptop.poll_interval_s"],
        "8 ms in the middle of what boards advertise; the fastest ask for 0.125 ms.",
    )


@derives("A018")
def longest_interval(bench: Bench) -> Finding:
    interval_s = bench.use(usb.full_speed_interval_s, b_interval=np.float64(0xFF))
    return Finding(interval_s, "bInterval is one byte and counts frames of 1 ms.")


@derives("A019")
def low_speed_interval(bench: Bench) -> Finding:
    interval_s = bench.use(usb.low_speed_interval_s, b_interval=np.float64(1.0))
    return Finding(
        interval_s, "The least is 10 ms, the most 255 by the one byte of bInterval; hosts poll every 8 ms all the same."
    )


@derives("A020")
def bluetooth_adds(bench: Bench) -> Finding:
    board = "keyboards/bluetooth"
    interval_s, loss = bench[f"{board}.connection_interval_s"], bench[f"{board}.radio_loss"]
    size_B = bench.use(hid_report.report_size_B, rollover_keys=bench[f"{board}.rollover_keys"])
    added_s = (
        bench.use(bluetooth.event_wait_s, connection_interval_s=interval_s, poll_phase=bench[f"{board}.poll_phase"])
        + bench.use(bluetooth.retry_wait_s, connection_interval_s=interval_s, radio_loss=loss)
        + bench.use(bluetooth.air_time_s, report_B=size_B, rate_bit_s=bench[f"{board}.rate_bit_s"])
        + bench[f"{board}.radio_stack_s"]
    )
    return Finding(
        added_s,
        "Wait for the radio's next event (15 ms apart), retries, air time, software; intervals of 7.5 to 30 ms "
        "span 6 to 20 ms.",
    )
