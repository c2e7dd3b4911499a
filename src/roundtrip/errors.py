"""Every error that Roundtrip raises on purpose.

::

    RoundtripError
      UnitError         a unit is unknown, or of the wrong dimension
      DomainError       a value is not finite, or outside what is allowed
      CatalogError      a catalog file is broken, or an entry is not in it
      ScenarioError     a scenario, a preset or a key of it does not exist
      PromptError       a prompt cannot be sent (too long, not UTF-8)
      ReadingError      a stage function did something that has no symbolic reading
      TruthError        a truth row or a truth data set is broken
      OutputError       a file cannot be written
      ModelError        a language model's file is missing, damaged or not run here, or its memory is full

A message names the thing, the value, what is allowed and where the value came from.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RoundtripError(Exception):
    """Root of the tree: the command line prints its message and leaves with exit code 2."""


class UnitError(RoundtripError):
    """A unit is unknown, or has the wrong dimension."""


class DomainError(RoundtripError):
    """A value is not finite, or lies outside what is allowed."""


class CatalogError(RoundtripError):
    """A catalog file is broken, or an entry is not in it."""


class ScenarioError(RoundtripError):
    """A scenario, a preset or one of its keys does not exist."""


class PromptError(RoundtripError):
    """A prompt cannot be sent."""


class ReadingError(RoundtripError, TypeError):
    """A stage function did something that has no symbolic reading."""


class TruthError(RoundtripError):
    """A truth row, or a truth data set, is broken."""


class OutputError(RoundtripError):
    """A file cannot be written."""


class ModelError(RoundtripError):
    """A language model's file is missing, damaged or of a kind that is not run here, or its memory is full."""


def nearest(word: str, words: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest of `words`, or an empty string."""
    pool = list(dict.fromkeys(words))
    found = difflib.get_close_matches(word, pool, n=1, cutoff=0.5)
    if not found:
        tails = {w.rsplit(".", 1)[-1]: w for w in pool}
        found = [tails[t] for t in difflib.get_close_matches(word.rsplit(".", 1)[-1], tails, n=1, cutoff=0.6)]
    return f"; did you mean {found[0]!r}?" if found else ""
