"""One request inside the scheduler: its tokens, its cache, its times, and what it hands out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roundtrip.engine.bpe import TextStream, Tokenizer
from roundtrip.engine.cache import Cache
from roundtrip.engine.sampling import Sampling
from roundtrip.engine.spans import Span, now_ns
from roundtrip.engine.steps import Candidate
from roundtrip.engine.stops import Stops

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of the scheduler.

    Attributes
    ----------
    ids : list of int
        The prompt.
    max_tokens : int
        At most so many tokens are made.
    top : int or None
        How many alternatives to hand out with each token; None means no probabilities at all.
    ends : frozenset of int
        Tokens that end the answer.
    reuse : bool
        Whether a prompt that began alike may lend its cache.
    timeout_s : float
        From arrival to end [s].
    """

    ids: list[int]
    sampling: Sampling
    max_tokens: int
    ends: frozenset[int]
    top: int | None = None
    reuse: bool = True
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Made:
    """A token was made: what it adds to the text (perhaps nothing yet), and how likely it was."""

    id: int
    text: str
    number: int
    logprob: float | None = None
    top: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Began:
    """The request left the queue."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more comes.

    Attributes
    ----------
    reason : str
        ``stop``, ``length``, ``timeout``, ``abort`` or ``error``.
    text : str
        What was held back until now.
    problem : str or None
        What went wrong.
    """

    reason: str
    text: str = ""
    problem: str | None = None


Output = Began | Made | Ended


@dataclass(frozen=True, slots=True)
class StepTime:
    """A step that this request had a part in: when, how many tokens of its own, of all, of how many requests."""

    start_ns: int
    end_ns: int
    tokens: int
    all_tokens: int
    requests: int


@dataclass(eq=False, slots=True)
class Sequence:
    """A request that waits or runs.

    Attributes
    ----------
    total : list of int
        The prompt and all that was made.
    cache : Cache or None
        Holds the first tokens of `total`; None while it waits.
    cached : int
        Tokens of the prompt that another request had computed.
    preempted : int
        Times it gave its cache back and began anew.
    """

    job: Job
    deliver: Callable[[Output], None]
    total: list[int]
    text: TextStream
    stops: Stops
    rng: Any
    number: int = field(default_factory=lambda: next(_numbers))
    arrived_ns: int = field(default_factory=now_ns)
    began_ns: int | None = None
    ended_ns: int | None = None
    cache: Cache | None = None
    cached: int = 0
    preempted: int = 0
    cancelled: bool = False
    token_ns: list[int] = field(default_factory=list[int])
    steps: list[StepTime] = field(default_factory=list[StepTime])

    @classmethod
    def of(cls, job: Job, tokenizer: Tokenizer, deliver: Callable[[Output], None]) -> Sequence:
        """Return a request that has just arrived."""
        return cls(job, deliver, list(job.ids), TextStream(tokenizer), Stops(job.sampling.stop),
                   job.sampling.generator())  # fmt: skip

    @property
    def made(self) -> int:
        """Tokens made so far."""
        return len(self.total) - len(self.job.ids)

    @property
    def filled(self) -> int:
        """Tokens that are in the cache."""
        return self.cache.length if self.cache is not None else 0

    @property
    def todo(self) -> int:
        """Tokens that are not in the cache: one while it decodes."""
        return len(self.total) - self.filled

    @property
    def deadline_ns(self) -> int:
        """When its time is over."""
        return self.arrived_ns + round(self.job.timeout_s * 1e9)

    def release(self) -> None:
        """Give the cache back."""
        if self.cache is not None:
            self.cache.close()
            self.cache = None

    def timings(self, per_token: bool = False) -> dict[str, Any]:
        """Return where the time went, under llama.cpp's names where it has them.

        ``queue_ms`` goes from arrival to the first step, ``prompt_ms`` from there to the first token, ``predicted_ms``
        from the first token to the last: over one gap fewer than tokens. ``prompt_n`` counts the tokens that had to be
        computed, ``cache_n`` those that had not.
        """
        end_ns = self.ended_ns or now_ns()
        began_ns = self.began_ns or end_ns
        first_ns = self.token_ns[0] if self.token_ns else end_ns
        last_ns = self.token_ns[-1] if self.token_ns else end_ns
        gaps, computed = max(len(self.token_ns) - 1, 0), len(self.job.ids) - self.cached
        prompt_ms, predicted_ms = (first_ns - began_ns) / 1e6, (last_ns - first_ns) / 1e6
        found: dict[str, Any] = {
            "queue_ms": (began_ns - self.arrived_ns) / 1e6,
            "cache_n": self.cached,
            "prompt_n": computed,
            "prompt_ms": prompt_ms,
            "prompt_per_token_ms": prompt_ms / max(computed, 1),
            "prompt_per_second": 1e3 * computed / prompt_ms if prompt_ms else 0.0,
            "predicted_n": len(self.token_ns),
            "predicted_ms": predicted_ms,
            "predicted_per_token_ms": predicted_ms / gaps if gaps else None,
            "predicted_per_second": 1e3 * gaps / predicted_ms if predicted_ms else None,
            "preempted_n": self.preempted,
            "total_ms": (end_ns - self.arrived_ns) / 1e6,
        }
        if per_token:
            found["token_ms"] = [(at_ns - self.arrived_ns) / 1e6 for at_ns in self.token_ns]
        return found

    def spans(self, whole: Span) -> list[Span]:
        """Return the parts of a request: the queue, the prompt and the answer, each with its steps.

        A step that began the answer anew after the cache had been given back is a part of the answer and says how many
        tokens it computed.
        """
        end_ns = self.ended_ns or now_ns()
        began_ns = self.began_ns or end_ns
        found = [whole.child("server.queue", self.arrived_ns, began_ns)]
        if self.began_ns is None:
            return found
        first_ns = self.token_ns[0] if self.token_ns else end_ns
        computed = len(self.job.ids) - self.cached
        prompt = whole.child("server.prefill", began_ns, first_ns, tokens=computed, cached=self.cached)
        found.append(prompt)
        answer = None
        if self.token_ns:
            answer = whole.child("server.decode", first_ns, self.token_ns[-1], tokens=len(self.token_ns))
            answer.attributes["preempted"] = self.preempted
            found.append(answer)
        for step in self.steps:
            parent = prompt if answer is None or step.end_ns <= first_ns else answer
            found.append(parent.child("server.step", step.start_ns, step.end_ns, tokens=step.tokens,
                                      all_tokens=step.all_tokens, requests=step.requests))  # fmt: skip
        return found
