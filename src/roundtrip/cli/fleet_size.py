"""``roundtrip fleet size``: the cheapest fleet that holds limits on a trace, and what binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.fleet_account import account_options, check_place
from roundtrip.cli.fleet_options import (
    ENGINES,
    POLICIES,
    ROUTERS,
    bar_on_terminal,
    check_policy,
    clear_bar,
    constants,
    said,
    seed_option,
    workload,
    workload_options,
)  # fmt: skip
from roundtrip.cli.output import as_json, check_svg, color, say_json, say_page, width, write_whole
from roundtrip.errors import DomainError, nearest

if TYPE_CHECKING:
    from roundtrip.fleet.study.space import Space

MISSED = 1  # exit code: no fleet holds the limits


@click.command(short_help="The cheapest fleet that holds limits on a trace, and what binds.")
@workload_options
@click.option("--model", default="llama-3.1-8b", show_default=True, help="See 'roundtrip catalog models'.")
@click.option("--slo", metavar="LIMITS", required=True, help="For example ttft_p99=1s,tpot_p99=50ms "
              "(ttft, tpot, e2e, queue).")  # fmt: skip
@click.option("--goal", type=click.Choice(("cost", "energy")), default="cost", show_default=True,
              help="What is to be least: dollars an hour, or joules an output token.")  # fmt: skip
@click.option("--accelerators", metavar="A,B,…", help="What may be bought; all that can be rented by default.")
@click.option("--precisions", metavar="P,…", help="bf16, fp8, fp4, mxfp4, int4; as published by default: fewer bits "
              "may change what the model answers.")  # fmt: skip
@click.option("--engine", type=click.Choice(ENGINES), default="vllm", show_default=True, help="Whose constants.")
@click.option("--constants", metavar="FILE", help="Constants that 'roundtrip fit' wrote, in place of the catalog's.")
@click.option("--tensor-ranks", default="1,2,4,8", show_default=True, metavar="N,…", help="Accelerators of a replica.")
@click.option("--token-budgets", default="512,1024,2048,4096,8192", show_default=True, metavar="N,…",
              help="Tokens of a step.")  # fmt: skip
@click.option("--max-sequences", default="64,256", show_default=True, metavar="N,…", help="Sequences of a step.")
@click.option("--most-replicas", type=int, default=1024, show_default=True, help="Replicas of a fleet.")
@click.option("--prices", metavar="A=USD,…", help="Dollars an hour for an accelerator, in place of the catalog's.")
@click.option("--usable-share", type=float, default=0.9, show_default=True, help="Of the memory that may be filled.")
@click.option("--router", type=click.Choice(ROUTERS), default="least requests", show_default=True)
@click.option("--policy", type=click.Choice(POLICIES), default="fcfs", show_default=True)
@click.option("--prefix-cache", is_flag=True, help="Keep pages and find them again by their prefix.")
@seed_option
@account_options
@click.option("--plot", metavar="FILE", help="Draw price against limits for every fleet that was run, as SVG.")
@as_json
@click.pass_context
def size(ctx: click.Context, /, **options: Any) -> int:
    """Find the cheapest fleet that holds limits on a trace or a load, and say what binds.

    Leaves with exit code 1 where no fleet can hold them, and says which limit and the best that can be had.
    """
    check_svg(options["plot"])
    from roundtrip.fleet.slo import limits
    from roundtrip.fleet.study.answer import answer
    from roundtrip.fleet.study.size import size as search

    slo = limits(options["slo"])
    check_place(options)
    space = _space(options)
    work = workload(options, said(ctx, options))
    check_policy(options, work)
    found = answer(search(work, slo, space, bar_on_terminal("steps", "the best so far")))
    clear_bar()
    if options["plot"]:
        from roundtrip.fleet.study.plot_size import picture

        write_whole(options["plot"], picture(found))
    if options["as_json"]:
        say_json(found.as_dict())
    else:
        from roundtrip.fleet.study.size_report import size_report
        from roundtrip.trace.table import painter

        say_page(size_report(found, max(width(), 60), painter(color())))
    return 130 if found.sizing.interrupted else 0 if found.best else MISSED


def _space(options: dict[str, Any]) -> Space:
    from roundtrip.fleet.account import DATACENTER, GRID
    from roundtrip.fleet.study.price import prices, rented
    from roundtrip.fleet.study.space import Space

    if options["most_replicas"] < 1 or options["most_replicas"] > 100_000:
        raise DomainError(f"--most-replicas = {options['most_replicas']}, expected 1 to 100000")
    own = prices(options["prices"]) if options["prices"] else {}
    return Space(
        options["model"],
        _accelerators(options["accelerators"], own) if options["accelerators"] else rented(),
        _precisions(options),
        tensor_ranks=_numbers(options, "tensor_ranks", 1024),
        token_budgets=_numbers(options, "token_budgets", 1_000_000),
        max_sequences=_numbers(options, "max_sequences", 1_000_000),
        most_replicas=options["most_replicas"],
        prices=own,
        machine={"usable_share": options["usable_share"], "engine": options["engine"], "constants": constants(options)},
        policy={name: options[name] for name in ("router", "policy", "prefix_cache", "seed")},
        goal=options["goal"],
        place=(options["datacenter"] or DATACENTER, options["grid"] or GRID),
    )


def _precisions(options: dict[str, Any]) -> tuple[str, ...]:
    from roundtrip.fleet.machine import published
    from roundtrip.serving.architecture import architecture
    from roundtrip.serving.precision import plain

    model = architecture(options["model"])
    if options["precisions"] is None:
        return (published(model),)
    return tuple(dict.fromkeys(plain(word) for word in _words(options["precisions"], "--precisions")))


def _accelerators(text: str, own: dict[str, float]) -> tuple[str, ...]:
    from roundtrip.catalog.load import load
    from roundtrip.fleet.study.price import price

    known = tuple(load("accelerators"))
    found = _words(text, "--accelerators")
    for key in found:
        if key not in known:
            raise DomainError(f"--accelerators: accelerators has no entry {key!r}{nearest(key, known)}")
        if not price(key, own).value > 0.0:
            raise DomainError(f"--accelerators {key}: has no price in the catalog, expected --prices {key}=USD")
    return found


def _numbers(options: dict[str, Any], name: str, most: int) -> tuple[int, ...]:
    option = f"--{name.replace('_', '-')}"
    found: list[int] = []
    for word in _words(options[name], option):
        if not word.isdecimal() or not 1 <= int(word) <= most:
            raise DomainError(f"{option} {word!r}: expected whole numbers from 1 to {most}, for example 1,2,4")
        found.append(int(word))
    return tuple(sorted(found))


def _words(text: str, option: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(filter(None, (p.strip() for p in text.split(",")))))
    if not found:
        raise DomainError(f"{option} is empty")
    return found
