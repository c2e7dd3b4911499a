"""The question sheet as a PDF: tagged, readable by a program, the same bytes twice, on both papers, black and white."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path

import pytest

from roundtrip.cli.main import main
from roundtrip.errors import ScenarioError
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario
from roundtrip.lab import sheet
from roundtrip.lab.strings import LEVELS, Texts, load
from tests.lab.rig import serving

try:
    import weasyprint  # noqa: F401

    MISSING = ""
except (ImportError, OSError) as error:
    MISSING = f"WeasyPrint is missing: {error}"
needs_weasyprint = pytest.mark.skipif(bool(MISSING), reason=MISSING)
needs_poppler = pytest.mark.skipif(not shutil.which("pdfinfo"), reason="poppler-utils (pdfinfo, pdftotext) is missing")

SIZES = {"a4": (595, 842), "letter": (612, 792)}


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def pdfs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    folder = tmp_path_factory.mktemp("sheets")
    made = {}
    for level, paper in (("child", "a4"), ("student", "letter"), ("engineer", "a4")):
        path = folder / f"{level}-{paper}.pdf"
        path.write_bytes(sheet.pdf_sheet(level, paper).pdf)
        made[level, paper] = path
    return made


@needs_weasyprint
@needs_poppler
def test_it_is_tagged_named_and_of_the_paper_that_was_asked_for(pdfs: dict[tuple[str, str], Path]) -> None:
    for (level, paper), path in pdfs.items():
        about = run("pdfinfo", str(path))
        assert re.search(r"Tagged:\s+yes", about), (level, paper)
        assert re.search(rf"Title:\s+{re.escape(Texts(level)('sheet.title'))}", about)
        size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", about)
        assert size
        assert (round(float(size[1])), round(float(size[2]))) == SIZES[paper]
        assert re.search(r"JavaScript:\s+no", about)


@needs_weasyprint
@needs_poppler
def test_its_structure_has_headings_lists_tables_and_pictures_with_words(pdfs: dict[tuple[str, str], Path]) -> None:
    tree = run("pdfinfo", "-struct-text", str(pdfs["child", "a4"]))
    for tag in ("H1", "H2", "L", "LI", "Lbl", "Table", "TH", "TD", "Figure", "P"):
        assert re.search(rf"^\s*{tag}\b", tree, re.M), tag
    about = run("pdfinfo", "-meta", str(pdfs["child", "a4"]))
    assert re.search(r"pdfuaid:part[>=\"]+1", about)


@needs_weasyprint
@needs_poppler
def test_its_text_can_be_taken_out(pdfs: dict[tuple[str, str], Path]) -> None:
    for (level, _), path in pdfs.items():
        text = " ".join(run("pdftotext", "-layout", str(path), "-").split())
        flat = re.sub(r"\W", "", text)
        say = Texts(level)
        for key in ("sheet.adult.title", "sheet.teacher.title", "sheet.answer.title", "sheet.child.title"):
            assert say(key) in text, key
        for number, question in enumerate(sheet.QUESTIONS, start=1):
            words = re.sub(r"\W", "", say(f"sheet.q.{question}").split(" ")[0])
            assert words in flat, (number, question)
        assert "�" not in text
        assert "{" not in text


@needs_weasyprint
@needs_poppler
def test_each_part_has_a_page_and_none_spills_over(pdfs: dict[tuple[str, str], Path]) -> None:
    for (level, paper), path in pdfs.items():
        pages = run("pdftotext", "-layout", str(path), "-").split("\f")[:-1]
        say = Texts(level)
        heads = [" ".join(page.split())[:60] for page in pages]
        tabs = ["sheet.child.tab", "sheet.child.tab", "sheet.adult.tab", "sheet.teacher.tab", "sheet.answer.tab"]
        for head, tab in zip(heads, tabs, strict=False):
            assert head.startswith(say(tab)), (level, paper, heads)
        assert len(pages) in (6, 7), (level, paper)


@needs_weasyprint
def test_built_twice_it_is_the_same_bytes() -> None:
    program = (
        "import hashlib; from roundtrip.lab.sheet import pdf_sheet; "
        "print(hashlib.sha256(pdf_sheet('student', 'letter').pdf).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": date, "TZ": zone},
        ).stdout
        for seed, date, zone in (("1", "0", "UTC"), ("2", "1900000000", "Asia/Tokyo"))
    }  # fmt: skip
    assert len(made) == 1


@needs_weasyprint
@needs_poppler
@pytest.mark.skipif(not shutil.which("pdftoppm"), reason="poppler-utils is missing")
def test_it_holds_no_color(pdfs: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    run("pdftoppm", "-r", "30", str(pdfs["child", "a4"]), str(tmp_path / "page"))
    for picture in sorted(tmp_path.glob("*.ppm")):
        data = picture.read_bytes().split(b"\n255\n", 1)[1]
        assert max(abs(a - b) for a, b in zip(data[0::3], data[1::3], strict=True)) <= 2
        assert max(abs(a - b) for a, b in zip(data[1::3], data[2::3], strict=True)) <= 2


class Outline(HTMLParser):
    """Headings and pictures of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.pictures: list[str] = []
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)
        if tag == "img":
            self.pictures.append(values.get("alt") or "")
        if tag == "html":
            self.language = values.get("lang") or ""


@pytest.mark.parametrize("level", LEVELS)
def test_the_page_behind_it_has_an_order_of_headings_and_words_for_pictures(level: str) -> None:
    outline = Outline()
    outline.feed(sheet.html_sheet(level))
    assert outline.language == "en"
    assert outline.headings[0] == "h1"
    assert set(outline.headings) == {"h1", "h2"}
    assert outline.pictures
    assert all(len(alt) > 20 for alt in outline.pictures)


def test_the_bar_is_the_whole_wait_whatever_the_trip() -> None:
    for name in ("concept", "cloud", "device", "satellite"):
        trip = sheet.trip_of(name)
        shares = sum(part for _, part, _ in trip.shares) + trip.rest_s / trip.fills["trip_whole"].value
        assert shares == pytest.approx(1.0, abs=1e-9), name
        assert trip.fills["trip_whole"].value == forecast(scenario=name, samples=0).summary["time_to_last_token_s"]


def test_the_answers_speak_of_the_readers_own_trip() -> None:
    near = sheet.html_sheet("student", trip=sheet.trip_of("concept"))
    far = load_scenario("concept").with_settings(("concept.lab.distance_m=9000000",))
    assert "4,500\xa0km" in near
    assert "145\xa0ms" in near
    assert "9,000\xa0km" in sheet.html_sheet("student", trip=sheet.trip_of(far))
    assert "190\xa0ms" in sheet.html_sheet("student", trip=sheet.trip_of(far))


def test_every_question_has_topic_answer_and_what_to_listen_for() -> None:
    known = load()
    for question in sheet.QUESTIONS:
        for form in ("sheet.q", "sheet.topic", "sheet.answer", "sheet.adult.listen"):
            assert f"{form}.{question}" in known
    minutes = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    plan = [minutes[str(known[key])] for key in known if re.fullmatch(r"sheet\.teacher\.plan\.\d+\.when", key)]
    assert sum(plan) == 20


@needs_weasyprint
def test_the_command_writes_a_whole_file_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sheet.pdf"
    assert main(["sheet", "--paper", "letter", "--level", "student", "--scenario", "phone", str(path)]) == 0
    assert path.read_bytes().startswith(b"%PDF-1.7")
    assert re.search(r"sheet\.pdf: [67] pages, US Letter", capsys.readouterr().out)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["sheet.txt"], "expected a name that ends in .pdf"),
        (["--paper", "a5", "x.pdf"], "no paper 'a5'"),
        (["--level", "chld", "x.pdf"], "did you mean 'child'"),
        (["--lang", "xx", "x.pdf"], "no texts in language 'xx', allowed: en, de"),
        (["--lang", "de", "--level", "student", "x.pdf"], "does not speak the level 'student', allowed: child"),
        (["--scenario", "clod", "x.pdf"], "did you mean 'cloud'"),
        (["nowhere/there/x.pdf"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if MISSING and "cannot" in message:
        pytest.skip(MISSING)
    monkeypatch.chdir(tmp_path)
    assert main(["sheet", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_without_weasyprint_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    assert main(["sheet", "x.pdf"]) == 2
    assert "pip install" in capsys.readouterr().err
    assert sheet.printed() == {}


def test_a_paper_that_is_not_there() -> None:
    with pytest.raises(ScenarioError, match="no paper 'b5'"):
        sheet.html_sheet("child", "b5")


@needs_weasyprint
@needs_poppler
def test_the_sheet_in_german_says_so_and_names_what_stays_english(tmp_path: Path) -> None:
    path = tmp_path / "bogen.pdf"
    assert main(["sheet", "--lang", "de", "--scenario", "concept", str(path)]) == 0
    text = " ".join(run("pdftotext", "-layout", str(path), "-").split())
    say = Texts("child", language="de")
    for key in ("sheet.child.title", "sheet.teacher.title", "sheet.answer.title", "sheet.adult.title"):
        assert say(key) in text, key
    assert "45 Tausendstel einer Sekunde" in text
    assert "4,3 Sekunden" in text
    page = sheet.html_sheet("child", language="de")
    assert '<html lang="de">' in page
    assert re.search(r'<ol class="qs-sources" lang="en">', page)
    assert b"/Lang (de)" in path.read_bytes() or "de" in run("pdfinfo", "-struct", str(path))
    tree = run("pdfinfo", str(path))
    assert re.search(r"Pages:\s+[67]\b", tree)


@needs_weasyprint
@needs_poppler
def test_the_lab_prints_on_demand_with_the_readers_own_sliders(tmp_path: Path) -> None:
    with serving() as port:
        status, kind, body = asked(port, "/sheet.pdf?level=student&paper=letter&km=9000&queue=200&prompt=800&reply=120")
    assert (status, kind) == (200, "application/pdf")
    path = tmp_path / "asked.pdf"
    path.write_bytes(body)
    settings = (
        "distance_m=9000000.0", "queue_wait_s=0.2", "prompt_tokens=800.0", "output_tokens=120.0"
    )  # fmt: skip
    trip = sheet.trip_of(load_scenario("concept").with_settings(tuple(f"concept.lab.{each}" for each in settings)))
    assert body == sheet.pdf_sheet("student", "letter", trip).pdf
    assert "9,000 km of cable" in " ".join(run("pdftotext", str(path), "-").split())


@needs_weasyprint
def test_the_lab_says_in_one_line_what_it_cannot_print() -> None:
    with serving() as port:
        for query, status, words in (
            ("level=chld", 400, "did you mean 'child'"),
            ("paper=a5", 400, "no paper 'a5'"),
            ("lang=xx", 400, "no texts in language 'xx'"),
            ("trip=../../etc", 400, "no preset"),
            ("km=far", 400, "expected a number"),
            ("km=1e300", 400, "distance_m"),
            ("km=nan", 400, "distance_m"),
            ("level=" + "a" * 600, 414, "too long"),
        ):
            found, kind, body = asked(port, f"/sheet.pdf?{query}")
            told = body.decode()
            assert (found, kind) == (status, "text/plain; charset=utf-8"), (query, told)
            assert words in told, (query, told)
            assert "\n" not in told


def asked(port: int, path: str) -> tuple[int, str, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers["content-type"], body
