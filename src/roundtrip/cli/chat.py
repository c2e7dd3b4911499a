"""``roundtrip chat``: talk with a model in the terminal, with the wait of each turn underneath."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.backend import backend_options, choose, printer
from roundtrip.cli.output import color, say, say_page, width
from roundtrip.errors import PromptError, RoundtripError

if TYPE_CHECKING:
    from roundtrip.engine.backends import Endpoint
    from roundtrip.engine.client import Client
    from roundtrip.engine.exchange import Exchange

LONGEST_B = 1_000_000
WIDEST = 110
TOO_LONG = "context_length_exceeded"


@click.command()
@backend_options(256)
@click.option("--system", metavar="TEXT", help="What the model is told before the first turn.")
@click.option(
    "--temperature",
    type=click.FloatRange(0.0, 100.0),
    default=0.0,
    show_default=True,
    help="0 always takes the best token; above, it is drawn.",
)
@click.option("--seed", type=click.IntRange(0), help="The same seed draws the same tokens.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a turn.")
def chat(
    backend: str, base_url: str | None, model: str | None, api_key_env: str | None, max_tokens: int,
    system: str | None, temperature: float, seed: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Talk with the small model on this computer, or with any endpoint.

    Ctrl+C stops an answer and keeps the chat; Ctrl+D (or the end of the input) ends it. What was said stays in the
    model's cache, so a turn reads only what is new. Where lines are piped in and one was not answered, the exit code
    is 1.
    """
    server = choose(backend, base_url, model, api_key_env)
    from roundtrip.engine.client import Client
    from roundtrip.journey.answer import trust
    from roundtrip.trace.table import wrap

    if math.isnan(temperature):  # no range keeps out what is no number
        raise RoundtripError("--temperature nan: expected a number, 0 to 100")
    with server.serving() as endpoint, Client(endpoint.base_url, endpoint.api_key, timeout_s=600.0) as client:
        fields: dict[str, Any] = {"model": endpoint.model, "max_tokens": max_tokens, "temperature": temperature}
        if seed is not None:
            fields["seed"] = seed
        if not as_json:
            say("\n".join(wrap(f"{trust(endpoint.card, endpoint.model)}.", min(width(), WIDEST))))
            say("Ctrl+C stops an answer, Ctrl+D ends the chat.\n" if sys.stdin.isatty() else "")
        failed = _talk(client, endpoint, system, fields, as_json)
    if failed and not sys.stdin.isatty():
        click.get_current_context().exit(1)


def _talk(client: Client, endpoint: Endpoint, system: str | None, fields: dict[str, Any], as_json: bool) -> int:
    """Take turns until the input ends; return how many were not answered to the end."""
    failed = 0
    messages: list[dict[str, str]] = [{"role": "system", "content": system}] if system else []
    first = len(messages)
    for said in turns():
        messages.append({"role": "user", "content": said})
        found, stopped, forgotten = _turn(client, messages, first, fields, as_json)
        text = found.text
        failed += not stopped and found.outcome not in ("complete", "empty")
        if text or found.outcome in ("complete", "empty"):
            messages.append({"role": "assistant", "content": text})
        else:
            messages.pop()  # nothing came: the question is not part of what was said
        if as_json:
            sys.stdout.write(json.dumps(_as_dict(found, stopped, forgotten), ensure_ascii=True) + "\n")
            sys.stdout.flush()
        else:
            say_page(("" if text.endswith("\n") or not text else "\n") + _dim(_below(found, stopped, forgotten)) + "\n")
    return failed


def turns() -> Iterator[str]:
    """Yield what the person says, a line a turn; blank lines are no turns.

    Raises
    ------
    PromptError
        If a line is no UTF-8, or longer than a prompt may be.
    """
    asks = sys.stdin.isatty()
    if asks:
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # pyright: ignore[reportUnusedImport] - input() then edits and remembers lines
    while True:
        try:
            if asks:
                line = input("you: ")
            else:
                raw = sys.stdin.buffer.readline(LONGEST_B + 2)
                if not raw:
                    return
                line = raw.decode("utf-8")
        except EOFError:
            say("")
            return
        except KeyboardInterrupt:  # a line that was begun is dropped, as a shell does
            say("")
            continue
        except UnicodeDecodeError as error:
            raise PromptError(f"a turn is not valid UTF-8 (at byte {error.start}), from standard input") from None
        if len(line.encode("utf-8", "surrogatepass")) > LONGEST_B:
            raise PromptError(f"a turn has more than {LONGEST_B:,} bytes, which is what is allowed")
        if line.strip():
            yield line.rstrip("\r\n")


def _turn(
    client: Client, messages: list[dict[str, str]], first: int, fields: dict[str, Any], as_json: bool
) -> tuple[Exchange, bool, int]:
    """Send the conversation and print the answer as it comes; say if it was stopped, and what was forgotten.

    The oldest turns are left out where the model's context has no room for them.
    """
    from roundtrip.engine.exchange import Exchange, Token
    from roundtrip.engine.spans import Context, new_span_id, new_trace_id, now_ns

    write = None if as_json else printer()
    forgotten = 0
    while True:
        heard: list[Token] = []

        def hear(token: Token, heard: list[Token] = heard) -> None:
            heard.append(token)
            if write is not None and token.channel == "content":
                write(token.text)

        start_ns = now_ns()
        body = {"messages": [dict(m) for m in messages], "stream": True, **fields}
        try:
            found = client.post("/chat/completions", body, on_token=hear, resend=True)
        except KeyboardInterrupt:
            found = Exchange(Context(new_trace_id(), new_span_id()), start_ns, end_ns=now_ns(), tokens=heard)
            found.fail("stopped", "stopped by Ctrl+C")
            return found, True, forgotten
        if found.error_code == TOO_LONG and len(messages) > first + 1:
            del messages[first : first + 2]
            forgotten += 2
            continue
        return found, False, forgotten


def _as_dict(found: Exchange, stopped: bool, forgotten: int) -> dict[str, Any]:
    """Return one turn as JSON."""
    first_ns = found.first_token_ns
    return {
        "role": "assistant",
        "content": found.text,
        "reasoning": found.reasoning or None,
        "outcome": found.outcome,
        "error": found.error,
        "finish": "stopped" if stopped else found.finish_reason,
        "time_to_first_token_s": (first_ns - found.start_ns) / 1e9 if first_ns is not None else None,
        "time_to_last_token_s": (found.tokens[-1].at_ns - found.start_ns) / 1e9 if found.tokens else None,
        "time_per_output_token_s": found.time_per_output_token_s,
        "prompt_tokens": found.prompt_tokens,
        "cached_tokens": found.cached_tokens,
        "completion_tokens": found.completion_tokens,
        "forgotten_messages": forgotten,
        "timings": found.timings,
    }


def _below(found: Exchange, stopped: bool, forgotten: int) -> str:
    """Return the line under an answer: how long it took, and what did not need to be read again."""
    from roundtrip.trace.numbers import digits, si

    parts: list[str] = []
    first_ns = found.first_token_ns
    if first_ns is not None:
        parts.append(f"first token {si((first_ns - found.start_ns) / 1e9, 's')}")
    per_token_s = found.time_per_output_token_s
    if per_token_s:
        parts.append(f"{digits(1.0 / per_token_s, 2)} tokens/s")
    if found.completion_tokens is not None:
        parts.append(f"{found.completion_tokens} tokens")
    if found.prompt_tokens is not None:
        cached = f", {found.cached_tokens} of them cached" if found.cached_tokens is not None else ""
        parts.append(f"{found.prompt_tokens} read{cached}")
    queue_ms = (found.timings or {}).get("queue_ms")
    if isinstance(queue_ms, (int, float)) and queue_ms >= 1.0:
        parts.append(f"{si(queue_ms / 1e3, 's')} in the queue")
    if found.finish_reason == "length":
        parts.append("cut off: --max-tokens")
    if forgotten:
        parts.append(f"the {forgotten} oldest messages did not fit any more")
    if stopped:
        parts.append("stopped")
    elif found.outcome not in ("complete", "empty"):
        parts.append(f"{found.outcome}: {found.error}")
    elif not found.text:
        parts.append("no text came")
    return f"[{'; '.join(parts)}]"


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if color() else text
