"""The cache: pages and their bound, prefixes, and what is saved comes back bit for bit."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.engine.cache import PAGE, Cache, CacheFull, Layout, Pool
from roundtrip.engine.engine import Engine, load
from roundtrip.errors import ModelError, OutputError
from tests.engine.judging import real_engine
from tests.engine.tiny import tiny_gguf

LAYOUT = Layout(layers=2, kv_heads=2, head_width=4, weights="abc")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load(tiny_gguf(tmp_path_factory.mktemp("cache") / "tiny.gguf"))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 200)), max_size=40), st.integers(1, 30))
def test_pages_are_never_lost_nor_made(steps: list[tuple[int, int]], pages: int) -> None:
    pool = Pool(pages)
    caches = [Cache(LAYOUT, 150, pool) for _ in range(4)]
    for which, positions in steps:
        cache = caches[which]
        before = (cache.pages, pool.free)
        try:
            cache.reserve(positions)
        except CacheFull:
            assert (cache.pages, pool.free) == before
            needed = -(-positions // PAGE) - before[0]
            assert positions > 150 or needed > before[1]
        else:
            assert cache.capacity >= positions
            assert cache.capacity < 150 + PAGE
        assert pool.free + sum(c.pages for c in caches) == pages
        assert cache.bytes_B == cache.keys.nbytes + cache.values.nbytes
    for cache in caches:
        cache.close()
        cache.close()
        assert cache.bytes_B == cache.used_B == 0
    assert pool.free == pages


def test_growth_is_not_a_page_at_a_time() -> None:
    cache = Cache(LAYOUT, 100_000)
    sizes = []
    for positions in range(1, 5000, 16):
        cache.reserve(positions)
        sizes.append(cache.pages)
    assert len(set(sizes)) < 20  # copies
    assert all(
        pages * PAGE <= 1.5 * positions + 2 * PAGE for pages, positions in zip(sizes, range(1, 5000, 16), strict=True)
    )


def test_a_pool_is_safe_among_threads() -> None:
    pool = Pool(64)

    def work() -> None:
        for _ in range(300):
            cache = Cache(LAYOUT, 1000, pool)
            cache.reserve(16)
            cache.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pool.free == 64


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ModelError, match="0 pages"):
        Pool(0)
    with pytest.raises(ModelError, match="0 positions"):
        Cache(LAYOUT, 0)
    cache = Cache(LAYOUT, 10)
    with pytest.raises(ModelError, match="cannot be cut"):
        cache.truncate(1)
    cache.close()
    with pytest.raises(ModelError, match="has been closed"):
        cache.reserve(1)


def filled(engine: Engine, ids: list[int]) -> Cache:
    cache = engine.model.cache()
    engine.model.forward([(cache, ids)])
    return cache


def test_a_prefix_of_another_sequence_saves_its_computation(tiny: Engine) -> None:
    shared, rest = [1, 50, 60, 70], [80, 90]
    first = filled(tiny, [*shared, 5])
    second = tiny.model.cache()
    second.copy_prefix(first, 4)
    step = tiny.model.forward([(second, rest)])
    whole = tiny.model.forward([(tiny.model.cache(), [*shared, *rest])])
    np.testing.assert_allclose(step.logits[0], whole.logits[0], atol=1e-3)
    assert first.length == 5
    with pytest.raises(ModelError, match="no prefix of 9"):
        second.copy_prefix(first, 9)
    with pytest.raises(ModelError, match="different models"):
        Cache(LAYOUT, 10).copy_prefix(first, 1)


def test_forgotten_positions_do_not_matter(tiny: Engine) -> None:
    cache = filled(tiny, [1, 2, 3, 99, 98])
    cache.truncate(3)
    step = tiny.model.forward([(cache, [4])])
    other = filled(tiny, [1, 2, 3])
    np.testing.assert_allclose(step.logits[0], tiny.model.forward([(other, [4])]).logits[0], atol=1e-3)


def same_after_saving(engine: Engine, ids: list[int], path: Path) -> None:
    cache = filled(engine, ids)
    cache.save(path)
    back = engine.model.cache()
    engine.model.forward([(back, [1])])  # something was there before
    back.load(path)
    assert back.length == len(ids)
    assert back.keys[:, :, : len(ids)].tobytes() == cache.keys[:, :, : len(ids)].tobytes()
    assert back.values[:, :, : len(ids)].tobytes() == cache.values[:, :, : len(ids)].tobytes()
    assert path.stat().st_size < len(ids) * engine.model.layout.position_B + 400
    ours, theirs = (engine.model.forward([(c, [7])]).logits[0] for c in (cache, back))
    assert ours.tobytes() == theirs.tobytes()


def test_what_is_saved_comes_back_bit_for_bit(tiny: Engine, tmp_path: Path) -> None:
    same_after_saving(tiny, [1, 50, 60, 70, 299] * 7, tmp_path / "cache.kv")


def test_what_is_saved_comes_back_bit_for_bit_with_real_weights(tmp_path: Path) -> None:
    same_after_saving(real_engine(), [504, 3575, 282, 4649, 314], tmp_path / "cache.kv")


def test_a_saved_cache_that_is_not_whole_is_named(tiny: Engine, tmp_path: Path) -> None:
    path = tmp_path / "cache.kv"
    saved = filled(tiny, [1, 2, 3]).to_bytes()
    cache = tiny.model.cache()

    def refuse(raw: bytes, match: str) -> None:
        path.write_bytes(raw)
        with pytest.raises(ModelError, match=match) as caught:
            cache.load(path)
        assert str(path) in str(caught.value)
        assert cache.length == 0

    for size in range(0, len(saved) - 1, 11):
        refuse(saved[:size], "not a saved cache|damaged or cut short")
    refuse(saved[:-1] + bytes([saved[-1] ^ 1]), "damaged or cut short")
    refuse(saved + b"\0", "damaged or cut short")
    refuse(b"x" * 50, "does not begin like one")
    size = int.from_bytes(saved[6:10], "little")
    head = json.loads(saved[10 : 10 + size])
    for change, match in (
        ({"weights": "f" * 64}, "another model"),
        ({"layers": 3}, "another model"),
        ({"length": -1}, "damaged"),
        ({"length": 10**12}, "damaged"),
        ({"length": None}, "not a saved cache"),
    ):
        made = json.dumps(head | change).encode()
        refuse(saved[:6] + len(made).to_bytes(4, "little") + made + saved[10 + size :], match)
    cache.restore(saved)
    assert cache.length == 3
    with pytest.raises(ModelError, match="No such file"):
        cache.load(tmp_path / "none.kv")
    with pytest.raises(OutputError, match="cannot be written"):
        cache.save(tmp_path / "no" / "folder.kv")
    cache.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["cache.kv"]
