"""What is measured, and the limit that each case is held to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.clock import best, process

RUN = ["-c", "from roundtrip.cli.main import run; run()"]


@dataclass(slots=True)
class Result:
    """One measured case. `limit` is the most (or, for a rate, the least) that it may be; None where there is none."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    least: bool = False
    note: str = ""
    beside: dict[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        """Say whether the limit is kept; None where there is none."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.least else self.value <= self.limit


def scalar() -> Iterator[Result]:
    """Yield the warm forecast of one value, all spans made."""
    from roundtrip.journey.forecast import forecast
    from roundtrip.journey.scenario import load_scenario

    scenario = load_scenario("cloud")
    spans = len(forecast(None, scenario, samples=0).spans)
    seconds = best(lambda: forecast(None, scenario, samples=0), repeat=50)
    yield Result("forecast of one value", seconds * 1e3, "ms", 1.0, note=f"warm, {spans} spans")


def bands() -> Iterator[Result]:
    """Yield 10,000 samples with the band of every span."""
    from roundtrip.journey.forecast import forecast
    from roundtrip.journey.scenario import load_scenario

    scenario = load_scenario("cloud")
    forecast(None, scenario, samples=10_000)
    seconds = best(lambda: forecast(None, scenario, samples=10_000))
    yield Result("10,000 samples, bands of every span", seconds * 1e3, "ms", 150.0, note="p5, p50, p95, p99")


def sweep() -> Iterator[Result]:
    """Yield how many scenarios a second the graph's own slice evaluates for the time to the first token."""
    from roundtrip.journey.program import program
    from roundtrip.journey.scenario import load_scenario

    scenario = load_scenario("cloud")
    keys, run = program(scenario).slice("time_to_first_token_s")
    count, chunk = 1_000_000, 4_096  # a chunk whose intermediate results stay in the processor's cache
    stream = np.random.Generator(np.random.PCG64(1))
    varied = set([k for k in keys if scenario.figure(k).low < scenario.figure(k).high][:10])
    values = [np.float64(scenario.figure(k).value) for k in keys]
    factors = stream.uniform(0.9, 1.1, chunk)
    inputs = [v * factors if k in varied else v for k, v in zip(keys, values, strict=True)]

    def million() -> None:
        for _ in range(0, count, chunk):
            run(inputs)

    seconds = best(million, rounds=5)
    note = f"{len(keys)} inputs, {len(varied)} of them varied"
    yield Result("times to first token a second", count / seconds / 1e6, "million/s", 1.0, least=True, note=note)


def energy_chain() -> Iterator[Result]:
    """Yield power times time times overhead, in joules, beside a units library and an estimator of the same kind."""
    from roundtrip.stages.datacenter.power import overhead_J
    from roundtrip.stages.model.silicon import static_energy_J

    power_W, time_s, pue = 700.0, 0.1, 1.1

    def ours() -> object:
        joules = static_energy_J(power_W, time_s, 1.0)
        return joules + overhead_J(joules, pue)

    mine = best(ours, repeat=20_000)
    beside: dict[str, float] = {}
    try:
        import pint

        units = pint.UnitRegistry()
        watts, seconds = 700.0 * units.watt, 0.1 * units.second
        beside["pint"] = best(lambda: (watts * seconds * pue).to("joule"), repeat=500)
    except ImportError:
        beside["pint"] = float("nan")
    try:
        from ecologits.impacts.llm import compute_llm_impacts

        mix = {"if_electricity_mix_adpe": 7e-8, "if_electricity_mix_pe": 10.0, "if_electricity_mix_gwp": 0.4}
        beside["EcoLogits"] = best(lambda: _ecologits(compute_llm_impacts, mix), repeat=20)
    except (ImportError, TypeError, ValueError):
        beside["EcoLogits"] = float("nan")
    yield Result(
        "energy of three inputs",
        mine * 1e9,
        "ns",
        note="power × time × PUE",
        beside={k: v * 1e9 for k, v in beside.items()},
    )


def _ecologits(compute: object, mix: dict[str, float]) -> object:
    """Call EcoLogits' own chain, from tokens to joules and impacts, with the arguments that its version asks for."""
    import inspect

    given = {
        "model_active_parameter_count": 37.0,
        "model_total_parameter_count": 671.0,
        "output_token_count": 200.0,
        "request_latency": 10.0,
        "datacenter_pue": 1.1,
        "datacenter_wue": 0.3,
        "if_electricity_mix_wue": 1.0,
        **mix,
    }
    names = inspect.signature(compute).parameters  # type: ignore[arg-type]
    return compute(**{k: v for k, v in given.items() if k in names})  # type: ignore[operator]


def start_up() -> Iterator[Result]:
    """Yield the start of the command beside a bare interpreter's."""
    bare = process(["-c", "pass"])
    version = process([*RUN, "--version"])
    yield Result("a bare interpreter", bare * 1e3, "ms")
    yield Result("roundtrip --version", version / bare, "× bare", 8.0, note=f"{version * 1e3:.0f} ms")
    for name, arguments in (("without bands", ["--samples", "0"]), ("with bands", [])):
        seconds = process([*RUN, "trip", *arguments])
        yield Result(f"roundtrip trip, {name}", seconds * 1e3, "ms", 500.0, note="in a fresh process")


CASES = {"scalar": scalar, "bands": bands, "sweep": sweep, "energy": energy_chain, "start": start_up}
