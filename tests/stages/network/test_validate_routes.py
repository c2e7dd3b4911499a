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


LABELS = ("of all pairs over 100 km", "over 1,500 km", "of 100 to 1,500 km")


def write(folder: Path, stretch: float = 1.0, spread: float = 0.0) -> routes.Pairs:
    """Write a matrix of what the catalog's constants say, times a factor and a scatter; return its pairs."""
    lines = ["from_region,to_region,from_lat,from_lon,to_lat,to_lon,median_rtt_ms"]
    for i, (one, a, b) in enumerate(REGIONS):
        lines += [f"{one},{other},{a},{b},{c},{d},100" for other, c, d in REGIONS[i + 1 :]]
    path = folder / routes.FILE
    path.write_text("\n".join(lines))
    pairs = routes.read(folder)
    scatter = np.exp(spread * np.random.default_rng(1).standard_normal(len(pairs.names)))
    said = stretch * scatter * routes.predict(pairs)
    made = {name: float(1e3 * value) for name, value in zip(pairs.names, said, strict=True)}
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
    rows = {row["name"]: row for row in routes.score(tmp_path)}
    assert rows["round trips under light in fiber, bands included"]["value"] == 0.0
    assert max(rows[f"round trip {label}"]["value"] for label in LABELS) < 1e-9
    assert rows["round trip over 1,500 km, unseen half"]["value"] < 0.02
    assert all(rival > 0.05 for rival in rows["round trip over 1,500 km"]["rivals"].values())
    # What is exact lies inside every band, so the bands are wider than 85 to 95 % asks for.
    assert not rows["round trips inside p5 to p95"]["holds"]
    write(tmp_path, stretch=1.5)
    slower = {row["name"]: row for row in routes.score(tmp_path)}
    assert not any(slower[f"round trip {label}"]["holds"] for label in LABELS)


def test_a_fit_finds_the_constants_again(tmp_path: Path) -> None:
    write(tmp_path)
    found = routes.fit(tmp_path)
    assert found["n_seen"] + found["scores"][0]["n"] == len(routes.read(tmp_path).names)
    for name in ("north-atlantic", "north-pacific", "suez"):
        for key in routes.GATEWAYS:
            assert found["constants"][name][key] == pytest.approx(routes.constants(name)[key].value, rel=0.03)


@pytest.mark.parametrize("spread", [0.02, 0.08])
def test_bands_of_a_fit_are_as_wide_as_the_scatter_and_hold_on_the_unseen_half(tmp_path: Path, spread: float) -> None:
    write(tmp_path, spread=spread)
    found = routes.fit(tmp_path)
    share = found["scores"][-1]
    assert share["name"] == "round trips inside p5 to p95, unseen half"
    assert 0.84 <= share["value"] <= 0.97
    low, high = found["bands"]["north-atlantic"]["sea_m"]
    assert 0.6 * spread < 0.5 * np.log(high / low) / 1.645 < 2.5 * spread


def test_halves_share_no_pair_in_either_order(tmp_path: Path) -> None:
    seen, unseen = routes.halves(write(tmp_path))
    assert not {frozenset(n) for n in seen.names} & {frozenset(n) for n in unseen.names}
    assert abs(len(seen.names) - len(unseen.names)) <= 1


def test_samples_of_no_route_are_shorter_than_the_great_circle(tmp_path: Path) -> None:
    pairs = write(tmp_path)
    low, high = routes.band(pairs)
    assert np.all(low >= 2.0 * pairs.distance_m * routes.GROUP_INDEX / 299_792_458.0)
    assert np.all(low < high)


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
