"""The lab in a real Chromium: what it asks for, who can use it, and how, without mouse, without 3D, on a phone."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from roundtrip.lab import export
from tests.lab.rig import needs_browser, needs_site, run_node, serving, warm

pytestmark = [needs_browser, needs_site]


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    warm()
    with serving() as port:
        yield f"http://127.0.0.1:{port}/"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The exported folder behind the plainest of static servers, not at its root."""
    folder = tmp_path_factory.mktemp("static")
    export.site(folder / "some" / "folder")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/some/folder/"
    server.shutdown()
    server.server_close()
    thread.join()


def _told(found: dict[str, Any], start: str) -> None:
    for screen, noted in found.items():
        outside = [url for url in noted["requests"] if not url.startswith((start, "data:", "blob:", "ws://127.0.0.1"))]
        assert not outside, (screen, outside)
        assert not noted["errors"], (screen, noted["errors"][:3])
        assert noted["heading"], screen


def test_no_request_leaves_this_machine_and_nothing_goes_wrong(lab: str) -> None:
    _told(run_node("browser.mjs", "requests", lab), lab)


def test_the_export_opens_from_a_static_server(static: str) -> None:
    _told(run_node("browser.mjs", "requests", static), static)


def test_the_single_file_opens_from_a_disk(tmp_path: Path) -> None:
    file = tmp_path / "lab.html"
    file.write_text(export.single_file(), encoding="utf-8")
    found = run_node("browser.mjs", "requests", file.as_uri())
    _told(found, file.as_uri())
    for screen, noted in found.items():
        assert len([url for url in noted["requests"] if url.startswith("file:")]) == 1, screen


def test_the_first_screen_is_useful_before_3d_is_there(lab: str) -> None:
    told = run_node("browser.mjs", "first", lab)
    for screen, shown in told.items():
        assert len(shown["text"]) > 500, screen
        assert shown["drawn"] == 1, screen
        assert not shown["stray"], (screen, shown["stray"][:3])
    for size in ("laptop", "phone"):
        assert "whole answer" in told[f"{size} journey"]["text"]


def test_axe_finds_nothing(lab: str) -> None:
    """WCAG 2.0 to 2.2, A and AA, and axe's best practice: dark, light, forced colors, narrow, with 3D and without."""
    found = run_node("axe.mjs", lab, timeout=600)
    assert len(found) >= 60
    wrong = {place: violations for place, violations in found.items() if violations}
    assert not wrong, json.dumps(wrong, indent=1)[:6_000]


def test_every_control_is_reached_by_tab_named_and_ringed(lab: str) -> None:
    for screen, told in run_node("walk.mjs", "tab", lab, timeout=600).items():
        assert told["reached"] >= 10, screen
        assert not told["trapped"], screen
        for what in ("missed", "unnamed", "unringed", "hidden"):
            assert not told[what], (screen, what, told[what][:6])


def test_every_journey_is_walked_by_keyboard_alone(lab: str) -> None:
    for journey, steps in run_node("walk.mjs", "keys", lab, timeout=600).items():
        assert all(steps.values()), (journey, steps)


def test_every_screen_is_walked_by_touch(lab: str) -> None:
    for journey, steps in run_node("walk.mjs", "touch", lab, timeout=600).items():
        assert all(steps.values()), (journey, steps)


def test_without_webgl_the_numbers_are_the_same(lab: str) -> None:
    told = run_node("walk.mjs", "flat", lab, timeout=600)
    for screen, flat in told["flat"].items():
        deep = told["gl"][screen]
        assert not flat["errors"], (screen, flat["errors"][:3])
        assert flat["canvas"] == 0, screen
        assert set(deep["numbers"]) <= set(flat["numbers"]), (screen, set(deep["numbers"]) - set(flat["numbers"]))
    for screen in ("", "word") if run_node("browser.mjs", "webgl", lab) else ():
        assert told["gl"][screen]["canvas"] >= 1, screen


def test_nothing_is_wider_than_a_narrow_screen_and_targets_are_large_enough(lab: str) -> None:
    for screen, told in run_node("walk.mjs", "reflow", lab, timeout=600).items():
        assert told["wide"] <= 0, (screen, told["wide"])
        assert not told["small"], (screen, told["small"][:8])


def test_nothing_is_drawn_when_nothing_moves(lab: str) -> None:
    for place, frames in run_node("walk.mjs", "still", lab, timeout=600).items():
        assert frames == 0, (place, frames)
