"""The optic nerve: a million axons carry the picture in impulses.

Ganglion cells gather what the receptors say, several hundred to one in the periphery and one to one in the fovea,
and send impulses along bare axons to the disk and myelinated ones to the geniculate body, where one relay passes
them on to the cortex: ``t = l / v`` for each piece, plus the synapse. What they convey was measured in bits a
second and cell; for the human nerve it is an extrapolation.

References
----------
.. [1] K. Koch and others, "How much the eye tells the brain", Current Biology 16(14), 1428-1434, 2006,
   doi:10.1016/j.cub.2006.05.056
.. [2] C. A. Curcio and K. A. Allen, "Topography of ganglion cells in human retina", Journal of Comparative Neurology
   300, 5-25, 1990, doi:10.1002/cne.903000103
.. [3] D. Attwell and S. B. Laughlin, "An energy budget for signaling in the grey matter of the brain", Journal of
   Cerebral Blood Flow and Metabolism 21(10), 1133-1145, 2001, doi:10.1097/00004647-200110000-00001
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (1850, "H. Helmholtz times the nerve impulse; single optic fibers: E. D. Adrian and R. Matthews, 1927")


def conduction_time_s(nerve_length_m: Number, conduction_speed_m_s: Number) -> Number:
    """Return the time of an impulse along a piece of axon, ``l / v`` [s].

    Parameters
    ----------
    nerve_length_m : float
        Length [m].
    conduction_speed_m_s : float
        Speed [m/s]: about 1 without myelin, several with it.
    """
    return nerve_length_m / conduction_speed_m_s


def relay_time_s(nerve_length_m: Number, conduction_speed_m_s: Number, synapse_delay_s: Number) -> Number:
    """Return the time along a piece of axon and over the relay at its end [s].

    Parameters
    ----------
    nerve_length_m : float
        Length [m].
    conduction_speed_m_s : float
        Speed [m/s].
    synapse_delay_s : float
        Delay of the relay [s].
    """
    return conduction_time_s(nerve_length_m, conduction_speed_m_s) + synapse_delay_s


def nerve_rate_bit_s(ganglion_cells: Number, cell_rate_bit_s: Number) -> Number:
    """Return the bits a second of the whole nerve [bit/s] [1]_.

    Parameters
    ----------
    ganglion_cells : float
        Axons.
    cell_rate_bit_s : float
        Bits a second that each conveys [bit/s].
    """
    return ganglion_cells * cell_rate_bit_s


def convergence(rods: Number, cones: Number, ganglion_cells: Number) -> Number:
    """Return how many receptors share one axon in the mean.

    Parameters
    ----------
    rods, cones : float
        Receptors of the eye.
    ganglion_cells : float
        Axons of its nerve.
    """
    return (rods + cones) / ganglion_cells


def impulse_power_W(
    ganglion_cells: Number, spike_rate_1_s: Number, atp_per_spike: Number, atp_energy_J: Number
) -> Number:
    """Return the power for the impulses of the nerve [W] [3]_.

    Parameters
    ----------
    ganglion_cells : float
        Axons.
    spike_rate_1_s : float
        Impulses a second of each [1/s].
    atp_per_spike : float
        ATP molecules that restore the axon after one.
    atp_energy_J : float
        Free energy of a molecule [J].
    """
    return ganglion_cells * spike_rate_1_s * atp_per_spike * atp_energy_J
