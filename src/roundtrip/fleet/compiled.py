"""Compile the event loop where Numba is installed; otherwise the same functions run as they stand, slowly.

Compiled code is kept between runs in a folder that is named after the sources of the loop, so that a change in any of
them never meets old code. ``ROUNDTRIP_FLEET=python`` runs without Numba.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

CONSTANTS = ("layout", "deployment")  # whose numbers are part of compiled code


@cache
def is_compiled() -> bool:
    """Say whether the event loop is compiled on this machine."""
    return os.environ.get("ROUNDTRIP_FLEET") != "python" and find_spec("numba") is not None


@cache
def folder() -> Path:
    """Return where compiled code is kept: under the user's cache, by the digest of what is compiled or read by it."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source or path.stem in CONSTANTS:
            digest.update(source)
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "roundtrip" / "fleet" / digest.hexdigest()[:16]


def is_warm() -> bool:
    """Say whether compiled code of an earlier run is there."""
    return is_compiled() and any(folder().rglob("*.nbi"))


def compiled(function: F) -> F:
    """Compile a function on its first call, or return it as it is."""
    if not is_compiled():
        return function
    numba: Any = import_module("numba")
    config: Any = import_module("numba.core.config")
    before = config.CACHE_DIR
    try:
        folder().mkdir(parents=True, exist_ok=True)
        config.CACHE_DIR = str(folder())
        return numba.njit(cache=True, _nrt=False)(function)  # nothing is allocated: references need no counting
    except OSError:  # nowhere to write: compile anew in each process
        return numba.njit(_nrt=False)(function)
    finally:
        config.CACHE_DIR = before


def merged(function: F) -> F:
    """Compile a function into the one that calls it: for what is called from one place, at every event."""
    if not is_compiled():
        return function
    numba: Any = import_module("numba")
    return numba.njit(_nrt=False, forceinline=True)(function)
