"""The stream back: one token after the other, each in a message of its own.

The first token has come the whole way; the others follow at the pace at which the model writes them, because the
network carries them while the next ones are made (a pipeline: its length is paid once, its slowest step each time).
What the reader waits for is tokens times time per token. A reply that *reasons* first streams thoughts that are not
shown: the first token of the answer comes after all of them.

Two envelopes are in use: server-sent events over HTTP (`roundtrip.stages.network.http`) and WebSocket frames, whose
header has 2, 4 or 10 bytes and, from the browser, a mask of 4 more [1]_.

References
----------
.. [1] I. Fette and A. Melnikov, RFC 6455, 2011, section 5, https://www.rfc-editor.org/rfc/rfc6455
.. [2] L. Kleinrock, Queueing Systems, Volume 2, Wiley 1976, section 5: a tandem is as fast as its slowest server.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2004, "I. Hickson, server-sent events in Web Applications 1.0")


def streaming_time_s(tokens_left: Number, time_per_output_token_s: Number) -> Number:
    """Return the time in which the remaining tokens arrive.

    Parameters
    ----------
    tokens_left : float
        Tokens after the one that has arrived.
    time_per_output_token_s : float
        Time between two tokens of one reply [s].
    """
    return np.maximum(tokens_left, 0.0) * time_per_output_token_s


def pipeline_interval_s(time_per_output_token_s: Number, event_line_time_s: Number) -> Number:
    """Return the time between two arrivals: the slower of writing a token and sending its event [2]_.

    Parameters
    ----------
    time_per_output_token_s : float
        Time between two tokens as they are written [s].
    event_line_time_s : float
        Time that one event occupies the slowest line [s].
    """
    return np.maximum(time_per_output_token_s, event_line_time_s)


def stream_rate_bit_s(event_wire_B: Number, time_per_output_token_s: Number) -> Number:
    """Return the rate at which a reply arrives: bytes of one event on the wire over the time between two.

    Parameters
    ----------
    event_wire_B : float
        Bytes of one event on the wire [B].
    time_per_output_token_s : float
        Time between two tokens [s].
    """
    return 8.0 * event_wire_B / time_per_output_token_s


def frame_size_B(payload_B: Number, mask_B: Number = 0.0) -> Number:
    """Return the bytes of a WebSocket frame: 2 of header, 2 more from 126 bytes on, 8 more from 65,536 on [1]_.

    Parameters
    ----------
    payload_B : float
        Bytes inside [B].
    mask_B : float
        4 from a browser, 0 from a server [B].
    """
    return payload_B + 2.0 + np.where(payload_B > 65_535.0, 8.0, np.where(payload_B > 125.0, 2.0, 0.0)) + mask_B


def encode_frame(payload: bytes, opcode: int = 1, mask: bytes = b"") -> bytes:
    """Return one whole WebSocket frame; `mask` has 4 bytes when a browser sends it."""
    if len(mask) not in (0, 4):
        raise ValueError(f"the mask has {len(mask)} bytes, expected 0 or 4")
    flag = 0x80 if mask else 0
    if len(payload) <= 125:
        length = bytes([flag | len(payload)])
    elif len(payload) <= 65_535:
        length = bytes([flag | 126]) + len(payload).to_bytes(2, "big")
    else:
        length = bytes([flag | 127]) + len(payload).to_bytes(8, "big")
    body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if mask else payload
    return bytes([0x80 | opcode]) + length + mask + body


def decode_frame(stream: bytes) -> tuple[int, bytes, bytes]:
    """Return opcode, payload and what follows the first frame.

    Raises
    ------
    ValueError
        If the frame is not complete.
    """
    if len(stream) < 2:
        raise ValueError("the header is cut off")
    opcode, masked, short = stream[0] & 0x0F, stream[1] & 0x80, stream[1] & 0x7F
    place = 2
    extra = {126: 2, 127: 8}.get(short, 0)
    length = int.from_bytes(stream[place : place + extra], "big") if extra else short
    place += extra
    mask = stream[place : place + 4] if masked else b""
    place += len(mask)
    if len(stream) < place + length or (masked and len(mask) < 4):
        raise ValueError(f"the frame is cut off: {len(stream)} of {place + length} bytes")
    payload = stream[place : place + length]
    if mask:
        payload = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
    return opcode, payload, stream[place + length :]
