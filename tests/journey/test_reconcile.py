"""Published figures: their own equations give them, ours are walked to in factors, and what closes a gap closes it."""

from __future__ import annotations

import pytest

from roundtrip.journey.load_curve import curve, curves
from roundtrip.journey.reconcile import STEPS, Case, changed, energy_J, reconcile, reference
from roundtrip.journey.scenario import load_scenario
from roundtrip.trace import svg_account


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.key: case for case in reconcile()}


def test_the_published_figures_are_the_ones_that_people_quote(cases: dict[str, Case]) -> None:
    quoted = [0.24, 0.30, 0.34, 0.42, 2.9, 8.5, 30.0]
    assert [c.published_J / 3600.0 for c in cases.values()] == pytest.approx(quoted, abs=0.01)


def test_published_equations_give_published_figures(cases: dict[str, Case]) -> None:
    assert (cases["epoch-chat"].formula_J or 0.0) / 3600.0 == pytest.approx(0.3008, abs=1e-4)
    assert (cases["de-vries"].formula_J or 0.0) / 3600.0 == pytest.approx(2.9, rel=0.01)
    # The short answer at the speed of the long one: the paper's own speed for it is not at hand.
    assert (cases["jegham-short"].formula_J or 0.0) / 3600.0 == pytest.approx(0.42, rel=0.12)


@pytest.mark.parametrize("key", ["gemini-median", "altman", "de-vries", "jegham-reasoning"])
def test_where_tokens_or_batch_are_not_said_the_range_holds_the_figure(cases: dict[str, Case], key: str) -> None:
    assert cases[key].low_J < cases[key].published_J < cases[key].high_J


def test_no_figure_is_farther_off_than_what_is_not_said_allows(cases: dict[str, Case]) -> None:
    for case in cases.values():
        assert 0.3 < case.gap < 8.0, case.key


def test_the_steps_multiply_to_ours(cases: dict[str, Case]) -> None:
    start_J = energy_J(reference())
    for case in cases.values():
        product = start_J
        for step in STEPS:
            product *= case.steps[step]
        assert product == pytest.approx(case.ours_J, rel=1e-9), case.key


def test_what_closes_a_gap_closes_it(cases: dict[str, Case]) -> None:
    for case in cases.values():
        if case.tokens_needed:
            got_J = energy_J(changed(case.request, output_tokens=case.tokens_needed))
            assert got_J == pytest.approx(case.published_J, rel=1e-3), case.key
        if case.batch_needed:
            got_J = energy_J(changed(case.request, batch=case.batch_needed))
            assert got_J == pytest.approx(case.published_J, rel=1e-3), case.key


def test_batch_is_the_largest_step_of_the_small_batches(cases: dict[str, Case]) -> None:
    for key in ("jegham-short", "de-vries", "ai-energy-score"):
        assert max(cases[key].steps, key=lambda step: cases[key].steps[step]) == "batch"
    assert max(cases["jegham-reasoning"].steps.items(), key=lambda item: item[1])[0] == "tokens"


def test_joules_a_token_fall_with_load_and_the_closed_form_follows_near_its_batch() -> None:
    own = curve(load_scenario("cloud"))
    assert all(a > b for a, b in zip(own.token_J, own.token_J[1:], strict=False))
    near = [i for i, batch in enumerate(own.batches) if 256 <= batch <= 2048]
    for i in near:
        assert own.closed_J[i] == pytest.approx(own.token_J[i], rel=0.03)


def test_a_dense_model_on_h100_meets_its_measured_points() -> None:
    llama = next(c for c in curves() if c.title.startswith("Llama"))
    for batch, measured_J in llama.points:
        nearest = min(range(len(llama.batches)), key=lambda i: abs(llama.batches[i] / batch - 1.0))
        assert llama.token_J[nearest] == pytest.approx(measured_J, rel=0.25)


def test_pictures_are_whole_and_name_every_case(cases: dict[str, Case]) -> None:
    picture = svg_account.reconciled(list(cases.values()), energy_J(reference()))
    assert picture.startswith("<svg")
    assert picture.endswith("</svg>\n")
    assert all(case.title in picture for case in cases.values())
    assert "nan" not in picture
    assert svg_account.load_curves(curves()).count("<polyline") == 6
