r"""Sampling: the last layer scores every token of the vocabulary, and one is picked.

Scores z become probabilities by the softmax at a temperature T,

.. math:: p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}}

cut to the k best, or to the fewest that hold a mass P (nucleus [1]_), and one is drawn. At T near 0 it is always the
best. A draw is the same as adding Gumbel noise to the scores and taking the largest [2]_, which a chip does in one
pass.

References
----------
.. [1] A. Holtzman et al., "The curious case of neural text degeneration", 2019, https://arxiv.org/abs/1904.09751
.. [2] E. J. Gumbel, "Statistical theory of extreme values and some practical applications", NBS AMS 33, 1954.
.. [3] C. E. Shannon, "A mathematical theory of communication", 1948, doi:10.1002/j.1538-7305.1948.tb01338.x: entropy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1868, "L. Boltzmann, the distribution that the softmax is; nucleus sampling since 2019")


def score_flop(hidden_width: Number, vocabulary: Number, streams: Number) -> Number:
    """Return the operations that score every token of the vocabulary for some streams, ``2 h V s`` [flop]."""
    return 2.0 * hidden_width * vocabulary * streams


def scores_B(vocabulary: Number, streams: Number, score_element_B: Number) -> Number:
    """Return the bytes of the scores of some streams [B]."""
    return vocabulary * streams * score_element_B


def pick_time_s(size_B: Number, score_passes: Number, bandwidth_B_s: Number, latency_s: Number) -> Number:
    """Return the time to pick: a few passes over the scores (largest, sum, cut, draw), and the start of kernels [s]."""
    return latency_s + score_passes * size_B / bandwidth_B_s


def better_of_two(score_gap: Number, temperature: Number) -> Number:
    """Return the probability of the better of two tokens, ``1 / (1 + exp(-gap / T))``."""
    return 1.0 / (1.0 + np.exp(-np.minimum(score_gap / temperature, 700.0)))


def softmax(scores: NDArray[np.float64], temperature: float = 1.0) -> NDArray[np.float64]:
    """Return the probabilities of scores; temperature 0 puts all on the best."""
    if temperature == 0.0:
        return np.eye(scores.size)[int(np.argmax(scores))]
    powers = np.exp((scores - scores.max()) / temperature)
    return powers / powers.sum()


def top_k(probabilities: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Keep the k most probable tokens."""
    kept = np.zeros_like(probabilities)
    best = np.argsort(-probabilities, kind="stable")[:k]
    kept[best] = probabilities[best]
    return kept / kept.sum()


def top_p(probabilities: NDArray[np.float64], mass: float) -> NDArray[np.float64]:
    """Keep the fewest tokens whose probabilities reach `mass` [1]_; the best is always kept."""
    order = np.argsort(-probabilities, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def entropy_bit(probabilities: NDArray[np.float64]) -> float:
    """Return how undecided the model is, in bits [3]_: 0 if one token is sure."""
    sure = probabilities[probabilities > 0.0]
    return float(-(sure * np.log2(sure)).sum())


def pick(probabilities: NDArray[np.float64], luck: float) -> int:
    """Draw a token with an even random number from 0 to 1."""
    last = np.flatnonzero(probabilities)[-1]
    return int(min(np.searchsorted(np.cumsum(probabilities), luck, side="right"), last))


def pick_by_noise(scores: NDArray[np.float64], lucks: NDArray[np.float64]) -> int:
    """Draw a token by adding Gumbel noise to its score and taking the largest [2]_."""
    return int(np.argmax(scores - np.log(-np.log(lucks))))
