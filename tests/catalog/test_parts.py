"""An entry that is read alone is the entry that is read with its file."""

from __future__ import annotations

import pytest

from roundtrip.catalog import load as catalog
from roundtrip.catalog.load import entry, keys, kinds, load


@pytest.mark.parametrize("kind", kinds())
def test_an_entry_alone_is_the_entry_in_its_file(kind: str) -> None:
    assert keys(kind) == tuple(load(kind))
    for key, whole in load(kind).items():
        assert entry(kind, key) == whole


def test_a_trip_reads_only_what_it_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtrip.journey.scenario import load_scenario

    whole: list[str] = []
    monkeypatch.setattr(catalog, "load", lambda kind: whole.append(kind) or load(kind))
    for function in (catalog.keys, catalog._entry):
        function.cache_clear()
    load_scenario("cloud")
    assert set(whole) <= {"places"}
