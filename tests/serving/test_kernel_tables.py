"""Kernel tables: read, interpolated, and composed into the time of a step that can be worked out by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.fleet.kernels import PART, Link, Spread, spread, step_times
from roundtrip.fleet.times import line
from roundtrip.fleet.workload import Workload
from roundtrip.serving.architecture import Architecture, Block
from roundtrip.serving.kernel_tables import find, read

LAYERS = 3
TOKENS = (1, 2, 8, 64, 512, 2048)
CHUNKS = (16, 128, 512, 2048)
PRIOR = (0, 1024, 4096)
WRITING = (1, 8, 64)
CONTEXT = (16, 1024, 4096)
DENSE = Architecture("small", 64, 100, False, (Block(LAYERS, "gqa", heads=4, kv_heads=4, head_width=16),))
MIXTURE = Architecture(
    "mixed", 64, 100, False, (Block(LAYERS, "gqa", heads=4, kv_heads=4, head_width=16, experts=8, picked_experts=2),)
)


def block_us(tokens: float) -> float:
    return 10.0 + 0.5 * tokens + 2.0 * (2.0 + 0.01 * tokens)  # one matrix, and a norm that is applied twice


def once_us(tokens: float) -> float:
    return 1.0 + 0.001 * tokens


def sequence_us(sequences: float) -> float:
    return 50.0 + 0.2 * sequences


def decode_us(sequences: float, context: float) -> float:
    return 5.0 + 0.01 * sequences * context


def prefill_us(chunk: float, prior: float) -> float:
    return 8.0 + 1e-4 * chunk * (chunk / 2.0 + prior)


def mixed_us(chunk: float, prior: float, sequences: float, context: float) -> float:
    return prefill_us(chunk, prior) + 0.03 * sequences * context


def write(folder: Path, *, moe: bool = False, skew: str = "", holes: tuple[tuple[int, ...], ...] = ()) -> Path:
    path = folder / "GPU" / "maker" / "small" / "bf16" / "tp1"
    path.mkdir(parents=True)
    rows = ["layer,tokens,time_us"]
    for tokens in TOKENS:
        rows += [f"qkv_proj,{tokens},{10.0 + 0.5 * tokens}", f"layernorm,{tokens},{2.0 + 0.01 * tokens}"]
        rows += [f"embedding,{tokens},{once_us(tokens)}"]
    (path / "dense.csv").write_text("\n".join(rows))
    (path / "per_sequence.csv").write_text(
        "\n".join(["layer,sequences,time_us", *(f"lm_head,{n},{sequence_us(n)}" for n in (1, 8, 64, 256))])
    )
    rows = ["prefill_chunk,kv_prefill,n_decode,kv_decode,time_us"]
    rows += [f"0,0,{n},{c},{decode_us(n, c)}" for n, c in product(WRITING, CONTEXT)]
    rows += [f"{p},{k},0,0,{prefill_us(p, k)}" for p, k in product(CHUNKS, PRIOR)]
    rows += [
        f"{p},{k},{n},{c},{mixed_us(p, k, n, c)}"
        for p, k, n, c in product(CHUNKS, PRIOR, WRITING, CONTEXT) if (p, k, n, c) not in holes
    ]  # fmt: skip
    (path / "attention.csv").write_text("\n".join(rows))
    if moe:
        grid = [f"{t},{e},{20.0 + 0.1 * t + 3.0 * e}" for t, e in product((1, 64, 4096), (1, 2, 4, 8))]
        (path / "moe.csv").write_text("\n".join(["tokens,activated_experts,time_us", *grid]))
    if skew:
        (path / "skew_fit.csv").write_text(
            "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha,n_samples\n"
            "0,n<=2,sr<=40%,kvB<=4k,kp=0,0.5,4\n0,n<=2,sr<=70%,kvB<=4k,kp=0,0.25,4\n"
        )
        (path.parent / "meta.yaml").write_text(skew)
    return path


def test_between_two_points_a_time_is_a_straight_line_and_beyond_the_end_it_goes_on(tmp_path: Path) -> None:
    tables = read(write(tmp_path))
    for tokens in (1, 3, 100, 2048, 5000):
        assert tables.block(tokens) == pytest.approx(1e-6 * block_us(tokens))
        assert tables.once(tokens) == pytest.approx(1e-6 * once_us(tokens))
    assert tables.sequence(300) == pytest.approx(1e-6 * sequence_us(300))
    assert tables.decode(30, 700) == pytest.approx(1e-6 * decode_us(30, 700), rel=1e-12)
    assert tables.decode(100, 9000) == pytest.approx(1e-6 * decode_us(100, 9000), rel=1e-12)  # bilinear, so exact
    assert tables.mixed(512, 1024, 8, 1024) == pytest.approx(1e-6 * mixed_us(512, 1024, 8, 1024))


def test_below_the_smallest_part_the_smallest_part_holds(tmp_path: Path) -> None:
    tables = read(write(tmp_path))
    assert tables.mixed(3, 0, 8, 1024) == pytest.approx(1e-6 * mixed_us(16, 0, 8, 1024))


def test_a_grid_with_holes_gives_up_the_thinnest_value(tmp_path: Path) -> None:
    holes = tuple((p, k, 64, c) for p, k, c in product(CHUNKS, PRIOR, (1024, 4096)))
    tables = read(write(tmp_path, holes=holes))
    assert tables.mixed.axes[2].tolist() == [1, 8]
    assert tables.mixed(512, 0, 8, 1024) == pytest.approx(1e-6 * mixed_us(512, 0, 8, 1024))


@pytest.mark.parametrize(("file", "text"), [
    ("dense.csv", "layer,token,time_us\na,1,2\n"), ("dense.csv", "layer,tokens,time_us\na,one,2\n"),
    ("attention.csv", "prefill_chunk,kv_prefill,n_decode,time_us\n0,0,1,2\n"), ("attention.csv", ""),
    ("per_sequence.csv", "\x00"),
])  # fmt: skip
def test_a_broken_table_is_named(tmp_path: Path, file: str, text: str) -> None:
    path = write(tmp_path)
    (path / file).write_text(text)
    with pytest.raises(DomainError, match=file):
        read(path)


def test_tables_that_are_not_there_say_which_are(tmp_path: Path) -> None:
    write(tmp_path)
    assert find(tmp_path, "GPU", "maker/small", "bf16", 1).name == "tp1"
    with pytest.raises(DomainError, match="there are tp1"):
        find(tmp_path, "GPU", "maker/small", "bf16", 2)
    with pytest.raises(DomainError, match="GPU/maker/small/bf16"):
        find(tmp_path, "GPU2", "maker/small", "bf16", 1)


def test_a_step_is_composed_of_its_kernels(tmp_path: Path) -> None:
    times = step_times(read(write(tmp_path)), DENSE, token_budget=2048, max_sequences=64)
    for n, context in product(WRITING, CONTEXT):
        alone = times.rows_s[n] + line(times.context, times.context_s[n], context)
        by_hand = LAYERS * (block_us(n) + decode_us(n, context)) + once_us(n) + sequence_us(n)
        assert alone == pytest.approx(1e-6 * by_hand)
        rows = n + int(PART)
        pairs = PART * (PART + 1.0) / 2.0
        mixed = (
            times.rows_s[rows]
            + line(times.context, times.mixed_s[n], context)
            + line(times.pairs, times.pairs_s, pairs)
        )
        by_hand = LAYERS * (block_us(rows) + mixed_us(PART, 0, n, context)) + once_us(rows) + sequence_us(n + 1)
        assert mixed == pytest.approx(1e-6 * by_hand)


def test_experts_are_read_by_how_many_are_touched(tmp_path: Path) -> None:
    tables = read(write(tmp_path, moe=True))
    plain = step_times(tables, DENSE, token_budget=64, max_sequences=8).rows_s
    with_experts = step_times(tables, MIXTURE, token_budget=64, max_sequences=8).rows_s
    assert with_experts[1] - plain[1] == pytest.approx(1e-6 * LAYERS * (20.0 + 0.1 + 3.0 * 2.0))  # two of eight
    assert with_experts[64] - plain[64] == pytest.approx(1e-6 * LAYERS * (20.0 + 6.4 + 3.0 * 8.0), rel=1e-6)


def test_copies_in_lockstep_each_have_half_of_those_that_write(tmp_path: Path) -> None:
    tables, link = read(write(tmp_path, moe=True)), Link(1e9, 1e-5)
    both = step_times(tables, MIXTURE, token_budget=128, max_sequences=16, lockstep=2, link=link)
    n, context = 16, 1024
    alone = both.rows_s[n] + line(both.context, both.context_s[n], context)
    touched = 8 * (1.0 - 0.75**n) / 2.0
    exchange_us = sum(10.0 + 0.5 * n * width * 2.0 / 1e9 * 1e6 for width in (64 + 8, 64))
    by_hand = LAYERS * (block_us(8) + decode_us(8, context) + 20.0 + 0.1 * 8 + 3.0 * touched + exchange_us)
    assert alone == pytest.approx(1e-6 * (by_hand + once_us(8) + sequence_us(8)), rel=1e-9)


def test_what_cannot_be_composed_is_refused(tmp_path: Path) -> None:
    tables = read(write(tmp_path))
    with pytest.raises(DomainError, match=r"moe\.csv"):
        step_times(tables, MIXTURE, token_budget=64, max_sequences=8)
    with pytest.raises(DomainError, match="link"):
        step_times(tables, DENSE, token_budget=64, max_sequences=8, tensor_ranks=2)


def test_split_matrices_add_two_sums_a_layer(tmp_path: Path) -> None:
    tables = read(write(tmp_path))
    one = step_times(tables, DENSE, token_budget=64, max_sequences=8).rows_s
    two = step_times(tables, DENSE, token_budget=64, max_sequences=8, tensor_ranks=2, link=Link(1e9, 1e-5)).rows_s
    assert two[64] - one[64] == pytest.approx(2 * LAYERS * (2 * 1e-5 + 64 * 64 * 2.0 / 1e9))


ON = "skew_fit:\n  enabled: true\n  per_tp:\n    1:\n      alpha_default: 0.125\n"


def test_unequal_contexts_cost_more_unless_the_profiler_says_that_its_fit_is_off(tmp_path: Path) -> None:
    tables = read(write(tmp_path / "on", skew=ON))
    assert tables.skew is not None
    assert read(write(tmp_path / "off", skew=ON.replace("true", "false"))).skew is None
    assert tables.skew(0, 2, 0.3, 4096.0, 0.0) == 0.5
    assert tables.skew(0, 2, 0.6, 4096.0, 0.0) == 0.25
    assert tables.skew(0, 2, 0.6, 4097.0, 0.0) == 0.125  # no such bucket: the pooled one
    equal = step_times(tables, DENSE, token_budget=64, max_sequences=2)
    contexts = Spread(np.array([500.0, 1500.0]), np.array([0.5, 1.0]))
    unequal = step_times(tables, DENSE, token_budget=64, max_sequences=2, contexts=contexts)
    assert line(unequal.context, unequal.context_s[2], 1000.0) > line(equal.context, equal.context_s[2], 1000.0)
    assert (unequal.context_s[1] == equal.context_s[1]).all()  # one sequence is never unequal


def test_contexts_of_a_workload_count_each_written_token_once() -> None:
    work = Workload("two", np.array([0.0, 1.0]), np.array([100, 1000]), np.array([300, 100]))
    found = spread(work)
    assert found.mean == pytest.approx((250 * 300 + 1050 * 100) / 400, rel=1e-3)
    assert found.longest(4).mean() > found.longest(1).mean() >= 1.0
    assert found.longest(1000).mean() == pytest.approx(1100 / found.mean, rel=0.02)
    assert found.shortest(1000) < 0.5
