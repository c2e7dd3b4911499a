"""The server: answers, what it refuses, and 200 clients that mean no good."""

from __future__ import annotations

import asyncio
import json
import os
import random
import struct
from http.client import HTTPConnection
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("websockets")

import websockets
from websockets.asyncio.client import connect

from roundtrip.lab import server
from tests.lab.rig import needs_site, serving

CLIENTS = 200


def _run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, 120.0))


async def _ask(port: int, **message: Any) -> dict[str, Any]:
    async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
        await socket.send(json.dumps({"id": 1, "op": "trip", "samples": 0, **message}))
        return json.loads(await socket.recv())


@pytest.fixture(scope="module")
def port() -> Any:
    with serving() as found:
        yield found


def _get(port: int, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body


@needs_site
def test_every_answer_has_the_policy(port: int) -> None:
    for path in ("/", "/data/lab.json", "/icon.svg", "/nothing"):
        _, headers, _ = _get(port, path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@needs_site
def test_the_page_has_no_script_of_its_own(port: int) -> None:
    _, _, body = _get(port, "/")
    page = body.decode()
    assert "<script>" not in page
    assert "onload=" not in page
    assert "http://" not in page.replace("http-equiv", "")
    assert "https://" not in page
    assert 'name="roundtrip-live"' in page


@needs_site
def test_nothing_outside_the_site_is_served(port: int) -> None:
    for path in (
        "/../server.py",
        "/%2e%2e/server.py",
        "/data/../../server.py",
        "/..%2fserver.py",
        "//etc/passwd",
        "/%00",
    ):
        status, _, body = _get(port, path)
        assert status in (400, 404), path
        assert b"import" not in body


def test_another_name_of_this_machine_is_not_answered(port: int) -> None:
    assert _get(port, "/", Host="evil.example")[0] == 421
    assert _get(port, "/", Host=f"localhost:{port}")[0] in (200, 404, 500)


def test_a_page_of_another_site_is_not_answered(port: int) -> None:
    async def work() -> None:
        with pytest.raises(websockets.exceptions.InvalidStatus):
            async with connect(f"ws://127.0.0.1:{port}/ws", origin=websockets.Origin("https://evil.example")):
                pass

    _run(work())


def test_a_trip_with_choices_and_values(port: int) -> None:
    made = _run(_ask(port, set={"network.access": "starlink", "prompt.reply.output_tokens": 500}))
    trace = made["trace"]
    assert made["id"] == 1
    assert trace["scenario"]["choices"]["network.access"] == "starlink"
    assert trace["summary"]["tokens"] == pytest.approx(500.0)


def test_a_comparison_and_an_account(port: int) -> None:
    made = _run(_ask(port, op="compare", a="cloud", b="device", samples=0))
    assert made["comparison"]["sentence"]
    made = _run(_ask(port, op="energy", boundary=["chip", "pue"], hour_h=12.0, samples=0))
    assert [part["part"] for part in made["account"]["parts"]] == ["chip", "pue"]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"scenario": "/etc/passwd"}, "no preset"),
        ({"scenario": "../../secret"}, "no preset"),
        ({"scenario": 7}, "no preset"),
        ({"scenario": "clowd"}, "did you mean 'cloud'"),
        ({"samples": 10**9}, "allowed: 0, or 4 to"),
        ({"samples": True}, "allowed"),
        ({"samples": -1}, "allowed"),
        ({"set": {"network.access": "pigeon"}}, "not in access_networks"),
        ({"set": {"model.serving.utilization": "1e999"}}, "model.serving.utilization"),
        ({"set": {"model.serving.utilization": "nan"}}, "model.serving.utilization"),
        ({"set": {f"a{i}": 1 for i in range(100)}}, "at most 64"),
        ({"set": [1]}, "at most 64"),
        ({"set": {"": ""}}, "unknown key"),
        ({"prompt": "x" * (server.LONGEST_PROMPT + 1)}, f"at most {server.LONGEST_PROMPT:,}"),
        ({"prompt": ""}, "empty"),
        ({"op": "energy", "boundary": ["moon"]}, "no part"),
        ({"op": "energy", "hour_h": 99}, "allowed: 0 to 24"),
        ({"op": "energy", "scenario": "concept"}, "draws no electricity"),
    ],
)
def test_what_cannot_be_is_one_line(port: int, message: dict[str, Any], says: str) -> None:
    made = _run(_ask(port, **message))
    assert says in made["error"]
    assert "\n" not in made["error"]


def test_the_newest_question_is_answered_and_older_ones_are_dropped(port: int) -> None:
    async def work() -> list[dict[str, Any]]:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            for number in range(1, 31):
                await socket.send(json.dumps({"id": number, "op": "trip", "samples": 2500}))
            told: list[dict[str, Any]] = []
            while len(told) < 30:
                told.append(json.loads(await socket.recv()))
            return told

    told = _run(work())
    assert {made["id"] for made in told} == set(range(1, 31))
    assert "trace" in next(made for made in told if made["id"] == 30)
    assert sum("trace" in made for made in told) < 15
    assert all("trace" in made or made.get("dropped") for made in told)


async def _rubbish(port: int, number: int) -> str:
    """Be one of the clients that mean no good; what happened."""
    rng = random.Random(number)
    kind = number % 8
    try:
        if kind == 0:  # a socket that says hello and falls silent
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n")
            await asyncio.sleep(0.5)
            writer.transport.abort()
            return "silent"
        if kind == 1:  # bytes that are no HTTP
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(rng.randbytes(4_000))
            await asyncio.sleep(0.1)
            writer.transport.abort()
            return "noise"
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None, open_timeout=60) as socket:
            if kind == 2:  # text that is no JSON, again and again
                for _ in range(100):
                    await socket.send("{" * rng.randint(1, 500))
            elif kind == 3:  # far too much
                await socket.send("x" * 5_000_000)
            elif kind == 4:  # bytes, and JSON of the wrong shape
                await socket.send(rng.randbytes(1_000))
                for text in ("[]", "7", "null", '"x"', '{"op":7}', '{"op":"rm"}', '{"id":{},"op":"trip"}', "[" * 9_000):
                    await socket.send(text)
            elif kind == 5:  # asks and vanishes without a word
                await socket.send(json.dumps({"id": 1, "op": "trip", "samples": 2500}))
                socket.transport.abort()
                return "vanished"
            elif kind == 6:  # asks without end and never reads
                for i in range(200):
                    await socket.send(json.dumps({"id": i, "op": "trip", "samples": 0}))
                await asyncio.sleep(0.5)
                socket.transport.abort()
                return "deaf"
            else:  # a broken frame
                socket.transport.write(b"\xff" + struct.pack(">Q", 2**63) + rng.randbytes(64))
            await asyncio.wait_for(socket.wait_closed() if kind in (2, 3, 7) else socket.recv(), 60.0)
    except (OSError, TimeoutError, websockets.exceptions.WebSocketException, EOFError) as error:
        return type(error).__name__
    return "closed"


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_two_hundred_clients_that_mean_no_good() -> None:
    async def attack(port: int) -> tuple[list[Any], dict[str, Any]]:
        clients = [asyncio.create_task(_rubbish(port, number)) for number in range(CLIENTS)]
        await asyncio.sleep(0.3)
        amid = await asyncio.wait_for(_ask(port, scenario="cloud"), 60.0)  # one honest reader among them
        return list(await asyncio.gather(*clients, return_exceptions=True)), amid

    with serving() as port:
        before = _open_files()
        ends, amid = _run(attack(port))
        assert "trace" in amid
        assert not [end for end in ends if isinstance(end, BaseException)]
        after = _run(_ask(port, scenario="satellite"))
        assert after["trace"]["scenario"]["name"] == "satellite"
        assert _open_files() <= before + 20


def test_a_message_that_is_no_text_or_too_long_ends_the_talk(port: int) -> None:
    async def work() -> tuple[int, int]:
        async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
            await socket.send("x" * (server.LARGEST_B + 1))
            await socket.wait_closed()
            long = socket.close_code or 0
        async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
            for _ in range(server.PATIENCE):
                await socket.send("no JSON")
            await socket.wait_closed()
            return long, socket.close_code or 0

    assert _run(work()) == (1009, 1008)
