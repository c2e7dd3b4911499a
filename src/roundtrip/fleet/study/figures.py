"""A run as one row of figures: what a sweep keeps of each case."""

from __future__ import annotations

from typing import Any

from roundtrip.fleet.account import account, missing
from roundtrip.fleet.records import CAUSES, MEASURES, Records
from roundtrip.fleet.study.answer import cost
from roundtrip.fleet.study.price import Price

COUNTS = ("replicas", "accelerators", "requests", "done", "refused", "preemptions")
QUANTILES = ("mean", "p50", "p90", "p99")
RATES = (
    "duration_s", "requests_per_s", "output_tokens_per_s", "output_tokens_per_s_per_accelerator", "mean_batch",
    "busy_share", "cached_share",
)  # fmt: skip
THROUGHPUT = "output_tokens_per_s_per_accelerator"
SPEED = "output_tokens_per_s_per_user"
MONEY = ("usd_per_h", "usd_per_million_output_tokens", "energy_J_per_output_token", "mean_power_W")
RARE = ("swap", "failure", "transfer", "network")  # causes that only some runs have
# Every figure of a row that is a number, with its type; the order of the columns.
FIGURES: dict[str, type] = {
    **dict.fromkeys(COUNTS, int),
    **dict.fromkeys((THROUGHPUT, SPEED), float),
    **{f"{measure}_{q}_s": float for measure in MEASURES for q in QUANTILES},
    **{f"{cause}_mean_s": float for cause in CAUSES if f"{cause}_mean_s" != "queue_mean_s"},
    **{f"{cause}_mean_s": float for cause in RARE},
    **dict.fromkeys(RATES, float),
    **dict.fromkeys(MONEY, float),
}


def figures(found: Records, price: Price | None) -> dict[str, Any]:
    """Return the figures of a run by name; None for what does not exist (nothing done, no price).

    The speed for a user is one over the median time per output token. Energy is that of accelerators, hosts and the
    usual building (`roundtrip.fleet.account`).

    Parameters
    ----------
    found : Records
    price : Price or None
        Of the whole fleet by the hour.
    """
    total = found.summary()
    row: dict[str, Any] = {
        "replicas": len(found.deployment.replicas),
        "accelerators": found.deployment.accelerators,
        **{name: total[name] for name in COUNTS if name in total},
        **{name: total[name] for name in RATES},
    }
    for measure in MEASURES:
        numbers = total[f"{measure}_s"]
        row |= {f"{measure}_{q}_s": numbers.get(q) for q in QUANTILES}
    row |= {f"{cause}_mean_s": total["waits_s"].get(cause, 0.0) for cause in (*CAUSES, *RARE)}
    median_s = row["tpot_p50_s"]
    row[SPEED] = 1.0 / median_s if median_s else None
    each = cost(found, price) if price else None
    row["usd_per_h"] = each.hour.value if each else None
    row["usd_per_million_output_tokens"] = each.per_million_output.value if each and each.per_million_output else None
    drawn = None if missing(found) else account(found, samples=0)
    row["energy_J_per_output_token"] = drawn and drawn.each("energy_J")["output_token"]
    row["mean_power_W"] = drawn and drawn.power_W
    return {name: row[name] for name in FIGURES}
