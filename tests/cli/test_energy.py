"""``roundtrip energy``: the account, what others published, joules against load, pictures, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import here

Capture = pytest.CaptureFixture[str]


def test_the_account_says_its_parts_and_its_rules(capsys: Capture) -> None:
    ran = here(capsys, "energy", "Hello", "--samples", "0")
    assert ran.code == 0
    for word in ("chip", "training", "always on", "input, cached", "without reservoirs", "by the operator's contracts"):
        assert word in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


def test_a_boundary_takes_parts_away(capsys: Capture) -> None:
    whole = json.loads(here(capsys, "energy", "--samples", "0", "--json").out)
    chip = json.loads(here(capsys, "energy", "--samples", "0", "--json", "--boundary", "chip").out)
    assert [row["part"] for row in chip["parts"]] == ["chip"]
    assert chip["total"]["energy_J"] < whole["total"]["energy_J"]
    assert len(whole["other_accounts"]) == 6


def test_hour_and_market_and_margin(capsys: Capture) -> None:
    options = ("--set", "datacenter.grid=us-california", "--boundary", "chip", "--samples", "0", "--json")
    grams = [
        json.loads(here(capsys, "energy", *options, *more).out)["total"]["carbon_g"]
        for more in ((), ("--hour", "12"), ("--hour", "19"), ("--market",), ("--marginal",))
    ]
    assert grams[1] < grams[0] < grams[2] < grams[4]
    assert grams[3] < grams[0]


def test_what_others_published(capsys: Capture) -> None:
    ran = here(capsys, "energy", "--reconcile")
    assert ran.code == 0
    for word in ("0.24", "0.34", "0.42", "8.5", "Nothing is fitted", "Why they differ"):
        assert word in ran.out
    assert len(json.loads(here(capsys, "energy", "--reconcile", "--json").out)) == 7


def test_joules_against_load(capsys: Capture) -> None:
    body = json.loads(here(capsys, "energy", "--load", "--json").out)
    assert body["token_J"][0] > 20.0 * body["token_J"][-1]
    assert "closed form" in here(capsys, "energy", "--load").out


@pytest.mark.parametrize("more", [[], ["--reconcile"], ["--load"]])
def test_pictures(capsys: Capture, tmp_path: Path, more: list[str]) -> None:
    target = tmp_path / "picture.svg"
    assert here(capsys, "energy", *more, "--plot", str(target), "--samples", "0").code == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--boundary", "chips"], "did you mean 'chip'"),
        (["--boundary", ","], "no part is named"),
        (["--hour", "25"], "allowed: 0 to 24"),
        (["--cached", "2"], "allowed: 0 to 1"),
        (["--market", "--marginal"], "choose one"),
        (["--reconcile", "--load"], "choose one"),
        (["--scenario", "concept"], "draws no electricity"),
        (["--plot", "x.png"], "ends in .svg"),
    ],
)
def test_what_cannot_be_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    ran = here(capsys, "energy", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
