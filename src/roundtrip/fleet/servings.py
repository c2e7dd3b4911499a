"""Step times of an entry of the catalog's servings, with the constants that stand there: those of a trip.

A trip names its serving and may change each of its figures, so its fleet takes them from there. Without a serving, a
fleet takes the constants that were fitted to measured runs (`roundtrip.fleet.machine`). A replica is one group of
accelerators that split every matrix (``tensor_ranks``); where experts are spread over more, the other groups are taken
to be as busy as this one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.catalog.load import Entry, entry
from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Kind
from roundtrip.fleet.times import tabulated
from roundtrip.serving.architecture import architecture
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import Setup
from roundtrip.stages.model import attention, decode, embedding, experts, kv_cache, parallel, prefill, weights

CONTEXT = (0.0, 64.0, 256.0, 1024.0, 4096.0, 16_384.0, 131_072.0)
PAIRS = (0.0, 1e4, 1e6, 1e7, 1e9)


class Figures:
    """Values of a model, an accelerator and a serving by name."""

    def __init__(self, model: Entry, chip: Entry, serving: Entry, changes: dict[str, float] | None = None) -> None:
        # Precision and the like are of the serving if it is this model's, else of the model.
        is_own = serving.texts.get("of_model") == model.key
        self.entries = (serving, model, chip) if is_own else (model, serving, chip)
        self.changes = changes or {}
        self.model, self.chip, self.serving = model, chip, serving

    def __getitem__(self, name: str) -> Any:
        if name in self.changes:
            return self.changes[name]
        for one in self.entries:
            if name in one.figures:
                return one.figures[name].value
        return self.entries[0].figure(name).value  # says which name is near

    def word(self, name: str) -> str:
        for one in self.entries:
            if name in one.texts:
                return one.texts[name]
        return ""


def served(
    model: str,
    accelerator: str,
    serving: str,
    token_budget: int,
    max_sequences: int,
    page_tokens: int,
    usable_share: float,
    tensor_ranks: int | None,
    pages: int | None,
) -> Kind:
    """Return a kind of replica by an entry of the servings; arguments as for `roundtrip.fleet.machine.kind`."""
    changes = {} if tensor_ranks is None else {"tensor_ranks": float(tensor_ranks)}
    f = Figures(entry("models", model), entry("accelerators", accelerator), entry("servings", serving), changes)
    shape = Shape(f)
    times = tabulated(
        token_budget, max_sequences, shape.rows_s, shape.context_s, shape.pairs_s, f["per_stream_time_s"] / shape.ranks,
        np.array(CONTEXT), np.array(PAIRS),
    )  # fmt: skip
    if pages is None:
        room = kv_cache.capacity_tokens(f["memory_B"], usable_share, shape.held_B, shape.rank_token_B)
        pages = int(room // page_tokens)
    ranks = int(shape.ranks)
    name = f"{model} on {ranks} {accelerator}" if ranks > 1 else f"{model} on {accelerator}"
    check_pages(name, pages, shape.held_B, usable_share * f["memory_B"])
    return Kind(name, times, pages, ranks, float(shape.rank_token_B), _setup(model, accelerator, f))


def _setup(model: str, accelerator: str, f: Figures) -> Setup | None:
    """Return the setup for the account of energy; None where the architectures do not know the model."""
    try:
        a = architecture(model)
    except DomainError:
        return None
    size_B, tensor = float(f["weight_B"]), int(f["tensor_ranks"])
    precision = "bf16" if size_B > 1.5 else "fp8" if size_B > 0.9 else "int4" if a.routed_precision == "" else "mxfp4"
    groups = max(int(f["expert_ranks"]) // tensor, 1)
    layout = Layout(tensor=tensor, groups=groups, expert=tensor * groups)
    return Setup(a, accelerator, "vllm", precision, layout, kv_B=float(f["kv_element_B"]))


def check_pages(name: str, pages: int, held_B: float, usable_B: float) -> None:
    """Refuse a replica whose weights leave no room."""
    if pages < 1:
        raise DomainError(
            f"{name}: weights of {held_B / 1e9:.0f} GB an accelerator leave no page in "
            f"{usable_B / 1e9:.0f} GB; more accelerators may share them (tensor ranks)"
        )


class Shape:
    """What follows from the model and its serving; times are of one replica's step."""

    def __init__(self, f: Figures) -> None:
        self.f = f
        self.ranks = f["tensor_ranks"]
        self.hidden, self.layers = f["hidden_width"], f["layers"]
        table: Any = 0.0
        if f.word("tables") == "separate":
            table = embedding.table_parameters(f["vocabulary"], self.hidden)
        self.expert: Any = None
        self.moe_layers: Any = 0.0
        routed: Any = 0.0
        if f.word("mixture") == "moe":
            self.expert = experts.expert_parameters(self.hidden, f["expert_width"])
            self.moe_layers = max(self.layers - f["dense_layers"], 0.0)
            routed = experts.routed_parameters(self.moe_layers, f["experts"], self.expert)
        self.common = weights.common_parameters(f["parameters"], routed, table)
        if f.word("attention") == "mla":
            key, value = f["kv_rank"] + f["rope_width"], f["kv_rank"]
            self.write_flop = attention.pair_flop(self.layers, f["heads"], key, value)
            self.read_flop = attention.pair_flop(
                self.layers, f["heads"], f["head_width"] + f["rope_width"], f["value_width"]
            )
            self.token_B = kv_cache.mla_token_B(self.layers, f["kv_rank"], f["rope_width"], f["kv_element_B"])
            self.shards: Any = 1.0
        else:
            width = f["head_width"]
            self.write_flop = self.read_flop = attention.pair_flop(self.layers, f["heads"], width, width)
            self.token_B = kv_cache.gqa_token_B(self.layers, f["kv_heads"], width, f["kv_element_B"])
            self.shards = f["kv_heads"]

    @property
    def rank_token_B(self) -> Any:
        """Bytes that a token of the cache takes on one accelerator."""
        return kv_cache.shard_B(self.token_B, self.ranks, self.shards)

    @property
    def held_B(self) -> Any:
        """Bytes of weights on one accelerator."""
        f = self.f
        held = weights.held_B(self.common, f["weight_B"]) / self.ranks
        if self.expert is not None:
            own = experts.held_share(f["experts"], f["redundant_experts"], f["expert_ranks"])
            held = held + experts.routed_parameters(self.moe_layers, own, self.expert) * f["weight_B"]
        return held

    def rows_s(self, rows: Any) -> Any:
        """Return the time of a step apart from attention, by the tokens in it [s]."""
        f = self.f
        own = rows / self.ranks  # rows of which one accelerator does all the work, or all of which it does a part
        parts, rate = f["batch_parts"], f[f"{f.word('arithmetic')}_rate_flop_s"]
        size_B = parts * weights.rank_B(self.common, self.ranks, f["weight_B"])
        compute_s = prefill.compute_time_s(
            prefill.linear_flop(self.common, own), rate, self._efficiency(own, f["prefill_efficiency"])
        )
        memory_s = prefill.memory_time_s(size_B, f["bandwidth_B_s"], f["memory_efficiency"])
        work_s = prefill.roofline_time_s(compute_s, memory_s)
        if self.expert is not None:
            work_s = work_s + self._experts_s(own, parts, rate)
        launch_s = decode.launch_time_s(
            self.layers, f["layer_time_s"], self.moe_layers, f["moe_layer_time_s"], parts, f["step_overhead_s"]
        )
        exposed_s = decode.exposed_time_s(self._messages_s(rows, own, parts), work_s, f["communication_overlap"])
        return launch_s + work_s + exposed_s

    def _efficiency(self, own: Any, high: Any) -> Any:
        """Return the share of the peak rate: that of a decode step, and in proportion up to `high` at the ridge."""
        f = self.f
        low = f["decode_efficiency"]
        ridge = prefill.ridge_tokens(f[f"{f.word('arithmetic')}_rate_flop_s"], f["bandwidth_B_s"], f["weight_B"])
        return low + (high - low) * np.clip(own / ridge, 0.0, 1.0)

    def _experts_s(self, own: Any, parts: Any, rate: Any) -> Any:
        f = self.f
        ranks, picked = f["expert_ranks"], f["picked_experts"]
        held = experts.held_share(f["experts"], f["redundant_experts"], ranks)
        size_B = parts * experts.touched_B(
            self.moe_layers, held, f["experts"], picked, own * ranks / parts, self.expert, f["weight_B"]
        )
        flop = experts.busiest_load(ranks, own * picked / parts) * experts.routed_flop(
            self.moe_layers, picked, self.expert, own
        )
        efficiency = self._efficiency(own, f["prefill_efficiency"] * f["expert_efficiency"])
        compute_s = prefill.compute_time_s(flop, rate, efficiency)
        return prefill.roofline_time_s(
            compute_s, prefill.memory_time_s(size_B, f["bandwidth_B_s"], f["memory_efficiency"])
        )

    def _messages_s(self, rows: Any, own: Any, parts: Any) -> Any:
        f = self.f
        whole_B = parallel.layer_message_B(rows, self.hidden, f["combine_element_B"])
        reduce_s = parallel.ring_all_reduce_time_s(
            whole_B, self.ranks, f["link_B_s"], f["link_efficiency"], f["link_latency_s"]
        )
        talk_s = 2.0 * self.layers * reduce_s
        if self.expert is None:
            return talk_s
        outer = f.word("expert_link") == "outer"
        groups = parallel.exchange_ranks(f["expert_ranks"], self.ranks)
        rate_B_s, latency_s = ("outer_bandwidth_B_s", "outer_latency_s") if outer else ("link_B_s", "link_latency_s")
        copies = f["picked_experts"]
        if outer:
            copies = min(copies, max(f["expert_ranks"] / f["accelerators_per_server"], 1.0))
        for element in ("dispatch_element_B", "combine_element_B"):
            size_B = parallel.expert_message_B(own / parts, self.hidden, copies, f[element])
            talk_s = talk_s + parts * self.moe_layers * parallel.all_to_all_time_s(
                size_B, groups, f[rate_B_s], f["link_efficiency"], f[latency_s]
            )
        return talk_s

    def context_s(self, sequences: Any, context: Any) -> Any:
        """Return the time in which so many sequences look back at a mean context [s]."""
        f = self.f
        seen = attention.attended_tokens(context, f["full_attention_share"], f["window_tokens"])
        compute_s = prefill.compute_time_s(
            self.write_flop * seen * sequences / self.ranks, f["bf16_rate_flop_s"], f["attention_efficiency"]
        )
        group_B = kv_cache.cache_B(seen, self.token_B, sequences)
        size_B = kv_cache.shard_B(group_B, self.ranks, self.shards)
        memory_s = prefill.memory_time_s(size_B, f["bandwidth_B_s"], f["cache_efficiency"])
        return prefill.roofline_time_s(compute_s, memory_s)

    def pairs_s(self, pairs: Any) -> Any:
        """Return the time of the attention of prompts, by the pairs of tokens in it [s]."""
        f = self.f
        flop = self.read_flop * f["full_attention_share"] * pairs / self.ranks
        return prefill.compute_time_s(flop, f["bf16_rate_flop_s"], f["attention_efficiency"])
