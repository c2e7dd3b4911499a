"""The look inside holds together: what it shows is what the model does."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from roundtrip.engine.engine import Engine, load
from roundtrip.engine.inside import LONGEST, Table, look
from roundtrip.engine.inside_svg import pictures, seen
from roundtrip.errors import DomainError, PromptError
from tests.engine.judging import real_engine
from tests.engine.tiny import tiny_gguf

TEXT = "The capital of France is é"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load(tiny_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf"))


def test_tokens_bytes_and_merges_make_up_the_text(engine: Engine) -> None:
    found = look(engine, TEXT)
    assert bytes.fromhex("".join(t.bytes_hex for t in found.tokens).replace(" ", "")) == TEXT.encode()
    assert [t.id for t in found.tokens] == engine.tokenizer.encode(TEXT, special=False)
    for token in found.tokens:
        if token.merges:
            assert "".join(token.merges[-1][:2]) == token.text


def test_the_last_layer_is_what_the_model_says(engine: Engine) -> None:
    found = look(engine, TEXT, best=3)
    ids = [t.id for t in found.tokens]
    with engine.model.cache() as cache:
        logits = engine.model.forward([(cache, ids)], every=True).logits[0]
    assert found.picked.id == int(logits[-1].argmax())
    assert found.guesses[-1].best.id == found.picked.id
    assert found.guesses[-1].rank == 0
    assert found.guesses[-1].probability == pytest.approx(found.picked.probability, rel=1e-4)
    best = [engine.tokenizer.token_bytes(int(i)).decode("utf-8", "backslashreplace") for i in logits.argmax(axis=-1)]
    assert found.lens[-1] == best
    assert len(found.layer_s) == engine.model.sizes.layers
    assert 0.0 < sum(found.layer_s) <= found.wall_s
    assert len(found.guesses) == len(found.lens) == engine.model.sizes.layers + 1
    settled = [g.rank == 0 for g in found.guesses]
    assert all(settled[found.settled_layer :])
    assert found.settled_layer == 0 or not settled[found.settled_layer - 1]


def test_attention_is_shared_out_whole_and_never_on_the_future(engine: Engine) -> None:
    found = look(engine, TEXT)
    for glance in found.glances:
        assert sum(glance.weights) == pytest.approx(1.0, abs=1e-5)
        assert len(glance.weights) == len(found.tokens)
        assert 0 < glance.at < len(found.tokens) - 1
        assert glance.weight <= 1.0 + 1e-6
        assert glance.sink == glance.weights[0]


def test_neighbors_are_those_of_a_plain_loop(engine: Engine) -> None:
    found = look(engine, "of", near=4)
    table = np.asarray(engine.model.embed(range(engine.model.sizes.vocabulary)), np.float64)
    for token in found.tokens:
        own = table[token.id]
        cosines = {i: float(own @ row / np.linalg.norm(own) / np.linalg.norm(row)) for i, row in enumerate(table)}
        del cosines[token.id]
        best = sorted(cosines, key=lambda i: -cosines[i])[:4]
        assert [n.id for n in token.neighbors] == best
        assert [n.cosine for n in token.neighbors] == pytest.approx([cosines[i] for i in best], abs=1e-5)
        assert token.norm == pytest.approx(np.linalg.norm(own), rel=1e-5)


def test_the_cache_grows_by_the_same_for_each_token(engine: Engine) -> None:
    found = look(engine, TEXT)
    s = engine.model.sizes
    assert found.cache_token_B == 2 * s.layers * s.kv_heads * s.head_width * 4
    assert [t.cache_B for t in found.tokens] == [found.cache_token_B * (i + 1) for i in range(len(found.tokens))]


@pytest.mark.parametrize("text", ["a", "ab", TEXT, "\n\t \x00", "🦊" * 8, "word " * 60])
def test_every_picture_is_svg_whatever_the_text(engine: Engine, text: str) -> None:
    found = look(engine, text)
    for name, draw in pictures().items():
        root = ET.fromstring(draw(found))
        assert root.tag.endswith("svg"), name
        assert "nan" not in draw(found), name
    assert found.as_dict()["picked"]["text"] == found.top_texts[0]


def test_of_a_long_text_the_first_token_is_drawn_with_the_last(engine: Engine) -> None:
    found = look(engine, "Zebra " + "word " * 60)
    for draw in pictures().values():
        drawn = draw(found)
        assert f"the last 11 of {len(found.tokens)}." in drawn
        assert f">{seen(found.tokens[0].text)}</text>" in drawn


def test_what_cannot_be_shown_is_refused(engine: Engine) -> None:
    with pytest.raises(PromptError, match="is empty"):
        look(engine, "")
    with pytest.raises(PromptError, match=f"allowed: {LONGEST}"):
        look(engine, "x " * 4_000)
    with pytest.raises(DomainError, match="is no word"):
        Table(engine).cosine("", "a")


def test_blanks_and_controls_are_made_visible() -> None:
    assert [seen(t) for t in (" is", " ", "\n", "\n  ", "a\x00", "", "  ")] == [
        "␣is",
        "␣",
        "↵",
        "↵␣␣",
        "a·",
        "∅",
        "␣␣",
    ]


def test_paris_is_nearer_to_rome_than_to_carrot_in_the_published_table() -> None:
    """Claim C017, in the real table; the figures of the catalog are these."""
    from roundtrip.catalog.load import entry

    kept = entry("embedding_tables", "smollm2-135m").figures
    table = Table(real_engine())
    assert table.cosine("Paris", "Rome") == pytest.approx(kept["near_cosine"].value, abs=5e-4)
    assert table.cosine("Paris", "carrot") == pytest.approx(kept["far_cosine"].value, abs=5e-4)
    assert table.typical("Paris") == pytest.approx(kept["median_cosine"].value, abs=5e-4)


def test_the_published_model_settles_on_paris_in_its_last_layer(tmp_path: Path) -> None:
    found = look(real_engine(), "The capital of France is")
    assert found.top_texts[0] == " Paris"
    assert found.picked.logit == pytest.approx(17.3713, abs=1e-3)
    assert found.settled_layer == 30
    assert max(max(row) for row in found.largest) > 10_000
