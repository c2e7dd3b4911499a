"""The request: the prompt wrapped in JSON, and JSON wrapped in header lines.

What one of the audited documents lost after "containing:" is this: a request line; header lines that name the host,
the browser, the accepted and the sent content type, the length, the page of origin; a cookie or an authorization
token that says who asks; and a JSON body with the model's name, the messages (role and content; in a longer talk
every earlier turn again), the wish to stream, and a few settings.

References
----------
.. [1] OpenAI, API reference, "Create chat completion": model, messages, stream, temperature; the form that others
   have taken over.
.. [2] RFC 8259 (JSON), section 7: which characters are escaped.
.. [3] RFC 9112 (HTTP/1.1), section 2: start line, header lines, an empty line, body.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from roundtrip.figures.graph import Number

SINCE = (1997, "HTTP/1.1 (RFC 2068); JSON since 2001, chat messages in JSON since 2023")

Message = Mapping[str, str]
HEADERS: dict[str, str] = {
    "Host": "chat.example.com",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/130.0.0.0 Safari/537.36",
    "Accept": "text/event-stream",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Content-Type": "application/json",
    "Origin": "https://chat.example.com",
    "Referer": "https://chat.example.com/c/6f1b1c9e-2b57-4d5c-9d51-0d8a2f0c7e11",
    "Sec-CH-UA": '"Chromium";v="130", "Not?A_Brand";v="99"',
    "Sec-CH-UA-Mobile": "?0",
    "Sec-CH-UA-Platform": '"Linux"',
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "same-origin",
    "Cache-Control": "no-cache",
    "Connection": "keep-alive",
}
PATH = "/v1/chat/completions"
SETTINGS: dict[str, Any] = {
    "stream": True,
    "temperature": 1.0,
    "max_tokens": 4096,
    "conversation_id": "6f1b1c9e-2b57-4d5c-9d51-0d8a2f0c7e11",
    "parent_message_id": "f2a9b8f4-5a58-4a0e-8a0b-1b7f3d5e9c20",
    "timezone": "America/New_York",
}


def body_size_B(bytes_B: Number, escape_factor: Number, envelope_B: Number, history_B: Number) -> Number:
    """Return the bytes of the JSON body: the envelope, the prompt as JSON writes it, earlier turns [B].

    Parameters
    ----------
    bytes_B : float
        Bytes of the prompt [B].
    escape_factor : float
        Growth of the text in JSON; 1 without quotes, backslashes and line ends.
    envelope_B : float
        Bytes around the prompt [B].
    history_B : float
        Bytes of earlier turns [B].
    """
    return envelope_B + escape_factor * bytes_B + history_B


def request_size_B(
    bytes_B: Number,
    escape_factor: Number,
    envelope_B: Number,
    history_B: Number,
    header_B: Number,
    cookie_B: Number,
) -> Number:
    """Return the bytes of the whole request before encryption: header lines, cookies, body [B].

    Parameters
    ----------
    bytes_B, escape_factor, envelope_B, history_B : float
        As in `body_size_B`.
    header_B : float
        Bytes of the start line and the header lines without cookies [B].
    cookie_B : float
        Bytes of cookie and authorization [B].
    """
    return header_B + cookie_B + body_size_B(bytes_B, escape_factor, envelope_B, history_B)


def build_time_s(size_B: Number, serialize_rate_B_s: Number, request_overhead_s: Number) -> Number:
    """Return the time to write the request and hand it to the network process [s].

    Parameters
    ----------
    size_B : float
        Bytes of the request [B].
    serialize_rate_B_s : float
        Bytes written a second [B/s].
    request_overhead_s : float
        Fixed time: promises, checks, the message to the network process [s].
    """
    return size_B / serialize_rate_B_s + request_overhead_s


def body(prompt: str, model: str = "model", history: Sequence[Message] = ()) -> bytes:
    """Return the JSON body of a prompt, in the shortest form, as UTF-8."""
    messages = [*history, {"role": "user", "content": prompt}]
    whole = {"model": model, "messages": messages, **SETTINGS}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def encode(prompt: str, model: str = "model", history: Sequence[Message] = (), cookie: str = "") -> bytes:
    """Return the whole request as HTTP/1.1 puts it on a connection."""
    content = body(prompt, model, history)
    lines = [f"POST {PATH} HTTP/1.1", *(f"{name}: {value}" for name, value in HEADERS.items())]
    lines.append(f"Content-Length: {len(content)}")
    if cookie:
        lines.append(f"Cookie: {cookie}")
    return "\r\n".join(lines).encode("ascii") + b"\r\n\r\n" + content


def decode(request: bytes) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the header lines and the body of such a request, its length checked.

    Raises
    ------
    ValueError
        If a header line has no colon or is not ASCII, the length is not that of the body, or the body no JSON object.
    """
    head, _, content = request.partition(b"\r\n\r\n")
    lines = [line.partition(": ") for line in head.decode("ascii").split("\r\n")[1:]]
    if not all(colon for _, colon, _ in lines):
        raise ValueError("a header line has no colon")
    headers = {name: value for name, _, value in lines}
    if headers.get("Content-Length") != str(len(content)):
        said = headers.get("Content-Length", "nothing")
        raise ValueError(f"Content-Length says {said[:20]!r}, the body has {len(content)} bytes")
    try:
        whole = json.loads(content)
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    if not isinstance(whole, dict):
        raise ValueError("the body is no JSON object")
    return headers, cast("dict[str, Any]", whole)
