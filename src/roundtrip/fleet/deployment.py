"""What serves: replicas of a model, their scheduler, their cache, and the router before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.errors import DomainError, nearest
from roundtrip.fleet.times import StepTimes

POLICIES = ("fcfs", "priority", "shortest")
FCFS, PRIORITY, SHORTEST = range(3)
ADMISSION = ("chunk", "prompt")
ROUTERS = (
    "round robin", "random", "two choices", "least requests", "least work", "sticky", "consistent hash", "prefix-aware",
)  # fmt: skip
MOST_REPLICAS = 100_000


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
    """

    name: str
    times: StepTimes
    pages: int
    accelerators: int = 1


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
    queue_limit : int
        Requests that may wait at a replica; more are refused. 0: no limit.
    seed : int
        Of what the router draws.
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
    admission: str = "chunk"
    queue_limit: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no scheduler could do."""
        for name, word, words in (
            ("policy", self.policy, POLICIES),
            ("router", self.router, ROUTERS),
            ("admission", self.admission, ADMISSION),
        ):  # fmt: skip
            if word not in words:
                raise DomainError(f"{name} {word!r} is not one of {', '.join(words)}{nearest(word, words)}")
        for name in ("token_budget", "max_sequences", "page_tokens"):
            value = getattr(self, name)
            if not 1 <= value <= 1_000_000:
                raise DomainError(f"{name} = {value}, expected 1 to 1000000")
        if self.token_budget < self.max_sequences:
            raise DomainError(
                f"token_budget = {self.token_budget} is less than max_sequences = {self.max_sequences}: "
                "every sequence that writes needs a token of each step"
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
                 "admission", "queue_limit", "seed")  # fmt: skip
        return body | {name: getattr(self, name) for name in names}

    def cache_tokens(self) -> int:
        """Return the tokens that the smallest replica's cache holds."""
        return min(kind.pages for kind in self.kinds) * self.page_tokens


def uniform(kind: Kind, replicas: int = 1, **policy: object) -> Deployment:
    """Return a cluster of equal replicas."""
    if not 1 <= replicas <= MOST_REPLICAS:
        raise DomainError(f"{replicas} replicas, expected 1 to {MOST_REPLICAS}")
    return Deployment((kind,), (0,) * replicas, **policy)  # pyright: ignore[reportArgumentType]
