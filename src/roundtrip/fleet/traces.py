"""Read a trace of requests: Azure's CSV, Mooncake's JSON lines, or our own CSV and JSON lines.

==========  ==========================  ===================================================================
form        required                    optional
==========  ==========================  ===================================================================
our own     arrival_s, prompt_tokens,   session, priority; in JSON lines also blocks (ids of the prompt's
            output_tokens               blocks, so many tokens each as ``block_tokens`` says); cancel_s (the client
                                        hangs up so long after its arrival; empty: never), reasoning_tokens (those of
                                        output_tokens that come before what is shown)
Azure       TIMESTAMP, ContextTokens,
            GeneratedTokens
Mooncake    timestamp (ms),             hash_ids: blocks of 512 tokens
            input_length,
            output_length
Vidur       arrived_at,
            num_prefill_tokens,
            num_decode_tokens
==========  ==========================  ===================================================================

Times start with the first arrival. A line that cannot be meant is named. An answer of zero tokens is one token, as a
real server would give: the end of a prompt yields one.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from roundtrip.errors import DomainError, nearest
from roundtrip.fleet.workload import MOST_TOKENS, Workload

# arrival, prompt, output of each form, and what one unit of its time is in seconds (0: a date).
FORMS = {
    "own": ("arrival_s", "prompt_tokens", "output_tokens", 1.0),
    "azure": ("TIMESTAMP", "ContextTokens", "GeneratedTokens", 0.0),
    "mooncake": ("timestamp", "input_length", "output_length", 1e-3),
    "vidur": ("arrived_at", "num_prefill_tokens", "num_decode_tokens", 1.0),
}
BLOCK_TOKENS = 512
SHOWN = 40  # characters of a bad cell


def read(
    path: str | Path, *, block_tokens: int = BLOCK_TOKENS, sort: bool = False, most: int | None = None
) -> Workload:
    """Read a trace.

    Parameters
    ----------
    path : str or Path
        A CSV file with a header, or JSON lines (a name that ends in ``.jsonl``, or a first character ``{``).
    block_tokens : int
        Tokens of a block of the prompt, where the trace names blocks.
    sort : bool
        Put the requests in the order of their arrivals, instead of naming the first line that is out of order.
    most : int, optional
        Read only so many requests.

    Raises
    ------
    DomainError
        If the file is no trace, or a line of it cannot be meant: its name, line, column and value.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DomainError(f"{file}: not UTF-8 ({error.reason} at byte {error.start})") from None
    if not text.strip():
        raise DomainError(f"{file}: empty, expected a trace of requests")
    is_json = file.suffix in (".jsonl", ".json", ".ndjson") or text.lstrip()[0] == "{"
    table, lines = _json_lines(text, file, most) if is_json else _csv(text, file, most)
    return _workload(file, table, lines, block_tokens, sort)


def _csv(text: str, file: Path, most: int | None) -> tuple[dict[str, Sequence[Any]], list[int]]:
    """Return the columns of a CSV file, and the line of each row."""
    reader = csv.reader(text.splitlines())
    names = [name.strip() for name in next(reader)]
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if not row:
                continue
            if len(row) != len(names):
                raise DomainError(f"{file}: line {reader.line_num}: {len(row)} fields, the header has {len(names)}")
            rows.append(row)
            lines.append(reader.line_num)
            if most is not None and len(rows) >= most:
                break
    except csv.Error as error:
        raise DomainError(f"{file}: line {reader.line_num}: {error}") from None
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ()), lines


def _json_lines(text: str, file: Path, most: int | None) -> tuple[dict[str, Sequence[Any]], list[int]]:
    """Return the values of JSON lines by name, and the line of each; the first line says which names there are."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DomainError(f"{file}: line {number}: no JSON: {error}") from None
        if not isinstance(row, dict):
            raise DomainError(f"{file}: line {number}: expected an object, not {type(row).__name__}")
        rows.append(cast("dict[str, Any]", row))
        lines.append(number)
        if most is not None and len(rows) >= most:
            break
    names = list(rows[0])
    for row, number in zip(rows, lines, strict=True):
        for name in names:
            if name not in row:
                raise DomainError(f"{file}: line {number}: {name!r} is missing")
    return {name: [row[name] for row in rows] for name in names}, lines


def _form(names: Iterable[str], file: Path) -> str:
    """Return which form has all its columns, or say what the nearest one misses."""
    there = set(names)
    missing = {form: [c for c in columns[:3] if c not in there] for form, columns in FORMS.items()}
    best = min(missing, key=lambda form: len(missing[form]))
    if missing[best]:
        gone = missing[best][0]
        raise DomainError(
            f"{file}: line 1: the column {gone!r} is missing{nearest(gone, there)}; "
            f"it has {', '.join(sorted(there))[:200]}"
        )
    return best


def _workload(file: Path, table: dict[str, Sequence[Any]], lines: list[int], block_tokens: int, sort: bool) -> Workload:
    form = _form(table, file)
    arrival, prompt, output, unit_s = FORMS[form]
    if not lines:
        raise DomainError(f"{file}: no requests under its header")
    arrival_s = _dates(table[arrival], lines, file, arrival) if unit_s == 0.0 else None
    if arrival_s is None:
        arrival_s = unit_s * _numbers(table[arrival], lines, file, arrival, "a time")
    _refuse(~np.isfinite(arrival_s), table[arrival], lines, file, arrival, "expected a finite time")
    _refuse(arrival_s < 0.0, table[arrival], lines, file, arrival, "a time before zero")
    notes: list[str] = []
    order = None
    falls = np.flatnonzero(np.diff(arrival_s) < 0.0)
    if len(falls):
        at = int(falls[0]) + 1
        if not sort:
            raise DomainError(
                f"{file}: line {lines[at]}: {arrival} = {str(table[arrival][at])[:SHOWN]} is before line "
                f"{lines[at - 1]} ({str(table[arrival][at - 1])[:SHOWN]}); sort the trace, or say --sort"
            )
        order = np.argsort(arrival_s, kind="stable")
        notes.append(f"{len(falls)} places were out of order and were sorted, the first in line {lines[at]}")
    tokens: dict[str, Any] = {}
    for name, column in (("prompt", prompt), ("output", output)):
        values = _numbers(table[column], lines, file, column, "a number of tokens")
        _refuse(~np.isfinite(values), table[column], lines, file, column, "expected a number of tokens")
        _refuse(values < (name == "prompt"), table[column], lines, file, column, "expected at least "
                + ("1 token" if name == "prompt" else "0 tokens"))  # fmt: skip
        _refuse(values != np.floor(values), table[column], lines, file, column, "expected a whole number")
        _refuse(values > MOST_TOKENS, table[column], lines, file, column, f"expected at most {MOST_TOKENS} tokens")
        tokens[name] = values.astype(np.int64)
    none = np.flatnonzero(tokens["output"] == 0)
    if len(none):
        notes.append(
            f"{len(none)} answers of zero tokens are one token (the end of a prompt yields one), the first in line "
            f"{lines[int(none[0])]}"
        )
        tokens["output"] = np.maximum(tokens["output"], 1)
    more: dict[str, Any] = {}
    if "priority" in table:
        values = _numbers(table["priority"], lines, file, "priority", "a whole number")
        _refuse((values != np.floor(values)) | (np.abs(values) > 1e9), table["priority"], lines, file, "priority",
                "expected a whole number")  # fmt: skip
        more["priority"] = values.astype(np.int64)
    if form == "own":
        more |= _own(table, tokens["output"], lines, file)
    for name in ("session", "session_id"):
        if name in table:
            _, more["session"] = np.unique(np.array([str(x) for x in table[name]]), return_inverse=True)
    if order is not None:
        arrival_s = arrival_s[order]
        tokens = {name: x[order] for name, x in tokens.items()}
        more = {name: x[order] for name, x in more.items()}
    ids = table.get("hash_ids", table.get("blocks"))
    if ids is not None:
        more |= _blocks(ids, tokens["prompt"], order, lines, file, block_tokens)
    arrival_s = arrival_s - arrival_s[0]
    return Workload(file.name, arrival_s, tokens["prompt"], tokens["output"], notes=tuple(notes), **more)


def _own(table: dict[str, Sequence[Any]], output: Any, lines: list[int], file: Path) -> dict[str, Any]:
    """Return what our own form says of clients that hang up and of reasoning."""
    found: dict[str, Any] = {}
    if "cancel_s" in table:
        cells = [math.inf if x in ("", None) else x for x in table["cancel_s"]]
        values = _numbers(cells, lines, file, "cancel_s", "a time, or nothing")
        _refuse(~(values > 0.0), cells, lines, file, "cancel_s", "expected a time above 0, or nothing")
        found["cancel_s"] = values
    if "reasoning_tokens" in table:
        name = "reasoning_tokens"
        values = _numbers(table[name], lines, file, name, "a number of tokens")
        bad = (values != np.floor(values)) | ~(values >= 0.0) | (values > output)
        _refuse(bad, table[name], lines, file, name, "expected a whole number from 0 to output_tokens")
        found["reasoning"] = values.astype(np.int64)
    return found


def _numbers(cells: Sequence[Any], lines: list[int], file: Path, column: str, what: str) -> Any:
    """Return a column as floats, or name the first cell that is none."""
    try:
        if any(isinstance(x, bool) or x is None for x in cells):
            raise ValueError
        return np.array(cells, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        for cell, line in zip(cells, lines, strict=True):
            try:
                if isinstance(cell, bool) or not math.isfinite(float(cell)):
                    raise ValueError
            except (ValueError, TypeError, OverflowError):
                raise DomainError(f"{file}: line {line}: {column} = {str(cell)[:SHOWN]!r}, expected {what}") from None
        raise DomainError(f"{file}: column {column}: expected numbers") from None


def _dates(cells: Sequence[Any], lines: list[int], file: Path, column: str) -> Any:
    """Return a column of dates as seconds after the first, or name the first cell that is none."""
    try:
        dates = np.array(cells, dtype="datetime64[ns]")
        if np.isnat(dates).any():
            raise ValueError
        return (dates - dates.min()) / np.timedelta64(1, "s")
    except ValueError:
        for cell, line in zip(cells, lines, strict=True):
            try:
                if np.isnat(np.datetime64(cell, "ns")):
                    raise ValueError
            except ValueError:
                raise DomainError(
                    f"{file}: line {line}: {column} = {str(cell)[:SHOWN]!r}, expected a date and time"
                ) from None
        raise DomainError(f"{file}: column {column}: expected dates") from None


def _refuse(bad: Any, cells: Sequence[Any], lines: list[int], file: Path, column: str, why: str) -> None:
    """Name the first cell that is bad."""
    where = np.flatnonzero(bad)
    if len(where):
        i = int(where[0])
        raise DomainError(f"{file}: line {lines[i]}: {column} = {str(cells[i])[:SHOWN]}: {why}")


def _blocks(
    cells: Sequence[Any], prompt: Any, order: Any, lines: list[int], file: Path, block_tokens: int
) -> dict[str, Any]:
    """Return the ids of the prompts' blocks, one after the other."""
    picked = range(len(cells)) if order is None else order.tolist()
    ids: list[int] = []
    lengths = np.zeros(len(cells), np.int64)
    for place, i in enumerate(picked):
        cell = cells[i]
        if not isinstance(cell, list) or not all(type(x) is int and abs(x) < 2**62 for x in cast("list[Any]", cell)):
            raise DomainError(
                f"{file}: line {lines[i]}: blocks = {str(cell)[:SHOWN]}: expected a list of whole numbers"
            )
        most = -(-int(prompt[place]) // block_tokens)
        names = cast("list[int]", cell)
        if len(names) > most:
            raise DomainError(
                f"{file}: line {lines[i]}: {len(names)} blocks of {block_tokens} tokens for a prompt of "
                f"{prompt[place]} tokens, expected at most {most}"
            )
        ids += names
        lengths[place] = len(names)
    return {
        "offsets": np.concatenate([[0], np.cumsum(lengths)]),
        "ids": np.array(ids, dtype=np.int64),
        "block_tokens": block_tokens,
    }
