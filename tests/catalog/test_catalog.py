"""The catalog as it is shipped, and the form that it is read in."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.catalog.claims import claims
from roundtrip.catalog.load import entry, kind_title, kinds, load, read_entries, read_rows, sources
from roundtrip.errors import CatalogError
from roundtrip.journey.scenario import load_scenario, presets
from roundtrip.journey.slots import SLOTS

DOCUMENTS = {"seed-finger-to-photon", "seed-round-trip", "seed-one-word"}


@pytest.mark.parametrize("kind", kinds())
def test_a_kind_loads_and_is_titled(kind: str) -> None:
    entries = load(kind)
    assert entries
    assert kind_title(kind)
    assert all(e.title.strip() for e in entries.values())


@pytest.mark.parametrize("kind", kinds())
def test_no_document_is_the_source_of_a_figure(kind: str) -> None:
    if kind == "concepts":
        return
    for e in load(kind).values():
        for name, figure in e.figures.items():
            assert figure.source not in DOCUMENTS, f"{kind}/{e.key}.{name}"


@pytest.mark.parametrize("kind", kinds())
def test_an_estimate_has_a_band_and_a_reason(kind: str) -> None:
    for e in load(kind).values():
        for name, figure in e.figures.items():
            if figure.grade == "estimate" and kind != "concepts":
                assert figure.low < figure.high or figure.note, f"{kind}/{e.key}.{name}"


def test_a_source_can_be_opened() -> None:
    for key, source in sources().items():
        if key == "user":
            continue
        assert source.url.startswith(("https://", "http://", "docs/")), key
        assert source.title, key
        assert 1600 < source.year <= 2026, key


def test_every_slot_of_every_preset_holds_an_entry() -> None:
    for name in presets():
        scenario = load_scenario(name)
        for slot, choice in scenario.choices.items():
            kind = SLOTS[slot].kind
            assert choice in (load(kind) if kind else SLOTS[slot].words)


def test_there_are_165_claims() -> None:
    assert len(claims()) == 165
    assert {c.document for c in claims().values()} == {"finger-to-photon", "round-trip", "one-word"}


def test_about_300_places() -> None:
    assert len(load("places")) >= 250


FIGURE = "[a]\ntitle='A'\n[a.length_m]\nunit='m'\ngrade='estimate'\nsource='seed-round-trip'\n"
ROWS = "# source: seed-round-trip, grade: estimate\nkey,title,latitude_deg\n,,deg\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("key,title\n", "first line must be"),
        ("# source: nobody, grade: estimate\nkey,title\n,\n", "source 'nobody'"),
        (ROWS + "a,A\n", "line 4: 2 fields, expected 3"),
        (ROWS + "a,A,north\n", "line 4: latitude_deg"),
        (ROWS + "a,A,91\n", "outside what latitude_deg allows"),
        (ROWS + "a,A,nan\n", "line 4"),
        (ROWS + "a,A,1\na,A,1\n", "line 5: 'a' stands twice"),
    ],
)
def test_a_broken_line_of_a_table_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "places.csv"
    file.write_text(text)
    with pytest.raises(CatalogError, match=says) as caught:
        read_rows(file, "places")
    assert str(caught.value).startswith("places.csv: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = 1\n", "expected a table"),
        ("[a]\nfigures = 1\ntitle = 'A'\n", "expected a figure or a text"),
        ("[a]\ntext = 'no title'\n", "the title is missing"),
        (FIGURE + "value=1.0\nlow=0.5\n", "go together"),
        (FIGURE + "value=1.0\nlow=2\nhigh=3\n", "does not hold"),
        (FIGURE + "value=true\n", "is not a number"),
        (FIGURE + "valu=1.0\n", "did you mean 'value'"),
    ],
)  # fmt: skip
def test_a_broken_entry_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "things.toml"
    file.write_text(text)
    with pytest.raises(CatalogError, match=says) as caught:
        read_entries(file, "things")
    assert str(caught.value).startswith("things.toml: ")


def test_an_unknown_entry_names_the_nearest() -> None:
    with pytest.raises(CatalogError, match="did you mean 'laptop'"):
        entry("keyboards", "latop")
