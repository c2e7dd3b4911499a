"""What is asked of the cluster: when each request arrives, its tokens, what it shares with others."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_TOKENS = 10**12  # of one request: beyond it sums over a trace could overflow


# Tries of the last workloads: a search for a fleet runs the same requests hundreds of times.
_TRIES: deque[tuple[tuple[ref[Ints], ...], int, tuple[Ints, Ints, Ints, Ints]]] = deque(maxlen=2)


def _ints() -> Ints:
    return np.empty(0, np.int64)


def _floats() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests in the order of their arrival; those that wait for another's end come last.

    Attributes
    ----------
    name : str
        For reports and errors: a file or a generator.
    arrival_s : array, (requests,)
        Seconds after the first arrival; unused for requests that wait for another's end [s].
    prompt, output : array of int, (requests,)
        Tokens of prompt and answer.
    given : int
        Requests whose arrival is given; the others are released by an end.
    clients : int
        Of a closed loop: each end releases the next request. 0: open.
    following : array of int
        For each request the one that its end releases, or -1: turns of a session. Empty if there are none.
    delay_s : array
        Seconds from the end to the arrival that it releases; empty if none.
    priority, session : array of int
        Empty if there are none. A smaller priority goes first.
    offsets, ids : array of int
        Ids of the blocks of each prompt, those of request i at ``offsets[i]:offsets[i + 1]``; empty if there are none.
    block_tokens : int
        Tokens of a block.
    cancel_s : array, (requests,)
        Seconds after its arrival at which a client hangs up if its answer is not whole, infinite for never; empty if
        none does [s].
    reasoning : array of int, (requests,)
        Tokens of each answer that come before the part that is shown; empty if there are none.
    notes : tuple of str
        What was done to the trace when it was read.
    """

    name: str
    arrival_s: Floats
    prompt: Ints
    output: Ints
    given: int = -1
    clients: int = 0
    following: Ints = field(default_factory=_ints)
    delay_s: Floats = field(default_factory=_floats)
    priority: Ints = field(default_factory=_ints)
    session: Ints = field(default_factory=_ints)
    offsets: Ints = field(default_factory=_ints)
    ids: Ints = field(default_factory=_ints)
    block_tokens: int = 512
    cancel_s: Floats = field(default_factory=_floats)
    reasoning: Ints = field(default_factory=_ints)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that the requests can be served in principle."""
        count = len(self.arrival_s)
        if self.given < 0:
            object.__setattr__(self, "given", count)
        if count == 0:
            raise DomainError(f"{self.name}: no requests")
        arrivals = self.arrival_s[: self.given]
        if not np.isfinite(arrivals).all() or (arrivals < 0.0).any() or (np.diff(arrivals) < 0.0).any():
            raise DomainError(f"{self.name}: arrivals must be finite, not negative and sorted")
        for name, tokens in (("prompt", self.prompt), ("output", self.output)):
            bad = np.flatnonzero((tokens < 1) | (tokens > MOST_TOKENS))
            if len(bad):
                raise DomainError(
                    f"{self.name}: request {bad[0] + 1}: {tokens[bad[0]]} tokens of {name}, expected 1 to {MOST_TOKENS}"
                )
        if len(self.cancel_s) and not (self.cancel_s > 0.0).all():
            bad = int(np.flatnonzero(~(self.cancel_s > 0.0))[0])
            raise DomainError(f"{self.name}: request {bad + 1}: cancel_s = {self.cancel_s[bad]:g}, expected above 0")
        bad = np.flatnonzero((self.reasoning < 0) | (self.reasoning > self.output)) if len(self.reasoning) else _ints()
        if len(bad):
            raise DomainError(
                f"{self.name}: request {bad[0] + 1}: {self.reasoning[bad[0]]} tokens of reasoning in an answer of "
                f"{self.output[bad[0]]}, expected 0 to that"
            )

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self.arrival_s)

    def trie(self, page_tokens: int) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the prompts as paths in a trie of their blocks, counted in full pages.

        Returns
        -------
        offsets, nodes : array of int
            Nodes of request i: ``nodes[offsets[i]:offsets[i + 1]]``.
        pages, start : array of int
            Pages of each node, and of all before it on its path.
        """
        parts = (self.offsets, self.ids, self.prompt)
        for refs, page, made in _TRIES:
            if page == page_tokens and all(ref() is part for ref, part in zip(refs, parts, strict=True)):
                return made
        found = self._trie(page_tokens)
        _TRIES.append((tuple(ref(part) for part in parts), page_tokens, found))
        return found

    def _trie(self, page_tokens: int) -> tuple[Ints, Ints, Ints, Ints]:
        count = len(self)
        if not len(self.offsets):
            return np.zeros(count + 1, np.int64), _ints(), _ints(), _ints()
        if self.block_tokens % page_tokens:
            raise DomainError(
                f"{self.name}: its blocks of {self.block_tokens} tokens are no whole pages of {page_tokens} tokens"
            )
        lengths = np.diff(self.offsets)
        full = self.prompt // page_tokens
        per_block = self.block_tokens // page_tokens
        used = np.minimum(lengths, -(-full // per_block))
        offsets = np.concatenate([[0], np.cumsum(used)])
        nodes = np.zeros(offsets[-1], np.int64)
        parent = np.full(count, -1, np.int64)
        pages_of: list[Ints] = []
        starts: list[Ints] = []
        made = 0
        for level in range(int(used.max(initial=0))):
            there = np.flatnonzero(used > level)
            start = level * per_block
            pages = np.minimum(full[there] - start, per_block)
            keys = np.stack([parent[there], self.ids[self.offsets[there] + level], pages])
            unique, inverse = np.unique(keys, axis=1, return_inverse=True)
            node = made + inverse.reshape(-1)
            nodes[offsets[there] + level] = node
            parent[there] = node
            pages_of.append(unique[2])
            starts.append(np.full(unique.shape[1], start, np.int64))
            made += unique.shape[1]
        if not pages_of:
            return offsets, nodes, _ints(), _ints()
        return offsets, nodes, np.concatenate(pages_of), np.concatenate(starts)

    def as_dict(self) -> dict[str, Any]:
        """Return a summary for reports."""
        span_s = float(self.arrival_s[: self.given].max(initial=0.0))
        return {
            "name": self.name,
            "requests": len(self),
            "prompt_tokens": int(self.prompt.sum()),
            "output_tokens": int(self.output.sum()),
            "duration_s": span_s,
            "rate_per_s": (self.given - 1) / span_s if span_s > 0.0 else None,
            "clients": self.clients or None,
            "notes": list(self.notes),
        }
