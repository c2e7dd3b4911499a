"""The fleet screen's controls: what a reader may set, the load and the cluster that follow, and the same as a command.

A day of traffic is played in little: an hour lasts a minute or some, so that a day has some ten thousand requests.
Answers, steps and queues keep their own seconds; only what builds up over hours is shorter.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from roundtrip.catalog.load import load
from roundtrip.errors import DomainError, nearest

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment, Kind
    from roundtrip.fleet.slo import Limit
    from roundtrip.fleet.workload import Workload

HOURS = 24
MOST_REQUESTS = 200_000
RANKS = (1, 2, 4, 8, 16)
ROOM_TOKENS = 32_768  # a replica whose cache holds less is given more accelerators
BLOCK_TOKENS = 256  # by which prefixes are told apart
THINK_S = 10.0
PROMPT_SPREAD, REPLY_SPREAD = 1.0, 0.8
SEED = 0

MODELS = ("llama-3.1-8b", "qwen3-32b", "llama-3.1-70b", "gpt-oss-120b", "deepseek-v3")
ACCELERATORS = ("l4", "a100-80g", "h100-sxm", "h200-sxm", "b200", "mi300x")
ROUTERS = (
    "round robin", "random", "two choices", "least requests", "least work", "sticky", "consistent hash", "prefix-aware",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that a reader may set.

    Attributes
    ----------
    name : str
        Its key in a message and in the address.
    group : str
        traffic, cluster, scheduler or goal.
    usual : float or str
        What it is if nothing is said.
    choices : tuple
        All that it may be; empty for a number between `least` and `most` in steps.
    unit : str
        Of its number.
    """

    name: str
    group: str
    usual: float | str
    choices: tuple[float | str, ...] = ()
    least: float = 0.0
    most: float = 0.0
    step: float = 1.0
    unit: str = "1"


CONTROLS = (
    Control("rate", "traffic", 40.0, least=1.0, most=120.0, unit="1/s"),
    Control("swing", "traffic", 0.6, least=0.0, most=0.9, step=0.1, unit="share"),
    Control("prompt", "traffic", 300.0, (100.0, 300.0, 1000.0, 3000.0), unit="token"),
    Control("reply", "traffic", 250.0, (60.0, 150.0, 250.0, 500.0, 1000.0), unit="token"),
    Control("turns", "traffic", 3.0, (1.0, 3.0, 5.0)),
    Control("shared", "traffic", 512.0, (0.0, 512.0, 2048.0), unit="token"),
    Control("hour", "traffic", 60.0, (60.0, 300.0, 3600.0), unit="s"),
    Control("replicas", "cluster", 4.0, least=1.0, most=16.0),
    Control("model", "cluster", "llama-3.1-8b", MODELS),
    Control("accelerator", "cluster", "h100-sxm", ACCELERATORS),
    Control("router", "cluster", "least requests", ROUTERS),
    Control("engine", "scheduler", "vllm", ("vllm", "sglang", "trtllm")),
    Control("precision", "scheduler", "published", ("published", "bf16", "fp8", "int4", "fp4")),
    Control("batch", "scheduler", 256.0, (1.0, 8.0, 32.0, 64.0, 128.0, 256.0, 512.0)),
    Control("budget", "scheduler", 2048.0, (512.0, 1024.0, 2048.0, 4096.0, 8192.0), unit="token"),
    Control("policy", "scheduler", "fcfs", ("fcfs", "shortest")),
    Control("queue", "scheduler", 0.0, (0.0, 16.0, 64.0, 256.0)),
    Control("memory", "scheduler", 0.9, least=0.3, most=0.95, step=0.05, unit="share"),
    Control("prefix", "scheduler", 0.0, (0.0, 1.0)),
    Control("first", "goal", 1.0, (0.2, 0.5, 1.0, 2.0, 5.0), unit="s"),
    Control("token", "goal", 0.05, (0.02, 0.03, 0.05, 0.1), unit="s"),
)


@dataclass(frozen=True, slots=True)
class Spec:
    """A value for every control."""

    rate: float
    swing: float
    prompt: float
    reply: float
    turns: float
    shared: float
    hour: float
    replicas: float
    model: str
    accelerator: str
    router: str
    engine: str
    precision: str
    batch: float
    budget: float
    policy: str
    queue: float
    memory: float
    prefix: float
    first: float
    token: float

    @property
    def day_s(self) -> float:
        """Simulated seconds of a day [s]."""
        return HOURS * self.hour

    @property
    def bits(self) -> str:
        """Name of the precision; empty for the published one."""
        return "" if self.precision == "published" else self.precision

    @property
    def conversations(self) -> int:
        """Conversations of a day."""
        return max(round(self.rate * self.day_s / self.turns), 1)

    def as_dict(self) -> dict[str, float | str]:
        """Return the JSON form."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


USUAL = Spec(**cast("dict[str, Any]", {control.name: control.usual for control in CONTROLS}))


def spec_of(settings: Any) -> Spec:
    """Return what a message sets; what it does not name is as usual.

    Raises
    ------
    DomainError
        If a name or a value is not allowed, or the day has too many requests.
    """
    if settings is None:
        settings = {}
    names = {control.name: control for control in CONTROLS}
    if not isinstance(settings, dict) or len(cast("dict[Any, Any]", settings)) > len(names):
        raise DomainError(f"set: expected at most {len(names)} keys with their values")
    chosen: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", settings).items():
        if name not in names:
            raise DomainError(f"set: {name[:40]!r} is not one of {', '.join(names)}{nearest(name[:40], names)}")
        chosen[name] = _allowed(names[name], value)
    spec = replace(USUAL, **chosen)
    if spec.router == "prefix-aware" and not spec.prefix:
        raise DomainError("the router 'prefix-aware' needs the prefix cache, which is off")
    if spec.budget < spec.batch:
        raise DomainError(f"budget = {spec.budget:g} is less than batch = {spec.batch:g}: each answer needs a token")
    requests = spec.conversations * spec.turns
    if requests > MOST_REQUESTS:
        raise DomainError(
            f"a day of {requests:,.0f} requests, allowed are {MOST_REQUESTS:,} here: shorten the hour "
            "or lower the rate (the command line has no such limit)"
        )
    return spec


def _allowed(control: Control, value: Any) -> float | str:
    if control.choices:
        for choice in control.choices:
            if not isinstance(value, bool) and value == choice:
                return choice
        words = ", ".join(f"{c:g}" if isinstance(c, float) else str(c) for c in control.choices)
        raise DomainError(f"{control.name} = {str(value)[:40]}, allowed: {words}")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not control.least <= value <= control.most:
        raise DomainError(f"{control.name} = {str(value)[:40]}, allowed: {control.least:g} to {control.most:g}")
    return round(float(value), 9)


def ranks(spec: Spec) -> int:
    """Return the fewest accelerators that hold the model and a cache that is worth having.

    Raises
    ------
    DomainError
        If not even the most of `RANKS` do.
    """
    found = _ranks(spec.model, spec.accelerator, spec.engine, spec.bits)
    if isinstance(found, str):
        raise DomainError(found)
    return found


@cache
def _ranks(model: str, accelerator: str, engine: str, precision: str) -> int | str:
    from roundtrip.fleet.machine import kind

    why = ""
    for count in RANKS:
        try:
            made = kind(model, accelerator, engine=engine, precision=precision, tensor_ranks=count)
            if made.pages * 16 >= ROOM_TOKENS:
                return count
        except DomainError as error:
            why = str(error)
    return why or f"{model} does not fit on {RANKS[-1]} {accelerator}"


def kind_of(spec: Spec) -> Kind:
    """Return the kind of replica that a spec asks for."""
    from roundtrip.fleet.machine import kind

    return kind(
        spec.model, spec.accelerator, engine=spec.engine, precision=spec.bits, tensor_ranks=ranks(spec),
        usable_share=spec.memory, token_budget=int(spec.budget), max_sequences=int(spec.batch),
    )  # fmt: skip


def cluster(spec: Spec) -> Deployment:
    """Return the cluster that a spec asks for."""
    from roundtrip.fleet.deployment import uniform

    return uniform(
        kind_of(spec), int(spec.replicas), token_budget=int(spec.budget), max_sequences=int(spec.batch),
        router=spec.router, policy=spec.policy, queue_limit=int(spec.queue), prefix_cache=bool(spec.prefix), seed=SEED,
    )  # fmt: skip


def work(spec: Spec) -> Workload:
    """Return the requests of the day."""
    from roundtrip.fleet.generate import sessions

    return sessions(
        spec.conversations, spec.rate / spec.turns, _lengths(spec.prompt, PROMPT_SPREAD),
        _lengths(spec.reply, REPLY_SPREAD), turns=int(spec.turns), think_s=THINK_S, shared_tokens=int(spec.shared),
        block_tokens=BLOCK_TOKENS, kind="diurnal", day_s=spec.day_s, swing=spec.swing, seed=SEED,
    )  # fmt: skip


def _lengths(mean: float, spread: float) -> str:
    return f"lognormal:{mean:g},{spread:g}"


def slo(spec: Spec) -> tuple[Limit, ...]:
    """Return the limits of a good request, each for 99 of 100."""
    from roundtrip.fleet.slo import limits

    return limits(f"ttft_p99={spec.first:g}s,tpot_p99={spec.token:g}s")


def command(spec: Spec) -> str:
    """Return the command line that makes the very same run."""
    words: list[str] = [
        "roundtrip", "fleet", "run", "--load", "sessions", "--requests", str(spec.conversations),
        "--rate", repr(spec.rate / spec.turns), "--day", f"{spec.day_s:g}s", "--swing", f"{spec.swing:g}",
        "--turns", f"{spec.turns:g}", "--think", f"{THINK_S:g}", "--prompt", _lengths(spec.prompt, PROMPT_SPREAD),
        "--output", _lengths(spec.reply, REPLY_SPREAD), "--shared", f"{spec.shared:g}",
        "--block-tokens", str(BLOCK_TOKENS), "--model", spec.model, "--accelerator", spec.accelerator,
        "--engine", spec.engine, *(["--precision", spec.bits] if spec.bits else []),
        "--tensor-ranks", str(ranks(spec)), "--usable-share", f"{spec.memory:g}",
        "--replicas", f"{spec.replicas:g}", "--router", spec.router, "--policy", spec.policy,
        "--max-sequences", f"{spec.batch:g}", "--token-budget", f"{spec.budget:g}", "--queue-limit", f"{spec.queue:g}",
        "--slo", f"ttft_p99={spec.first:g}s,tpot_p99={spec.token:g}s", "--seed", str(SEED),
    ]  # fmt: skip
    return shlex.join([*words, *(["--prefix-cache"] if spec.prefix else [])])


def controls() -> list[dict[str, Any]]:
    """Return the controls for the page, with the catalog's titles of what can be chosen."""
    titles = {"model": load("models"), "accelerator": load("accelerators")}
    made: list[dict[str, Any]] = []
    for each in CONTROLS:
        body: dict[str, Any] = {"name": each.name, "group": each.group, "usual": each.usual, "unit": each.unit}
        if each.choices:
            body["choices"] = list(each.choices)
        else:
            body |= {"least": each.least, "most": each.most, "step": each.step}
        if each.name in titles:
            body["titles"] = [titles[each.name][str(key)].title for key in each.choices]
        made.append(body)
    return made
