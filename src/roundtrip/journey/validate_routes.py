"""Score the route stage against published round-trip times between cloud regions, and fit its constants again.

The measurements (``azure_rtt.csv``: from, to, coordinates, median round trip) are facts of Microsoft's page [1]_ and
stay outside the project; the catalog kind ``routes`` carries the few constants that were fitted to them. A pair is
predicted from its coordinates alone: the great circle, the corridor (by where its ends lie), the stretch and detour
of that corridor, light in the fiber, and the routers. Nothing of the pair's own measurement is used.

References
----------
.. [1] Microsoft, Azure network round-trip latency statistics, https://learn.microsoft.com/azure/networking/azure-network-latency
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.errors import TruthError
from roundtrip.stages.network import route

Array = NDArray[np.float64]

FILE = "azure_rtt.csv"
SHORTEST_M = 100e3
LONG_HAUL_M = 1_500e3
SEED = 7
GROUP_INDEX = 1.468
FEWEST = 3
LONG_BAR, SHORT_BAR = 0.10, 0.20
DIRECT = ("far_stretch", "near_stretch", "near_scale_m", "detour_m")
GATEWAYS = ("land_stretch", "sea_m")
CORRIDORS = {
    frozenset({"europe", "north-america"}): "north-atlantic",
    frozenset({"asia", "north-america"}): "north-pacific",
    frozenset({"oceania", "north-america"}): "south-pacific",
    frozenset({"europe", "asia"}): "suez",
    frozenset({"europe", "oceania"}): "suez",
    frozenset({"europe", "gulf"}): "suez",
    frozenset({"gulf", "north-america"}): "mediterranean-atlantic",
    frozenset({"gulf", "asia"}): "arabian-sea",
    frozenset({"gulf", "oceania"}): "arabian-sea",
    frozenset({"africa", "europe"}): "cape",
    frozenset({"africa", "north-america"}): "cape-america",
    frozenset({"africa", "asia"}): "indian-ocean",
    frozenset({"africa", "oceania"}): "indian-ocean",
    frozenset({"asia", "oceania"}): "asia-oceania",
}


@dataclass(frozen=True)
class Pairs:
    """Unordered pairs of regions: names, coordinates of both ends, great circle, corridor and measured round trip."""

    names: list[tuple[str, str]]
    one: Array
    other: Array
    distance_m: Array
    corridor: NDArray[np.str_]
    measured_s: Array

    def part(self, chosen: NDArray[np.bool_]) -> Pairs:
        """Return some of the pairs."""
        names = [name for name, take in zip(self.names, chosen, strict=True) if take]
        return Pairs(
            names,
            self.one[chosen],
            self.other[chosen],
            self.distance_m[chosen],
            self.corridor[chosen],
            self.measured_s[chosen],
        )


def landmass(latitude_deg: float, longitude_deg: float) -> str:
    """Return the landmass of a place, by boxes that are drawn along seas and deserts."""
    if longitude_deg < -30.0:
        return "north-america" if latitude_deg > 14.0 else "south-america"
    if latitude_deg < -10.0 and longitude_deg > 110.0:
        return "oceania"
    if longitude_deg > 60.0:
        return "asia"
    if latitude_deg > 36.0:
        return "europe"
    return "gulf" if latitude_deg > 12.0 and longitude_deg > 25.0 else "africa"


def corridor(one: str, other: str) -> str:
    """Return the entry of the catalog kind ``routes`` for two landmasses."""
    if one == other:
        return "terrestrial"
    if "south-america" in (one, other):
        return "americas"
    return CORRIDORS.get(frozenset({one, other}), "submarine")


def read(directory: Path) -> Pairs:
    """Read the matrix; both directions of a pair are averaged, pairs nearer than 100 km are left out.

    Raises
    ------
    TruthError
        If the file or a column is missing.
    """
    path = directory / FILE
    if not path.is_file():
        raise TruthError(f"{path}: no such file; it holds the published matrix of round trips")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[tuple[str, str], list[float]] = {}
    ends: dict[str, tuple[float, float]] = {}
    try:
        for row in rows:
            one, other = row["from_region"], row["to_region"]
            ends[one] = (float(row["from_lat"]), float(row["from_lon"]))
            ends[other] = (float(row["to_lat"]), float(row["to_lon"]))
            found.setdefault((min(one, other), max(one, other)), []).append(1e-3 * float(row["median_rtt_ms"]))
    except (KeyError, TypeError, ValueError) as error:
        raise TruthError(f"{path}: a row cannot be read: {error}") from None
    names = sorted(found)
    a, b = (np.array([ends[name[i]] for name in names]) for i in (0, 1))
    pairs = Pairs(
        names=names,
        one=a,
        other=b,
        distance_m=np.asarray(route.great_circle_m(a[:, 0], a[:, 1], b[:, 0], b[:, 1])),
        corridor=np.array([corridor(landmass(*ends[n[0]]), landmass(*ends[n[1]])) for n in names]),
        measured_s=np.array([sum(found[name]) / len(found[name]) for name in names]),
    )
    apart = pairs.part(pairs.distance_m > SHORTEST_M)
    if not apart.names:
        raise TruthError(f"{path}: no pair of regions is more than {SHORTEST_M / 1e3:g} km apart")
    return apart


def constants(name: str) -> dict[str, float]:
    """Return the constants of a corridor from the catalog."""
    return {key: figure.value for key, figure in entry("routes", name).figures.items()}


def round_trip_s(pairs: Pairs, given: Mapping[str, Any]) -> Array:
    """Return the round trips of pairs of one corridor, by the functions that the trip itself uses.

    A constant may be an array with leading axes, for a grid of trials.
    """
    routers_s = route.router_time_s(given["hops"], given["router_latency_s"], given["router_queue_s"])
    if "sea_m" not in given:
        far, near, scale_m, detour_m = (given[name] for name in DIRECT)
        return np.asarray(
            route.land_round_trip_s(pairs.distance_m, far, near, scale_m, detour_m, routers_s, GROUP_INDEX)
        )
    near, far = (
        [
            route.great_circle_m(end[:, 0], end[:, 1], given[f"{g}_latitude_deg"], given[f"{g}_longitude_deg"])
            for end in ends
        ]
        for g, ends in (("gateway", (pairs.one, pairs.other)), ("other_gateway", (pairs.other, pairs.one)))
    )
    return np.asarray(
        route.sea_round_trip_s(
            near[0] + far[0], near[1] + far[1], given["land_stretch"], given["sea_m"], pairs.distance_m, routers_s,
            GROUP_INDEX,
        )
    )  # fmt: skip


def predict(pairs: Pairs, given: Mapping[str, Mapping[str, float]] | None = None) -> Array:
    """Return the round trip of every pair, with the constants of the catalog or those of `fit`."""
    result = np.zeros(len(pairs.names))
    for name in map(str, np.unique(pairs.corridor)):
        chosen = pairs.corridor == name
        result[chosen] = round_trip_s(pairs.part(chosen), (given or {}).get(name) or constants(name))
    return result


def rivals(pairs: Pairs) -> dict[str, Array]:
    """Return what simpler rules say: two factors on the line of sight, and a straight line through this matrix."""
    light_s = 2.0 * np.asarray(route.flight_time_s(pairs.distance_m, GROUP_INDEX))
    return {
        "line of sight times 2.1": 2.1 * light_s,
        "line of sight times 1.74": 1.74 * light_s,
        "25.6 ms + 14.29 us/km": 25.6e-3 + 14.29e-9 * pairs.distance_m,
    }


def _error(predicted: Array, measured: Array) -> float:
    return float(np.median(np.abs(predicted / measured - 1.0)))


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the catalog's constants on every pair, and a refit on the half that it has not seen."""
    pairs = read(directory)
    light_s = 2.0 * np.asarray(route.flight_time_s(pairs.distance_m, GROUP_INDEX))
    bound = _row("no round trip under light in fiber", float(np.sum(predict(pairs) < light_s)), 0.0, pairs)
    words = {"metric": "pairs under the bound", "coverage": "all unordered pairs over 100 km", "split": "none: a bound"}
    result = [{**bound, **words, "rivals": {}}]
    for label, chosen, bar in (
        ("over 1,500 km", pairs.distance_m > LONG_HAUL_M, LONG_BAR),
        ("of 100 to 1,500 km", pairs.distance_m <= LONG_HAUL_M, SHORT_BAR),
    ):
        part = pairs.part(chosen)
        if part.names:
            row = _row(f"round trip {label}", _error(predict(part), part.measured_s), bar, part)
            words = {
                "coverage": f"all unordered pairs {label}",
                "split": "constants fitted to Microsoft's matrix of 2025",
            }
            result.append({**row, **words})
    return result + fit(directory)["scores"]


def _row(name: str, value: float, bar: float, pairs: Pairs) -> dict[str, Any]:
    beside = {rule: _error(predicted, pairs.measured_s) for rule, predicted in rivals(pairs).items()}
    row = {"name": name, "metric": "median absolute error", "value": value, "bar": bar, "holds": value <= bar}
    return {**row, "n": len(pairs.names), "rivals": beside}


def fit(directory: Path) -> dict[str, Any]:
    """Fit the constants to a random half of the pairs and score them on the other half.

    A corridor has two free constants: far and near stretch on land, stretch of the legs and length of the sea cable
    across a sea (stretch and detour where there are no gateways). The mean absolute log of predicted over measured
    is made least on a grid that is refined three times; a corridor with fewer than three pairs keeps the catalog's.
    """
    pairs = read(directory)
    half = np.random.default_rng(SEED).permutation(len(pairs.names)) < len(pairs.names) // 2
    found = {
        name: _fit(pairs.part(half & (pairs.corridor == name)), name) for name in map(str, np.unique(pairs.corridor))
    }
    long = pairs.distance_m > LONG_HAUL_M
    seen, unseen = pairs.part(half & long), pairs.part(~half & long)
    scores: list[dict[str, Any]] = []
    if unseen.names:
        error = _error(predict(unseen, found), unseen.measured_s)
        words = {
            "coverage": "half of the unordered pairs over 1,500 km",
            "split": f"random halves of the pairs, seed {SEED}",
        }
        scores = [{**_row("round trip over 1,500 km, unseen half", error, LONG_BAR, unseen), **words}]
    return {
        "file": FILE,
        "constants": {
            name: {key: given[key] for key in (*DIRECT, *GATEWAYS) if key in given} for name, given in found.items()
        },
        "n_seen": len(seen.names),
        "seen_error": _error(predict(seen, found), seen.measured_s) if seen.names else None,
        "seed": SEED,
        "scores": scores,
    }


def _fit(pairs: Pairs, name: str) -> dict[str, float]:
    given = constants(name)
    if len(pairs.names) < FEWEST:
        return given
    free = GATEWAYS if "sea_m" in given else ("far_stretch", "near_stretch" if name == "terrestrial" else "detour_m")
    ranges = [(1.0, 3.0), (0.0, 3.0 if name == "terrestrial" else 25e6)]
    for _ in range(4):
        axes = [np.linspace(low, high, 41) for low, high in ranges]
        first, other = np.meshgrid(*axes, indexing="ij")
        trial = {**given, free[0]: first[..., None], free[1]: other[..., None]}
        loss = np.mean(np.abs(np.log(round_trip_s(pairs, trial) / pairs.measured_s)), axis=-1)
        best = np.unravel_index(int(np.argmin(loss)), loss.shape)
        centers = (float(axes[0][best[0]]), float(axes[1][best[1]]))
        given = {**given, free[0]: centers[0], free[1]: centers[1]}
        steps = [2.0 * (high - low) / 40.0 for low, high in ranges]
        ranges = [
            (max(lowest, center - step), center + step)
            for lowest, center, step in zip((1.0, 0.0), centers, steps, strict=True)
        ]
    return given
