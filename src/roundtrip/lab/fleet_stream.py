"""A day of the cluster over the lab's WebSocket: windows as the run goes on, one run a page, the newest question only.

A page asks ``{"id": 3, "op": "fleet", "set": {"replicas": 6}}`` and gets, each with its id, ``{"state": "starting"}``,
then ``{"head": {...}}``, then ``{"row": {...}, "number": 0}`` for each window, then ``{"summary": {...}}``. It says
``{"op": "fleet", "id": 3, "seen": 7}`` when it has taken window 7: a run is never more than `AHEAD` windows before its
page. A new question ends the run before, ``{"op": "fleet", "stop": true}`` ends it without another; who asked hears
``{"id": 3, "dropped": true}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.websockets import WebSocketDisconnect

from roundtrip.errors import RoundtripError

Body = dict[str, Any]

AHEAD = 16
PATIENCE_S = 60.0  # without a word from the page
MOST_RUNS = 4  # of all pages
EVENTS = 20_000  # at a time: some hundredths of a second when compiled
SLOW_EVENTS = 400


class Runs:
    """The runs of all pages: how many there are, and the one thread in which they go on by turns."""

    def __init__(self, most: int = MOST_RUNS) -> None:
        self.most = most
        self.count = 0
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="fleet")


class Stream:
    """The run of one page.

    Parameters
    ----------
    send : callable
        Sends one text to the page, and waits while the page is slow.
    runs : Runs
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], runs: Runs) -> None:
        self.send = send
        self.runs = runs
        self.number: Any = None
        self.seen = -1
        self.heard = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def take(self, message: Body) -> None:
        """Do what a message asks: go on, stop, or start anew."""
        if "seen" in message:
            seen = message["seen"]
            if message.get("id") == self.number and isinstance(seen, int) and not isinstance(seen, bool):
                self.seen = max(self.seen, min(seen, 10**6))
                self.heard.set()
            return
        await self.stop()
        if message.get("stop"):
            return
        self.number, self.seen = message.get("id"), -1
        self.task = asyncio.create_task(self._play(message))

    async def stop(self, tell: bool = True) -> None:
        """End the run, if there is one."""
        task, self.task = self.task, None
        if task is None or task.done():
            return
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if tell:
            await self._say(dropped=True)

    async def _say(self, **body: Any) -> None:
        await self.send(json.dumps({"id": self.number, **body}, separators=(",", ":"), allow_nan=False))

    async def _play(self, message: Body) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):  # it vanished: there is nobody to tell
            await self._told(message)

    async def _told(self, message: Body) -> None:
        if self.runs.count >= self.runs.most:
            await self._say(error="other pages of this lab are running a cluster: close one, or try again in a moment")
            return
        self.runs.count += 1
        try:
            await self._run(message)
        except RoundtripError as error:
            await self._say(error=" ".join(str(error).split())[:600])
        except TimeoutError:
            await self._say(error="the page did not follow the run, which was ended")
        except (ArithmeticError, ValueError, KeyError, TypeError, IndexError, MemoryError) as error:
            await self._say(error=f"this could not be computed ({type(error).__name__})")
        finally:
            self.runs.count -= 1

    async def _run(self, message: Body) -> None:
        from roundtrip.fleet.compiled import is_compiled, is_warm
        from roundtrip.lab.fleet import spec_of

        spec = spec_of(message.get("set"))
        compiled = is_compiled()
        await self._say(state="starting", cold=compiled and not is_warm(), slow=not compiled)
        loop = asyncio.get_running_loop()
        day = await loop.run_in_executor(self.runs.thread, _day, spec)
        await self._say(head=day.head())
        number = 0
        while not day.is_done:
            for row in await loop.run_in_executor(self.runs.thread, day.go, EVENTS if compiled else SLOW_EVENTS):
                await self._say(row=row, number=number)
                number += 1
            while number - self.seen > AHEAD:
                self.heard.clear()
                await asyncio.wait_for(self.heard.wait(), PATIENCE_S)
        await self._say(summary=await loop.run_in_executor(self.runs.thread, day.summary))


def _day(spec: Any) -> Any:
    from roundtrip.lab.fleet_day import Day

    return Day(spec)
