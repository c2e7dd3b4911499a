"""The tokenizer: byte-level byte-pair encoding, with each merge on record.

A text is cut into words by patterns; a word is a row of bytes; then the two neighbors that were joined earliest in
training are joined, again and again, until no pair is left that was ever joined. Bytes are written as 256 printable
characters, so that the vocabulary is a list of ordinary strings.

References
----------
.. [1] R. Sennrich et al., "Neural machine translation of rare words with subword units" (2015),
https://arxiv.org/abs/1508.07909 .. [2] A. Radford et al., "Language models are unsupervised multitask learners":
bytes as alphabet (2019)
"""

from __future__ import annotations

import codecs
import heapq
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import regex

from roundtrip.errors import ModelError, PromptError

CONTROL, USER_DEFINED = 3, 4  # kinds of tokens in a GGUF file: markup, and words that are never cut
LONGEST_REMEMBERED = 64  # characters of a word whose tokens are remembered
MOST_REMEMBERED = 50_000  # words

GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
# What a GGUF file calls the way to cut a text into words: patterns, each applied to what the one before left whole.
CUTS = {
    "smollm": (r"\p{N}", GPT_2),
    "gpt-2": (GPT_2,),
}


def _alphabet() -> dict[int, str]:
    """Return a printable character for each byte: itself where it is one, else one from U+0100 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


CHARACTERS = _alphabet()
BYTES = {character: byte for byte, character in CHARACTERS.items()}


@dataclass(frozen=True)
class Merge:
    """Two neighbors that were joined; the lower its `rank`, the earlier the pair was joined in training."""

    left: bytes
    right: bytes
    rank: int


@dataclass(frozen=True)
class Piece:
    """A token of a text: its id, its bytes, and the merges that made it, in their order."""

    id: int
    bytes: bytes
    merges: tuple[Merge, ...] = ()


class Tokenizer:
    """Text to token ids and back.

    Parameters
    ----------
    words
        Token string (in the alphabet of bytes) to id.
    merges
        Pairs of token strings, the first learned first.
    cuts
        Patterns that cut a text into words.
    markup
        Token text to id, for tokens that stand for themselves and are never cut.
    markers
        Those of `markup` that are recognized even where special tokens are not asked for.
    begin, end
        Ids that begin a text and end an answer.
    """

    def __init__(
        self,
        words: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        cuts: Sequence[str],
        markup: Mapping[str, int],
        markers: Iterable[str] = (),
        begin: int | None = None,
        end: int | None = None,
    ) -> None:
        self._ids = dict(words)
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        for left, right in merges:
            if left + right not in self._ids:
                raise ModelError(f"the pair {left!r} {right!r} makes no token of the vocabulary")
        self._cuts = [regex.compile(cut) for cut in cuts]
        self.markup = dict(markup)
        self._all = _finder(self.markup)
        self._markers = _finder({text: self.markup[text] for text in markers})
        self.begin, self.end = begin, end
        self._bytes = {i: _as_bytes(text) for text, i in words.items()}
        self._bytes |= {i: text.encode() for text, i in markup.items()}
        self.size = max(self._bytes, default=-1) + 1
        self._remembered: dict[str, tuple[int, ...]] = {}

    @classmethod
    def from_gguf(cls, metadata: Mapping[str, Any], origin: str = "the file") -> Tokenizer:
        """Build it from a GGUF file's metadata."""
        kind, cut = metadata.get("tokenizer.ggml.model"), str(metadata.get("tokenizer.ggml.pre", "gpt-2"))
        if kind != "gpt2":
            raise ModelError(f"{origin}: tokenizer {kind!r}; this engine reads byte-level ones ('gpt2') only")
        if metadata.get("tokenizer.ggml.add_bos_token"):
            raise ModelError(f"{origin}: it wants a token in front of every text, which this engine does not add")
        if cut not in CUTS:
            known = ", ".join(CUTS)
            raise ModelError(f"{origin}: texts are cut by {cut!r}; this engine knows {known}")
        texts, pairs = (
            _texts(metadata, "tokenizer.ggml.tokens", origin),
            _texts(metadata, "tokenizer.ggml.merges", origin),
        )
        kinds: Any = metadata.get("tokenizer.ggml.token_type", [1] * len(texts))
        if not isinstance(kinds, list) or len(kinds) != len(texts):
            raise ModelError(f"{origin}: the kinds of the tokens do not fit the {len(texts)} tokens")
        markup = {t: i for i, (t, kind) in enumerate(zip(texts, kinds, strict=True)) if kind in {CONTROL, USER_DEFINED}}
        try:
            return cls(
                words={text: i for i, text in enumerate(texts) if text not in markup},
                merges=[_pair(pair) for pair in pairs],
                cuts=CUTS[cut],
                markup=markup,
                markers=[text for text, i in markup.items() if kinds[i] == USER_DEFINED],
                begin=_marker(metadata, "bos", len(texts), origin),
                end=_marker(metadata, "eos", len(texts), origin),
            )
        except ModelError as error:
            raise ModelError(f"{origin}: {error}") from error

    @classmethod
    def from_json(cls, path: str | Path) -> Tokenizer:
        """Build it from a ``tokenizer.json`` like DeepSeek-V3's: byte-level, cut by patterns, nothing normalized."""
        path = Path(path)
        try:
            body: Any = json.loads(path.read_text(encoding="utf-8"))
            model, added = body["model"], body["added_tokens"]
            normalizer = body.get("normalizer") or {"normalizers": []}
            if model["type"] != "BPE" or model.get("ignore_merges") or normalizer.get("normalizers", True):
                raise ModelError(
                    f"{path}: this kind of tokenizer is not read here (byte-level BPE, nothing normalized)"
                )
            words = cast("dict[str, int]", model["vocab"])
            merges = [_pair(pair) if isinstance(pair, str) else (pair[0], pair[1]) for pair in model["merges"]]
            cuts = [_cut(step, path) for step in body["pre_tokenizer"]["pretokenizers"]]
            markup = {token["content"]: token["id"] for token in added}
            markers = [token["content"] for token in added if not token["special"]]
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ModelError(f"{path}: not a tokenizer.json ({type(error).__name__}: {error})") from error
        try:
            return cls(words, merges, [cut for cut in cuts if cut], markup, markers)
        except (ModelError, regex.error) as error:
            raise ModelError(f"{path}: {error}") from error

    def encode(self, text: str, special: bool = True) -> list[int]:
        """Return the ids of a text; with `special`, markup such as ``<|im_end|>`` becomes its own token."""
        ids: list[int] = []
        for part, marked in self._parts(text, special):
            if marked:
                ids.append(self.markup[part])
                continue
            for word in self._cut(part):
                ids += self._tokens(word)
        return ids

    def pieces(self, text: str, special: bool = True) -> list[Piece]:
        """Return the tokens of a text, each with the merges that made it."""
        pieces: list[Piece] = []
        for part, marked in self._parts(text, special):
            if marked:
                pieces.append(Piece(self.markup[part], part.encode()))
                continue
            for word in self._cut(part):
                for token, merges in self._merge(_as_characters(word)):
                    if token in self._ids:
                        pieces.append(Piece(self._ids[token], _as_bytes(token), tuple(merges)))
        return pieces

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token; a number that has no token has none."""
        return self._bytes.get(token, b"")

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of tokens; what is no UTF-8 becomes U+FFFD."""
        return b"".join(self.token_bytes(i) for i in ids).decode("utf-8", "replace")

    def id_of(self, text: str) -> int | None:
        """Return the id of a markup token, if there is one of that text."""
        return self.markup.get(text)

    def _parts(self, text: str, special: bool) -> Iterator[tuple[str, bool]]:
        """Yield the stretches of a text, and whether each is a token of markup."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise PromptError(f"the text is not Unicode: half a character at {error.start}") from error
        finder = self._all if special else self._markers
        if finder is None:
            yield text, False
            return
        for i, part in enumerate(finder.split(text)):
            if part:
                yield part, i % 2 == 1

    def _cut(self, text: str) -> list[str]:
        """Cut a text into words: each pattern isolates what it matches, within the pieces of the pattern before."""
        words = [text]
        for cut in self._cuts:
            words = [piece for word in words for piece in _isolate(cut, word)]
        return words

    def _tokens(self, word: str) -> tuple[int, ...]:
        found = self._remembered.get(word)
        if found is None:
            # A few bytes that UTF-8 hardly uses have no token in some vocabularies: they are left out.
            found = tuple(self._ids[token] for token, _ in self._merge(_as_characters(word)) if token in self._ids)
            if len(word) <= LONGEST_REMEMBERED and len(self._remembered) < MOST_REMEMBERED:
                self._remembered[word] = found
        return found

    def _merge(self, word: str) -> list[tuple[str, list[Merge]]]:
        """Return the tokens of a word, each with its merges: the pair of lowest rank first, of equals the leftmost."""
        parts: list[str] = list(word)
        merges: list[list[tuple[int, Merge]]] = [[] for _ in parts]  # when, and what
        after = [*range(1, len(parts)), -1]  # the neighbors of each part; -1 is none
        before = [*range(-1, len(parts) - 1)]
        heap: list[tuple[int, int, str, str]] = []

        def offer(left: int, right: int) -> None:
            if left >= 0 and right >= 0:
                rank = self._ranks.get((parts[left], parts[right]))
                if rank is not None:
                    heapq.heappush(heap, (rank, left, parts[left], parts[right]))

        for i in range(len(parts) - 1):
            offer(i, i + 1)
        for moment in itertools.count():
            if not heap:
                break
            rank, left, first, second = heapq.heappop(heap)
            right = after[left]
            if right < 0 or parts[left] != first or parts[right] != second:
                continue  # one of the two has been joined to another since
            parts[left], parts[right] = first + second, ""
            merges[left] += [*merges[right], (moment, Merge(_as_bytes(first), _as_bytes(second), rank))]
            after[left] = after[right]
            if after[right] >= 0:
                before[after[right]] = left
            offer(before[left], left)
            offer(left, after[left])
        in_order = [[merge for _, merge in sorted(made, key=lambda pair: pair[0])] for made in merges]
        return [(part, made) for part, made in zip(parts, in_order, strict=True) if part]


class TextStream:
    """Text out of tokens as they come: a character that is spread over tokens is held until it is whole."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token: int) -> str:
        """Take a token, and return the text that is certain now, perhaps none."""
        return self._decoder.decode(self._tokenizer.token_bytes(token))

    def close(self) -> str:
        """Return what is left: U+FFFD for a character that never became whole."""
        return self._decoder.decode(b"", True)


def _as_characters(word: str) -> str:
    return "".join(CHARACTERS[byte] for byte in word.encode())


def _as_bytes(token: str) -> bytes:
    try:
        return bytes(BYTES[character] for character in token)
    except KeyError:
        return token.encode()  # a word of the vocabulary that stands for itself


def _isolate(cut: regex.Pattern[str], text: str) -> Iterator[str]:
    last = 0
    for match in cut.finditer(text):
        if match.start() > last:
            yield text[last : match.start()]
        if match.end() > match.start():
            yield match.group()
        last = match.end()
    if last < len(text):
        yield text[last:]


def _finder(markup: Mapping[str, int]) -> regex.Pattern[str] | None:
    """Return a pattern that finds any of the texts, the longest where several begin."""
    texts = sorted((text for text in markup if text), key=lambda text: (-len(text), text))
    return regex.compile(f"({'|'.join(map(regex.escape, texts))})") if texts else None


def _pair(line: str) -> tuple[str, str]:
    left, space, right = line.partition(" ")
    if not (left and space and right):
        raise ModelError(f"{line!r} is no pair of tokens")
    return left, right


def _texts(metadata: Mapping[str, Any], name: str, origin: str) -> list[str]:
    values: Any = metadata.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelError(f"{origin}: {name!r} is missing, or no list of texts")
    return values


def _marker(metadata: Mapping[str, Any], which: str, size: int, origin: str) -> int | None:
    name = f"tokenizer.ggml.{which}_token_id"
    value: Any = metadata.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size):
        raise ModelError(f"{origin}: {name!r} is {value!r}, which is no token")
    return value


def _cut(step: Mapping[str, Any], path: Path) -> str:
    """Return the pattern of one step of a ``tokenizer.json``, or an empty text for the step that writes bytes."""
    if step["type"] == "ByteLevel" and not step.get("add_prefix_space"):
        return GPT_2 if step.get("use_regex") else ""
    if (
        step["type"] == "Split"
        and step["behavior"] == "Isolated"
        and not step.get("invert")
        and "Regex" in step["pattern"]
    ):
        return str(step["pattern"]["Regex"])
    if step["type"] == "Digits" and step["individual_digits"]:
        return r"\p{N}"
    raise ModelError(f"{path}: texts are cut by {step['type']!r} in a way that is not read here")
