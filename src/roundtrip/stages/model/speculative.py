r"""Speculative decoding: a cheap drafter proposes tokens, the model checks them all in one step.

A step of the model over :math:`\gamma + 1` positions takes little longer than over one while fetching weights is what
takes the time. Each draft is kept with probability :math:`\alpha`; the first that is refused is drawn anew, and if
all are kept one more comes free. So a step yields [1]_

.. math:: \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

tokens. The draw is arranged so that the answer has exactly the model's own distribution: a draft x from q is kept
with probability min(1, p(x)/q(x)), else drawn from what p has over q. DeepSeek-V3 carries a drafter of its own that
proposes one token [2]_.

References
----------
.. [1] Y. Leviathan, M. Kalman and Y. Matias, "Fast inference from transformers via speculative decoding", 2022,
   https://arxiv.org/abs/2211.17192: equation 1, theorem 3.8, table 1, appendix A.1.
.. [2] DeepSeek-AI, "DeepSeek-V3 technical report", 2024, https://arxiv.org/abs/2412.19437: section 5.4.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2022, "Y. Leviathan et al., Fast inference via speculative decoding, arXiv 2211.17192")


def expected_tokens(acceptance: Number, drafted_tokens: Number) -> Number:
    """Return the tokens that a step yields, ``(1 - a^(g+1)) / (1 - a)`` [1]_.

    Parameters
    ----------
    acceptance : float
        Probability that a draft is kept, below 1.
    drafted_tokens : float
        Drafts a step, g.
    """
    return (1.0 - acceptance ** (drafted_tokens + 1.0)) / (1.0 - acceptance)


def speed_up(acceptance: Number, drafted_tokens: Number, draft_cost: Number) -> Number:
    """Return the gain in time if checking is free, theorem 3.8 [1]_: `draft_cost` is one draft over one step."""
    return expected_tokens(acceptance, drafted_tokens) / (1.0 + drafted_tokens * draft_cost)


def work_factor(acceptance: Number, drafted_tokens: Number) -> Number:
    """Return the arithmetic for a token over that without drafts: refused positions were computed for nothing [1]_."""
    return (drafted_tokens + 1.0) / expected_tokens(acceptance, drafted_tokens)


def draft_time_s(drafted_tokens: Number, draft_cost: Number, step_s: Number) -> Number:
    """Return the time of the drafts before a step [s]."""
    return drafted_tokens * draft_cost * step_s


def positions(drafted_tokens: Number) -> Number:
    """Return the positions that a step works on for each stream: the drafts and the token after them."""
    return drafted_tokens + 1.0


def accept(p: NDArray[np.float64], q: NDArray[np.float64], draft: int, luck: float, second_luck: float) -> int:
    """Keep a draft or draw anew: the token that is written.

    Parameters
    ----------
    p, q : array
        The model's and the drafter's probabilities of every token.
    draft : int
        What the drafter drew from q.
    luck, second_luck : float
        Two even random numbers from 0 to 1.
    """
    if luck * q[draft] < p[draft]:
        return draft
    rest = residual(p, q)
    return int(min(np.searchsorted(np.cumsum(rest), second_luck, side="right"), np.flatnonzero(rest)[-1]))


def residual(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what p has over q, as probabilities; p itself where they are equal."""
    over = np.maximum(p - q, 0.0)
    return over / over.sum() if over.sum() > 0.0 else p


def written(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the exact distribution of the written token, summed over all drafts and both outcomes: it is p [1]_."""
    kept = np.minimum(p, q)
    return kept + (1.0 - kept.sum()) * residual(p, q)
