"""The cortex: from the first volley in V1 to the word form area, each stage timed from the stimulus and none added
to another.

Latencies in the visual system are measured from the onset of the stimulus, so each contains the retina, the nerve
and all areas before it. Activity overlaps: V1 still works while the word form area starts. What is to be added is
only the difference, ``max(t_later - t_earlier, 0)``. As a check, a feedforward sweep of n areas at 10 ms each is
compared with the measured onsets. Nothing here claims that a latency is the moment of understanding: the word form
area is taken as the first place that responds to letter strings as words.

References
----------
.. [1] F. Di Russo and others, "Cortical sources of the early components of the visual evoked potential", Human Brain
   Mapping 15, 95-111, 2002, doi:10.1002/hbm.10010
.. [2] A. Tarkiainen and others, "Dynamics of letter string perception in the human occipitotemporal cortex", Brain
   122(11), 2119-2132, 1999, doi:10.1093/brain/122.11.2119
.. [3] K. Pammer and others, "Visual word recognition: the first half second", NeuroImage 22(4), 1819-1825, 2004,
   doi:10.1016/j.neuroimage.2004.05.004
.. [4] M. T. Schmolesky and others, "Signal timing across the macaque visual system", Journal of Neurophysiology 79,
   3272-3278, 1998, doi:10.1152/jn.1998.79.6.3272
.. [5] S. Thorpe, D. Fize and C. Marlot, "Speed of processing in the human visual system", Nature 381, 520-522, 1996,
   doi:10.1038/381520a0
.. [6] D. D. Clarke and L. Sokoloff, "Regulation of cerebral metabolic rate", in Basic Neurochemistry, 6th edition,
   1999, https://www.ncbi.nlm.nih.gov/books/NBK28194/
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (
    2000,
    "L. Cohen and others, The visual word form area, Brain 123, 291-307; single cells of V1: Hubel and Wiesel, 1959",
)


def since_onset_s(onset_latency_s: Number, earlier_latency_s: Number) -> Number:
    """Return what an area's latency adds to one that was counted already; both from the stimulus [s].

    Parameters
    ----------
    onset_latency_s : float
        Latency of the area [s].
    earlier_latency_s : float
        Latency of what came before [s].
    """
    return np.maximum(onset_latency_s - earlier_latency_s, 0.0)


def sweep_latency_s(onset_latency_s: Number, areas: Number, area_delay_s: Number) -> Number:
    """Return the latency of an area that a feedforward sweep reaches after some others [s] [5]_.

    Parameters
    ----------
    onset_latency_s : float
        Latency of the first area [s].
    areas : float
        Areas passed after it.
    area_delay_s : float
        Time for each [s].
    """
    return onset_latency_s + areas * area_delay_s


def brain_power_W(brain_mass_kg: Number, oxygen_use_mL_kg_s: Number, oxygen_energy_J_mL: Number) -> Number:
    """Return the power of the brain from the oxygen that it burns [W] [6]_.

    Parameters
    ----------
    brain_mass_kg : float
        Mass [kg].
    oxygen_use_mL_kg_s : float
        Oxygen for each kg and second [mL].
    oxygen_energy_J_mL : float
        Heat of oxidizing glucose for each mL of oxygen [J].
    """
    return brain_mass_kg * oxygen_use_mL_kg_s * oxygen_energy_J_mL


def work_of_thought_J(power_W: Number, duration_s: Number) -> Number:
    """Return the energy of the brain over a time [J]: all of it, for it draws nearly the same when it rests.

    Parameters
    ----------
    power_W : float
        Power [W].
    duration_s : float
        Time [s].
    """
    return power_W * duration_s
