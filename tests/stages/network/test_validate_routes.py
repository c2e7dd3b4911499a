"""The scorer of the routes, on a matrix that is made from known constants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roundtrip.catalog.load import load
from roundtrip.errors import TruthError
from roundtrip.journey import validate_routes as routes

REGIONS = [(entry.title, entry.figures["latitude_deg"].value, entry.figures["longitude_deg"].value)
           for key, entry in load("places").items() if key.startswith("azure-")]  # fmt: skip


def write(folder: Path, stretch: float = 1.0) -> routes.Pairs:
    """Write a matrix of what the catalog's constants say, times a factor; return its pairs."""
    lines = ["from_region,to_region,from_lat,from_lon,to_lat,to_lon,median_rtt_ms"]
    for i, (one, a, b) in enumerate(REGIONS):
        lines += [f"{one},{other},{a},{b},{c},{d},100" for other, c, d in REGIONS[i + 1 :]]
    path = folder / routes.FILE
    path.write_text("\n".join(lines))
    pairs = routes.read(folder)
    made = {name: float(stretch * 1e3 * value) for name, value in zip(pairs.names, routes.predict(pairs), strict=True)}
    head, *rows = lines
    kept = []
    for row in rows:
        cells = row.split(",")
        name = (min(cells[0], cells[1]), max(cells[0], cells[1]))
        if name in made:
            kept.append(",".join([*cells[:-1], repr(made[name])]))
    path.write_text("\n".join([head, *kept]))
    return routes.read(folder)


def test_a_matrix_from_the_constants_is_met_and_a_slower_one_is_not(tmp_path: Path) -> None:
    pairs = write(tmp_path)
    assert np.allclose(routes.predict(pairs), pairs.measured_s)
    bound, long, short, unseen = routes.score(tmp_path)
    assert bound["value"] == 0.0
    assert max(long["value"], short["value"]) < 1e-9
    assert unseen["value"] < 0.02
    assert all(rival > 0.05 for rival in long["rivals"].values())
    write(tmp_path, stretch=1.5)
    assert not any(row["holds"] for row in routes.score(tmp_path)[1:3])


def test_a_fit_finds_the_constants_again(tmp_path: Path) -> None:
    write(tmp_path)
    found = routes.fit(tmp_path)
    assert found["n_seen"] + found["scores"][0]["n"] == np.sum(routes.read(tmp_path).distance_m > routes.LONG_HAUL_M)
    for name in ("north-atlantic", "north-pacific", "suez"):
        for key in routes.GATEWAYS:
            assert found["constants"][name][key] == pytest.approx(routes.constants(name)[key], rel=0.03)


def test_every_corridor_is_an_entry_and_every_landmass_meets_every_other() -> None:
    lands = ("north-america", "south-america", "europe", "asia", "gulf", "africa", "oceania")
    for one in lands:
        for other in lands:
            assert routes.corridor(one, other) in load("routes")
            assert routes.corridor(one, other) == routes.corridor(other, one)


@pytest.mark.parametrize(
    ("place", "land"),
    [("new-york", "north-america"), ("sao-paulo", "south-america"), ("london", "europe"), ("dubai", "gulf"),
     ("mumbai", "asia"), ("tokyo", "asia"), ("cape-town", "africa"), ("sydney", "oceania")],
)  # fmt: skip
def test_landmasses_of_well_known_places(place: str, land: str) -> None:
    figures = load("places")[place].figures
    assert routes.landmass(figures["latitude_deg"].value, figures["longitude_deg"].value) == land


def test_a_matrix_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="no such file"):
        routes.score(tmp_path)
    (tmp_path / routes.FILE).write_text("from_region,to_region\nA,B\n")
    with pytest.raises(TruthError, match="cannot be read"):
        routes.score(tmp_path)
    (tmp_path / routes.FILE).write_text(
        "from_region,to_region,from_lat,from_lon,to_lat,to_lon,median_rtt_ms\nA,B,1,1,1,1,3"
    )
    with pytest.raises(TruthError, match="more than 100 km apart"):
        routes.score(tmp_path)
