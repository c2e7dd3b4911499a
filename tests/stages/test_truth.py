"""Every truth row of every stage: model minus truth, within the row's tolerance."""

from __future__ import annotations

import pytest

from roundtrip.journey.truth import Row, check, rows

ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"{r.stage}:{r.id}" for r in ROWS])
def test_row(row: Row) -> None:
    score = check(row)
    assert score.holds, (
        f"{row.quantity}: {score.value:.6g} {row.unit}, {row.source} says {row.value:.6g} +/- {row.tolerance:.1%}"
    )
