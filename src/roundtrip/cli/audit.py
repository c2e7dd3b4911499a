"""``roundtrip audit``: the figures of the three documents, recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roundtrip.cli.output import as_json, color, say_json, say_page, width

if TYPE_CHECKING:
    from roundtrip.journey.audit.core import Result

SIGNS = {"holds": "holds", "off": "OFF", "ill-defined": "ill-def.", "none": "-"}

# Units of the claims that are words, as the tables write them.
MARKS = {"exact": "", "about": "≈", "order": "≈≈"}
UNITS = {
    "electrons": "e⁻",
    "photons": "γ",
    "bytes": "B",
    "byte/s": "B/s",
    "tokens": "token",
    "samples/s": "1/s",
    "exponent": "1",
}


@click.command()
@click.argument("claim_id", metavar="[ID]", required=False)
@click.option(
    "--verdict", type=click.Choice(["holds", "off", "ill-defined", "none"]), help="Only claims with this verdict."
)
@as_json
def audit(claim_id: str | None, verdict: str | None, as_json: bool) -> None:
    """Recompute the figures of the three seed documents, or that of claim ID."""
    from roundtrip.journey.audit.core import audit_all, audit_one

    if claim_id is not None:
        found = audit_one(claim_id.upper())
        if as_json:
            say_json({"claims": [found.as_dict()]})
        else:
            say_page(detail(found, width()))
        return
    results = [r for r in audit_all() if verdict in (None, r.verdict)]
    if as_json:
        say_json({"claims": [r.as_dict() for r in results]})
    else:
        say_page(overview(results, width(), color()))


def stated(result: Result) -> str:
    """Return what the document says: a range, or an open end."""
    from roundtrip.trace.numbers import band, si

    claim = result.claim
    unit = UNITS.get(claim.unit, claim.unit)
    if claim.low is None and claim.high is None:
        return "-"
    if claim.unit == "bool":
        return "yes" if claim.low else "no"
    if claim.low is None or claim.high is None:
        sign, value = ("≥", claim.low) if claim.low is not None else ("≤", claim.high)
        return f"{sign} {si(value, unit)}"
    if claim.low == claim.high:
        return si(claim.low, unit)
    return f"{band(claim.low, claim.high, claim.high, unit)} {si(claim.high, unit).partition(' ')[2]}".strip()


def computed(result: Result) -> str:
    """Return what Roundtrip finds."""
    from roundtrip.trace.numbers import si

    if result.value is None or isinstance(result.value, bool):
        return {None: "-", True: "yes", False: "no"}[result.value]
    return si(result.value, UNITS.get(result.claim.unit, result.claim.unit))


def overview(results: list[Result], columns: int, paint: bool) -> str:
    """Return the table of all claims, one a line, and the counts."""
    from roundtrip.trace.table import clip

    wide = min(max(columns, 84), 140)
    room = wide - 67
    lines = [f"{'id':<5} {'verdict':<8} {'basis':<9} {'stated':>15} {'±':<2} {'ours':>12} {'factor':>8}  quantity"]
    for r in results:
        factor = "" if r.factor is None or 0.995 < r.factor < 1.005 else f"x{r.factor:.3g}"
        line = f"{r.claim.id:<5} {SIGNS[r.verdict]:<8} {r.basis:<9} {clip(stated(r), 15):>15} {MARKS[r.latitude]:<2}"
        line += f" {computed(r):>12} {factor:>8}  {clip(r.claim.quantity, room)}"
        lines.append(f"\x1b[1m{line}\x1b[0m" if paint and r.verdict in ("off", "ill-defined") else line)
    counts = {word: sum(r.verdict == word for r in results) for word in SIGNS}
    bases: dict[str, int] = {}
    for r in results:
        bases[r.basis] = bases.get(r.basis, 0) + 1
    lines += [
        "",
        f"{len(results)} claims: "
        + ", ".join(f"{n} {'without verdict' if w == 'none' else w}" for w, n in counts.items() if n),
    ]
    lines.append(
        "basis: " + ", ".join(f"{n} {word}" for word, n in bases.items()) + ". See one whole with 'roundtrip audit ID'."
    )
    lines.append("±: blank as printed, ≈ 'about' (a factor 1.25 is allowed), ≈≈ an order of magnitude (a factor 3).")
    return "\n".join(lines)


def detail(result: Result, columns: int) -> str:
    """Return one claim whole: what is stated, what we find, from what, and the sentence."""
    from roundtrip.trace.numbers import band
    from roundtrip.trace.table import wrap

    claim = result.claim
    unit = UNITS.get(claim.unit, claim.unit)
    spread = ""
    if result.low is not None and result.high is not None and isinstance(result.value, float):
        spread = band(result.low, result.high, result.value, unit)
    latitude = {"exact": "as printed", "about": "within a factor 1.25", "order": "within a factor 3"}[result.latitude]
    lines = [
        f"{claim.id}  {claim.quantity}",
        f"document   {claim.document} ({claim.system})",
        f"stated     {stated(result)}",
    ]
    if claim.note:
        lines += wrap(f"           {claim.note}", columns, "           ")
    lines.append(f"ours       {computed(result)}" + (f"  (p5–p95: {spread})" if spread else ""))
    lines.append(
        f"verdict    {result.verdict}; allowed: {latitude}"
        + (f"; ours is {result.factor:.3g} times the nearer end" if result.factor not in (None, 1.0) else "")
    )
    lines.append(f"basis      {result.basis}")
    for number, name in enumerate(result.inputs):
        lines.append(f"{'inputs' if number == 0 else '':<10} {name}")
    return "\n".join([*lines, "", *wrap(result.note, columns)])
