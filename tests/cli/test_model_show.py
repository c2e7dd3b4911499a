"""``roundtrip model show``: counts on a page, in JSON, of files; bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import here

DATA = Path(__file__).parents[1] / "serving" / "data"


def test_a_page_names_what_was_counted(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "model", "show", "deepseek-ai/DeepSeek-R1-0528")
    assert ran.code == 0
    for words in ("671,026,419,200 weights", "70,272 B of cache", "250.5 in training", "h800-sxm"):
        assert words in ran.out


def test_json_holds_the_same_and_more(capsys: pytest.CaptureFixture[str]) -> None:
    body = json.loads(here(capsys, "model", "show", "llama-3.1-405b", "--context", "8192", "--json").out)
    assert body["parameters"] == 405_853_388_800 == body["published"]["parameters"]
    assert body["cache_token_B"] == 516_096
    assert body["weights_B"]["bf16"] == 2 * body["parameters"]
    needed = {fit["accelerator"]: fit["needed"] for fit in body["fits"]}
    assert needed["h100-sxm"]["bf16"] == 12
    assert all(n["fp4"] <= n["fp8"] <= n["bf16"] for n in needed.values())


def test_a_file_and_its_folder_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    folder = here(capsys, "model", "show", str(DATA / "latent"), "--json").out
    assert folder == here(capsys, "model", "show", str(DATA / "latent" / "config.json"), "--json").out
    assert json.loads(folder)["parameters"] == 671_026_419_200


def test_an_estimate_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        "Estimated from the sizes in its name"
        in here(capsys, "model", "show", "acme/Wonder-300B-A20B", "--estimate").out
    )
    assert "no architecture" in here(capsys, "model", "show", "acme/Wonder-300B-A20B").line


def test_without_a_name_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "gpt-oss-120b" in here(capsys, "model", "show").out
    body = json.loads(here(capsys, "model", "show", "--json").out)
    assert {"llama-3.1-70b", "glm-5", "nemotron-nano-9b-v2"} <= {one["name"] for one in body}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lama-3.1-70b-x"], "did you mean"),
        (["no/such/config.json"], "no such file"),
        (["deepseek-v3", "--context", "0"], "context = 0, expected 1 to"),
        (["deepseek-v3", "--context", "nan"], "context = nan, expected 1 to"),
        (["deepseek-v3", "--context", "1e12"], "context = 1e+12, expected 1 to"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in here(capsys, "model", "show", *arguments).line
