"""Make the generated half of the docs from the code, its truth rows and the catalog.

Run by ``make docs``. Pages under ``docs/reference/{stages,catalog}`` and some of ``docs/reference/*.md`` are written
here and not kept in git; command output shown in hand-written pages is refreshed in place: a comment
``<!-- run: roundtrip ... -->`` stands before the fenced block that it fills. With ``--check`` nothing is written and
a stale block is an error.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from latex2mathml.converter import convert

from roundtrip.catalog import load as catalog
from roundtrip.catalog.claims import DOCUMENTS
from roundtrip.figures.typeset import tex
from roundtrip.journey.audit.core import audit_all
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario, presets
from roundtrip.journey.slots import SLOTS
from roundtrip.journey.stages import ROOMS, closed_forms, equation, parameters, stage_module, stage_names
from roundtrip.journey.truth import check, rows
from roundtrip.trace.numbers import si
from roundtrip.trace.svg import waterfall
from roundtrip.trace.svg_energy import energy
from roundtrip.trace.svg_strip import strip

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
GENERATED = "<!-- made by tools/make_docs.py -->\n\n"
BLOCK = re.compile(r"(<!-- run: (?P<command>[^\n]+?) -->\n+```(?:text|json|console)?\n)(?P<output>.*?)(```)", re.S)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GENERATED + text, encoding="utf-8")


def cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head: list[str], body: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in body]
    return "\n".join(lines) + "\n"


def number(x: float) -> str:
    return f"{x:.6g}"


def math(expression: str, display: bool = True) -> str:
    return convert(expression.replace(r"\operatorname", r"\mathrm"), display="block" if display else "inline")


def cite(key: str) -> str:
    source = catalog.sources()[key]
    title = f"{source.authors}, {source.title}, {source.year}"
    return f"[{title}]({source.url})" if source.url.startswith("http") else title


def rst(text: str) -> str:
    """Return a docstring as Markdown: its references as a list, its tables and headings as they are meant."""
    lines: list[str] = []
    in_table = False
    source = text.splitlines()
    for number, line in enumerate(source):
        following = source[number + 1] if number + 1 < len(source) else ""
        if re.fullmatch(r"=+( +=+)+", line.strip()):
            if not in_table:
                lines += ["```text", line]
                in_table = True
            else:
                lines.append(line)
                if not following.strip():
                    lines.append("```")
                    in_table = False
        elif in_table:
            lines.append(line)
        elif re.fullmatch(r"-{3,}", following) and line.strip():
            lines.append(f"**{line.strip()}**\n")
        elif re.fullmatch(r"-{3,}", line):
            continue
        elif reference := re.match(r"\.\. \[(\d+)\] (.*)", line):
            lines.append(f"{reference[1]}. {reference[2]}")
        elif line.endswith("::"):
            lines.append(line[:-1])
        else:
            lines.append(line)
    return re.sub(r"\[(\d+)\]_", r"<sup>\1</sup>", "\n".join(lines)).replace("``", "`")


def stage_page(name: str) -> str:
    module = stage_module(name)
    year, what = module.SINCE
    terms = catalog.glossary()
    parts = [f"# {name}\n", f"*Since {year}: {what}*\n"]
    parts.append(rst(inspect.getdoc(module) or "") + "\n")
    parts.append(f"`roundtrip explain {name}` shows this stage with the values of a trip.\n")
    parts.append("## Equations\n")
    for function_name, function in closed_forms(module).items():
        summary = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        names = parameters(function, constants=False)
        symbols = {p: terms[p].symbol for p in parameters(function)}
        parts.append(f"### {function_name}\n\n{summary}\n\n{math(tex(equation(function), symbols))}\n")
        parts.append(
            table(
                ["symbol", "name", "unit", "meaning"],
                [[math(terms[p].symbol, False), f"`{p}`", terms[p].unit, terms[p].meaning] for p in names],
            )
        )
    own = [row for row in rows() if row.stage == name]
    parts.append("## Held to\n")
    body: list[list[object]] = []
    for row in own:
        score = check(row)
        allowed = f"± {row.absolute:g} {row.unit}" if row.absolute else f"± {row.tolerance:.2%}"
        body.append(
            [
                row.quantity,
                number(score.value),
                f"{number(row.value)} {row.unit}",
                allowed,
                row.kind,
                f"{cite(row.source)}, {row.where}",
            ]
        )
    parts.append(table(["quantity", "ours", "published", "allowed", "kind", "source"], body))
    source = inspect.getsource(module).rstrip()
    indented = "\n".join(f"    {line}" if line else "" for line in source.splitlines())
    parts.append(
        f'??? quote "Source: src/{module.__name__.replace(".", "/")}.py"\n\n    ```python\n{indented}\n    ```\n'
    )
    return "\n".join(parts)


def stages_index() -> str:
    parts = ["# Stages\n", "The journey in the order in which a prompt meets it; training stands beside it.\n"]
    for room in ROOMS:
        parts.append(f"## {room.capitalize()}\n")
        body: list[list[object]] = []
        for name in stage_names():
            if name.startswith(room + "."):
                module = stage_module(name)
                first = (module.__doc__ or "").strip().splitlines()[0]
                body.append([f"[{name}](stages/{room}/{name.split('.')[1]}.md)", first, module.SINCE[0]])
        parts.append(table(["stage", "what happens", "since"], body))
    return "\n".join(parts)


MAGNITUDES = (
    ("electrons through the pull-ups of one key", "keyboard.matrix", "electrons"),
    ("electrons that hold the key event in memory", "computer.memory", "electrons"),
    ("photons of the request in the long fiber", "optics.transceiver", "photons"),
    ("photons of it that reach the receiver", "optics.coherent", "photons"),
    ("electrons through the chip for the prompt", "model.prefill", "electrons"),
    ("electrons through the chip for the answer", "model.decode", "electrons"),
    ("photons of the first word from the screen", "display.panel", "photons"),
    ("photons of it into one eye", "eye.optics", "photons"),
)


def magnitudes_page() -> str:
    trace = forecast()
    body: list[list[object]] = []
    for what, span_id, name in MAGNITUDES:
        span = trace.span(span_id)
        value = getattr(span, name, None) or span.attributes.get(name)
        if isinstance(value, float):
            band = span.bands[name]
            body.append([what, f"{value:.2g}", f"{band['low']:.1g} to {band['high']:.1g}", f"`{span.name}`"])
    durations = [span for span in trace.spans if span.duration_s > 0.0]
    quickest, longest = min(durations, key=lambda s: s.duration_s), max(durations, key=lambda s: s.duration_s)
    for what, span in (("shortest stage", quickest), ("longest stage", longest)):
        body.append([f"{what}: {span.title}", si(span.duration_s, "s"), "", f"`{span.name}`"])
    intro = "What one trip of the preset `cloud` moves, with the band in which nine trips of ten lie.\n"
    return "\n".join(["# The magnitudes involved\n", intro, table(["what", "how many", "band", "stage"], body)])


def fossil_page() -> str:
    found = sorted((stage_module(name).SINCE, name) for name in stage_names())
    parts = [
        "# The fossil record\n",
        "Nobody planned this stack. Each stage of the trip rests on something that was invented for another purpose; "
        "here they are by age.\n",
    ]
    decades: dict[int, list[list[object]]] = {}
    for (year, what), name in found:
        room, short = name.split(".")
        decades.setdefault(year // 10 * 10, []).append([year, f"[{name}](stages/{room}/{short}.md)", what])
    for decade, body in decades.items():
        parts.append(f"## {decade}s\n\n" + table(["year", "stage", "what it comes from"], body))
    return "\n".join(parts)


def presets_page() -> str:
    names = presets()
    parts = [
        "# Presets and slots\n",
        "`roundtrip trip --scenario NAME`, `--set SLOT=ENTRY`, `--set SLOT.FIGURE=VALUE`.\n",
    ]
    parts.append(table(["preset", "what it is"], [[f"`{name}`", load_scenario(name).sentence] for name in names]))
    cloud = load_scenario("cloud")
    body: list[list[object]] = []
    for slot, meaning in SLOTS.items():
        allowed = f"[{meaning.kind}](catalog/{meaning.kind}.md)" if meaning.kind else ", ".join(meaning.words)
        body.append([f"`{slot}`", meaning.meaning, allowed, f"`{cloud.choices[slot]}`"])
    parts.append("## Slots\n\n" + table(["slot", "what it chooses", "from", "in `cloud`"], body))
    for name in names:
        own = load_scenario(name)
        changed = [[f"`{k}`", f"`{v}`"] for k, v in own.choices.items() if v != cloud.choices[k]]
        if changed:
            parts.append(f"## {name}\n\n{own.sentence} Against `cloud`:\n\n" + table(["slot", "entry"], changed))
    return "\n".join(parts)


def catalog_page(kind: str) -> str:
    parts = [f"# {catalog.kind_title(kind)}\n", f"`roundtrip catalog {kind}`\n"]
    entries = catalog.load(kind)
    if kind == "places":
        body = [
            [
                f"`{e.key}`",
                e.title,
                e.texts.get("country", ""),
                e.texts.get("what", ""),
                *(number(f.value) for f in e.figures.values()),
            ]
            for e in entries.values()
        ]
        return "\n".join([*parts, table(["key", "place", "country", "what", "latitude", "longitude"], body)])
    for item in entries.values():
        parts.append(
            f"## {item.title}\n\n`{kind}/{item.key}`" + "".join(f" · {k}: {v}" for k, v in item.texts.items()) + "\n"
        )
        body = [
            [
                f"`{name}`",
                f"{number(f.value)} {f.unit}",
                f"{number(f.low)} to {number(f.high)}" if f.low != f.high else "",
                f.spread if f.low != f.high else "",
                f.grade,
                cite(f.source) + (f": {f.note}" if f.note else ""),
            ]
            for name, f in item.figures.items()
        ]
        parts.append(table(["figure", "value", "band", "spread", "grade", "source"], body))
    return "\n".join(parts)


def glossary_page() -> str:
    body = [
        [f"`{t.name}`", math(t.symbol, False), t.unit, f"{t.low:g} to {t.high:g}", t.meaning]
        for t in sorted(catalog.glossary().values(), key=lambda t: t.name)
    ]
    intro = "One thing has one name. The range is what a function must survive and what a reader may set.\n"
    return "\n".join(["# Glossary\n", intro, table(["name", "symbol", "unit", "range", "meaning"], body)])


def sources_page() -> str:
    body = [
        [f"`{s.key}`", cite(s.key), s.kind, s.read, s.note]
        for s in sorted(catalog.sources().values(), key=lambda s: s.key)
    ]
    return "\n".join(["# Sources\n", table(["key", "source", "kind", "read", "note"], body)])


def audit_page() -> str:
    results = audit_all()
    parts = [
        "# The audit of the three documents\n",
        "Every figure of the three documents that Roundtrip was born from, recomputed: `roundtrip audit`.\n",
    ]
    for document in DOCUMENTS:
        own = [r for r in results if r.claim.document == document]
        body: list[list[object]] = []
        for r in own:
            stated = " to ".join(number(x) for x in dict.fromkeys((r.claim.low, r.claim.high)) if x is not None)
            ours = (
                ""
                if r.value is None
                else (number(r.value) if not isinstance(r.value, bool) else ("true" if r.value else "false"))
            )
            body.append([r.claim.id, r.claim.quantity, f"{stated} {r.claim.unit}", ours, r.verdict, r.basis, r.note])
        parts += [f"## {document}\n", table(["claim", "quantity", "stated", "ours", "verdict", "basis", "how"], body)]
    return "\n".join(parts)


def pictures() -> None:
    """Draw the pictures that the README and the pages show."""
    trace = forecast()
    (DOCS / "images").mkdir(exist_ok=True)
    for name, text in (("strip", strip(trace)), ("waterfall", waterfall(trace)), ("energy", energy(trace))):
        (DOCS / "images" / f"{name}.svg").write_text(text, encoding="utf-8")


def run(command: str) -> str:
    words = shlex.split(command)
    program = [sys.executable, "-m", "roundtrip", *words[1:]] if words[0] == "roundtrip" else words
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    environment["ROUNDTRIP_MODEL"] = "none"  # what a page shows must not depend on the machine that makes it
    done = subprocess.run(
        program, capture_output=True, text=True, env=environment, cwd=ROOT, check=False, encoding="utf-8"
    )
    return (done.stdout + done.stderr).rstrip() + "\n"


def _output(block: re.Match[str]) -> str:
    """Return what a block's command prints; nothing where it needs data sets and TRUTH does not name them."""
    command = os.path.expandvars(block.group("command"))
    return "" if "$" in command else run(command)


def refresh(path: Path, keep: bool) -> bool:
    """Fill the command blocks of a page; return whether it was up to date."""
    old = path.read_text(encoding="utf-8")
    new = BLOCK.sub(lambda m: m.group(1) + (_output(m) or m.group("output")) + m.group(4), old)
    if new != old and not keep:
        path.write_text(new, encoding="utf-8")
    return new == old


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; leave with 1 if a page is stale")
    keep = parser.parse_args().check
    hand_written = [
        ROOT / "README.md",
        *(p for p in sorted(DOCS.rglob("*.md")) if not p.read_text(encoding="utf-8").startswith(GENERATED)),
    ]
    stale = [p for p in hand_written if not refresh(p, keep)]
    for page in stale:
        print(("stale: " if keep else "refreshed: ") + str(page.relative_to(ROOT)))
    if keep:
        return 1 if stale else 0
    pictures()
    for name in stage_names():
        room, short = name.split(".")
        write(REFERENCE / "stages" / room / f"{short}.md", stage_page(name))
    write(REFERENCE / "stages.md", stages_index())
    for kind in catalog.kinds():
        write(REFERENCE / "catalog" / f"{kind}.md", catalog_page(kind))
    index = [[f"[{catalog.kind_title(k)}](catalog/{k}.md)", f"`{k}`", len(catalog.load(k))] for k in catalog.kinds()]
    write(REFERENCE / "catalog.md", "# Catalog\n\n" + table(["kind", "key", "entries"], index))
    write(REFERENCE / "glossary.md", glossary_page())
    write(REFERENCE / "sources.md", sources_page())
    write(REFERENCE / "audit.md", audit_page())
    write(REFERENCE / "fossil-record.md", fossil_page())
    write(REFERENCE / "presets.md", presets_page())
    write(REFERENCE / "magnitudes.md", magnitudes_page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
