"""The screen of the cluster: stored days come out as they went in, and what a reader sees is what the command finds."""

from __future__ import annotations

import gzip
import http.server
import json
import shlex
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

from roundtrip.lab import export, fleet, fleet_grid
from roundtrip.lab.fleet_day import Day
from tests.cli.run import here
from tests.lab.rig import SITE, needs_browser, needs_node, needs_site, run_node, serving, warm

POINTS: list[dict[str, Any]] = [{"rate": 8.0, "replicas": 3.0}, {"rate": 8.0, "replicas": 2.0, "prefix": 1.0},
                                {"rate": 60.0, "replicas": 1.0, "queue": 16.0}]  # fmt: skip


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    runs = [fleet_grid.packed(point) for point in POINTS]
    curves = [run["curve"] for run in runs]
    return {
        "controls": fleet.controls(),
        "quantiles": list(fleet_grid.QUANTILES),
        "curves": curves,
        "least": fleet_grid.LEAST,
        "step": fleet_grid.STEP,
        "runs": [{**run, "curve": n} for n, run in enumerate(runs)],
    }


@needs_node
def test_stored_days_come_out_as_they_were_run(stored: dict[str, Any], tmp_path: Path) -> None:
    data, asked = tmp_path / "fleet.json", tmp_path / "asked.json"
    data.write_text(json.dumps(stored), encoding="utf-8")
    wishes = [*POINTS, {"rate": 9.0, "replicas": 3.0}, {"rate": 8.0, "replicas": 2.0}, {"rate": 60.0, "queue": 64.0}]
    asked.write_text(json.dumps(wishes), encoding="utf-8")
    told = run_node("fleet.mjs", "grid", str(data), str(asked))
    assert [each["at"] for each in told["nearest"]] == [0, 1, 2, 0, 0, 2]
    assert [each["others"] for each in told["nearest"]] == [[], [], [], ["rate"], ["replicas"], ["replicas", "queue"]]
    refused = 0
    for point, shown in zip(POINTS, told["days"], strict=True):
        day = Day(fleet.spec_of(point), fleet_grid.WINDOWS, 0)
        while not day.is_done:
            day.go(10**6)
        assert shown["spec"] == day.spec.as_dict()
        assert shown["command"] == fleet.command(day.spec)
        assert shown["total"]["requests"] == len(day.run.work)
        assert shown["total"]["good_share"] == pytest.approx(day.summary()["good_share"], rel=6e-3)
        for ours, theirs in zip(day.rows, shown["rows"], strict=True):
            for name in ("hour", "arrivals_per_s", "token_per_s_accelerator", "token_per_s_user", "good"):
                assert theirs[name] == pytest.approx(ours[name], rel=0.0101), name
            assert theirs["waits_s"] == pytest.approx(ours["waits_s"], rel=0.0101, abs=1e-5)
            assert theirs["first_s"] == pytest.approx(ours["first_s"], rel=0.0101)
            assert theirs["slow_token_s"] == pytest.approx(ours["token_s"][-1], rel=0.0101)
            assert theirs["refused"] == ours["refused"]
            for name in ("writing", "waiting"):
                assert theirs["replicas"][name] == ours["replicas"][name]
            for name in ("used", "kept"):
                assert theirs["replicas"][name] == pytest.approx(ours["replicas"][name], abs=0.0051)
            refused += theirs["refused"]
    assert refused > 0
    assert max(row["replicas"]["kept"][0] for row in told["days"][1]["rows"]) > 0.0


def test_the_grid_has_different_days_around_the_usual_one() -> None:
    points = fleet_grid.points()
    specs = [fleet.spec_of(point) for point in points]
    assert len(set(specs)) == len(specs)
    assert fleet.USUAL in specs


@needs_site
def test_the_stored_days_are_small() -> None:
    assert len(gzip.compress((SITE / "data" / "fleet.json").read_bytes(), 9, mtime=0)) <= 20_000


@needs_site
def test_the_stored_days_of_the_site_are_those_of_this_program() -> None:
    stored = json.loads((SITE / "data" / "fleet.json").read_text(encoding="utf-8"))
    usual = next(run for run in stored["runs"] if fleet.spec_of(run["set"]) == fleet.USUAL)
    made = json.loads(json.dumps(fleet_grid.packed(usual["set"])))
    for name in ("command", "steps", "shown", "good", "replicas", "requests", "good_share"):
        assert usual[name] == made[name], name


@needs_browser
@needs_site
def test_a_reader_moves_the_cluster_and_sees_what_the_command_line_finds(capsys: pytest.CaptureFixture[str]) -> None:
    warm()
    with serving() as port:
        told = run_node("fleet.mjs", "live", f"http://127.0.0.1:{port}/")
    assert not told["errors"], told["errors"][:3]
    made = here(capsys, *shlex.split(told["first"]["command"])[1:], "--json")
    found = json.loads(made.out)["summary"]
    assert found == {name: told["summary"][name] for name in found}
    whole = told["first"]["whole"]
    assert whole["requests"] == f"{found['requests']:,}"
    assert whole["within the limits"] == f"{100 * found['good_share']:.0f}%"
    assert whole["still under way at midnight"] == str(told["summary"]["left_at_midnight"])
    for what in ("reached", "moved", "last", "acknowledged", "plays", "rests", "earlier", "problem", "stopped"):
        assert told[what], what
    assert "replicas=3" in told["address"]
    assert "at=" in told["link"]


@needs_browser
@needs_site
def test_without_the_program_the_nearest_day_is_shown_and_said(tmp_path: Path) -> None:
    export.site(tmp_path / "site")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        told = run_node("fleet.mjs", "still", start)
    finally:
        server.shutdown()
        server.server_close()
    assert not told["errors"], told["errors"][:3]
    assert all(url.startswith((start, "data:", "blob:")) for url in told["requests"])
    assert told["middle"]["replicas"] == fleet.USUAL.replicas
    assert told["middle"]["command"] == fleet.command(fleet.USUAL)
    assert "nearest" not in told["middle"]["state"]
    assert told["reached"]
    assert "nearest" in told["after"]["state"]
    assert "Replicas" in told["after"]["state"]
    assert "you chose 5" in told["after"]["state"]
    assert told["after"]["replicas"] in (4, 6)
