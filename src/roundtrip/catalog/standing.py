"""How well the catalog stands on its sources: which were opened, which not, and how many figures hang on each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from roundtrip.catalog.load import Source, kinds, load, sources

OURS = ("Roundtrip", "The Roundtrip developers", "the reader")


@dataclass(frozen=True, slots=True)
class Standing:
    """Sources by whether somebody has opened them, and the catalog's figures by their grade."""

    opened: tuple[str, ...]
    unopened: tuple[str, ...]
    ours: tuple[str, ...]
    grades: dict[str, int]
    figures_on_unopened: dict[str, dict[str, int]]

    def unopened_in_use(self) -> tuple[str, ...]:
        """Return the sources that nobody opened and that figures of the catalog name."""
        return tuple(key for key in self.unopened if key in self.figures_on_unopened)

    def firm_on_unopened(self) -> int:
        """Return how many figures name a source that nobody opened and claim to be more than an estimate."""
        return sum(n for grades in self.figures_on_unopened.values() for g, n in grades.items() if g != "estimate")


def is_ours(source: Source) -> bool:
    """Return whether there is nothing outside to open: our own estimate, or the reader's value."""
    return source.authors in OURS


def standing() -> Standing:
    """Count the sources and the figures of the whole catalog."""
    known = sources()
    ours = tuple(key for key, s in known.items() if is_ours(s))
    unopened = tuple(key for key, s in known.items() if not s.read and not is_ours(s))
    figures = [f for kind in kinds() for entry in load(kind).values() for f in entry.figures.values()]
    hanging: dict[str, Counter[str]] = {}
    for figure in figures:
        if figure.source in unopened:
            hanging.setdefault(figure.source, Counter())[figure.grade] += 1
    return Standing(
        opened=tuple(key for key, s in known.items() if s.read and not is_ours(s)),
        unopened=unopened,
        ours=ours,
        grades=dict(Counter(figure.grade for figure in figures)),
        figures_on_unopened={key: dict(grades) for key, grades in hanging.items()},
    )
