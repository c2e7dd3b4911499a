"""``roundtrip inside``: what happens in the small model on the way from a text to its next token."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from roundtrip.cli.inputs import read_prompt
from roundtrip.cli.output import as_json, say_json, say_page, width, write_whole
from roundtrip.errors import OutputError, PromptError

if TYPE_CHECKING:
    from roundtrip.engine.inside import Inside

SHOWN_LAYERS = 12  # of the lens in text: the first, some between, all of the last
BAR = 20


@click.command()
@click.argument("prompt")
@click.option("--model", metavar="FILE", help="Weights of your own.")
@click.option("--chat", is_flag=True, help="Put the prompt into the chat template, as a question to the assistant.")
@click.option("--best", type=click.IntRange(1, 100), default=10, show_default=True, help="How many scores to show.")
@click.option("--near", type=click.IntRange(1, 50), default=5, show_default=True, help="How many neighbors.")
@click.option("--words", metavar="A,B,C", help="Say how near the words B and C are to A in the embedding table.")
@click.option("--layers", "every", is_flag=True, help="Show every layer.")
@click.option("--plot", metavar="DIR|FILE", help="Draw it: all pictures into a folder, or the layers' guesses as SVG.")
@as_json
def inside(
    prompt: str, model: str | None, chat: bool, best: int, near: int, words: str | None, every: bool,
    plot: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Look into the model: PROMPT as tokens, as vectors, through every layer, to the scores of the next token."""
    text = read_prompt(prompt) or ""
    if not text:
        raise PromptError("the prompt is empty, expected at least one character")
    _check_plot(plot)
    named = [word.strip() for word in words.split(",")] if words is not None else []
    if words is not None and (len(named) < 2 or not all(named)):
        raise PromptError(f"--words {words!r}: expected two words or more, for example Paris,Rome")
    from roundtrip.engine.engine import load
    from roundtrip.engine.inside import Table, look
    from roundtrip.journey.cache_compare import cache_sizes

    engine = load(model)
    ids: list[int] | None = None
    if chat:
        if engine.chat is None:
            raise PromptError("this model has no chat template; leave --chat out")
        ids = engine.chat.ids([{"role": "user", "content": text}])
    found = look(engine, text, ids, best, near)
    table = Table(engine) if named else None
    cosines = {word: table.cosine(named[0], word) for word in named[1:]} if table else {}
    typical = table.typical(named[0]) if table else 0.0
    if plot:
        _draw(found, plot)
    if as_json:
        sizes = [size.as_dict() for size in cache_sizes()]
        near_body = {"cosines": {"of": named[0], "to": cosines, "median": typical}} if cosines else {}
        say_json({**found.as_dict(), "cache_sizes": sizes, **near_body})
        return
    lines = _page(found, min(width(), 120), every)
    if cosines:
        told = ", ".join(f"{word} {value:.3f}" for word, value in sorted(cosines.items(), key=lambda item: -item[1]))
        lines += [
            "",
            f"Cosine to {named[0]} in the embedding table: {told}; to any token at all (median) {typical:.3f}.",
        ]
    say_page("\n".join(lines) + "\n")


def _check_plot(plot: str | None) -> None:
    if plot is None or plot.lower().endswith(".svg"):
        return
    path = Path(plot)
    if not plot or "\0" in plot or (not path.is_dir() and (path.suffix or path.exists())):
        raise OutputError(f"{plot or repr(plot)}: expected a folder, or a name that ends in .svg")


def _draw(found: Inside, plot: str) -> None:
    from roundtrip.engine.inside_svg import lens, pictures

    if plot.lower().endswith(".svg"):
        write_whole(plot, lens(found))
        return
    try:
        Path(plot).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{plot}: cannot be made: {error.strerror}") from None
    for name, draw in pictures().items():
        write_whole(str(Path(plot) / f"{name}.svg"), draw(found))


def _page(found: Inside, columns: int, every: bool) -> list[str]:
    """Return the look inside as lines."""
    from roundtrip.trace.table import clip, one_line, wrap

    card = found.card
    about = (
        f"{card.file}: {card.parameters / 1e6:.1f} million weights, {card.layers} layers of width {card.width}, "
        f"{card.heads} heads ({card.kv_heads} for keys and values), {card.vocabulary:,} tokens."
    )
    lines = [clip(f"“{one_line(found.prompt)}”", columns), *wrap(about, columns)]
    said = "1. The text becomes tokens: bytes, joined pair by pair in the order in which the pairs were learned"
    lines += ["", *wrap(said, columns, "   ")]
    for token in found.tokens:
        joined = ", ".join(f"{_mark(a)}+{_mark(b)}" for a, b, _ in token.merges) or "one byte, or markup"
        raw = token.bytes_hex if len(token.bytes_hex) <= 24 else token.bytes_hex[:23] + "…"
        lines += wrap(f"  {token.id:>6} {_mark(token.text):<14} {raw:<24} {joined}", columns, " " * 9)
    said = f"2. Each token becomes a vector of {card.width} numbers; its neighbors in the table, with the cosine"
    lines += ["", *wrap(said, columns, "   ")]
    for token in found.tokens:
        first = " ".join(f"{v:+.2f}" for v in token.first[:4])
        near = ", ".join(f"{_mark(n.text).replace(',', '“,”')} {n.cosine:.2f}" for n in token.neighbors)
        lines += wrap(f"  {_mark(token.text):<14} length {token.norm:.2f}, {first} …   {near}", columns, " " * 17)
    lines += ["", *_looks(found, columns, every)]
    lines += ["", *_guesses(found, columns, every)]
    lines += ["", "5. The scores of the next token; the best is picked (greedy)"]
    for candidate, text in zip(found.top, found.top_texts, strict=True):
        bar = "█" * max(round(candidate.probability * BAR), 0)
        share = f"{100 * candidate.probability:.2f} %"
        lines.append(f"  {candidate.id:>6} {_mark(text):<14} {candidate.logit:>9.4f} {share:>9} {bar}".rstrip())
    undecided = f"Undecided by {found.entropy_nat:.2f} nat ({found.entropy_nat / 0.6931471805599453:.2f} bit)"
    layers_s = sum(found.layer_s)
    took = f"the pass took {found.wall_s * 1e3:.1f} ms, {layers_s / len(found.layer_s) * 1e3:.2f} ms a layer"
    lines += wrap(f"{undecided}; {took}, and {(found.wall_s - layers_s) * 1e3:.1f} ms for the scores.", columns)
    lines += ["", *_cache(found, columns)]
    return lines


def _looks(found: Inside, columns: int, every: bool) -> list[str]:
    from roundtrip.trace.table import wrap

    last = found.tokens[-1]
    said = f"3. Attention: where the last token {_mark(last.text)} looks, layer by layer (mean of the heads)"
    lines = wrap(said, columns, "   ")
    for layer in _layers(len(found.glances), every):
        glance = found.glances[layer - 1]
        order = sorted(range(len(glance.weights)), key=lambda i: -glance.weights[i])[:3]
        where = ", ".join(f"{_mark(found.tokens[i].text)} {100 * glance.weights[i]:.0f} %" for i in order)
        head = f"head {glance.head + 1} looks at {_mark(found.tokens[glance.at].text)}: {100 * glance.weight:.0f} %"
        lines += wrap(f"  layer {layer:>2}  {where:<48} {head}", columns, " " * 12)
    hardest = max(found.glances, key=lambda g: g.weight)
    sink = sum(g.sink for g in found.glances) / len(found.glances)
    told = (
        f"  Hardest look: layer {hardest.layer}, head {hardest.head + 1}, {100 * hardest.weight:.0f} % at "
        f"{_mark(found.tokens[hardest.at].text)}; {100 * sink:.0f} % rest on the first token."
    )
    return [*lines, *wrap(told, columns, "  ")]


def _guesses(found: Inside, columns: int, every: bool) -> list[str]:
    from roundtrip.trace.table import clip, wrap

    picked = _mark(found.top_texts[0])
    said = f"4. How the answer forms: each layer's best guess through the output head, and the rank of {picked}"
    lines = wrap(said, columns, "   ")
    wide = columns >= 78
    head = f"  {'layer':>9}  {'best guess':<16} {'sure':>6}  {'rank':>7} {'share':>9}"
    lines.append(f"{head}  {'length':>8} {'largest':>8}" if wide else head)
    for layer in [0, *_layers(len(found.guesses) - 1, every)]:
        guess = found.guesses[layer]
        name = "embedding" if layer == 0 else str(layer)
        share = f"{100 * guess.probability:.3f} %"
        sure = f"{100 * guess.best.probability:.0f} %"
        text = clip(_mark(guess.text), 16)
        row = f"  {name:>9}  {text:<16} {sure:>6}  {guess.rank + 1:>7,} {share:>9}"
        lines.append(f"{row}  {guess.norm:>8.1f} {guess.largest:>8.1f}" if wide else row)
    most, where = max((max(row), layer) for layer, row in enumerate(found.largest))
    at = found.largest[where].index(most)
    lines += wrap(
        f"  {picked} leads from layer {found.settled_layer} on. The largest number of all is {most:,.0f}, in the state "
        f"of {_mark(found.tokens[at].text)} after layer {where}: look at states on a logarithmic scale.", columns, "  ",
    )  # fmt: skip
    return lines


def _cache(found: Inside, columns: int) -> list[str]:
    from roundtrip.journey.cache_compare import cache_sizes
    from roundtrip.trace.table import wrap

    last = found.tokens[-1]
    lines = wrap("6. The cache grows: keys and values of every token are kept, none is computed again", columns, "   ")
    lines += wrap(
        f"  {found.cache_token_B:,} bytes a token here ({found.card.layers} layers, {found.card.kv_heads} keys and "
        f"values of {found.card.width // found.card.heads} numbers, 4 bytes each): {last.cache_B:,} for these "
        f"{len(found.tokens)} tokens.", columns, "  ",
    )  # fmt: skip
    for size in cache_sizes():
        title = size.title.partition(",")[0]
        lines += wrap(f"  {title}: {size.token_B:,.0f} bytes a token ({size.form}).", columns, "    ")
    return lines


def _layers(count: int, every: bool) -> list[int]:
    """Return which layers a text shows: every one, or some, more of the last."""
    if every or count <= SHOWN_LAYERS:
        return list(range(1, count + 1))
    last = list(range(count - 6, count + 1))
    step = max((count - 7) // 5, 1)
    return sorted({1, *range(step, count - 6, step), *last})


def _mark(text: str) -> str:
    from roundtrip.engine.inside_svg import seen

    return seen(text)
