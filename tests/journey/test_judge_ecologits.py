"""EcoLogits 0.11.3 as a judge: its published equations written anew give its numbers, and say why ours differ.

The judge runs in an environment of its own: ``tools/judges.sh ecologits``.
"""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.load import entry
from roundtrip.journey.reconcile import Request, energy_J
from roundtrip.stages.datacenter import embodied, power, water

JUDGE = Path(__file__).parents[2] / ".judges" / "ecologits" / "bin" / "python"
SCRIPT = """
import json, sys
from ecologits.impacts.llm import compute_llm_impacts_dag as run
print(json.dumps([run(**case) for case in json.load(sys.stdin)]))
"""
JOULES = 3.6e6


def equations(case: dict[str, Any]) -> dict[str, float]:
    """Return the published methodology, written from its description: energy in kWh, carbon in kg, water in L."""
    active, total = case["model_active_parameter_count"], case["model_total_parameter_count"]
    tokens, batch = case["output_token_count"], case["batch_size"]
    chips = 2 ** math.ceil(math.log2(math.ceil(1.2 * total * case["model_quantization_bits"] / 8 / 80)))
    chip_Wh = 1.1665273170451914e-06 * math.exp(-0.011205921025579175 * batch) * active + 4.052928146734005e-05
    if case["tps"] is None:
        each_s = 0.0006785088094353663 * active + 0.0003119310311688259 * batch + 0.019473717579473387
    else:
        each_s = 1.0 / case["tps"]
    duration_s = min(case["request_latency"], tokens * each_s + (case["ttft"] or 0.0))
    host_kWh = duration_s / 3600.0 * 1.2 * chips / 8.0 / batch
    equipment_J = (host_kWh + chips * tokens * chip_Wh / 1e3) * JOULES
    pue, wue = case["datacenter_pue"], case["datacenter_wue"]
    building_J = equipment_J + float(power.overhead_J(equipment_J, pue))
    making_g = embodied.accelerator_g(duration_s * chips / batch, 273.0, 5700.0, 8.0, 3.0 * 365.0 * 86_400.0, 1.0)
    return {
        "request_energy": building_J / JOULES,
        "request_usage_gwp": float(power.carbon_g(building_J, 1e3 * case["if_electricity_mix_gwp"])) / 1e3,
        "request_usage_wcf": float(water.site_water_L(equipment_J, wue, pue, case["if_electricity_mix_wue"])),
        "request_embodied_gwp": float(making_g) / 1e3,
    }


def random_cases(count: int = 200) -> list[dict[str, Any]]:
    draw = np.random.default_rng(11)
    cases: list[dict[str, Any]] = []
    for i in range(count):
        total = float(np.exp(draw.uniform(0.0, 7.2)))
        cases.append(
            {
                "model_total_parameter_count": total,
                "model_active_parameter_count": total * float(draw.uniform(0.03, 1.0)),
                "model_quantization_bits": int(draw.choice([4, 8, 16])),
                "output_token_count": float(draw.integers(1, 5000)),
                "batch_size": int(draw.integers(1, 512)),
                "request_latency": float(draw.uniform(0.1, 100.0)) if i % 3 == 0 else 1e12,
                "tps": float(draw.uniform(5.0, 200.0)) if i % 2 else None,
                "ttft": float(draw.uniform(0.1, 3.0)) if i % 4 == 1 else None,
                "datacenter_pue": float(draw.uniform(1.0, 1.8)),
                "datacenter_wue": float(draw.uniform(0.0, 2.0)),
                "if_electricity_mix_gwp": float(draw.uniform(0.02, 0.9)),
                "if_electricity_mix_wue": float(draw.uniform(0.5, 20.0)),
                "if_electricity_mix_adpe": 1e-7,
                "if_electricity_mix_pe": 9.0,
            }
        )
    return cases


def judge(script: str, asked: Any = None) -> Any:
    if not JUDGE.is_file():
        pytest.skip("EcoLogits is not set up: tools/judges.sh ecologits")
    ran = subprocess.run(
        [str(JUDGE), "-c", script], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout)


def test_its_equations_written_anew_give_its_numbers() -> None:
    cases = random_cases()
    for case, theirs in zip(cases, judge(SCRIPT, cases), strict=True):
        for name, value in equations(case).items():
            assert value == pytest.approx(theirs[name], rel=1e-6), (name, case)


def deepseek(batch: float, chips: float) -> float:
    """Return what EcoLogits gives for a token of DeepSeek-V3, equipment alone, at its own defaults [J]."""
    asked = {
        "model_active_parameter_count": 37.0,
        "model_total_parameter_count": chips * 80.0 / 2.4,
        "model_quantization_bits": 16,
        "output_token_count": 400.0,
        "batch_size": batch,
        "tps": None,
        "ttft": None,
        "request_latency": 1e12,
        "datacenter_pue": 1.0,
    }
    case = {**random_cases(1)[0], **asked}
    return equations(case)["request_energy"] * JOULES / 400.0


def ours(batch_of_eight: float) -> float:
    """Return ours for a token of the same model on DeepSeek's servers, prompt of a few tokens [J]."""
    e = entry("published_energies", "gemini-median").texts
    r = Request(e["model"], e["accelerator"], e["serving"], e["arithmetic"], 8.0, 10.0, 400.0, batch_of_eight, 1.0,
                ("chip", "host"))  # fmt: skip
    return energy_J(r) / 400.0


def test_the_difference_is_the_batch_and_the_number_of_chips() -> None:
    """Defaults: 32 chips (16 bit for weights that are served in 8) and 64 answers, so two answers a chip.

    DeepSeek serves 88 a chip. At its load EcoLogits is more than 20 times ours; at two answers a chip the two agree
    within a factor of two. So it is no quarrel about physics: it is a default that does not know the service.
    """
    theirs = deepseek(64.0, 32.0)
    assert theirs == pytest.approx(11.9, rel=0.05)
    assert theirs / ours(704.0) > 20.0
    assert 0.5 < theirs / ours(2.0 * 8.0) < 2.0


def test_it_charges_no_input_and_ours_does() -> None:
    asked = judge(
        "import inspect, json; from ecologits.impacts.llm import compute_llm_impacts as f; "
        "print(json.dumps(list(inspect.signature(f).parameters)))"
    )
    assert "output_token_count" in asked
    assert not [name for name in asked if "input" in name or "prompt" in name]
    e = entry("published_energies", "gemini-median").texts
    machine = (e["model"], e["accelerator"], e["serving"], e["arithmetic"], 8.0)
    short, long = (energy_J(Request(*machine, tokens, 400.0, 704.0, 1.0, ("chip",))) for tokens in (10.0, 10_000.0))
    assert long > 5.0 * short
