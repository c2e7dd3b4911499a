"""What verbs share that let a model answer: which one, where it runs, and how its words are printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.errors import ModelError, RoundtripError

if TYPE_CHECKING:
    from roundtrip.engine.backends import Backend

F = TypeVar("F", bound=Callable[..., Any])

BACKENDS = ("numpy", "llamacpp", "http")


def backend_options(max_tokens: int) -> Callable[[F], F]:
    """Return what gives a verb the options that choose a model, where it runs, and how long its answers may be."""

    def give(function: F) -> F:
        for option in reversed(
            (
                click.option("--backend", type=click.Choice(BACKENDS), default="numpy", show_default=True,
                             help="Who answers: Roundtrip's own engine, llama.cpp, or an endpoint."),
                click.option("--base-url", metavar="URL",
                             help="Of an OpenAI-compatible endpoint: chooses --backend http."),
                click.option("--model", metavar="FILE|NAME", help="Weights of your own, or the endpoint's model."),
                click.option("--api-key-env", metavar="NAME",
                             help="Environment variable that holds the endpoint's key."),
                click.option("--max-tokens", type=click.IntRange(1, 1_000_000), default=max_tokens, show_default=True,
                             help="The most tokens of an answer."),
            )
        ):  # fmt: skip
            function = option(function)
        return function

    return give


def form_option(function: F) -> F:
    """Give a verb ``--form``."""
    return click.option(
        "--form", type=click.Choice(("auto", "chat", "text")), default="auto", show_default=True,
        help="Ask it as a chat, or let it go on with the text; auto: go on where a sentence is open.",
    )(function)  # fmt: skip


def check_unused(backend: str, base_url: str | None, api_key_env: str | None) -> None:
    """Refuse options that choose another backend where none is used.

    Raises
    ------
    RoundtripError
    """
    for option, given in (("--base-url", base_url), ("--api-key-env", api_key_env)):
        if given is not None:
            raise RoundtripError(f"{option}: an endpoint answers with --record, or in 'roundtrip chat'")
    if backend != "numpy":
        raise RoundtripError(f"--backend {backend}: it answers with --record, or in 'roundtrip chat'")


def choose(
    backend: str, base_url: str | None, model: str | None, api_key_env: str | None, tls: bool = False
) -> Backend:
    """Return the backend that the options name.

    Raises
    ------
    RoundtripError
        If they do not go together.
    """
    from roundtrip.engine.backends import HttpBackend, LlamaCppBackend, NumpyBackend

    if base_url is not None and backend == "numpy":
        backend = "http"
    if tls and backend != "numpy":
        raise RoundtripError("--tls is for Roundtrip's own server; elsewhere the address says it: https://…")
    if backend == "http":
        if base_url is None:
            raise RoundtripError("--backend http: expected --base-url, for example http://localhost:11434/v1")
        return HttpBackend(base_url, model, api_key_env)
    if api_key_env is not None:
        raise RoundtripError("--api-key-env goes with --base-url")
    path = _path(model)
    if backend == "llamacpp":
        return LlamaCppBackend(path)
    check_server()
    return NumpyBackend(path=path, tls=tls)


def check_server() -> None:
    """Say what to install where our own server cannot run.

    Raises
    ------
    RoundtripError
    """
    from importlib.util import find_spec

    for module in ("starlette", "uvicorn", "h11"):
        if find_spec(module) is None:
            raise RoundtripError(f"serving needs {module}: pip install {module}")


def _path(model: str | None) -> Any:
    from pathlib import Path

    if model is None:
        return None
    if not model or "\0" in model:
        raise ModelError(f"--model {model!r}: no such file")
    return Path(model)


def printer() -> Callable[[str], None]:
    """Return what writes each piece of an answer as it comes; control characters are shown as blanks."""

    def write(text: str) -> None:
        shown = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
        try:
            sys.stdout.write(shown)
        except UnicodeEncodeError:
            sys.stdout.write(shown.encode("ascii", "replace").decode("ascii"))
        sys.stdout.flush()

    return write
