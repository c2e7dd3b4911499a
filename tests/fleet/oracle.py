"""The judge of the event loop: a scheduler with lists, one step and one page at a time, and no trick.

It is slow on purpose: each step walks all requests, each token moves the clock by an addition, each page is an object
in an ordered list. What it shares with the program is the input alone (workload, deployment, step times, what is drawn
before a run). Here is one replica; `tests.fleet.judge` has the cluster.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.times import StepTimes

GONE = ("done", "refused", "canceled", "timed out", "failed")
ONE = 65536  # units of the mean tokens of a step

SAME_S = 1e-9


@dataclass(eq=False)
class Job:
    """One request."""

    number: int
    prompt: int
    output: int  # steps that yield its answer
    tokens: int  # of its answer
    most: int  # tokens of the cache that it may need
    rank: int = 0
    visible_at: int = 0  # the step with the first token that is shown
    patience: float = math.inf
    arrived: float = math.nan
    seen: float = math.nan  # the end of the step in which it arrived
    started: float = math.nan
    first: float = math.nan
    last: float = math.nan
    visible: float = math.nan
    left: float = math.nan
    others: float = 0.0
    waits: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("preempted", "swapped", "sent", "lost"), 0.0)
    )
    early: float = 0.0  # of these before the first token
    cause: str = ""
    mark: float = math.nan
    cached: int = 0
    preemptions: int = 0
    retries: int = 0
    replica: int = -1
    written: int = 0
    computed: int = 0
    goal: int = 0
    kept: int = 0
    pages: list[int] = field(default_factory=list)
    source: Server | None = None
    source_pages: list[int] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)  # of the full pages of the prompt that a trace knows
    where: str = "ahead"
    quits: str = ""
    reads: bool = True  # its prompt, or after a preemption all it had

    def settle(self, now: float) -> None:
        if self.cause:
            self.waits[self.cause] += max(now - self.mark, 0.0)
        self.cause = ""

    def stop(self, cause: str, now: float) -> None:
        self.settle(now)
        self.cause, self.mark = cause, now


class Pool:
    """Pages of one replica, each with its key and its holders, and the free ones from least to most recently used."""

    def __init__(self, pages: int, keeps: bool) -> None:
        self.keeps = keeps
        self.key: list[Any] = [None] * pages
        self.holders = [0] * pages
        self.free: OrderedDict[int, None] = OrderedDict((p, None) for p in range(pages))
        self.where: dict[Any, int] = {}

    def take(self) -> int:
        page, _ = self.free.popitem(last=False)
        self.where.pop(self.key[page], None)
        self.key[page] = None
        self.holders[page] = 1
        return page

    def hold(self, page: int) -> None:
        if self.holders[page] == 0:
            del self.free[page]
        self.holders[page] += 1

    def name(self, page: int, key: Any) -> None:
        if self.keeps and self.key[page] is None:
            assert key not in self.where
            self.key[page] = key
            self.where[key] = page

    def forget(self, page: int) -> None:
        self.where.pop(self.key[page], None)
        self.key[page] = None

    def let_go(self, page: int, front: bool = False) -> None:
        self.holders[page] -= 1
        assert self.holders[page] >= 0
        if self.holders[page] == 0:
            self.free[page] = None
            if front:
                self.free.move_to_end(page, last=False)


class Server:
    """One replica."""

    def __init__(self, number: int, deployment: Deployment, cluster: Any) -> None:
        d = deployment
        self.kind = d.kinds[d.replicas[number]]
        self.number, self.d, self.cluster = number, d, cluster
        self.reads_only = number < d.prefill_replicas
        self.stage = 1 if d.prefill_replicas and not self.reads_only else 0
        self.width = 1 + d.draft_tokens
        self.growth = round(sum(d.acceptance**k for k in range(d.draft_tokens + 1)) * ONE)
        self.total = self.kind.pages
        self.slow = self.kind.token_s(d.max_sequences) / d.kinds[0].token_s(d.max_sequences)
        self.steps = 0  # done
        self.failures = 0
        self.swapped = 0
        self.alive = True
        self.restart()

    def restart(self) -> None:
        """Have an empty memory and nothing to do."""
        self.pool = Pool(self.total, self.d.prefix_cache and self.stage == 0)
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self.moving: list[Job] = []
        self.ready: list[Job] = []
        self.leaving: list[Job] = []
        self.handed: list[Job] = []
        self.given: list[Job] = []
        self.until, self.now = math.inf, 0.0
        self.woken = False
        self.plan: list[tuple[Job, int, int, bool]] = []
        self.added = self.moved = 0.0
        self.swapping = 0
        self.link = 0.0

    def grown(self, steps: int) -> int:
        return steps * self.growth // ONE

    def wake(self, now: float) -> None:
        if self.until == math.inf:
            self.now = self.until = now
            self.woken = True

    def enqueue(self, job: Job, front: bool = False) -> None:
        if front and self.d.policy == "fcfs":
            self.waiting.insert(0, job)
        else:
            self.waiting.append(job)
        if self.d.policy == "priority":
            self.waiting.sort(key=lambda j: (j.rank, j.number))
        elif self.d.policy == "shortest":
            self.waiting.sort(key=lambda j: (j.prompt, j.number))

    # -- pages ----------------------------------------------------------------------------------------------------

    def hits(self, job: Job) -> list[int]:
        found = []
        if not self.pool.keeps:
            return found
        for key in job.keys:
            if key not in self.pool.where:
                return found
            found.append(self.pool.where[key])
        place = len(found)
        while ("own", job.number, place) in self.pool.where:
            found.append(self.pool.where["own", job.number, place])
            place += 1
        return found

    def pages_for(self, tokens: int) -> int:
        return -(-tokens // self.d.page_tokens)

    def reserved(self, job: Job) -> int:
        return self.pages_for(job.kept + -(-self.growth // ONE))

    def grow(self, job: Job, tokens: int) -> bool:
        more = self.pages_for(tokens) - len(job.pages)
        if more > len(self.pool.free):
            return False
        for _ in range(more):
            job.pages.append(self.pool.take())
        for place in range(min(tokens // self.d.page_tokens, len(job.keys))):
            self.pool.name(job.pages[place], job.keys[place])
        return True

    def release(self, job: Job, stays: bool) -> None:
        full = job.computed // self.d.page_tokens
        pages, job.pages = job.pages, []
        while stays and len(pages) > self.pages_for(job.computed):
            self.pool.let_go(pages.pop(), front=True)  # taken for the next step
        if stays and len(pages) > full and self.pool.key[pages[-1]] is None:
            assert len(pages) == full + 1
            self.pool.let_go(pages.pop(), front=True)
        for place in range(len(pages) - 1, -1, -1):
            if stays and place >= len(job.keys):
                self.pool.name(pages[place], ("own", job.number, place))
            self.pool.let_go(pages[place])

    # -- a step ---------------------------------------------------------------------------------------------------

    def interrupt(self, job: Job) -> None:
        """Let a job forget that it is in the steps; what was written stays."""
        if not job.reads:
            job.goal = job.prompt + self.grown(job.written - 1) + 1
        job.reads = True

    def preempt(self) -> Job:
        job = self.running[-1]
        if self.d.policy == "priority":
            job = max(self.running, key=lambda j: (j.rank, j.number))
        self.running.remove(job)
        tokens, wrote = job.computed, not job.reads
        self.release(job, True)
        self.interrupt(job)
        if self.d.preemption == "swap":
            job.kept = job.goal - 1 if wrote else tokens
            self.swapping += self.pages_for(tokens)
        job.stop("swapped" if self.d.preemption == "swap" else "preempted", self.now)
        job.computed = 0
        job.where = "waiting"
        job.preemptions += 1
        self.enqueue(job, front=True)
        return job

    def schedule(self) -> None:
        d = self.d
        budget = d.token_budget
        plan: dict[int, tuple[Job, int, int, bool]] = {}
        disturbed = False
        gain = self.grown(self.steps + 1) - self.grown(self.steps)
        self.swapping = 0
        self.woken = False
        planned_before = d.plans_ahead and bool(self.running)
        at = 0
        while at < len(self.running) and budget > 0:
            job = self.running[at]
            tokens = min(job.goal - job.computed, budget) if job.reads else gain
            cost = tokens if job.reads else self.width
            gone = False
            while not self.grow(job, job.computed + tokens):
                disturbed = True
                victim = self.preempt()
                if victim.number in plan:
                    budget += plan.pop(victim.number)[2]
                    at -= 1
                if victim is job:
                    gone = True
                    break
            if gone:
                continue
            plan[job.number] = (job, tokens, cost, not job.reads)
            budget -= cost
            at += 1
        while self.ready and len(self.running) < d.max_sequences and budget >= self.width:
            job = self.ready.pop(0)
            while len(job.pages) > self.pages_for(job.kept + gain):
                self.pool.let_go(job.pages.pop(), front=True)
            budget -= self.write_on(job, gain, plan)
        if not self.running:
            disturbed = planned_before = False
        while not disturbed and self.waiting and budget > 0 and len(self.running) < d.max_sequences:
            job = self.waiting[0]
            if job.where == "handed":
                if self.reserved(job) > len(self.pool.free):
                    break
                self.waiting.pop(0)
                job.pages = [self.pool.take() for _ in range(self.reserved(job))]
                job.where = "moving"
                self.moving.append(job)
                self.cluster.book(job, self.now)
                continue
            if planned_before and job.seen > self.now - SAME_S:
                break
            hits = self.hits(job)
            page = d.page_tokens
            done = min(len(hits) * page, (job.goal - 1) // page * page)
            idle = sum(self.pool.holders[p] == 0 for p in hits)
            comes_back = 0 < job.kept == job.goal - 1 and job.written > 0
            if comes_back:
                tokens, wanted = 0, job.kept + -(-self.growth // ONE)
                if budget < self.width:
                    break
            else:
                done = max(done, job.kept)
                if not d.chunked_prefill and job.goal - done > budget:
                    break
                tokens = min(job.goal - done, budget)
                wanted = job.goal if d.admission == "prompt" else done + tokens
            if max(self.pages_for(wanted) - len(hits), 0) + idle > len(self.pool.free):
                break
            self.waiting.pop(0)
            for p in hits:
                self.pool.hold(p)
            job.pages = list(hits)
            self.swapping += max(self.pages_for(job.kept) - len(hits), 0)
            if comes_back:
                budget -= self.write_on(job, gain, plan)
                continue
            self.running.append(job)
            assert self.grow(job, done + tokens)
            job.computed, job.kept, job.where = done, 0, "running"
            if math.isnan(job.started):
                job.started = max(self.now, job.arrived)
                job.cached = done
            plan[job.number] = (job, tokens, tokens, False)
            budget -= tokens
        self.plan = list(plan.values())
        if not self.plan:
            assert not self.waiting or self.moving or self.handed
            self.until = math.inf
            return
        self.price()

    def write_on(self, job: Job, gain: int, plan: dict[int, tuple[Job, int, int, bool]]) -> int:
        """Let a job whose cache is here or comes from the host write in this step; return what that takes of it."""
        job.settle(self.now)
        job.computed, job.kept, job.where, job.reads = job.kept, 0, "running", False
        assert self.grow(job, job.computed + gain)
        self.running.append(job)
        plan[job.number] = (job, gain, self.width, True)
        return self.width

    def price(self) -> None:
        writers = [job for job, _, _, writes in self.plan if writes]
        readers = [(job, tokens) for job, tokens, _, writes in self.plan if not writes]
        rest = self.steps * self.growth % ONE / ONE  # a context is a whole number, its mean growth is none
        duration, alone = duration_s(self.kind.times, writers, readers, self.width, rest, self.d.draft_s)
        self.added = duration - alone if readers else 0.0
        self.swapped += self.swapping
        self.moved = 0.0
        if self.swapping:
            self.moved = self.swapping * self.d.page_tokens * self.kind.token_B / self.d.swap_B_s
        self.until = self.now + duration + self.moved

    def finish(self) -> None:
        """End the running step: who is to leave, who wrote his last token, whose prompt is read."""
        self.now = now = self.until
        self.steps += bool(self.plan)
        for job, tokens, _, writes in self.plan:
            if writes:
                job.others += self.added
                job.waits["swapped"] += self.moved
                job.written += 1
            job.computed += tokens
        plan, self.plan = self.plan, []
        read = [job for job, _, _, writes in plan if not writes and job.computed >= job.goal]
        leaving, self.leaving = self.leaving, []
        for job in reversed(leaving):
            if job not in read:
                self.quit(job)
        for job in sorted((job for job, _, _, writes in plan if writes), key=lambda j: j.number):
            if job.where != "running":
                continue
            if job.written == job.visible_at:
                job.visible = now
            if job.written == job.output:
                self.end(job)
        for job in read:
            if job.quits:
                self.quit(job)
                continue
            job.written += 1
            job.settle(now)
            if job.written == 1:
                job.first = now
                job.early = sum(job.waits.values())
            if job.written == job.visible_at:
                job.visible = now
            job.reads = False
            if job.written == job.output:
                self.end(job)
            elif self.reads_only:
                self.hand_over(job)

    def end(self, job: Job) -> None:
        job.last, job.where = self.now, "done"
        self.running.remove(job)
        self.release(job, False)
        self.given.remove(job)
        self.cluster.follow(job.number, self.now + self.d.network_rtt_s)

    def quit(self, job: Job) -> None:
        self.running.remove(job)
        self.release(job, True)
        self.given.remove(job)
        job.where = job.quits

    def hand_over(self, job: Job) -> None:
        self.running.remove(job)
        self.given.remove(job)
        self.handed.append(job)
        job.source, job.source_pages, job.pages = self, job.pages, []
        job.kept = job.goal
        job.goal += 1
        job.where = "handed"
        job.stop("sent", self.now)
        self.cluster.send(job, self.now, 1, False)

    def release_source(self, job: Job, now: float) -> None:
        """Free the pages of a job that was read here and goes on elsewhere: its own can never be found again."""
        prefix = len(job.keys) if self.pool.keeps else 0
        for place in range(len(job.source_pages) - 1, -1, -1):
            if place >= prefix:
                self.pool.forget(job.source_pages[place])
            self.pool.let_go(job.source_pages[place], front=place >= prefix)
        job.source, job.source_pages = None, []
        self.handed.remove(job)
        self.wake(now)


def duration_s(
    times: StepTimes, writers: list[Job], readers: list[tuple[Job, int]], width: int, rest: float, draft_s: float
) -> tuple[float, float]:
    """Return the time of a step, and of the same step without its prompts."""

    def on_lines(x: float, knots: Any, values: Any) -> float:
        if x <= knots[-1]:
            return float(np.interp(x, knots, values))
        return float(values[-1] + (values[-1] - values[-2]) / (knots[-1] - knots[-2]) * (x - knots[-1]))

    n = len(writers)
    mean = sum(j.computed + rest + 1 for j in writers) / n if n else 0.0
    attention = on_lines(mean, times.context, times.context_s[n]) + draft_s if n else 0.0
    alone = times.rows_s[n * width] + n * times.sequence_s + attention if n else 0.0
    if not readers:
        return alone, alone
    rows = n * width + sum(tokens for _, tokens in readers)
    pairs = sum(sum(j.computed + k for k in range(1, tokens + 1)) for j, tokens in readers)
    beside = on_lines(mean, times.context, times.mixed_s[n]) + draft_s if n else 0.0
    whole = times.rows_s[rows] + (n + len(readers)) * times.sequence_s + beside
    return whole + on_lines(pairs, times.pairs, times.pairs_s), alone
