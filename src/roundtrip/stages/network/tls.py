"""TLS 1.3: who speaks, and nobody else understands.

A new session costs one round trip before the request may leave [1]_; a resumed one that sends early data costs none.
Both ends compute meanwhile: a key exchange on X25519, one signature, one verification. From then on the bytes travel in
records of at most 16,384 bytes, each with 22 bytes around it: 5 of header, 1 of content type, 16 of authentication tag
(AES-GCM [2]_). Enciphering runs at gigabytes a second on any processor with instructions for AES.

References
----------
.. [1] E. Rescorla, RFC 8446, 2018, sections 2 and 5, https://www.rfc-editor.org/rfc/rfc8446
.. [2] M. Dworkin, NIST SP 800-38D, "Galois/Counter Mode", 2007, doi:10.6028/NIST.SP.800-38D
"""

from __future__ import annotations

import hashlib
import hmac
import struct

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1994, "K. Hickman and T. Elgamal, SSL at Netscape; TLS 1.3 is RFC 8446 of 2018")

RECORD_LIMIT_B = 16_384


def handshake_time_s(round_trip_s: Number, handshake_round_trips: Number, handshake_compute_s: Number) -> Number:
    """Return the wait until the request may leave.

    Parameters
    ----------
    round_trip_s : float
        Time there and back to whoever terminates TLS [s].
    handshake_round_trips : float
        1 for a new session, 0 for a resumed one with early data.
    handshake_compute_s : float
        Time in which both ends compute keys and signatures [s].
    """
    return round_trip_s * handshake_round_trips + handshake_compute_s


def records(size_B: Number, record_limit_B: Number = 16_384.0) -> Number:
    """Return in how many records a message travels.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    record_limit_B : float
        Largest content of one record [B].
    """
    return np.maximum(np.ceil(size_B / record_limit_B), 1.0)


def record_overhead_B(record_header_B: Number = 5.0, content_type_B: Number = 1.0, tag_B: Number = 16.0) -> Number:
    """Return the bytes that one record adds [1]_.

    Parameters
    ----------
    record_header_B : float
        Type, version and length in the open [B].
    content_type_B : float
        True type, enciphered [B].
    tag_B : float
        Authentication tag of AES-GCM or ChaCha20-Poly1305 [B].
    """
    return record_header_B + content_type_B + tag_B


def sealed_size_B(size_B: Number, overhead_B: Number, record_limit_B: Number = 16_384.0) -> Number:
    """Return the bytes of a message in its records.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    overhead_B : float
        Bytes that one record adds [B].
    record_limit_B : float
        Largest content of one record [B].
    """
    return size_B + records(size_B, record_limit_B) * overhead_B


def seal_time_s(size_B: Number, record_setup_s: Number, cipher_rate_B_s: Number) -> Number:
    """Return the time to encipher or decipher a message.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    record_setup_s : float
        Time for a record whatever its length: call, nonce, tag [s].
    cipher_rate_B_s : float
        Bytes that one core enciphers in a second [B/s].
    """
    return records(size_B) * record_setup_s + size_B / cipher_rate_B_s


def record_header(length_B: int) -> bytes:
    """Return the 5 bytes in the open before an enciphered record: type 23, version 3.3, length."""
    if not 0 < length_B <= RECORD_LIMIT_B + 256:
        raise ValueError(f"length_B = {length_B}, allowed: 1 to {RECORD_LIMIT_B + 256}")
    return struct.pack(">BHH", 23, 0x0303, length_B)


def nonce(static_iv: bytes, sequence: int) -> bytes:
    """Return the nonce of a record: its number, laid over the session's initialization vector (section 5.3)."""
    return bytes(a ^ b for a, b in zip(static_iv, sequence.to_bytes(len(static_iv), "big"), strict=True))


def extract(salt: bytes, secret: bytes) -> bytes:
    """Return HKDF-Extract with SHA-256 (RFC 5869)."""
    return hmac.new(salt or bytes(32), secret, hashlib.sha256).digest()


def expand_label(secret: bytes, label: str, context: bytes, length: int) -> bytes:
    """Return HKDF-Expand-Label with SHA-256 (section 7.1): the root of all keys of a session."""
    name = b"tls13 " + label.encode("ascii")
    info = struct.pack(">HB", length, len(name)) + name + bytes([len(context)]) + context
    block, whole = b"", b""
    for count in range(1, -(-length // 32) + 1):
        block = hmac.new(secret, block + info + bytes([count]), hashlib.sha256).digest()
        whole += block
    return whole[:length]
