"""``roundtrip fleet run`` with what may happen to requests and replicas: it changes the result, or is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.run import here

Capture = pytest.CaptureFixture[str]
MADE = ["fleet", "run", "--load", "poisson", "--requests", "300", "--rate", "30", "--prompt", "lognormal:600,0.7",
        "--output", "geometric:80"]  # fmt: skip
THREE = ["--replicas", "3", "--router", "least requests"]


def ran(capsys: Capture, *more: str) -> dict[str, Any]:
    """Run and return the JSON; the parts of the wait must add up to the mean of the whole."""
    out = here(capsys, *MADE, *more, "--json")
    assert out.code == 0, out.err
    body = json.loads(out.out)
    total = body["summary"]
    if total["done"]:
        assert sum(total["waits_s"].values()) == pytest.approx(total["e2e_s"]["mean"], rel=1e-9)
        assert total["busy_share"] <= 1.0 + 1e-3
    return body


def test_clients_hang_up_the_sooner_the_less_patience_they_have(capsys: Capture) -> None:
    long, short = (ran(capsys, "--patience", f"exponential:{text}")["summary"] for text in ("20s", "1s"))
    assert 0 < long["canceled"] < short["canceled"] < 300
    assert short["done"] + short["canceled"] == 300
    assert short["tpot_s"]["mean"] < long["tpot_s"]["mean"], "fewer are there at a time"
    assert ran(capsys, "--patience", "1h")["summary"]["canceled"] == 0
    assert ran(capsys, "--timeout", "500ms")["summary"]["timed_out"] > 0


def test_failures_cost_time_or_requests(capsys: Capture, tmp_path: Path) -> None:
    sheet = tmp_path / "down.csv"
    sheet.write_text("replica,down_s,up_s\n0,2,4\n1,5,\n", encoding="utf-8")
    without = ran(capsys, *THREE)["summary"]
    retried = ran(capsys, *THREE, "--outages", str(sheet))["summary"]
    lost = ran(capsys, *THREE, "--outages", str(sheet), "--on-failure", "fail")["summary"]
    assert retried["failures"] == lost["failures"] == 2
    assert retried["done"] == 300
    assert retried["waits_s"]["failure"] > 0.0
    assert retried["e2e_s"]["mean"] > without["e2e_s"]["mean"]
    assert lost["done"] == 300 - lost["failed"] < 300
    assert lost["retries"] == 0 < retried["retries"]
    drawn = ran(capsys, *THREE, "--failures", "3s,500ms")["summary"]
    assert drawn["failures"] > 2
    assert ran(capsys, *THREE, "--failures", "3s,500ms")["summary"] == drawn
    assert ran(capsys, *THREE, "--failures", "3s,500ms", "--seed", "1")["summary"] != drawn


def test_a_quick_link_to_the_host_is_better_than_computing_anew_and_a_slow_one_is_worse(capsys: Capture) -> None:
    tight = ["--pages", "400"]
    anew = ran(capsys, *tight)["summary"]
    quick, slow = (
        ran(capsys, *tight, "--preemption", "swap", "--swap-bandwidth", rate)["summary"]
        for rate in ("100GB/s", "100MB/s")
    )
    assert anew["preemptions"] > 0
    assert anew["waits_s"]["preemption"] > 0.0
    assert quick["pages_swapped"] > 0
    assert quick["waits_s"]["preemption"] == 0.0 < quick["waits_s"]["swap"] < slow["waits_s"]["swap"]
    assert quick["duration_s"] < anew["duration_s"] < slow["duration_s"]


def test_separate_prefill_frees_those_who_write_and_sends_their_cache(capsys: Capture) -> None:
    both = ran(capsys, *THREE)["summary"]
    split = [*THREE, "--prefill-replicas", "1"]
    quick, slow = (ran(capsys, *split, "--transfer-bandwidth", rate)["summary"] for rate in ("50GB/s", "1GB/s"))
    late = ran(capsys, *split, "--transfer-bandwidth", "50GB/s", "--transfer-latency", "20ms")["summary"]
    assert both["waits_s"]["others_prefill"] > 0.0 == quick["waits_s"]["others_prefill"]
    assert 0.0 < quick["waits_s"]["transfer"] < slow["waits_s"]["transfer"]
    assert late["waits_s"]["transfer"] > quick["waits_s"]["transfer"] + 0.015
    assert quick["tokens_sent"] > 300


def test_half_of_the_cache_on_each_of_two_accelerators_is_sent_in_half_the_time(capsys: Capture) -> None:
    split = [*THREE, "--rate", "1", "--prefill-replicas", "1", "--transfer-bandwidth", "1GB/s"]
    one, two = (ran(capsys, *split, "--tensor-ranks", n)["summary"]["waits_s"]["transfer"] for n in ("1", "2"))
    step_s = 0.01
    assert one / 2.0 == pytest.approx(two, abs=step_s)


def test_the_better_guesses_are_the_fewer_steps_it_takes(capsys: Capture) -> None:
    plain = ran(capsys)["summary"]
    bad, good = (ran(capsys, "--draft-tokens", "3", "--acceptance", share)["summary"] for share in ("0.1", "0.8"))
    dear = ran(capsys, "--draft-tokens", "3", "--acceptance", "0.8", "--draft-time", "5ms")["summary"]
    assert good["tokens_per_step"] == pytest.approx((1.0 - 0.8**4) / 0.2)
    assert good["tpot_s"]["mean"] < min(bad["tpot_s"]["mean"], dear["tpot_s"]["mean"], plain["tpot_s"]["mean"])


def test_reasoning_is_written_first_and_seen_by_nobody(capsys: Capture) -> None:
    plain = ran(capsys)
    thought = ran(capsys, "--reasoning", "200", "--slo", "visible_p99=1h")
    more = thought["workload"]["output_tokens"] - plain["workload"]["output_tokens"]
    assert more == 300 * 200
    total = thought["summary"]
    assert total["visible_s"]["mean"] > total["ttft_s"]["mean"] + 199 * 0.005
    assert total["slo"][0]["holds"]


def test_the_first_priority_goes_first(capsys: Capture) -> None:
    total = ran(capsys, "--priorities", "1,3", "--policy", "priority", "--max-sequences", "4")["summary"]
    first, second = total["by_priority"]
    assert first["requests"] + second["requests"] == 300
    assert 50 < first["requests"] < 100
    assert first["ttft_s"]["mean"] < 0.5 * second["ttft_s"]["mean"]


def test_the_network_adds_its_round_trip_to_every_request(capsys: Capture) -> None:
    near, far = ran(capsys)["summary"], ran(capsys, "--network-rtt", "80ms")["summary"]
    for name in ("ttft_s", "e2e_s"):
        assert far[name]["mean"] == pytest.approx(near[name]["mean"] + 0.08, abs=1e-9)
    assert far["waits_s"]["network"] == pytest.approx(0.08)


def test_groups_are_replicas_of_several_kinds(capsys: Capture) -> None:
    body = ran(capsys, "--groups", "1xh100-sxm,2xl4/2", "--router", "least work")
    assert [(k["accelerators"], k["replicas"]) for k in body["deployment"]["kinds"]] == [(1, 1), (2, 2)]
    assert body["deployment"]["accelerators"] == 5
    written = [row["written"] for row in body["replicas"]]
    assert written[0] > max(written[1:]), "who is quicker gets more"
    same = ran(capsys, "--groups", "2xh100-sxm")
    assert same["summary"] == ran(capsys, "--replicas", "2")["summary"]


def test_a_trace_says_when_clients_hang_up_and_what_is_reasoning(capsys: Capture, tmp_path: Path) -> None:
    sheet, lines = tmp_path / "own.csv", tmp_path / "own.jsonl"
    sheet.write_text("arrival_s,prompt_tokens,output_tokens,cancel_s,reasoning_tokens\n"
                     "0,500,400,0.5,0\n1,500,400,,300\n", encoding="utf-8")  # fmt: skip
    rows = [
        {"arrival_s": 0, "prompt_tokens": 500, "output_tokens": 400, "cancel_s": 0.5, "reasoning_tokens": 0},
        {"arrival_s": 1, "prompt_tokens": 500, "output_tokens": 400, "cancel_s": None, "reasoning_tokens": 300},
    ]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = [json.loads(here(capsys, "fleet", "run", "--trace", str(f), "--json").out) for f in (sheet, lines)]
    assert found[0]["summary"] == found[1]["summary"]
    assert found[0]["summary"]["canceled"] == 1
    assert found[0]["summary"]["visible_s"]["mean"] > found[0]["summary"]["ttft_s"]["mean"] + 299 * 0.005
    for cells, words in (("-1,0", "line 2: cancel_s = -1"), (",401", "line 2: reasoning_tokens = 401")):
        sheet.write_text(f"arrival_s,prompt_tokens,output_tokens,cancel_s,reasoning_tokens\n0,5,400,{cells}\n",
                         encoding="utf-8")  # fmt: skip
        refused = here(capsys, "fleet", "run", "--trace", str(sheet))
        assert (refused.code, words in refused.err) == (2, True), refused.err


def test_records_and_picture_have_the_new_parts(capsys: Capture, tmp_path: Path) -> None:
    sheet, picture = tmp_path / "requests.csv", tmp_path / "run.svg"
    more = ["--pages", "400", "--preemption", "swap", "--swap-bandwidth", "10GB/s", "--patience", "exponential:30s",
            "--failures", "5s,1s", "--network-rtt", "50ms"]  # fmt: skip
    body = ran(capsys, *more, "--csv", str(sheet), "--plot", str(picture))
    with sheet.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["state"] for row in rows} == {"done", "canceled"}
    for row in rows:
        if row["state"] == "done":
            parts = sum(float(row[f"{cause}_s"]) for cause in body["summary"]["waits_s"])
            assert parts == pytest.approx(float(row["last_token_s"]) - float(row["arrival_s"]), abs=1e-7)
        else:
            assert float(row["left_s"]) > float(row["arrival_s"])
    text = ET.tostring(ET.parse(picture).getroot(), encoding="unicode")
    assert "swapped to the host" in text
    assert "its cache is sent" not in text


STEPS = ["--step-times", "step=5ms", "--pages", "900"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--swap-bandwidth", "9GB/s"], "--swap-bandwidth has no meaning without --preemption swap"),
        (["--preemption", "swap"], "needs --swap-bandwidth, for example"),
        (["--preemption", "swap", "--swap-bandwidth", "9"], ""),
        (["--preemption", "swap", "--swap-bandwidth", "0GB/s"], "--swap-bandwidth = 0GB/s, expected"),
        (["--preemption", "swap", "--swap-bandwidth", "9 s"], "--swap-bandwidth: 9 s is of the dimension"),
        ([*STEPS, "--preemption", "swap", "--swap-bandwidth", "9GB/s"], "expected --token-bytes beside --step-times"),
        (["--token-bytes", "9kB"], "no meaning without --step-times"),
        (["--transfer-bandwidth", "9GB/s"], "has no meaning without --prefill-replicas"),
        (["--transfer-latency", "1ms"], "has no meaning without --prefill-replicas"),
        (["--prefill-replicas", "1", "--replicas", "2"], "needs --transfer-bandwidth"),
        (["--prefill-replicas", "1", "--transfer-bandwidth", "9GB/s"], "1 of 1 replicas"),
        (["--prefill-replicas", "0", "--transfer-bandwidth", "9GB/s"], "--prefill-replicas = 0"),
        (["--acceptance", "0.5"], "has no meaning without --draft-tokens"),
        (["--draft-tokens", "3"], "needs --acceptance"),
        (["--draft-tokens", "0", "--acceptance", "0.5"], "--draft-tokens = 0"),
        (["--draft-tokens", "3", "--acceptance", "1.5"], "--acceptance = 1.5"),
        (["--draft-tokens", "9", "--acceptance", "0.5"], "times 10 tokens"),
        (["--draft-time", "1ms"], "has no meaning without --draft-tokens"),
        (["--on-failure", "fail"], "has no meaning without --failures or --outages"),
        (["--failures", "1h"], "expected mean times up and down"),
        (["--failures", "1h,0s"], "expected times of 1 us or more"),
        (["--failures", "1h,1s", "--outages", "x.csv"], "both given"),
        (["--outages", "nowhere.csv"], "nowhere.csv: No such file"),
        (["--patience", "soon"], "--patience: 'soon' is not a number"),
        (["--patience", "0s"], "--patience = 0s"),
        (["--patience", "gamma:1s,2s"], "'gamma' is not one of"),
        (["--patience", "uniform:9s,2s"], "the lower end first"),
        (["--patience", "lognormal:9s,x"], "deviation over the mean"),
        (["--reasoning", "much"], "is no number of tokens"),
        (["--priorities", "1,3"], "no meaning without --policy priority"),
        (["--priorities", "1", "--policy", "priority"], "expected 2 to 20 shares"),
        (["--priorities", "1,-3", "--policy", "priority"], "expected 2 to 20 shares"),
        (["--priorities", "1,nan", "--policy", "priority"], "expected 2 to 20 shares"),
        (["--slo", "visible=1s"], "'visible' is not one of"),
        (["--timeout", "0s"], "--timeout = 0s, expected above 0"),
        (["--network-rtt", "-1ms"], "--network-rtt = -1ms"),
        (["--groups", "h100-sxm"], "expected for example 2xh100-sxm"),
        (["--groups", "2xh100"], "no entry 'h100'"),
        (["--groups", "2xl4", "--accelerator", "l4"], "--accelerator has no meaning beside --groups"),
        (["--groups", "2xl4", "--replicas", "2"], "--replicas has no meaning beside --groups"),
        ([*STEPS, "--groups", "2xl4"], "--groups has no meaning beside --step-times"),
    ],
)
def test_what_cannot_be_honored_is_refused_in_one_line(capsys: Capture, arguments: list[str], message: str) -> None:
    found = here(capsys, "fleet", "run", "--load", "poisson", "--requests", "20", *arguments)
    if not message:
        assert found.code == 0, "a bare number is in bytes a second"
        return
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("replica,down,up\n0,1,2\n", "line 1: expected the columns"),
        ("replica,down_s,up_s\n", "no outages"),
        ("replica,down_s,up_s\n0,1\n", "line 2"),
        ("replica,down_s,up_s\n0,nan,2\n", "line 2"),
        ("replica,down_s,up_s\n0,x,2\n", "line 2"),
        ("replica,down_s,up_s\n7,1,2\n", "replica 7, expected 0 to 0"),
        ("replica,down_s,up_s\n0,5,2\n", "down at 5 s and up at 2 s"),
        ("replica,down_s,up_s\n0,1,5\n0,2,6\n", "it is down until"),
    ],
)
def test_a_bad_list_of_outages_is_named(capsys: Capture, tmp_path: Path, text: str, message: str) -> None:
    sheet = tmp_path / "down.csv"
    sheet.write_text(text, encoding="utf-8")
    found = here(capsys, "fleet", "run", "--load", "poisson", "--requests", "20", "--outages", str(sheet))
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1


def test_size_counts_who_hung_up_as_missed_and_compare_and_sweep_take_the_options(
    capsys: Capture, tmp_path: Path
) -> None:
    load = ["--load", "poisson", "--requests", "200", "--rate", "30", "--output", "geometric:80"]
    body = json.loads(here(capsys, "fleet", "compare", *load, "--seeds", "2", "--vary", "network-rtt=0ms,80ms",
                           "--json").out)  # fmt: skip
    change = {one["name"]: one for one in body["comparisons"][0]["waits_s"]}["network"]
    assert change["change"] == pytest.approx(0.08, abs=1e-9), change
    hurried = here(capsys, "fleet", "size", *load, "--patience", "10ms", "--slo", "ttft=10s", "--accelerators", "l4",
                   "--tensor-ranks", "1", "--token-budgets", "512", "--max-sequences", "64")  # fmt: skip
    assert hurried.code == 1, "nobody waits for an answer"
