"""The plain loop: score, pick, append, again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roundtrip.engine.bpe import TextStream
from roundtrip.engine.cache import Cache
from roundtrip.engine.engine import Engine
from roundtrip.engine.sampling import GREEDY, Sampling, log_probability, pick
from roundtrip.engine.steps import Floats, Step
from roundtrip.errors import DomainError

CHUNK = 256
"""Tokens of a prompt that go through the model at a time."""


@dataclass(frozen=True)
class Token:
    """A token of the answer: its score, the logarithm of its probability, and the step that its score came from."""

    id: int
    bytes: bytes
    logit: float
    logprob: float
    step: Step


def prefill(engine: Engine, cache: Cache, ids: Sequence[int], top: int = 0) -> Step:
    """Run a prompt through the model in pieces, and return the last step."""
    if not ids:
        raise DomainError("a prompt of no tokens")
    for first in range(0, len(ids), CHUNK):
        step = engine.model.forward([(cache, ids[first : first + CHUNK])], top=top)
    return step  # pyright: ignore[reportPossiblyUnboundVariable]


def generate(
    engine: Engine, ids: Sequence[int], sampling: Sampling = GREEDY, max_tokens: int = 256, top: int = 0
) -> Iterator[Token]:
    """Yield the tokens of an answer as they are made.

    The last one is the token that ends the answer, unless `max_tokens`, a stop text or the end of the context comes
    first.

    Parameters
    ----------
    engine
        The engine.
    ids
        The prompt.
    sampling
        How tokens are picked.
    max_tokens
        The most tokens to make.
    top
        How many of the most probable tokens go into each step's trace.
    """
    rng, ends = sampling.generator(), engine.ends()
    text, stream = "", TextStream(engine.tokenizer)
    longest = max(map(len, sampling.stop), default=0)
    with engine.model.cache() as cache:
        step = prefill(engine, cache, ids, top)
        for count in range(1, max_tokens + 1):
            logits: Floats = step.logits[0]
            chosen = pick(logits, sampling, rng)
            piece = engine.tokenizer.token_bytes(chosen)
            yield Token(chosen, piece, float(logits[chosen]), log_probability(logits, chosen), step)
            new = stream.feed(chosen)
            text = text[len(text) - longest :] + new if longest else ""
            if chosen in ends or count == max_tokens or cache.length == cache.limit:
                return
            if any(stop in text for stop in sampling.stop):
                return
            step = engine.model.forward([(cache, [chosen])], top=top)
