"""What the tests of the lab share: the built site, node, Chromium, a server of their own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
SITE = ROOT / "src" / "roundtrip" / "lab" / "site"
GENERATED = WEB / "src" / "generated"


def _node() -> str | None:
    """Return a Node.js that Vite runs on: the system's, or the one that tools/build_web.sh put into the environment."""
    for found in (shutil.which("node"), str(ROOT / ".venv" / "node" / "node")):
        if found and Path(found).exists():
            said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
            if said.startswith("v") and int(said[1:].partition(".")[0]) >= 20:
                return found
    return None


NODE = _node()
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)

needs_node = pytest.mark.skipif(NODE is None, reason="node is missing")
needs_modules = pytest.mark.skipif(
    NODE is None or not (GENERATED / "index.js").is_file(),
    reason="the closed forms are not printed: tools/build_web.sh",
)
needs_site = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: tools/build_web.sh")
# Walks in a real browser take minutes and lean on the machine: `make browser` runs them, `make test` names them.
needs_browser = pytest.mark.skipif(
    os.environ.get("ROUNDTRIP_BROWSER") != "1"
    or not CHROMIUM
    or NODE is None
    or not (WEB / "node_modules" / "playwright-core").is_dir(),
    reason="walks in a real browser: make browser (with Chromium, node and playwright-core)",
)


def run_node(script: str, *arguments: str, timeout: float = 300.0) -> Any:
    """Run a script of ``web/test``; it prints one JSON document.

    A script that takes longer is asked to end, so that it takes its Chromium with it, and what it was at is shown.
    """
    environment = {**os.environ, "ROUNDTRIP_CHROMIUM": CHROMIUM}
    running = subprocess.Popen(
        [NODE or "node", str(WEB / "test" / script), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=WEB, env=environment, encoding="utf-8",
    )  # fmt: skip
    with running:
        try:
            out, told = running.communicate(timeout=timeout)
        except BaseException as stopped:
            running.terminate()
            try:
                out, told = running.communicate(timeout=15.0)
            except subprocess.TimeoutExpired:
                running.kill()
                out, told = running.communicate()
            if isinstance(stopped, subprocess.TimeoutExpired):
                pytest.fail(
                    f"{script} {arguments[0] if arguments else ''}: {timeout:g} s were not enough\n{told[-2000:]}"
                )
            raise
    assert running.returncode == 0, out[-2000:] + told[-4000:]
    if told.strip():
        print(told[-4000:])  # noqa: T201 - pytest shows it beside a failure
    return json.loads(out.strip().splitlines()[-1])


@contextlib.contextmanager
def serving(folder: Path | None = None) -> Iterator[int]:
    """Serve the lab on a free port of this machine, as ``roundtrip lab`` does; the port.

    What is served is a copy: a site that is built anew meanwhile is not half of one and half of the other.
    """
    uvicorn = pytest.importorskip("uvicorn")
    pytest.importorskip("websockets")
    from roundtrip.lab import server

    copied = None
    if folder is None and (SITE / "index.html").is_file():
        copied = tempfile.TemporaryDirectory(prefix="roundtrip-test-")
        folder = Path(copied.name) / "site"
        shutil.copytree(SITE, folder)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(512)
    config = uvicorn.Config(
        server.app(folder), log_level="error", lifespan="off", ws="websockets-sansio", ws_max_size=server.LARGEST_B,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    end = time.monotonic() + 10.0
    while not running.started and time.monotonic() < end:
        time.sleep(0.01)
    try:
        yield listening.getsockname()[1]
    finally:
        running.should_exit = True
        thread.join(10.0)
        listening.close()
        if copied:
            copied.cleanup()


def warm() -> None:
    """Let the cluster's event loop be compiled before a page waits for it: a busy machine takes minutes, once."""
    from roundtrip.lab import fleet
    from roundtrip.lab.fleet_day import Day

    Day(fleet.spec_of({"rate": 1.0})).go(1_000)


def scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="roundtrip-test-"))
