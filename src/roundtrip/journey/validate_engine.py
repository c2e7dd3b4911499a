"""Hold the forecast for this machine against the engine that runs on it: the roofline on the reader's own desk.

The calibration measures the machine without running the model; the model then reads 500 tokens and writes some, and the
forecast of the same is laid beside. Nothing is fitted on these runs. Times are the processor's own, so that other
programs count only by what they do to caches and memory. Three rounds of both, each with a calibration of its own,
since a machine's clock and its neighbors change; the round in the middle counts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundtrip.engine.engine import Engine

PROMPT_TOKENS, SHORT_TOKENS, STEPS, ROUNDS = 500, 40, 32, 3
DECODE_BAR, PREFILL_BAR = 0.25, 0.30
SPLIT = "a calibration of this machine; nothing is fitted on the runs"


@dataclass(frozen=True, slots=True)
class Round:
    """One calibration with the runs after it, measured and forecast [s]."""

    prefill_s: float
    prefill_forecast_s: float
    decode_s: float
    decode_forecast_s: float
    decode_bound_s: float


def missing() -> str | None:
    """Return why the engine cannot be scored here; None where it can."""
    from roundtrip.engine.weights import resolve
    from roundtrip.errors import ModelError

    try:
        resolve()
    except ModelError as error:
        return f"engine on this machine: {error}"
    return None


def score(directory: Path) -> list[dict[str, Any]]:
    """Return the scores of decode and prefill; none without weights. `directory` holds nothing that is needed here."""
    if missing() is not None:
        return []
    from roundtrip.engine.engine import load

    engine = load()
    rounds = [_round(engine) for _ in range(ROUNDS)]
    bound = median(abs(r.decode_bound_s / r.decode_s - 1.0) for r in rounds)
    alone = {"all weights once at the memory's rate, and nothing else": bound}
    return [
        _score("one token", [(r.decode_s, r.decode_forecast_s) for r in rounds], DECODE_BAR, alone),
        _score(f"{PROMPT_TOKENS} read", [(r.prefill_s, r.prefill_forecast_s) for r in rounds], PREFILL_BAR, {}),
    ]


def _score(what: str, pairs: list[tuple[float, float]], bar: float, rivals: dict[str, float]) -> dict[str, Any]:
    """Return the score of the round in the middle, by its ratio of forecast to measured."""
    from roundtrip.trace.numbers import si

    measured, expected = sorted(pairs, key=lambda pair: pair[1] / pair[0])[len(pairs) // 2]
    error = abs(expected / measured - 1.0)
    return {
        "name": f"engine, {what}",
        "metric": f"{si(measured, 's')} measured, {si(expected, 's')} forecast",
        "value": error,
        "bar": bar,
        "holds": error <= bar,
        "n": len(pairs),
        "coverage": None,
        "split": SPLIT,
        "rivals": rivals,
        "measured_s": measured,
        "forecast_s": expected,
    }


def _round(engine: Engine) -> Round:
    from roundtrip.engine.calibrate import calibrate
    from roundtrip.engine.generate import prefill
    from roundtrip.engine.sampling import log_probability, pick
    from roundtrip.journey.answer import forecast_here

    numbers = calibrate()
    ids = [100 + i % 1_000 for i in range(PROMPT_TOKENS)]
    with engine.model.cache() as cache:
        start = time.thread_time()
        prefill(engine, cache, ids)
        prefill_s = time.thread_time() - start
    steps: list[float] = []
    with engine.model.cache() as cache:
        scores = prefill(engine, cache, ids[:SHORT_TOKENS]).logits[0]
        for _ in range(STEPS):
            start = time.thread_time()
            chosen = pick(scores)
            log_probability(scores, chosen)
            scores = engine.model.forward([(cache, [chosen])]).logits[0]
            steps.append(time.thread_time() - start)
    long, short = (forecast_here("x", numbers, tokens, STEPS, engine) for tokens in (PROMPT_TOKENS, SHORT_TOKENS))
    weights_B = 4.0 * engine.card.parameters
    return Round(
        prefill_s=prefill_s,
        prefill_forecast_s=long.span("model.prefill").duration_s - long.span("prefill.engine").duration_s,
        decode_s=median(steps),
        decode_forecast_s=float(short.summary["time_per_output_token_s"]),
        decode_bound_s=weights_B / numbers.bandwidth_B_s.value,
    )
