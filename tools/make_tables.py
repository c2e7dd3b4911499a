"""Make the tables of the stages that keep a solver's results: `make tables` rewrites each block, nothing else."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from roundtrip.journey.stages import stage_module, stage_names

BEGIN, END = "# Tables: made by `make tables`.\n", "# End of tables.\n"
WIDTH = 118


def rows(value: Any, indent: str) -> list[str]:
    """Return the lines of a nest of tuples."""
    if isinstance(value[0], tuple):
        lines: list[str] = []
        for part in value:
            lines += [f"{indent}(", *rows(part, indent + "    "), f"{indent}),"]
        return lines
    lines, line = [], indent
    for number in value:
        word = f"{number!r}, "
        if len(line) + len(word) > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += word
    return [*lines, line.rstrip()]


def block(tables: dict[str, Any]) -> str:
    """Return the source of some tables."""
    body = "".join(f"{name} = (\n" + "\n".join(rows(value, "    ")) + "\n)\n" for name, value in tables.items())
    return f"{BEGIN}# fmt: off\n{body}# fmt: on\n{END}"


def main() -> None:
    """Rewrite the tables of every stage that has a function `tables`."""
    for name in stage_names():
        module = stage_module(name)
        make = getattr(module, "tables", None)
        if make is None or not inspect.isfunction(make) or make.__module__ != module.__name__:
            continue
        path = Path(str(module.__file__))
        text = path.read_text(encoding="utf-8")
        if BEGIN not in text:
            continue
        before, rest = text.split(BEGIN)
        path.write_text(before + block(make()) + rest.split(END)[1], encoding="utf-8")
        print(f"{path.name}: tables written")


if __name__ == "__main__":
    main()
