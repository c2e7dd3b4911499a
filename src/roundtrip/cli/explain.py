"""``roundtrip explain``: what a name is, by which equation, from what."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from roundtrip.cli.inputs import complete_name, read_scenario, scenario_options
from roundtrip.cli.output import as_json, check_svg, color, say_json, say_page, width, write_whole

Body = dict[str, Any]


@click.command()
@click.argument("name", shell_complete=complete_name)
@scenario_options
@click.option("--tex", is_flag=True, help="Print equations as TeX.")
@as_json
@click.option("--plot", metavar="FILE", help="Draw the equations as SVG.")
def explain(name: str, scenario: str, settings: tuple[str, ...], tex: bool, as_json: bool, plot: str | None) -> None:
    """Explain NAME: a stage, a span, a function, a figure of the summary, a catalog entry, a choice, a claim.

    Values are those of the default trip, or of --scenario.
    """
    from roundtrip.journey.explain import explain as explained

    check_svg(plot)
    body = explained(name, read_scenario(scenario, settings))
    if plot is not None:
        from roundtrip.journey.equation_picture import picture

        functions = [f["name"] for f in body.get("functions", [body] if body.get("kind") == "function" else [])]
        write_whole(plot, picture(functions))
    if as_json:
        say_json(body)
        return
    from roundtrip.trace.table import painter

    text = Page(max(width(), 60), tex, painter(color())).of(body)
    say_page(text)


def unmarked(text: str) -> str:
    """Return a docstring without the marks that are meant for the docs: quotes of code, roles, TeX of a symbol."""
    from roundtrip.journey.symbols import plain

    text = re.sub(r":math:`([^`]*)`", lambda m: plain(m.group(1)), text)
    return re.sub(r"(?::\w+:)?`+([^`]+)`+_?", r"\1", text)


class Page:
    """Lays an explanation out as text.

    Parameters
    ----------
    columns : int
        Width to fill.
    tex : bool
        Equations as TeX instead of Unicode.
    paint : callable
        Gives a text the look ``bold`` or ``dim``.
    """

    def __init__(self, columns: int, tex: bool, paint: Callable[[str, str], str]) -> None:
        self.columns = min(columns, 120)
        self.tex = tex
        self.paint = paint

    def of(self, body: Body) -> str:
        """Return the page of an explanation, whatever its kind."""
        lines: list[str] = getattr(self, f"_{body['kind']}")(body)
        lines += self._study(body.get("study"))
        if body.get("file"):
            lines += ["", self.paint(str(body["file"]), "dim")]
        return "\n".join(line.rstrip() for line in lines)

    def _wrap(self, text: str, indent: str = "") -> list[str]:
        """Return a text in lines; the first keeps its own blanks, or takes the indent of the others."""
        import textwrap

        own = text[: len(text) - len(text.lstrip())] or indent
        return textwrap.wrap(
            text.lstrip(),
            self.columns,
            initial_indent=own,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def _head(self, name: str, what: str) -> list[str]:
        return [self.paint(name, "bold") + f"  {what}"]

    def _prose(self, text: str) -> list[str]:
        """Return a docstring with its paragraphs filled; lists, formulas and references keep their lines."""
        lines: list[str] = []
        for paragraph in unmarked(text).split("\n\n"):
            if paragraph.startswith(("References", ".. [")):
                lines += [
                    x for entry in re.split(r"^\.\. (?=\[)", paragraph, flags=re.M) for x in self._reference(entry)
                ]
            elif any(line.startswith((" ", "..", "-", "*")) for line in paragraph.splitlines()):
                lines += paragraph.splitlines()
            else:
                lines += self._wrap(" ".join(paragraph.split()))
            lines.append("")
        return lines[:-1]

    def _reference(self, entry: str) -> list[str]:
        words = entry.replace("References\n----------", "").split()
        return self._wrap("  " + " ".join(words), "      ") if words else []

    def _stage(self, body: Body) -> list[str]:
        lines = [*self._head(body["name"], "a stage"), *self._prose(body["text"]), ""]
        lines += self._wrap(f"Since {body['since']['year']}: {body['since']['what']}.")
        for f in body["functions"]:
            lines += ["", *self._equation(f, whole=f["result"] is not None)]
        unused = [f for f in body["functions"] if f["result"] is None]
        if unused:
            lines += [
                "",
                *self._wrap(
                    f"Without a value: not on this trip nor on a preset; see 'roundtrip explain {unused[0]['name']}'."
                ),
            ]
        if body["spans"]:
            lines += ["", self.paint("On the trip", "bold")]
            for span in body["spans"]:
                lines += self._span_line(span)
        else:
            lines += ["", "It lays no span on this trip."]
        lines += self._truth(body["truth"])
        if body["slot"]:
            lines += [
                "",
                *self._wrap(
                    f"{body['slot']} is also a choice: see 'roundtrip scenarios cloud', and --set {body['slot']}=…"
                ),
            ]
        return lines

    def _function(self, body: Body) -> list[str]:
        lines = [*self._head(body["name"], "a stage function"), *self._prose(body["text"]), "", *self._equation(body)]
        lines += self._matters(body.get("matters"))
        return lines + self._truth(body["truth"])

    def _equation(self, f: Body, whole: bool = True) -> list[str]:
        """Return a function's equation, with its inputs and its result on the trip if `whole`."""
        from roundtrip.trace.numbers import band, si

        formula = f["tex"] if self.tex else f["equation"]
        lines = [self.paint(f["name"], "bold"), *self._wrap(unmarked(f["text"].partition("\n\n")[0]), "  ")]
        lines += self._wrap(f"{f['symbol']} = {formula}", "    ")
        if not whole:
            return lines
        for item in f["inputs"]:
            lines += self._input(item)
        if f["counts"]:
            lines.append("  counts: " + ", ".join(f"{k} = {v}" for k, v in f["counts"].items()))
        result = f["result"]
        if result:
            spread = band(result["low"], result["high"], result["value"], result["unit"])
            shown = f"  → {f['symbol']} = {si(result['value'], result['unit'])}" + (
                f"  (p5–p95: {spread})" if spread else ""
            )
            lines.append(
                shown
                + (f"  in {f['calls']} calls; this is the first" if f["calls"] > 1 else "")
                + f"  [{f['scenario']}]"
            )
        else:
            lines.append("  → not used on this trip, nor on a preset")
        return lines

    def _input(self, item: Body) -> list[str]:
        from roundtrip.trace.numbers import band, si
        from roundtrip.trace.table import clip

        value = item.get("value")
        shown = si(value, item["unit"]) if value is not None else f"[{item['unit']}]"
        spread = band(item["low"], item["high"], value, item["unit"]) if value is not None and "low" in item else ""
        origin = item.get("key") or item.get("from") or ""
        if item.get("key"):
            origin += f" ({item['grade']}, {item['source']})"
        named = item["symbol"] if item["symbol"] == item["name"] else f"{item['symbol']} = {item['name']}"
        lines = [f"    {clip(named, 40):<40} {shown:>14}  {spread}".rstrip()]
        about = ": ".join(part for part in (item["meaning"], origin) if part)
        return lines + (self._wrap(about, " " * 8) if about else [])

    def _span_line(self, span: Body) -> list[str]:
        from roundtrip.trace.numbers import band, si

        result = span["result"]
        spread = band(result["low"], result["high"], result["value"], "s")
        lines = [
            f"  {span['name']}: {span['title']}",
            f"    time {si(result['value'], 's')}" + (f"  (p5–p95: {spread})" if spread else ""),
        ]
        for name, number in span["numbers"].items():
            if name not in ("start_s", "duration_s", "lag_s"):
                spread = band(number["low"], number["high"], number["value"], number["unit"])
                lines.append(f"    {name:<24} {si(number['value'], number['unit']):>12}  {spread}")
        return lines + self._matters(span["matters"], "    ")

    def _span(self, body: Body) -> list[str]:
        what = f"a span of the stage {body['stage']}, carried by {body['carrier']}"
        lines = [*self._head(body["name"], what), *self._span_line(body)]
        if body["after"]:
            lines += self._wrap(f"    starts after {', '.join(body['after'])}")
        for f in body["functions"]:
            lines += ["", *self._equation(f)]
        return lines + self._truth(body["truth"])

    def _summary(self, body: Body) -> list[str]:
        from roundtrip.trace.numbers import band, si

        result = body["result"]
        lines = [*self._head(body["name"], body["text"]), *self._wrap(body["equation"], "    ")]
        spread = band(result["low"], result["high"], result["value"], result["unit"])
        lines.append(
            f"  → {si(result['value'], result['unit'])}"
            + (f"  (p5–p95: {spread})" if spread else "")
            + f"  [{body['scenario']}]"
        )
        lines += [f"    {name:<28} {si(value, result['unit'])}" for name, value in body["parts"].items()]
        return lines + self._matters(body["matters"])

    def _matters(self, found: list[Body] | None, indent: str = "") -> list[str]:
        if not found:
            return []
        from roundtrip.trace.numbers import si

        lead = "What moves it most, from its p5 to its p95: "
        moves = (f"{m['key']} {'+' if m['change'] > 0 else '−'}{si(abs(m['change']), m['unit'])}" for m in found)
        return ["", *self._wrap(lead + ", ".join(moves), indent)]

    def _study(self, made: Body | None) -> list[str]:
        """Return the table of a study (`roundtrip.journey.studies`), if there is one."""
        from roundtrip.trace.numbers import si

        if not made:
            return []
        units = [column["unit"] for column in made["columns"]]
        cells = [[column["name"] for column in made["columns"]]]
        cells += [
            [
                f"{100.0 * value:.3g} %" if unit == "%" else si(value, unit) if unit else str(value)
                for value, unit in zip(row, units, strict=True)
            ]
            for row in made["rows"]
        ]
        wide = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
        lines = ["", self.paint(made["title"], "bold")]
        for row in cells:
            first = f"  {row[0]:<{wide[0]}}"
            lines.append(first + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], wide[1:], strict=True)))
        for note in made["notes"]:
            lines += self._wrap(f"  {note}", "    ")
        return lines

    def _truth(self, rows: list[Body]) -> list[str]:
        from roundtrip.trace.numbers import si

        if not rows:
            return []
        lines = ["", self.paint("Held to", "bold")]
        for row in rows:
            sign = "holds" if row["holds"] else "FAILS"
            allowed = (
                f"± {row['tolerance']:.3g} relative" if row["tolerance"] else f"± {row['absolute']:.3g} {row['unit']}"
            )
            ours, published = si(row["model"], row["unit"]), si(row["published"], row["unit"])
            lines += self._wrap(
                f"  {sign}: {row['quantity']}: {ours}, published {published} ({allowed}; {row['kind']})", "    "
            )
            source = row["source"]
            if source:
                lines += self._wrap(
                    f"    {source['title']} ({source['year']}), {row['where']}: {source['url']}", "      "
                )
        return lines

    def _kind(self, body: Body) -> list[str]:
        return [*self._head(body["name"], body["text"]), *(f"  {k}: {t}" for k, t in body["entries"].items())]

    def _room(self, body: Body) -> list[str]:
        lines = self._head(body["name"], "a room, with the stages")
        for stage in body["stages"]:
            lines += self._wrap(f"  {stage['name']}: {stage['what']}", "    ")
        return lines

    def _entry(self, body: Body) -> list[str]:
        lines = self._head(body["name"], body["text"])
        for name, text in body["texts"].items():
            lines += self._wrap(f"  {name}: {text}", "    ")
        if body["chosen_by"]:
            lines.append(f"  chosen on this trip as {', '.join(body['chosen_by'])}")
        for figure in body["figures"]:
            lines += ["", *self._figure(figure)]
        return lines

    def _figure(self, body: Body) -> list[str]:
        from roundtrip.trace.numbers import band, si

        result = body["result"]
        spread = band(result["low"], result["high"], result["value"], result["unit"])
        lines = self._head(body["name"], body["text"])
        shown = f"  {si(result['value'], result['unit'])}" + (
            f"  (p5–p95: {spread}, {body['spread']})" if spread else ""
        )
        lines.append(f"{shown}, {body['grade']}")
        if body["note"]:
            lines += self._wrap(f"  {body['note']}", "  ")
        source = body["source"]
        if isinstance(source, dict):
            lines += self._wrap(f"  {source['title']} ({source['year']}): {source['url']}", "    ")
        if body["used_by"]:
            lines += self._wrap(f"  taken by {', '.join(body['used_by'])}", "    ")
        return lines

    def _choice(self, body: Body) -> list[str]:
        lines = [*self._head(body["name"], body["text"]), f"  chosen: {body['chosen']}"]
        lines += self._wrap(f"  may be: {', '.join(body['allowed'])}", "    ")
        return [*lines, "", *self._entry(body["entry"])] if "entry" in body else lines

    def _term(self, body: Body) -> list[str]:
        lines = [*self._head(body["name"], body["text"]), f"  unit {body['unit']}, symbol {body['symbol']}"]
        lines.append(f"  allowed: {body['low']:g} to {body['high']:g} {body['unit']}")
        for word, names in (("taken by", body["used_by"]), ("given by", body["given_by"])):
            lines += self._wrap(f"  {word}: {', '.join(names)}", "    ") if names else []
        return lines

    def _claim(self, body: Body) -> list[str]:
        from roundtrip.cli.audit import detail
        from roundtrip.journey.audit.core import audit_one

        return detail(audit_one(body["id"]), self.columns).splitlines()
