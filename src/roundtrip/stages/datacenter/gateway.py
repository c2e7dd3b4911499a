"""The gateway: where TLS ends, the key is checked, the limit is counted and the prompt is screened.

A request is decrypted (AES-GCM, in cycles for each byte), its key is looked up, its tokens are taken from a token
bucket, and a small classifier may read the prompt before the large model does. The bucket holds at most b tokens and
fills at r a second, so that at most ``b + r t`` pass in any t seconds; who asks for n with only l left waits
``(n - l) / r``; who sends at p > r is stopped after ``b / (p - r)``.

The bucket itself and the check of the key are logic: `TokenBucket`, `authenticate`.

References
----------
.. [1] J. S. Turner, "New directions in communications (or which way to the information age?)", IEEE Communications
   Magazine 24(10), 1986, doi:10.1109/MCOM.1986.1092946
.. [2] J. Heinanen and R. Guerin, "A Single Rate Three Color Marker", RFC 2697, 1999,
   https://www.rfc-editor.org/rfc/rfc2697
.. [3] E. Rescorla, "The Transport Layer Security (TLS) Protocol Version 1.3", RFC 8446, 2018,
   https://www.rfc-editor.org/rfc/rfc8446
.. [4] J. Kaplan et al., "Scaling Laws for Neural Language Models", arXiv:2001.08361, section 2.1: a forward pass takes
   about two operations for each parameter and token.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1986, "J. S. Turner, the leaky bucket, IEEE Communications Magazine 24(10)")


def decrypt_s(size_B: Number, cipher_cycles_B: Number, clock_Hz: Number) -> Number:
    """Return the time in which one core opens sealed bytes, cycles for each byte over the clock [s].

    Parameters
    ----------
    size_B : float
        Bytes of the records [B].
    cipher_cycles_B : float
        Cycles of the core for each byte, with the instructions of the cipher.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return size_B * cipher_cycles_B / clock_Hz


def bucket_level_after(bucket_level: Number, bucket_depth: Number, refill_rate: Number, time_s: Number) -> Number:
    """Return what a bucket holds after a time in which nothing was taken, ``min(b, l + r t)``.

    Parameters
    ----------
    bucket_level : float
        Tokens in it now; what stands above the depth has spilled.
    bucket_depth : float
        Tokens that it can hold.
    refill_rate : float
        Tokens that it gains a second [1/s].
    time_s : float
        Time that passes [s].
    """
    return np.minimum(bucket_depth, np.minimum(bucket_level, bucket_depth) + refill_rate * time_s)


def bucket_wait_s(bucket_demand: Number, bucket_level: Number, refill_rate: Number) -> Number:
    """Return how long a request waits until the bucket holds what it asks for, ``max(0, n - l) / r`` [s].

    Parameters
    ----------
    bucket_demand : float
        Tokens asked for; it must be below the depth, or it waits for ever.
    bucket_level : float
        Tokens in the bucket.
    refill_rate : float
        Tokens gained a second [1/s].
    """
    return np.maximum(bucket_demand - bucket_level, 0.0) / refill_rate


def burst_s(bucket_depth: Number, refill_rate: Number, send_excess: Number) -> Number:
    """Return how long one may send faster than the bucket fills, from a full one: ``b / (p - r)`` [2]_ [s].

    Parameters
    ----------
    bucket_depth : float
        Tokens in the full bucket.
    refill_rate : float
        Tokens gained a second [1/s].
    send_excess : float
        Rate of sending over the rate of filling, p / r; above 1.
    """
    return bucket_depth / (refill_rate * (send_excess - 1.0))


def screening_s(
    tokens: Number,
    screen_parameters: Number,
    flop_rate_flop_s: Number,
    efficiency: Number,
    latency_s: Number,
) -> Number:
    """Return the time in which a classifier reads a prompt: ``t_0 + 2 P n / (eta F)`` [4]_ [s].

    Parameters
    ----------
    tokens : float
        Tokens of the prompt.
    screen_parameters : float
        Parameters of the classifier.
    flop_rate_flop_s : float
        Peak of the accelerator that it runs on [flop/s].
    efficiency : float
        Share of that peak that so small a model reaches.
    latency_s : float
        Fixed time of the call: tokenizer, launch, copy [s].
    """
    return latency_s + 2.0 * screen_parameters * tokens / (flop_rate_flop_s * efficiency)


def work_J(time_s: Number, power_W: Number) -> Number:
    """Return the energy of a core (or chip) that works for a time [J].

    Parameters
    ----------
    time_s : float
        Time at work [s].
    power_W : float
        Its power, the share of its host included [W].
    """
    return power_W * time_s


@dataclass(slots=True)
class TokenBucket:
    """A token bucket that is filled when it is looked at: no timer runs."""

    depth: float
    rate_per_s: float
    level: float
    at_s: float = 0.0

    def take(self, now_s: float, demand: float) -> bool:
        """Take `demand` tokens at a time, or leave the bucket as it is and return False."""
        self.level = min(self.depth, self.level + self.rate_per_s * (now_s - self.at_s))
        self.at_s = now_s
        if demand > self.level:
            return False
        self.level -= demand
        return True


def authenticate(key: str, accounts: Mapping[str, bytes]) -> str | None:
    """Return the account to which a key belongs, or None.

    Only the SHA-256 of each key is kept, and every account is compared in constant time: neither a stolen table nor
    the time of the answer tells a key.
    """
    digest = hashlib.sha256(key.encode("utf-8")).digest()
    found = [name for name, stored in accounts.items() if hmac.compare_digest(digest, stored)]
    return found[0] if found else None
