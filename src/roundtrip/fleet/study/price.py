"""What an accelerator costs by the hour: the catalog's figure with its band, or the reader's own."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.catalog.load import entry, load
from roundtrip.errors import DomainError, nearest

FIGURE = "price_usd_h"


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for an hour of something, with the band of the catalog.

    Attributes
    ----------
    value, low, high : float
        Dollars an hour; the three are equal where the reader gave the price.
    """

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Price:
        """Return the price of so many."""
        return Price(self.value * factor, self.low * factor, self.high * factor)

    def as_dict(self) -> dict[str, float]:
        """Return the JSON form."""
        return {"value": self.value, "low": self.low, "high": self.high}


def price(accelerator: str, given: dict[str, float] | None = None) -> Price:
    """Return the price of one accelerator by the hour; zero where the catalog has none [USD/h].

    Parameters
    ----------
    accelerator : str
        Key of the catalog.
    given : dict, optional
        Prices of the reader by accelerator.

    Raises
    ------
    CatalogError
        If there is no such accelerator.
    """
    if given and accelerator in given:
        value = given[accelerator]
        return Price(value, value, value)
    figures = entry("accelerators", accelerator).figures
    if FIGURE not in figures:
        return Price(0.0, 0.0, 0.0)
    figure = figures[FIGURE]
    return Price(figure.value, figure.low, figure.high)


def rented() -> tuple[str, ...]:
    """Return the accelerators of the catalog that can be rented: those that have a price above zero."""
    found = load("accelerators")
    return tuple(key for key, one in found.items() if FIGURE in one.figures and one.figures[FIGURE].value > 0.0)


def prices(text: str, option: str = "--prices") -> dict[str, float]:
    """Read ``h100-sxm=2.1,b200=3.9``: dollars an hour for one accelerator."""
    found: dict[str, float] = {}
    known = tuple(load("accelerators"))
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, sign, number = (p.strip() for p in part.partition("="))
        if key not in known:
            raise DomainError(f"{option} {part!r}: accelerators has no entry {key!r}{nearest(key, known)}")
        try:
            value = float(number.removeprefix("$")) if sign else float("nan")
        except ValueError:
            value = float("nan")
        if not 0.0 < value < 1e6:
            raise DomainError(f"{option} {part!r}: expected dollars an hour above zero, for example {key}=2.5")
        found[key] = value
    if not found:
        raise DomainError(f"{option} is empty: expected for example h100-sxm=2.5")
    return found
