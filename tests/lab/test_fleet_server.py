"""The fleet screen's stream: windows of a day, the newest question only, never far ahead of its page."""

from __future__ import annotations

import asyncio
import itertools
import json
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("websockets")
pytest.importorskip("numba")

from websockets.asyncio.client import ClientConnection, connect

from roundtrip.fleet.records import CAUSES
from roundtrip.lab import fleet, fleet_stream
from roundtrip.lab.fleet_day import WINDOWS, Day
from tests.cli.run import here
from tests.lab.rig import serving, warm

SMALL = {"rate": 4.0, "replicas": 2.0}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    warm()
    with serving() as found:
        yield found


def _run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 120.0))


async def _hear(socket: ClientConnection, number: int, follow: bool = True) -> list[dict[str, Any]]:
    """Take all that a run says, up to its last word."""
    said: list[dict[str, Any]] = []
    while True:
        body = json.loads(await socket.recv())
        if body["id"] != number:
            continue
        said.append(body)
        if follow and "row" in body:
            await socket.send(json.dumps({"op": "fleet", "id": number, "seen": body["number"]}))
        if {"summary", "error", "dropped"} & set(body):
            return said


async def _ask(port: int, **settings: Any) -> list[dict[str, Any]]:
    async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
        await socket.send(json.dumps({"id": 1, "op": "fleet", "set": settings}))
        return await _hear(socket, 1)


def test_a_day_comes_window_by_window_and_ends_with_its_figures(port: int) -> None:
    said = _run(_ask(port, **SMALL))
    assert said[0]["state"] == "starting"
    head, rows, summary = said[1]["head"], [body["row"] for body in said[2:-1]], said[-1]["summary"]
    assert [body["number"] for body in said[2:-1]] == list(range(WINDOWS))
    assert head["requests"] == summary["requests"] == summary["done"]
    assert sum(row["ended"] for row in rows) + summary["left_at_midnight"] <= summary["done"]
    assert rows[-1]["hour"] == 24.0
    noon, night = rows[WINDOWS // 2], rows[0]
    assert noon["arrivals_per_s"] > night["arrivals_per_s"]
    for row in rows:
        assert len(row["waits_s"]) == len(CAUSES)
        assert all(len(values) == 2 for values in row["replicas"].values())
        for shares in (row["replicas"]["used"], row["replicas"]["kept"]):
            assert all(0.0 <= share <= 1.0 for share in shares)
        totals = [sum(parts) for parts in row["requests"]]
        # sorted, but for the digits that are not kept
        assert all(b >= a * (1.0 - 1e-3) for a, b in itertools.pairwise(totals))


def test_what_is_shown_is_what_the_command_line_finds(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The command that the page shows makes the same run, figure by figure."""
    settings = {"rate": 6.0, "replicas": 2.0, "prefix": 1.0, "router": "prefix-aware", "first": 0.5, "precision": "fp8"}
    said = _run(_ask(port, **settings))
    words = shlex.split(said[1]["head"]["command"])
    assert words[:3] == ["roundtrip", "fleet", "run"]
    made = here(capsys, *words[1:], "--json")
    assert made.code == 0, made.err
    body = json.loads(made.out)
    found, shown = body["summary"], said[-1]["summary"]
    assert found == {name: shown[name] for name in found}
    for name in ("energy_J", "carbon_g", "rent_usd"):
        assert shown["paid"][name] == pytest.approx(body["account"]["per_request"][name], rel=1e-12)
    assert shown["paid"]["energy_band_J"][0] < shown["paid"]["energy_J"] < shown["paid"]["energy_band_J"][1]


def test_windows_add_up_to_the_run() -> None:
    day = Day(fleet.spec_of(SMALL), windows=24, shown=5)
    while not day.is_done:
        day.go(10_000)
    found = day.run.state.requests
    ended = [row["ended"] for row in day.rows]
    assert sum(ended) == int((found["last_s"] <= day.spec.day_s).sum())
    means = [sum(row["waits_s"]) * row["ended"] for row in day.rows]
    inside = found["last_s"] <= day.spec.day_s
    whole = float((found["last_s"] - found["arrived_s"])[inside].sum())
    assert sum(means) == pytest.approx(whole, rel=1e-3)
    written = sum(row["token_per_s_accelerator"] for row in day.rows) * day.spec.day_s / 24 * 2
    assert written == pytest.approx(float(day.run.work.output[inside].sum()), rel=1e-3)


def test_a_new_question_ends_the_run_before(port: int) -> None:
    async def work() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            await socket.send(json.dumps({"id": 1, "op": "fleet", "set": SMALL}))
            first: list[dict[str, Any]] = []
            while not first or "row" not in first[-1]:
                first.append(json.loads(await socket.recv()))
            await socket.send(json.dumps({"id": 2, "op": "fleet", "set": {**SMALL, "replicas": 3.0}}))
            while "dropped" not in first[-1]:
                first.append(json.loads(await socket.recv()))
            return first, await _hear(socket, 2)

    first, second = _run(work())
    assert first[-1] == {"id": 1, "dropped": True}
    assert len(second[2]["row"]["replicas"]["writing"]) == 3
    assert "summary" in second[-1]


def test_a_page_that_does_not_follow_holds_the_run_back(port: int) -> None:
    async def work() -> tuple[int, list[dict[str, Any]]]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            await socket.send(json.dumps({"id": 1, "op": "fleet", "set": SMALL}))
            rows = 0
            try:
                while True:
                    rows += "row" in json.loads(await asyncio.wait_for(socket.recv(), 30.0 if rows == 0 else 1.0))
            except TimeoutError:
                pass
            await socket.send(json.dumps({"id": 1, "op": "fleet", "seen": rows - 1}))
            return rows, await _hear(socket, 1)

    rows, rest = _run(work())
    assert rows == fleet_stream.AHEAD
    assert "summary" in rest[-1]
    assert len(rest) == WINDOWS - rows + 1


def test_what_cannot_be_seen_changes_nothing(port: int) -> None:
    async def work() -> list[dict[str, Any]]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            for seen in ("all", None, True, -5, 1e300, [3]):
                await socket.send(json.dumps({"op": "fleet", "id": 1, "seen": seen}))
            await socket.send(json.dumps({"id": 1, "op": "fleet", "set": SMALL}))
            for seen in ("all", None, True, -5, 1e300, [3]):
                await socket.send(json.dumps({"op": "fleet", "id": 1, "seen": seen}))
                await socket.send(json.dumps({"op": "fleet", "id": 9, "seen": 90}))
            return await _hear(socket, 1)

    said = _run(work())
    assert [body["number"] for body in said if "row" in body] == list(range(WINDOWS))


def test_it_stops_when_told(port: int) -> None:
    async def work() -> list[dict[str, Any]]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            await socket.send(json.dumps({"id": 5, "op": "fleet", "set": SMALL}))
            await socket.send(json.dumps({"op": "fleet", "stop": True}))
            heard = await _hear(socket, 5)
            await socket.send(json.dumps({"id": 6, "op": "trip", "samples": 0}))
            return [*heard, json.loads(await socket.recv())]

    said = _run(work())
    assert said[-2] == {"id": 5, "dropped": True}
    assert "trace" in said[-1]


def test_no_more_runs_at_once_than_the_machine_bears(port: int) -> None:
    async def work() -> dict[str, Any]:
        sockets = [
            await connect(f"ws://127.0.0.1:{port}/ws", max_queue=None) for _ in range(fleet_stream.MOST_RUNS + 1)
        ]
        try:
            for socket in sockets[:-1]:  # they wait for their pages
                await socket.send(json.dumps({"id": 1, "op": "fleet", "set": SMALL}))
                while "row" not in json.loads(await socket.recv()):
                    pass
            await sockets[-1].send(json.dumps({"id": 1, "op": "fleet", "set": SMALL}))
            return json.loads(await sockets[-1].recv())
        finally:
            for socket in sockets:
                await socket.close()

    assert "other pages" in _run(work())["error"]
    assert "summary" in _run(_ask(port, **SMALL))[-1]  # those that left made room


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"replicas": 10**9}, "replicas = 1000000000, allowed: 1 to 16"),
        ({"replicas": True}, "replicas = True"),
        ({"replicas": "4"}, "allowed: 1 to 16"),
        ({"replica": 4}, "did you mean 'replicas'"),
        ({"model": "../secret"}, "model = ../secret, allowed: llama-3.1-8b"),
        ({"model": ["llama-3.1-8b"]}, "allowed: llama-3.1-8b"),
        ({"router": "prefix-aware"}, "needs the prefix cache"),
        ({"batch": 512, "budget": 512, "rate": float("nan")}, "rate"),
        ({"rate": 120, "hour": 3600}, "allowed are 200,000 here"),
        ({"model": "deepseek-v3", "accelerator": "l4", "memory": 0.3}, "leave no page"),
        ({f"a{i}": 1 for i in range(100)}, "at most"),
        ([1], "at most"),
        ("x", "at most"),
    ],
)
def test_what_cannot_be_is_one_line(port: int, settings: Any, says: str) -> None:
    async def work() -> dict[str, Any]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            await socket.send(json.dumps({"id": 1, "op": "fleet", "set": settings}))
            return (await _hear(socket, 1))[-1]

    error = _run(work())["error"]
    assert says in error
    assert "\n" not in error


def test_every_usual_value_is_allowed_and_every_choice_is_taken() -> None:
    assert fleet.spec_of({}) == fleet.USUAL
    for control in fleet.CONTROLS:
        for choice in control.choices or (control.least, control.most):
            extra: dict[str, Any] = {}
            if choice == "prefix-aware":
                extra = {"prefix": 1.0}
            if control.name == "hour":
                extra = {"rate": 1.0}
            if control.name == "batch":
                extra = {"budget": 8192.0}
            assert getattr(fleet.spec_of({control.name: choice, **extra}), control.name) == choice


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--load", "sessions", "--swing", "0.5"), "--swing has no meaning without --day"),
        (("--load", "poisson", "--day", "10min"), "--day has no meaning for --load poisson"),
        (("--load", "diurnal", "--day", "0s"), "day = 0 s"),
        (("--load", "diurnal", "--day", "1 kg"), "--day"),
        (("--load", "diurnal", "--swing", "2"), "swing = 2, expected 0 to 1"),
    ],
)
def test_a_day_that_cannot_be_is_refused(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in here(capsys, "fleet", "run", *words).line
