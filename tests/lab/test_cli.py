"""``roundtrip lab`` and ``roundtrip export`` on the command line."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from roundtrip.lab import export, server
from tests.cli.run import here
from tests.lab.rig import ROOT, needs_site, serving

Capture = pytest.CaptureFixture[str]


def _lab(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "lab", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=ROOT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


@needs_site
def test_the_lab_prints_its_address_serves_and_closes() -> None:
    started = time.monotonic()
    with _lab("--port", "0") as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        assert found, said
        connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"<title>" in answer.read()
        connection.close()
        assert time.monotonic() - started < 10.0
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=10)
    assert running.returncode == 0
    assert out + err == ""


@needs_site
def test_a_second_lab_on_the_same_port_says_so_and_offers_the_next(capsys: Capture) -> None:
    with serving() as port:
        ran = here(capsys, "lab", "--port", str(port))
    assert f"port {port} is taken by another lab" in ran.line
    offered = re.search(r"roundtrip lab --port (\d+)", ran.line)
    assert offered
    assert int(offered[1]) > port


@needs_site
def test_a_port_of_another_program_is_named(capsys: Capture) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ran = here(capsys, "lab", "--port", str(other.getsockname()[1]))
    assert "is taken by another program" in ran.line


def test_a_site_that_is_not_built_is_one_line_with_the_way_to_build_it(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "site", lambda: tmp_path)
    line = here(capsys, "lab").line
    assert "not built" in line
    assert "make lab" in line
    monkeypatch.setattr(export, "__file__", str(tmp_path / "export.py"))
    for arguments in (["--site", str(tmp_path / "out")], ["--single-file", str(tmp_path / "lab.html")]):
        assert "make lab" in here(capsys, "export", *arguments).line
    assert not (tmp_path / "out").exists()


@needs_site
def test_export_writes_a_folder_and_writes_it_again(capsys: Capture, tmp_path: Path) -> None:
    target = tmp_path / "site"
    assert here(capsys, "export", "--site", str(target)).code == 0
    assert (target / "index.html").is_file()
    assert (target / "data" / "lab.json").is_file()
    assert "127.0.0.1" not in (target / "index.html").read_text(encoding="utf-8")
    (target / "assets" / "stale.js").write_text("old", encoding="utf-8")
    assert here(capsys, "export", "--site", str(target)).code == 0
    assert not (target / "assets" / "stale.js").exists()


@needs_site
def test_export_touches_no_folder_of_somebody_else(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine", encoding="utf-8")
    assert "holds other files" in here(capsys, "export", "--site", str(tmp_path)).line
    assert "is a file" in here(capsys, "export", "--site", str(tmp_path / "letter.txt")).line
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "mine"
    assert "cannot be written" in here(capsys, "export", "--single-file", str(tmp_path)).line


@needs_site
def test_a_single_file_holds_everything(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "lab.html"
    assert here(capsys, "export", "--single-file", str(file)).code == 0
    page = file.read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!data:|#)[^"]*\.(?:js|css|woff2|json|svg)"', page.partition("<script")[0])
    assert "script-src 'sha256-" in page
    assert "unsafe" not in page.partition("</head>")[0].partition("<style")[0]
    assert page.count('<script type="application/json"') >= 15
    assert "SIL OPEN FONT LICENSE" in page
    assert "three 0." in page
