"""The picture of predicted against measured round trips."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey import routes_svg
from roundtrip.journey import validate_routes as routes
from tests.stages.network.test_validate_routes import write

NAME = "{http://www.w3.org/2000/svg}circle"


def test_one_dot_a_pair_in_each_panel_on_the_diagonal_if_exact(tmp_path: Path) -> None:
    _, unseen = routes.halves(write(tmp_path))
    dots = ET.fromstring(routes_svg.picture(tmp_path)).findall(f".//{NAME}")
    assert len(dots) == 2 * len(unseen.names)
    ours = dots[: len(unseen.names)]
    off = [float(d.attrib["cx"]) - routes_svg.LEFT + float(d.attrib["cy"]) - routes_svg.TOP - 440.0 for d in ours]
    assert sorted(abs(x) for x in off)[len(off) // 2] < 2.0
    assert {d.attrib["class"] for d in dots} <= {"in", "out", "rival"}


def test_no_matrix_no_picture(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="no such file"):
        routes_svg.picture(tmp_path)
