"""The long haul as it is laid on the way: the room alone, with a made-up cable and a made-up request."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.rooms import optics
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.way import Mark, Way

QAM = "optics.line=coherent-400g-openroadm"


@cache
def _haul(cable_m: float, *settings: str) -> dict[str, float]:
    """Lay the long haul there and back and return every number by ``span id/name``."""
    scenario = load_scenario("cloud").with_settings(settings)
    way = Way(scenario)
    way.fact("cable_m", way.graph.input("cable"))
    way.fact("request_wire_B", 2_000.0)
    way.fact("event_wire_B", 280.0)
    sent = optics.lay(way, Mark("start", 0.0, 0.0, 0.0))
    optics.lay(way, sent, back=True)
    names = [(f"{plan.id}/{name}", value) for plan in way.plans for name, value in plan.numbers.items()]
    keys = ["cable", *way.inputs]
    run = compile_numpy(way.graph, [way.graph.lift(value) for _, value in names], keys)
    values = run([np.float64(cable_m), *(np.float64(scenario.figure(key).value) for key in keys[1:])])
    return {name: float(value) for (name, _), value in zip(names, values, strict=True)}


@pytest.mark.parametrize("cable_km", [40.0, 800.0, 2_400.0, 6_000.0, 15_000.0])
@pytest.mark.parametrize("line", [(), (QAM,)])
def test_light_is_made_anew_before_error_correction_fails(cable_km: float, line: tuple[str, ...]) -> None:
    haul = _haul(cable_km * 1e3, *line)
    assert haul["optics.fec/margin_dB"] > 0.0
    assert haul["optics.fec/ideal_bit_error_ratio"] < haul["optics.fec/threshold_bit_error_ratio"]
    assert haul["optics.transceiver/conversions"] == haul["optics.coherent/conversions"] == haul["optics.fec/sections"]


def test_16qam_must_be_made_anew_where_qpsk_need_not() -> None:
    assert _haul(2.4e6)["optics.fec/sections"] == 1.0
    assert _haul(2.4e6, QAM)["optics.fec/sections"] > 2.0


def test_time_is_the_glass_and_some_microseconds() -> None:
    haul = _haul(2.4e6)
    flight = haul["optics.fiber/duration_s"]
    rest = sum(v for k, v in haul.items() if k.endswith("/duration_s") and not k.startswith("back.")) - flight
    assert flight == pytest.approx(2.4e6 * 1.468 / 299_792_458.0)
    assert 1e-6 < rest < 50e-6


def test_the_way_back_is_as_long_and_carries_less() -> None:
    haul = _haul(2.4e6)
    assert haul["back.optics.fiber/duration_s"] == haul["optics.fiber/duration_s"]
    ratio = haul["back.optics.transceiver/photons"] / haul["optics.transceiver/photons"]
    assert ratio == pytest.approx(280.0 / 2_000.0)


def test_every_channel_fits_its_slot_and_the_fiber_carries_them_all() -> None:
    for line in ((), (QAM,), ("optics.line=coherent-100g-openroadm",), ("optics.line=coherent-400zr",)):
        haul = _haul(8e4, *line)
        assert haul["optics.wdm/fits"] == 1.0
        assert haul["optics.wdm/capacity_bit_s"] <= 50e12


def test_a_request_costs_microjoules_of_light() -> None:
    haul = _haul(2.4e6)
    joules = sum(v for k, v in haul.items() if k.endswith("/allocated") and not k.startswith("back."))
    per_bit = joules / (8.0 * 2_000.0)
    assert 50e-12 < per_bit < 5e-9  # between a modern plug alone and a network of 2010 [W. Van Heddeghem et al.]


def test_a_line_under_the_sea_has_more_sites_and_less_loss_between_them() -> None:
    sea = _haul(6e6, "optics.amplifier=edfa-submarine", "optics.fiber=g654e")
    land = _haul(6e6)
    assert sea["optics.amplifier/sites"] > land["optics.amplifier/sites"]
    assert sea["optics.amplifier/gain_dB"] < land["optics.amplifier/gain_dB"]
    assert sea["optics.fec/gsnr_dB"] + 10.0 * np.log10(sea["optics.fec/spans_per_section"]) > land[
        "optics.fec/gsnr_dB"
    ] + 10.0 * np.log10(land["optics.fec/spans_per_section"])
