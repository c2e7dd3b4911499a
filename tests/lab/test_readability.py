"""The child level can be read by a child: the Flesch-Kincaid grade of every text, by a checked counter."""

from __future__ import annotations

import pytest

from roundtrip.lab.strings import load
from tests.lab.readability import counts, grade, syllables

MOST_OF_ALL, MOST_OF_ONE, LEAST_WORDS = 3.0, 7.0, 8

# Syllables by the CMU Pronouncing Dictionary (first pronunciation, http://www.speech.cs.cmu.edu/cgi-bin/cmudict):
# every second word of the child level that stands in it.
BY_SYLLABLES = {
    1: """
        adds ais and asked bar bead best bit blink book box brain bytes call can change cheap checked chip choose
        clear comes cool could counts day did done draw each else falls fast find fit flat flip fly for france
        friends full get give glass got ground guess had hall head help here hills home house its just key kind
        knows lamp last learned learns length life lights line lives locks look looks loud made mark means months
        most moves much need next not notes now one out packs parts past phone picked plan plants points press push
        puts read reads right round rules runs saved says screen seat sees sends serve shape shelf shines short side
        sit sleep slow some spent stand start stay steps stopped string sum swaps takes tells test texts that them
        there thin things this thought thread three throw times town tried trips trust turn twice type use waits
        walk walls warmth watch way well what where while whole will word work works would writes year your
    """,
    2: """
        about again ago almost always around away because before busy careful carry charges closer colors copper
        counted easy equal fastest fetching fewer finger further happens hardly helpers laptop layers lesson letters
        listen little longer maker making maybe metal minutes moment never numbers often older online other over
        painting parcel paris people picture pieces questions quicker really secret slowest smaller sometimes story
        switches teacher thinking uses very waited wire written yourself
    """,
    3: """
        another answering antenna anyway capital computers different dioxide energy every grandparents idea
        inference internet memory radio together understood
    """,
}


def child_texts() -> dict[str, str]:
    return {key: entry["child"] for key, entry in load().items() if isinstance(entry, dict)}


def test_syllables_agree_with_the_cmu_dictionary() -> None:
    checked = [(word, number) for number, words in BY_SYLLABLES.items() for word in words.split()]
    wrong = [(word, syllables(word), number) for word, number in checked if syllables(word) != number]
    assert len(checked) > 200
    assert len(wrong) <= 0.03 * len(checked), wrong
    counted, known = sum(syllables(word) for word, _ in checked), sum(number for _, number in checked)
    assert abs(counted / known - 1.0) < 0.01


def test_the_grade_of_a_published_example() -> None:
    """24 syllables in 13 words, grade 11.3: https://en.wikipedia.org/wiki/Flesch%E2%80%93Kincaid_readability_tests."""
    example = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."
    sentences, words, spoken = counts(example)
    assert (sentences, words) == (1, 13)
    assert abs(spoken - 24) <= 2
    assert grade(example) == pytest.approx(11.3, abs=11.8 * 2 / 13 + 0.05)


def test_longer_words_and_sentences_are_harder() -> None:
    assert grade("The cat sat. The dog ran.") < grade("The cat sat and the dog ran away from it.")
    assert grade("A small thing was seen.") < grade("A microscopic phenomenon was demonstrated.")


def test_no_text_of_the_child_level_is_hard() -> None:
    hard = {}
    for key, text in child_texts().items():
        if counts(text)[1] >= LEAST_WORDS and grade(text) > MOST_OF_ONE:
            hard[key] = (round(grade(text), 1), text)
    assert not hard, hard


def test_the_child_level_is_easy_as_a_whole_and_easier_than_the_others() -> None:
    grades = {}
    for level in ("child", "student", "engineer"):
        sums = [counts(entry[level]) for entry in load().values() if isinstance(entry, dict)]
        sentences, words, spoken = (
            sum(column) for column in zip(*(s for s in sums if s[1] >= LEAST_WORDS), strict=True)
        )
        grades[level] = 0.39 * words / sentences + 11.8 * spoken / words - 15.59
    assert grades["child"] < MOST_OF_ALL, grades
    assert grades["child"] < grades["student"] < grades["engineer"], grades
