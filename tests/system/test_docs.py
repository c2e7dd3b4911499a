"""What the pages tell a reader to do works as they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from roundtrip.cli.main import main
from roundtrip.journey.scenario import load_scenario

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("tutorial/*.md")),
    *sorted((ROOT / "docs").glob("how-to/*.md")),
]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)
# What starts a server, writes a file where the reader stands, or needs one that only the reader has.
APART = re.compile(r"roundtrip (lab|export|sheet)|--scenario my-desk|--plot|FILE|\.svg|\.json|DIR")


def blocks(kind: str) -> list[tuple[str, str]]:
    return [
        (page.name, body) for page in PAGES for word, body in BLOCK.findall(page.read_text("utf-8")) if word == kind
    ]


def commands() -> list[tuple[str, str]]:
    lines = [(page, line) for page, body in blocks("console") for line in body.splitlines()]
    own = [(page, line.removeprefix("$ ")) for page, line in lines if re.match(r"\$ (\.venv/bin/)?roundtrip ", line)]
    return [(page, line) for page, line in own if not APART.search(line)]


@pytest.mark.parametrize(("page", "command"), commands())
def test_a_command_of_the_pages_runs(
    page: str, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTRIP_MODEL", "none")  # the real answer has tests of its own
    assert main(shlex.split(command)[1:]) == 0, page
    assert capsys.readouterr().out


@pytest.mark.parametrize(("page", "text"), [(p, t) for p, t in blocks("toml") if "[choices]" in t])
def test_a_scenario_file_of_the_pages_loads(page: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "my-desk.toml"
    file.write_text(text, encoding="utf-8")
    assert load_scenario(str(file)).title, page


@pytest.mark.parametrize("page", sorted({page for page, _ in blocks("python")}))
def test_the_snippets_of_a_page_run_one_after_the_other(page: str) -> None:
    space: dict[str, object] = {}
    for name, text in blocks("python"):
        if name == page:
            exec(compile(text, page, "exec"), space)


def test_every_run_block_is_filled() -> None:
    empty = [p.name for p in PAGES if re.search(r"<!-- run: [^\n]+ -->\n+```text\n```", p.read_text("utf-8"))]
    assert not empty, "run: make docs"
