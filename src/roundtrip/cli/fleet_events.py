"""Options of what may happen to requests and replicas: hanging up, failures, swap, separate prefill, guessed tokens."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from roundtrip.errors import DomainError

if TYPE_CHECKING:
    from roundtrip.fleet.workload import Workload

# An option that has no meaning without another one is refused alone, and which others it needs.
NEEDS = {
    "swap_bandwidth": "--preemption swap",
    "transfer_bandwidth": "--prefill-replicas",
    "transfer_latency": "--prefill-replicas",
    "acceptance": "--draft-tokens",
    "draft_time": "--draft-tokens",
    "on_failure": "--failures or --outages",
}
GROUP = re.compile(r"(?P<count>\d{1,6})\s*[x×*]\s*(?P<chip>[^/\s]+)(/(?P<ranks>\d{1,6}))?")
OUTAGE = ("replica", "down_s", "up_s")
BYTES = {"B/s": (1.0, 1e18), "B": (1e-3, 1e12)}

OF_REQUESTS: list[Callable[[Any], Any]] = [
    click.option(
        "--patience",
        metavar="TIME",
        help="Clients hang up so long after they asked: 30s, exponential:30s, uniform:5s,60s, lognormal:30s,1",
    ),
    click.option("--reasoning", metavar="TOKENS", help="Tokens before each answer that nobody sees, like --output."),
    click.option(
        "--priorities", metavar="SHARES", help="Of requests with priority 0, 1, …: 1,3. Needs --policy priority."
    ),
]
OF_CLUSTER: list[Callable[[Any], Any]] = [
    click.option(
        "--groups",
        metavar="NxA[/RANKS],…",
        help="Replicas of several kinds, for example 2xh100-sxm,4xl4/2, in place of --accelerator and --replicas.",
    ),
    click.option(
        "--prefill-replicas",
        type=int,
        metavar="N",
        help="The first N replicas only read prompts, the others only write. Needs --transfer-bandwidth.",
    ),
    click.option("--transfer-bandwidth", metavar="RATE", help="Of an accelerator that sends a prompt's cache: 50GB/s"),
    click.option("--transfer-latency", metavar="TIME", help="Before the first byte of it; none by default."),
    click.option(
        "--preemption",
        type=click.Choice(("recompute", "swap")),
        default="recompute",
        show_default=True,
        help="Compute pages that were taken anew, or keep them in the host's memory.",
    ),
    click.option("--swap-bandwidth", metavar="RATE", help="Between an accelerator and its host: 25GB/s"),
    click.option(
        "--token-bytes", metavar="SIZE", help="Of the cache of a token on an accelerator, beside --step-times: 128kB"
    ),
    click.option(
        "--draft-tokens",
        type=int,
        metavar="N",
        help="Guess so many tokens a step and check them together. Needs --acceptance.",
    ),
    click.option("--acceptance", type=float, metavar="SHARE", help="Chance that a guess is right if all before it are"),
    click.option("--draft-time", metavar="TIME", help="That guessing adds to a step; none by default."),
    click.option("--failures", metavar="UP,DOWN", help="Replicas fail at random: mean times up and down, 24h,10min"),
    click.option("--outages", metavar="FILE", help="Replicas fail as a CSV says: replica (from 0), down_s, up_s."),
    click.option(
        "--on-failure",
        type=click.Choice(("retry", "fail")),
        default="retry",
        show_default=True,
        help="Requests of a replica that fails go to another one, or are lost.",
    ),
    click.option(
        "--timeout", metavar="TIME", help="The server gives up requests that are not done so long after they came."
    ),
    click.option("--network-rtt", metavar="TIME", help="From a client to the cluster and back; none by default."),
]


def with_clients(work: Workload, options: dict[str, Any]) -> Workload:
    """Return the requests with what the options say of clients that hang up and of reasoning."""
    if options["reasoning"] is not None:
        from roundtrip.fleet.clients import with_reasoning

        work = with_reasoning(work, options["reasoning"], options["seed"])
    if options["patience"] is not None:
        from roundtrip.fleet.clients import with_patience

        work = with_patience(work, options["patience"], options["seed"])
    if options["priorities"] is not None:
        from roundtrip.fleet.clients import with_priorities

        work = with_priorities(work, options["priorities"], options["seed"])
    return work


def events(options: dict[str, Any], said: set[str]) -> dict[str, Any]:
    """Return the fields of a deployment that say what may happen, or name the option that has no meaning."""
    there = {
        "--preemption swap": options["preemption"] == "swap",
        "--prefill-replicas": options["prefill_replicas"] is not None,
        "--draft-tokens": options["draft_tokens"] is not None,
        "--failures or --outages": options["failures"] is not None or options["outages"] is not None,
    }
    for name, other in NEEDS.items():
        if name in said and not there[other]:
            raise DomainError(f"--{name.replace('_', '-')} has no meaning without {other}")
    found: dict[str, Any] = {"preemption": options["preemption"], "on_failure": options["on_failure"]}
    found["timeout_s"] = _time(options, "timeout")
    found["network_rtt_s"] = _time(options, "network_rtt")
    if there["--preemption swap"]:
        found["swap_B_s"] = _needed(options, "swap_bandwidth", "--preemption swap", "25GB/s")
    if there["--prefill-replicas"]:
        if options["prefill_replicas"] < 1:
            raise DomainError(f"--prefill-replicas = {options['prefill_replicas']}, expected 1 or more")
        found["prefill_replicas"] = options["prefill_replicas"]
        found["link_B_s"] = _needed(options, "transfer_bandwidth", "--prefill-replicas", "50GB/s")
        found["link_latency_s"] = _time(options, "transfer_latency")
    if there["--draft-tokens"]:
        found |= _drafts(options)
    if options["failures"] is not None and options["outages"] is not None:
        raise DomainError("--failures and --outages are both given, expected one of them")
    if options["failures"] is not None:
        found |= _failures(options["failures"])
    if options["outages"] is not None:
        found["failures"] = outages(options["outages"])
    return found


def token_B(options: dict[str, Any], said: set[str]) -> float:
    """Return the bytes of a token of the cache that are given beside step times, 0 if none are [B]."""
    if options["token_bytes"] is None:
        for name in ("preemption", "prefill_replicas"):
            if name in said and options[name] not in (None, "recompute"):
                raise DomainError(
                    f"--{name.replace('_', '-')} moves the cache: expected --token-bytes beside --step-times"
                )
        return 0.0
    return _amount(options["token_bytes"], "B", "--token-bytes")


def groups(text: str) -> list[tuple[int, str, int | None]]:
    """Read ``2xh100-sxm,4xl4/2``: how many replicas, of what, on how many ranks each."""
    found: list[tuple[int, str, int | None]] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        match = GROUP.fullmatch(part)
        if not match or int(match["count"]) < 1:
            raise DomainError(f"--groups {part!r}: expected for example 2xh100-sxm, or 2xh100-sxm/4 for 4 ranks each")
        found.append((int(match["count"]), match["chip"], int(match["ranks"]) if match["ranks"] else None))
    if not found:
        raise DomainError("--groups is empty, expected for example 2xh100-sxm,4xl4")
    return found


def outages(path: str) -> tuple[tuple[int, float, float], ...]:
    """Read when replicas go down and come up again; an empty ``up_s`` means never."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DomainError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not rows or tuple(name.strip() for name in rows[0]) != OUTAGE:
        raise DomainError(f"{path}: line 1: expected the columns {', '.join(OUTAGE)}")
    found: list[tuple[int, float, float]] = []
    for line, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        try:
            replica, down, up = row
            times_s = (float(down), float(up) if up.strip() else math.inf)
            found.append((int(replica), *times_s))
        except ValueError:
            raise DomainError(f"{path}: line {line}: {','.join(row)[:60]!r}, expected a number of a replica and two "
                              "times in seconds") from None  # fmt: skip
        if math.isnan(sum(times_s)):
            raise DomainError(f"{path}: line {line}: {','.join(row)[:60]!r}, expected times in seconds")
    if not found:
        raise DomainError(f"{path}: no outages under its header")
    return tuple(found)


def _drafts(options: dict[str, Any]) -> dict[str, Any]:
    if options["draft_tokens"] < 1:
        raise DomainError(f"--draft-tokens = {options['draft_tokens']}, expected 1 or more")
    if options["acceptance"] is None:
        raise DomainError("--draft-tokens needs --acceptance, the chance that a guess is right: 0 to 1")
    if not 0.0 <= options["acceptance"] <= 1.0:
        raise DomainError(f"--acceptance = {options['acceptance']:g}, expected 0 to 1")
    return {
        "draft_tokens": options["draft_tokens"], "acceptance": options["acceptance"],
        "draft_s": _time(options, "draft_time"),
    }  # fmt: skip


def _failures(text: str) -> dict[str, Any]:
    from roundtrip.figures.units import parse_quantity

    parts = text.split(",")
    if len(parts) != 2:
        raise DomainError(f"--failures {text!r}: expected mean times up and down, for example 24h,10min")
    values_s = [parse_quantity(part, "s", "--failures") for part in parts]
    if not all(1e-6 <= x < 1e12 for x in values_s):
        raise DomainError(f"--failures {text!r}: expected times of 1 us or more, below 1e12 s")
    return {"mtbf_s": values_s[0], "mttr_s": values_s[1]}


def _time(options: dict[str, Any], name: str) -> float:
    """Return a time of an option, 0 if it is not given [s]."""
    from roundtrip.figures.units import parse_quantity

    if options[name] is None:
        return 0.0
    flag = f"--{name.replace('_', '-')}"
    value_s = parse_quantity(options[name], "s", flag)
    if not 0.0 <= value_s < 1e9 or (name == "timeout" and value_s == 0.0):
        raise DomainError(f"{flag} = {options[name]}, expected {'above 0' if name == 'timeout' else '0 or more'}, "
                          "below 1e9 s")  # fmt: skip
    return value_s


def _needed(options: dict[str, Any], name: str, by: str, example: str) -> float:
    """Return a rate that another option needs [B/s]."""
    flag = f"--{name.replace('_', '-')}"
    if options[name] is None:
        raise DomainError(f"{by} needs {flag}, for example {example}")
    return _amount(options[name], "B/s", flag)


def _amount(text: str, unit: str, flag: str) -> float:
    from roundtrip.figures.units import parse_quantity

    value = parse_quantity(text, unit, flag)
    least, most = BYTES[unit]
    if not least <= value < most:
        raise DomainError(f"{flag} = {text}, expected {least:g} to {most:g} {unit}")
    return value
