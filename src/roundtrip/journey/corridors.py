"""Which way the cables run between two places: the route that `auto` stands for, and what an explicit route must fit.

A place lies on a landmass, by boxes that are drawn along seas and deserts. The catalog kind ``corridors`` says of each
route in the text ``joins`` which pairs of landmasses it joins (``europe+asia``), and in ``also`` which others it may
serve when a reader asks for it (Europe to Asia round the Cape, when the cables of the Red Sea are cut). ``land`` stands
for two places that no sea divides, ``near`` for two in one city, ``sea`` for any two with a sea between, ``any`` for
all.
"""

from __future__ import annotations

from functools import cache

from roundtrip.catalog.load import load
from roundtrip.stages.network.route import great_circle_m

AUTO = "auto"
NEAR_M = 100e3
Coordinates = tuple[float, float]

# Name, then south, north, west and east in degrees; the first box that holds a place wins.
BOXES = (
    ("oceania", -90.0, 15.0, -180.0, -130.0),
    ("middle-america", -20.0, 14.0, -130.0, -65.0),
    ("middle-america", -5.0, 14.0, -65.0, -30.0),
    ("north-america", 14.0, 90.0, -180.0, -30.0),
    ("south-america", -90.0, 14.0, -130.0, -30.0),
    ("oceania", -90.0, -10.0, 110.0, 180.0),
    ("oceania", -10.0, 15.0, 145.0, 180.0),
    ("central-asia", 45.0, 90.0, 60.0, 180.0),
    ("central-asia", 36.0, 45.0, 52.0, 80.0),
    ("asia", -90.0, 90.0, 60.0, 180.0),
    ("europe", 36.0, 90.0, -30.0, 60.0),
    ("mediterranean", 18.0, 36.0, -30.0, 25.0),
    ("mediterranean", 22.0, 36.0, 25.0, 37.0),
    ("gulf", 10.0, 36.0, 37.0, 60.0),
    ("africa", -90.0, -10.0, -30.0, 60.0),
    ("middle-africa", -10.0, 22.0, -30.0, 60.0),
)
# Landmasses that no sea divides.
LAND = frozenset(
    frozenset(pair)
    for pair in (
        ("north-america", "middle-america"),
        ("middle-america", "south-america"),
        ("europe", "central-asia"),
        ("central-asia", "asia"),
        ("middle-africa", "africa"),
    )
)


def landmass(latitude_deg: float, longitude_deg: float) -> str:
    """Return the landmass of a place."""
    for name, south, north, west, east in BOXES:
        if south <= latitude_deg <= north and west <= longitude_deg <= east:
            return name
    return "sea"


@cache
def _joined(word: str) -> dict[str, frozenset[str]]:
    """Return what each route says under ``joins`` or ``also``: pairs in alphabetical order, and single words."""
    return {
        key: frozenset("+".join(sorted(item.split("+"))) for item in found.texts.get(word, "").split())
        for key, found in load("corridors").items()
    }


def kinds_of_pair(one: Coordinates, other: Coordinates) -> tuple[str, ...]:
    """Return what two places are to each other, from the narrowest word to the widest: ``near land any``."""
    lands = (landmass(*one), landmass(*other))
    over_land = lands[0] == lands[1] or frozenset(lands) in LAND
    pair = "+".join(sorted(lands))
    if not over_land:
        return (pair, "sea", "any")
    return ("near", "land", "any") if float(great_circle_m(*one, *other)) < NEAR_M else ("land", "any")


@cache
def choose(one: Coordinates, other: Coordinates) -> str:
    """Return the key of the route that joins two places, given as latitude and longitude in degrees."""
    joined = _joined("joins")
    for word in kinds_of_pair(one, other):
        for key, words in joined.items():
            if word in words:
                return key
    return "rule-of-thumb"


def fits(key: str, one: Coordinates, other: Coordinates) -> bool:
    """Say whether a route can run between two places."""
    return key == AUTO or bool(set(kinds_of_pair(one, other)) & (_joined("joins")[key] | _joined("also")[key]))


def clash(key: str, one: Coordinates, other: Coordinates) -> str:
    """Return why a route cannot run between two places, in a few words."""
    lands = sorted({landmass(*one), landmass(*other)})
    where = " and ".join(land.replace("-", " ") for land in lands)
    return f"route {key!r} does not join {where if len(lands) > 1 else 'two places of ' + where}"
