"""The forward pass against plain loops, against itself in other portions, and against known scores."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.engine.cache import CacheFull, Pool
from roundtrip.engine.engine import Engine, load
from roundtrip.engine.gguf import GGUF
from roundtrip.engine.model import COLUMNS, Llama, times
from roundtrip.engine.steps import Look, Room
from roundtrip.errors import DomainError, ModelError
from tests.engine.judging import real_engine
from tests.engine.tiny import CONTEXT, HEADS, LAYERS, WIDTH, gguf_bytes, metadata, naive_logits, tiny_gguf, weights

CLOSE = 1e-3


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load(tiny_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf"))


def scores(model: Llama, ids: list[int]) -> np.ndarray:
    with model.cache() as cache:
        return model.forward([(cache, ids)], every=True).logits[0]


@pytest.mark.parametrize("tied", [True, False])
def test_equals_plain_loops(tmp_path: Path, tied: bool) -> None:
    engine = load(tiny_gguf(tmp_path / "tiny.gguf", seed=3, tied=tied))
    ids = [5, 299, 17, 0, 42, 42, 260, 100, 3, 77, 150, 9]
    expected = np.array(naive_logits(weights(3, tied=tied), ids))
    assert np.abs(expected).max() > 5
    np.testing.assert_allclose(scores(engine.model, ids), expected, atol=CLOSE)


def test_frequencies_of_its_own_are_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "long.gguf"
    factors = np.full(WIDTH // HEADS // 2, 4.0, np.float32)
    path.write_bytes(gguf_bytes(metadata(), weights() | {"rope_freqs.weight": factors}))
    stretched, plain = Llama(GGUF(path)), Llama(GGUF(tiny_gguf(tmp_path / "tiny.gguf")))
    ids = [7, 8, 9, 10, 11]
    assert np.abs(scores(stretched, ids) - scores(plain, ids)).max() > 0.1
    # Four times slower turns at four times the distance are the same turns: the first and the last of a text of five.
    ones = np.ones_like(factors)
    path.write_bytes(gguf_bytes(metadata(), weights() | {"rope_freqs.weight": ones}))
    np.testing.assert_array_equal(scores(Llama(GGUF(path)), ids), scores(plain, ids))


IDS = st.lists(st.integers(0, 299), min_size=1, max_size=24)


@settings(max_examples=40)
@given(texts=st.lists(IDS, min_size=1, max_size=6), seed=st.integers(0, 2**32))
def test_any_portions_give_the_same_scores(tiny: Engine, texts: list[list[int]], seed: int) -> None:
    """Several texts in random pieces, some sequences in a pass and some not, equal each text in one pass."""
    model = tiny.model
    alone = [scores(model, text) for text in texts]
    caches = [model.cache() for _ in texts]
    rng = random.Random(seed)
    seen: list[list[np.ndarray]] = [[] for _ in texts]
    while any(cache.length < len(text) for cache, text in zip(caches, texts, strict=True)):
        parts, whose = [], []
        for i, (cache, text) in enumerate(zip(caches, texts, strict=True)):
            left = len(text) - cache.length
            size = rng.randint(0, left)
            if size:
                parts.append((cache, text[cache.length : cache.length + size]))
                whose.append(i)
        if parts:
            step = model.forward(parts, every=True)
            assert step.trace.tokens == sum(len(ids) for _, ids in parts)
            for i, logits in zip(whose, step.logits, strict=True):
                seen[i].append(logits)
    for got, expected in zip(seen, alone, strict=True):
        np.testing.assert_allclose(np.concatenate(got), expected, atol=CLOSE)


def test_a_long_prompt_is_attended_to_in_blocks(tiny: Engine) -> None:
    ids = [int(i) for i in np.random.default_rng(2).integers(0, 300, CONTEXT)]  # more than one block of queries
    whole = scores(tiny.model, ids)
    with tiny.model.cache() as cache:
        single = np.stack([tiny.model.forward([(cache, [i])]).logits[0] for i in ids])
    np.testing.assert_allclose(whole, single, atol=CLOSE)


def test_attention_of_a_long_prompt_is_put_together_out_of_its_blocks(tiny: Engine) -> None:
    ids = [int(i) for i in np.random.default_rng(4).integers(0, 300, CONTEXT - 5)]  # more than one block of queries
    look = Look(attention=True)
    with tiny.model.cache() as one, tiny.model.cache() as other:
        for cache in (one, other):
            tiny.model.forward([(cache, [1, 2, 3])])
        trace = tiny.model.forward([(one, ids)], look=look).trace
        assert trace.attention_blocks is not None
        assert len(trace.attention_blocks[0][0]) == 2
        assert trace.attention is not None
        whole = trace.attention[0]
        assert whole.shape == (LAYERS, HEADS, len(ids), len(ids) + 3)
        for place, i in enumerate(ids):
            single = tiny.model.forward([(other, [i])], look=look).trace.attention
            assert single is not None
            np.testing.assert_allclose(whole[:, :, place, : place + 4], single[0][:, :, 0], atol=1e-5)
            assert not whole[:, :, place, place + 4 :].any()


def test_a_room_is_written_over_by_the_next_pass_and_changes_nothing(tiny: Engine) -> None:
    look = Look(hidden=True, attention=True, room=Room())
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    for ids in ([5, 6, 7, 8] * 40, [9, 10], [11, 12, 13] * 50):  # a long one, a short one that leaves some, a third
        kept = [tiny.model.forward([(tiny.model.cache(), ids)], look=one) for one in (look, replace(look, room=None))]
        both = [[*(step.trace.hidden or ()), *(step.trace.attention or ())] for step in kept]
        assert len(both[0]) == 2
        for roomy, plain in zip(*both, strict=True):
            np.testing.assert_array_equal(roomy, plain)
        np.testing.assert_array_equal(kept[0].logits[0], kept[1].logits[0])
        blocks, hidden = kept[0].trace.attention_blocks, kept[0].trace.hidden
        assert blocks is not None
        assert hidden is not None
        seen.append((blocks[0][0][0], hidden[0]))
    for before, after in itertools.pairwise(seen):
        assert all(np.shares_memory(a, b) for a, b in zip(before, after, strict=True))


def test_only_the_last_token_is_scored_unless_all_are_asked_for(tiny: Engine) -> None:
    with tiny.model.cache() as a, tiny.model.cache() as b:
        step = tiny.model.forward([(a, [1, 2, 3]), (b, [4])])
    assert [logits.shape for logits in step.logits] == [(300,), (300,)]
    np.testing.assert_allclose(step.logits[0], scores(tiny.model, [1, 2, 3])[-1], atol=CLOSE)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7])
def test_few_rows_go_through_a_matrix_one_by_one(rows: int) -> None:
    rng = np.random.default_rng(rows)
    x = rng.normal(size=(rows, 64)).astype(np.float32)
    matrix = rng.normal(size=(64, COLUMNS + 77)).astype(np.float32)
    np.testing.assert_allclose(times(x, matrix), x.astype(float) @ matrix.astype(float), atol=1e-4)


def test_what_was_looked_at(tiny: Engine) -> None:
    model = tiny.model
    cache, other = model.cache(), model.cache()
    first, second = [5, 6, 7, 8, 9], [10, 11]
    model.forward([(other, [3, 4])])
    step = model.forward([(cache, first), (other, second)], look=Look(hidden=True, attention=True), every=True, top=3)
    trace = step.trace
    assert trace.hidden is not None
    assert trace.attention is not None
    assert [h.shape for h in trace.hidden] == [(LAYERS + 1, 5, WIDTH), (LAYERS + 1, 2, WIDTH)]
    assert [a.shape for a in trace.attention] == [(LAYERS, HEADS, 5, 5), (LAYERS, HEADS, 2, 4)]
    for attention, begin in zip(trace.attention, (0, 2), strict=True):
        np.testing.assert_allclose(attention.sum(axis=-1), 1, rtol=1e-5)
        for token in range(attention.shape[2]):
            assert (attention[:, :, token, begin + token + 1 :] == 0).all()  # nothing of the future
    np.testing.assert_array_equal(trace.hidden[0][0], model.embed(first))
    np.testing.assert_allclose(model.scores(trace.hidden[1][-1]), step.logits[1], atol=CLOSE)
    assert trace.missing == {}
    assert trace.layer_s is not None
    assert len(trace.layer_s) == LAYERS
    assert 0 < sum(trace.layer_s) <= trace.wall_s
    assert trace.rows == trace.tokens == 7
    assert trace.cache_B == 9 * model.layout.position_B == 9 * LAYERS * 2 * 2 * 16 * 4
    for scored, candidates, entropy in zip(step.logits, trace.top, trace.entropy_nat, strict=True):
        p = np.exp(scored[-1] - scored[-1].max().astype(float))
        p /= p.sum()
        assert [c.id for c in candidates] == list(np.argsort(-scored[-1])[:3])
        np.testing.assert_allclose([c.probability for c in candidates], np.sort(p)[::-1][:3], rtol=1e-6)
        assert entropy == pytest.approx(-(p * np.log(p)).sum(), rel=1e-6)
    plain = model.forward([(cache, [1])]).trace
    assert plain.hidden is plain.attention is None
    assert plain.missing == dict.fromkeys(("top", "entropy_nat", "hidden", "attention"), "not asked for")
    # To look changes nothing.
    np.testing.assert_array_equal(
        step.logits[0], model.forward([(model.cache(), first), (other, second)], every=True).logits[0]
    )


@pytest.mark.parametrize("ids", [[300], [-1], [1.5], [True and 2**40]])
def test_a_token_that_does_not_exist_is_refused(tiny: Engine, ids: list[int]) -> None:
    with pytest.raises(DomainError, match="from 0 to 299"):
        tiny.model.forward([(tiny.model.cache(), ids)])


def test_parts_that_make_no_sense_are_refused(tiny: Engine) -> None:
    cache = tiny.model.cache()
    for parts, match in (([], "no parts"), ([(cache, [])], "no tokens"), ([(cache, [1]), (cache, [2])], "two parts")):
        with pytest.raises(DomainError, match=match):
            tiny.model.forward(parts)
    assert cache.length == 0


def test_what_does_not_fit_changes_nothing(tiny: Engine) -> None:
    model = tiny.model
    pool = Pool(3)
    small, large = model.cache(pool), model.cache(pool, limit=1000)
    assert large.limit == CONTEXT
    model.forward([(small, [1, 2, 3])])
    with pytest.raises(CacheFull):
        model.forward([(small, [4]), (large, [5] * 40)])
    assert (small.length, large.length) == (3, 0)
    again = model.forward([(small, [4]), (large, [5] * 32)])
    assert pool.free == 0
    np.testing.assert_allclose(again.logits[0], scores(model, [1, 2, 3, 4])[-1], atol=CLOSE)
    with pytest.raises(CacheFull, match="room for 4"):
        model.forward([(model.cache(limit=4), [1] * 5)])


def test_context_can_be_made_smaller_but_not_larger(tmp_path: Path) -> None:
    path = tiny_gguf(tmp_path / "tiny.gguf")
    assert load(path, context=10).model.cache().limit == 10
    for context in (0, CONTEXT + 1):
        with pytest.raises(ModelError, match="this model takes 1 to 256"):
            load(path, context=context)
    with pytest.raises(ModelError, match="0 threads"):
        load(path, threads=0)


CAPITAL = [504, 3575, 282, 4649, 314]  # "The capital of France is"
GOLDEN = {7042: 17.3713, 260: 14.8886, 4528: 13.2450, 2250: 13.0095, 1315: 12.9515}  # PyTorch, float32, the same file


def test_real_weights_give_the_known_scores() -> None:
    engine = real_engine()
    assert engine.tokenizer.encode("The capital of France is") == CAPITAL
    with engine.model.cache() as cache:
        step = engine.model.forward([(cache, CAPITAL)], top=5)
        assert cache.used_B == 5 * 46_080
    best = step.trace.top[0]
    assert [c.id for c in best] == list(GOLDEN)
    assert [c.logit for c in best] == pytest.approx(list(GOLDEN.values()), abs=1e-3)
    assert best[0].probability == pytest.approx(0.7725, abs=1e-4)
    assert engine.tokenizer.decode([best[0].id]) == " Paris"


def test_real_weights_give_the_same_scores_in_any_portions() -> None:
    engine = real_engine()
    model, tokens = engine.model, engine.tokenizer.encode
    text = tokens("Light is slow in glass: about two thirds of its speed in vacuum, so a round trip takes longer.")
    other = tokens("def f(x):\n    return x + 1\n")
    whole = scores(model, text)
    with model.cache() as one, model.cache() as two, model.cache() as three, model.cache() as beside:
        single = np.stack([model.forward([(one, [i])]).logits[0] for i in text])
        halves = [model.forward([(two, part)], every=True).logits[0] for part in (text[:11], text[11:])]
        batched = [
            model.forward([(beside, other[i : i + 1]), (three, text[2 * i : 2 * i + 2])], every=True).logits[1]
            for i in range(len(other))
            if text[2 * i : 2 * i + 2]
        ]
    joined = np.concatenate(batched)
    assert len(joined) >= 10
    np.testing.assert_allclose(single, whole, atol=CLOSE)
    np.testing.assert_allclose(np.concatenate(halves), whole, atol=CLOSE)
    np.testing.assert_allclose(joined, whole[: len(joined)], atol=CLOSE)
    np.testing.assert_array_equal(scores(model, text), whole)  # the same pass twice: the same bits
