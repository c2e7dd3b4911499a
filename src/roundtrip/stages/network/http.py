"""HTTP: the request in its envelope, and the events that come back one by one.

The request of the browser is framed before it is enciphered: a frame of HTTP/2 has a header of 9 bytes and carries up
to 16,384 bytes [1]_. The answer is a stream of server-sent events [2]_: each token leaves at once as ``data: {...}``
with an empty line after it, so some 200 bytes of envelope travel for a handful of letters. In HTTP/1.1 each is a
chunk with its length in hexadecimal before it [3]_.

References
----------
.. [1] M. Thomson and C. Benfield, RFC 9113, 2022, section 4, https://www.rfc-editor.org/rfc/rfc9113
.. [2] WHATWG, HTML Living Standard, server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html
.. [3] R. Fielding, M. Nottingham and J. Reschke, RFC 9112, 2022, section 7.1, https://www.rfc-editor.org/rfc/rfc9112
"""

from __future__ import annotations

import struct

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1991, "T. Berners-Lee, The original HTTP as defined in 1991")


def framed_size_B(size_B: Number, frame_header_B: Number = 9.0, frame_limit_B: Number = 16_384.0) -> Number:
    """Return the bytes of a message in its data frames [1]_.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    frame_header_B : float
        Header of one frame [B].
    frame_limit_B : float
        Largest frame that a receiver must accept [B].
    """
    return size_B + np.maximum(np.ceil(size_B / frame_limit_B), 1.0) * frame_header_B


def event_size_B(event_envelope_B: Number, token_text_B: Number, frame_header_B: Number = 9.0) -> Number:
    """Return the bytes of one streamed token: JSON around it, its text, and a frame.

    Parameters
    ----------
    event_envelope_B : float
        ``data:``, the JSON with identifier, model and time, and the empty line [B].
    token_text_B : float
        Text of the token [B].
    frame_header_B : float
        Header of the frame [B].
    """
    return event_envelope_B + token_text_B + frame_header_B


def framing_time_s(size_B: Number, framing_latency_s: Number, copy_rate_B_s: Number) -> Number:
    """Return the time to compress the headers, frame the body and hand both to TLS.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    framing_latency_s : float
        Time whatever the length: header compression, scheduling of the stream [s].
    copy_rate_B_s : float
        Bytes copied in a second [B/s].
    """
    return framing_latency_s + size_B / copy_rate_B_s


def encode_event(data: str, kind: str = "") -> bytes:
    """Return one server-sent event; each line of `data` becomes a ``data:`` line."""
    head = f"event: {kind}\n" if kind else ""
    return (head + "".join(f"data: {line}\n" for line in data.split("\n")) + "\n").encode("utf-8")


def decode_events(stream: bytes) -> tuple[list[tuple[str, str]], bytes]:
    """Return the complete events in a stream as (kind, data), and what is left of an unfinished one.

    Comments (lines that start with a colon) and unknown fields are passed over, as the standard asks. Line ends may be
    LF, CR LF or CR.
    """
    events: list[tuple[str, str]] = []
    kind, data, start, place = "", list[str](), 0, 0
    while True:
        ends = [i for i in (stream.find(b"\n", place), stream.find(b"\r", place)) if i >= 0]
        if not ends or (stream[min(ends)] == 13 and min(ends) + 1 == len(stream)):
            return events, stream[start:]
        end = min(ends)
        line = stream[place:end].decode("utf-8", "replace")
        place = end + (2 if stream[end : end + 2] == b"\r\n" else 1)
        if not line:
            if data:
                events.append((kind or "message", "\n".join(data)))
            kind, data, start = "", [], place
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            kind = value


def encode_chunk(body: bytes) -> bytes:
    """Return one chunk of HTTP/1.1: length in hexadecimal, the bytes, and line ends; an empty one ends the message."""
    return f"{len(body):x}\r\n".encode("ascii") + body + b"\r\n"


def decode_chunks(stream: bytes) -> tuple[list[bytes], bytes]:
    """Return the complete chunks of a stream and what is left over.

    Raises
    ------
    ValueError
        If a length is not a hexadecimal number, or a chunk does not end where it says.
    """
    chunks: list[bytes] = []
    while b"\r\n" in stream:
        head, _, rest = stream.partition(b"\r\n")
        digits = head.partition(b";")[0].rstrip(b" \t")
        if not 1 <= len(digits) <= 16 or digits.strip(b"0123456789abcdefABCDEF"):
            raise ValueError(f"{digits[:20]!r} is no length of a chunk")
        length = int(digits, 16)
        if len(rest) < length + 2:
            break
        if rest[length : length + 2] != b"\r\n":
            raise ValueError(f"a chunk of {length} bytes does not end where it says")
        chunks.append(rest[:length])
        stream = rest[length + 2 :]
    return chunks, stream


def data_frame(stream_id: int, body: bytes, last: bool = False) -> bytes:
    """Return a DATA frame of HTTP/2."""
    return struct.pack(">I", len(body))[1:] + bytes([0, int(last)]) + struct.pack(">I", stream_id) + body
