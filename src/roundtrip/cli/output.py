"""What all verbs share: writing whole files or none, the width and the colors of the terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from roundtrip.errors import OutputError

F = TypeVar("F", bound=Callable[..., Any])


def as_json(function: F) -> F:
    """Give a verb the option ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def say(text: str) -> None:
    """Print a text, in ASCII where standard output knows nothing else."""
    try:
        click.echo(text, nl=not text.endswith("\n"), color=True)
    except UnicodeEncodeError:
        from roundtrip.trace.table import ascii_only

        click.echo(ascii_only(text), nl=not text.endswith("\n"), color=True)


def say_page(text: str) -> None:
    """Print a page of a verb: in ASCII alone where the output knows no more."""
    from roundtrip.trace.table import ascii_only

    say(text if knows_unicode() else ascii_only(text))


def check_svg(*paths: str | None) -> None:
    """Refuse a plot whose name says that it is no SVG."""
    for path in paths:
        if path is not None and not path.lower().endswith(".svg"):
            raise OutputError(f"{path}: a plot is written as SVG, expected a name that ends in .svg")


def say_json(body: Any) -> None:
    """Print an object as JSON."""
    import json

    text = json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        click.echo(text)
    except UnicodeEncodeError:
        click.echo(json.dumps(body, indent=2, allow_nan=False))


def width() -> int:
    """Return the columns to fill: the terminal's, those that ``COLUMNS`` says, or 100 in a pipe."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return shutil.get_terminal_size((100, 24)).columns
    return 100


def color() -> bool:
    """Say whether to paint: on a terminal not dumb, or where ``FORCE_COLOR`` is set; never with ``NO_COLOR``."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def knows_unicode() -> bool:
    """Say whether standard output can print the characters of the bars."""
    try:
        "█╱–µ".encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write_whole(path: str, text: str | bytes | Iterable[str]) -> None:
    """Write a file whole, or leave what was there: a file beside it takes its name when it is complete.

    Text that comes in parts is written as it comes.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    if path == "-":
        raise OutputError("'-': cannot be written: expected the name of a file, for example /dev/stdout")
    target = Path(path)
    parts = [text] if isinstance(text, (str, bytes)) else text
    body = (part.encode("utf-8") if isinstance(part, str) else part for part in parts)
    draft: str | None = None
    try:
        if target.exists() and not target.is_file():  # a pipe, /dev/stdout: nothing to replace
            if target.is_dir():
                raise IsADirectoryError(21, "is a folder, expected the name of a file")
            with target.open("wb") as pipe:
                pipe.writelines(body)
            return
        if target.is_file() and not os.access(target, os.W_OK):
            raise PermissionError(13, "is write-protected")
        mode = target.stat().st_mode & 0o777 if target.is_file() else 0o666 & ~_umask()
        handle, draft = tempfile.mkstemp(dir=target.resolve().parent, prefix=f".{target.name[:40]}.")
        with os.fdopen(handle, "wb") as file:
            file.writelines(body)
        os.chmod(draft, mode)
        os.replace(draft, target.resolve())
    except BrokenPipeError:  # /dev/stdout into a reader that has gone
        raise
    except (OSError, ValueError) as error:
        _drop(draft)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OutputError(f"{path or repr(path)}: cannot be written: {reason}") from None
    except BaseException:  # interrupted, or what comes in parts broke off
        _drop(draft)
        raise


def _drop(draft: str | None) -> None:
    if draft:
        with contextlib.suppress(OSError):
            os.unlink(draft)


def check_apart(paths: dict[str, str | None]) -> None:
    """Refuse one file for two options, of which the second would wipe out the first.

    Raises
    ------
    OutputError
        If two options name the same file.
    """
    taken: dict[str, str] = {}
    for option, path in paths.items():
        place = os.path.realpath(path) if path and "\0" not in path else ""
        if not place or (os.path.exists(place) and not os.path.isfile(place)):  # a pipe takes both, one after the other
            continue
        if place in taken:
            raise OutputError(f"{path}: given for {taken[place]} and {option}, expected a file for each")
        taken[place] = option


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
