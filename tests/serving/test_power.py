"""Bytes, operations and joules of a step, and runs that are predicted before they are measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.load import entry, keys
from roundtrip.errors import DomainError, TruthError
from roundtrip.journey.validate_serving_energy import BARS, COVER, score
from roundtrip.serving import counts, energy_fit, power
from roundtrip.serving.energy_runs import FILE, accelerator_key, predict, read, runs
from roundtrip.serving.layout import Layout
from roundtrip.serving.robust import least
from roundtrip.serving.step import Setup, step_s

TRUTH = Path(os.environ.get("ROUNDTRIP_TRUTH", Path(__file__).parents[3] / "shared" / "truth"))
HEAD = "model,gpu,n_gpu,precision,task,mean_batch,mean_output_tokens,energy_per_output_token_J\n"
PLAIN = Setup.of("llama-3.1-8b", "h100-sxm")


def runs_of(*lines: str, folder: Path) -> Any:
    file = folder / FILE
    file.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return runs(read(file))


def test_a_dense_step_reads_every_weight_once_whatever_the_batch() -> None:
    size_B = 2.0 * counts.common_parameters(PLAIN.architecture)
    assert power.setup_weights_B(PLAIN, np.array([1.0, 64.0, 4096.0])) == pytest.approx(size_B)


def test_experts_are_read_as_the_batch_needs_them_up_to_all() -> None:
    setup = Setup.of("gpt-oss-120b", "b200", precision="bf16")
    found = power.setup_weights_B(setup, np.array([1.0, 8.0, 64.0, 8192.0]))
    a = setup.architecture
    assert (np.diff(found) > 0.0).all()
    assert found[0] == pytest.approx(2.0 * counts.active_parameters(a), rel=1e-6)
    assert found[-1] == pytest.approx(2.0 * (counts.common_parameters(a) + counts.routed_parameters(a)), rel=1e-3)


def test_work_adds_over_steps_and_few_bits_move_fewer_bytes() -> None:
    one = power.setup_work(PLAIN, 32.0, 32.0, 500.0, 0.0)
    two = one + power.setup_work(PLAIN, 32.0, 32.0, 500.0, 0.0)
    assert two.moved_B == 2.0 * one.moved_B
    eight = power.setup_work(Setup.of("llama-3.1-8b", "h100-sxm", precision="fp8"), 32.0, 32.0, 500.0, 0.0)
    assert eight.moved_B < 0.6 * one.moved_B
    assert eight.narrow_flop > 0.9 * (one.wide_flop - 32.0 * counts.write_attention_flop(PLAIN.architecture, 500.0))
    assert one.narrow_flop == 0.0


def test_a_prompt_costs_what_its_causal_attention_does() -> None:
    tokens = 1000.0
    pairs = tokens * (tokens + 1.0) / 2.0
    read = power.setup_work(PLAIN, tokens, 0.0, 0.0, pairs)
    a = PLAIN.architecture
    exact = 2.0 * counts.active_parameters(a) * tokens + counts.prompt_attention_flop(a, tokens)
    assert read.wide_flop == pytest.approx(exact, rel=1e-6)


def test_latent_attention_is_read_by_every_rank_that_splits_matrices() -> None:
    one, eight = (
        power.setup_work(
            Setup.of("deepseek-v3", "b200", precision="fp8", layout=Layout(tensor=n, expert=n)), 1.0, 1.0, 4096.0, 0.0
        )
        for n in (1, 8)
    )
    a = Setup.of("deepseek-v3", "b200").architecture
    cache_B = (
        counts.cache_read_elements(a, 4096.0)
        * power.setup_numbers(Setup.of("deepseek-v3", "b200", precision="fp8")).kv_B
    )
    assert eight.moved_B - one.moved_B == pytest.approx(7.0 * cache_B, rel=1e-6)


def test_power_at_work_lies_between_standing_and_limit_and_idle_below() -> None:
    d = power.draw("h100-sxm")
    for batch in (1.0, 16.0, 256.0):
        time_s = step_s(PLAIN, batch, batch, 1000.0)
        energy_J = float(power.setup_energy_J(PLAIN, batch, batch, 1000.0, 0.0, time_s))
        assert d.standing_W * time_s < energy_J
        watts = energy_J / time_s
        assert watts < 1.5 * d.limit_W  # beyond the limit the step would take longer
    assert power.idle_power_W(PLAIN) < d.standing_W


def test_an_accelerator_that_was_not_measured_takes_shared_constants_and_a_wider_band() -> None:
    assert "h200-sxm" not in keys(power.KIND)
    shared = entry(power.KIND, power.SHARED)
    assert power.draw("h200-sxm").byte_J == shared.figure("energy_per_byte_J").value
    wide, narrow = shared.figure("energy_spread"), entry(power.KIND, "h100-sxm").figure("energy_spread")
    assert wide.high / wide.low > narrow.high / narrow.low


def test_rows_of_unknown_models_and_machines_are_named_and_left(tmp_path: Path) -> None:
    r, refused = runs_of(
        "meta-llama/Llama-3.1-8B-Instruct,H100,1,bfloat16,lm-arena-chat,64,396,0.1186",
        "some/unheard-of,H100,1,bfloat16,lm-arena-chat,64,396,0.1",
        "meta-llama/Llama-3.1-8B-Instruct,Z9000,1,bfloat16,lm-arena-chat,64,396,0.1",
        "meta-llama/Llama-3.1-8B-Instruct,H100,1,fp3,lm-arena-chat,64,396,0.1",
        "meta-llama/Llama-3.1-8B-Instruct,TPU-v5e,1,bfloat16,lm-arena-chat,64,396,0.1",
        folder=tmp_path,
    )
    assert r.models == ("meta-llama/Llama-3.1-8B-Instruct",)
    assert r.numbers == (0,)
    assert len(refused) == 4
    assert any("tpu-v5e: rated_power_W is not in the catalog" in reason for reason in refused)
    assert any("Z9000" in reason for reason in refused)
    rows = score(tmp_path)
    assert rows[-1]["coverage"] == 0.2
    assert all(row["holds"] for row in rows), "one model is no case for or against"


def test_bad_rows_are_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text(HEAD + "a/b,H100,1,bfloat16,x,nan,396,0.1\n", encoding="utf-8")
    with pytest.raises(TruthError, match="line 2: mean_batch = 'nan'"):
        read(file)
    file.write_text("model,gpu\na/b,H100\n", encoding="utf-8")
    with pytest.raises(TruthError, match="column n_gpu is missing"):
        read(file)


def test_names_of_accelerators() -> None:
    assert accelerator_key("H100") == "h100-sxm"
    assert accelerator_key("NVIDIA B200") == "b200"
    assert accelerator_key("A100") == "a100-80g"
    with pytest.raises(DomainError, match="not in the catalog"):
        accelerator_key("abacus")


def test_nothing_measured_of_a_run_enters_its_prediction(tmp_path: Path) -> None:
    line = "meta-llama/Llama-3.1-8B-Instruct,H100,1,bfloat16,lm-arena-chat,64,396"
    r, _ = runs_of(f"{line},0.1186", f"{line},99.0", folder=tmp_path)
    joules, time_s = predict(r, energy_fit.shipped())
    assert joules[0] == joules[1]
    assert time_s[0] == time_s[1]
    assert joules[0] == pytest.approx(0.1186, rel=0.25)


def test_a_larger_batch_costs_less_a_token_and_a_longer_answer_more(tmp_path: Path) -> None:
    model = "meta-llama/Llama-3.1-8B-Instruct,H100,1,bfloat16,gpqa"
    r, _ = runs_of(*(f"{model},{b},{o},0.1" for b, o in ((8, 500), (64, 500), (256, 500), (64, 8000))), folder=tmp_path)
    joules, _ = predict(r, energy_fit.shipped())
    assert joules[0] > joules[1] > joules[2]
    assert joules[3] > joules[1]


def test_the_solver_finds_a_line_through_points_of_which_one_is_far_off() -> None:
    x = np.linspace(0.0, 1.0, 30)
    y = 2.0 + 3.0 * x
    y[7] += 40.0
    found = least(lambda p: (p[0] + p[1] * x - y) / 0.1, np.zeros(2), np.full(2, 100.0))
    assert found == pytest.approx([2.0, 3.0], abs=0.05)


def test_the_solver_stays_at_the_prior_where_nothing_is_said() -> None:
    found = least(lambda p: np.array([p[0] - 1.0]), np.array([0.0, 5.0]), np.array([100.0, 1.0]))
    assert found == pytest.approx([1.0, 5.0], abs=1e-3)


@pytest.mark.skipif(not (TRUTH / FILE).is_file(), reason=f"no {FILE}: set ROUNDTRIP_TRUTH to the folder of data sets")
def test_models_left_out_meet_the_bars() -> None:
    rows = {row["name"]: row for row in score(TRUTH)}
    for key, bar in BARS.items():
        row = rows[f"joules an output token on {key}"]
        assert row["value"] <= 0.8 * bar
        assert row["family_left_out"] <= bar
        assert row["value"] < 0.5 * row["rivals"]["EcoLogits 0.11.3, true batch and accelerators"]
        assert COVER[0] <= rows[f"joules an output token on {key}: bands of 90 %"]["coverage"] <= COVER[1]
    assert rows["joules an output token: rows answered"]["coverage"] == 1.0


def test_few_bits_are_unpacked_in_software_where_the_chip_cannot_multiply_them() -> None:
    old, new = (
        power.setup_work(Setup.of("gpt-oss-120b", chip, precision="mxfp4"), 64.0, 64.0, 1000.0, 0.0)
        for chip in ("h100-sxm", "b200")
    )
    assert old.packed_flop > 0.0
    assert old.narrow_flop == 0.0
    assert new.packed_flop == 0.0
    assert new.narrow_flop == pytest.approx(old.packed_flop)
    assert power.draw("h100-sxm").packed_flop_J > power.draw("h100-sxm").wide_flop_J
