r"""The frame clock: what is drawn waits for the next frame, and then for its row.

A screen shows a new picture at fixed instants, T = 1/f apart. What is ready at a random moment waits a uniformly
distributed part of T, on average half of it, then as many whole frames as stand in the queue of the compositor, and
then until the scan, which runs from the top to the bottom, reaches its row:

.. math:: t = u\,T + n_q\,T + y \frac{Y}{Y_t} T

The sampling works the other way too: of words that come faster than the frames, several appear at once.

References
----------
.. [1] Android Open Source Project, "VSYNC", https://source.android.com/docs/core/graphics/implement-vsync: latching
   at the vertical synchronization, frames in flight.
.. [2] L. Kleinrock, Queueing Systems, volume 1, Wiley 1975, section 5.2: residual life of a fixed interval is half of
   it in the mean.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1934, "vertical synchronization in electronic television (RCA); in frame buffers since the 1970s")


def frame_interval_s(refresh_rate_Hz: Number) -> Number:
    """Return the time between two frames, ``1 / f`` [s].

    Parameters
    ----------
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return 1.0 / refresh_rate_Hz


def wait_s(frame_phase: Number, queued_frames: Number, refresh_rate_Hz: Number) -> Number:
    """Return the wait until the scan of the frame with the new picture begins, ``(u + n) / f`` [s] [2]_.

    Parameters
    ----------
    frame_phase : float
        Where between two frames the picture was ready; uniform between 0 and 1.
    queued_frames : float
        Whole frames that it then stands in the queue.
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return (frame_phase + queued_frames) / refresh_rate_Hz


def scan_out_s(
    screen_position: Number,
    height_pixels: Number,
    refresh_rate_Hz: Number,
    blank_duration_s: Number,
) -> Number:
    """Return the time from the top row to the row of the text, ``y Y / (Y_t f)`` [s].

    The rows with picture take the frame's time less that of the empty rows, which is at least `blank_duration_s`
    and whole rows; here the shortest is taken, which is exact to one row in some thousand.

    Parameters
    ----------
    screen_position : float
        Height of the text on the screen, 0 at the top and 1 at the bottom.
    height_pixels : float
        Rows with picture.
    refresh_rate_Hz : float
        Frames a second [Hz].
    blank_duration_s : float
        Time without picture [s].
    """
    row = np.minimum(np.floor(screen_position * height_pixels), height_pixels - 1.0)
    return row / height_pixels * (1.0 / refresh_rate_Hz - blank_duration_s)


def next_frame_s(time_s: Number, refresh_rate_Hz: Number) -> Number:
    """Return the first frame at or after a moment, frames counted from 0: ``ceil(t f) / f`` [s].

    Parameters
    ----------
    time_s : float
        When something is ready [s].
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return np.ceil(time_s * refresh_rate_Hz) / refresh_rate_Hz


def seen_rate_Hz(rate_token_s: Number, refresh_rate_Hz: Number) -> Number:
    """Return how many changes a second can be seen while tokens stream: no more than there are frames [Hz].

    Parameters
    ----------
    rate_token_s : float
        Tokens a second [token/s].
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return np.minimum(rate_token_s, refresh_rate_Hz)


def update_count(tokens: Number, duration_s: Number, refresh_rate_Hz: Number) -> Number:
    """Return how often the page is drawn while tokens arrive: once for each, but no more than once a frame.

    Parameters
    ----------
    tokens : float
        Tokens that arrive.
    duration_s : float
        Time over which they arrive [s].
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return np.minimum(tokens, np.ceil(duration_s * refresh_rate_Hz))
