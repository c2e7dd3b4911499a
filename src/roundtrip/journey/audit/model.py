"""Derivations of the claims about: model, accelerator, and what a token costs in operations and bytes.

The setting of a claim (a question of six words, a model of 100 billion weights) is a premise and stands here; its
result never does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.journey.audit.model_one_word import SERVED, V3, reader_rate_token_s, token_flop
from roundtrip.stages.model import (
    attention,
    decode,
    kv_cache,
    parallel,
    prefill,
    silicon,
    speculative,
    tokenizer,
    weights,
)

QUESTION = "What is the speed of light?"
BIG_WEIGHTS, BIG_WEIGHT_B = 100e9, 2.0  # a model of 100 billion weights in 16 bit
SHORT_PROMPT, SHORT_REPLY = 10.0, 200.0
LARGE = 1e5  # a long context: where a power of its length is read off
H100 = "accelerators/h100-sxm"


@derives("A060")
def question_tokens(bench: Bench) -> Finding:
    size_B = float(len(QUESTION.encode()))
    per_token_B = bench["models/llama-3.1-8b.bytes_per_token_B"]
    count = bench.use(tokenizer.token_count, bytes_B=size_B, bytes_per_token_B=per_token_B, template_tokens=0.0)
    return Finding(
        count,
        "27 bytes at the mean of English text. Vocabularies of 100,000 tokens and more cut this question into 7: "
        "its six words and the mark; a start mark makes 8, a chat template more.",
    )


@derives("A061")
def embedding_width(bench: Bench) -> Finding:
    return Finding(
        bench[f"{V3}.hidden_width"],
        "DeepSeek-V3. Llama 3.1 8B has 4,096, 70B 8,192; Llama 3.1 405B (16,384) and GPT-3 (12,288) lie above the "
        "range.",
    )


def _growth(bench: Bench, function: Any, name: str) -> Any:
    shape = {
        "layers": bench[f"{V3}.layers"],
        "heads": bench[f"{V3}.heads"],
        "key_width": bench[f"{V3}.head_width"],
        "value_width": bench[f"{V3}.value_width"],
    }
    twice = bench.use(function, **shape, **{name: 2.0 * LARGE})
    return np.log2(twice / bench.use(function, **shape, **{name: LARGE}))


@derives("A062")
def prefill_growth(bench: Bench) -> Finding:
    power = _growth(bench, attention.prefill_flop, "tokens")
    return Finding(power, "log2 of the work at 200,000 over that at 100,000 tokens: n (n + 1) / 2 pairs.")


@derives("A063")
def decode_growth(bench: Bench) -> Finding:
    power = _growth(bench, attention.decode_flop, "context_tokens")
    return Finding(power, "log2 of the work at 200,000 over that at 100,000 tokens of context: each is looked at once.")


@derives("A064")
def weights_memory(bench: Bench) -> Finding:
    held_B = bench.use(weights.held_B, parameters=bench[f"{V3}.parameters"], weight_B=bench[f"{V3}.weight_B"])
    bench.use(weights.memory_share, held_B=held_B, memory_B=bench[f"{H100}.memory_B"], accelerators=8.0)
    return Finding(
        held_B,
        "The sizes are right: 671 GB for DeepSeek-V3 in 8 bit, 812 GB for Llama 3.1 405B in 16. The cards are not: "
        "eight of 80 GB hold 640 GB with nothing left for the cache, so 671 GB are 1.05 and 800 GB 1.25 times what "
        "is there.",
        verdict="ill-defined",
    )


@derives("A065", latitude="about")
def ffn_expansion(bench: Bench) -> Finding:
    ratio = bench.use(
        weights.ffn_expansion,
        inner_width=bench["models/gpt-3-175b.inner_width"],
        hidden_width=bench["models/gpt-3-175b.hidden_width"],
    )
    return Finding(
        ratio,
        "GPT-3 and the first Transformer. Gated networks, with three matrices for two, take less: Llama 3.1 8B 3.5, "
        "405B 3.25, DeepSeek-V3 2.6 in its plain layers and in the nine experts of a token together.",
    )


@derives("A066")
def large_flop(bench: Bench) -> Finding:
    return Finding(
        token_flop(bench, "llama-3.1-405b"),
        "Llama 3.1 405B: two for each weight; attention adds 0.1 % for each 100 of context.",
    )


@derives("A121")
def small_flop(bench: Bench) -> Finding:
    return Finding(token_flop(bench, "llama-3.1-8b"), "Llama 3.1 8B; the 1B takes 2.5e9, the 70B 1.4e11.")


@derives("A067")
def tensor_cores(bench: Bench) -> Finding:
    return Finding(bench[f"{H100}.tensor_cores"], "H100 SXM5: four in each of 132 multiprocessors.")


def _peak(bench: Bench, core_fma: Any) -> Any:
    return bench.use(
        silicon.peak_flop_s,
        tensor_cores=bench[f"{H100}.tensor_cores"],
        core_fma=core_fma,
        clock_Hz=bench[f"{H100}.clock_Hz"],
    )


@derives("A068")
def core_fma(bench: Bench) -> Finding:
    one = _peak(bench, 1.0)
    return Finding(
        bench[f"{H100}.bf16_rate_flop_s"] / one,
        "The vendor's 989.4 Tflop/s over 528 cores, 2 operations and 1.83 GHz is 512 multiply-and-adds a core and "
        "clock. With 256 (the A100's core) the same chip would reach 495 Tflop/s, half of what the document says "
        "next.",
    )


@derives("A069")
def dense_rate(bench: Bench) -> Finding:
    return Finding(_peak(bench, bench[f"{H100}.core_fma"]), "528 x 512 x 2 x 1.83 GHz = 989 Tflop/s, printed as 1e15.")


@derives("A070")
def transistors(bench: Bench) -> Finding:
    return Finding(bench[f"{H100}.transistors"], "GH100 by its maker.")


def _toggles(bench: Bench) -> Any:
    return bench.use(
        silicon.toggles_per_second,
        power_W=bench[f"{H100}.rated_power_W"],
        node_capacitance_F=bench[f"{H100}.node_capacitance_F"],
        supply_voltage_V=bench[f"{H100}.supply_voltage_V"],
    )


@derives("A071", latitude="order")
def toggles(bench: Bench) -> Finding:
    return Finding(
        _toggles(bench),
        "700 W over C V^2 with 0.6 fF and 0.8 V. The document contradicts itself: its 1e17 toggles of its 1e4 "
        "electrons at 0.8 V are 128 W at the very most, 1e16 of 1e3 1.3 W; and its training part says 1e14 (A122).",
    )


@derives("A107", latitude="order")
def switching_events(bench: Bench) -> Finding:
    return Finding(
        _toggles(bench),
        "In one second, from the power. 1e11 transistors times the clock counts each of them in each clock; 700 W "
        "pay for about one in a hundred. At the document's 1e3 electrons or more, 1e21 toggles would take over 100 "
        "kW.",
    )


@derives("A072", latitude="order")
def electrons(bench: Bench) -> Finding:
    count = bench.use(
        silicon.electrons_per_toggle,
        node_capacitance_F=bench[f"{H100}.node_capacitance_F"],
        supply_voltage_V=bench[f"{H100}.supply_voltage_V"],
    )
    return Finding(count, "C V / e with 0.6 fF (0.15 to 2) and 0.8 V.")


@derives("A073")
def memory_rate(bench: Bench) -> Finding:
    return Finding(bench[f"{H100}.bandwidth_B_s"], "H100 SXM5 with HBM3.")


@derives("A074")
def one_card_rate(bench: Bench) -> Finding:
    held_B = bench.use(weights.held_B, parameters=BIG_WEIGHTS, weight_B=BIG_WEIGHT_B)
    rate = bench.use(decode.memory_bound_rate_token_s, size_B=held_B, bandwidth_B_s=bench[f"{H100}.bandwidth_B_s"])
    return Finding(
        rate,
        "3,350 / 200 is 16.75, not 15 (1.12 times); and the case cannot be: 200 GB do not fit into the card's 80 GB.",
        verdict="ill-defined",
    )


@derives("A075")
def eight_card_rate(bench: Bench) -> Finding:
    """Eight cards share each matrix; two all-reduces a layer, in the shape of Llama 3.1 70B."""
    model, ranks = "models/llama-3.1-70b", 8.0
    part_B = bench.use(weights.rank_B, common_parameters=BIG_WEIGHTS, tensor_ranks=ranks, weight_B=BIG_WEIGHT_B)
    read_s = bench.use(
        prefill.memory_time_s,
        size_B=part_B,
        bandwidth_B_s=bench[f"{H100}.bandwidth_B_s"],
        memory_efficiency=bench["servings/llama-70b-h100.memory_efficiency"],
    )
    size_B = bench.use(
        parallel.layer_message_B, tokens=1.0, hidden_width=bench[f"{model}.hidden_width"], message_element_B=2.0
    )
    reduce_s = bench.use(
        parallel.ring_all_reduce_time_s,
        size_B=size_B,
        tensor_ranks=ranks,
        bandwidth_B_s=bench[f"{H100}.link_B_s"],
        link_efficiency=bench["servings/llama-70b-h100.link_efficiency"],
        latency_s=bench[f"{H100}.link_latency_s"],
    )
    layers = bench[f"{model}.layers"]
    layer_s = bench["servings/llama-70b-h100.layer_time_s"]
    return Finding(
        1.0 / (read_s + layers * (layer_s + 2.0 * reduce_s)),
        "Eight cards, three quarters of the memory's rate, fixed time of 80 layers and two all-reduces in each. "
        "Four cards stay below 60: at the full rate of their memories they would reach 67.",
    )


@derives("A088", latitude="about")
def user_rate(bench: Bench) -> Finding:
    return Finding(
        reader_rate_token_s(bench),
        "DeepSeek-V3 at its published load writes about 20 tokens a second for a reader: throughput is bought with "
        "waiting. A small model on one card (preset edge) writes about 70.",
    )


@derives("A089", latitude="about")
def reply_time(bench: Bench) -> Finding:
    per_token_s = bench.trip("cloud", "time_per_output_token_s")
    time_s = bench.use(decode.rest_time_s, output_tokens=SHORT_REPLY, time_per_output_token_s=per_token_s)
    return Finding(time_s, "199 further tokens at the rate of the preset cloud; the preset edge takes just under 3 s.")


@derives("A109")
def cache_is_read(bench: Bench) -> Finding:
    del bench
    q, k, v = np.random.default_rng(1).normal(size=(3, 64, 16))
    cache = kv_cache.Cache()
    steps = np.stack([cache.step(q[i], k[i], v[i]) for i in range(64)])
    same = np.allclose(steps, attention.attend(q, k, v), rtol=1e-10)
    return Finding(
        bool(same),
        "64 tokens attended one by one from the cache give what one causal pass gives, to 1e-10.",
        basis="tested",
    )


@derives("A119")
def printed_ids(bench: Bench) -> Finding:
    size_B = float(len(QUESTION.encode()))
    per_token_B = bench["models/llama-3.1-8b.bytes_per_token_B"]
    count = bench.use(tokenizer.token_count, bytes_B=size_B, bytes_per_token_B=per_token_B, template_tokens=1.0)
    return Finding(
        count,
        "Eight is the right count with a start mark, but the list belongs to no tokenizer: 1 and 1724 are the start "
        "and 'What' of Llama 2's vocabulary of 32,000, the six after them those of cl100k_base (which Llama 3 "
        "continues), where 'What' is 3923. Read with either table it is another text.",
        verdict="ill-defined",
    )


@derives("A120")
def short_prefill(bench: Bench) -> Finding:
    ridge = bench.use(
        prefill.ridge_tokens,
        flop_rate_flop_s=bench[f"{H100}.bf16_rate_flop_s"],
        bandwidth_B_s=bench[f"{H100}.bandwidth_B_s"],
        weight_B=2.0,
    )
    return Finding(
        bool(ridge < SHORT_PROMPT),
        f"An H100 in 16 bit computes longer than it reads weights only from {float(ridge):.0f} tokens on; ten tokens "
        "alone are bound by the memory. In a shared pass with other prompts they are among thousands.",
    )


@derives("B002", latitude="order")
def prefill_rate(bench: Bench) -> Finding:
    server = bench[f"{SERVED}.input_rate_token_s"] * (1.0 - bench[f"{SERVED}.cache_hit_share"])
    one_s = bench.use(prefill.tokens_time_s, tokens=1.0, rate_token_s=server)
    return Finding(
        1.0 / (one_s * bench[f"{SERVED}.accelerators_per_server"]),
        "Tokens that one accelerator of the operator really reads, those found in a cache left out, as a mean over "
        "a day. The page calls its figure illustrative.",
    )


@derives("B003", latitude="order")
def decode_rate(bench: Bench) -> Finding:
    return Finding(
        reader_rate_token_s(bench),
        "Preset cloud. The page calls its figure illustrative; 60 fits a smaller model or a lighter load.",
    )


@derives("B010")
def parts_of_the_view(bench: Bench) -> Finding:
    del bench
    return Finding(None, "A count of labels on a page: nothing to compute or to look up.", basis="none")


@derives("B011")
def ways_to_swap(bench: Bench) -> Finding:
    del bench
    return Finding(
        None,
        "A choice of the page, not a quantity. All three are presets here (device, edge, speculative), beside others.",
        basis="none",
    )


@derives("B012")
def drafts_change_nothing(bench: Bench) -> Finding:
    del bench
    stream = np.random.default_rng(2)
    same = True
    for _ in range(200):
        p, q = stream.dirichlet(np.full(12, 0.3), size=2)
        same &= bool(np.allclose(speculative.written(p, q), p, atol=1e-12))
        best = np.eye(12)[int(np.argmax(p))]
        same &= all(speculative.accept(best, q, d, 0.5, 0.5) == int(np.argmax(p)) for d in range(12))
    return Finding(
        same,
        "200 pairs of distributions: summed over all drafts and both outcomes, the written token has exactly the "
        "model's distribution; a greedy model writes its own token whatever was drafted.",
        basis="tested",
    )
