"""Text that ends an answer: found across tokens, and never let out in part."""

from __future__ import annotations

from collections.abc import Sequence


class Stops:
    """Holds text back while it may yet become one of some texts.

    Parameters
    ----------
    texts : sequence of str
        None of them is let out.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)
        self._held = ""
        self.hit = False

    def feed(self, text: str) -> str:
        """Take text, and return what is certain to stay; sets `hit` when one of the texts is complete."""
        if not self._texts or self.hit:
            return "" if self.hit else text
        held = self._held + text
        found = [place for each in self._texts if (place := held.find(each)) >= 0]
        if found:
            self.hit, self._held = True, ""
            return held[: min(found)]
        keep = max((_overlap(held, each) for each in self._texts), default=0)
        self._held = held[len(held) - keep :]
        return held[: len(held) - keep]

    def close(self) -> str:
        """Return what was held: no more text comes."""
        held, self._held = self._held, ""
        return held


def _overlap(text: str, stop: str) -> int:
    """Return how many last characters of a text are the first ones of a stop."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
