"""Derivations of the claims about the computer: interrupt, key event, memory, request."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.journey.scenario import DEFAULT_PROMPT
from roundtrip.stages.computer import interrupt, key_event, memory, request
from roundtrip.stages.keyboard import hid_report

HOST = "hosts/laptop"


@derives("A021", latitude="order")
def handler_entry(bench: Bench) -> Finding:
    entry_s = bench.use(
        interrupt.entry_time_s,
        wake_s=bench["hosts/desktop.wake_s"],
        entry_cycles=bench["hosts/desktop.entry_cycles"],
        clock_Hz=bench["hosts/desktop.clock_Hz"],
    )
    return Finding(
        entry_s,
        "A desktop's core out of a light sleep. An awake core needs a third of a microsecond; a laptop's core, "
        "which sleeps deeper "
        "between two keys, some 200 us, and this is what the laptop's trip counts.",
    )


@derives("A022")
def key_code_of_a(bench: Bench) -> Finding:
    code = bench.use(key_event.key_code, usage=bench.use(hid_report.usage_id, name="a"))
    return Finding(float(code), "Linux's table from usage id to key code; X11 counts 8 more.", basis="looked-up")


@derives("A023")
def cell_electrons(bench: Bench) -> Finding:
    return Finding(
        bench.use(memory.cell_electrons, **_cell(bench)),
        "20 fF at 1.05 V. With the capacitance that the document itself gives (A115), its electrons would be a "
        "cell at 0.12 to 0.4 V; "
        "the stated count fits a cell of 4.6 to 7.6 fF, smaller than any that we found a source for.",
    )


@derives("A024")
def refresh_interval(bench: Bench) -> Finding:
    interval_s = 8_192.0 * bench[f"{HOST}.refresh_gap_s"]
    return Finding(interval_s, "8,192 refresh commands 7.8 us apart, 64 ms; half of it from 85 to 95 C.")


@derives("A025")
def refreshes(bench: Bench) -> Finding:
    rate_Hz = bench.use(memory.refresh_rate_Hz, refresh_interval_s=bench[f"{HOST}.refresh_interval_s"])
    return Finding(rate_Hz, "1 over 64 ms is 15.6, which rounds to the stated 16; hot memory is refreshed 31 times.")


@derives("A026")
def event_size(bench: Bench) -> Finding:
    return Finding(
        _state_B(bench),
        "Three kernel events of 24 bytes, 32 bytes of the window system, some hundreds of the browser's object.",
    )


@derives("A027")
def event_electrons(bench: Bench) -> Finding:
    electrons = bench.use(
        memory.stored_electrons, size_B=_state_B(bench), ones_share=bench[f"{HOST}.ones_share"], **_cell(bench)
    )
    return Finding(
        electrons,
        "404 bytes, half of the bits one, 1.3e5 electrons each: the error of A023 carried on. The band reaches "
        "below 1e8.",
    )


@derives("A115")
def cell_capacitance(bench: Bench) -> Finding:
    return Finding(
        bench[f"{HOST}.cell_capacitance_F"],
        "20 fF for low-power, 30 for commodity DRAM in CACTI, 35 in a textbook. The claim holds, but not "
        "together with A023, "
        "whose electrons on this capacitance are 0.12 to 0.4 V.",
    )


@derives("A028")
def request_size(bench: Bench) -> Finding:
    parts = ("escape_factor", "envelope_B", "history_B", "header_B", "cookie_B")
    size_B = bench.use(
        request.request_size_B,
        bytes_B=np.float64(len(DEFAULT_PROMPT.encode("utf-8"))),
        **{name: bench[f"{HOST}.{name}"] for name in parts},
    )
    return Finding(
        size_B,
        "Header lines 667 bytes, cookie 1,000, JSON 255, and the prompt's 24: the list that the document lost is "
        "the header lines, "
        "the token that says who asks, the model's name, the messages, the wish to stream, settings.",
    )


def _cell(bench: Bench) -> dict[str, Any]:
    return {name: bench[f"{HOST}.{name}"] for name in ("cell_capacitance_F", "cell_voltage_V")}


def _state_B(bench: Bench) -> Any:
    names = ("input_events", "window_event_B", "event_object_B")
    return bench.use(key_event.state_size_B, **{name: bench[f"{HOST}.{name}"] for name in names})
