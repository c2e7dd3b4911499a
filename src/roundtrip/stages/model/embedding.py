"""Each token id becomes a row of the embedding table: a list of numbers that the layers work on.

The lookup is a read, not a multiplication: one row of ``h`` numbers for each token. Rows that stand for words used
alike point the same way; how much is measured by the cosine of the angle between them [1]_.

References
----------
.. [1] T. Mikolov et al., "Efficient estimation of word representations in vector space", 2013,
   https://arxiv.org/abs/1301.3781
.. [2] DeepSeek-AI, "DeepSeek-V3 technical report", 2024, https://arxiv.org/abs/2412.19437: section 4.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2003, "Y. Bengio et al., A neural probabilistic language model, JMLR 3, 1137-1155")


def table_parameters(vocabulary: Number, hidden_width: Number) -> Number:
    """Return the numbers in an embedding table, ``V h``."""
    return vocabulary * hidden_width


def lookup_B(tokens: Number, hidden_width: Number, embedding_element_B: Number = 2.0) -> Number:
    """Return the bytes read for the rows of some tokens, ``n h b`` [B].

    Parameters
    ----------
    tokens : float
        Tokens to look up.
    hidden_width : float
        Numbers in a row.
    embedding_element_B : float
        Bytes of one number; the table stays in 16 bit where the matrices are in 8 [B].
    """
    return tokens * hidden_width * embedding_element_B


def lookup_time_s(size_B: Number, bandwidth_B_s: Number, latency_s: Number) -> Number:
    """Return the time of the lookup: one access and one launch, then the rows at the memory's rate [s].

    The rows lie scattered, but each is kilobytes long, so the memory reads them at nearly its full rate.
    """
    return latency_s + size_B / bandwidth_B_s


def cosine(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the cosine of the angle between two vectors: 1 for the same direction, 0 for none in common."""
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


def look_up(table: NDArray[np.float64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the rows of some token ids: the same as multiplying one-hot vectors with the table, without the zeros."""
    return table[ids]
