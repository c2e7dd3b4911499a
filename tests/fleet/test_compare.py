"""``roundtrip fleet compare``: no change where nothing differs, parts add up, intervals cover, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from roundtrip.fleet.generate import open_load
from roundtrip.fleet.records import CAUSES
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.study.blocks import between
from roundtrip.fleet.study.pairs import Side, compare, over_runs, seen
from tests.cli.run import here
from tests.fleet.made import cluster

Capture = pytest.CaptureFixture[str]
MADE = ["fleet", "compare", "--load", "poisson", "--requests", "300", "--rate", "40", "--prompt", "lognormal:300,0.7",
        "--output", "geometric:40"]  # fmt: skip


def _side(name: str, seeds: range, replicas: int = 2, router: str = "round robin", shift: int = 0) -> Side:
    runs = []
    for seed in seeds:
        work = open_load(400, 60.0, "lognormal:300,0.7", "geometric:40", seed=seed + shift)
        runs.append(seen(simulate(work, cluster(replicas, row_s=2e-5, router=router, seed=seed))))
    return Side(name, tuple(runs), 10.0 * replicas, replicas)


def test_the_same_fleet_does_not_differ_from_itself() -> None:
    found = compare(_side("a", range(4)), _side("b", range(4)))
    for row in (*found.figures, *found.waits):
        assert row.change == row.low == row.high == 0.0
        assert not row.is_sure


def test_the_parts_of_the_change_add_up_to_the_change() -> None:
    found = compare(_side("a", range(4)), _side("b", range(4), replicas=3))
    whole = next(row for row in found.figures if row.name == "e2e_mean_s")
    assert whole.is_sure
    assert whole.change < 0.0
    assert sum(row.change for row in found.waits) == pytest.approx(whole.change, rel=1e-9)
    assert [row.name for row in found.waits] == list(CAUSES)


def test_common_random_numbers_narrow_the_interval() -> None:
    paired = compare(_side("a", range(6)), _side("b", range(6), router="least requests"))
    first, second = _side("a", range(6)), _side("b", range(6), router="least requests", shift=100)
    # The same statistics from other requests: as if nothing had been paired.
    mean_s = [[float(np.nanmean(run.spans["e2e"])) for run in side.runs] for side in (first, second)]
    apart_s = float(np.std(np.subtract(mean_s[1], mean_s[0]), ddof=1))
    row = next(row for row in paired.figures if row.name == "e2e_mean_s")
    assert (row.high - row.low) / 2 < 0.5 * 2.571 * apart_s / np.sqrt(6)


def _waves(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Noise of which neighbors share four fifths, as requests that meet in a queue, (runs, requests)."""
    drawn = rng.normal(0.0, 0.3, shape)
    for i in range(1, shape[1]):
        drawn[:, i] = 0.8 * drawn[:, i - 1] + 0.6 * drawn[:, i]
    return drawn


def test_the_interval_of_one_run_covers_the_truth_about_as_often_as_it_says() -> None:
    times, count, truth = 100, 1500, 0.05
    rng = np.random.default_rng(5)
    shared = _waves(rng, (times, count))
    first, second = (shared + 0.3 * _waves(rng, (times, count)) + more for more in (0.0, truth))
    inside = 0
    for x, y in zip(first, second, strict=True):
        low, high = between((x, y), lambda pair: float(pair[1].mean() - pair[0].mean()))
        inside += low <= truth <= high
    assert 0.87 <= inside / times <= 0.99


def test_the_interval_over_seeds_covers_the_truth_about_as_often_as_it_says() -> None:
    times, runs, truth = 400, 6, 0.05
    rng = np.random.default_rng(5)
    shared = rng.normal(1.0, 0.3, (times, runs))
    first, second = (shared + 0.1 * rng.normal(size=(times, runs)) + more for more in (0.0, truth))
    rows = [over_runs("x", list(zip(x, y, strict=True))) for x, y in zip(first, second, strict=True)]
    inside = sum(row.low <= truth <= row.high for row in rows)
    assert 0.92 <= inside / times <= 0.98


def test_vary_and_files_agree(capsys: Capture, tmp_path: Path) -> None:
    varied = json.loads(here(capsys, *MADE, "--vary", "replicas=1,2", "--seeds", "3", "--json").out)
    files = []
    for count in (1, 2):
        files.append(tmp_path / f"{count}.toml")
        files[-1].write_text(f"replicas = {count}\n")
    filed = json.loads(here(capsys, *MADE, *map(str, files), "--seeds", "3", "--json").out)
    assert varied["comparisons"][0]["figures"] == filed["comparisons"][0]["figures"]
    assert varied["comparisons"][0]["first"] == "replicas 1"


def test_records_compare_as_the_runs_do(capsys: Capture, tmp_path: Path) -> None:
    options = MADE[2:]
    paths = [str(tmp_path / f"{n}.csv") for n in (1, 2)]
    for n, path in zip((1, 2), paths, strict=True):
        assert here(capsys, "fleet", "run", *options, "--replicas", str(n), "--csv", path).code == 0
    body = json.loads(here(capsys, "fleet", "compare", *paths, "--json").out)
    live = json.loads(here(capsys, *MADE, "--vary", "replicas=1,2", "--seeds", "1", "--json").out)
    rows = zip(body["comparisons"][0]["waits_s"], live["comparisons"][0]["waits_s"], strict=True)
    for one, other in rows:
        assert one["change"] == pytest.approx(other["change"], abs=1e-8)
    text = here(capsys, "fleet", "compare", *paths).out
    assert "From arrival to last token" in text


def test_text_says_which_part_changed(capsys: Capture) -> None:
    ran = here(capsys, *MADE, "--vary", "token-budget=256,2048", "--max-sequences", "64", "--seeds", "3")
    assert ran.code == 0
    for words in ("A  token-budget 256", "B - A", "others' prompts are read", "95 % interval"):
        assert words in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--load", "poisson"], "0 to compare"),
        (["--load", "poisson", "--vary", "replicas=2"], "1 to compare"),
        (["--load", "poisson", "--vary", "replica=1,2"], "did you mean 'replicas'"),
        (["--load", "poisson", "--vary", "replicas"], "expected for example"),
        (["--load", "poisson", "--vary", "rate=1,2"], "have other requests (--rate)"),
        (["--load", "poisson", "--vary", "replicas=1,2", "--seeds", "0"], "--seeds = 0"),
        (["--load", "poisson", "--vary", "router=fastest,random"], "'fastest' is not one of"),
        (["a.csv", "b.csv"], "a.csv: No such file"),
        (["a.csv", "b.csv", "--load", "poisson"], "--load has no meaning for records"),
        (["a.csv", "b.toml"], "records can be compared with records only"),
        (["a.toml", "b.toml"], "a.toml: No such file"),
        (["a", "b"], "expected a file .toml or .csv"),
        (["a.toml", "b.toml", "--vary", "replicas=1,2"], "--vary has no meaning beside files"),
        (["nowhere:3", "nowhere:4"], "nowhere:3: nowhere/manifest.json: No such file"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, arguments: list[str], message: str) -> None:
    ran = here(capsys, "fleet", "compare", *arguments)
    assert message in ran.line


def test_other_requests_and_other_files_are_named(capsys: Capture, tmp_path: Path) -> None:
    good, other, bad = (tmp_path / f"{name}.csv" for name in ("good", "other", "bad"))
    assert here(capsys, "fleet", "run", *MADE[2:], "--csv", str(good)).code == 0
    assert here(capsys, "fleet", "run", *MADE[2:], "--seed", "1", "--csv", str(other)).code == 0
    assert "had other requests" in here(capsys, "fleet", "compare", str(good), str(other)).line
    bad.write_text("a,b\n1,2\n")
    assert "is no file of 'roundtrip fleet run --csv'" in here(capsys, "fleet", "compare", str(bad), str(good)).line
    bad.write_text(good.read_text().replace("done", "done", 1).replace(",0,", ",zero,", 1))
    assert "line 2" in here(capsys, "fleet", "compare", str(bad), str(good)).line
    toml = tmp_path / "many.toml"
    toml.write_text("replicas = [1, 2]\n")
    line = here(capsys, "fleet", "compare", "--load", "poisson", str(toml), str(toml)).line
    assert "replicas has several values" in line
