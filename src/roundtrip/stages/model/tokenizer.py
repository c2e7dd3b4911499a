"""Text becomes tokens, and tokens become text again.

A tokenizer cuts text into pieces that the model has a number for. Byte-level byte-pair encoding starts from the 256
bytes, so no text is unknown, and joins the pair with the lowest rank until no pair of the learned table is left [1]_
[2]_. How many tokens a text has depends on the table; English has a little over four bytes a token. A chat template
adds a few. `encode` and `decode` below are the algorithm itself on a small table; `token_count` is the forecast for a
table that is not at hand.

References
----------
.. [1] R. Sennrich, B. Haddow and A. Birch, "Neural machine translation of rare words with subword units", ACL 2016,
   https://arxiv.org/abs/1508.07909: algorithm 1.
.. [2] A. Radford et al., "Language models are unsupervised multitask learners", 2019, section 2.2 (bytes as the base),
   https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf
.. [3] P. Gage, "A new algorithm for data compression", The C Users Journal 12(2), 1994.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1994, "P. Gage, byte-pair encoding; bytes as its base since GPT-2 in 2019")

# A table as it would be learned from a few English sentences: the order is the rank.
MERGES: tuple[tuple[bytes, bytes], ...] = (
    (b" ", b"t"), (b"h", b"e"), (b" t", b"he"), (b"i", b"s"), (b" ", b"is"), (b" ", b"o"), (b" o", b"f"),
    (b"a", b"n"), (b"c", b"e"), (b"an", b"ce"), (b" ", b"F"), (b"r", b"ance"), (b" F", b"rance"),
    (b" ", b"c"), (b"a", b"p"), (b"i", b"t"), (b"a", b"l"), (b" c", b"ap"), (b"it", b"al"), (b" cap", b"ital"),
    (b"T", b"he"),
)  # fmt: skip
RANKS: dict[tuple[bytes, bytes], int] = {pair: rank for rank, pair in enumerate(MERGES)}
VOCABULARY: tuple[bytes, ...] = (*(bytes([b]) for b in range(256)), *(left + right for left, right in MERGES))


def merge(pieces: Sequence[bytes], ranks: Mapping[tuple[bytes, bytes], int]) -> list[bytes]:
    """Join the pair of lowest rank, wherever it stands, until no pair is in the table [1]_."""
    parts = list(pieces)
    while True:
        pairs = [(ranks[pair], pair) for pair in pairwise(parts) if pair in ranks]
        if not pairs:
            return parts
        _, (left, right) = min(pairs)
        joined: list[bytes] = []
        i = 0
        while i < len(parts):
            if i + 1 < len(parts) and parts[i] == left and parts[i + 1] == right:
                joined.append(left + right)
                i += 2
            else:
                joined.append(parts[i])
                i += 1
        parts = joined


def encode(text: str, merges: Sequence[tuple[bytes, bytes]] = MERGES) -> list[int]:
    """Return the token ids of a text under a table of merges."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    ids = {left + right: 256 + rank for rank, (left, right) in enumerate(merges)}
    return [piece[0] if len(piece) == 1 else ids[piece] for piece in merge([bytes([b]) for b in text.encode()], ranks)]


def decode(ids: Sequence[int], merges: Sequence[tuple[bytes, bytes]] = MERGES) -> str:
    """Return the text of token ids; a cut through a character shows as the replacement character."""
    table = [left + right for left, right in merges]
    return b"".join(bytes([i]) if i < 256 else table[i - 256] for i in ids).decode(errors="replace")


def token_count(bytes_B: Number, bytes_per_token_B: Number, template_tokens: Number) -> Number:
    """Return the tokens of a prompt, ``max(ceil(bytes / bytes per token), 1) + template``.

    Parameters
    ----------
    bytes_B : float
        UTF-8 bytes of the text [B].
    bytes_per_token_B : float
        Mean bytes that one token stands for; it depends on the table and on the language [B].
    template_tokens : float
        Tokens that the chat template adds around the text.
    """
    return np.maximum(np.ceil(bytes_B / bytes_per_token_B), 1.0) + template_tokens


def text_size_B(tokens: Number, bytes_per_token_B: Number) -> Number:
    """Return the bytes of text that tokens stand for [B]."""
    return tokens * bytes_per_token_B


def encode_time_s(bytes_B: Number, tokenizer_rate_B_s: Number) -> Number:
    """Return the time to encode a text on one processor core [s]: the work grows with its bytes."""
    return bytes_B / tokenizer_rate_B_s


def id_size_B(tokens: Number, token_id_B: Number = 4.0) -> Number:
    """Return the bytes of the token ids as the engine hands them on, 4 bytes each [B]."""
    return tokens * token_id_B


def bits_per_token(vocabulary: Number) -> Number:
    """Return how many bits name one token of a vocabulary, ``log2 V``."""
    return np.log2(vocabulary)
