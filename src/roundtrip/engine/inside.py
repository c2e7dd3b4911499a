"""A look inside: everything that happens to a text on the way to its next token, as numbers to be shown.

The text becomes tokens (with the merges that made them), each token a vector (with its neighbors in the embedding
table), the layers mix and change these vectors (attention, and what each layer would say if it were the last), and at
the end every token of the vocabulary has a score, of which one is picked.

References
----------
.. [1] nostalgebraist, "interpreting GPT: the logit lens", 2020, https://www.lesswrong.com/posts/AcKRB8wDpdaN6v6ru
.. [2] M. Sun et al., "Massive activations in large language models", 2024, https://arxiv.org/abs/2402.17762
.. [3] G. Xiao et al., "Efficient streaming language models with attention sinks", 2023,
   https://arxiv.org/abs/2309.17453
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from roundtrip.engine.engine import Engine, ModelCard
from roundtrip.engine.sampling import top
from roundtrip.engine.steps import Candidate, Floats, Look
from roundtrip.errors import DomainError, PromptError

FIRST_NUMBERS = 6
LONGEST = 512  # tokens; attention of all layers is kept, which grows with the square


@dataclass(frozen=True)
class Neighbor:
    """A token of the table, and the cosine of the angle between its vector and another."""

    id: int
    text: str
    cosine: float


@dataclass(frozen=True)
class TokenView:
    """A token of the text: its bytes, the merges that made it, and its vector.

    Attributes
    ----------
    merges : list of (left, right, rank)
    norm : float
        Length of its vector.
    first : list of float
        The first numbers of it.
    cache_B : int
        Bytes in the cache once it has been read.
    """

    position: int
    id: int
    text: str
    bytes_hex: str
    merges: list[tuple[str, str, int]]
    norm: float
    first: list[float]
    neighbors: list[Neighbor]
    cache_B: int


@dataclass(frozen=True)
class Guess:
    """What a layer would say if it were the last, at the last token [1]_.

    Attributes
    ----------
    layer : int
        0 is the embedding before the first layer.
    best : Candidate
        Its best guess; `text` of it beside.
    rank : int
        Place of the token that is picked in the end: 0 is the best.
    probability : float
        Of that token.
    norm, largest : float
        Length of the state, and its largest number without sign: a few are thousands of times the others [2]_.
    """

    layer: int
    best: Candidate
    text: str
    rank: int
    probability: float
    norm: float
    largest: float


@dataclass(frozen=True)
class Glance:
    """Where the last token looks in one layer, as the mean over the heads, and the head that looks back most.

    Attributes
    ----------
    weights : list of float
        For each token; they sum to 1.
    sink : float
        What goes to the first token, whatever it is: a head that finds nothing looks there [3]_.
    head, at, weight
        The head that looks hardest at one token other than the first and the last, where to, and how hard.
    """

    layer: int
    weights: list[float]
    sink: float
    head: int
    at: int
    weight: float


@dataclass(frozen=True)
class Inside:
    """All of it."""

    prompt: str
    card: ModelCard
    tokens: list[TokenView]
    glances: list[Glance]
    guesses: list[Guess]
    top: list[Candidate]
    top_texts: list[str]
    entropy_nat: float
    settled_layer: int
    cache_token_B: int
    wall_s: float
    layer_s: list[float]
    lens: list[list[str]]
    lens_probability: list[list[float]]
    largest: list[list[float]]

    @property
    def picked(self) -> Candidate:
        """The token with the best score."""
        return self.top[0]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body = asdict(self)
        for guess in body["guesses"]:
            guess["best"]["text"] = guess.pop("text")
        body["top"] = [{**c, "text": text} for c, text in zip(body["top"], body.pop("top_texts"), strict=True)]
        body["picked"] = body["top"][0]
        return {"schema": "roundtrip.inside/1", **body}


def shown(raw: bytes) -> str:
    r"""Return the text of a token; bytes that are no whole character as ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


class Table:
    """The embedding table: a vector for each token, and who is near whom."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.vectors: Floats = np.asarray(engine.model.embed(range(engine.model.sizes.vocabulary)))  # (49152, 576)
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        self.lengths = lengths[:, 0]
        self._directions = self.vectors / np.maximum(lengths, np.float32(1e-12))  # (49152, 576)

    def neighbors(self, token: int, count: int) -> list[Neighbor]:
        """Return the tokens whose vectors point most nearly the same way, without the token itself."""
        cosines = self._directions @ self._directions[token]  # (49152,)
        cosines[token] = -np.inf
        ids = np.argpartition(-cosines, min(count, cosines.size - 1))[:count]
        ids = ids[np.lexsort((ids, -cosines[ids]))]
        tokens = self._engine.tokenizer
        return [Neighbor(int(i), shown(tokens.token_bytes(int(i))), float(cosines[i])) for i in ids]

    def cosine(self, left: str, right: str) -> float:
        """Return the cosine between two words; a word of several tokens has the mean of their vectors."""
        a, b = (self.vector(word) for word in (left, right))
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

    def typical(self, word: str) -> float:
        """Return the median cosine between a word and all tokens: what nearness must be held against."""
        vector = self.vector(word)
        return float(np.median(self._directions @ (vector / np.linalg.norm(vector))))

    def vector(self, word: str) -> Floats:
        """Return the vector of a word as it stands inside a sentence, with the blank before it: (width,)."""
        ids = self._engine.tokenizer.encode(" " + word.strip(), special=False)
        if not word.strip() or not ids:
            raise DomainError(f"{word!r} is no word")
        return self.vectors[ids].mean(axis=0)


def look(engine: Engine, prompt: str, ids: Sequence[int] | None = None, best: int = 10, near: int = 5) -> Inside:
    """Return what happens inside on the way from a text to its next token.

    Parameters
    ----------
    engine : Engine
    prompt : str
    ids : sequence of int, optional
        Its tokens, where they are not simply those of the text: with the chat template around it.
    best : int
        How many of the best scores to keep.
    near : int
        How many neighbors of each token's vector.

    Raises
    ------
    PromptError
        The text is empty, or longer than can be shown.
    """
    pieces = engine.tokenizer.pieces(prompt, special=False) if ids is None else []
    chosen = [piece.id for piece in pieces] if ids is None else list(ids)
    if not chosen:
        raise PromptError("the prompt is empty, expected at least one character")
    if len(chosen) > LONGEST:
        raise PromptError(f"the prompt has {len(chosen):,} tokens, allowed: {LONGEST} (every layer is kept of each)")
    table = Table(engine)
    with engine.model.cache() as cache:
        step = engine.model.forward([(cache, chosen)], look=Look(hidden=True, attention=True), top=best)
        filled_B = cache.used_B
    hidden, attention = (kept[0] for kept in (step.trace.hidden, step.trace.attention) if kept is not None)
    token_B = filled_B // len(chosen)
    merges = [[(shown(m.left), shown(m.right), m.rank) for m in p.merges] for p in pieces] or [[] for _ in chosen]
    tokens = [
        TokenView(
            position=at,
            id=token,
            text=shown(engine.tokenizer.token_bytes(token)),
            bytes_hex=engine.tokenizer.token_bytes(token).hex(" "),
            merges=merges[at],
            norm=float(table.lengths[token]),
            first=[float(v) for v in table.vectors[token][:FIRST_NUMBERS]],
            neighbors=table.neighbors(token, near),
            cache_B=token_B * (at + 1),
        )
        for at, token in enumerate(chosen)
    ]
    ranked = step.trace.top[0]
    guesses, lens, odds = _lens(engine, hidden, ranked[0].id)
    return Inside(
        prompt=prompt,
        card=engine.card,
        tokens=tokens,
        glances=[_glance(index, weights) for index, weights in enumerate(attention[:, :, -1], start=1)],
        guesses=guesses,
        top=ranked,
        top_texts=[shown(engine.tokenizer.token_bytes(c.id)) for c in ranked],
        entropy_nat=step.trace.entropy_nat[0],
        settled_layer=_settled(guesses),
        cache_token_B=token_B,
        wall_s=step.trace.wall_s,
        layer_s=list(step.trace.layer_s or ()),
        lens=lens,
        lens_probability=odds,
        largest=np.abs(hidden).max(axis=-1).astype(float).tolist(),
    )


def _lens(engine: Engine, hidden: Floats, final: int) -> tuple[list[Guess], list[list[str]], list[list[float]]]:
    """Read every layer's states through the output head: guesses at the last token, the best text at each.

    `hidden` is (layers + 1, tokens, width).
    """
    guesses: list[Guess] = []
    texts: list[list[str]] = []
    odds: list[list[float]] = []
    for index, states in enumerate(hidden):
        scores = engine.model.scores(states)  # (tokens, vocabulary)
        best = scores.argmax(axis=-1)  # (tokens,)
        texts.append([shown(engine.tokenizer.token_bytes(int(i))) for i in best])
        highest = scores.max(axis=-1, keepdims=True)
        odds.append((1.0 / np.exp(scores - highest).sum(axis=-1, dtype=np.float64)).tolist())
        last = scores[-1]
        total = float(np.exp(last - last.max()).sum(dtype=np.float64))
        guesses.append(
            Guess(
                layer=index,
                best=top(last, 1)[0],
                text=texts[-1][-1],
                rank=int((last > last[final]).sum()),
                probability=float(np.exp(float(last[final]) - float(last.max()))) / total,
                norm=float(np.linalg.norm(states[-1])),
                largest=float(np.abs(states[-1]).max()),
            )
        )
    return guesses, texts, odds


def _glance(layer: int, weights: Floats) -> Glance:
    """Return where the last token looks in a layer; `weights` are (heads, positions)."""
    mean = weights.mean(axis=0)
    inner = weights[:, 1:-1] if weights.shape[1] > 2 else weights
    head, at = np.unravel_index(int(inner.argmax()), inner.shape)
    shift = 1 if weights.shape[1] > 2 else 0
    return Glance(layer, [float(w) for w in mean], float(mean[0]), int(head), int(at) + shift, float(inner.max()))


def _settled(guesses: list[Guess]) -> int:
    """Return the layer from which on the best guess is the one that is picked."""
    settled = len(guesses) - 1
    while settled > 0 and guesses[settled - 1].rank == 0:
        settled -= 1
    return settled
