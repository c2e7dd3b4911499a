"""The transformer: how a chatbot scores the next word.

One forward pass takes tokens and gives a score to each token of the vocabulary. On the way each token is a vector of
a few hundred numbers (`width`). It passes through a pile of layers, and each layer does two things to it and adds the
result:

1. *attention*: the token asks (query), every earlier token answers (key), and what they have to say (value) is mixed
   by how well the answers fit. Keys and values stay in the cache, so an earlier token is never computed again;
2. a *feed-forward* net of two layers, for each token alone.

Sizes in the comments are those of SmolLM2-135M: 30 layers, width 576, 9 heads of 64, 3 heads for keys and values,
49,152 tokens.

References
----------
.. [1] A. Vaswani et al., "Attention is all you need" (2017), https://arxiv.org/abs/1706.03762
.. [2] H. Touvron et al., "LLaMA" (2023): normalization before, gated feed-forward, https://arxiv.org/abs/2302.13971
.. [3] J. Su et al., "RoFormer": rotary positions (2021), https://arxiv.org/abs/2104.09864
.. [4] J. Ainslie et al., "GQA": heads that share keys and values (2023), https://arxiv.org/abs/2305.13245
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.engine.cache import Cache, Layout, Pool
from roundtrip.engine.gguf import GGUF, Floats
from roundtrip.engine.recorder import Recorder, Run, Span
from roundtrip.engine.steps import Look, Step
from roundtrip.errors import DomainError, ModelError

QUERIES = 128
"""Queries whose scores are held at a time: a long prompt needs no square of its length."""
FEW_ROWS, COLUMNS = 4, 1024
"""Fewer rows than four go through a matrix one by one, so many of its columns at a time: see :func:`times`."""

Part = tuple[Cache, Sequence[int]]


@dataclass(frozen=True)
class Sizes:
    """The numbers that shape a model, out of the file's metadata."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    inner_width: int
    vocabulary: int
    context: int
    epsilon: float
    rope_base: float


@dataclass(frozen=True)
class Layer:
    """The weights of one layer; matrices lie turned, (in, out), so that a row is multiplied from the left."""

    attention_norm: Floats
    qkv: Floats
    output: Floats
    inner_norm: Floats
    gate_up: Floats
    down: Floats


class Llama:
    """A model of the `llama` architecture, in float32.

    Parameters
    ----------
    file
        The open weights; they are copied, so that the file may be closed afterwards.
    weights
        A name of these weights (their SHA-256), so that a saved cache is never given to another model.
    context
        The most positions of a sequence, if less than the model was made for.
    """

    def __init__(self, file: GGUF, weights: str = "", context: int | None = None) -> None:
        self.sizes = s = sizes(file, context)
        self.layout = Layout(s.layers, s.kv_heads, s.head_width, weights)
        self.layers = [_layer(file, s, i) for i in range(s.layers)]
        self.output_norm = _vector(file, "output_norm.weight", s.width)
        # A token's vector is a column of the table. Many models score with the same table (they are tied).
        self.embedding = _matrix(file, ["token_embd.weight"], s.width, [s.vocabulary])  # (576, 49152)
        tied = "output.weight" not in file.tensors
        self.head = self.embedding if tied else _matrix(file, ["output.weight"], s.width, [s.vocabulary])
        _nothing_else(file, s.layers)
        pairs = s.head_width // 2
        self._frequencies = s.rope_base ** -(np.arange(pairs) / pairs)  # (32,)
        if "rope_freqs.weight" in file.tensors:
            self._frequencies = self._frequencies / _vector(file, "rope_freqs.weight", pairs)

    def cache(self, pool: Pool | None = None, limit: int | None = None) -> Cache:
        """Return an empty cache for one sequence of at most `limit` tokens (the model's context, if that is less)."""
        context = self.sizes.context
        return Cache(self.layout, context if limit is None else min(limit, context), pool)

    def embed(self, ids: Sequence[int] | NDArray[np.intp]) -> Floats:
        """Return the vectors of tokens, as the embedding table has them: (tokens, width)."""
        return np.ascontiguousarray(self.embedding[:, ids].T)

    def scores(self, state: Floats) -> Floats:
        """Return the scores that a state would give to each token: (tokens, width) becomes (tokens, vocabulary)."""
        return times(norm(state, self.output_norm, self.sizes.epsilon), self.head)

    def forward(self, parts: Sequence[Part], look: Look | None = None, every: bool = False, top: int = 0) -> Step:
        """Run tokens through the model, and add them to their caches.

        Parameters
        ----------
        parts
            Pairs of a cache and the tokens that follow what it holds: a prompt, a piece of one, or the one token that
            was picked last, of as many sequences as you like. All rows go through each matrix together; attention is
            by sequence.
        look
            What to keep on the way.
        every
            Whether to score the token after each token, and not only after the last.
        top
            How many of the most probable tokens go into the trace.

        Returns
        -------
        Step
            Scores by part, and the trace.

        Raises
        ------
        DomainError
            A token is not in the vocabulary, a part is empty, or one cache stands in two parts.
        CacheFull
            A sequence does not fit.
        ModelError
            The scores are no numbers: the weights are damaged.

        After an error the caches hold what they held before.
        """
        ids = self._checked(parts)
        for cache, tokens in parts:
            cache.reserve(cache.length + len(tokens))
        spans = _spans(parts)
        positions = np.concatenate([np.arange(c.length, c.length + end - first) for c, first, end in spans])
        # A pair of numbers is one complex number; a position turns each pair, the first fast and the last slowly.
        turns = np.exp(1j * np.outer(positions, self._frequencies)).astype(np.complex64)[:, None]  # (rows, 1, 32)
        x = self.embed(ids)  # (rows, 576)
        runs = [_runs(span) for span in spans]
        seen = Recorder(look or Look(), x, self.sizes.layers, self.sizes.heads, spans, runs)
        # exp(1000) is infinite, and one over it is zero, as it should be; what is no number is found at the end.
        with np.errstate(over="ignore", invalid="ignore"):
            for index, layer in enumerate(self.layers):
                x += self._attention(index, layer, x, turns, spans, runs, seen)  # (rows, 576)
                x += self._feed_forward(layer, x)  # (rows, 576)
                seen.after_layer(index, x)
            logits = self.scores(x if every else x[[end - 1 for _, _, end in spans]])  # (rows or parts, 49152)
        if not np.isfinite(logits).all():
            raise ModelError("the model's scores are not finite numbers: its weights are damaged")
        for cache, first, end in spans:
            cache.length += end - first
        by_part = [logits[first:end] if every else logits[i] for i, (_, first, end) in enumerate(spans)]
        return Step(by_part, seen.trace([scores[-1] if every else scores for scores in by_part], top))

    def _attention(
        self,
        index: int,
        layer: Layer,
        x: Floats,
        turns: NDArray[np.complex64],
        spans: list[Span],
        runs: list[list[Run]],
        seen: Recorder,
    ) -> Floats:
        """Return what a layer's attention adds to each row."""
        s = self.sizes
        qkv = times(norm(x, layer.attention_norm, s.epsilon), layer.qkv)  # (rows, 576) -> (rows, 960)
        turned = (s.heads + s.kv_heads) * s.head_width
        # Queries and keys are turned by their position, so that their product depends on the distance between the two.
        pairs = qkv[:, :turned].reshape(len(x), s.heads + s.kv_heads, s.head_width)  # (rows, 12, 64)
        pairs = (np.ascontiguousarray(pairs).view(np.complex64) * turns).view(np.float32)  # (rows, 12, 64)
        queries, keys = pairs[:, : s.heads], pairs[:, s.heads :]  # (rows, 9, 64), (rows, 3, 64)
        values = qkv[:, turned:].reshape(len(x), s.kv_heads, s.head_width)  # (rows, 3, 64)
        mixed = np.zeros((len(x), s.heads * s.head_width), np.float32)  # (rows, 576)
        for part, (cache, first, end) in enumerate(spans):
            begin, stop = cache.length, cache.length + end - first
            cache.keys[index, :, begin:stop] = keys[first:end].transpose(1, 0, 2)  # (3, tokens, 64)
            cache.values[index, :, begin:stop] = values[first:end].transpose(1, 0, 2)
            for number, (a, b, there) in enumerate(runs[part]):
                mixed[a:b] = attend(
                    queries[a:b],
                    cache.keys[index, :, :there],
                    cache.values[index, :, :there],
                    seen.attention[part][index][number] if seen.attention else None,
                )
        return times(mixed, layer.output)  # (rows, 576) -> (rows, 576)

    def _feed_forward(self, layer: Layer, x: Floats) -> Floats:
        """Return what a layer's feed-forward net adds to each row."""
        both = times(norm(x, layer.inner_norm, self.sizes.epsilon), layer.gate_up)  # (rows, 576) -> (rows, 3072)
        gate, up = both[:, : self.sizes.inner_width], both[:, self.sizes.inner_width :]  # (rows, 1536) each
        opened: Floats = np.reciprocal(1 + np.exp(-gate))  # from 0 to 1
        return times(gate * opened * up, layer.down)  # (rows, 1536) -> (rows, 576)

    def _checked(self, parts: Sequence[Part]) -> NDArray[np.intp]:
        """Return the tokens of all parts, one after the other, if they can be run."""
        if not parts:
            raise DomainError("a forward pass of no parts")
        if len({id(cache) for cache, _ in parts}) < len(parts):
            raise DomainError("one cache stands in two parts of a forward pass")
        if not all(len(tokens) for _, tokens in parts):
            raise DomainError("a part of a forward pass has no tokens")
        ids = np.concatenate([np.asarray(tokens) for _, tokens in parts])
        if ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= self.sizes.vocabulary:
            raise DomainError(f"tokens are whole numbers from 0 to {self.sizes.vocabulary - 1}")
        return ids.astype(np.intp)


def times(x: Floats, matrix: Floats) -> Floats:
    """Return rows through a matrix: (rows, in) @ (in, out) -> (rows, out).

    With one row the work is to read the matrix, once. With two or three, the linear algebra library takes two to three
    times as long; one after the other, on columns that stay in the processor's own memory, they take half as long.
    """
    if not 1 < len(x) < FEW_ROWS:
        product: Floats = x @ matrix
        return product
    out = np.empty((len(x), matrix.shape[1]), np.float32)
    for first in range(0, matrix.shape[1], COLUMNS):
        for row, into in zip(x, out, strict=True):
            np.matmul(row, matrix[:, first : first + COLUMNS], out=into[first : first + COLUMNS])
    return out


def norm(x: Floats, weight: Floats, epsilon: float) -> Floats:
    """Return rows scaled to a mean square of one, times a weight a column (RMSNorm): the shape stays."""
    mean_square: Floats = np.square(x).mean(axis=-1, keepdims=True)  # (rows, 1)
    scale: Floats = np.reciprocal(np.sqrt(mean_square + np.float32(epsilon)))
    return x * scale * weight


def attend(queries: Floats, keys: Floats, values: Floats, keep: Floats | None = None) -> Floats:
    """Return the values, mixed for each query by how well the keys fit it.

    Parameters
    ----------
    queries
        (tokens, heads, head_width), of the last tokens in the cache.
    keys, values
        (kv_heads, positions, head_width). Several heads share one of them; a token sees itself and what came before.
    keep
        Where to compute the weights, and to leave them: (heads, tokens, positions), in one piece.

    Returns
    -------
    (tokens, heads * head_width)
    """
    tokens, heads, width = queries.shape
    kv_heads, positions, _ = keys.shape
    shared = heads // kv_heads
    grouped = queries.reshape(tokens, kv_heads, shared, width).transpose(1, 2, 0, 3)  # (3, 3, tokens, 64)
    grouped = grouped.reshape(kv_heads, shared * tokens, width)  # (3, 3 * tokens, 64)
    room = None if keep is None else keep.reshape(kv_heads, shared * tokens, positions)
    fit = np.matmul(grouped, keys.transpose(0, 2, 1), out=room)  # (3, 3 * tokens, positions)
    fit *= np.float32(width**-0.5)
    if tokens > 1:
        future = np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)  # (tokens, tokens)
        fit.reshape(kv_heads, shared, tokens, positions)[..., -tokens:] += future
    fit -= fit.max(axis=-1, keepdims=True)
    weights = np.exp(fit, out=fit)
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = weights @ values  # (3, 3 * tokens, 64)
    mixed = mixed.reshape(kv_heads, shared, tokens, width).transpose(2, 0, 1, 3)  # (tokens, 3, 3, 64)
    return mixed.reshape(tokens, heads * width)


def sizes(file: GGUF, context: int | None = None) -> Sizes:
    """Return the numbers that shape a model, or say why this file cannot be run here."""
    architecture = file.metadata.get("general.architecture")
    if architecture != "llama":
        raise ModelError(f"{file.path}: architecture {architecture!r}; this engine runs 'llama' only")

    def number(name: str, default: float | None = None) -> float:
        value: Any = file.metadata.get(f"llama.{name}", default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
            raise ModelError(f"{file.path}: 'llama.{name}' is {value!r}; the file is damaged, or of another kind")
        return value

    if file.metadata.get("llama.expert_count"):
        raise ModelError(f"{file.path}: a mixture of experts; this engine runs dense models only")
    scaling = file.metadata.get("llama.rope.scaling.type", "none")
    if scaling != "none":
        raise ModelError(f"{file.path}: positions are scaled ({scaling!r}), which this engine does not do")
    width, heads = int(number("embedding_length")), int(number("attention.head_count"))
    head_width = int(number("attention.key_length", width // heads))
    kv_heads = int(number("attention.head_count_kv", heads))
    embedding = file.tensors.get("token_embd.weight")
    if embedding is None or len(embedding.shape) != 2:
        raise ModelError(f"{file.path}: there is no embedding table 'token_embd.weight'")
    for name, value in (
        ("attention.value_length", head_width),
        ("rope.dimension_count", head_width),
    ):
        if number(name, value) != value:
            raise ModelError(f"{file.path}: 'llama.{name}' is not the width of a head ({value}), which is not run here")
    if heads % kv_heads or head_width % 2:
        raise ModelError(f"{file.path}: {heads} heads of {head_width} over {kv_heads} for keys and values do not fit")
    most = int(number("context_length"))
    if context is not None and not 1 <= context <= most:
        raise ModelError(f"a context of {context} positions: this model takes 1 to {most}")
    return Sizes(
        layers=int(number("block_count")),
        width=width,
        heads=heads,
        kv_heads=kv_heads,
        head_width=head_width,
        inner_width=int(number("feed_forward_length")),
        vocabulary=embedding.shape[0],
        context=most if context is None else context,
        epsilon=number("attention.layer_norm_rms_epsilon"),
        rope_base=number("rope.freq_base", 10_000.0),
    )


def _spans(parts: Sequence[Part]) -> list[Span]:
    """Return for each part its cache, its first row and the row after its last."""
    spans: list[Span] = []
    first = 0
    for cache, tokens in parts:
        spans.append((cache, first, first + len(tokens)))
        first += len(tokens)
    return spans


def _runs(span: Span) -> list[Run]:
    """Return the rows of a part that go through attention together, and how many positions the last of them can see."""
    cache, first, end = span
    return [
        (a, min(a + QUERIES, end), cache.length + min(a + QUERIES, end) - first) for a in range(first, end, QUERIES)
    ]


PIECES = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def _layer(file: GGUF, s: Sizes, index: int) -> Layer:
    def name(piece: str) -> str:
        return f"blk.{index}.{piece}.weight"

    queries, shared = s.heads * s.head_width, s.kv_heads * s.head_width
    return Layer(
        attention_norm=_vector(file, name("attn_norm"), s.width),
        qkv=_matrix(file, [name("attn_q"), name("attn_k"), name("attn_v")], s.width, [queries, shared, shared]),
        output=_matrix(file, [name("attn_output")], queries, [s.width]),
        inner_norm=_vector(file, name("ffn_norm"), s.width),
        gate_up=_matrix(file, [name("ffn_gate"), name("ffn_up")], s.width, [s.inner_width, s.inner_width]),
        down=_matrix(file, [name("ffn_down")], s.inner_width, [s.width]),
    )


def _vector(file: GGUF, name: str, length: int) -> Floats:
    _shaped(file, name, (length,))
    return file.array(name).copy()


def _matrix(file: GGUF, names: list[str], columns: int, rows: list[int]) -> Floats:
    """Return matrices side by side, turned: (in, out of the first + out of the second + ...)."""
    for name, count in zip(names, rows, strict=True):
        _shaped(file, name, (count, columns))
    whole = np.empty((columns, sum(rows)), np.float32)
    first = 0
    for name, count in zip(names, rows, strict=True):
        file.transposed(name, whole[:, first : first + count])
        first += count
    return whole


def _shaped(file: GGUF, name: str, shape: tuple[int, ...]) -> None:
    tensor = file.tensors.get(name)
    if tensor is None:
        raise ModelError(f"{file.path}: there is no tensor {name!r}; the file is damaged, or of another kind")
    if tensor.shape != shape:
        raise ModelError(f"{file.path}: tensor {name!r} has shape {tensor.shape}, and its metadata say {shape}")


def _nothing_else(file: GGUF, layers: int) -> None:
    """Refuse a file with weights that this engine would leave out."""
    known = {"token_embd.weight", "output_norm.weight", "output.weight", "rope_freqs.weight"}
    known |= {f"blk.{index}.{piece}.weight" for index in range(layers) for piece in PIECES}
    for name in file.tensors:
        if name not in known:
            raise ModelError(f"{file.path}: tensor {name!r} has no place in the models that this engine runs")
