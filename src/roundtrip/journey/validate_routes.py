"""Score the route stage against published round-trip times between cloud regions, and fit its constants again.

The measurements (``azure_rtt.csv``: from, to, coordinates, median round trip) are facts of Microsoft's page [1]_ and
stay outside the project; the catalog kind ``routes`` carries the few constants that were fitted to them. A pair is
predicted from its coordinates alone: the great circle, the corridor (by where its ends lie), the stretch and detour
of that corridor, light in the fiber, and the routers. Nothing of the pair's own measurement is used. The band of a
pair is p5 to p95 of samples of the corridor's constants, as the trip itself draws them.

References
----------
.. [1] Microsoft, Azure network round-trip latency statistics, https://learn.microsoft.com/azure/networking/azure-network-latency
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.errors import TruthError
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws
from roundtrip.journey.corridors import choose
from roundtrip.stages.network import route

Array = NDArray[np.float64]
Constants = Mapping[str, Figure]

FILE = "azure_rtt.csv"
SHORTEST_M = 100e3
LONG_HAUL_M = 1_500e3
SEED = 7
GROUP_INDEX = 1.468
FEWEST = 3
LONG_BAR, ALL_BAR, SHORT_BAR = 0.10, 0.20, 0.20
DIRECT = ("far_stretch", "near_stretch", "near_scale_m", "detour_m")
GATEWAYS = ("land_stretch", "sea_m")
BAND_BARS = (0.85, 0.95)
BAND_SAMPLES = 400
EDGE = 0.05
FOLDS = 5
# No constant is doubted by more than a factor of e either way.
WIDEST = 1.0


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
        corridor=np.array([choose(ends[n[0]], ends[n[1]]) for n in names]),
        measured_s=np.array([sum(found[name]) / len(found[name]) for name in names]),
    )
    apart = pairs.part(pairs.distance_m > SHORTEST_M)
    if not apart.names:
        raise TruthError(f"{path}: no pair of regions is more than {SHORTEST_M / 1e3:g} km apart")
    return apart


def constants(name: str) -> dict[str, Figure]:
    """Return the constants of a corridor from the catalog, with their bands."""
    return dict(entry("routes", name).figures)


def _values(given: Constants) -> dict[str, Any]:
    return {key: figure.value for key, figure in given.items()}


def round_trip_s(pairs: Pairs, given: Mapping[str, Any]) -> Array:
    """Return the round trips of pairs of one corridor, by the functions that the trip itself uses.

    A constant may be an array with leading axes, for a grid of trials or for samples.
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


def predict(pairs: Pairs, given: Mapping[str, Constants] | None = None) -> Array:
    """Return the round trip of every pair, with the constants of the catalog or those of `fit`."""
    result = np.zeros(len(pairs.names))
    for name, part, chosen in _by_corridor(pairs):
        result[chosen] = round_trip_s(part, _values((given or {}).get(name) or constants(name)))
    return result


def band(pairs: Pairs, given: Mapping[str, Constants] | None = None) -> tuple[Array, Array]:
    """Return p5 and p95 of every pair's round trip, from samples of all constants of its corridor."""
    low, high = np.zeros(len(pairs.names)), np.zeros(len(pairs.names))
    for name, part, chosen in _by_corridor(pairs):
        low[chosen], high[chosen] = _edges(part, (given or {}).get(name) or constants(name))
    return low, high


def _by_corridor(pairs: Pairs) -> list[tuple[str, Pairs, NDArray[np.bool_]]]:
    names = map(str, np.unique(pairs.corridor))
    return [(name, pairs.part(pairs.corridor == name), pairs.corridor == name) for name in names]


def _edges(pairs: Pairs, given: Constants) -> tuple[Array, Array]:
    draws = Draws(BAND_SAMPLES)
    sampled = {key: np.asarray(draws.draw(figure, f"network.route.{key}"))[..., None] for key, figure in given.items()}
    drawn = np.broadcast_to(round_trip_s(pairs, sampled), (*draws.shape, len(pairs.names)))
    low, high = np.quantile(drawn.reshape(draws.samples, -1), (EDGE, 1.0 - EDGE), axis=0)
    return low, high


def _covered(pairs: Pairs, given: Mapping[str, Constants] | None = None) -> float:
    low, high = band(pairs, given)
    return float(np.mean((low <= pairs.measured_s) & (pairs.measured_s <= high)))


def rivals(pairs: Pairs, seen: Pairs) -> dict[str, Array]:
    """Return what simpler rules say.

    Two factors on the line of sight, a straight line through this matrix, and a factor that falls with the distance
    and was fitted to the pairs `seen`.
    """
    light_s = 2.0 * np.asarray(route.flight_time_s(pairs.distance_m, GROUP_INDEX))
    return {
        "line of sight times 2.1": 2.1 * light_s,
        "line of sight times 1.74": 1.74 * light_s,
        "25.6 ms + 14.29 us/km": 25.6e-3 + 14.29e-9 * pairs.distance_m,
        "one factor that falls with distance": _one_factor(seen, pairs),
    }


def _one_factor(seen: Pairs, pairs: Pairs) -> Array:
    """Return light times ``a + b exp(-d / s)``, with a, b and s fitted by trial to the pairs `seen`."""
    far, near, scale_m = np.meshgrid(
        np.linspace(1.2, 2.2, 41), np.linspace(0.0, 6.0, 41), np.geomspace(2e5, 8e6, 21), indexing="ij"
    )

    def said(to: Pairs, a: Any, b: Any, s: Any) -> Array:
        light_s = 2.0 * np.asarray(route.flight_time_s(to.distance_m, GROUP_INDEX))
        return light_s * np.asarray(route.stretch(to.distance_m, a, b, s))

    losses = [
        float(np.mean(np.abs(np.log(said(seen, a, b, s) / seen.measured_s))))
        for a, b, s in zip(far.flat, near.flat, scale_m.flat, strict=True)
    ]
    best = int(np.argmin(losses))
    return said(pairs, far.flat[best], near.flat[best], scale_m.flat[best])


def _error(predicted: Array, measured: Array) -> float:
    return float(np.median(np.abs(predicted / measured - 1.0)))


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the catalog's constants on every pair, and a refit on the half that it has not seen."""
    pairs = read(directory)
    light_s = 2.0 * np.asarray(route.flight_time_s(pairs.distance_m, GROUP_INDEX))
    low, _ = band(pairs)
    under = float(np.sum(np.minimum(predict(pairs), low) < light_s))
    bound: dict[str, Any] = {
        "name": "round trips under light in fiber, bands included",
        "metric": "pairs under the bound",
        "value": under,
        "bar": 0.0,
        "holds": under == 0.0,
        "n": len(pairs.names),
        "coverage": None,
        "split": "none: a bound",
        "rivals": {},
    }
    known = "constants fitted to Microsoft's matrix of 2025"
    return [bound, *_rows(pairs, pairs, None, "", known), *fit(directory)["scores"]]


def _rows(
    pairs: Pairs, seen: Pairs, given: Mapping[str, Constants] | None, which: str, split: str
) -> list[dict[str, Any]]:
    """Return the errors over all, over long and over short pairs, and the share of pairs inside their bands."""
    beside = rivals(pairs, seen)
    predicted = predict(pairs, given)
    low, high = band(pairs, given)
    inside = (low <= pairs.measured_s) & (pairs.measured_s <= high)
    long = pairs.distance_m > LONG_HAUL_M
    result: list[dict[str, Any]] = []
    for label, chosen, bar in (
        ("of all pairs over 100 km", np.ones_like(long), ALL_BAR),
        ("over 1,500 km", long, LONG_BAR),
        ("of 100 to 1,500 km", ~long, SHORT_BAR),
    ):
        if np.any(chosen):
            value = _error(predicted[chosen], pairs.measured_s[chosen])
            result.append(
                {
                    "name": f"round trip {label}{which}",
                    "metric": "median absolute error",
                    "value": value,
                    "bar": bar,
                    "holds": value <= bar,
                    "n": int(np.sum(chosen)),
                    "coverage": float(np.mean(inside[chosen])),
                    "split": split,
                    "rivals": {rule: _error(said[chosen], pairs.measured_s[chosen]) for rule, said in beside.items()},
                }
            )
    share = float(np.mean(inside))
    result.append(
        {
            "name": f"round trips inside p5 to p95{which}",
            "metric": f"share of pairs, allowed {BAND_BARS[0]:.0%} to {BAND_BARS[1]:.0%}",
            "value": share,
            "bar": BAND_BARS[0],
            "holds": BAND_BARS[0] <= share <= BAND_BARS[1],
            "n": len(pairs.names),
            "coverage": share,
            "split": split,
            "rivals": {},
        }
    )
    return result


def halves(pairs: Pairs, seed: int = SEED) -> tuple[Pairs, Pairs]:
    """Return a random half of the unordered pairs, and the other."""
    half = np.random.default_rng(seed).permutation(len(pairs.names)) < len(pairs.names) // 2
    return pairs.part(half), pairs.part(~half)


def fit(directory: Path, seed: int = SEED) -> dict[str, Any]:
    """Fit constants and bands to a random half of the pairs and score them on the other half."""
    seen, unseen = halves(read(directory), seed)
    found = fit_pairs(seen)
    split = f"random halves of the unordered pairs, seed {seed}"
    scores = _rows(unseen, seen, found, ", unseen half", split) if unseen.names else []
    free = (*DIRECT, *GATEWAYS)
    return {
        "file": FILE,
        "constants": {name: {key: given[key].value for key in free if key in given} for name, given in found.items()},
        "bands": {
            name: {
                key: [given[key].low, given[key].high] for key in free if key in given and given[key].shape != "fixed"
            }
            for name, given in found.items()
        },
        "n_seen": len(seen.names),
        "seen_error": _error(predict(seen, found), seen.measured_s) if seen.names else None,
        "seen_coverage": _covered(seen, found) if seen.names else None,
        "seed": seed,
        "scores": scores,
    }


def fit_pairs(pairs: Pairs) -> dict[str, Constants]:
    """Fit the constants of every corridor to some pairs, and the bands of these constants.

    A corridor has two free constants: far and near stretch on land, stretch of the legs and length of the sea cable
    across a sea (stretch and detour where there are no gateways). The mean absolute log of predicted over measured
    is made least on a grid that is refined three times. Then one width down and one up for both are found such that
    p5 and p95 of the samples meet p5 and p95 of measured over predicted, where each fifth of the pairs is predicted
    from the other four, widened by two parts in the number of pairs for what a small sample hides. The route by
    distance alone is fitted to all pairs that a sea divides. A corridor with fewer than three pairs keeps the
    catalog's constants.
    """
    across = pairs.part(pairs.corridor != "terrestrial")
    parts = {name: across if name == "submarine" else part for name, part, _ in _by_corridor(pairs)}
    return {name: _fit(part, name) for name, part in parts.items()}


def _fit(pairs: Pairs, name: str) -> Constants:
    known = constants(name)
    if len(pairs.names) < FEWEST:
        return known
    free = _free(known, name)
    given = _centered(pairs, known, free)
    # What is said of pairs that the constants were not fitted to, fold by fold.
    said = round_trip_s(pairs, _values(given))
    for fold in range(FOLDS if len(pairs.names) >= 2 * FOLDS else 0):
        out = np.arange(len(pairs.names)) % FOLDS == fold
        said[out] = round_trip_s(pairs.part(out), _values(_centered(pairs.part(~out), known, free)))
    return _widened(pairs, given, free, np.log(pairs.measured_s / said))


def _centered(pairs: Pairs, known: Constants, free: tuple[str, str]) -> Constants:
    given = _values(known)
    ranges = [(1.0, 3.0), (0.0, 3.0 if free[1] == "near_stretch" else 25e6)]
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
    return {key: _moved(figure, given[key]) for key, figure in known.items()}


def _free(known: Constants, name: str) -> tuple[str, str]:
    if "sea_m" in known:
        return GATEWAYS
    return ("far_stretch", "near_stretch" if name == "terrestrial" else "detour_m")


def _moved(figure: Figure, value: float) -> Figure:
    """Return a figure with another value, and its band moved along."""
    if value == figure.value:
        return figure
    if min(value, figure.value) <= 0.0:
        return replace(figure, value=value, low=value, high=value, shape="fixed")
    ratio = value / figure.value
    return replace(figure, value=value, low=figure.low * ratio, high=figure.high * ratio)


def _widened(pairs: Pairs, given: Constants, free: tuple[str, str], misses: Array) -> Constants:
    """Return the constants with bands whose samples spread as far as the measurements do.

    On land the far stretch follows from the long ways, and then the near one from the short.
    """
    if free[1] != "near_stretch":
        return _width(pairs, given, free, misses)
    long = pairs.distance_m > LONG_HAUL_M
    for name, chosen in ((free[0], long), (free[1], ~long)):
        if np.sum(chosen) >= FEWEST:
            given = _width(pairs.part(chosen), given, (name,), misses[chosen])
    return given


def _width(pairs: Pairs, given: Constants, free: tuple[str, ...], misses: Array) -> Constants:
    predicted = round_trip_s(pairs, _values(given))
    wanted = (1.0 + 2.0 / len(pairs.names)) * np.quantile(misses, (EDGE, 1.0 - EDGE), method="weibull")
    widths = [0.2, 0.2]
    for _ in range(2):
        for side in (0, 1):
            narrow, wide = 1e-3, WIDEST
            for _ in range(10):
                widths[side] = 0.5 * (narrow + wide)
                edge = _edges(pairs, _spread(given, free, widths))[side]
                reached = float(np.median(np.log(edge / predicted)))
                enough = reached < wanted[0] if side == 0 else reached > wanted[1]
                narrow, wide = (narrow, widths[side]) if enough else (widths[side], wide)
    return _spread(given, free, widths)


def _spread(given: Constants, free: tuple[str, ...], widths: list[float]) -> Constants:
    made: dict[str, Figure] = dict(given)
    for name in free:
        value = given[name].value
        if value > 0.0:
            low, high = value * float(np.exp(-widths[0])), value * float(np.exp(widths[1]))
            made[name] = replace(
                given[name], low=min(max(low, _least(given, name)), value), high=high, shape="lognormal"
            )
    return made


def _least(given: Constants, name: str) -> float:
    """Return what a constant cannot be below: nothing is shorter than the great circle."""
    if name == "sea_m":
        names = ("gateway_latitude_deg", "gateway_longitude_deg")
        return float(route.great_circle_m(*(given[f"{end}{n}"].value for end in ("", "other_") for n in names)))
    return 1.0 if name in ("far_stretch", "land_stretch") else 0.0
