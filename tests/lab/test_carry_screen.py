"""The screen of the carried prompt: what it is given is what `carry` found, and bad questions get one line."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("websockets")

from websockets.asyncio.client import ClientConnection, connect

from roundtrip.errors import DomainError, ScenarioError
from roundtrip.journey.carry import BREAKS, Carried, carry
from roundtrip.lab import carry as screen
from tests.lab.rig import serving


@pytest.fixture(scope="module")
def found() -> Carried:
    return carry("Hi!", seed=screen.SEED, answer="Hello.")


def test_every_layer_has_something_to_see(found: Carried) -> None:
    body = screen.payload(found)
    assert [layer["key"] for layer in body["layers"]] == list(screen.LAYERS)
    assert all(layer["artifacts"] for layer in body["layers"])
    json.dumps(body, allow_nan=False)


def test_the_page_has_what_carry_found(found: Carried) -> None:
    body = screen.payload(found)
    assert (body["prompt"], body["received"], body["read"]) == (found.prompt, found.received, found.read)
    assert body["is_whole"] == found.is_whole
    assert [note["text"] for note in body["notes"]] == [note.text for note in found.notes]
    by_name = {(a.stage, a.name): a for a in found.artifacts}
    for layer in body["layers"]:
        for shown in layer["artifacts"]:
            one = by_name[shown["stage"], shown["name"]]
            if shown["kind"] == "bytes":
                assert bytes.fromhex(shown["hex"]) == one.data[: screen.SHOWN_B]
                assert shown["size"] == len(one.data)
                assert "file" not in shown or base64.b64decode(shown["file"]) == one.data
            elif shown["kind"] == "table":
                assert shown["rows"] == [[str(c) for c in row] for row in one.data[1 : screen.SHOWN_ROWS + 1]]
            elif shown["kind"] == "image":
                assert all(base64.b64decode(i["png"]).startswith(b"\x89PNG") for i in shown["images"])
            else:
                assert shown["text"] == one.data


def test_captures_can_be_taken_along(found: Carried) -> None:
    network = next(layer for layer in screen.payload(found)["layers"] if layer["key"] == "network")
    assert {a["name"] for a in network["artifacts"] if "file" in a} == {"client", "server"}


def test_every_break_has_a_layer() -> None:
    assert [each["name"] for each in screen.breaks()] == list(BREAKS)
    assert {each["layer"] for each in screen.breaks()} <= set(screen.LAYERS)


@pytest.mark.parametrize("prompt", [None, 7, "", "  ", "a" * (screen.LONGEST + 1), ["Hi"]])
def test_a_prompt_that_cannot_be(prompt: Any) -> None:
    with pytest.raises(DomainError, match="the prompt"):
        screen.asked({"prompt": prompt})


@pytest.mark.parametrize("breaks", ["no-fec", {"no-fec": 1}, ["no-such"], ["packet-loss=2"], ["no-fec"] * 2, [7]])
def test_breaks_that_cannot_be(breaks: Any) -> None:
    with pytest.raises(ScenarioError):
        screen.asked({"prompt": "Hi", "breaks": breaks})


async def _last(socket: ClientConnection, number: int) -> dict[str, Any]:
    while True:
        body = json.loads(await socket.recv())
        if body["id"] == number and {"carried", "error", "dropped"} & set(body):
            return body


def test_over_the_socket(monkeypatch: pytest.MonkeyPatch, found: Carried) -> None:
    def quick(one: screen.Asked, progress: Any = None) -> Carried:
        progress("way")
        return found

    monkeypatch.setattr(screen, "carried", quick)

    async def talk(port: int) -> None:
        async with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as socket:
            await socket.send(json.dumps({"id": 1, "op": "carry", "prompt": ""}))
            assert "the prompt" in (await _last(socket, 1))["error"]
            await socket.send(json.dumps({"id": 2, "op": "carry", "prompt": "Hi!"}))
            assert (await _last(socket, 2))["carried"] == screen.payload(found)
            await socket.send(json.dumps({"id": 3, "op": "carry", "prompt": "Hi!", "breaks": ["none"]}))
            assert "--break" in (await _last(socket, 3))["error"]

    with serving() as port:
        asyncio.run(asyncio.wait_for(talk(port), 60.0))


def test_one_at_a_time_and_ended_when_asked(monkeypatch: pytest.MonkeyPatch, found: Carried) -> None:
    import threading

    go = threading.Event()

    def slow(one: screen.Asked, progress: Any = None) -> Carried:
        go.wait(30.0)
        progress("way")
        return found

    monkeypatch.setattr(screen, "carried", slow)

    async def talk(port: int) -> None:
        address = f"ws://127.0.0.1:{port}/ws"
        async with connect(address, max_size=None) as one, connect(address, max_size=None) as two:
            await one.send(json.dumps({"id": 1, "op": "carry", "prompt": "Hi!"}))
            assert json.loads(await one.recv())["state"] == "keys"
            await two.send(json.dumps({"id": 1, "op": "carry", "prompt": "Hi!"}))
            assert "another page" in (await _last(two, 1))["error"]
            await one.send(json.dumps({"op": "carry", "stop": True}))
            assert (await _last(one, 1))["dropped"]
            go.set()
            await two.send(json.dumps({"id": 2, "op": "carry", "prompt": "Hi!"}))
            assert "carried" in await _last(two, 2)

    with serving() as port:
        asyncio.run(asyncio.wait_for(talk(port), 60.0))
