"""The way of the full trip: room after room, from the finger to the word that is understood."""

from __future__ import annotations

from roundtrip.journey.rooms import computer, datacenter, display, energy, eye, keyboard, model, network
from roundtrip.journey.way import Way


def lay(way: Way) -> None:
    """Lay every room of the trip, and say how the summary follows from the spans."""
    sent = keyboard.lay(way)
    request = computer.lay(way, sent)
    model.prepare(way)
    if way.word("model.where") == "cloud":
        arrived = network.lay_out(way, request)
        placed = datacenter.lay_in(way, arrived)
        first = model.lay(way, placed)
        left = datacenter.lay_back(way, first)
        home = network.lay_back(way, left)
    else:
        placed = datacenter.lay_local(way, request)
        home = model.lay(way, placed)
    page = computer.lay_back(way, home)
    streamed = network.lay_stream(way, page)
    # A reasoning model's first word worth showing comes after its reasoning.
    light = display.lay(way, way.marks["stream.reasoning"])
    read = eye.lay(way, light, streamed)
    for room in (computer, network, display):
        room.lay_always_on(way, read)
    energy.lay(way)
    summarize(way)


def summarize(way: Way) -> None:
    """Write down the rule of each summary figure."""
    crossing = [p for p in way.plans if p.parent is None and not p.id.startswith(("stream.", "on."))]
    network = [p.id for p in crossing if p.room in ("network", "optics")]
    beside = ("datacenter.queue", "datacenter.power")
    inside = [p.id for p in crossing if p.room == "datacenter" and p.name not in beside]
    way.algebra.update(
        network_s={"sum_of": network},
        datacenter_s={"sum_of": inside},
        queue_s={"sum_of": ["datacenter.queue"]},
        prefill_s={"sum_of": ["model.prefill"]},
        decode_s={"sum_of": ["model.decode"]},
        time_per_output_token_s={"attribute_of": ["model.decode", "time_per_output_token_s"]},
        time_to_first_token_s={"end_of": "back.computer.browser"},
        time_to_first_answer_s={"end_of": "stream.reasoning"},
        time_to_last_token_s={"end_of": "stream.answer"},
        time_to_first_photon_s={"end_of": "display.panel"},
        time_to_first_word_s={"end_of": "eye.cortex"},
        time_to_last_word_s={"end_of": "eye.reading"},
        energy_J={"heads": True},
        body_J={"attribute_sum": "body_J"},
        serving_J={"rooms": ["datacenter", "model"]},
        water_on_site_L={"attribute_sum": "water_on_site_L"},
        water_off_site_L={"attribute_sum": "water_off_site_L"},
        water_L={"sum_figures": ["water_on_site_L", "water_off_site_L"]},
        carbon_g={"attribute_sum": "carbon_g"},
        cost_usd={"attribute_sum": "cost_usd"},
        words={"attribute_of": ["eye.reading", "words"]},
        tokens={"attribute_of": ["model.decode", "tokens"]},
        energy_per_word_J={"ratio": ["energy_J", "words"]},
        energy_per_token_J={"ratio": ["energy_J", "tokens"]},
        serving_per_token_J={"ratio": ["serving_J", "tokens"]},
        carbon_per_word_g={"ratio": ["carbon_g", "words"]},
        water_per_word_L={"ratio": ["water_L", "words"]},
        water_per_token_L={"ratio": ["water_L", "tokens"]},
        conversions={"attribute_sum": "conversions"},
    )
