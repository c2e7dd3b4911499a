"""The palette, read where it stands: contrast on both grounds, and what color-blind eyes still tell apart.

Text has at least 4.5:1 (WCAG 2.2, 1.4.3), graphics and controls at least 3:1 (1.4.11). Two carriers differ by at least
10 in CIEDE2000 for every kind of eyes, the five that the pictures live on by at least 12: about 1 can just be seen, and
10 is another color at a glance for marks of some pixels. Shape says the same once more: waiting is hatched or hollow.
"""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from roundtrip.trace import look
from roundtrip.trace.look import LOOKS
from tests.lab.colors import EYES, contrast, distance, lab, over
from tests.lab.rig import WEB

TEXT, GRAPHIC = 4.5, 3.0
FIVE = ("moving charge", "photons", "stored charge", "waiting", "heat")
APART_FIVE, APART = 12.0, 10.0
SOURCES = sorted(p for p in (WEB / "src").rglob("*.tsx") if "generated" not in p.parts)
STYLES = sorted((WEB / "src").rglob("*.css"))


def variables() -> dict[str, dict[str, str]]:
    """The colors of the style sheets for each ground, where the cascade would find them."""
    text = "".join((WEB / "src" / name).read_text(encoding="utf-8") for name in ("style.css", "shell/media.css"))
    heads = {
        "dark": r"^:root \{",
        "light": r"^:root\[data-theme=\"light\"\] \{",
        "light system": r"^  :root:not\(\[data-theme\]\) \{",
        "print": r"^@media print \{\s+:root,\s+:root\[data-theme\],\s+:root:not\(\[data-theme\]\) \{",
    }
    made: dict[str, dict[str, str]] = {}
    for ground, head in heads.items():
        found = re.search(head, text, re.M)
        assert found, head
        block = text[found.end() : text.index("}", found.end())]
        made[ground] = {name: value for name, value in re.findall(r"--([\w-]+): (#[0-9a-fA-F]{3,6});", block)}
    return made


GROUNDS = variables()


def colors(ground: str) -> dict[str, str]:
    """The carriers of a ground by name."""
    return {name: GROUNDS[ground][name.replace(" ", "-")] for name in LOOKS}


def test_the_distance_is_that_of_the_published_pairs() -> None:
    """Pairs 1, 17, 19, 24 and 25 of the supplementary data of Sharma, Wu and Dalal 2005."""
    pairs = (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (61.0, -5.0, 29.0), 22.8977),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    )
    for one, other, published in pairs:
        assert distance(np.array(one), np.array(other)) == pytest.approx(published, abs=5e-5)


def test_contrast_and_eyes_are_calibrated() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    for eyes, matrix in EYES.items():
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-5), f"{eyes}: gray stays gray"
    # The best known pair that falls together without the cones for long waves or middle ones.
    for eyes in ("protanopia", "deuteranopia"):
        assert distance(lab("#d70000", eyes), lab("#5f8700", eyes)) < distance(lab("#d70000"), lab("#5f8700")) / 2.0


@pytest.mark.parametrize("ground", GROUNDS)
def test_text_is_legible(ground: str) -> None:
    own = GROUNDS[ground]
    for name in ("fg", "mut"):
        for under in ("bg", "raise"):
            if under in own:
                assert contrast(own[name], own[under]) >= TEXT, (ground, name, under)


@pytest.mark.parametrize("ground", GROUNDS)
def test_graphics_and_controls_stand_out(ground: str) -> None:
    own = GROUNDS[ground]
    for name in (
        *(name.replace(" ", "-") for name in LOOKS),
        "control",
        "mut",
        *(("focus",) if "focus" in own else ()),
    ):
        for under in ("bg", "raise"):
            if under in own:
                assert contrast(own[name], own[under]) >= GRAPHIC, (ground, name, under)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_carriers_are_told_apart(ground: str, eyes: str) -> None:
    seen = {name: lab(color, eyes) for name, color in colors(ground).items()}
    near = {
        (one, other): round(distance(seen[one], seen[other]), 1)
        for one, other in combinations(seen, 2)
        if distance(seen[one], seen[other]) < (APART_FIVE if {one, other} <= set(FIVE) else APART)
    }
    assert not near, (ground, eyes, near)


def test_the_same_colors_stand_in_the_terminal_the_page_and_the_scene() -> None:
    for name, own in LOOKS.items():
        for ground, color in (
            ("dark", own.dark),
            ("light", own.light),
            ("light system", own.light),
            ("print", own.light),
        ):
            assert colors(ground)[name].lower() == color.lower(), (name, ground)
    assert GROUNDS["light"] == GROUNDS["light system"]
    text = (WEB / "src" / "scene" / "palette.ts").read_text(encoding="utf-8")
    scene_names = {
        "moving charge": "charge",
        "photons": "photons",
        "stored charge": "stored",
        "waiting": "waiting",
        "heat": "heat",
    }
    for ground in ("dark", "light"):
        block = text[text.index(f"  {ground}: {{") :]
        scene = {
            name: color.lower()
            for name, color in re.findall(r"(\w+): \"(#[0-9a-fA-F]{6})\"", block[: block.index("}")])
        }
        assert scene["page"] == GROUNDS[ground]["bg"]
        for name, short in scene_names.items():
            assert scene[short] == colors(ground)[name].lower(), (ground, name)
        for name in ("edge", "question", "answer"):
            assert contrast(scene[name], scene["page"]) >= GRAPHIC, (ground, name)


def test_pictures_of_the_command_line_are_legible() -> None:
    for text, muted, ground in (
        (look.TEXT_DARK, look.MUTED_DARK, look.GROUND_DARK),
        (look.TEXT_LIGHT, look.MUTED_LIGHT, look.GROUND_LIGHT),
    ):
        assert contrast(text, ground) >= TEXT
        assert contrast(muted, ground) >= TEXT
    for own in LOOKS.values():
        assert contrast(own.dark, look.GROUND_DARK) >= GRAPHIC
        assert contrast(own.light, look.GROUND_LIGHT) >= GRAPHIC


def test_a_paler_bar_keeps_an_edge_that_stands_out() -> None:
    """A carrier at half strength falls below 3:1 on light ground: charts draw it with `Pale`, edge and all."""
    assert (
        contrast(over(GROUNDS["light"]["moving-charge"], GROUNDS["light"]["bg"], 0.55), GROUNDS["light"]["bg"])
        < GRAPHIC
    )
    pale = re.compile(
        r"<(?:rect|line|circle|path)\b[^>]*?(?:fill|stroke)=(?:\"var\(--(?:moving|photons|stored|heat|motion|chem)|\{(?:fill|hue)\()[^>]*?\bopacity="
    )
    found = [
        f"{path.relative_to(WEB)}: {mark[0][:120]}"
        for path in SOURCES
        if "charts" in path.parts or path.parent.name in ("wait", "compare", "energy", "facts", "stage")
        for mark in pale.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_text_is_never_set_in_the_color_of_a_carrier() -> None:
    carriers = "|".join(name.replace(" ", "-") for name in LOOKS)
    found = [
        f"{path.relative_to(WEB)}: {line.strip()}"
        for path in STYLES
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(rf"(?<![\w-])color: var\(--(?:{carriers})\)", line)
    ]
    found += [
        f"{path.relative_to(WEB)}: {mark[0]}"
        for path in SOURCES
        for mark in re.finditer(
            rf"<t(?:ext|span)\b[^>]*fill=\"var\(--(?:{carriers})\)[^>]*", path.read_text(encoding="utf-8")
        )
    ]
    assert not found, "\n".join(found)


def test_grades_and_verdicts_are_words_and_shapes_without_hue() -> None:
    """How well a figure is known is never said by color: a grade is its word, a verdict a word and a shape."""
    carriers = "|".join(name.replace(" ", "-") for name in LOOKS)
    found = [
        f"{path.relative_to(WEB)}:{n}"
        for path in SOURCES
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\b(?:grade|verdict)\b", line) and re.search(rf"var\(--(?:{carriers})\)|hue\(", line)
    ]
    facts = (WEB / "src" / "screens" / "facts" / "index.tsx").read_text(encoding="utf-8")
    assert not re.search(rf"var\(--(?:{carriers})\)|hue\(", facts)
    assert not found, found
    shown = [path.name for path in SOURCES if re.search(r"grade\.\$\{", path.read_text(encoding="utf-8"))]
    assert shown, "no screen says a grade"


def test_the_system_chooses_every_color_where_it_is_told_to() -> None:
    """In forced colors each of our variables is one of the keywords of CSS Color 4."""
    text = (WEB / "src" / "style.css").read_text(encoding="utf-8")
    start = text.index("@media (forced-colors: active) {")
    block = dict(re.findall(r"--([\w-]+): ([^;]+);", text[start : text.index("}", start)]))
    keywords = {
        "Canvas", "CanvasText", "LinkText", "VisitedText", "ActiveText", "ButtonFace", "ButtonText", "ButtonBorder",
        "Field", "FieldText", "Highlight", "HighlightText", "SelectedItem", "SelectedItemText", "Mark", "MarkText",
        "GrayText", "AccentColor", "AccentColorText",
    }  # fmt: skip
    assert set(block.values()) <= keywords
    assert set(GROUNDS["dark"]) <= set(block)
