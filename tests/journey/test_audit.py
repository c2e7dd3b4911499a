"""The audit: every claim has a verdict with a basis, and no derivation can see what it is held against."""

from __future__ import annotations

import inspect
import re

import pytest

from roundtrip.catalog import claims as stated
from roundtrip.journey.audit import core
from roundtrip.journey.audit.core import BASES, VERDICTS, Bench, Result, audit_all, derivations, factor, rule
from roundtrip.trace.json import dumps

DOCUMENTS = set(stated.DOCUMENTS.values())


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {r.claim.id: r for r in audit_all()}


def test_every_claim_is_audited(results: dict[str, Result]) -> None:
    assert len(results) == 165
    for r in results.values():
        assert r.verdict in VERDICTS, r.claim.id
        assert r.basis in BASES, r.claim.id
        assert r.note.strip(), r.claim.id
        cited = re.search(r"arXiv|doi|https?:|RFC|[12]\d{3}", r.note)
        assert r.inputs or cited or r.basis in ("none", "tested"), f"{r.claim.id}: {r.basis} from nothing"
        if isinstance(r.value, float) and r.low is not None and r.high is not None:
            assert r.low <= r.value <= r.high, r.claim.id
    dumps([r.as_dict() for r in results.values()])


def test_most_are_computed(results: dict[str, Result]) -> None:
    assert sum(r.basis == "computed" for r in results.values()) >= 95


@pytest.mark.parametrize("claim_id", ["C006", "C009", "C010", "C011", "C012", "C016"])
def test_sums_that_hold_at_the_printed_digits(results: dict[str, Result], claim_id: str) -> None:
    r = results[claim_id]
    assert r.verdict == "holds"
    assert rule(r.claim, r.value, "exact") == "holds"


@pytest.mark.parametrize("claim_id", ["A068", "A074", "A077", "A116", "A119", "A122", "A125", "C021"])
def test_claims_that_are_off_or_ill_defined(results: dict[str, Result], claim_id: str) -> None:
    assert results[claim_id].verdict in ("off", "ill-defined")
    assert len(results[claim_id].note) > 40, "by how much, and why"


def test_no_derivation_can_see_a_claim(monkeypatch: pytest.MonkeyPatch, results: dict[str, Result]) -> None:
    """Every derivation gives the same figure when the claims cannot be read at all."""
    known = derivations()

    def closed(*_: object) -> None:
        raise AssertionError("a derivation looked at the claims")

    for module in (stated, core):
        for name in ("claims", "claim"):
            monkeypatch.setattr(module, name, closed)
    for claim_id, derived in known.items():
        value = derived.run(Bench()).value
        again = results[claim_id].value
        assert (None if value is None else float(value)) == (None if again is None else float(again)), claim_id


def test_no_figure_that_is_used_comes_from_a_document() -> None:
    for claim_id, derived in derivations().items():
        bench = Bench()
        derived.run(bench)
        for key, figure in bench.figures.items():
            assert figure.source not in DOCUMENTS or key.startswith("concepts/"), f"{claim_id}: {key}"


def test_no_derivation_names_the_stated_number() -> None:
    """A stated number of three digits or more does not stand in the code of its own derivation."""
    for claim_id, derived in derivations().items():
        claim = stated.claim(claim_id)
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', inspect.getsource(derived.run).partition("\n")[2])
        numbers = {float(n.replace("_", "")) for n in re.findall(r"(?<![\w.])\d[\d_]*\.?\d*(?:e[-+]?\d+)?", code)}
        for end in (claim.low, claim.high):
            if end is not None and claim.digits >= 3:
                assert end not in numbers, f"{claim_id}: {end:g} stands in its derivation"


def _claim(low: float | None, high: float | None, digits: int) -> stated.Claim:
    return stated.Claim("X001", "one-word", "model", "a quantity", low, high, digits, "s", "")


@pytest.mark.parametrize(
    ("low", "high", "digits", "value", "latitude", "verdict"),
    [
        (1.0, 2.0, 1, 1.4, "exact", "holds"),
        (1.0, 2.0, 1, 2.4, "exact", "holds"),
        (1.0, 2.0, 1, 2.6, "exact", "off"),
        (189.0, 189.0, 3, 189.4, "exact", "holds"),
        (189.0, 189.0, 3, 189.6, "exact", "off"),
        (10.0, 10.0, 2, 12.0, "about", "holds"),
        (10.0, 10.0, 2, 13.0, "about", "off"),
        (10.0, 10.0, 2, 29.0, "order", "holds"),
        (10.0, 10.0, 2, 31.0, "order", "off"),
        (None, 5.0, 1, 0.1, "exact", "holds"),
        (5.0, None, 1, 4.0, "exact", "off"),
    ],
)
def test_the_rule(
    low: float | None, high: float | None, digits: int, value: float, latitude: str, verdict: str
) -> None:
    assert rule(_claim(low, high, digits), value, latitude) == verdict


def test_the_factor_says_how_far_outside() -> None:
    assert factor(_claim(2.0, 4.0, 1), 3.0) == 1.0
    assert factor(_claim(2.0, 4.0, 1), 8.0) == 2.0
    assert factor(_claim(2.0, 4.0, 1), 1.0) == 0.5
    assert factor(_claim(2.0, 4.0, 1), True) is None
