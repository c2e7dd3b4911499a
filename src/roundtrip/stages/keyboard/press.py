"""The finger moves the key: a mass accelerated over the travel of a switch.

On the way of a prompt the finger starts at rest on the key and accelerates evenly until the switch closes at its
actuation point. A typing finger arrives with speed instead and crosses the travel in ``x / v``: that is what films
show. They count 17 to 33 ms for 4 mm but less than 4 ms for 1 mm, and no even acceleration from rest does both.
Only the last key press (Enter) delays the prompt: the others are typed while the reader is still thinking.

References
----------
.. [1] C. Young, "Finger latency", http://cy384.com/blog/finger-latency.html: 2.3 mm take 21 ms at 10 m/s2 and
   6 ms at 140 m/s2.
.. [2] D. Luu, "Keyboard latency", 2017, https://danluu.com/keyboard-latency/: key travel filmed at 240 frames a second.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1868, "C. L. Sholes, C. Glidden and S. W. Soule, type-writing machine, US patent 79,265")


def travel_time_s(travel_m: Number, acceleration_m_s2: Number) -> Number:
    """Return the time from rest to the actuation point, ``sqrt(2 x / a)`` [1]_.

    Parameters
    ----------
    travel_m : float
        Distance to the point where the switch closes [m].
    acceleration_m_s2 : float
        Acceleration of the finger [m/s2].

    Returns
    -------
    float
        Time [s].
    """
    return np.sqrt(2.0 * travel_m / acceleration_m_s2)


def struck_time_s(travel_m: Number, touch_speed_m_s: Number) -> Number:
    """Return the time to the actuation point for a finger that arrives with speed and keeps it, ``x / v`` [s] [2]_.

    Parameters
    ----------
    travel_m : float
        Distance to the point where the switch closes [m].
    touch_speed_m_s : float
        Speed of the finger when it meets the key [m/s].
    """
    return travel_m / touch_speed_m_s


def work_J(force_N: Number, travel_m: Number) -> Number:
    """Return the work done on the key, mean force times travel [J].

    Parameters
    ----------
    force_N : float
        Mean force over the travel [N].
    travel_m : float
        Distance pressed [m].
    """
    return force_N * travel_m
