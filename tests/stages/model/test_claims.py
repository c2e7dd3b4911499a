"""Claims about the model that must hold at their printed digits, and those that cannot."""

from __future__ import annotations

import pytest

from roundtrip.journey.audit.core import audit_one


@pytest.mark.parametrize(
    "claim_id", ["C002", "C003", "C004", "C006", "C008", "C009", "C010", "C013", "C014", "A067", "A073"]
)
def test_holds_at_the_printed_digits(claim_id: str) -> None:
    result = audit_one(claim_id, samples=16)
    assert result.verdict == "holds"
    assert result.latitude == "exact"


@pytest.mark.parametrize(
    ("claim_id", "verdict", "factor"),
    [("A068", "off", 2.0), ("A071", "off", 18.2), ("A107", "off", 0.018), ("A074", "ill-defined", 16.75 / 15.0)],
)
def test_is_off_by_how_much(claim_id: str, verdict: str, factor: float) -> None:
    result = audit_one(claim_id, samples=16)
    assert result.verdict == verdict
    assert result.factor == pytest.approx(factor, rel=0.02)


@pytest.mark.parametrize("claim_id", ["A064", "A074", "A119", "C021"])
def test_contradicts_itself(claim_id: str) -> None:
    result = audit_one(claim_id, samples=16)
    assert result.verdict == "ill-defined"
    assert result.note


@pytest.mark.parametrize("claim_id", ["A109", "B012"])
def test_property_was_run(claim_id: str) -> None:
    result = audit_one(claim_id, samples=16)
    assert (result.verdict, result.basis, result.value) == ("holds", "tested", True)


@pytest.mark.parametrize("claim_id", ["B010", "B011", "C018"])
def test_says_why_there_is_no_figure(claim_id: str) -> None:
    result = audit_one(claim_id, samples=16)
    assert (result.verdict, result.basis) == ("none", "none")
    assert len(result.note) > 40
