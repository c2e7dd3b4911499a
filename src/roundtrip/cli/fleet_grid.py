"""Cases of a sweep or a comparison: the options of ``fleet run``, each with a value or with several.

A file of cases is TOML with the names of the options as keys (``max-sequences`` or ``max_sequences``) and a value or a
list of values each. Lists multiply, in the order in which they stand; the last changes fastest.
"""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.fleet_options import (
    deployment,
    deployment_options,
    said,
    seed_option,
    workload,
    workload_options,
)  # fmt: skip
from roundtrip.errors import DomainError, nearest

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment
    from roundtrip.fleet.workload import Workload

MOST = 1_000_000  # cases
FILES = ("trace", "constants", "outages")  # options that name a file
Case = dict[str, str]


@cache
def command() -> click.Command:
    """Return a command with the options of a case, for what it knows of them; it runs nothing."""

    @click.command("case")
    @workload_options
    @deployment_options
    @seed_option
    def case(**_: Any) -> None:
        """Take the options."""

    return case


def known() -> dict[str, click.Option]:
    """Return the options of a case by name."""
    return {p.name: p for p in command().params if isinstance(p, click.Option) and p.name}


@dataclass(frozen=True, slots=True)
class Grid:
    """Options with their values.

    Attributes
    ----------
    values : dict
        For each option that was given its values as text.
    """

    values: dict[str, tuple[str, ...]]

    @property
    def axes(self) -> tuple[str, ...]:
        """Options with several values."""
        return tuple(name for name, values in self.values.items() if len(values) > 1)

    def __len__(self) -> int:
        """Return the number of cases."""
        return math.prod(len(values) for values in self.values.values())

    def cases(self) -> list[Case]:
        """Return every case as options with their values."""
        if len(self) > MOST:
            raise DomainError(f"the grid has {len(self):,} cases, expected at most {MOST:,}")
        return [dict(zip(self.values, values, strict=True)) for values in itertools.product(*self.values.values())]


def option_name(key: str, where: str) -> str:
    """Return the name of an option of ``fleet run``."""
    name = key.strip().lstrip("-").replace("-", "_")
    if name not in known():
        names = [n.replace("_", "-") for n in known()]
        raise DomainError(
            f"{where}: {key!r} is no option of 'roundtrip fleet run'{nearest(name.replace('_', '-'), names)}"
        )
    return name


def grid_of_file(path: str) -> dict[str, tuple[str, ...]]:
    """Read a file of cases; files that it names are looked for beside it."""
    import tomllib

    try:
        body = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DomainError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DomainError(f"{path}: is no TOML: {error}") from None
    found: dict[str, tuple[str, ...]] = {}
    for key, value in body.items():
        name = option_name(key, path)
        values: list[Any] = value if isinstance(value, list) else [value]
        if not values:
            raise DomainError(f"{path}: {key} has no values")
        words = tuple(dict.fromkeys(_word(v, f"{path}: {key}") for v in values))
        if name in FILES:
            words = tuple(str(Path(path).parent / word) for word in words)
        found[name] = words
    return found


def _word(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise DomainError(f"{where} = {json.dumps(value, default=str)}, expected a word, a number, or a list of them")


def varied(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``router=round robin,prefix-aware``; values that have commas themselves are separated by ``;``."""
    key, sign, rest = text.partition("=")
    values = tuple(dict.fromkeys(filter(None, (v.strip() for v in rest.split(";" if ";" in rest else ",")))))
    if not sign or not values:
        raise DomainError(f"--vary {text!r}: expected for example clients=1,4,16")
    return option_name(key, f"--vary {text!r}"), values


def named_options(ctx: click.Context, options: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the options of a case that the reader gave on the command line."""
    return {
        name: (("yes" if options[name] else "no") if isinstance(options[name], bool) else str(options[name]),)
        for name in known() if name in said(ctx, options)
    }  # fmt: skip


def arguments(case: Case) -> list[str]:
    """Return a case as words of a command line."""
    found: list[str] = []
    for name, value in case.items():
        option = known()[name]
        if option.is_flag:
            if value not in ("yes", "no"):
                raise DomainError(f"{name.replace('_', '-')} = {value!r}, expected yes or no")
            found += [option.opts[0]] if value == "yes" else []
        else:
            found += [option.opts[0], value]
    return found


def parsed(case: Case) -> tuple[dict[str, Any], set[str]]:
    """Return all options of a case with their values, and the names of those that it gives."""
    try:
        ctx = command().make_context("case", arguments(case))
    except click.ClickException as error:
        raise DomainError(error.format_message()) from None
    return ctx.params, said(ctx, ctx.params)


def check(cases: list[Case]) -> None:
    """Refuse a grid in which a value cannot be read, before anything is run."""
    from roundtrip.catalog.load import load

    workload(*parsed(cases[0]))
    seen: set[tuple[str, str]] = set()
    for case in cases:
        fresh = set(case.items()) - seen
        if not fresh:
            continue
        seen |= fresh
        options, _ = parsed(case)
        for name, kind in (("accelerator", "accelerators"), ("serving", "servings")):
            if options.get(name) is not None and options[name] not in load(kind):
                raise DomainError(f"{kind} has no entry {options[name]!r}{nearest(options[name], load(kind))}")
        for name in FILES:
            if options[name] is not None and not Path(options[name]).exists():
                raise DomainError(f"--{name} {options[name]}: No such file")


def made(case: Case) -> tuple[Workload, Deployment, dict[str, Any]]:
    """Return the requests, the cluster and all options of a case."""
    options, names = parsed(case)
    work = _requests(tuple((name, value) for name, value in case.items() if name in of_requests()))
    return work, deployment(options, names, work), options


@cache
def of_requests() -> frozenset[str]:
    """Return the names of the options that say which requests come."""
    from roundtrip.cli.fleet_options import WORKLOAD

    holder = click.command("requests")(lambda: None)
    for option in WORKLOAD:
        holder = option(holder)
    return frozenset(p.name for p in holder.params if p.name) | {"seed"}


@lru_cache(maxsize=4)
def _requests(case: tuple[tuple[str, str], ...]) -> Workload:
    """Return the requests of some options, kept: cases that share them follow each other."""
    return workload(*parsed(dict(case)))


def in_words(case: Case, axes: tuple[str, ...] | None = None) -> str:
    """Return a case for an error or a table: its options, or those of some axes."""
    return ", ".join(f"{n.replace('_', '-')} {v}" for n, v in case.items() if axes is None or n in axes)
