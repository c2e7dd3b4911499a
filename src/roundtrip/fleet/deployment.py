"""What serves: replicas of a model, their scheduler, their cache, and the router before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from roundtrip.errors import DomainError, nearest
from roundtrip.fleet.times import StepTimes

if TYPE_CHECKING:
    from roundtrip.serving.step import Setup

POLICIES = ("fcfs", "priority", "shortest")
FCFS, PRIORITY, SHORTEST = range(3)
ADMISSION = ("chunk", "prompt")
PREEMPTION = ("recompute", "swap")
ON_FAILURE = ("retry", "fail")
ROUTERS = (
    "round robin", "random", "two choices", "least requests", "least work", "sticky", "consistent hash", "prefix-aware",
)  # fmt: skip
MOST_REPLICAS = 100_000
MOST_DRAFTS = 64
SPEED_CONTEXT = 1024.0  # tokens of context at which kinds are compared


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of replica.

    Attributes
    ----------
    name : str
        For reports.
    times : StepTimes
        Of its steps.
    pages : int
        Pages of its cache.
    accelerators : int
        Of one replica.
    token_B : float
        Bytes of keys and values of one token on each accelerator, all of which move theirs side by side; 0 where
        nothing moves them [B].
    setup : Setup, optional
        Model, accelerator and precision, for the account of energy; without it there is none.
    """

    name: str
    times: StepTimes
    pages: int
    accelerators: int = 1
    token_B: float = 0.0
    setup: Setup | None = None

    def token_s(self, sequences: int) -> float:
        """Return the time of a written token when so many sequences write at a context of 1024 [s]: how slow it is."""
        n = min(sequences, len(self.times.rows_s) - 1)
        attention_s = float(np.interp(SPEED_CONTEXT, self.times.context, self.times.context_s[n]))
        return (float(self.times.rows_s[n]) + attention_s) / n + self.times.sequence_s


@dataclass(frozen=True, slots=True)
class Deployment:
    """A cluster.

    Attributes
    ----------
    kinds : tuple of Kind
        Kinds of replicas.
    replicas : tuple of int
        The kind of each replica.
    token_budget, max_sequences : int
        Tokens and sequences of a step, at most.
    page_tokens : int
        Tokens of a page of the cache.
    policy : str
        Who is served next: one of `POLICIES`. Shortest means the shortest prompt.
    router : str
        One of `ROUTERS`.
    chunked_prefill : bool
        A prompt may be read in parts.
    prefix_cache : bool
        Pages stay until they are needed and are found again by their prefix.
    admission : str
        Pages that a request must find to start: those of its first ``chunk``, or of its whole ``prompt``.
    plans_ahead : bool
        A step is planned while the one before it runs, so that the accelerator never waits for the scheduler: a request
        that arrives during a step is in the one after the next at the earliest.
    queue_limit : int
        Requests that may wait at a replica; more are refused. 0: no limit.
    seed : int
        Of what is drawn: by the router, for failures, for accepted drafts.
    preemption : str
        What happens to the pages of a request that must give way: they are computed anew later (``recompute``), or lie
        in the host's memory meanwhile (``swap``).
    swap_B_s : float
        Rate between an accelerator and its host, for ``swap`` [B/s].
    failures : tuple of (int, float, float)
        Replica, when it goes down, when it is up again (may be infinite) [s].
    mtbf_s, mttr_s : float
        Mean time that a replica is up and down, drawn; 0: no such failures [s].
    on_failure : str
        What becomes of the requests of a replica that fails: ``retry`` at another one, which computes prompt and
        answer so far anew, or ``fail``.
    timeout_s : float
        The server gives up a request that is not done so long after its arrival; 0: never [s].
    prefill_replicas : int
        So many of the first replicas only read prompts, the others only write; 0: all do both.
    link_B_s, link_latency_s : float
        Of each accelerator of a replica that reads prompts, for the cache that goes to one that writes [B/s, s].
    draft_tokens : int
        Tokens that are guessed for each sequence of a step and then checked; 0: none.
    acceptance : float
        Chance that a guess is right if all before it were.
    draft_s : float
        Time that guessing adds to a step in which sequences write [s].
    network_rtt_s : float
        Time of a request to the cluster and of a token back, together [s].
    """

    kinds: tuple[Kind, ...]
    replicas: tuple[int, ...]
    token_budget: int = 2048
    max_sequences: int = 256
    page_tokens: int = 16
    policy: str = "fcfs"
    router: str = "round robin"
    chunked_prefill: bool = True
    prefix_cache: bool = False
    admission: str = "prompt"
    plans_ahead: bool = False
    queue_limit: int = 0
    seed: int = 0
    preemption: str = "recompute"
    swap_B_s: float = 0.0
    failures: tuple[tuple[int, float, float], ...] = ()
    mtbf_s: float = 0.0
    mttr_s: float = 0.0
    on_failure: str = "retry"
    timeout_s: float = 0.0
    prefill_replicas: int = 0
    link_B_s: float = 0.0
    link_latency_s: float = 0.0
    draft_tokens: int = 0
    acceptance: float = 0.0
    draft_s: float = 0.0
    network_rtt_s: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what no scheduler could do."""
        for name, word, words in (
            ("policy", self.policy, POLICIES),
            ("router", self.router, ROUTERS),
            ("admission", self.admission, ADMISSION),
            ("preemption", self.preemption, PREEMPTION),
            ("on_failure", self.on_failure, ON_FAILURE),
        ):  # fmt: skip
            if word not in words:
                raise DomainError(f"{name} {word!r} is not one of {', '.join(words)}{nearest(word, words)}")
        for name in ("token_budget", "max_sequences", "page_tokens"):
            value = getattr(self, name)
            if not 1 <= value <= 1_000_000:
                raise DomainError(f"{name} = {value}, expected 1 to 1000000")
        if self.token_budget < self.max_sequences * self.width:
            more = f" times {self.width} tokens (one and the drafts)" if self.draft_tokens else ""
            raise DomainError(
                f"token_budget = {self.token_budget} is less than max_sequences = {self.max_sequences}{more}: "
                "every sequence that writes needs its tokens in each step"
            )
        if not 1 <= len(self.replicas) <= MOST_REPLICAS:
            raise DomainError(f"{len(self.replicas)} replicas, expected 1 to {MOST_REPLICAS}")
        if self.queue_limit < 0:
            raise DomainError(f"queue_limit = {self.queue_limit}, expected 0 (no limit) or more")
        if self.router == "prefix-aware" and not self.prefix_cache:
            raise DomainError("router 'prefix-aware' needs the prefix cache, which is off")
        for kind in self.kinds:
            if kind.pages < 1:
                raise DomainError(f"{kind.name}: no memory is left for a page of the cache beside the weights")
            kind.times.fits(self.token_budget, self.max_sequences)
        self._check_swap()
        self._check_failures()
        self._check_split()
        self._check_drafts()
        for name in ("timeout_s", "network_rtt_s", "draft_s", "link_latency_s"):
            if not 0.0 <= getattr(self, name) < 1e9:
                raise DomainError(f"{name} = {getattr(self, name):g}, expected 0 to 1e9")

    def _check_swap(self) -> None:
        if self.preemption == "recompute":
            if self.swap_B_s:
                raise DomainError(f"swap_B_s = {self.swap_B_s:g} has no meaning where preemption is 'recompute'")
            return
        if not 0.0 < self.swap_B_s < 1e18:
            raise DomainError(f"preemption 'swap' needs a rate: swap_B_s = {self.swap_B_s:g}, expected above 0")
        self._need_bytes("preemption 'swap'")

    def _need_bytes(self, what: str) -> None:
        for kind in self.kinds:
            if not 0.0 < kind.token_B < 1e12:
                raise DomainError(f"{what} needs the bytes of a token of the cache; {kind.name} does not say them")

    def _check_failures(self) -> None:
        replicas = len(self.replicas)
        if self.failures and self.mtbf_s:
            raise DomainError("failures are given and drawn (mtbf_s), expected one of both")
        for name in ("mtbf_s", "mttr_s"):
            if not 0.0 <= getattr(self, name) < 1e12:
                raise DomainError(f"{name} = {getattr(self, name):g}, expected 0 to 1e12")
        if (self.mtbf_s > 0.0) != (self.mttr_s > 0.0):
            raise DomainError("mtbf_s and mttr_s go together: mean times between failures and to repair")
        if self.on_failure != "retry" and not self.failures and not self.mtbf_s:
            raise DomainError(f"on_failure {self.on_failure!r} has no meaning without failures")
        ends: dict[int, float] = {}
        for replica, down_s, up_s in sorted(self.failures):
            if not 0 <= replica < replicas:
                raise DomainError(f"failures: replica {replica}, expected 0 to {replicas - 1}")
            if not 0.0 <= down_s < up_s or not np.isfinite(down_s):
                raise DomainError(f"failures: replica {replica} down at {down_s:g} s and up at {up_s:g} s, expected "
                                  "times from 0 on, the second later")  # fmt: skip
            if down_s <= ends.get(replica, -1.0):
                raise DomainError(f"failures: replica {replica} goes down at {down_s:g} s, but it is down until "
                                  f"{ends[replica]:g} s")  # fmt: skip
            ends[replica] = up_s

    def _check_split(self) -> None:
        if not self.prefill_replicas:
            if self.link_B_s or self.link_latency_s:
                raise DomainError("link_B_s and link_latency_s have no meaning where every replica reads and writes")
            return
        if not 1 <= self.prefill_replicas < len(self.replicas):
            raise DomainError(
                f"prefill_replicas = {self.prefill_replicas} of {len(self.replicas)}, expected one of each kind or more"
            )
        if not 0.0 < self.link_B_s < 1e18:
            raise DomainError(f"prefill_replicas need a link: link_B_s = {self.link_B_s:g}, expected above 0")
        self._need_bytes("sending the cache of a prompt")

    def _check_drafts(self) -> None:
        if not self.draft_tokens:
            if self.acceptance or self.draft_s:
                raise DomainError("acceptance and draft_s have no meaning without draft_tokens")
            return
        if not 1 <= self.draft_tokens <= MOST_DRAFTS:
            raise DomainError(f"draft_tokens = {self.draft_tokens}, expected 0 to {MOST_DRAFTS}")
        if not 0.0 <= self.acceptance <= 1.0:
            raise DomainError(f"acceptance = {self.acceptance:g}, expected 0 to 1")

    @property
    def width(self) -> int:
        """Tokens of each sequence that writes in a step: one, and the drafts that are checked."""
        return 1 + self.draft_tokens

    @property
    def fails(self) -> bool:
        """Say whether replicas can fail."""
        return bool(self.failures) or self.mtbf_s > 0.0

    @property
    def accelerators(self) -> int:
        """Accelerators of all replicas."""
        return sum(self.kinds[kind].accelerators for kind in self.replicas)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        kinds = [
            {"name": k.name, "pages": k.pages, "accelerators": k.accelerators, "replicas": self.replicas.count(i)}
            for i, k in enumerate(self.kinds)
        ]
        body: dict[str, Any] = {"kinds": kinds, "replicas": len(self.replicas), "accelerators": self.accelerators}
        names = ("token_budget", "max_sequences", "page_tokens", "policy", "router", "chunked_prefill", "prefix_cache",
                 "admission", "plans_ahead", "queue_limit", "seed", "preemption", "swap_B_s", "mtbf_s", "mttr_s",
                 "on_failure",
                 "timeout_s", "prefill_replicas", "link_B_s", "link_latency_s", "draft_tokens", "acceptance",
                 "draft_s", "network_rtt_s")  # fmt: skip
        failures = [{"replica": k, "down_s": a, "up_s": b if np.isfinite(b) else None} for k, a, b in self.failures]
        return body | {name: getattr(self, name) for name in names} | {"failures": failures}

    def cache_tokens(self) -> int:
        """Return the tokens that the smallest replica's cache holds."""
        return min(kind.pages for kind in self.kinds) * self.page_tokens


def uniform(kind: Kind, replicas: int = 1, **policy: object) -> Deployment:
    """Return a cluster of equal replicas."""
    if not 1 <= replicas <= MOST_REPLICAS:
        raise DomainError(f"{replicas} replicas, expected 1 to {MOST_REPLICAS}")
    return Deployment((kind,), (0,) * replicas, **policy)  # pyright: ignore[reportArgumentType]
