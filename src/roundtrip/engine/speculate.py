"""Prompt-lookup decoding: guess the next tokens from the text so far, and check all guesses in one pass.

To read the weights is most of the work, and it is done once for eight tokens as for one. So if the last words stood in
the text before, what followed them there is tried as a draft; the model scores all of it at once, and the draft is kept
as far as the model would have written the same. The answer is that of greedy decoding; only the number of passes
changes. It wins where a text is copied, and loses where every word is new.

References
----------
.. [1] A. Saxena, "Prompt lookup decoding" (2023), https://github.com/apoorvumang/prompt-lookup-decoding
.. [2] Y. Leviathan et al., "Fast inference from transformers via speculative decoding" (2022),
   https://arxiv.org/abs/2211.17192
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roundtrip.engine.engine import Engine
from roundtrip.engine.generate import Token, prefill
from roundtrip.errors import DomainError

TIE = 1e-3
"""Scores that are nearer than this may change places with the number of rows in a pass."""


@dataclass(frozen=True)
class Round:
    """One pass: the draft, and how many tokens of it were right."""

    draft: tuple[int, ...]
    accepted: int


@dataclass(frozen=True)
class Speculation:
    """An answer, and how it came about. The first token needs no round: it falls out of the prompt."""

    ids: list[int]
    rounds: list[Round]

    @property
    def drafted(self) -> int:
        """Tokens that were guessed."""
        return sum(len(r.draft) for r in self.rounds)

    @property
    def accepted(self) -> int:
        """Guesses that were right."""
        return sum(r.accepted for r in self.rounds)


@dataclass(frozen=True)
class Difference:
    """Where two answers part: the place, both tokens, and how far apart their scores are."""

    place: int
    greedy: int
    other: int
    margin: float

    @property
    def tie(self) -> bool:
        """Whether the two scores are as good as equal."""
        return self.margin < TIE


def lookup(text: Sequence[int], most: int, longest: int = 3) -> tuple[int, ...]:
    """Return what followed the last time that the text's last tokens stood there; up to `most` tokens, or none.

    The end of the text is looked for with its last `longest` tokens first, then with fewer.
    """
    for size in range(min(longest, len(text) - 1), 0, -1):
        end = tuple(text[-size:])
        for start in range(len(text) - size - 1, -1, -1):
            if tuple(text[start : start + size]) == end:
                return tuple(text[start + size : start + size + most])
    return ()


def speculate(
    engine: Engine, ids: Sequence[int], max_tokens: int = 256, draft: int = 7, longest: int = 3
) -> Speculation:
    """Return the greedy answer, made with drafts.

    Parameters
    ----------
    engine
        The engine.
    ids
        The prompt.
    max_tokens
        The most tokens to make.
    draft
        The most tokens to guess at a time.
    longest
        How many of the last tokens must have stood before, at best.
    """
    if draft < 1 or longest < 1:
        raise DomainError(f"draft {draft}, longest {longest}: both are at least 1")
    ends = engine.ends()
    rounds: list[Round] = []
    with engine.model.cache() as cache:
        made = [int(prefill(engine, cache, ids).logits[0].argmax())] if max_tokens else []
        while len(made) < max_tokens and made[-1] not in ends and cache.length < cache.limit:
            room = min(draft, max_tokens - len(made) - 1, cache.limit - cache.length - 1)
            guess = lookup([*ids, *made], room, longest) if room > 0 else ()
            before = cache.length
            step = engine.model.forward([(cache, [made[-1], *guess])], every=True)
            best: list[int] = step.logits[0].argmax(axis=-1).tolist()  # the model's own choice after each token
            right = next((i for i, (g, b) in enumerate(zip(guess, best, strict=False)) if g != b), len(guess))
            cache.truncate(before + 1 + right)  # what was guessed wrong is forgotten
            rounds.append(Round(guess, right))
            for token in best[: right + 1]:
                made.append(token)
                if token in ends:
                    break
    return Speculation(made, rounds)


def difference(greedy: Sequence[Token], other: Sequence[int]) -> Difference | None:
    """Return where an answer leaves the greedy one, or None if it does not."""
    for place, (token, id_) in enumerate(zip(greedy, other, strict=False)):
        if token.id != id_:
            logits = token.step.logits[0]
            return Difference(place, token.id, id_, float(logits[token.id] - logits[id_]))
    if len(greedy) != len(other):
        return Difference(min(len(greedy), len(other)), -1, -1, float("inf"))
    return None
