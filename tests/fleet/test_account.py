"""The account of a run: heads add up, idle machines draw idle power, and a constant batch has a closed form."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.load import entry
from roundtrip.errors import DomainError
from roundtrip.fleet.account import AMOUNTS, HEADS, account, missing, totals
from roundtrip.fleet.deployment import Kind, uniform
from roundtrip.fleet.generate import closed_load, open_load
from roundtrip.fleet.machine import kind
from roundtrip.fleet.records import Records
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.times import polynomial
from roundtrip.serving import counts
from roundtrip.serving.architecture import architecture
from roundtrip.serving.power import draw
from tests.cli.run import here

CHIP = "h100-sxm"


@pytest.fixture(scope="module")
def machine() -> Kind:
    return kind("llama-3.1-8b", CHIP)


def ran(machine: Kind, rate: float = 10.0, replicas: int = 1, requests: int = 300, **more: Any) -> Records:
    work = open_load(requests, rate, "512", "64", kind="poisson", seed=3)
    return simulate(work, uniform(machine, replicas, **more))


def test_replicas_and_heads_each_add_up_to_the_whole(machine: Kind) -> None:
    made = account(ran(machine, 30.0, replicas=3, router="random"), samples=0)
    whole_J = made.amounts["energy_J"]
    assert made.replica_J.sum() == pytest.approx(whole_J)
    assert sum(made.amounts[name] for name in HEADS) == pytest.approx(whole_J)
    assert (made.replica_J > 0.0).all()
    each = made.each("energy_J")
    assert each["request"] == pytest.approx(whole_J / 300)
    assert each["output_token"] == pytest.approx(whole_J / (300 * 64))


def test_a_replica_without_requests_draws_idle_power_and_half_a_host(machine: Kind) -> None:
    found = ran(machine, requests=1, replicas=2)
    made = account(found, samples=0)
    d = draw(CHIP)
    idle_W = d.idle_W + d.host_idle_share * d.host_ratio * d.standing_W
    pue = entry("datacenters", "hyperscale-us").figure("pue").value
    assert made.replica_J[1] == pytest.approx(idle_W * found.duration_s * pue)
    assert made.replica_J[0] > made.replica_J[1]


def test_twice_the_replicas_cost_more_a_token_at_the_same_load(machine: Kind) -> None:
    one, two = (account(ran(machine, replicas=n), samples=0) for n in (1, 2))
    for name in ("energy_J", "rent_usd", "carbon_g", "embodied_g"):
        few, many = one.each(name)["output_token"], two.each(name)["output_token"]
        assert few is not None
        assert many is not None
        assert many > few


def test_a_constant_batch_has_the_closed_form(machine: Kind) -> None:
    """Sixteen clients that start together and write equally long answers: every step has sixteen rows but the first."""
    clients, prompt, output = 16, 32, 400
    found = simulate(closed_load(clients, clients, str(prompt), str(output)), uniform(machine, 1))
    t = totals(found, np.array([True]))
    a, d = architecture("llama-3.1-8b"), draw(CHIP)
    steps = output - 1
    context = prompt + np.mean(np.arange(1, output))
    assert t.sequences[0] == clients * steps
    assert t.rows[0] == clients * (steps + prompt)
    assert t.context[0] == pytest.approx(context)
    assert t.pairs[0] == clients * prompt * (prompt + 1) / 2
    weights_B = 2.0 * counts.common_parameters(a)
    assert t.fetched_B[0] == pytest.approx(found.state.replicas["step"][0] * weights_B)
    moved_B = t.fetched_B[0] + clients * steps * counts.cache_read_elements(a, context) * 2.0
    flop = 2.0 * counts.active_parameters(a) * t.rows[0]
    flop += clients * steps * counts.write_attention_flop(a, context)
    flop += clients * counts.prompt_attention_flop(a, float(prompt))
    closed_J = d.standing_W * t.busy_s[0] + d.byte_J * moved_B + d.wide_flop_J * flop
    made = account(found, samples=0)
    assert made.amounts["accelerators_J"] == pytest.approx(closed_J, rel=1e-6)


def test_bands_hold_the_value_and_a_cleaner_grid_emits_less(machine: Kind) -> None:
    found = ran(machine)
    here, there = account(found, grid="usa"), account(found, grid="sweden")
    for name in (*HEADS, *AMOUNTS):
        low, high = here.bands[name]
        assert low <= here.amounts[name] <= high
    assert here.bands["energy_J"][1] > 1.2 * here.bands["energy_J"][0]
    assert there.amounts["carbon_g"] < 0.3 * here.amounts["carbon_g"]
    assert there.amounts["energy_J"] == here.amounts["energy_J"]
    assert account(found) == account(found) or np.array_equal(account(found).replica_J, here.replica_J)


def test_experts_and_split_matrices_draw_on_all_accelerators() -> None:
    wide = kind("gpt-oss-120b", CHIP, tensor_ranks=2)
    made = account(ran(wide, 2.0, requests=60), samples=0)
    assert wide.accelerators == 2
    assert 2.0 * 70.0 < made.power_W < 2.0 * 1200.0


def test_step_times_by_hand_have_no_account() -> None:
    plain = Kind("by hand", polynomial(2048, 256, step_s=0.01), 1000)
    found = simulate(open_load(20, 5.0, "64", "8", kind="poisson"), uniform(plain, 1))
    assert "no account of energy" in missing(found)
    with pytest.raises(DomainError, match="model and accelerator are not known"):
        account(found)


def test_the_verb_tells_it_and_refuses_unknown_places(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fleet", "run", "--load", "poisson", "--requests", "50"]
    ran = here(capsys, *arguments, "--grid", "france", "--json")
    assert ran.code == 0
    body = json.loads(ran.out)["account"]
    assert body["grid"] == "france"
    assert body["amounts"]["energy_J"] == pytest.approx(sum(body["replicas_J"]))
    assert body["per_output_token"]["energy_J"] > 0.0
    text = here(capsys, *arguments)
    assert "an output token" in text.out
    assert "carbon" in text.out
    wrong = here(capsys, *arguments, "--grid", "atlantis")
    assert wrong.code == 2
    assert "atlantis" in wrong.err
    beside = here(capsys, *arguments, "--step-times", "step=5ms", "--pages", "1000", "--grid", "france")
    assert beside.code == 2
    assert "--grid has no meaning beside --step-times" in beside.err
