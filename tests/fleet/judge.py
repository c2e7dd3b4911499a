"""The judge of the event loop: the cluster around the replicas of `tests.fleet.oracle`."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from roundtrip.fleet.deployment import Deployment
from roundtrip.fleet.faults import changes
from roundtrip.fleet.route import assign
from roundtrip.fleet.speculate import steps
from roundtrip.fleet.workload import Workload
from tests.fleet.oracle import GONE, ONE, Job, Server

SAME_S = 1e-9


class Tie(Exception):  # noqa: N818
    """Two things happen so nearly at once that rounding decides: no case for a comparison to 1e-9."""


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
        self.servers = [Server(k, deployment, self) for k in range(len(deployment.replicas))]
        needed = steps(work.output, deployment.draft_tokens, deployment.acceptance, deployment.seed)
        self.jobs = [self.job(i, int(needed[i])) for i in range(len(work))]
        self.draws, self.assigned = assign(work, deployment)
        # What happens on one replica happens to another: who is first must not hang on rounding.
        self.chained = bool(work.clients or len(work.following) or deployment.prefill_replicas or deployment.fails)
        self.turns = [0, 0]
        self.homes: dict[tuple[int, int], int] = {}
        self.pool = work.given
        self.late: list[tuple[float, int]] = []
        self.alarms: list[tuple[float, int]] = []
        self.lobby: list[Job] = []
        self.fault_s, self.fault_of, self.fault_up, self.period = changes(deployment)
        self.fault = 0
        if len(self.fault_s):
            self.alarms.append((float(self.fault_s[0]), 2 * len(work)))

    def job(self, i: int, needed: int) -> Job:
        work, d = self.work, self.d
        prompt = int(work.prompt[i])
        growth = self.servers[0].growth
        most = prompt + -(-(needed - 1) * growth // ONE) + 1 if d.draft_tokens else prompt + needed - 1
        job = Job(i, prompt, needed, int(work.output[i]), most, goal=prompt)
        if len(work.priority):
            job.rank = int(work.priority[i])
        if len(work.reasoning):
            thought = int(work.reasoning[i])
            job.visible_at = 1 + math.ceil(thought * (needed - 1) / max(job.tokens - 1, 1) - 1e-12)
            if thought == job.tokens:
                job.visible_at = -1
        if len(work.cancel_s):
            job.patience = float(work.cancel_s[i])
        if d.timeout_s:
            job.patience = min(job.patience, d.timeout_s)
        if d.prefix_cache:
            job.keys = page_keys(work, d.page_tokens, i)
        return job

    # -- the router -----------------------------------------------------------------------------------------------

    def route(self, i: int, stage: int) -> Server | None:
        router, session = self.d.router, int(self.work.session[i])
        servers = [s for s in self.servers if s.alive and s.stage == stage]
        if not servers:
            return None
        if router == "round robin":
            self.turns[stage] += 1
            return servers[(self.turns[stage] - 1) % len(servers)]
        if router == "two choices":
            a = int(self.draws[i, 2 * stage] * len(servers))
            others = [k for k in range(len(servers)) if k != a]
            if not others:
                return servers[a]
            b = others[int(self.draws[i, 2 * stage + 1] * len(others))]
            return servers[b if len(servers[b].given) < len(servers[a].given) else a]
        if router == "least requests":
            return min(servers, key=lambda s: (len(s.given), s.number))
        if router == "least work" or (router == "prefix-aware" and stage == 1):
            return min(servers, key=lambda s: (self.open_tokens(s) * s.slow, s.number))
        if router == "sticky":
            home = self.homes.get((stage, session), -1)
            if home < 0 or not self.servers[home].alive:
                home = min(servers, key=lambda s: (len(s.given), s.number)).number
                self.homes[stage, session] = home
            return self.servers[home]
        if router == "prefix-aware":
            job = self.jobs[i]
            return min(
                servers,
                key=lambda s: (
                    (self.open_tokens(s) + job.prompt - len(s.hits(job)) * self.d.page_tokens) * s.slow, s.number,
                ),
            )  # fmt: skip
        first = self.d.prefill_replicas if stage else 0
        server = self.servers[first + int(self.assigned[stage][i])]
        return server if server.alive else servers[(i if router == "random" else session) % len(servers)]

    @staticmethod
    def open_tokens(server: Server) -> int:
        return sum(j.prompt + j.output for j in server.given)

    # -- events ---------------------------------------------------------------------------------------------------

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
            ends = sorted(self.servers, key=lambda s: (s.until, s.number))
            end = ends[0].until
            if i < 0 and end == math.inf and not self.lobby and not any(s.moving for s in self.servers):
                return self.jobs
            alarm = self.alarms[0][0] if self.alarms else math.inf
            self.refuse_ties(arrival, alarm, ends)
            if alarm < arrival and alarm <= end + SAME_S:
                self.ring(*heapq.heappop(self.alarms))
            elif i >= 0 and arrival <= end + SAME_S:
                if late:
                    heapq.heappop(self.late)
                else:
                    at += 1
                self.arrive(self.jobs[i], arrival)
            else:
                ends[0].finish()
                ends[0].schedule()

    def refuse_ties(self, arrival: float, alarm: float, ends: list[Server]) -> None:
        end = ends[0].until
        if abs(arrival - end - SAME_S) < 3e-10 or abs(alarm - end - SAME_S) < 3e-10 or abs(alarm - arrival) < 3e-10:
            raise Tie
        if self.chained and end < math.inf:
            near = [s for s in ends if s.until - end < 1e-8]
            if len(near) > 1 and not all(s.woken and s.until == end for s in near):
                raise Tie
        if len(self.alarms) > 1:
            first, second = heapq.nsmallest(2, self.alarms)
            if second[0] - first[0] < 3e-10:
                raise Tie
        if (
            self.alarms
            and self.alarms[0][1] == 2 * len(self.jobs)
            and any(min(abs(alarm - s.until), abs(alarm - s.now)) < 1e-8 for s in ends if s.until < math.inf)
        ):
            raise Tie

    def arrive(self, job: Job, now: float) -> None:
        job.arrived = now
        if job.patience < math.inf:
            heapq.heappush(self.alarms, (now + job.patience, job.number))
        self.send(job, now, 0, True)

    def send(self, job: Job, now: float, stage: int, is_new: bool) -> None:
        server = self.route(job.number, stage)
        job.replica = server.number if server else -1
        if server is None:
            if self.can_recover(stage):
                job.where = job.where if job.where == "handed" else "waiting"
                self.lobby.append(job)
            else:
                self.drop_out(job, now)
            return
        if (
            server.pages_for(job.most) > server.total
            or (not self.d.chunked_prefill and job.most > self.d.token_budget)
            or (is_new and self.d.queue_limit and len(server.waiting) >= self.d.queue_limit)
        ):
            if is_new:
                job.where = "refused"
                self.follow(job.number, now + self.d.network_rtt_s)
            else:
                self.drop_out(job, now)
            return
        if stage == 0:
            job.where = "waiting"
        job.seen = server.until if server.plan and server.until < math.inf else now
        server.given.append(job)
        server.enqueue(job)
        server.wake(now)

    def can_recover(self, stage: int) -> bool:
        if math.isfinite(self.period):
            return True
        left = zip(self.fault_of[self.fault :], self.fault_up[self.fault :], strict=True)
        return any(up and self.servers[k].stage == stage for k, up in left)

    def drop_out(self, job: Job, now: float) -> None:
        if job.source is not None:
            job.source.release_source(job, now)
        self.leave(job, "failed", now)

    def leave(self, job: Job, word: str, now: float) -> None:
        job.where, job.left = word, now
        self.follow(job.number, now if word == "canceled" else now + self.d.network_rtt_s)

    def follow(self, i: int, heard: float) -> None:
        j = -1
        if len(self.work.following):
            j = int(self.work.following[i])
        elif self.work.clients and self.pool < len(self.jobs):
            j = self.pool
            self.pool += 1
        if j >= 0:
            delay = float(self.work.delay_s[j]) if len(self.work.delay_s) else 0.0
            heapq.heappush(self.late, (heard + delay, j))

    # -- alarms ---------------------------------------------------------------------------------------------------

    def ring(self, now: float, item: int) -> None:
        count = len(self.jobs)
        if item < count:
            self.lapse(self.jobs[item], now)
        elif item < 2 * count:
            self.come_over(self.jobs[item - count], now)
        else:
            self.next_fault(now)

    def lapse(self, job: Job, now: float) -> None:
        if job.where in GONE or job.quits:
            return
        word = "timed out" if self.d.timeout_s and job.patience >= self.d.timeout_s else "canceled"
        server = self.servers[job.replica]
        if job.where in ("running", "moving"):
            job.quits = word
            if job.where == "running":
                server.leaving.append(job)
            where = job.where
            self.leave(job, word, now)
            job.where = where
            return
        if job.source is not None:
            job.source.release_source(job, now)
        if job in self.lobby:
            self.lobby.remove(job)
        elif job.where == "ready":
            server.ready.remove(job)
            for page in job.pages:
                server.pool.let_go(page, front=True)
            server.given.remove(job)
            server.wake(now)
        else:
            server.waiting.remove(job)
            server.given.remove(job)
            server.wake(now)
        self.leave(job, word, now)

    def book(self, job: Job, now: float) -> None:
        """Have the cache of a job sent, when the link of its source is free."""
        source = job.source
        assert source is not None
        source.link = max(source.link, now) + source.kind.token_B * job.kept / self.d.link_B_s
        heapq.heappush(self.alarms, (source.link + self.d.link_latency_s, len(self.jobs) + job.number))

    def come_over(self, job: Job, now: float) -> None:
        server, source = self.servers[job.replica], job.source
        assert source is not None
        server.moving.remove(job)
        source.release_source(job, now)
        if job.quits:
            job.where = job.quits
            for page in job.pages:
                server.pool.let_go(page, front=True)
            server.given.remove(job)
        else:
            job.where = "ready"
            server.ready.append(job)
        server.wake(now)

    def next_fault(self, now: float) -> None:
        count = len(self.fault_s)
        n = self.fault % count
        self.fault += 1
        if self.fault < count or math.isfinite(self.period):
            turns = self.fault // count
            at = float(self.fault_s[self.fault % count]) + (turns * self.period if turns else 0.0)
            heapq.heappush(self.alarms, (at, 2 * len(self.jobs)))
        server = self.servers[self.fault_of[n]]
        if not self.fault_up[n]:
            self.go_down(server, now)
            return
        server.alive = True
        lobby, self.lobby = self.lobby, []
        for job in lobby:
            self.send(job, now, 1 if job.where == "handed" else 0, False)

    def go_down(self, server: Server, now: float) -> None:
        server.alive = False
        server.failures += 1
        lost: list[Job] = []
        for job in [*server.running, *server.ready]:
            if job in server.running:
                server.interrupt(job)
            job.settle(now)
            if job.quits:
                job.where = job.quits
            else:
                self.lose(job, now, lost)
        for job in server.moving:
            self.silence(job)
            if job.quits:
                job.where = job.quits
                job.source.release_source(job, now)  # pyright: ignore[reportOptionalMemberAccess]
            else:
                job.where, job.pages = "handed", []
                lost.append(job)
        for job in server.waiting:
            if job.where == "waiting" and not math.isnan(job.started):
                self.lose(job, now, lost)
            else:
                lost.append(job)
        if server.reads_only:
            for other in self.servers:
                self.recall(server, other, now, lost)
            for job in [j for j in self.lobby if j.source is server]:
                self.lobby.remove(job)
                self.lose(job, now, lost)
        server.restart()
        for job in lost:
            if self.d.on_failure == "fail":
                self.drop_out(job, now)
            else:
                job.retries += 1
                self.send(job, now, 1 if job.where == "handed" else 0, False)

    @staticmethod
    def lose(job: Job, now: float, lost: list[Job]) -> None:
        job.stop("lost", now)
        job.where, job.computed, job.kept, job.reads = "waiting", 0, 0, True
        job.pages, job.source, job.source_pages = [], None, []
        lost.append(job)

    def recall(self, server: Server, other: Server, now: float, lost: list[Job]) -> None:
        """Call back from a replica those whose cache was to come from one that fails."""
        freed = False
        for job in [j for j in other.moving if j.source is server]:
            freed = True
            other.moving.remove(job)
            other.given.remove(job)
            self.silence(job)
            for page in job.pages:
                other.pool.let_go(page)
            job.settle(now)
            if job.quits:
                job.where = job.quits
            else:
                self.lose(job, now, lost)
        for job in [j for j in other.waiting if j.source is server]:
            freed = True
            other.waiting.remove(job)
            other.given.remove(job)
            self.lose(job, now, lost)
        if freed and other.alive:
            other.wake(now)

    def silence(self, job: Job) -> None:
        self.alarms = [a for a in self.alarms if a[1] != len(self.jobs) + job.number]
        heapq.heapify(self.alarms)


def column(jobs: list[Job], name: str) -> Any:
    """Return one figure of all jobs."""
    return np.array([getattr(job, name) for job in jobs])
