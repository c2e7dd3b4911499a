"""What the documented commands print is what is stored; ``python -m tests.golden.commands`` stores it anew."""

from __future__ import annotations

import pytest

from tests.golden.commands import COMMANDS, FOLDER, output


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_as_stored(name: str) -> None:
    stored = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert output(name).splitlines() == stored.splitlines(), "if meant, run: python -m tests.golden.commands"


def test_nothing_else_is_stored() -> None:
    assert {p.stem for p in FOLDER.glob("*.txt")} == set(COMMANDS)
