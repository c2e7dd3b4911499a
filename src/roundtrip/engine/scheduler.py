"""Continuous batching: many requests share each forward pass, and come and go between two passes.

One thread owns the model, every cache and the pool of pages. Before each pass it drops who has left, lets in who fits,
and makes up the pass: one token of each request that decodes, and a piece of the prompts that are still being read,
small while somebody waits for his next word. A prompt that begins like one before takes over what that one computed.

Pages are taken as they are needed. When there are none left, caches that are only kept for later go first, the least
used first; then the request that came last gives its pages back, waits at the head of the queue, and is computed anew
from its text: nobody is cut off, and its timings say that it happened.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from roundtrip.engine.cache import PAGE, Cache, CacheFull, Pool
from roundtrip.engine.engine import Engine
from roundtrip.engine.metrics import Metrics
from roundtrip.engine.sampling import log_probability, pick, top
from roundtrip.engine.sequence import Began, Ended, Job, Made, Output, Sequence, StepTime
from roundtrip.engine.spans import now_ns
from roundtrip.engine.steps import Floats
from roundtrip.errors import RoundtripError

log = logging.getLogger("roundtrip.engine")

PIECE_ALONE = 256  # tokens of prompts in a step in which nobody decodes
PIECE_SHARED = 64  # and in one in which somebody does: a step is what he waits for his next word
MOST_KEPT = 32  # caches kept for prompts that begin alike
SHORTEST_SHARED = 16  # tokens: a shorter beginning is not worth a copy


class Refused(RoundtripError):  # noqa: N818
    """A request is not taken: ``queue_full``, ``draining`` or ``too_long``."""

    def __init__(self, message: str, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.reason, self.retry_after_s = reason, retry_after_s


@dataclass(frozen=True)
class Limits:
    """What a server takes on.

    Attributes
    ----------
    queue : int
        Requests that may wait.
    slots : int
        Requests that are computed together.
    pages : int
        Pages of the cache, of 16 positions each.
    """

    queue: int = 64
    slots: int = 16
    pages: int = 1_024


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A cache that nobody uses, and the tokens in it."""

    ids: list[int]
    cache: Cache


class Scheduler:
    """Takes requests from any thread and computes them in one of its own.

    Parameters
    ----------
    engine : Engine
    limits : Limits
    name : str
        Of the model, for the metrics.
    """

    def __init__(self, engine: Engine, limits: Limits | None = None, name: str = "") -> None:
        self.engine = engine
        self.limits = limits or Limits()
        self.pool = Pool(self.limits.pages)
        self.metrics = Metrics(name or engine.card.name, lambda: len(self._running), lambda: len(self._waiting),
                               lambda: self._share(self.pages_used), lambda: self._share(self.pages_kept))  # fmt: skip
        self.draining = False
        self._waiting: deque[Sequence] = deque()
        self._running: list[Sequence] = []
        self._kept: deque[Kept] = deque()  # the least used first
        self._wake = threading.Condition()
        self._closing = False
        self._forget: list[threading.Event] = []  # who waits for what is kept to be given up
        self._recent_s = 1.0  # how long a request took, on the mean
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._thread.start()

    # -- from any thread --------------------------------------------------------------------------------------------

    @property
    def pages_kept(self) -> int:
        """Pages that are kept for prompts that begin alike, and given up when somebody needs them."""
        return sum(kept.cache.pages for kept in tuple(self._kept))

    @property
    def pages_used(self) -> int:
        """Pages that running requests hold."""
        return max(self.pool.pages - self.pool.free - self.pages_kept, 0)

    @property
    def idle(self) -> bool:
        """Whether nothing waits or runs."""
        with self._wake:
            return not self._waiting and not self._running

    def submit(self, job: Job, deliver: Callable[[Output], None]) -> Sequence:
        """Take a request on; `deliver` is called from the engine's thread with all that it makes.

        Raises
        ------
        Refused
            If the queue is full, the server is about to stop, or the request can never fit into the cache.
        """
        needed = -(-(len(job.ids) + job.max_tokens - 1) // PAGE)  # the last token made is never in the cache
        if needed > self.pool.pages:
            raise Refused(f"prompt and answer need {needed} pages of the cache, and there are {self.pool.pages}",
                          "too_long")  # fmt: skip
        sequence = Sequence.of(job, self.engine.tokenizer, deliver)
        with self._wake:
            if self.draining or self._closing:
                raise Refused("the server is about to stop; it finishes what it began", "draining", 5.0)
            if len(self._waiting) >= self.limits.queue:
                wait_s = self._recent_s * (1 + len(self._waiting) / self.limits.slots)
                raise Refused(f"the queue is full ({self.limits.queue} requests wait)", "queue_full",
                              min(max(wait_s, 1.0), 60.0))  # fmt: skip
            self._waiting.append(sequence)
            self._wake.notify()
        return sequence

    def cancel(self, sequence: Sequence) -> None:
        """Stop a request before its next step."""
        with self._wake:
            sequence.cancelled = True
            self._wake.notify()

    def drain(self) -> None:
        """Take nothing new; what was taken is finished."""
        self.draining = True

    def forget(self) -> None:
        """Give up all that is kept for prompts that begin alike; returns when it is done."""
        done = threading.Event()
        with self._wake:
            self._forget.append(done)
            self._wake.notify()
        done.wait(60.0)

    def stop(self) -> None:
        """Abort whatever waits or runs, after the step that is under way."""
        with self._wake:
            self._closing = True
            self._wake.notify()

    def close(self) -> None:
        """Stop, and wait until it is done."""
        self.stop()
        self._thread.join(60.0)

    # -- the engine's thread ----------------------------------------------------------------------------------------

    def _share(self, pages: int) -> float:
        return pages / self.pool.pages

    def _work(self) -> None:
        while True:
            with self._wake:
                while not (self._waiting or self._running or self._closing or self._forget):
                    self._wake.wait()
                closing, forget = self._closing, self._forget
                self._forget = []
            if closing or forget:
                while self._give_up_kept():
                    pass
            for done in forget:
                done.set()
            if closing:
                self._stop()
                return
            try:
                self._sweep()
                self._admit()
                self._step()
            except Exception as error:  # the thread must go on: whoever had a part in this is told
                log.exception("a step failed")
                for sequence in list(self._running) or list(self._waiting)[:1]:
                    self._end(sequence, Ended("error", problem=f"the engine failed ({type(error).__name__})"))

    def _stop(self) -> None:
        with self._wake:
            left = [*self._running, *self._waiting]
        for sequence in left:
            self._end(sequence, Ended("abort", problem="the server stopped"))

    def _sweep(self) -> None:
        """End what was cancelled, and what has run out of time."""
        at_ns = now_ns()
        with self._wake:
            all_of_them = [*self._running, *self._waiting]
        for sequence in all_of_them:
            if sequence.cancelled:
                self._end(sequence, Ended("abort"))
            elif at_ns > sequence.deadline_ns:
                said = f"no more after {sequence.job.timeout_s:g} s"
                self._end(sequence, Ended("timeout", problem=said))

    def _admit(self) -> None:
        """Let in who fits, in the order of arrival."""
        while len(self._running) < self.limits.slots:
            with self._wake:
                if not self._waiting:
                    return
                sequence = self._waiting[0]
            if not self._place(sequence):
                return
            with self._wake:
                self._waiting.remove(sequence)
                self._running.append(sequence)
            if sequence.began_ns is None:
                sequence.began_ns = now_ns()
                self.metrics.queue_s.see((sequence.began_ns - sequence.arrived_ns) / 1e9)
                self.metrics.prompt_tokens.add(len(sequence.job.ids))
                self.metrics.prefix_queries.add(len(sequence.job.ids))
                self.metrics.prefix_hits.add(sequence.cached)
                sequence.deliver(Began())

    def _place(self, sequence: Sequence) -> bool:
        """Give a request its cache, with what is known of its beginning; False where the pages do not suffice."""
        free = self.pool.free + self.pages_kept
        if self._running and free < -(-len(sequence.total) // PAGE) + len(self._running):
            return False  # a page for each that runs stays free: else the newcomer would soon have to give way
        shared, lender = self._beginning(sequence) if sequence.job.reuse else (0, None)
        cache = self._filled(sequence, shared, lender)
        if cache is None and isinstance(lender, Kept):
            cache = self._filled(sequence, 0, None)  # the lender itself was in the way
        if cache is None:
            return False
        sequence.cache = cache
        if sequence.began_ns is None:
            sequence.cached = cache.length
        return True

    def _filled(self, sequence: Sequence, shared: int, lender: Kept | _Lender | None) -> Cache | None:
        """Return a cache with room for all tokens of a request, the first `shared` filled; None without the pages."""
        limit = min(len(sequence.job.ids) + sequence.job.max_tokens, self.engine.model.sizes.context)
        if isinstance(lender, Kept) and 2 * shared >= len(lender.ids):
            self._kept.remove(lender)  # the same talk goes on: its cache is taken over, not copied
            cache = lender.cache
            cache.truncate(shared)
            cache.limit = limit
        else:
            cache = self.engine.model.cache(self.pool, limit)
        try:
            self._room(cache, len(sequence.total), spare=lender)
            if lender is not None and cache.length < shared:
                cache.copy_prefix(lender.cache, shared)
                if isinstance(lender, Kept):  # it was of use: it goes last
                    self._kept.remove(lender)
                    self._kept.append(lender)
        except CacheFull:
            cache.close()
            return None
        return cache

    def _beginning(self, sequence: Sequence) -> tuple[int, Kept | _Lender | None]:
        """Return how many tokens another cache can lend at most, and which. The last token is always computed anew."""
        best: tuple[int, Kept | _Lender | None] = (0, None)
        lenders = [_Lender(s.total, s.cache) for s in self._running if s.cache is not None]
        for lender in [*self._kept, *lenders]:
            most = min(lender.cache.length, len(sequence.total) - 1)
            shared = common(lender.ids, sequence.total, most)
            if shared >= SHORTEST_SHARED and (shared > best[0] or (shared == best[0] and isinstance(lender, Kept))):
                best = shared, lender
        return best

    def _room(self, cache: Cache, positions: int, spare: Kept | _Lender | None = None) -> None:
        """Reserve positions, and give up kept caches until they are there.

        Raises
        ------
        CacheFull
            If that does not suffice.
        """
        while True:
            try:
                cache.reserve(positions)
            except CacheFull:
                if not self._give_up_kept(spare):
                    raise
            else:
                return

    def _give_up_kept(self, spare: Kept | _Lender | None = None) -> bool:
        """Close the least used kept cache, that of `spare` last of all; False if there is none left."""
        for kept in tuple(self._kept):
            if kept is not spare:
                self._kept.remove(kept)
                kept.cache.close()
                return True
        return False

    def _step(self) -> None:
        """One forward pass of all that run."""
        pieces = self._plan()
        if not pieces:
            return
        parts = [(cache, s.total[s.filled : s.filled + count]) for s, cache, count in pieces]
        start_ns = now_ns()
        step = self.engine.model.forward(parts)
        done = [(s, logits) for (s, _, _), logits in zip(pieces, step.logits, strict=True) if s.todo == 0]
        chosen = [(s, logits, pick(logits, s.job.sampling, s.rng)) for s, logits in done]
        end_ns = now_ns()
        tokens = sum(count for _, _, count in pieces)
        self.metrics.step_tokens.see(tokens)
        for sequence, _, count in pieces:
            sequence.steps.append(StepTime(start_ns, end_ns, count, tokens, len(pieces)))
        for sequence, logits, token in chosen:
            self._made(sequence, logits, token, end_ns)

    def _plan(self) -> list[tuple[Sequence, Cache, int]]:
        """Return who takes part in the next step with how many tokens, each with its pages reserved."""
        decoding = any(sequence.todo == 1 for sequence in self._running)
        left = PIECE_SHARED if decoding else PIECE_ALONE
        pieces: list[tuple[Sequence, Cache, int]] = []
        for sequence in list(self._running):  # the oldest first: it is never the one that gives way
            if sequence not in self._running or sequence.cache is None:
                continue
            count = 1 if sequence.todo == 1 else min(sequence.todo, left)
            if count == 0:
                continue
            if sequence.todo > 1:
                left -= count
            if self._secure(sequence, sequence.cache, count):
                pieces.append((sequence, sequence.cache, count))
        return pieces

    def _secure(self, sequence: Sequence, cache: Cache, count: int) -> bool:
        """Reserve pages, from kept caches and then from who came last; False if that is the request itself."""
        while True:
            try:
                self._room(cache, cache.length + count)
            except CacheFull:
                last = self._running[-1]
                self._give_way(last)
                if last is sequence:
                    return False
            else:
                return True

    def _give_way(self, sequence: Sequence) -> None:
        """Take a request's pages; it waits at the head of the queue and is computed anew."""
        sequence.release()
        sequence.preempted += 1
        self.metrics.preemptions.add()
        with self._wake:
            self._running.remove(sequence)
            self._waiting.appendleft(sequence)

    def _made(self, sequence: Sequence, logits: Floats, token: int, at_ns: int) -> None:
        """Hand out a token, and see whether it was the last."""
        job, before_ns = sequence.job, sequence.token_ns[-1] if sequence.token_ns else None
        sequence.total.append(token)
        sequence.token_ns.append(at_ns)
        self.metrics.generation_tokens.add()
        if before_ns is None:
            self.metrics.first_s.see((at_ns - sequence.arrived_ns) / 1e9)
            self.metrics.prefill_s.see((at_ns - (sequence.began_ns or at_ns)) / 1e9)
        else:
            self.metrics.gap_s.see((at_ns - before_ns) / 1e9)
        ended = token in job.ends
        new = "" if ended else sequence.stops.feed(sequence.text.feed(token))
        logprob = None if job.top is None else log_probability(logits, token)
        others = tuple(top(logits, job.top)) if job.top else ()
        sequence.deliver(Made(token, new, sequence.made, logprob, others))
        if ended or sequence.stops.hit or sequence.made >= job.max_tokens:
            rest = sequence.stops.feed(sequence.text.close()) + sequence.stops.close()
            self._end(sequence, Ended("stop" if ended or sequence.stops.hit else "length", rest))

    def _end(self, sequence: Sequence, ended: Ended) -> None:
        """Take a request out, keep its cache for the next one that begins alike, and say why it ended."""
        sequence.ended_ns = now_ns()
        with self._wake:
            if sequence in self._running:
                self._running.remove(sequence)
            elif sequence in self._waiting:
                self._waiting.remove(sequence)
        self._keep(sequence)
        if ended.reason in ("stop", "length"):
            self.metrics.ended.add(1, ended.reason)
            if len(sequence.token_ns) > 1:
                self.metrics.decode_s.see((sequence.token_ns[-1] - sequence.token_ns[0]) / 1e9)
        else:
            self.metrics.failed.add(1, ended.reason)
        took_s = (sequence.ended_ns - sequence.arrived_ns) / 1e9
        self.metrics.whole_s.see(took_s)
        self._recent_s += 0.1 * (took_s - self._recent_s)
        sequence.deliver(ended)

    def _keep(self, sequence: Sequence) -> None:
        cache = sequence.cache
        sequence.cache = None
        if cache is None:
            return
        if cache.length < SHORTEST_SHARED or self._closing:
            cache.close()
            return
        self._kept.append(Kept(sequence.total[: cache.length], cache))
        if len(self._kept) > MOST_KEPT:
            self._give_up_kept()


@dataclass(frozen=True, slots=True, eq=False)
class _Lender:
    """A running request whose beginning may be copied."""

    ids: list[int]
    cache: Cache


def common(a: list[int], b: list[int], most: int) -> int:
    """Return how many first tokens two lists share, at most `most`: by halving, because lists compare fast."""
    low, high = 0, min(most, len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
