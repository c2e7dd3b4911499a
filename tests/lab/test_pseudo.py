"""The lab in a language that nobody speaks: what still stands there in English has no key."""

from __future__ import annotations

import http.server
import json
import re
import shutil
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from roundtrip.catalog.load import glossary
from roundtrip.lab.strings import pseudo
from tests.lab.rig import NODE, ROOT, WEB, needs_browser, needs_modules, run_node

pytestmark = [needs_browser, needs_modules]

# What comes out of the data keeps its language: equations, titles of spans with their times, meanings of inputs.
EQUATION_OR_TIME = re.compile(r"aria-label: (.*\d|\w+ = )")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def strange_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site with every text made strange, built beside the real one."""
    web = tmp_path_factory.mktemp("pseudo") / "web"
    kept = shutil.ignore_patterns("node_modules", "public", "test")
    shutil.copytree(WEB, web, ignore=kept)
    for name in ("node_modules", "public"):
        (web / name).symlink_to(WEB / name)
    (web / "strings" / "en.json").write_text(json.dumps(pseudo(), ensure_ascii=False), encoding="utf-8")
    site = web.parent / "site"
    subprocess.run(
        [NODE or "node", "node_modules/vite/bin/vite.js", "build", "--logLevel", "error", "--outDir", str(site)],
        cwd=web, check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    return site


def test_no_heading_button_label_or_name_is_without_its_key(strange_site: Path) -> None:
    if not (ROOT / "web/public/data/fills.json").is_file():
        pytest.skip("the data is not made: tools/build_web.sh")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(strange_site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        told = run_node("pseudo.mjs", f"http://127.0.0.1:{server.server_address[1]}/")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    meanings = {term.meaning[:100] for term in glossary().values()}
    found = {
        screen: left
        for screen, texts in told.items()
        if (left := [t for t in texts if not EQUATION_OR_TIME.match(t) and t.partition(": ")[2] not in meanings])
    }
    assert len(told) > 10
    assert not found, found
