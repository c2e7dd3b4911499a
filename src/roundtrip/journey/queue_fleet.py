"""The queue of a trip from a run of the fleet: the scenario's deployment under the load that the scenario tells of.

The closed form of the trip keeps what such runs found (`roundtrip.journey.queue_preset`); here the run itself takes its
place: how long prompts wait for the engine, and what prompts of others add to each token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.errors import ScenarioError
from roundtrip.figures.figure import SAMPLED, Figure
from roundtrip.fleet import preset
from roundtrip.fleet.deployment import Kind
from roundtrip.fleet.preset import Lengths, Waits
from roundtrip.fleet.report import time
from roundtrip.fleet.servings import CONTEXT, PAIRS, Figures, Shape, check_pages
from roundtrip.fleet.times import tabulated
from roundtrip.journey.forecast import forecast
from roundtrip.journey.rooms.datacenter import SIMULATED
from roundtrip.journey.scenario import Scenario
from roundtrip.stages.model import kv_cache
from roundtrip.trace.numbers import digits

LOAD = "azure-conversations"
REQUESTS = 20_000  # of each seed
USABLE_SHARE = 0.9  # of the memory, for weights and cache
LEVELS = 400  # quantiles of a wait that a trip draws from
SERVING = "model.serving"
MACHINE = ("model.name", "model.accelerator", SERVING)
BUDGET, READER_BUDGET = 2048, 8192  # tokens of a step: of an engine that writes too, and of one that only reads
PAGE = 16  # tokens of a page of the cache

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Simulated:
    """A scenario whose queue a run of the fleet found, and that run."""

    scenario: Scenario
    waits: Waits

    def as_dict(self) -> dict[str, Any]:
        """Return what a trace says of the run."""
        w = self.waits
        quantiles = {f"p{q}_s": w.percentile_s(q) for q in (5, 50, 95, 99)}
        return {
            "method": SIMULATED, "fleet": w.name, "rate_per_s": w.rate_per_s, "running": w.running,
            "requests": len(w.wait_s), "engine_wait_s": {"mean_s": w.mean_s, **quantiles},
            "others_prefill_per_token_s": float(w.others_s.mean()) if len(w.others_s) else 0.0,
        }  # fmt: skip

    def as_text(self) -> str:
        """Return one sentence on the run."""
        w = self.waits
        p50, p95, p99 = (time(w.percentile_s(q)) for q in (50, 95, 99))
        return (
            f"The queue is a run of the fleet: {w.name}, {digits(w.rate_per_s)} prompts a second, {digits(w.running)} "
            f"under way. A prompt waits {time(w.mean_s)} for the engine on average, {p50} in the middle, {p95} at the "
            f"95th percentile and {p99} at the 99th, of {len(w.wait_s):,} requests."
        )


def check(scenario: Scenario) -> None:
    """Refuse a scenario whose queue no run of the fleet could say anything of.

    Raises
    ------
    ScenarioError
    """
    if scenario.way != "full":
        raise ScenarioError(f"--queue simulate: the way of {scenario.name!r} has its queue as a slider")
    if scenario.figure(f"{SERVING}.slots").value <= 1.0:
        raise ScenarioError(f"--queue simulate: {scenario.choices[SERVING]!r} serves one reader, so nobody waits")
    if scenario.choices["model.draft"] != "none" and not is_split(scenario):
        raise ScenarioError("--queue simulate: steps with drafts are not simulated, expected model.draft=none")
    for key in scenario.values:
        slot, _, name = key.rpartition(".")
        if slot in MACHINE and name in scenario.entry(slot).texts:
            raise ScenarioError(f"--queue simulate: the fleet has {key} from the catalog; leave --set {key} out")


def is_split(scenario: Scenario) -> bool:
    """Say whether other accelerators read the prompts than those that write."""
    return scenario.text(f"{SERVING}.disaggregated") == "yes"


def run(
    scenario: Scenario, requests: int = REQUESTS, seeds: Sequence[int] = preset.SEEDS, progress: Progress | None = None
) -> Waits:
    """Run the fleet at the scenario's deployment and load."""

    def of(name: str) -> float:
        return scenario.figure(f"{SERVING}.{name}").value

    load = entry("loads", LOAD)
    spread = tuple(load.figure(name).value for name in ("prompt_variation", "answer_variation"))
    if is_split(scenario):
        prompt = of("companion_tokens")
        cards = of("prefill_expert_ranks")
        read_token_s = of("input_rate_token_s") * (1.0 - of("cache_hit_share")) / of("accelerators_per_server")
        card = replica(scenario, READER_BUDGET, 256, expert_ranks=cards)
        unit = preset.lockstep(card, int(cards), prompt)
        return preset.reader(
            unit, Lengths(prompt, spread[0], 1.0, 0.0), cards * read_token_s / prompt, requests, seeds, progress
        )
    ranks = of("tensor_ranks")
    prompt = of("other_prompt_tokens")
    if not prompt or not of("read_write_ratio"):
        raise ScenarioError("--queue simulate: nobody else asks (other_prompt_tokens or read_write_ratio is 0)")
    lengths = Lengths(prompt, spread[0], prompt / of("read_write_ratio"), spread[1])
    places = max(int(of("slots") * ranks / of("accelerators")), 1)
    machine = replica(scenario, max(BUDGET, places), places)
    return preset.engine(machine, places, of("streams") * ranks, lengths, requests, seeds, progress)


def simulated(scenario: Scenario, progress: Progress | None = None) -> Simulated:
    """Return the scenario with the waits of a run of the fleet in place of the closed form."""
    check(scenario)
    waits = run(scenario, progress=progress)
    figures = {f"{SERVING}.engine_wait_s": _spread(waits.wait_s, "s", "wait until a step works on the prompt")}
    ratio = scenario.figure(f"{SERVING}.read_write_ratio").value
    if len(waits.others_s) and ratio:
        stall_s = forecast(None, scenario, samples=0).span("step.model.prefill").duration_s
        note = "as if so many tokens were read for each that is written: what others' prompts add, over the closed form"
        figures[f"{SERVING}.read_write_ratio"] = _spread(waits.others_s * (ratio / stall_s), "1", note)
    values = {key: value for key, value in scenario.values.items() if key not in figures}
    changed = replace(scenario, values={**values, f"{SERVING}.queue": SIMULATED})
    return Simulated(changed.with_measured(figures), waits)


def _spread(values: NDArray[np.float64], unit: str, note: str) -> Figure:
    levels = np.quantile(values, (np.arange(LEVELS) + 0.5) / LEVELS)
    low, middle, high = (float(np.percentile(values, q)) for q in (5, 50, 95))
    return Figure(
        middle, low, high, unit, "derived", "fleet", spread="variability", shape=SAMPLED, note=note,
        levels=tuple(float(x) for x in np.maximum.accumulate(levels)), least=0.0,
    )  # fmt: skip


def replica(scenario: Scenario, token_budget: int, places: int, **changes: float) -> Kind:
    """Return a replica with the numbers of the scenario, the reader's own among them; `changes` replace some."""
    own = {
        key.rpartition(".")[2]: scenario.figure(key).value
        for key in (*scenario.measured, *scenario.values)
        if key.rpartition(".")[0] in MACHINE
        and key.rpartition(".")[2] in scenario.entry(key.rpartition(".")[0]).figures
    }
    model, chip, serving = (scenario.entry(slot) for slot in MACHINE)
    f = Figures(model, chip, serving, own | changes)
    shape = Shape(f)
    times = tabulated(
        token_budget, places, shape.rows_s, shape.context_s, shape.pairs_s, f["per_stream_time_s"] / shape.ranks,
        np.array(CONTEXT), np.array(PAIRS),
    )  # fmt: skip
    ranks = int(shape.ranks)
    name = f"{model.key} on {f'{ranks} ' if ranks > 1 else ''}{chip.key}"
    room = kv_cache.capacity_tokens(f["memory_B"], USABLE_SHARE, shape.held_B, shape.rank_token_B)
    pages = int(room // PAGE)
    check_pages(name, pages, float(shape.held_B), USABLE_SHARE * f["memory_B"])
    return Kind(name, times, pages, ranks)
