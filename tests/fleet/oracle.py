"""The judge of the event loop: a scheduler with lists, one step and one page at a time, and no trick.

It is slow on purpose: each step walks all requests, each token moves the clock by an addition, each page is an object
in an ordered list. What it shares with the program is the input alone (workload, deployment, step times).
"""

from __future__ import annotations

import heapq
import math
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.route import assign
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload

SAME_S = 1e-9


class Tie(Exception):  # noqa: N818
    """Two things happen so nearly at once that rounding decides: no case for a comparison to 1e-9."""


@dataclass(eq=False)
class Job:
    """One request."""

    number: int
    prompt: int
    output: int
    rank: int = 0
    arrived: float = math.nan
    started: float = math.nan
    first: float = math.nan
    last: float = math.nan
    others: float = 0.0
    lost: float = 0.0
    early: float = 0.0  # lost before the first token
    cached: int = 0
    preemptions: int = 0
    replica: int = -1
    written: int = 0
    computed: int = 0
    preempted_at: float = math.nan
    pages: list[int] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)  # of the full pages of the prompt that a trace knows
    refused: bool = False
    reads: bool = True  # its prompt, or after a preemption all it had

    @property
    def goal(self) -> int:
        return self.prompt + self.written


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

    def let_go(self, page: int, front: bool = False) -> None:
        self.holders[page] -= 1
        assert self.holders[page] >= 0
        if self.holders[page] == 0:
            self.free[page] = None
            if front:
                self.free.move_to_end(page, last=False)


class Server:
    """One replica."""

    def __init__(self, number: int, deployment: Deployment) -> None:
        kind = deployment.kinds[deployment.replicas[number]]
        self.number = number
        self.d = deployment
        self.times = kind.times
        self.pool = Pool(kind.pages, deployment.prefix_cache)
        self.total = kind.pages
        self.slow = kind.token_s(deployment.max_sequences) / deployment.kinds[0].token_s(deployment.max_sequences)
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self.until = math.inf
        self.now = 0.0
        self.plan: list[tuple[Job, int, bool]] = []
        self.added = 0.0
        self.given: list[Job] = []
        self.steps = 0
        self.busy = 0.0

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
        if not self.d.prefix_cache:
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
        if stays and len(pages) > full and self.pool.key[pages[-1]] is None:
            assert len(pages) == full + 1
            self.pool.let_go(pages.pop(), front=True)
        for place in range(len(pages) - 1, -1, -1):
            if stays and place >= len(job.keys):
                self.pool.name(pages[place], ("own", job.number, place))
            self.pool.let_go(pages[place])

    # -- a step ---------------------------------------------------------------------------------------------------

    def preempt(self) -> Job:
        job = self.running[-1]
        if self.d.policy == "priority":
            job = max(self.running, key=lambda j: (j.rank, j.number))
        self.running.remove(job)
        self.release(job, True)
        if math.isnan(job.preempted_at):
            job.preempted_at = self.now
        job.computed = 0
        job.reads = True
        job.preemptions += 1
        self.enqueue(job, front=True)
        return job

    def schedule(self) -> None:
        d = self.d
        budget = d.token_budget
        plan: dict[int, tuple[Job, int, bool]] = {}
        disturbed = False
        at = 0
        while at < len(self.running) and budget > 0:
            job = self.running[at]
            tokens = min(job.goal - job.computed, budget)
            gone = False
            while not self.grow(job, job.computed + tokens):
                disturbed = True
                victim = self.preempt()
                if victim.number in plan:
                    _, back, _ = plan.pop(victim.number)
                    budget += back
                    at -= 1
                if victim is job:
                    gone = True
                    break
            if gone:
                continue
            plan[job.number] = (job, tokens, not job.reads)
            budget -= tokens
            at += 1
        while not disturbed and self.waiting and budget > 0 and len(self.running) < d.max_sequences:
            job = self.waiting[0]
            hits = self.hits(job)
            page = d.page_tokens
            done = min(len(hits) * page, (job.goal - 1) // page * page)
            if not d.chunked_prefill and job.goal - done > budget:
                break
            tokens = min(job.goal - done, budget)
            wanted = job.goal if d.admission == "prompt" else done + tokens
            idle = sum(self.pool.holders[p] == 0 for p in hits)
            if max(self.pages_for(wanted) - len(hits), 0) + idle > len(self.pool.free):
                break
            self.waiting.pop(0)
            self.running.append(job)
            for p in hits:
                self.pool.hold(p)
            job.pages = list(hits)
            assert self.grow(job, done + tokens)
            job.computed = done
            if math.isnan(job.started):
                job.started = max(self.now, job.arrived)
                job.cached = done
            plan[job.number] = (job, tokens, False)
            budget -= tokens
        self.plan = list(plan.values())
        if not self.plan:
            assert not self.waiting
            self.until = math.inf
            return
        writers = [job for job, _, writes in self.plan if writes]
        readers = [(job, tokens) for job, tokens, writes in self.plan if not writes]
        duration, alone = duration_s(self.times, writers, readers)
        self.added = duration - alone if readers else 0.0
        self.steps += 1
        self.busy += duration
        self.until = self.now + duration

    def finish(self) -> list[Job]:
        """End the running step; return those that are done, those that wrote before those that read."""
        self.now = self.until
        done = []
        for job, tokens, writes in self.plan:
            if writes:
                job.others += self.added
            job.computed += tokens
        for job, _, writes in self.plan:
            if job.computed < job.goal:
                continue
            job.reads = False
            job.written += 1
            if not math.isnan(job.preempted_at):
                job.lost += self.now - job.preempted_at
                job.preempted_at = math.nan
            if job.written == 1:
                job.first = self.now
                job.early = job.lost
            if job.written == job.output:
                job.last = self.now
                done.append((not writes, job.number if writes else 0, job))
        done = [job for *_, job in sorted(done, key=lambda x: x[:2])]
        for job in done:
            self.running.remove(job)
            self.release(job, False)
            self.given.remove(job)
        self.plan = []
        return done


def duration_s(times: StepTimes, writers: list[Job], readers: list[tuple[Job, int]]) -> tuple[float, float]:
    """Return the time of a step, and of the same step without its prompts."""

    def on_lines(x: float, knots: Any, values: Any) -> float:
        if x <= knots[-1]:
            return float(np.interp(x, knots, values))
        return float(values[-1] + (values[-1] - values[-2]) / (knots[-1] - knots[-2]) * (x - knots[-1]))

    n = len(writers)
    mean = sum(j.computed + 1 for j in writers) / n if n else 0.0
    attention = on_lines(mean, times.context, times.context_s[n]) if n else 0.0
    alone = times.rows_s[n] + n * times.sequence_s + attention if n else 0.0
    if not readers:
        return alone, alone
    rows = n + sum(tokens for _, tokens in readers)
    pairs = sum(sum(j.computed + k for k in range(1, tokens + 1)) for j, tokens in readers)
    beside = on_lines(mean, times.context, times.mixed_s[n]) if n else 0.0
    whole = times.rows_s[rows] + (n + len(readers)) * times.sequence_s + beside
    return whole + on_lines(pairs, times.pairs, times.pairs_s), alone


def page_keys(work: Workload, page: int, i: int) -> list[Any]:
    """Return a name for each full page of a prompt that lies in a block which the trace names."""
    if not len(work.offsets):
        return []
    full, size = int(work.prompt[i]) // page, work.block_tokens // page
    path: tuple[Any, ...] = ()
    keys: list[Any] = []
    for block in work.ids[work.offsets[i] : work.offsets[i + 1]].tolist():
        pages = min(full - len(keys), size)
        if pages <= 0:
            break
        path = (*path, (block, pages))
        keys += [("prefix", path, k) for k in range(pages)]
    return keys


class Oracle:
    """A whole run."""

    def __init__(self, work: Workload, deployment: Deployment) -> None:
        self.work, self.d = work, deployment
        self.servers = [Server(k, deployment) for k in range(len(deployment.replicas))]
        self.jobs = [
            Job(i, int(work.prompt[i]), int(work.output[i]), int(work.priority[i]) if len(work.priority) else 0)
            for i in range(len(work))
        ]
        if deployment.prefix_cache:
            for job in self.jobs:
                job.keys = page_keys(work, deployment.page_tokens, job.number)
        self.draws, self.assigned = assign(work, deployment)
        self.chained = bool(work.clients or len(work.following))  # an end on one replica is an arrival on another
        self.turn = 0
        self.homes: dict[int, int] = {}
        self.pool = work.given
        self.late: list[tuple[float, int]] = []

    def route(self, i: int) -> int:
        router, servers = self.d.router, self.servers
        if router == "round robin":
            self.turn += 1
            return (self.turn - 1) % len(servers)
        if router == "two choices":
            a = int(self.draws[i, 0] * len(servers))
            others = [k for k in range(len(servers)) if k != a]
            if not others:
                return a
            b = others[int(self.draws[i, 1] * len(others))]
            return b if len(servers[b].given) < len(servers[a].given) else a
        if router == "least requests":
            return min(servers, key=lambda s: (len(s.given), s.number)).number
        if router == "least work":
            return min(servers, key=lambda s: (self.open_tokens(s) * s.slow, s.number)).number
        if router == "sticky":
            session = int(self.work.session[i])
            if session not in self.homes:
                self.homes[session] = min(servers, key=lambda s: (len(s.given), s.number)).number
            return self.homes[session]
        if router == "prefix-aware":
            job = self.jobs[i]
            return min(
                servers,
                key=lambda s: (
                    (self.open_tokens(s) + job.prompt - len(s.hits(job)) * self.d.page_tokens) * s.slow, s.number,
                ),
            ).number  # fmt: skip
        return int(self.assigned[0][i])

    @staticmethod
    def open_tokens(server: Server) -> int:
        return sum(j.prompt + j.output for j in server.given)

    def run(self) -> list[Job]:
        given = self.work.given
        at = 0
        while True:
            arrival, i = math.inf, -1
            if at < given:
                arrival, i = float(self.work.arrival_s[at]), at
            late = bool(self.late) and self.late[0][0] < arrival
            if late:
                arrival, i = self.late[0]
            ends = sorted((s.until, s.number) for s in self.servers)
            end, k = ends[0]
            if i < 0 and end == math.inf:
                return self.jobs
            if abs(arrival - end - SAME_S) < 3e-10:
                raise Tie
            if self.chained and len(ends) > 1 and ends[1][0] - end < 1e-8:
                raise Tie
            if i >= 0 and arrival <= end + SAME_S:
                if late:
                    heapq.heappop(self.late)
                else:
                    at += 1
                self.arrive(i, arrival)
                continue
            server = self.servers[k]
            for job in server.finish():
                self.follow(job.number, server.now)
            server.schedule()

    def arrive(self, i: int, now: float) -> None:
        job = self.jobs[i]
        job.arrived = now
        job.replica = self.route(i)
        server = self.servers[job.replica]
        tokens = job.prompt + job.output - 1
        if (
            server.pages_for(tokens) > server.total
            or (not self.d.chunked_prefill and tokens > self.d.token_budget)
            or (self.d.queue_limit and len(server.waiting) >= self.d.queue_limit)
        ):
            job.refused = True
            self.follow(i, now)
            return
        server.given.append(job)
        server.enqueue(job)
        if server.until == math.inf:
            server.now = server.until = now

    def follow(self, i: int, now: float) -> None:
        j = -1
        if len(self.work.following):
            j = int(self.work.following[i])
        elif self.work.clients and self.pool < len(self.jobs):
            j = self.pool
            self.pool += 1
        if j >= 0:
            delay = float(self.work.delay_s[j]) if len(self.work.delay_s) else 0.0
            heapq.heappush(self.late, (now + delay, j))
