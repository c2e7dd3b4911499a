"""The datacenter and its energy on the way: sums that must close, whatever the other rooms put in them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario
from roundtrip.trace.model import Span, Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return forecast(scenario="cloud", samples=0)


def value(key: str, scenario: str = "cloud") -> float:
    return load_scenario(scenario).figure(key).value


def inside(span: Span) -> bool:
    return span.room in ("datacenter", "model")


def body(span: Span) -> bool:
    return span.carrier in ("motion", "chemistry") or span.room == "eye"


def test_the_building_adds_pue_to_everything_inside_and_to_nothing_else(trace: Trace) -> None:
    power = trace.span("datacenter.power")
    equipment_J = sum(s.total_J or 0.0 for s in trace.spans if inside(s) and s is not power)
    assert power.attributes["equipment_J"] == pytest.approx(equipment_J)
    assert power.total_J == pytest.approx(equipment_J * (value("datacenter.site.pue") - 1.0))
    assert power.attributes["building_J"] == pytest.approx(equipment_J + (power.total_J or 0.0))


def test_power_lasts_from_the_arrival_to_the_last_token(trace: Trace) -> None:
    power, decode = trace.span("datacenter.power"), trace.span("model.decode")
    assert power.start_s == pytest.approx(trace.span("datacenter.border").start_s)
    assert power.end_s == pytest.approx(decode.end_s)


def test_carbon_and_water_follow_each_span_s_joules_and_place(trace: Trace) -> None:
    for span in trace.spans:
        if span.total_J is None or body(span):
            assert "carbon_g" not in span.attributes, span.id
            continue
        grid = "datacenter.grid" if inside(span) else "computer.grid"
        kWh = span.total_J / 3.6e6
        assert span.attributes["carbon_g"] == pytest.approx(kWh * value(f"{grid}.carbon_intensity_g_kWh")), span.id
        assert span.attributes["water_off_site_L"] == pytest.approx(kWh * value(f"{grid}.water_intensity_L_kWh")), (
            span.id
        )
        assert "cost_usd" in span.attributes, span.id


def test_water_on_site_is_counted_once_over_the_equipment(trace: Trace) -> None:
    power = trace.span("datacenter.power")
    on_site_L = sum(float(s.attributes.get("water_on_site_L", 0.0)) for s in trace.spans)
    expected = float(power.attributes["equipment_J"]) / 3.6e6 * value("datacenter.site.water_usage_L_kWh")
    assert on_site_L == pytest.approx(expected)
    assert "water_on_site_L" not in power.attributes


def test_the_grids_stand_among_the_sources(trace: Trace) -> None:
    for place in ("datacenter.grid", "computer.grid"):
        for field in ("carbon_intensity_g_kWh", "water_intensity_L_kWh", "price_usd_kWh"):
            assert load_scenario("cloud").figure(f"{place}.{field}").source in trace.sources


def test_parts_fill_their_whole(trace: Trace) -> None:
    for whole in ("datacenter.gateway", "datacenter.fabric", "back.datacenter.fabric"):
        parts = [s for s in trace.spans if s.parent == whole]
        assert sum(p.duration_s for p in parts) == pytest.approx(trace.span(whole).duration_s)
        assert parts[0].start_s == pytest.approx(trace.span(whole).start_s)


def test_the_way_in_is_one_chain(trace: Trace) -> None:
    chain = ["border", "gateway", "balancer", "fabric", "nic", "queue"]
    for before, after in pairwise(chain):
        assert trace.span(f"datacenter.{after}").start_s == pytest.approx(trace.span(f"datacenter.{before}").end_s)


def test_on_the_device_only_the_queue_is_left() -> None:
    trace = forecast(scenario="device", samples=0)
    assert [s.id for s in trace.spans if s.room == "datacenter"] == ["datacenter.queue"]
    assert sum(float(s.attributes.get("water_on_site_L", 0.0)) for s in trace.spans) == 0.0


def test_a_dirtier_grid_makes_more_carbon_and_nothing_else() -> None:
    here = forecast(scenario="cloud", samples=0)
    there = forecast(scenario=load_scenario("cloud").with_settings(["datacenter.grid=poland"]), samples=0)
    assert there.span("model.decode").attributes["carbon_g"] > here.span("model.decode").attributes["carbon_g"]
    assert there.summary["time_to_first_token_s"] == here.summary["time_to_first_token_s"]
    assert there.summary["energy_J"] == here.summary["energy_J"]
