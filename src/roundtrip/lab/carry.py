"""The carried prompt for the lab: what the page shows of each layer, and its run over the lab's WebSocket.

A page asks ``{"id": 3, "op": "carry", "prompt": "Hi!", "breaks": ["no-fec"]}`` and gets, each with its id,
``{"state": "keys"}`` for each part that begins, then ``{"carried": {...}}``. ``{"op": "carry", "stop": true}`` ends it;
a run that is ended stops where its next part would begin. One prompt is carried at a time, of all pages, and none is
written down.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from starlette.websockets import WebSocketDisconnect

from roundtrip.errors import DomainError, RoundtripError, ScenarioError
from roundtrip.journey.carry.breaks import BREAKS, read_breaks

if TYPE_CHECKING:
    from roundtrip.journey.carry import Carried
    from roundtrip.journey.carry.artifact import Artifact

Body = dict[str, Any]

LONGEST = 120  # characters of a prompt that is carried for a page
SEED = 1
MOST_TOKENS = 24
SHOWN_B, SHOWN_ROWS = 1_024, 40
LAYERS = {
    "keyboard": ("keyboard",),
    "computer": ("computer",),
    "network": ("network",),
    "light": ("optics",),
    "datacenter": ("datacenter", "model"),
    "display": ("display",),
    "eye": ("eye",),
}


class _EndedError(Exception):
    """Nobody waits for the run any more."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a page asks for: a prompt, and what is broken on its way."""

    prompt: str
    breaks: dict[str, float]


def asked(message: Body) -> Asked:
    """Return what a message asks for.

    Raises
    ------
    DomainError
        If the prompt is no text, empty, or too long.
    ScenarioError
        If something cannot be broken so.
    """
    prompt = message.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip() or len(prompt) > LONGEST:
        raise DomainError(f"the prompt: expected text of 1 to {LONGEST} characters")
    words: Any = message.get("breaks") or []
    if not isinstance(words, list) or len(cast("list[Any]", words)) > len(BREAKS):
        raise ScenarioError(f"breaks: expected a list of at most {len(BREAKS)} names")
    return Asked(prompt, read_breaks(str(word)[:60] for word in cast("list[Any]", words)))


def carried(one: Asked, progress: Callable[[str], None] | None = None) -> Carried:
    """Carry what was asked for over the way of the preset ``cloud``."""
    from roundtrip.journey.carry import carry

    return carry(one.prompt, "cloud", breaks=one.breaks, seed=SEED, max_tokens=MOST_TOKENS, progress=progress)


def payload(found: Carried) -> Body:
    """Return what the page shows of a carried prompt."""
    from roundtrip.journey.carry.carried import summary

    body = {key: value for key, value in summary(found).items() if key not in ("artifacts", "took_s", "model")}
    layers: list[Body] = []
    for key, rooms in LAYERS.items():
        here = [a for a in found.artifacts if a.stage.partition(".")[0] in rooms]
        shown = [made for each in here if (made := artifact(each))]
        layers.append({"key": key, "artifacts": shown})
    for note in body["notes"]:
        note["layer"] = layer_of(note["stage"])
    return {**body, "layers": layers}


def layer_of(stage: str) -> str:
    """Return the layer of the strip that a stage belongs to."""
    room = stage.partition(".")[0]
    return next((key for key, rooms in LAYERS.items() if room in rooms), "computer")


def artifact(one: Artifact) -> Body | None:
    """Return what the page shows of an artifact; None of arrays that have no picture."""
    from roundtrip.journey.carry.pictures import pictures
    from roundtrip.journey.carry.png import encode_png

    head = {"stage": one.stage, "name": one.name, "title": one.title, "kind": one.kind}
    if one.kind == "bytes":
        fields = [[f.name, f.value, f.offset, f.length] for f in one.fields if f.offset < SHOWN_B]
        body = {**head, "hex": one.data[:SHOWN_B].hex(), "size": len(one.data), "fields": fields}
        return {**body, "file": _base64(one.data)} if one.file == "pcapng" else body
    if one.kind == "table":
        names, *rows = one.data
        cells = [[str(cell) for cell in row] for row in rows[:SHOWN_ROWS]]
        return {**head, "columns": list(names), "rows": cells, "size": len(rows)}
    if one.kind == "text":
        return {**head, "text": one.data}
    images = pictures(one) if one.kind == "array" else {one.name: one.data}
    if not images:
        return None
    drawn = [
        {"png": _base64(encode_png(image)), "width": image.shape[1], "height": image.shape[0]}
        for image in images.values()
    ]
    parts = list(one.data) if one.name == "distances" else []
    return {**head, "kind": "image", "images": drawn, "parts": parts}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def breaks() -> list[Body]:
    """Return what can be broken, for the page."""
    return [{"name": name, "layer": layer_of(one.stage), "text": one.text} for name, one in BREAKS.items()]


def recorded() -> Body:
    """Return the trip of the static site, carried beforehand: ``tools/record_carry.py``."""
    text = files("roundtrip.lab").joinpath("recorded/carry.json").read_text(encoding="utf-8")
    return {"longest": LONGEST, "breaks": breaks(), **json.loads(text)}


class Line:
    """Of all pages: the one thread that carries, and whether it is taken."""

    def __init__(self) -> None:
        self.is_taken = False
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="carry")


class Carrying:
    """The run of one page.

    Parameters
    ----------
    send : callable
        Sends one text to the page.
    line : Line
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], line: Line) -> None:
        self.send = send
        self.line = line
        self.number: Any = None
        self.ended = threading.Event()
        self.task: asyncio.Task[None] | None = None

    async def take(self, message: Body) -> None:
        """Do what a message asks: stop, or carry anew."""
        await self.stop()
        if message.get("stop"):
            return
        self.number, self.ended = message.get("id"), threading.Event()
        self.task = asyncio.create_task(self._play(message))

    async def stop(self, tell: bool = True) -> None:
        """End the run, if there is one."""
        task, self.task = self.task, None
        if task is None or task.done():
            return
        self.ended.set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if tell:
            await self._say(dropped=True)

    async def _say(self, **body: Any) -> None:
        await self.send(json.dumps({"id": self.number, **body}, separators=(",", ":"), allow_nan=False))

    async def _play(self, message: Body) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):  # it vanished: there is nobody to tell
            if self.line.is_taken:
                await self._say(error="another page of this lab carries a prompt: try again in a moment")
                return
            self.line.is_taken = True
            try:
                await self._told(message)
            finally:
                self.line.is_taken = False

    async def _told(self, message: Body) -> None:
        try:
            one = asked(message)
            await self._say(state="keys")
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self.line.thread, self._carried, one, loop)
        except RoundtripError as error:
            await self._say(error=" ".join(str(error).split())[:600])
        except (ArithmeticError, ValueError, KeyError, TypeError, IndexError, MemoryError) as error:
            await self._say(error=f"this could not be carried ({type(error).__name__})")
        else:
            await self._say(carried=found)

    def _carried(self, one: Asked, loop: asyncio.AbstractEventLoop) -> Body:
        ended, number = self.ended, self.number

        def progress(part: str) -> None:
            if ended.is_set():
                raise _EndedError
            if part != "keys":
                text = json.dumps({"id": number, "state": part})
                asyncio.run_coroutine_threadsafe(_sent(self.send, text), loop)

        return payload(carried(one, progress))


async def _sent(send: Callable[[str], Awaitable[None]], text: str) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        await send(text)
