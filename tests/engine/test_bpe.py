"""The tokenizer against a slower one, against llama.cpp and `tokenizers`, and against what it says of itself."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.engine.bpe import BYTES, CHARACTERS, CUTS, TextStream, Tokenizer
from roundtrip.engine.gguf import GGUF
from roundtrip.errors import ModelError, PromptError
from tests.engine.judging import judge, weights_path
from tests.engine.strings import hard_strings
from tests.engine.tiny import MARKUP, metadata, vocabulary


@pytest.fixture(scope="module")
def tiny() -> Tokenizer:
    return Tokenizer.from_gguf(metadata())


def test_the_alphabet_writes_every_byte_as_one_printable_character() -> None:
    assert sorted(CHARACTERS) == list(range(256))
    assert len(set(CHARACTERS.values())) == 256
    assert all(c.isprintable() and not c.isspace() for c in CHARACTERS.values())
    assert {b: CHARACTERS[b] for b in b" \n"} == {32: "Ġ", 10: "Ċ"}
    assert all(BYTES[CHARACTERS[b]] == b for b in range(256))


def quadratic(word: str, ranks: dict[tuple[str, str], int]) -> list[str]:
    """Join the pair of lowest rank, the leftmost first, by looking at all pairs each time."""
    parts = list(word)
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(itertools.pairwise(parts)) if pair in ranks]
        if not pairs:
            return parts
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@given(st.text(alphabet="ab", max_size=40), st.integers(0, 10_000))
def test_merging_by_heap_equals_merging_by_looking_at_all_pairs(word: str, seed: int) -> None:
    rng = random.Random(seed)
    tokens, merges = ["a", "b"], []
    for _ in range(rng.randint(0, 14)):
        pair = (rng.choice(tokens), rng.choice(tokens))
        if pair not in merges:
            merges.append(pair)
            tokens.append("".join(pair))
    words = {token: i for i, token in enumerate(dict.fromkeys(tokens))}
    made = Tokenizer(words, merges, [r"\w+"], {})
    expected = quadratic(word, {pair: rank for rank, pair in enumerate(merges)})
    assert made.encode(word) == [words[part] for part in expected]


@given(st.text(max_size=60))
def test_a_text_comes_back(text: str) -> None:
    made = Tokenizer.from_gguf(metadata())
    ids = made.encode(text)
    assert made.decode(ids) == text
    assert made.decode(made.encode(text, special=False)) == text
    pieces = made.pieces(text)
    assert [piece.id for piece in pieces] == ids
    assert b"".join(piece.bytes for piece in pieces) == text.encode()
    stream = TextStream(made)
    parts = [stream.feed(i) for i in ids]
    assert "".join(parts) + stream.close() == text
    assert not any("\ufffd" in part for part in parts if "\ufffd" not in text)


def test_merges_are_on_record(tiny: Tokenizer) -> None:
    tokens, _ = vocabulary()
    piece = next(piece for piece in tiny.pieces("x capital") if piece.bytes == b" capital")
    assert piece.id == tokens.index("Ġcapital")
    made = [merge.left + merge.right for merge in piece.merges]
    assert made[-1] == piece.bytes
    assert made == [b" c", b" ca", b" cap", b" capi", b" capit", b" capita", b" capital"]
    assert [m.rank for m in piece.merges] == sorted(m.rank for m in piece.merges)
    assert next(p for p in tiny.pieces("q")).merges == ()


def test_merges_are_told_in_the_order_in_which_they_happened() -> None:
    pairs = [("c", "d"), ("a", "b"), ("b", "x"), ("ab", "cd")]
    words = {token: i for i, token in enumerate(["a", "b", "c", "d", "x", *(left + right for left, right in pairs)])}
    (piece,) = Tokenizer(words, pairs, [r"\w+"], {}).pieces("abcd")
    assert [(m.left, m.right, m.rank) for m in piece.merges] == [(b"c", b"d", 0), (b"a", b"b", 1), (b"ab", b"cd", 3)]


def test_markup_is_read_only_where_it_is_asked_for(tiny: Tokenizer) -> None:
    text = "<|im_end|>a<|im_start|>"
    assert tiny.encode(text) == [2, *tiny.encode("a"), 1]
    plain = tiny.encode(text, special=False)
    assert not {0, 1, 2} & set(plain)
    assert tiny.decode(plain) == text
    assert tiny.id_of("<|im_end|>") == 2
    assert tiny.id_of("a") is None
    assert (tiny.begin, tiny.end) == (1, 2)


def test_half_a_character_is_no_text(tiny: Tokenizer) -> None:
    with pytest.raises(PromptError, match="half a character at 1"):
        tiny.encode("a\ud800")


def test_a_stream_holds_a_character_until_it_is_whole(tiny: Tokenizer) -> None:
    ids = tiny.encode("é👍")
    assert len(ids) == 6  # a byte each
    stream = TextStream(tiny)
    assert [stream.feed(i) for i in ids] == ["", "é", "", "", "", "👍"]
    assert stream.close() == ""
    stream.feed(ids[2])
    assert stream.close() == "\ufffd"
    assert tiny.decode(ids[:3]) == "é\ufffd"
    assert tiny.token_bytes(10**9) == b""


def test_a_word_without_an_end_is_no_trap(tiny: Tokenizer) -> None:
    ids = tiny.encode("a" * 100_000 + " the" * 10_000)
    assert len(ids) == 110_000


SMOLLM_BYTES_WITHOUT_A_TOKEN = 21  # bytes that UTF-8 never or hardly uses: both judges leave them out as well


def test_smollm_equals_both_judges_on_hard_strings(tmp_path: Path) -> None:
    path = weights_path()
    meta = GGUF(path).metadata
    ours = Tokenizer.from_gguf(meta)
    strings = hard_strings()
    assert len(strings) >= 1000
    made = tmp_path / "made.json"
    texts = meta["tokenizer.ggml.tokens"]
    assert sum(CHARACTERS[b] not in texts for b in range(256)) == SMOLLM_BYTES_WITHOUT_A_TOKEN
    markup = [text for text, kind in zip(texts, meta["tokenizer.ggml.token_type"], strict=True) if kind == 3]
    body = {"tokens": texts, "merges": meta["tokenizer.ggml.merges"], "markup": markup}
    made.write_text(json.dumps(body), encoding="utf-8")
    llama, others = judge(
        {"task": "pieces", "model": str(path), "strings": strings},
        {"task": "tokenizers", "json": str(made), "strings": strings},
    )
    ids = [ours.encode(text) for text in strings]
    assert sum(map(len, ids)) > 30_000
    assert [s for s, a, b in zip(strings, ids, llama, strict=True) if a != b] == []
    assert [s for s, a, b in zip(strings, ids, others["ids"], strict=True) if a != b] == []
    pieces = [[piece.id for piece in ours.pieces(text)] for text in strings]
    assert pieces == ids


def test_deepseek_v3_equals_its_judge_on_hard_strings() -> None:
    strings = hard_strings()
    (found,) = judge({"task": "tokenizers", "json": "deepseek", "strings": strings})
    ours = Tokenizer.from_json(found["path"])
    assert ours.size == 128_815
    assert ours.encode("The capital of France is") == [671, 6102, 294, 8760, 344]
    ids = [ours.encode(text) for text in strings]
    assert [s for s, a, b in zip(strings, ids, found["ids"], strict=True) if a != b] == []
    assert [s for s, i in zip(strings, ids, strict=True) if ours.decode(i) != s] == []


def written(path: Path, **change: object) -> Path:
    tokens, merges = vocabulary()
    body: dict[str, object] = {
        "model": {"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens)}, "merges": merges},
        "added_tokens": [{"content": text, "id": i, "special": i > 0} for i, text in enumerate(MARKUP)],
        "normalizer": {"type": "Sequence", "normalizers": []},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Digits", "individual_digits": True},
                {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
            ],
        },
    }
    path.write_text(json.dumps(body | change), encoding="utf-8")
    return path


def test_a_tokenizer_json_is_read(tmp_path: Path, tiny: Tokenizer) -> None:
    path = written(tmp_path / "tokenizer.json")
    made = Tokenizer.from_json(path)
    text = "The capital<|im_end|> of 12 <|endoftext|>"
    assert made.encode(text) == tiny.encode(text)
    assert 0 in made.encode(text, special=False)  # not special: always a token of its own
    steps = [
        {"type": "Split", "pattern": {"Regex": cut}, "behavior": "Isolated", "invert": False} for cut in CUTS["smollm"]
    ]
    steps += [{"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]
    made = Tokenizer.from_json(written(path, pre_tokenizer={"type": "Sequence", "pretokenizers": steps}))
    assert made.encode(text) == tiny.encode(text)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"model": {"type": "Unigram"}}, "not read here"),
        ({"model": {"type": "BPE", "vocab": {}}}, "KeyError: 'merges'"),
        ({"normalizer": {"type": "NFC"}}, "not read here"),
        ({"pre_tokenizer": {"pretokenizers": [{"type": "Whitespace"}]}}, "'Whitespace'"),
        (
            {
                "pre_tokenizer": {
                    "pretokenizers": [{"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"}]
                }
            },
            r"missing \)",
        ),
        ({"added_tokens": None}, "TypeError"),
    ],
)
def test_other_tokenizer_files_are_named(tmp_path: Path, change: dict[str, object], match: str) -> None:
    path = written(tmp_path / "tokenizer.json", **change)
    with pytest.raises(ModelError, match=match) as caught:
        Tokenizer.from_json(path)
    assert str(path) in str(caught.value)


def test_what_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(ModelError, match=r"not a tokenizer\.json"):
        Tokenizer.from_json(tmp_path / "x.json")
    with pytest.raises(ModelError, match="No such file"):
        Tokenizer.from_json(tmp_path / "none.json")
