"""Derivations of the claims of "How a chatbot writes one word" about the model and its chip.

The conventions of the page are named where they decide: each operation a sum, one byte a weight, one stream alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.catalog.load import sources
from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.model import attention, decode, experts, prefill, silicon, weights

DAY_S = 86_400.0
V3, CHIP, SERVED = "models/deepseek-v3", "accelerators/h800-sxm", "servings/deepseek-v3-h800"
TABLE = "embedding_tables/smollm2-135m"


def token_flop(bench: Bench, model: str) -> Any:
    """Return the operations of a token in the weights of a model, two for each that is used."""
    return bench.use(prefill.linear_flop, active_parameters=bench[f"models/{model}.active_parameters"], tokens=1.0)


def reader_rate_token_s(bench: Bench) -> Any:
    """Return the tokens a second of one reader of the preset `cloud`."""
    return 1.0 / bench.trip("cloud", "time_per_output_token_s")


@derives("C001")
def chip_power(bench: Bench) -> Finding:
    return Finding(
        bench[f"{CHIP}.rated_power_W"], "Rated power of the SXM module; in serving cards draw 0.5 to 0.96 of it."
    )


@derives("C002")
def vector_width(bench: Bench) -> Finding:
    return Finding(bench[f"{V3}.hidden_width"], "Configuration of the model.")


def _layer_shape(bench: Bench) -> dict[str, Any]:
    names = ("hidden_width", "heads", "head_width", "rope_width", "value_width", "query_rank", "kv_rank")
    layer = bench.use(attention.mla_parameters, **{name: bench[f"{V3}.{name}"] for name in names})
    width, hidden = bench[f"{V3}.expert_width"], bench[f"{V3}.hidden_width"]
    return {
        "layers": bench[f"{V3}.layers"],
        "attention_parameters": layer,
        "dense_layers": bench[f"{V3}.dense_layers"],
        "dense_parameters": bench.use(
            weights.gated_parameters, hidden_width=hidden, inner_width=bench[f"{V3}.inner_width"]
        ),
        "expert_parameters": bench.use(experts.expert_parameters, hidden_width=hidden, expert_width=width),
        "shared_experts": bench[f"{V3}.shared_experts"],
        "table_parameters": 2.0 * hidden * bench[f"{V3}.vocabulary"],
    }


@derives("C003")
def held(bench: Bench) -> Finding:
    count = bench.use(weights.model_parameters, experts=bench[f"{V3}.experts"], **_layer_shape(bench))
    return Finding(
        count, "Added up from the model's shape: attention, 58 layers of 257 experts, three plain ones, tables."
    )


@derives("C004")
def used(bench: Bench) -> Finding:
    count = bench.use(weights.model_parameters, experts=bench[f"{V3}.picked_experts"], **_layer_shape(bench))
    return Finding(
        count,
        "Added up from the model's shape with 8 of 256 experts, both tables counted. Without the table of the "
        "input, which is looked up and not multiplied with, it is 36.6 billion; the maker rounds to 37.",
    )


@derives("C006")
def operations(bench: Bench) -> Finding:
    return Finding(
        token_flop(bench, "deepseek-v3"),
        "2 x 37e9: a multiplication and an addition for each weight used. Attention over the context comes on top: "
        "17 Gflop at 1,000 tokens, 85 at the 4,989 of the service, in the absorbed form that it uses.",
    )


@derives("C007", latitude="about")
def people_days(bench: Bench) -> Finding:
    time_s = bench.use(silicon.people_time_s, flop=bench[f"{CHIP}.fp8_rate_flop_s"], flop_per_sum=1.0)
    return Finding(
        time_s / DAY_S,
        "1,979 Tflop/s in 8 bit, each multiplication and each addition counted as a sum. By the page's own "
        "definition (a sum multiplies and adds) 1.4 days; in 16 bit half of either.",
    )


@derives("C008")
def people_sums(bench: Bench) -> Finding:
    time_s = bench.use(silicon.people_time_s, flop=token_flop(bench, "deepseek-v3"), flop_per_sum=1.0)
    return Finding(time_s, "74e9 over 8e9 people, each operation a sum; 4.6 by the page's own definition of a sum.")


@derives("C009")
def bytes_read(bench: Bench) -> Finding:
    size_B = bench.use(weights.held_B, parameters=bench[f"{V3}.active_parameters"], weight_B=bench[f"{V3}.weight_B"])
    return Finding(
        size_B, "One byte for each of the weights used, for one stream alone; a batch shares most of the read."
    )


@derives("C010")
def read_time(bench: Bench) -> Finding:
    size_B = bench.use(weights.held_B, parameters=bench[f"{V3}.active_parameters"], weight_B=bench[f"{V3}.weight_B"])
    time_s = bench.use(decode.memory_bound_time_s, size_B=size_B, bandwidth_B_s=bench[f"{CHIP}.bandwidth_B_s"])
    return Finding(
        time_s,
        "37e9 B over 3.35e12 B/s, at the full rate of a chip that would hold the whole model; none does (671 GB "
        "against 80). It is not the wait for a token: a step of the service takes 45 to 50 ms, since 88 streams a "
        "chip read 31 GB of cache, each half of the batch reads 21 GB of weights, and layers launch, compute and "
        "exchange.",
    )


@derives("C013")
def scores(bench: Bench) -> Finding:
    return Finding(
        bench[f"{V3}.vocabulary"], "Rows of the output table; a few hundred of them are padding and stand for no token."
    )


@derives("C014")
def layers(bench: Bench) -> Finding:
    return Finding(bench[f"{V3}.layers"], "Configuration of the model.")


@derives("C015", latitude="about")
def reader_rate(bench: Bench) -> Finding:
    return Finding(
        reader_rate_token_s(bench),
        "From the step of the batch: weights, cache, operations, launches and messages, with efficiencies found on "
        "other machines' runs. The operator publishes 20 to 22.",
    )


@derives("C017")
def nearness(bench: Bench) -> Finding:
    """The cosines were measured in the file whose SHA-256 the source names; a test measures them again."""
    near, far = bench[f"{TABLE}.near_cosine"], bench[f"{TABLE}.far_cosine"]
    bench.inputs.append(f"{TABLE}.median_cosine")
    return Finding(
        bool(np.all(near > far)),
        "In the table of SmolLM2 135M: cosine 0.482 to Rome, 0.359 to carrot. Nearer, but carrot is not far: any token "
        "at all has 0.329 in the middle, because all vectors have a direction in common. Nearer still than Rome are "
        "112 tokens, London and France among them.",
        basis="tested",
    )


@derives("C018")
def steps_of_the_machine(bench: Bench) -> Finding:
    del bench
    return Finding(None, "How a page divides its own drawing: nothing to compute or to look up.", basis="none")


@derives("C020")
def fetching_share(bench: Bench) -> Finding:
    """One accelerator of the service: bytes of weights in a step, against the operations of its streams."""
    streams, parts = bench[f"{SERVED}.streams"], bench[f"{SERVED}.batch_parts"]
    hidden, picked, count = bench[f"{V3}.hidden_width"], bench[f"{V3}.picked_experts"], bench[f"{V3}.experts"]
    moe_layers = bench[f"{V3}.layers"] - bench[f"{V3}.dense_layers"]
    expert = bench.use(experts.expert_parameters, hidden_width=hidden, expert_width=bench[f"{V3}.expert_width"])
    used = bench.use(experts.routed_parameters, moe_layers=moe_layers, experts=picked, parameters=expert)
    ranks = bench[f"{SERVED}.expert_ranks"]
    held = bench.use(
        experts.held_share,
        experts=count,
        redundant_experts=bench[f"{SERVED}.redundant_experts"],
        expert_ranks=ranks,
    )
    touched_B = bench.use(
        experts.touched_B,
        moe_layers=moe_layers,
        held_experts=held,
        experts=count,
        picked_experts=picked,
        tokens=streams * ranks / parts,
        parameters=expert,
        weight_B=bench[f"{SERVED}.weight_B"],
    )
    fetched_B = parts * (bench[f"{V3}.active_parameters"] - used + touched_B)
    flop, joule_B, joule = (
        token_flop(bench, "deepseek-v3"),
        bench[f"{CHIP}.energy_per_byte_J"],
        bench[f"{CHIP}.fp8_energy_J"],
    )
    share = bench.use(
        silicon.fetch_share, size_B=fetched_B, energy_per_byte_J=joule_B, flop=flop * streams, energy_per_flop_J=joule
    )
    alone = bench.use(
        silicon.fetch_share,
        size_B=bench[f"{V3}.active_parameters"],
        energy_per_byte_J=joule_B,
        flop=flop,
        energy_per_flop_J=joule,
    )
    equal = float(streams * share / (1.0 - share))
    return Finding(
        bool(share > 0.5),
        f"For one stream alone fetching is {float(alone):.0%} of fetching and computing. At the service's "
        f"{float(streams):.0f} streams an accelerator it is {float(share):.0%}: false from about {equal:.0f} streams "
        "on. Most of a token's energy then is neither: the chip's static draw and the server around it, for as long "
        "as a step takes.",
    )


@derives("C021")
def what_a_sum_is(bench: Bench) -> Finding:
    flop = token_flop(bench, "deepseek-v3")
    counted = bench.use(silicon.people_time_s, flop=flop, flop_per_sum=1.0)
    defined = bench.use(silicon.people_time_s, flop=flop, flop_per_sum=2.0)
    return Finding(
        bool(np.isclose(counted, defined)),
        "The page says that one sum multiplies and adds, but its own figures count each operation: "
        f"{float(counted):.2f} sums a person and token where its definition gives {float(defined):.1f}, and 2.9 days "
        "where it gives 1.4: off by 2.",
        verdict="ill-defined",
    )


def _year(source: str, note: str, verdict: str = "") -> Finding:
    return Finding(float(sources()[source].year), note, basis="looked-up", verdict=verdict)


@derives("C022")
def expert_year(bench: Bench) -> Finding:
    del bench
    return _year(
        "switch-2021",
        "The Switch Transformer (arXiv 2101.03961). The sparsely-gated layer of experts itself is of 2017 (arXiv "
        "1701.06538), mixtures of experts of 1991; which paper the page means it does not say.",
    )


@derives("C023")
def transformer_year(bench: Bench) -> Finding:
    del bench
    return _year("vaswani-2017", "arXiv 1706.03762.")


@derives("C024")
def cache_year(bench: Bench) -> Finding:
    del bench
    return _year(
        "shazeer-2019",
        "The paper on one write-head (arXiv 1911.02150) is where the cost of reading kept keys and values is worked "
        "out; decoders kept them before, and no paper introduces the cache by that name.",
    )
