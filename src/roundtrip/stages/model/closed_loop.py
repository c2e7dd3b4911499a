r"""Closed loop: so many clients, each of whom asks again as soon as an answer has ended.

Most published serving figures are measured this way, at a concurrency c. By Little's law the streams that write are
those of the c clients that do not wait for their first token,

.. math:: s = \frac{c\, m\, t_o}{m\, t_o + t_1}

with m tokens an answer, a time t_o of each, and a time t_1 to the first. Prompts of others are read in between: every
stream brings a new one whenever its answer ends. A prompt finds another being read with probability :math:`\rho` and
waits half of it on average; what queues before it multiplies that by :math:`1 / (1 - \rho)` (M/D/1 [1]_), and of c
clients only c - 1 can be in the way. A benchmark starts all clients at once, so that a share w of its requests wait
for half of all the others. When the caches of c streams do not fit, those that are too many wait for a whole answer.

References
----------
.. [1] M. Harchol-Balter, Performance Modeling and Design of Computer Systems, Cambridge University Press 2013,
   section 23.1 (M/G/1) and section 6.6 (closed systems), doi:10.1017/CBO9781139226424
.. [2] NVIDIA, "aiconfigurator" silicon sample (measured serving runs), https://github.com/ai-dynamo/aiconfigurator
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1961, "J. D. C. Little, A proof for the queuing formula L = lambda W, Operations Research 9, 383-387")


def writing_streams(
    clients: Number, output_tokens: Number, time_per_output_token_s: Number, first_token_s: Number
) -> Number:
    """Return the streams that write, by Little's law: all clients but those that wait for their first token."""
    write_s = output_tokens * time_per_output_token_s
    return clients * write_s / (write_s + first_token_s)


def reading_groups(batch_groups: Number, group_exponent: Number) -> Number:
    """Return how many prompts are read side by side, ``g^x``: groups that share experts wait for each other."""
    return batch_groups**group_exponent


def reading_load(
    streams: Number, output_tokens: Number, time_per_output_token_s: Number, first_token_s: Number, read_s: Number
) -> Number:
    """Return the share of the time in which some prompt is read, never above 0.95.

    Parameters
    ----------
    streams : float
        Streams that write, of those accelerators that read one prompt at a time.
    output_tokens, time_per_output_token_s, first_token_s : float
        Tokens of an answer, time of each, and time to the first [s].
    read_s : float
        Time of a step in which a prompt is read [s].
    """
    return np.minimum(streams / (output_tokens * time_per_output_token_s + first_token_s) * read_s, 0.95)


def turn_wait_s(utilization: Number, clients: Number, read_s: Number) -> Number:
    """Return how long a prompt waits for those before it, ``rho / (2 (1 - rho)) (c - 1) / c t`` [1]_ [s]."""
    return utilization / (2.0 * (1.0 - utilization)) * (clients - 1.0) / clients * read_s


def wave_wait_s(clients: Number, wave_share: Number, work_s: Number) -> Number:
    """Return the mean wait in the wave of the start, ``w (c - 1) / 2 t`` [s]: half of the others are read before.

    Parameters
    ----------
    clients : float
        Clients that start at once at what reads one prompt at a time.
    wave_share : float
        Share of the requests that belong to the wave: a tenth where each client asks ten times.
    work_s : float
        Time that one more prompt adds to the reading [s].
    """
    return wave_share * np.maximum(clients - 1.0, 0.0) / 2.0 * work_s


def running_step_wait_s(clients: Number, step_s: Number) -> Number:
    """Return the mean wait for the end of the running step, half of it; a client alone finds none [s]."""
    return 0.5 * step_s * np.minimum(clients - 1.0, 1.0)


def client_wait_s(clients: Number, client_time_s: Number) -> Number:
    """Return the time of connections, tokenizers and event loops, ``t sqrt(c)`` as fits to measured runs ask [s]."""
    return client_time_s * np.sqrt(clients)


def place_wait_s(
    clients: Number, held_streams: Number, output_tokens: Number, time_per_output_token_s: Number
) -> Number:
    """Return the wait for room in the cache, ``(c - s) / s`` answers for those that are too many [s]."""
    over = np.maximum(clients - held_streams, 0.0)
    return over / held_streams * output_tokens * time_per_output_token_s
