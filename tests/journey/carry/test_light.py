"""The long haul and the short link: what the budget says arrives, and what breaks the light loses the message."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.journey.carry import short
from roundtrip.journey.carry.exchange import exchange
from roundtrip.journey.carry.light import Broken, Haul, Section, chain
from roundtrip.journey.carry.wire import Path
from roundtrip.journey.links import parse, read
from roundtrip.stages.optics import fec, transceiver
from tests.journey.carry.talk import BODY, REPLY, answer

FRAMES = [bytes(range(64)), b"a frame of some length" * 30, b"z" * 60]


def bits(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, count).astype(np.uint8)


@pytest.mark.parametrize("link", ["80-km", "1200-km", "metro", "coronet", "mixed"])
def test_what_arrives_has_the_ratio_of_the_link_budget_within_half_a_dB(link: str) -> None:
    section = Section(read(link, ["line.linewidth_Hz=10000"]))  # the budget knows nothing of lasers that wander
    got = section.carry(bits(60_000), np.random.default_rng(2))
    assert got.gsnr_dB == pytest.approx(section.gsnr_dB(), abs=0.5)
    assert got.is_repaired


def test_wrong_bits_are_as_many_as_the_budgets_ratio_means() -> None:
    """3,277 km of the CORONET line, where theory has 1.3 wrong bits in a thousand."""
    section = Section(read("coronet"))
    count = 400_000
    got = section.carry(bits(count), np.random.default_rng(3))
    worse = Section(read("coronet", ["line.required_osnr_dB=20"]))
    assert worse.theory() == section.theory() > 1e-4
    assert 0.7 * section.theory() < got.wrong / count < 1.6 * section.theory()


def test_noise_grows_along_the_line() -> None:
    section = Section(read("1200-km"))
    ratios = [
        section.carry(bits(8_000), np.random.default_rng(4), place=p).gsnr_dB for p in (5, 15, 25, len(section.parts))
    ]
    assert ratios == sorted(ratios, reverse=True)


@pytest.mark.parametrize(
    "broken", [Broken(dead_amplifier=3), Broken(is_cut=True), Broken(undone_share=0.9), Broken(undone_share=0.0)]
)
def test_a_broken_line_loses_the_burst(broken: Broken) -> None:
    section = Section(read("1200-km"), broken)
    got = section.carry(bits(8_000), np.random.default_rng(5))
    assert not got.is_repaired
    assert got.wrong > 0.05 * 8_000


def test_without_correction_a_wrong_bit_stays() -> None:
    sent = bits(40_000)
    got = Section(read("coronet"), Broken(is_uncorrected=True)).carry(sent, np.random.default_rng(6))
    assert got.wrong > 0
    assert np.count_nonzero(got.bits != sent) == got.wrong
    repaired = Section(read("coronet")).carry(sent, np.random.default_rng(6))
    assert (repaired.bits == sent).all()
    assert repaired.wrong == got.wrong


def test_an_amplifier_that_is_not_there_is_named() -> None:
    with pytest.raises(DomainError, match="amplifiers 0 to 18"):
        _ = Section(read("1200-km"), Broken(dead_amplifier=99)).places


def test_a_chain_returns_from_its_words() -> None:
    parts = list(read("mixed").parts)
    assert list(parse(chain(parts))) == parts


def test_same_seed_same_light() -> None:
    first, second = (Section(read("80-km")).carry(bits(2_000), np.random.default_rng(8), looks=True) for _ in range(2))
    assert all((first.look[name] == second.look[name]).all() for name in first.look)


def test_a_haul_carries_frames_and_a_dead_amplifier_costs_a_retransmission() -> None:
    line = read("1200-km")
    haul = Haul([Section(line)], np.random.default_rng(1))
    assert haul(FRAMES, "out", 0.0) == FRAMES
    way = Path(0.02)
    plain = exchange(BODY, answer, way, link=Haul([Section(line)], np.random.default_rng(2)))
    assert (plain.request, plain.reply) == (BODY, REPLY)
    assert not plain.lost
    dead = Haul(
        [Section(line, Broken(dead_amplifier=3))], np.random.default_rng(2), outage={"out": (0.079, 0.0805)},
        repaired=[Section(line)],
    )  # fmt: skip
    got = exchange(BODY, answer, way, link=dead)
    assert (got.request, got.reply) == (BODY, REPLY)
    assert got.lost
    added = got.marks["received"] - plain.marks["received"]
    assert 0.04 <= added < 1.0  # a round trip at least; the timeout of a lone flight


@pytest.mark.parametrize("snr_dB", [30.0, 19.0])
def test_kp4_carries_frames_over_four_levels(snr_dB: float) -> None:
    got = short.carry(FRAMES * 40, snr_dB, np.random.default_rng(7))
    assert got.frames == FRAMES * 40
    assert (got.wrong_bits > 0) == (snr_dB < 20.0)
    assert int(got.repaired.sum()) >= (snr_dB < 20.0)


def test_kp4_words_fail_as_often_as_the_formula_says() -> None:
    """At 2.8e-3 wrong bits some words cannot be repaired; four standard errors are allowed."""
    snr_dB = 15.9
    ratio = float(transceiver.pam_bit_error_ratio(snr_dB))
    stream = np.random.default_rng(8)
    failed = words = wrong = total = 0
    frames = [stream.bytes(1_500) for _ in range(100)]
    for _ in range(4):
        got = short.carry(frames, snr_dB, stream)
        failed += int(np.count_nonzero(got.repaired == -1))
        words += len(got.repaired)
        wrong += got.wrong_bits
        total += len(got.repaired) * 5_440
    assert wrong / total == pytest.approx(ratio, rel=0.03)
    expected = float(fec.uncorrectable_ratio(wrong / total))
    assert abs(failed / words - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / words)


def test_without_kp4_frames_are_lost_or_wrong_and_a_word_beyond_repair_damages_its_frames() -> None:
    got = short.carry(FRAMES * 40, 17.0, np.random.default_rng(9), corrected=False)
    assert sum(a == b for a, b in zip(got.frames, FRAMES * 40, strict=True)) < 100
    lost = short.carry(FRAMES * 40, 10.0, np.random.default_rng(10))
    assert all(frame is None for frame in lost.frames)
    assert (lost.repaired == -1).all()
