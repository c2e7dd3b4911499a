"""Record one answer for the static site: a real question to the real model in a real browser, on this machine.

    .venv/bin/python tools/record_live.py ["QUESTION" ["PROMPT FOR THE LOOK INSIDE"]]

Asks several times, each in a fresh page, and keeps the answer that other programs disturbed least: the fastest. The
page's own measurement is kept, not what follows from it, with the date, the kind of machine and the forecast of that
day. Writes ``src/roundtrip/lab/recorded/answer.json``. Needs the weights, Node.js, Chromium, and the built site.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn

from roundtrip.cli.lab import listen
from roundtrip.engine.calibrate import processor
from roundtrip.lab import live, server
from roundtrip.lab.measured import read
from roundtrip.lab.own import own
from roundtrip.lab.room import Room

ROOT = Path(__file__).parents[1]
OUT = ROOT / "src" / "roundtrip" / "lab" / "recorded" / "answer.json"
QUESTION = "What is the capital of France?"
PROMPT = "The capital of France is"
TIMES = 7


def main(arguments: list[str]) -> int:
    """Record, and write."""
    question, prompt = [*arguments, *(QUESTION, PROMPT)[len(arguments) :]][:2]
    room, listening = Room(), listen(0)
    site = Path(os.environ.get("ROUNDTRIP_SITE", server.site()))
    config = uvicorn.Config(server.app(site, room=room), log_level="error", lifespan="off", ws="websockets-sansio")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        found = min((_asked(room, address, question) for _ in range(TIMES)), key=lambda each: each["measured_s"])
        measured = room.whole(found["raw"])  # the server keeps the times of its last answers
        measured["recorded"] = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "browser": found["browser"],
            "of": TIMES,
            "forecast": [live.kept(span) for span in live.forecast_of(read(measured)) if span.parent is None],
        }
        measured["browser"] = found["browser"]
        inside = {**own(room.loaded().engine, prompt), "recorded": {
            k: v for k, v in measured["recorded"].items() if k not in ("forecast", "of", "browser")
        }}  # fmt: skip
    finally:
        running.should_exit = True
        thread.join(10.0)
        room.close()
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"measured": measured, "inside": inside}, ensure_ascii=False, indent=1) + "\n", "utf-8")
    made = live.trip(measured)
    print(f"{OUT.relative_to(ROOT)}: “{measured['answer'].strip()}”, {made['measured_s']:.3f} s, "
          f"forecast {made['forecast_s']:.3f} s, not attributed {made['unattributed_share']:.2%}")  # fmt: skip
    return 0


def _asked(room: Room, address: str, question: str) -> dict[str, Any]:
    """Ask once, in a fresh page and with nothing of the prompt computed before."""
    room.loaded().scheduler.forget()
    told = subprocess.run(
        ["node", str(ROOT / "web" / "test" / "live.mjs"), "record", address, question],
        capture_output=True, text=True, check=True, cwd=ROOT / "web",
    )  # fmt: skip
    return json.loads(told.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
