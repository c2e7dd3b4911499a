"""A truth row that is broken names its file, its id and the reason."""

from __future__ import annotations

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey import truth

ROW = """
[[row]]
id = "one"
quantity = "time over a travel"
function = "travel_time_s"
inputs = { travel_m = 2.3e-3, acceleration_m_s2 = 10.0 }
value = 21e-3
tolerance = 0.03
unit = "s"
kind = "measured"
source = "cy384-finger-latency"
where = "table 2"
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[[row]]", "[[rows]]", "unknown key 'rows'"),
        ("21e-3", "nan", "value = nan is not finite"),
        ("21e-3", "'x'", "expected a number"),
        ("0.03", "true", "expected a number"),
        ('"measured"', "[]", "expected a text"),
        ('"measured"', '"guess"', "allowed: measured"),
        ('"cy384-finger-latency"', "[]", "expected a text"),
        ('"cy384-finger-latency"', '"cy384-finger-latenc"', "did you mean 'cy384-finger-latency'?"),
        ("{ travel_m = 2.3e-3, acceleration_m_s2 = 10.0 }", "5", "expected a table"),
        ("[[row]]", "[row", "truth/keyboard/press.toml"),
        (ROW, ROW + ROW, "one: stands twice"),
        (ROW, "row = 5", "expected [[row]]"),
        (ROW, "row = [5]", "expected [[row]]"),
        (ROW, "# caf\udce9", "truth/keyboard/press.toml"),
    ],
)
def test_a_row_with_a_mistake(old: str, new: str, says: str) -> None:
    assert old in ROW
    with pytest.raises(TruthError) as raised:
        truth._read("keyboard.press", ROW.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    assert says in str(raised.value)
    assert "truth/keyboard/press.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("travel_time_s", "travel_tim_s", "no function 'travel_tim_s'"),
        ("travel_time_s", "SINCE", "no function 'SINCE'"),
        ("travel_m =", "travel =", "unexpected keyword argument"),
        ("10.0", "0.0", "division by zero"),
    ],
)
def test_a_row_that_cannot_be_computed(old: str, new: str, says: str) -> None:
    (row,) = truth._read("keyboard.press", ROW.replace(old, new, 1).encode())
    with pytest.raises(TruthError, match=r"press\.toml: one: ") as raised:
        truth.check(row)
    assert says in str(raised.value)
