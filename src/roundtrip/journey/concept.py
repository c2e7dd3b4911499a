"""The way of the preset ``concept``: the four sliders of "Your Prompt's Round Trip", and nothing else."""

from __future__ import annotations

from roundtrip.journey.way import Way
from roundtrip.stages.datacenter import queue
from roundtrip.stages.model import decode, prefill
from roundtrip.stages.network import route


def lay(way: Way) -> None:
    """Lay network out, queue, prefill, network back and decode."""
    s = way.stage(route)
    one_way_s = s.use(
        route.travel_time_s, length_m=s["concept.lab.distance_m"], speed_m_s=s["concept.lab.signal_speed_m_s"]
    )
    out = s.lay("the prompt crosses the network", one_way_s, "photons")

    q = way.stage(queue)
    waiting = q.lay("the prompt waits for a free place", q["concept.lab.queue_wait_s"], "waiting", after=out)

    p = way.stage(prefill)
    prefill_s = p.use(
        prefill.tokens_time_s, tokens=p["concept.lab.prompt_tokens"], rate_token_s=p["concept.lab.prefill_rate_token_s"]
    )
    read = p.lay("the model reads the prompt", prefill_s, "moving charge", after=waiting)

    back = s.lay("the first word crosses the network", one_way_s, "photons", after=read, id="back.network.route")

    d = way.stage(decode)
    decode_s = d.use(
        prefill.tokens_time_s, tokens=d["concept.lab.output_tokens"], rate_token_s=d["concept.lab.decode_rate_token_s"]
    )
    d.lay("the model writes the answer", decode_s, "moving charge", after=back)

    way.algebra.update(
        network_s={"sum_of": ["network.route", "back.network.route"]},
        queue_s={"sum_of": ["datacenter.queue"]},
        prefill_s={"sum_of": ["model.prefill"]},
        decode_s={"sum_of": ["model.decode"]},
        time_to_first_token_s={"end_of": "back.network.route"},
        time_to_last_token_s={"end_of": "model.decode"},
    )
