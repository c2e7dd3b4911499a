"""Derivations of the claims about: the datacenter, and energy, water and cost."""

from __future__ import annotations

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.datacenter import fabric, power

_SERVING = "servings/deepseek-v3-h800"
_CHIP = "accelerators/h800-sxm"
_REPLY_TOKENS = 500.0


def _hop_s(bench: Bench, switch: str) -> object:
    """Return the time of one switch with the error correction of the receiver before it, for a full frame."""
    rate_bit_s = bench[f"packet_switches/{switch}.rate_bit_s"]
    cross_s = bench.use(
        fabric.switch_s,
        size_B=1538.0,
        rate_bit_s=rate_bit_s,
        latency_s=bench[f"packet_switches/{switch}.latency_s"],
        cut_through=bench[f"packet_switches/{switch}.cut_through"],
    )
    correct_s = bench.use(
        fabric.fec_s,
        fec_block_bit=bench[f"packet_switches/{switch}.fec_block_bit"],
        rate_bit_s=rate_bit_s,
        fec_decode_s=bench[f"packet_switches/{switch}.fec_decode_s"],
    )
    return cross_s + correct_s


@derives("A056")
def hop_latency(bench: Bench) -> Finding:
    return Finding(
        _hop_s(bench, "tomahawk-5"),
        "A cut-through Ethernet switch of today and the error correction of one receiver, no queue. DeepSeek's own "
        "table (RoCE across leaves less RoCE under one leaf, over two switches) says 1.0 us, InfiniBand 0.45 us: the "
        "range stated fits InfiniBand and low-latency Ethernet, not the large switch that most datacenters run.",
    )


@derives("A057", latitude="about")
def edge_to_server(bench: Bench) -> Finding:
    hops = bench["datacenters/hyperscale-us.fabric_hops"]
    rate_bit_s = bench["packet_switches/tomahawk-5.rate_bit_s"]
    correct_s = bench.use(
        fabric.fec_s,
        fec_block_bit=bench["packet_switches/tomahawk-5.fec_block_bit"],
        rate_bit_s=rate_bit_s,
        fec_decode_s=bench["packet_switches/tomahawk-5.fec_decode_s"],
    )
    time_s = bench.use(
        fabric.path_s,
        hops=hops,
        switch_crossing_s=bench["packet_switches/tomahawk-5.latency_s"],
        fec_hop_s=correct_s,
        length_m=bench["datacenters/hyperscale-us.fabric_cable_m"],
        signal_speed_m_s=bench["datacenters/hyperscale-us.signal_speed_m_s"],
    )
    return Finding(
        time_s,
        "Leaf, spine and leaf with error correction at four receivers and some hundred meters of glass. It leaves out "
        "the border router (about 4 us more) and the gateway, which takes milliseconds: keys, limits, screening.",
    )


@derives("A085", latitude="order")
def request_energy(bench: Bench) -> Finding:
    energy_J = bench.trip("cloud", "datacenter.power/building_J")
    return Finding(
        energy_J / 3600.0,
        "The building's energy for the default trip (a paragraph from a full batch), overhead included, in Wh. Medians "
        "published in 2025 are 0.24 (Google, measured), 0.31 (Microsoft, modeled) and 0.30 (Epoch AI, modeled), for "
        "longer prompts and fleets that are not always full. The stated 1 to 10 Wh is 3 to 40 times even those: it "
        "fits long reasoning, or a batch of one, not a usual request.",
    )


@derives("C011")
def energy_to_write(bench: Bench) -> Finding:
    energy_J = bench.use(
        power.node_energy_per_token_J,
        accelerators_per_server=bench[f"{_SERVING}.accelerators_per_server"],
        rated_power_W=bench[f"{_CHIP}.rated_power_W"],
        rate_token_s=bench[f"{_SERVING}.output_rate_token_s"],
    )
    return Finding(
        energy_J,
        "Convention: eight accelerators at their rated 700 W over the published 14,800 answer tokens a second and "
        "server. It leaves out host, network, idle servers and the building, and rated power is more than what is "
        "drawn; with measured power of a whole server and PUE it is 0.6 to 0.7 J.",
    )


@derives("C012")
def energy_to_read(bench: Bench) -> Finding:
    energy_J = bench.use(
        power.node_energy_per_token_J,
        accelerators_per_server=bench[f"{_SERVING}.accelerators_per_server"],
        rated_power_W=bench[f"{_CHIP}.rated_power_W"],
        rate_token_s=bench[f"{_SERVING}.input_rate_token_s"],
    )
    return Finding(
        energy_J,
        "Convention: eight accelerators at their rated 700 W over the published 73,700 prompt tokens a second and "
        "server, 56.3 % of which were found in the cache and not computed: a token that is really read costs 0.17 J.",
    )


@derives("C016", latitude="about")
def energy_of_reply(bench: Bench) -> Finding:
    token_J = bench.use(
        power.node_energy_per_token_J,
        accelerators_per_server=bench[f"{_SERVING}.accelerators_per_server"],
        rated_power_W=bench[f"{_CHIP}.rated_power_W"],
        rate_token_s=bench[f"{_SERVING}.output_rate_token_s"],
    )
    return Finding(
        _REPLY_TOKENS * token_J,
        "500 times the energy to write a token, unrounded, by the same convention: accelerators at rated power only. "
        "Reading the prompt, host and building come on top.",
    )


@derives("C019")
def water_of_word(bench: Bench) -> Finding:
    on_site_L = bench.trip("cloud", "water_on_site_L")
    off_site_L = bench.trip("cloud", "water_off_site_L")
    words = bench.trip("cloud", "words")
    return Finding(
        (on_site_L + off_site_L) / words,
        "The page asks and gives no number. On site (evaporated by the building) and off site (by the power plants, "
        "also for the reader's screen and router, which draw most of it) of the default trip, over the words of its "
        "answer.",
        verdict="ill-defined",
    )
