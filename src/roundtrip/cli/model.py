"""``roundtrip model``: the weights of the small language model (get, find, check), and architectures in numbers."""

from __future__ import annotations

import sys
from typing import Any

import click

from roundtrip.cli.model_show import show
from roundtrip.cli.output import as_json, say, say_json, width
from roundtrip.errors import ModelError

QUESTION = (504, 3575, 282, 4649, 314)  # The capital of France is
BEST = {7042: 17.3713, 260: 14.8886, 4528: 13.2450, 2250: 13.0095, 1315: 12.9515}
TOLERANCE = 1e-3


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def model() -> None:
    """Get, find and check the weights of the small model that answers on this machine; count any model (show)."""


model.add_command(show)


@model.command()
@click.option("--url", metavar="URL", help="Get a file of your own instead: any 'llama' model as GGUF.")
@click.option("--sha256", metavar="HASH", help="The SHA-256 that the file of your own must have.")
@click.option("--quiet", is_flag=True, help="Say nothing unless it fails.")
@as_json
def fetch(url: str | None, sha256: str | None, quiet: bool, as_json: bool) -> None:
    """Get the weights (98 MB) into the cache folder, checked by SHA-256; what is there is not fetched again."""
    if (url is None) != (sha256 is None):
        raise ModelError("--url and --sha256 belong together: an address, and the SHA-256 that its file must have")
    from roundtrip.engine import fetch as fetching

    bar = None if quiet or as_json or not sys.stderr.isatty() else Bar()
    try:
        found = fetching.fetch(bar) if url is None or sha256 is None else fetching.fetch_url(url, sha256, bar)
    finally:
        if bar:
            bar.clear()
    if as_json:
        say_json({"path": str(found.path), "sha256": found.sha256, "origin": found.origin})
    elif not quiet:
        say(f"{found.path}  {found.path.stat().st_size / 1e6:.0f} MB, SHA-256 {found.sha256[:12]}…")
        if not found.published:
            say(f"Use it with --model, or for all commands with {_variable()}={found.path}")


@model.command()
@click.option("--model", "path", metavar="FILE", help="Weights of your own.")
@as_json
def where(path: str | None, as_json: bool) -> None:
    """Say which weights are used, and why these."""
    from roundtrip.engine.gguf import GGUF
    from roundtrip.engine.weights import resolve

    found = resolve(path)
    GGUF(found.path).close()  # says what is wrong with a file that holds no model
    if as_json:
        say_json(
            {"path": str(found.path), "sha256": found.sha256, "origin": found.origin, "published": found.published}
        )
        return
    say(f"{found.path}\nfound by {found.origin}; SHA-256 {found.sha256}")


@model.command()
@click.argument("path", metavar="[FILE]", required=False)
@as_json
@click.pass_context
def check(ctx: click.Context, path: str | None, as_json: bool) -> None:
    """Run the weights once, and hold the published ones to their known scores; exit code 1 if they miss."""
    from dataclasses import asdict

    from roundtrip.engine import weights
    from roundtrip.engine.engine import load

    engine = load(path)
    card = engine.card
    ids = list(QUESTION) if card.sha256 == weights.FILE_SHA256 else engine.tokenizer.encode("The capital of France is")
    with engine.model.cache() as cache:
        step = engine.model.forward([(cache, ids)], top=len(BEST))
    best = step.trace.top[0]
    body: dict[str, Any] = {
        "card": asdict(card),
        "next": [{"id": c.id, "text": engine.tokenizer.decode([c.id]), "logit": c.logit} for c in best],
        "holds": None,
    }
    if card.sha256 == weights.FILE_SHA256:
        miss = max(abs(c.logit - BEST.get(c.id, float("inf"))) for c in best)
        body["holds"] = [c.id for c in best] == list(BEST) and miss < TOLERANCE
    if as_json:
        say_json(body)
    else:
        say(_page(body))
    ctx.exit(1 if body["holds"] is False else 0)


def _page(body: dict[str, Any]) -> str:
    from roundtrip.trace.table import wrap

    card = body["card"]
    lines = [
        f"{card['name']} ({card['file']}, {card['file_B'] / 1e6:.0f} MB, license {card['license']})",
        f"{card['parameters'] / 1e6:.1f} million weights, mostly {card['quantization']}; {card['layers']} layers of "
        f"width {card['width']}, {card['heads']} heads ({card['kv_heads']} for keys and values), "
        f"{card['vocabulary']:,} tokens, context {card['context']:,}",
        f"SHA-256 {card['sha256']}",
        "After 'The capital of France is': " + ", ".join(f"{c['text']!r} {c['logit']:.4f}" for c in body["next"]),
    ]
    known = {
        True: "These are the known scores, within 0.001.",
        False: "These are NOT the known scores.",
        None: "It is not the published file, so there are no known scores to hold these to.",
    }
    return "\n".join(part for line in [*lines, known[body["holds"]]] for part in wrap(line, min(width(), 120)))


def _variable() -> str:
    from roundtrip.engine.weights import VARIABLE

    return VARIABLE


class Bar:
    """A line on standard error that fills while a file comes."""

    cells = 30

    def __call__(self, done_B: int, total_B: int) -> None:
        """Draw it."""
        if total_B:
            filled = self.cells * done_B // total_B
            line = f"[{'#' * filled}{'.' * (self.cells - filled)}] {done_B / 1e6:.0f} of {total_B / 1e6:.0f} MB"
        else:
            line = f"{done_B / 1e6:.0f} MB"
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove it."""
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
