r"""Joules a token against load: what stands still is shared by the batch, what moves is not.

A decode step of s streams on one accelerator takes ``t_a + t_b s``. The chip and its host draw ``P_0`` for as long,
whatever they do; the weights are read once a step for all (``W``); each token has its own operations and bytes (``e``):

.. math:: e(s) = \frac{P_0 (t_a + t_b s) + W}{s} + e_o = \frac{P_0 t_a + W}{s} + P_0 t_b + e_o

a hyperbola from the price of solitude down to a floor. At r tokens a second the batch follows from Little's law [1]_,
``s = r (t_a + t_b s)``, so ``s = r t_a/(1 - r t_b)``; below one stream the machine waits between steps and draws its
standing power all the same: ``e(r) = P_0/r + W/\max(s, 1) + e_o``.

References
----------
.. [1] J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Oper. Res. 9, 1961, doi:10.1287/opre.9.3.383
.. [2] N. Jegham et al., "How Hungry is AI?", arXiv:2505.09598: the share of a server for the time of an answer.
.. [3] J.-W. Chung et al., "Where Do the Joules Go?", arXiv:2601.22076: measured joules a token against batch.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1961, "J. D. C. Little, L = lambda W")


def token_J(
    streams: Number,
    step_fixed_s: Number,
    step_stream_s: Number,
    standing_power_W: Number,
    fetch_energy_J: Number,
    own_energy_J: Number,
) -> Number:
    """Return the energy of a token in a batch, ``(P_0 (t_a + t_b s) + W)/s + e_o`` [J].

    Parameters
    ----------
    streams : float
        Streams that are decoded at once on one accelerator.
    step_fixed_s, step_stream_s : float
        Step time: fixed, and for each stream [s].
    standing_power_W : float
        Drawn whatever is done: chip and host [W].
    fetch_energy_J : float
        Reading the weights once [J].
    own_energy_J : float
        A token's own operations and bytes [J].
    """
    step_s = step_fixed_s + step_stream_s * streams
    return (standing_power_W * step_s + fetch_energy_J) / streams + own_energy_J


def batch_at_rate(rate_token_s: Number, step_fixed_s: Number, step_stream_s: Number) -> Number:
    """Return the streams that a rate of tokens keeps busy, ``r t_a/(1 - r t_b)`` [1]_.

    Parameters
    ----------
    rate_token_s : float
        Tokens a second of one accelerator; a rate beyond what it can do is held at 99.9 % of that [token/s].
    step_fixed_s, step_stream_s : float
        Step time: fixed, and for each stream [s].
    """
    full = np.minimum(rate_token_s * step_stream_s, 0.999)
    held = np.where(rate_token_s * step_stream_s > 0.999, 0.999 / np.maximum(step_stream_s, 1e-12), rate_token_s)
    return held * step_fixed_s / (1.0 - full)


def token_at_rate_J(
    rate_token_s: Number,
    step_fixed_s: Number,
    step_stream_s: Number,
    standing_power_W: Number,
    fetch_energy_J: Number,
    own_energy_J: Number,
) -> Number:
    """Return the energy of a token on a machine that waits between requests, ``P_0/r + W/max(s, 1) + e_o`` [J].

    Parameters
    ----------
    rate_token_s : float
        Tokens a second of one accelerator [token/s].
    step_fixed_s, step_stream_s : float
    standing_power_W : float
    fetch_energy_J : float
    own_energy_J : float
    """
    streams = np.maximum(batch_at_rate(rate_token_s, step_fixed_s, step_stream_s), 1.0)
    return standing_power_W / rate_token_s + fetch_energy_J / streams + own_energy_J


def cached_token_J(kv_token_B: Number, energy_per_byte_J: Number, energy_per_bit_J: Number) -> Number:
    """Return the energy of an input token whose keys and values were kept: written, read and carried, not computed [J].

    A lower bound: keeping it in storage meanwhile is not in it.

    Parameters
    ----------
    kv_token_B : float
        Keys and values of one token [B].
    energy_per_byte_J : float
        Memory, for one byte read or written [J].
    energy_per_bit_J : float
        Link between store and accelerator, for one bit [J].
    """
    return kv_token_B * (2.0 * energy_per_byte_J + 8.0 * energy_per_bit_J)


def node_share_J(
    duration_s: Number,
    node_chip_power_W: Number,
    chip_draw_share: Number,
    node_host_power_W: Number,
    host_draw_share: Number,
    batch: Number,
    pue: Number,
) -> Number:
    """Return a server's share for the time of an answer, ``t (P_g D_g + P_n D_n)/B PUE`` [2]_ [J].

    Parameters
    ----------
    duration_s : float
        From the request to the last token, as a user measures it [s].
    node_chip_power_W, node_host_power_W : float
        Rated power of the server's accelerators and of its rest [W].
    chip_draw_share, host_draw_share : float
        What is drawn of it.
    batch : float
        Answers that share the server.
    pue : float
    """
    drawn_W = node_chip_power_W * chip_draw_share + node_host_power_W * host_draw_share
    return duration_s * drawn_W / batch * pue
