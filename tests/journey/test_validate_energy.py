"""Closures between published figures, and the split of a prompt, with what was assumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey.validate_energy import (
    FILE,
    deepseek_closure,
    fleet_split,
    google_carbon,
    google_split,
    score,
    trip_split,
)


def test_deepseek_a_day_of_tokens_fills_its_servers_to_a_thousandth() -> None:
    day = deepseek_closure()
    assert day["needed_s"] == pytest.approx(19_601_012, abs=1.0)
    assert day["had_s"] == 19_591_200.0
    assert abs(day["error"]) < 1e-3
    assert day["joules_error"] == pytest.approx(day["error"])


def test_google_58_25_10_8_within_five_points_from_powers_measured_elsewhere() -> None:
    split = google_split()
    assert sum(split["ours"].values()) == pytest.approx(1.0)
    assert split["largest"] < 0.05


def test_the_split_depends_on_the_machine_and_says_so() -> None:
    """An H100 draws less when idle, so the same rule gives idle machines half as much: no fit, and no proof."""
    assert 0.05 < google_split("same-on-h100")["largest"] < 0.10


def test_the_default_trip_splits_alike_but_its_idle_chips_draw_less() -> None:
    own = trip_split()
    assert sum(own.values()) == pytest.approx(1.0)
    assert own["chip_part"] == pytest.approx(0.58, abs=0.05)
    assert own["host_part"] == pytest.approx(0.25, abs=0.05)
    assert own["idle_part"] < 0.08


def test_google_grams_for_each_kilowatt_hour_by_contract_and_made_beforehand() -> None:
    grams = google_carbon()
    assert grams["market_g_kWh"] == pytest.approx(grams["market_published"], rel=0.25)
    assert grams["embodied_g_kWh"] == pytest.approx(grams["embodied_published"], rel=0.5)


def test_each_input_moves_its_share() -> None:
    base = {"chip_power_W": 170.0, "idle_power_W": 90.0, "host_share": 0.245, "host_idle_share": 0.5,
            "spare_ratio": 0.226, "pue": 1.09}  # fmt: skip
    whole = fleet_split(base)
    assert fleet_split({**base, "spare_ratio": 0.0})["idle_part"] == 0.0
    assert fleet_split({**base, "pue": 1.0})["overhead_part"] == 0.0
    assert fleet_split({**base, "host_share": 0.3})["host_part"] > whole["host_part"]
    assert whole["overhead_part"] == pytest.approx(0.09 / 1.09)


def test_scores_without_data_are_the_closures(tmp_path: Path) -> None:
    rows = score(tmp_path)
    assert len(rows) == 6
    assert all(row["holds"] for row in rows)
    assert {"name", "metric", "value", "bar", "holds", "n", "coverage", "split", "rivals"} <= set(rows[0])


def test_runs_are_scored_where_they_are(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        "model,params_active_B,gpu,n_gpu,precision,mean_batch,mean_output_tokens,energy_per_output_token_J\n"
        "meta-llama/Llama-3.1-8B-Instruct,8.0,H100,1,bfloat16,64,389,0.119\n"
        "some/other-model,8.0,H100,1,bfloat16,64,389,0.119\n",
        encoding="utf-8",
    )
    row = score(tmp_path)[-1]
    assert row["n"] == 1
    assert row["value"] < 0.25
    assert set(row["rivals"]) == {"EcoLogits 0.11.3, true batch and chips"}


def test_a_file_without_a_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("model,gpu\nx,H100\n", encoding="utf-8")
    with pytest.raises(TruthError, match="column"):
        score(tmp_path)
