"""``roundtrip model show``: an architecture in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roundtrip.cli.output import as_json, say_json, say_page, width

if TYPE_CHECKING:
    from roundtrip.serving.card import Card


@click.command()
@click.argument("name", metavar="[NAME|CONFIG.JSON]", required=False)
@click.option(
    "--context", type=float, default=4096.0, show_default=True, metavar="TOKENS", help="Length looked back at."
)
@click.option("--estimate", is_flag=True, help="Guess a model that nobody described from the sizes in its name.")
@as_json
def show(name: str | None, context: float, estimate: bool, as_json: bool) -> None:
    """Count an architecture: weights, operations for a token, cache, and on which accelerators it fits.

    NAME is a key of the catalog or a name on the hub (Qwen/Qwen3-32B-FP8); any config.json of the hub's form is read
    as well. Without a name, the architectures that are known are listed.
    """
    if name is None:
        _list(as_json)
        return
    from roundtrip.serving.card import as_body, card

    made = card(name, context, estimate)
    if as_json:
        say_json(as_body(made))
    else:
        say_page(_page(made))


def _list(as_json: bool) -> None:
    from roundtrip.catalog.architectures import rows
    from roundtrip.serving import counts
    from roundtrip.serving.architecture import architecture

    known = [(key, row.title, architecture(key)) for key, row in rows().items()]
    if as_json:
        say_json([
            {"name": key, "title": title, "parameters": int(counts.parameters(a)),
             "active_parameters": int(counts.active_parameters(a)), "hubs": list(rows()[key].hubs)}
            for key, title, a in known
        ])  # fmt: skip
        return
    wide = max(len(key) for key, _, _ in known)
    lines = [f"{'':{wide}}  weights   for a token"]
    for key, title, a in known:
        total, active = billions(counts.parameters(a)), billions(counts.active_parameters(a))
        lines.append(f"{key:{wide}}  {total:>7}   {active:>11}   {title}"[: max(width(), 60)].rstrip())
    say_page("\n".join(lines))


def _page(made: Card) -> str:
    from roundtrip.trace.table import wrap

    a, said = made.architecture, made.published
    lines = [made.title if made.title == a.name else f"{made.title} ({a.name})"]
    if a.is_estimate or a.note:
        lines.append(a.note[:1].upper() + a.note[1:] + ".")
    active = f", {billions(made.active_parameters)} for one token" if made.routed_parameters else ""
    lines.append(f"{made.parameters:,.0f} weights ({billions(made.parameters)}){active}")
    if said.parameters:
        whole = made.parameters + (made.draft_parameters if said.drafts else 0.0)
        part = ", with what drafts further tokens" if said.drafts else ""
        off = f"{whole / said.parameters - 1.0:+.2%}".replace("+0.00%", "as counted").replace("-0.00%", "as counted")
        lines.append(f"published: {said.parameters:,}{part} ({off}; {said.source})")
    if made.draft_parameters:
        lines.append(f"beside them {billions(made.draft_parameters)} that draft further tokens")
    tables = "one table for both ends" if a.tied else "a table at each end"
    lines.append(f"{made.layers} layers of width {a.hidden_width:,}, {a.vocabulary:,} tokens, {tables}:")
    lines += [f"  {kind}" for kind in made.layer_kinds]
    context = f"{made.context:,.0f} tokens"
    states = " with states in 32 bits" if any(b.state_elements for b in a.blocks) else ""
    lines += [
        f"at a context of {context}:",
        f"  {made.flop_per_token / 1e9:,.2f} Gflop for each token that is read, {made.write_flop / 1e9:,.2f} for the "
        f"next that is written, {made.training_flop_per_token / 1e9:,.1f} in training",
        f"  {made.cache_token_B:,.0f} B of cache for each token in 16 bits, "
        f"{made.cache_held_B / 1e6:,.1f} MB held{states}",
        "weights in " + ", ".join(f"{name} {size / 1e9:,.1f} GB" for name, size in made.weights_B.items()),
        "accelerators that hold weights and the cache of one such sequence, in " + ", ".join(made.weights_B) + ":",
    ]
    wide = max(len(fit.accelerator) for fit in made.fits)
    lines += [
        f"  {fit.accelerator:{wide}} {fit.memory_B / 1e9:5.0f} GB " + " ".join(f"{n:6,}" for n in fit.needed.values())
        for fit in made.fits
    ]
    columns = min(width(), 120)
    return "\n".join(part for line in lines for part in (wrap(line, columns, "    ") if line[0] != " " else [line]))


def billions(number: float) -> str:
    """Return a number of weights in billions or millions, with three digits."""
    return f"{number / 1e9:.4g}B" if number >= 1e9 else f"{number / 1e6:.4g}M"
