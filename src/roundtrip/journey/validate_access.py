"""Hold the access networks against published round trips of homes and phones to a test server in their city.

A published figure is the median of one provider over a quarter; an entry of the catalog is a kind of line. So it should
lie inside p5 to p95 of what is not known of the kind's *median* trip, which is the narrower of the two spreads: what
differs from trip to trip over one line does not count. Line, radio and flight are drawn as the trip draws them, with a
way within the city to the server.

References
----------
.. [1] WebPageTest, connectivity profiles, which testers take for such lines: cable 28 ms, DSL 50 ms, LTE 70 ms,
   https://github.com/WPO-Foundation/webpagetest/blob/master/www/settings/connectivity.ini.sample
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import Entry, entry, load
from roundtrip.figures.sampling import Draws
from roundtrip.stages.network import access, route

Array = NDArray[np.float64]

SAMPLES = 10_000
COVERAGE_BAR, ERROR_BAR = 0.85, 0.30
PROFILES_S = {"wifi-cable": 0.028, "wifi-dsl": 0.050, "4g": 0.070}


def round_trips_s(network: Entry, draws: Draws) -> Array:
    """Return samples of the round trip over an access network to a server in the same city: worlds by trips."""
    metro = entry("routes", "metro")

    def of(part: Entry, name: str) -> Any:
        return draws.draw(part.figures[name], f"{part.kind}.{name}")

    there = access.one_way_s(
        of(network, "access_round_trip_s"), of(network, "radio_round_trip_s"), of(network, "access_swing")
    )
    flight = access.satellite_flight_s(of(network, "altitude_m"), of(network, "slant_factor"))
    routers = route.router_time_s(of(metro, "hops"), of(metro, "router_latency_s"), of(metro, "router_queue_s"))
    shape = (of(metro, name) for name in ("far_stretch", "near_stretch", "near_scale_m", "detour_m"))
    city = route.land_round_trip_s(0.0, *shape, routers_s=routers)
    return np.asarray(2.0 * (there + flight) + city) * np.ones(draws.shape)


def compared() -> list[dict[str, Any]]:
    """Return each published round trip beside the band of its kind, and how much of the spread is of which sort."""
    draws = Draws(SAMPLES)
    bands = {key: draws.band(round_trips_s(network, draws)) for key, network in load("access_networks").items()}
    result: list[dict[str, Any]] = []
    for key, measured in load("measured_access").items():
        network, published_s = measured.texts["network"], measured.figures["published_latency_s"].value
        band = bands[network]
        result.append(
            {
                "key": key,
                "title": measured.title,
                "network": network,
                "published_s": published_s,
                "low_s": band.low,
                "median_s": band.median,
                "high_s": band.high,
                "line_low_s": band.median_low,
                "line_high_s": band.median_high,
                "slow_s": band.slow,
                "inside": band.median_low <= published_s <= band.median_high,
            }
        )
    return result


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the access networks; the published figures stand in the catalog, so the folder is not read."""
    del directory
    rows = compared()
    share = float(np.mean([row["inside"] for row in rows]))
    error = _error(rows, {row["key"]: row["median_s"] for row in rows})
    profiled = [row for row in rows if row["network"] in PROFILES_S]
    beside = {
        "ours, the same lines": _error(profiled, {row["key"]: row["median_s"] for row in profiled}),
        "WebPageTest profiles": _error(profiled, {row["key"]: PROFILES_S[row["network"]] for row in profiled}),
    }
    split = "published medians; the Starlink entry was set from 44 ms of a quarter between its rows"
    shared: dict[str, Any] = {"n": len(rows), "coverage": share, "split": split}
    return [
        {
            "name": "access round trips inside p5 to p95 of the median trip",
            "metric": "share of published medians",
            "value": share,
            "bar": COVERAGE_BAR,
            "holds": share >= COVERAGE_BAR,
            "rivals": {},
            **shared,
        },
        {
            "name": "access round trips",
            "metric": "median absolute error",
            "value": error,
            "bar": ERROR_BAR,
            "holds": error <= ERROR_BAR,
            "rivals": beside,
            **shared,
        },
    ]


def _error(rows: list[dict[str, Any]], said: dict[str, float]) -> float:
    return float(np.median([abs(said[row["key"]] / row["published_s"] - 1.0) for row in rows]))
