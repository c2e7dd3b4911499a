"""The one-word machine on a prompt of the reader's own: what `engine.inside` sees, with the digits that are shown."""

from __future__ import annotations

from typing import Any

from roundtrip.engine.engine import Engine
from roundtrip.engine.inside import look
from roundtrip.errors import DomainError
from roundtrip.journey.answer import form_of, tokens_of

MOST_TOKENS = 64
LONGEST = 2_000  # characters
DIGITS = 4
NEAR = 3

Body = dict[str, Any]


def own(engine: Engine, prompt: object) -> Body:
    """Return what happens inside on the way from a prompt to the first token of its answer.

    Parameters
    ----------
    engine : Engine
    prompt : object
        What a page sent as the prompt.

    Raises
    ------
    DomainError
        If it is no text, or too long to be shown.
    """
    if not isinstance(prompt, str) or not prompt.strip() or len(prompt) > LONGEST:
        raise DomainError(f"prompt: expected text of 1 to {LONGEST:,} characters")
    form = form_of(prompt, "auto" if engine.chat is not None else "text")
    ids = tokens_of(engine, prompt, form)
    if len(ids) > MOST_TOKENS:
        raise DomainError(f"the prompt has {len(ids)} tokens with its template, shown are at most {MOST_TOKENS}")
    seen = look(engine, prompt, None if form == "text" else ids, near=NEAR).as_dict()
    card = seen["card"]
    return {
        "schema": "roundtrip.own/1",
        "prompt": prompt,
        "form": form,
        "model": {name: card[name] for name in ("name", "file", "parameters", "layers", "width", "heads", "kv_heads",
                                                "vocabulary", "context", "file_B", "license")},
        "tokens": [_token(t) for t in seen["tokens"]],
        "glances": [
            {"layer": g["layer"], "weights": _short(g["weights"]), "sink": _short(g["sink"]), "head": g["head"],
             "at": g["at"], "weight": _short(g["weight"])}
            for g in seen["glances"]
        ],
        "guesses": [
            {"layer": g["layer"], "text": g["best"]["text"], "best": _short(g["best"]["probability"]),
             "rank": g["rank"], "probability": _short(g["probability"])}
            for g in seen["guesses"]
        ],
        "top": [{"text": c["text"], "probability": _short(c["probability"])} for c in seen["top"]],
        "picked": seen["picked"]["text"],
        "entropy_nat": _short(seen["entropy_nat"]),
        "settled_layer": seen["settled_layer"],
        "cache_token_B": seen["cache_token_B"],
        "wall_s": _short(seen["wall_s"]),
    }  # fmt: skip


def _token(t: Body) -> Body:
    return {
        "id": t["id"], "text": t["text"], "bytes": t["bytes_hex"], "merges": [[a, b] for a, b, _ in t["merges"]],
        "norm": _short(t["norm"]), "first": _short(t["first"]), "cache_B": t["cache_B"],
        "near": [[n["text"], _short(n["cosine"])] for n in t["neighbors"]],
    }  # fmt: skip


def _short(value: Any) -> Any:
    """Return numbers with the digits that are seen."""
    if isinstance(value, list):
        return [_short(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return float(f"{value:.{DIGITS - 1}e}")
