"""What the scenario says of the way that is carried: the forecast's times, the line, the keyboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roundtrip.errors import CatalogError, ScenarioError
from roundtrip.journey.carry.keys import Board
from roundtrip.journey.carry.light import Broken, Section
from roundtrip.journey.forecast import forecast
from roundtrip.journey.links import Line, read
from roundtrip.journey.scenario import Scenario
from roundtrip.trace.model import Trace

BASE = "1200-km"  # what a line of the trip does not say is as in this link


@dataclass(frozen=True, slots=True)
class Setting:
    """The way of a trip.

    Attributes
    ----------
    scenario : Scenario
    trace : Trace
        The forecast of the trip.
    one_way_s : float
        From the computer to the datacenter's border, one way [s].
    rate_bit_s : float
        Of the access line [bit/s].
    hops : int
        Routers.
    sections : int
        Times that the light is received and sent anew, plus one.
    first_s : float
        From the request's arrival to the first token's way back [s].
    step_s : float
        From token to token [s].
    board : Board
    """

    scenario: Scenario
    trace: Trace
    one_way_s: float
    rate_bit_s: float
    hops: int
    sections: int
    first_s: float
    step_s: float
    board: Board


def setting(scenario: Scenario) -> Setting:
    """Return what the scenario says.

    Raises
    ------
    ScenarioError
        If the model runs on the person's own device: then nothing travels.
    """
    if scenario.choices["model.where"] != "cloud":
        raise ScenarioError("--carry needs a way to travel: in this scenario the model runs on the device itself")
    trace = forecast(None, scenario, samples=0)
    spans = {span.id: span for span in trace.spans}
    if "optics.fec" not in spans:
        raise ScenarioError("--carry needs a trip over the long haul: this scenario counts stages in round numbers")
    out_s = spans["datacenter.border"].start_s - spans["network.http"].start_s - spans["network.loss"].duration_s
    first_s = spans["back.network.route"].start_s - spans["datacenter.border"].start_s
    return Setting(
        scenario,
        trace,
        out_s,
        scenario.figure("network.access.uplink_rate_bit_s").value,
        round(float(spans["network.route"].attributes["hops"])),
        round(float(spans["optics.fec"].attributes["sections"])),
        first_s,
        float(trace.summary["time_per_output_token_s"]),
        _board(scenario),
    )


def _board(scenario: Scenario) -> Board:
    names = ("keyboard.switch.bounce_s", "keyboard.board.debounce_s", "keyboard.board.poll_interval_s")
    try:
        bounce_s, debounce_s, poll_s = (scenario.figure(name).value for name in names)
    except CatalogError:
        board = scenario.choices["keyboard.board"]
        raise ScenarioError(f"--carry types on keys: {board!r} has none (keyboard.board=laptop has)") from None
    return Board(
        typing_interval_s=scenario.figure("person.who.typing_interval_s").value,
        bounce_s=bounce_s,
        debounce_ms=max(round(debounce_s * 1e3), 1),
        interval_ms=max(round(poll_s * 1e3), 1),
    )


def sections(where: Setting, broken: Broken) -> list[Section]:
    """Return the sections of the long haul, as the forecast has planned them."""
    nodes = float(next(span for span in where.trace.spans if span.id == "optics.roadm").attributes["nodes"])
    return [Section(line(where), broken, round(nodes / where.sections)) for _ in range(where.sections)]


def line(where: Setting) -> Line:
    """Return one section of the trip's line: its spans and amplifiers at the planned power.

    As in the forecast, nodes on the way cut the band and make up for their loss, and add no noise of their own.
    """
    s = where.scenario
    spans = {span.id: span for span in where.trace.spans}
    plan, glass = spans["optics.fec"].attributes, spans["optics.fiber"].attributes
    count = max(round(float(plan["spans_per_section"])), 1)
    span_km = float(glass["length_m"]) / 1e3 / (count * where.sections)
    noise_dB = s.figure("optics.amplifier.noise_figure_dB").value
    ends = [s.figure(f"optics.{name}").value for name in ("line.transmitter_osnr_dB", "roadm.add_drop_osnr_dB")]
    slot_Hz = s.figure("optics.line.slot_width_Hz").value
    channels = round(float(spans["optics.wdm"].attributes["channels"]))
    middle_Hz = 299_792_458.0 / s.figure("optics.line.wavelength_m").value
    settings: dict[str, Any] = {
        "chain": f"{count} x ({span_km!r} km {s.choices['optics.fiber']}, amp {noise_dB!r})",
        "line": s.choices["optics.line"], "amplifier": s.choices["optics.amplifier"],
        "roadm": s.choices["optics.roadm"],
        "channels": channels, "channel_spacing_Hz": slot_Hz, "lowest_channel_Hz": middle_Hz - 0.5 * channels * slot_Hz,
        "symbol_rate_Hz": s.figure("optics.line.symbol_rate_Hz").value, "launch_power_dBm": plan["best_launch_dBm"],
        "connector_loss_dB": s.figure("optics.amplifier.connector_loss_dB").value,
        "transmitter_osnr_dB": -10.0 * float(np.log10(sum(10.0 ** (-osnr_dB / 10.0) for osnr_dB in ends))),
    }  # fmt: skip
    return read(BASE, [f"{name}={value}" for name, value in settings.items()])


def with_board(where: Setting, **changes: Any) -> Setting:
    """Return the setting with another keyboard."""
    return replace(where, board=replace(where.board, **changes))
