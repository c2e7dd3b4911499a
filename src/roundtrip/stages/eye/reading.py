r"""Reading: the eye rests, jumps and rests, and the answer ends when both the stream and the reader have come to
its last word.

At r words a second n words take ``n / r``; r itself follows from fixations of about a quarter of a second. While
the answer streams, the reader cannot be ahead of it. With a steady reader and a steady stream the last word is
understood at the later of

.. math:: t = \max\left(t_a + n/r,\; t_e + t_v\right)

with t_a the first word understood, t_e the arrival of the last and t_v the time from arrival to recognition.

References
----------
.. [1] M. Brysbaert, "How many words do we read per minute? A review and meta-analysis of reading rate", Journal of
   Memory and Language 109, 104047, 2019, doi:10.1016/j.jml.2019.104047
.. [2] K. Rayner, "Eye movements in reading and information processing: 20 years of research", Psychological Bulletin
   124(3), 372-422, 1998, doi:10.1037/0033-2909.124.3.372
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1879, "L. E. Javal's laboratory sees that the reading eye moves in jumps")


def word_count(tokens: Number, words_per_token: Number) -> Number:
    """Return the words of an answer.

    Parameters
    ----------
    tokens : float
        Tokens of the answer.
    words_per_token : float
        Words for each.
    """
    return tokens * words_per_token


def duration_s(words: Number, reading_rate_1_s: Number) -> Number:
    """Return the time to read some words, ``n / r`` [s] [1]_.

    Parameters
    ----------
    words : float
        Number of words.
    reading_rate_1_s : float
        Words a second [1/s].
    """
    return words / reading_rate_1_s


def fixation_rate_1_s(fixation_time_s: Number, saccade_time_s: Number, words_per_fixation: Number) -> Number:
    """Return the words a second that the eye's movements allow: those of a fixation over its time and a jump's [2]_.

    Parameters
    ----------
    fixation_time_s : float
        Time of a fixation [s].
    saccade_time_s : float
        Time of a jump [s].
    words_per_fixation : float
        Words passed for each fixation; short ones are skipped, long ones and backward jumps cost more.
    """
    return words_per_fixation / (fixation_time_s + saccade_time_s)


def fixation_count(words: Number, words_per_fixation: Number) -> Number:
    """Return how often the eye rests on a text, at least once.

    Parameters
    ----------
    words : float
        Number of words.
    words_per_fixation : float
        Words for each fixation.
    """
    return np.maximum(np.ceil(words / words_per_fixation), 1.0)


def end_s(
    answer_start_s: Number, words: Number, reading_rate_1_s: Number, last_arrival_s: Number, seen_lag_s: Number
) -> Number:
    """Return the moment at which the last word is understood [s].

    Parameters
    ----------
    answer_start_s : float
        When the first word of the answer was understood [s].
    words : float
        Words to read.
    reading_rate_1_s : float
        Words a second [1/s].
    last_arrival_s : float
        When the last word came to the computer [s].
    seen_lag_s : float
        Time from arrival to recognition [s].
    """
    return np.maximum(answer_start_s + duration_s(words, reading_rate_1_s), last_arrival_s + seen_lag_s)
