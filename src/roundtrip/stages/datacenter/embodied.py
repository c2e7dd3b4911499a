"""Embodied carbon: what it took to make the machines, shared out over what they do in their life.

A machine that was made with M and serves for the share u of its life L is charged by the time that an answer holds it,
``M t/(L u)`` [1]_. An answer in a batch holds an accelerator for its time over the streams of the batch; the server's
own part is shared among its accelerators. A person's computer and screen are charged by the time of use.

References
----------
.. [1] ISO/IEC 21031:2024, Software Carbon Intensity (SCI) specification, section on embodied emissions: time share
   times resource share, https://www.iso.org/standard/86612.html; ISO 14040:2006, life cycle assessment.
.. [2] EcoLogits 0.11.3, methodology of language-model inference (embodied impacts).
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2006, "ISO 14040, life cycle assessment")

_GRAMS = 1e3


def accelerator_g(
    accelerator_time_s: Number,
    chip_carbon_kg: Number,
    host_carbon_kg: Number,
    accelerators_per_server: Number,
    lifetime_s: Number,
    busy_share: Number,
) -> Number:
    """Return the share of accelerators and their servers in an answer, ``(M_c + M_h/n) T/(L u)`` [2]_ [g].

    Parameters
    ----------
    accelerator_time_s : float
        Time of accelerators that the answer is charged with [s].
    chip_carbon_kg, host_carbon_kg : float
        Making one accelerator, and a server without accelerators [kg].
    accelerators_per_server : float
    lifetime_s : float
        Life of the machine [s].
    busy_share : float
        Share of it in which the machine serves.
    """
    made_kg = chip_carbon_kg + host_carbon_kg / accelerators_per_server
    return made_kg * _GRAMS * accelerator_time_s / (lifetime_s * busy_share)


def client_g(duration_s: Number, client_carbon_kg: Number, client_use_s: Number) -> Number:
    """Return the share of a person's computer and screen in a time of use, ``M t/t_k`` [g].

    Parameters
    ----------
    duration_s : float
        From the first key to the last word read [s].
    client_carbon_kg : float
        Making computer and screen [kg].
    client_use_s : float
        Time for which they are in use in their life [s].
    """
    return client_carbon_kg * _GRAMS * duration_s / client_use_s
