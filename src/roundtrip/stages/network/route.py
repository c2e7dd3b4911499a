"""The route: how long the cable is between here and there, and what routers add to the flight of light.

From a reader in New York to a datacenter in Iowa a packet typically passes: the home router and its optical terminal;
the provider's access node and metro ring; an exchange in the city; one long-haul carrier's ducts along railways and
highways, by way of Cleveland or Pittsburgh, Chicago and Des Moines, a line amplifier every 80 to 100 km and a router
in each of three or four cities; the cloud's own border router; the campus.

Cables follow roads, rails, shores and markets. Over land their length over the great circle is largest on short ways
and falls with the distance; across a sea they funnel into few gateways (New York and Cornwall, Oregon and Tokyo,
Marseille and Djibouti), to which both ends have their legs::

    L = d * (k + m * exp(-d / s)) + D,    or    L = k * (leg + leg) + S,    never below d

with constants fitted to published round-trip times between the regions of a cloud [1]_, which agree with what is
known of fiber maps: ducts run about 1.3 to 2.1 times the line of sight [2]_, [3]_. The flight itself is
`roundtrip.stages.optics.fiber`; this stage lays what is not flight: looking up each packet in routers, and queues in
them.

References
----------
.. [1] Microsoft, Azure network round-trip latency statistics, https://learn.microsoft.com/azure/networking/azure-network-latency
.. [2] I. N. Bozkurt et al., "Dissecting latency in the Internet's fiber infrastructure", 2018, https://arxiv.org/abs/1811.10737
.. [3] R. Durairajan, P. Barford, J. Sommers and W. Willinger, "InterTubes", SIGCOMM 2015, doi:10.1145/2785956.2787499
.. [4] H. Moritz, "Geodetic Reference System 1980", Journal of Geodesy 74, 2000, doi:10.1007/s001900050278
.. [5] R. W. Sinnott, "Virtues of the haversine", Sky and Telescope 68(2), 1984, page 159
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1969, "ARPANET, four nodes joined by leased lines; TAT-8, the first transatlantic fiber, in 1988")


def great_circle_m(
    from_latitude_deg: Number,
    from_longitude_deg: Number,
    to_latitude_deg: Number,
    to_longitude_deg: Number,
    earth_radius_m: Number = 6_371_008.8,
) -> Number:
    """Return the shortest way over the ground between two places on a sphere of the earth's mean radius [4]_, [5]_.

    Parameters
    ----------
    from_latitude_deg, from_longitude_deg : float
        Where it begins [deg].
    to_latitude_deg, to_longitude_deg : float
        Where it ends [deg].
    earth_radius_m : float
        Mean radius; the ellipsoid differs by at most 0.6 % [m].
    """
    a = np.radians(from_latitude_deg)
    b = np.radians(to_latitude_deg)
    north = np.sin(0.5 * (b - a))
    east = np.sin(0.5 * (np.radians(to_longitude_deg) - np.radians(from_longitude_deg)))
    haversine = north * north + np.cos(a) * np.cos(b) * east * east
    return 2.0 * earth_radius_m * np.arcsin(np.sqrt(np.clip(haversine, 0.0, 1.0)))


def stretch(distance_m: Number, far_stretch: Number, near_stretch: Number, near_scale_m: Number) -> Number:
    """Return the length of cable over that of the great circle, landings apart: at least 1.

    Parameters
    ----------
    distance_m : float
        Great circle [m].
    far_stretch : float
        Ratio on a very long way.
    near_stretch : float
        What a very short way adds to it.
    near_scale_m : float
        Distance over which this wears off [m].
    """
    return np.maximum(far_stretch + near_stretch * np.exp(-distance_m / near_scale_m), 1.0)


def direct_length_m(
    distance_m: Number, far_stretch: Number, near_stretch: Number, near_scale_m: Number, detour_m: Number
) -> Number:
    """Return the length of a fiber over land, by distance alone.

    Parameters
    ----------
    distance_m : float
        Great circle [m].
    far_stretch, near_stretch, near_scale_m : float
        See `stretch`.
    detour_m : float
        What does not depend on the distance [m].
    """
    return distance_m * stretch(distance_m, far_stretch, near_stretch, near_scale_m) + detour_m


def gateway_length_m(
    legs_m: Number, crossed_legs_m: Number, land_stretch: Number, sea_m: Number, distance_m: Number
) -> Number:
    """Return the length of a fiber across a sea: stretched legs to two gateways, and the cable between these.

    Parameters
    ----------
    legs_m, crossed_legs_m : float
        Great circles from both ends to their gateways, with the gateways in one and in the other order; the shorter
        sum is the way [m].
    land_stretch : float
        Cable over great circle on the legs.
    sea_m : float
        Length from gateway to gateway [m].
    distance_m : float
        Great circle from end to end, below which no cable is [m].
    """
    return np.maximum(land_stretch * np.minimum(legs_m, crossed_legs_m) + sea_m, distance_m)


def travel_time_s(length_m: Number, speed_m_s: Number) -> Number:
    """Return distance over speed.

    Parameters
    ----------
    length_m : float
        Length of the way [m].
    speed_m_s : float
        Speed of the signal on it [m/s].
    """
    return length_m / speed_m_s


def flight_time_s(cable_m: Number, group_index: Number = 1.468, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time of light in a fiber, to reckon a round trip before it is made.

    Parameters
    ----------
    cable_m : float
        Length of the fiber [m].
    group_index : float
        Group index of the glass.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    return cable_m * group_index / speed_of_light_m_s


def router_time_s(hops: Number, router_latency_s: Number, router_queue_s: Number) -> Number:
    """Return what the routers add one way.

    Parameters
    ----------
    hops : float
        Routers on the way.
    router_latency_s : float
        Time in an empty router: look-up, fabric, port, error correction [s].
    router_queue_s : float
        Mean wait behind other packets in each [s].
    """
    return hops * (router_latency_s + router_queue_s)


def one_way_s(cable_m: Number, routers_s: Number, group_index: Number = 1.468) -> Number:
    """Return the one-way time of a long haul: flight and routers.

    Parameters
    ----------
    cable_m : float
        Length of the fiber [m].
    routers_s : float
        Time that the routers add [s].
    group_index : float
        Group index of the glass.
    """
    return flight_time_s(cable_m, group_index) + routers_s


def land_round_trip_s(
    distance_m: Number,
    far_stretch: Number,
    near_stretch: Number,
    near_scale_m: Number,
    detour_m: Number,
    routers_s: Number,
    group_index: Number = 1.468,
) -> Number:
    """Return the round trip between datacenters by distance alone, as it is measured between regions of a cloud [1]_.

    Parameters
    ----------
    distance_m : float
        Great circle [m].
    far_stretch, near_stretch, near_scale_m, detour_m : float
        Constants of the corridor, see `direct_length_m`.
    routers_s : float
        Time that the routers add one way [s].
    group_index : float
        Group index of the glass.
    """
    cable_m = direct_length_m(distance_m, far_stretch, near_stretch, near_scale_m, detour_m)
    return 2.0 * one_way_s(cable_m, routers_s, group_index)


def sea_round_trip_s(
    legs_m: Number,
    crossed_legs_m: Number,
    land_stretch: Number,
    sea_m: Number,
    distance_m: Number,
    routers_s: Number,
    group_index: Number = 1.468,
) -> Number:
    """Return the round trip between datacenters through the gateways of a sea [1]_.

    Parameters
    ----------
    legs_m, crossed_legs_m, land_stretch, sea_m, distance_m : float
        See `gateway_length_m`.
    routers_s : float
        Time that the routers add one way [s].
    group_index : float
        Group index of the glass.
    """
    cable_m = gateway_length_m(legs_m, crossed_legs_m, land_stretch, sea_m, distance_m)
    return 2.0 * one_way_s(cable_m, routers_s, group_index)


def router_energy_J(wire_B: Number, hops: Number, router_energy_per_bit_J: Number) -> Number:
    """Return the share of the routers' energy.

    Parameters
    ----------
    wire_B : float
        Bytes on the wire [B].
    hops : float
        Routers on the way.
    router_energy_per_bit_J : float
        Power of a router over the bits that it carries [J].
    """
    return 8.0 * wire_B * hops * router_energy_per_bit_J


def router_conversions(hops: Number) -> Number:
    """Return the changes between light and charge in routers: each takes the light in and sends it out again.

    Parameters
    ----------
    hops : float
        Routers on the way.
    """
    return 2.0 * hops
