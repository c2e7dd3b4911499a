"""Options that the commands of ``roundtrip fleet`` share, and what is made from them: requests, a cluster, a run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.cli import fleet_events
from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment, Kind
    from roundtrip.fleet.records import Records
    from roundtrip.fleet.workload import Workload

F = TypeVar("F", bound=Callable[..., Any])

LOADS = ("poisson", "gamma", "diurnal", "constant", "clients", "sessions")
POLICIES = ("fcfs", "priority", "shortest")
ROUTERS = (
    "round robin", "random", "two choices", "least requests", "least work", "sticky", "consistent hash", "prefix-aware",
)  # fmt: skip
# What only some loads take: an option that would change nothing is refused.
TAKES = {
    "trace": {"sort", "block_tokens", "speed", "limit"},
    "poisson": {"rate", "requests", "prompt", "output"},
    "gamma": {"rate", "requests", "prompt", "output", "spread"},
    "diurnal": {"rate", "requests", "prompt", "output", "day", "swing"},
    "constant": {"rate", "requests", "prompt", "output"},
    "clients": {"clients", "requests", "prompt", "output"},
    "sessions": {"rate", "requests", "prompt", "output", "turns", "think", "shared", "block_tokens", "day", "swing"},
}
LOAD_OPTIONS = set().union(*TAKES.values())
ENGINES = ("vllm", "sglang", "trtllm")
CATALOG_OPTIONS = {
    "model", "accelerator", "engine", "constants", "precision", "serving", "tensor_ranks", "usable_share", "groups",
}  # fmt: skip

# Each list is given to a command whole (`workload_options`, `deployment_options`), in the order of its help.
WORKLOAD: list[Callable[[Any], Any]] = [
    click.option(
        "--trace", metavar="FILE", help="Requests: Azure's CSV, Mooncake's JSON lines, or your own (see docs)."
    ),
    click.option(
        "--sort", is_flag=True, help="Sort the trace by arrival instead of naming the line that is out of order."
    ),
    click.option("--limit", type=int, metavar="N", help="Read only the first N requests of the trace."),
    click.option("--speed", type=float, default=1.0, show_default=True, help="Play the trace so many times as fast."),
    click.option(
        "--block-tokens",
        type=int,
        default=512,
        show_default=True,
        help="Tokens of a block that a trace names; sessions: 16.",
    ),
    click.option("--load", type=click.Choice(LOADS), help="Make the requests instead."),
    click.option(
        "--requests", type=int, default=10_000, show_default=True, help="How many (conversations, with sessions)."
    ),
    click.option("--rate", type=float, default=5.0, show_default=True, help="Requests (or conversations) a second."),
    click.option("--clients", type=int, default=32, show_default=True, help="Clients that wait for each answer."),
    click.option(
        "--prompt", default="512", show_default=True, help="512, uniform:100,2000, lognormal:1000,0.8, geometric:9"
    ),
    click.option("--output", default="128", show_default=True, help="Tokens of an answer, likewise."),
    click.option("--spread", type=float, default=2.0, show_default=True, help="Of gamma's gaps: deviation over mean."),
    click.option("--turns", type=int, default=5, show_default=True, help="Turns of a conversation."),
    click.option(
        "--think", type=float, default=10.0, show_default=True, help="Mean seconds between answer and next turn."
    ),
    click.option("--shared", type=int, default=0, show_default=True, help="Tokens with which all conversations start."),
    click.option(
        "--day",
        metavar="TIME",
        help="Length of the day of diurnal, 24h by default; lets sessions begin as on such a day.",
    ),
    click.option(
        "--swing", type=float, default=0.6, show_default=True, help="Of the rate over a day, as a share of its mean."
    ),
    *fleet_events.OF_REQUESTS,
]
DEPLOYMENT: list[Callable[[Any], Any]] = [
    click.option("--model", default="llama-3.1-8b", show_default=True, help="See 'roundtrip catalog models'."),
    click.option("--accelerator", default="h100-sxm", show_default=True, help="See 'roundtrip catalog accelerators'."),
    click.option("--engine", type=click.Choice(ENGINES), default="vllm", show_default=True, help="Whose constants."),
    click.option(
        "--constants", metavar="FILE", help="Constants that 'roundtrip fit' wrote, in place of the catalog's."
    ),
    click.option("--precision", metavar="NAME", help="bf16, fp8, fp4, mxfp4 or int4; as published by default."),
    click.option("--serving", metavar="NAME", help="Constants of 'roundtrip catalog servings', as in a trip, instead."),
    click.option("--tensor-ranks", type=int, metavar="N", help="Accelerators that split a replica's matrices."),
    click.option(
        "--usable-share", type=float, default=0.9, show_default=True, help="Of the memory that may be filled."
    ),
    click.option(
        "--step-times",
        metavar="A=T,…",
        help="Step times in place of the catalog: step=5ms,row=27ns,"
        "sequence=20us,context=44ps,pair=1ps. Needs --pages.",
    ),
    click.option("--pages", type=int, metavar="N", help="Pages of a replica's cache; what fits by default."),
    click.option("--replicas", type=int, default=1, show_default=True),
    click.option("--router", type=click.Choice(ROUTERS), default="round robin", show_default=True),
    click.option("--policy", type=click.Choice(POLICIES), default="fcfs", show_default=True),
    click.option("--token-budget", type=int, default=2048, show_default=True, help="Tokens of a step."),
    click.option("--max-sequences", type=int, default=256, show_default=True, help="Sequences of a step."),
    click.option("--page-tokens", type=int, default=16, show_default=True, help="Tokens of a page."),
    click.option("--whole-prompts", is_flag=True, help="Never read a prompt in parts."),
    click.option("--prefix-cache", is_flag=True, help="Keep pages and find them again by their prefix."),
    click.option(
        "--admission",
        type=click.Choice(("chunk", "prompt")),
        default="prompt",
        show_default=True,
        help="Pages that a request must find to start.",
    ),
    click.option("--plan-ahead", is_flag=True, help="Plan a step while the one before it runs, as newer engines do."),
    click.option(
        "--queue-limit", type=int, default=0, show_default=True, help="Refuse beyond so many waiting; 0: never."
    ),
    *fleet_events.OF_CLUSTER,
]


def workload_options(function: F) -> F:
    """Give a command the options that say which requests come; `workload` makes them."""
    return _with(WORKLOAD, function)


def deployment_options(function: F) -> F:
    """Give a command the options that say what serves; `deployment` makes it."""
    return _with(DEPLOYMENT, function)


def seed_option(function: F) -> F:
    """Give a command the seed of what is drawn."""
    return _with([click.option("--seed", type=int, default=0, show_default=True,
                               help="Of made loads and of routers that draw.")], function)  # fmt: skip


def _with(options: list[Callable[[Any], Any]], function: Any) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


def said(ctx: click.Context, options: dict[str, Any]) -> set[str]:
    """Return the names of the options that the reader gave, apart from defaults."""
    return {name for name in options if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}


def workload(options: dict[str, Any], said: set[str]) -> Workload:
    """Return the requests that the options ask for."""
    trace, load = options["trace"], options["load"]
    if (trace is None) == (load is None):
        raise DomainError(
            "both --trace and --load are given, expected one of them" if trace is not None
            else f"expected --trace FILE, or --load with one of {', '.join(LOADS)}"
        )  # fmt: skip
    kind = "trace" if trace is not None else load
    for name in sorted(said & LOAD_OPTIONS - TAKES[kind]):
        who = "a trace" if trace is not None else f"--load {load}"
        raise DomainError(f"--{name.replace('_', '-')} has no meaning for {who}")
    if options["block_tokens"] < 1:
        raise DomainError(f"--block-tokens = {options['block_tokens']}, expected 1 or more")
    if options["seed"] < 0:
        raise DomainError(f"--seed = {options['seed']}, expected 0 or more")
    work = _trace(options) if trace is not None else _load(options, said)
    return fleet_events.with_clients(work, options)


def _load(options: dict[str, Any], said: set[str]) -> Workload:
    """Return requests that are made."""
    from roundtrip.fleet.generate import closed_load, open_load, sessions

    load, seed = options["load"], {"seed": options["seed"]}
    lengths = (options["prompt"], options["output"])
    if load == "clients":
        return closed_load(options["requests"], options["clients"], *lengths, **seed)
    day = _day(options, said)
    if load == "sessions":
        if "block_tokens" in said:
            day["block_tokens"] = options["block_tokens"]
        return sessions(
            options["requests"], options["rate"], *lengths, turns=options["turns"], think_s=options["think"],
            shared_tokens=options["shared"], **day, **seed,
        )  # fmt: skip
    return open_load(
        options["requests"], options["rate"], *lengths, **{"kind": load, **day}, spread=options["spread"], **seed
    )  # fmt: skip


def _day(options: dict[str, Any], said: set[str]) -> dict[str, Any]:
    """Return how the rate swings over a day, if it does."""
    from roundtrip.figures.units import parse_quantity

    text = options["day"]
    if text is None and options["load"] != "diurnal":
        if "swing" in said:
            raise DomainError("--swing has no meaning without --day")
        return {}
    found: dict[str, Any] = {"kind": "diurnal", "swing": options["swing"]}
    return found if text is None else {**found, "day_s": parse_quantity(text, "s", "--day")}


def _trace(options: dict[str, Any]) -> Workload:
    from dataclasses import replace

    from roundtrip.fleet.traces import read

    if options["limit"] is not None and options["limit"] < 1:
        raise DomainError(f"--limit = {options['limit']}, expected 1 or more")
    if not 0.0 < options["speed"] < 1e9:
        raise DomainError(f"--speed = {options['speed']:g}, expected above 0 and below 1e9")
    work = read(
        options["trace"], block_tokens=options["block_tokens"], sort=options["sort"], most=options["limit"]
    )  # fmt: skip
    return replace(work, arrival_s=work.arrival_s / options["speed"])  # clients do not hurry: cancel_s stays


def deployment(options: dict[str, Any], said: set[str], work: Workload) -> Deployment:
    """Return the cluster that the options ask for."""
    from roundtrip.fleet.deployment import MOST_REPLICAS, Deployment, Kind

    scheduler = {name: options[name] for name in ("token_budget", "max_sequences", "page_tokens")}
    for name, value in scheduler.items():
        if not 1 <= value <= 1_000_000:
            raise DomainError(f"--{name.replace('_', '-')} = {value}, expected 1 to 1000000")
    if options["pages"] is not None and not 1 <= options["pages"] <= 10**12:
        raise DomainError(f"--pages = {options['pages']}, expected 1 to 1e12")
    check_policy(options, work)
    if options["step_times"] is not None:
        for name in sorted(said & CATALOG_OPTIONS):
            raise DomainError(f"--{name.replace('_', '-')} has no meaning beside --step-times")
        if options["pages"] is None:
            raise DomainError("--step-times says nothing of memory: expected --pages")
        times = step_times(options["step_times"], options)
        kinds = [Kind("given step times", times, options["pages"], token_B=fleet_events.token_B(options, said))]
        counts = [options["replicas"]]
    else:
        if options["serving"] is not None and "engine" in said:
            raise DomainError("--engine has no meaning beside --serving, which has constants of its own")
        if options["pages"] is not None and "usable_share" in said:
            raise DomainError("--usable-share has no meaning beside --pages")
        if options["token_bytes"] is not None:
            raise DomainError("--token-bytes has no meaning without --step-times: the model says them")
        counts, kinds = _kinds(options, said, scheduler)
    if not 1 <= sum(counts) <= MOST_REPLICAS:
        raise DomainError(f"{sum(counts)} replicas, expected 1 to {MOST_REPLICAS}")
    more = fleet_events.events(options, said)
    if more.get("prefill_replicas", 0) >= sum(counts):
        raise DomainError(f"--prefill-replicas = {more['prefill_replicas']} of {sum(counts)} replicas, expected one or "
                          "more that write")  # fmt: skip
    return Deployment(
        tuple(kinds), tuple(i for i, count in enumerate(counts) for _ in range(count)),
        policy=options["policy"], router=options["router"], admission=options["admission"],
        chunked_prefill=not options["whole_prompts"], prefix_cache=options["prefix_cache"],
        queue_limit=options["queue_limit"], seed=options["seed"], plans_ahead=options["plan_ahead"],
        **scheduler, **more,
    )  # fmt: skip


def _kinds(options: dict[str, Any], said: set[str], scheduler: dict[str, Any]) -> tuple[list[int], list[Kind]]:
    """Return how many replicas there are of each kind, and the kinds."""
    from roundtrip.fleet.machine import kind

    parts = [(options["replicas"], options["accelerator"], options["tensor_ranks"])]
    if options["groups"] is not None:
        for name in ("accelerator", "replicas", "tensor_ranks"):
            if name in said:
                raise DomainError(f"--{name.replace('_', '-')} has no meaning beside --groups, which says it")
        parts = fleet_events.groups(options["groups"])
    own = constants(options)
    return [count for count, _, _ in parts], [
        kind(
            options["model"], chip, engine=options["engine"], precision=options["precision"] or "",
            constants=own, serving=options["serving"], pages=options["pages"], usable_share=options["usable_share"],
            tensor_ranks=ranks, **scheduler,
        ) for _, chip, ranks in parts
    ]  # fmt: skip


def constants(options: dict[str, Any]) -> dict[str, float] | None:
    """Return the reader's own constants of step times, or None for those of the catalog."""
    if options["constants"] is None:
        return None
    from roundtrip.serving.constants import read

    return read(options["constants"], options["engine"])


def check_policy(options: dict[str, Any], work: Workload) -> None:
    """Refuse a policy or a cache that the requests give nothing to go by."""
    if options["policy"] == "priority" and not len(work.priority):
        raise DomainError(f"--policy priority: {work.name} has no priorities: a column 'priority', or --priorities")
    if options["priorities"] is not None and options["policy"] != "priority":
        raise DomainError("--priorities has no meaning without --policy priority")
    if options["prefix_cache"] and not len(work.offsets):
        raise DomainError(
            f"--prefix-cache: {work.name} names no blocks of its prompts, so nothing could be found again"
        )


def step_times(text: str, options: dict[str, Any]) -> Any:
    """Read ``step=5ms,row=27ns``."""
    from roundtrip.errors import nearest
    from roundtrip.figures.units import parse_quantity
    from roundtrip.fleet.times import polynomial

    names = ("step", "row", "sequence", "context", "pair")
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name.strip() not in names:
            raise DomainError(f"--step-times {part!r}: expected one of {', '.join(names)}{nearest(name, names)}")
        found[f"{name.strip()}_s"] = parse_quantity(value, "s", f"--step-times {name.strip()}")
    if "step_s" not in found or not all(x >= 0.0 for x in found.values()):
        raise DomainError("--step-times: expected at least step=…, and no time below zero")
    return polynomial(options["token_budget"], options["max_sequences"], **found)  # pyright: ignore[reportArgumentType]


def with_progress(work: Workload, cluster: Deployment) -> Records:
    """Run, with a bar on a terminal and in silence elsewhere."""
    progress = bar_on_terminal("requests", "report so far")
    from roundtrip.fleet.simulate import simulate

    found: Records = simulate(work, cluster, progress)
    clear_bar()
    return found


def bar(what: str = "requests", hint: str = "report so far") -> Callable[[int, int], None]:
    """Return what draws how far a run is, a few times a second."""
    begun = last = time.monotonic()

    def draw(done: int, of: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < 0.2:
            return
        last = now
        share = done / max(of, 1)
        left_s = (now - begun) * (1.0 - share) / share if share > 0.0 else 0.0
        text = f"fleet: {done:,} of {of:,} {what}, {100 * share:.0f} %, {left_s:.0f} s left (Ctrl-C: {hint})"
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    return draw


def bar_on_terminal(what: str, hint: str) -> Callable[[int, int], None] | None:
    """Return a bar on a terminal, nothing elsewhere; say there if the event loop must be compiled first."""
    if not sys.stderr.isatty():
        return None
    say_if_cold()
    return bar(what, hint)


def say_if_cold() -> None:
    """Say that the first run takes longer, where it does."""
    from roundtrip.fleet.compiled import is_compiled, is_warm

    if not is_warm():
        text = "compiling the event loop: once, up to a minute" if is_compiled() else "without Numba this is slow"
        click.echo(f"fleet: {text}", err=True)


def clear_bar() -> None:
    """Wipe the bar's line off a terminal."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
