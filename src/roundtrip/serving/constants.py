"""The few constants of step times: names, priors, and the values that were fitted, from the catalog or from a file.

``catalog/data/step_constants.toml`` holds an entry ``prior`` (where a fit starts, and how far it may go), an entry
``shared`` (fitted on all rows at hand) and one for each engine with what is known to be different there. The output of
``roundtrip fit`` has the same form with a value and a band for each name.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from roundtrip.catalog.load import entry, keys
from roundtrip.errors import DomainError, nearest

KIND = "step_constants"
# Of a step: they are of the accelerator and the engine's kernels.
STEP = (
    "memory_efficiency", "cache_efficiency", "prefill_efficiency", "expert_efficiency", "attention_efficiency",
    "tile_tokens", "activation_copies", "step_overhead_s", "layer_time_s", "moe_layer_time_s", "rounding_time_s",
    "per_stream_time_s", "link_latency_s", "link_efficiency", "exchange_latency_s",
)  # fmt: skip
# Of a closed loop: of the engine's front, of the client, and of how a benchmark starts.
LOOP = ("group_exponent", "usable_share", "engine_overhead_s", "client_time_s", "wave_share")
NAMES = STEP + LOOP
SHARES = ("memory_efficiency", "cache_efficiency", "prefill_efficiency", "expert_efficiency", "attention_efficiency",
          "link_efficiency", "group_exponent", "usable_share", "wave_share")  # fmt: skip
ENGINES = ("vllm", "sglang", "trtllm")
TEXTS = ("title", "families", "accelerators", "cells")  # of a table, beside its constants


@dataclass(frozen=True, slots=True)
class Prior:
    """Where a constant starts: its middle, and the spread of its logarithm."""

    value: float
    spread: float


@cache
def priors() -> dict[str, Prior]:
    """Return the priors by name; a band is p5 to p95."""
    found = entry(KIND, "prior").figures
    return {name: Prior(found[name].value, math.log(found[name].high / found[name].low) / 3.29) for name in NAMES}


@cache
def constants(engine: str = "") -> dict[str, float]:
    """Return the shipped constants: the shared ones, with those of the engine where it has its own."""
    found = {name: entry(KIND, "shared").figure(name).value for name in NAMES}
    if engine in ENGINES and engine in keys(KIND):
        found |= {name: one.value for name, one in entry(KIND, engine).figures.items() if name in NAMES}
    return found


def read(path: str, engine: str = "") -> dict[str, float]:
    """Return constants from a file that ``roundtrip fit`` wrote; what it leaves out is the catalog's.

    Parameters
    ----------
    path : str
        A TOML file with tables ``shared`` and, if need be, one for an engine: ``name = value`` or
        ``name = { value = ... }``.
    engine : str
        Whose own values count too.

    Raises
    ------
    DomainError
        If the file cannot be read, or a name or a value is none.
    """
    try:
        body = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError(f"--constants {path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except (ValueError, RecursionError) as error:
        raise DomainError(f"--constants {path}: {error}") from None
    if not isinstance(body.get("shared"), dict):
        raise DomainError(f"--constants {path}: the table [shared] is missing")
    found = dict(constants(engine))
    for table in ("shared", engine):
        values = body.get(table, {})
        if isinstance(values, dict):
            where = f"--constants {path}: {table}"
            found |= {name: _value(value, name, where) for name, value in values.items() if name not in TEXTS}
    return found


def _value(value: Any, name: str, where: str) -> float:
    if name not in NAMES:
        raise DomainError(f"{where}: unknown constant {name!r}{nearest(name, NAMES)}")
    number = value.get("value") if isinstance(value, Mapping) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number) or number < 0.0:
        raise DomainError(f"{where}.{name} = {number!r}, expected a number from 0")
    if name in SHARES and not 0.0 < number <= 1.0:
        raise DomainError(f"{where}.{name} = {number:g}, expected above 0 and at most 1")
    return float(number)
