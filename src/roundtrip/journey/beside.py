"""What was recorded beside what was forecast: rows that a reader can compare, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from roundtrip.trace.numbers import digits, si
from roundtrip.trace.table import clip


@dataclass(frozen=True, slots=True)
class Beside:
    """One stage, recorded and forecast.

    Attributes
    ----------
    id : str
        The span of the forecast.
    title : str
        What happens.
    recorded_s : float
        Seconds on the clock.
    forecast_s : float or None
        The closed form for this machine [s]; None where there is none for it.
    processor_s : float or None
        Of the recorded time, seconds that the processor worked on it; less than on the clock where other programs run.
    """

    id: str
    title: str
    recorded_s: float
    forecast_s: float | None = None
    processor_s: float | None = None

    @property
    def ratio(self) -> float | None:
        """Recorded over forecast."""
        return self.recorded_s / self.forecast_s if self.forecast_s else None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "ratio": self.ratio}


def rows_as_text(rows: Sequence[Beside], width: int) -> list[str]:
    """Return the rows as lines, with the processor's time where it was measured."""
    name = min(max(len(row.title) for row in rows), max(width - 45, 20))
    worked = any(row.processor_s is not None for row in rows)
    lines = [f"  {'':<{name}} {'recorded':>9}  {'forecast':>9}  {'ratio':>6}" + ("  processor" if worked else "")]
    for row in rows:
        ratio = digits(row.ratio, 2) if row.ratio is not None else "–"
        lines.append(
            f"  {clip(row.title, name):<{name}} {si(row.recorded_s, 's'):>9}  {si(row.forecast_s, 's'):>9}  "
            f"{ratio:>6}" + (f"  {si(row.processor_s, 's'):>9}" if worked else "")
        )
    return lines


def busy(rows: Sequence[Beside]) -> str:
    """Say that other programs took part of the time, if they took more than a tenth; else nothing."""
    measured = [row for row in rows if row.processor_s is not None]
    wall_s, processor_s = (sum(getattr(r, n) for r in measured) for n in ("recorded_s", "processor_s"))
    if not measured or processor_s > 0.9 * wall_s:
        return ""
    return (
        f"Other programs were at work: of {si(wall_s, 's')} on the clock the processor spent {si(processor_s, 's')} "
        "on this, and that is what the forecast is about."
    )
