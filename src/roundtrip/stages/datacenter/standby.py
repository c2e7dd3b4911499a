"""Standing by: machines that are switched on for the peak, and what that adds to an answer.

A service that sizes for its busiest time has ``r = N_p/N_m - 1`` servers idle for each one at work. An idle server is
not off: a chip with a model in its memory draws a tenth to a half of what it draws at work, its host about half [1]_.
So an answer that holds accelerators for a time T carries ``T r (P_i + s P_h)`` of those that wait. The cruder
account, all servers at full power over all requests of a day, ``N P/R``, has standing by inside it [2]_.

References
----------
.. [1] L. A. Barroso and U. Hoelzle, "The Case for Energy-Proportional Computing", Computer 40(12), 2007,
   doi:10.1109/MC.2007.443
.. [2] A. de Vries, "The growing energy footprint of artificial intelligence", Joule 7, 2023,
   doi:10.1016/j.joule.2023.09.004
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2007, "L. A. Barroso and U. Hoelzle, energy-proportional computing")

_DAY_S = 86_400.0


def spare_ratio(peak_servers: Number, mean_servers: Number) -> Number:
    """Return the servers that wait over those that work, ``N_p/N_m - 1``."""
    return peak_servers / mean_servers - 1.0


def idle_J(
    accelerator_time_s: Number,
    spare_ratio: Number,
    idle_power_W: Number,
    host_power_W: Number,
    host_idle_share: Number,
) -> Number:
    """Return what waiting machines draw for an answer, ``T r (P_i + s P_h)`` [J].

    Parameters
    ----------
    accelerator_time_s : float
        Time of accelerators that the answer is charged with [s].
    spare_ratio : float
        Servers that wait over those that work.
    idle_power_W : float
        An idle accelerator [W].
    host_power_W : float
        Host of a busy accelerator [W].
    host_idle_share : float
        What an idle host draws of that [1]_.
    """
    return accelerator_time_s * spare_ratio * (idle_power_W + host_idle_share * host_power_W)


def fleet_request_J(fleet_servers: Number, server_power_W: Number, requests_day: Number) -> Number:
    """Return a request's part of a whole fleet at full power, ``N P 86,400 s / R`` [2]_ [J].

    Parameters
    ----------
    fleet_servers : float
        Servers of the service, at work or not.
    server_power_W : float
        Power of each [W].
    requests_day : float
        Requests of a day.
    """
    return fleet_servers * server_power_W * _DAY_S / requests_day
