"""Text into tokens and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import tokenizer


@given(st.text(max_size=60))
def test_round_trip_of_any_text(text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text(alphabet="The capital of France is", max_size=40))
def test_round_trip_where_the_table_joins(text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) <= len(text.encode())


def test_words_of_the_table_become_one_token_each() -> None:
    ids = tokenizer.encode("The capital of France is")
    assert [tokenizer.VOCABULARY[i] for i in ids] == [b"The", b" capital", b" of", b" France", b" is"]


def test_lowest_rank_joins_first_sennrich_algorithm_1() -> None:
    merges = [(b"b", b"c"), (b"a", b"b")]
    assert tokenizer.encode("abc", merges) == [ord("a"), 256]
    assert tokenizer.encode("abc", merges[::-1]) == [256, ord("c")]


def test_ids_of_another_table_are_another_text() -> None:
    other = tokenizer.MERGES[::-1]
    ids = tokenizer.encode("The capital of France is")
    assert tokenizer.decode(ids, other) != "The capital of France is"


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6), st.floats(1.0, 8.0))
def test_more_bytes_never_fewer_tokens(few_B: float, more_B: float, per_token_B: float) -> None:
    count = [tokenizer.token_count(b, per_token_B, 3.0) for b in sorted((few_B, few_B + more_B))]
    assert 4.0 <= count[0] <= count[1]
