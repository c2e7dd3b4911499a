"""The 3D pictures: what a frame costs, that nothing is drawn at rest, that the tour is a function of time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.rig import needs_browser, needs_site, run_node, serving

pytestmark = [needs_browser, needs_site]

CALLS = 30


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    with serving() as port:
        yield f"http://127.0.0.1:{port}/"


def test_what_a_frame_costs(lab: str) -> None:
    """Draw calls, and frames at rest; how long a frame takes is measured by ``make bench``."""
    told = run_node("scene.mjs", "cost", lab, timeout=600)
    assert len(told) >= 19
    for picture, cost in told.items():
        assert not cost["errors"], (picture, cost["errors"][:3])
        assert cost["frames"] >= 1, picture
        assert 1 <= cost["calls"] <= CALLS, (picture, cost["calls"])
        assert cost["idle"] == 0, (picture, cost["idle"])


def test_a_moment_of_the_tour_is_one_picture(lab: str) -> None:
    for moment, seen in run_node("scene.mjs", "moments", lab, timeout=600).items():
        pictures, captions, _ = zip(*seen, strict=True)
        assert len(set(pictures)) == 1, moment
        assert len(set(captions)) == 1, moment
        assert captions[0].strip(), moment


def test_all_nine_questions_are_answered(lab: str) -> None:
    told = run_node("scene.mjs", "questions", lab, timeout=300)
    assert len({each["asked"] for each in told.values()}) == 9
    for question, each in told.items():
        assert each["step"], question
        assert any(sign.isdigit() for sign in each["number"]), question
        assert each["drawn"] >= 2, question
        assert each["energy"], question
        assert each["water"], question
        assert not each["unfilled"], question
    assert len({each["step"] for each in told.values()}) == 7
    assert sum(each["sources"] for each in told.values()) >= 9
