"""Tables of a deployment's step times: the same seconds as the functions that filled them."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.fleet.machine import kind, of, published
from roundtrip.fleet.times import line
from roundtrip.serving import step
from roundtrip.serving.architecture import architecture
from roundtrip.serving.constants import constants
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import Setup

LLAMA = Setup.of("llama-3.1-70b", "h100-sxm", precision="fp8", layout=Layout(tensor=4))


@pytest.mark.parametrize(
    "setup",
    [
        LLAMA,
        Setup.of("deepseek-v3", "h200-sxm", precision="fp8", layout=Layout(groups=8, expert=8)),
        Setup.of("gpt-oss-120b", "b200", precision="fp4"),
        Setup.of("gemma-3-27b", "h100-sxm"),
    ],
)
def test_tables_are_the_step(setup: Setup) -> None:
    """Rows, sequences and contexts at the knots and between; the output head counts by sequence, so 2 % are allowed."""
    t = of(setup, 4096, 256).times
    groups = setup.layout.groups
    for sequences, context, pairs in ((1, 500.0, 0.0), (37, 1024.0, 0.0), (200, 3000.0, 0.0), (20, 2000.0, 2e6)):
        rows = sequences + (2000 if pairs else 0)
        table = t.rows_s[rows] + sequences * t.sequence_s + line(t.context, t.context_s[sequences], context)
        table += line(t.pairs, t.pairs_s, pairs)
        exact = step.step_s(setup, rows * groups, sequences * groups, context, pairs * groups)
        assert table == pytest.approx(float(exact), rel=0.03)


def test_a_window_is_a_knot() -> None:
    assert 128.0 in of(Setup.of("gpt-oss-120b", "b200", precision="fp4"), 512, 64).times.context


def test_as_many_accelerators_as_leave_room() -> None:
    assert kind("llama-3.1-8b", "h100-sxm").accelerators == 1
    assert kind("llama-3.1-70b", "h100-sxm").accelerators == 4
    assert kind("llama-3.1-70b", "h100-sxm", precision="fp8").accelerators == 2
    assert kind("llama-3.1-70b", "h100-sxm", layout=Layout(tensor=8)).accelerators == 8


def test_precision_is_that_of_the_publisher_unless_said() -> None:
    assert [published(architecture(m)) for m in ("llama-3.1-8b", "deepseek-v3", "gpt-oss-120b")] == [
        "bf16",
        "fp8",
        "fp4",
    ]
    wide, narrow = (kind("qwen3-32b", "b200", precision=p) for p in ("bf16", "fp8"))
    assert narrow.pages > wide.pages
    assert narrow.times.rows_s[1] < wide.times.rows_s[1]


def test_pages_fill_what_the_weights_leave() -> None:
    k = of(LLAMA, 512, 64, page_tokens=16, usable_share=0.9)
    used = step.held_B(LLAMA) + k.pages * 16 * step.cache_token_B(LLAMA)
    assert used == pytest.approx(0.9 * float(LLAMA.case.memory_B), rel=1e-3)


def test_own_constants_move_the_tables_and_nothing_else() -> None:
    slow = dict(constants("vllm"), layer_time_s=1e-3)
    own, plain = (kind("llama-3.1-8b", "h100-sxm", constants=c) for c in (slow, None))
    extra = 32 * (1e-3 - constants("vllm")["layer_time_s"])
    np.testing.assert_allclose(own.times.rows_s - plain.times.rows_s, extra)
    np.testing.assert_array_equal(own.times.context_s, plain.times.context_s)
    assert own.pages == plain.pages


def test_a_serving_of_the_catalog_has_constants_of_its_own() -> None:
    trip = kind("llama-3.1-70b", "h100-sxm", serving="llama-70b-h100", tensor_ranks=8)
    assert trip.accelerators == 8
    for more in ({"precision": "fp8"}, {"layout": Layout(tensor=2)}, {"constants": constants()}):
        with pytest.raises(DomainError, match="of its own"):
            kind("llama-3.1-70b", "h100-sxm", serving="llama-70b-h100", **more)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"tensor_ranks": 0}, "tensor ranks = 0"),
        ({"usable_share": 2.0}, "usable share = 2"),
        ({"tensor_ranks": 1}, "leave no page"),
        ({"precision": "fp5"}, "precision 'fp5'"),
    ],
)
def test_what_cannot_be_is_told(more: dict[str, float], says: str) -> None:
    with pytest.raises(DomainError, match=says):
        kind("llama-3.1-405b", "h100-sxm", **more)  # pyright: ignore[reportArgumentType]


def test_a_model_nobody_knows_is_told() -> None:
    with pytest.raises(DomainError, match="did you mean"):
        kind("lama-3.1-8b", "h100-sxm")
