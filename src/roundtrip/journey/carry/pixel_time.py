"""A pixel over time: it turns from paper to ink, and its light comes in the pulses that dim it.

Liquid crystals turn as an exponential whose half comes when the forecast says; pulses carry the mean that the
brightness says, the higher the shorter they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.stages.display import panel as panel_stage

DUTY = 0.5  # of a period, in which pulsed light is on
STEP_S = 2e-5
SLOW_HZ = 1000.0  # faster pulses are drawn as their mean


def turning(
    response_time_s: float, pwm_frequency_Hz: float, frame_s: float, row_s: float, duty: float = DUTY
) -> dict[str, NDArray[Any]]:
    """Return times [s] and light over that of paper, two frames before and three after a row is written as ink.

    Parameters
    ----------
    response_time_s : float
        From 10 to 90 % [s].
    pwm_frequency_Hz : float
        Of the pulses [Hz].
    frame_s : float
        Time of a frame [s].
    row_s : float
        When in the frame the scan reaches the row [s].
    duty : float
        Share of a period with light.
    """
    times = np.arange(-2.0 * frame_s, 3.0 * frame_s, STEP_S)
    half_s = float(np.asarray(panel_stage.half_response_s(response_time_s)))
    since = np.maximum(times - row_s, 0.0)
    level = np.where(times < row_s, 1.0, 0.5 ** (since / max(half_s, 1e-7)))
    period_s = float(np.asarray(panel_stage.pwm_period_s(pwm_frequency_Hz)))
    pulsed = np.ones_like(times) if pwm_frequency_Hz > SLOW_HZ else ((times / period_s) % 1.0 < duty) / duty
    return {"time_s": times, "light": level * pulsed}
