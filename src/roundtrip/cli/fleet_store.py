"""What a sweep has found, in a folder: a manifest, and Parquet files that are whole or not there.

::

    DIR/manifest.json         the grid, and the content hash of every case
    DIR/parts/000001.parquet  rows of cases, as they were done
    DIR/results.parquet       all rows in the order of the cases, when the last is done

Each file is written beside its place and takes its name when it is complete and on the disk, so that a process that is
killed leaves nothing half-written. A case is done when its row is in a file; it is never run again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from roundtrip.cli.fleet_case import fingerprint, made_by
from roundtrip.cli.fleet_grid import Case, Grid, known
from roundtrip.errors import OutputError

SCHEMA = "roundtrip.fleet.sweep/1"
MANIFEST, PARTS, RESULTS, DRAFT = "manifest.json", "parts", "results.parquet", ".draft"
MANY = 200  # parts; then they become one


class Store:
    """The folder of a sweep, held by one process at a time.

    Parameters
    ----------
    folder : str
        Made if it is not there.
    grid : Grid
        What is swept; a folder that holds another grid is refused.
    """

    def __init__(self, folder: str, grid: Grid) -> None:
        self.parquet = _parquet()
        self.folder, self.parts = Path(folder), Path(folder) / PARTS
        self.grid, self.cases = grid, grid.cases()
        self.hashes = [fingerprint(case) for case in self.cases]
        self.columns = columns(grid)
        self._lock: Any = None
        try:
            self._open()
            self.rows = self._read()
        except OSError as error:
            self.close()
            raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
        except OutputError:
            self.close()
            raise
        self.found = len(self.rows)

    def _open(self) -> None:
        manifest = self.folder / MANIFEST
        if self.folder.exists() and not self.folder.is_dir():
            raise OutputError(f"{self.folder}: is a file, expected a folder for the results")
        if self.folder.is_dir() and not manifest.exists():
            strangers = sorted(p.name for p in self.folder.iterdir() if not p.name.endswith(DRAFT) and p.name != PARTS)
            if strangers:
                raise OutputError(
                    f"{self.folder}: holds {strangers[0]!r} but no sweep, expected a new or an empty folder"
                )
        self.parts.mkdir(parents=True, exist_ok=True)
        self._hold()
        body = {
            "schema": SCHEMA, "made_by": made_by(), "grid": {n: list(v) for n, v in self.grid.values.items()},
            "cases": [{"case": i, "hash": h} for i, h in enumerate(self.hashes)],
        }  # fmt: skip
        if manifest.exists():
            self._same(manifest, body)
        else:
            _whole(manifest, json.dumps(body, ensure_ascii=False, indent=1).encode())
        for draft in (*self.folder.glob(f"*{DRAFT}"), *self.parts.glob(f"*{DRAFT}")):
            draft.unlink()

    def _same(self, manifest: Path, body: dict[str, Any]) -> None:
        try:
            there = json.loads(manifest.read_text(encoding="utf-8"))
            old = {name: there[name] for name in ("schema", "made_by", "grid")}
            hashes = [case["hash"] for case in there["cases"]]
        except (ValueError, KeyError, TypeError):
            raise OutputError(f"{manifest}: is damaged, expected the manifest of a sweep") from None
        another = f"{self.folder}: holds another sweep"
        if list(old["grid"].items()) != list(body["grid"].items()):
            names = [n for n in {**old["grid"], **body["grid"]} if old["grid"].get(n) != body["grid"].get(n)]
            shown = ", ".join(n.replace("_", "-") for n in names) or "the order of its options"
            raise OutputError(f"{another} ({shown} differ), expected the same grid or a new folder")
        if hashes != self.hashes:
            raise OutputError(f"{another} (its trace had other contents), expected the same file or a new folder")
        if old != {name: body[name] for name in old}:
            raise OutputError(f"{another} (made by another version of Roundtrip), expected a new folder")

    def _hold(self) -> None:
        """Lock the folder; the system opens the lock when the process ends, however it ends."""
        try:
            fcntl: Any = import_module("fcntl")
        except ImportError:  # not on this system
            return
        self._lock = os.open(self.folder / PARTS, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{self.folder}: another process is filling it, expected that to end first") from None

    def close(self) -> None:
        """Let others in."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _files(self) -> list[Path]:
        results = self.folder / RESULTS
        return [*([results] if results.exists() else []), *sorted(self.parts.glob("*.parquet"))]

    def _read(self) -> dict[int, dict[str, Any]]:
        """Return the rows that are there by case."""
        rows: dict[int, dict[str, Any]] = {}
        for path in self._files():
            try:
                table = self.parquet.read_table(path)
                new = {row["case"]: row for row in table.to_pylist()}
                good = table.schema.names == list(self.columns) and all(
                    0 <= case < len(self.hashes) and row["hash"] == self.hashes[case] for case, row in new.items()
                )
            except OSError as error:
                raise OutputError(f"{path}: cannot be read: {error.strerror or _first(error)}") from None
            except Exception as error:  # PyArrow's errors have several roots
                raise OutputError(f"{path}: is damaged ({_first(error)}); without it its cases are run again") from None
            if not good:
                raise OutputError(f"{path}: holds rows of another sweep; without it its cases are run again")
            rows |= new
        return rows

    def left(self) -> list[int]:
        """Return the cases that are not done."""
        return [case for case in range(len(self.cases)) if case not in self.rows]

    def add(self, done: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Keep rows of cases: when this returns, they are on the disk."""
        new = {case: self._row(case, figures) for case, figures in done}
        if not new:
            return
        numbers = [int(p.stem) for p in self.parts.glob("*.parquet") if p.stem.isdigit()]
        name = f"{max(numbers, default=0) + 1:06d}.parquet"
        self._write(self.parts / name, list(new.values()))
        self.rows |= new
        if len(numbers) + 1 >= MANY:
            self._merge(self.parts / name)

    def _merge(self, last: Path) -> None:
        """Write all rows into the last part, then take away the others: at every moment each row is somewhere."""
        others = [path for path in self.parts.glob("*.parquet") if path != last]
        self._write(last, [self.rows[case] for case in sorted(self.rows)])
        for path in others:
            path.unlink()

    def finish(self, more: Sequence[dict[str, Any]]) -> Path:
        """Write all rows with the columns that only the whole sweep knows, in the order of the cases."""
        path = self.folder / RESULTS
        whole = [self.rows[case] | extra for case, extra in zip(sorted(self.rows), more, strict=True)]
        self.rows = {row["case"]: row for row in whole}
        self._write(path, whole)
        try:
            for part in self.parts.glob("*.parquet"):
                part.unlink()
        except OSError as error:
            raise OutputError(f"{self.parts}: cannot be written: {error.strerror or error}") from None
        return path

    def _row(self, case: int, figures: dict[str, Any]) -> dict[str, Any]:
        from roundtrip.cli.fleet_grid import parsed

        options, _ = parsed(self.cases[case])
        values = {name: options[name] for name in self.grid.values}
        return {"case": case, "hash": self.hashes[case], **values, **figures, "is_front": None}

    def _write(self, path: Path, rows: list[dict[str, Any]]) -> None:
        arrow: Any = import_module("pyarrow")
        types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string(), bool: arrow.bool_()}
        schema = arrow.schema([(name, types[kind]) for name, kind in self.columns.items()])
        sink = arrow.BufferOutputStream()
        self.parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), sink)
        try:
            _whole(path, sink.getvalue().to_pybytes())
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def columns(grid: Grid) -> dict[str, type]:
    """Return the columns of a sweep's rows with their types."""
    from roundtrip.fleet.study.figures import FIGURES

    types = {"integer": int, "float": float, "boolean": bool}
    options = {name: types.get(known()[name].type.name, str) for name in grid.values}
    return {"case": int, "hash": str, **options, "status": str, "reason": str, **FIGURES, "is_front": bool}


def read_case(reference: str) -> Case:
    """Return the options of a case of a sweep: ``DIR:17``."""
    folder, _, number = reference.rpartition(":")
    manifest = Path(folder) / MANIFEST
    try:
        grid = Grid({n: tuple(v) for n, v in json.loads(manifest.read_text(encoding="utf-8"))["grid"].items()})
        cases = grid.cases()
    except OSError as error:
        raise OutputError(f"{reference}: {manifest}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise OutputError(f"{manifest}: is damaged, expected the manifest of a sweep") from None
    if not number.isdecimal() or int(number) >= len(cases):
        raise OutputError(f"{reference}: expected a case from 0 to {len(cases) - 1} behind the colon")
    return cases[int(number)]


def _whole(path: Path, body: bytes) -> None:
    """Write a file whole and to the disk, or leave nothing."""
    draft = path.with_name(f"{path.name}{DRAFT}")
    try:
        with draft.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _parquet() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError:
        raise OutputError(
            "results are written as Parquet, for which PyArrow is missing: pip install 'prompt-roundtrip[sweep]'"
        ) from None
