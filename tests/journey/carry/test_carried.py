"""The whole way: prompt and reply come through, and each break is noticed by the layer that it hits or by the next."""

from __future__ import annotations

import pytest

from roundtrip.errors import ScenarioError
from roundtrip.journey.carry import BREAKS, Carried, carry, read_breaks
from roundtrip.journey.carry.carried_trace import trace_of
from roundtrip.trace.algebra import summary

PROMPT, ANSWER = "héllo, 世界 👋", "The capital of France is Paris."


def broken(*names: str, seed: int = 1, version: str = "http/1.1") -> Carried:
    return carry(PROMPT, breaks=read_breaks(names), answer=ANSWER, seed=seed, version=version)


def fates(found: Carried) -> dict[str, str]:
    return {note.stage: note.fate for note in found.notes}


@pytest.mark.parametrize("version", ["http/1.1", "h2"])
def test_prompt_and_reply_come_through_byte_for_byte(version: str) -> None:
    found = broken(version=version)
    assert found.typed.text == found.received == PROMPT
    assert found.arrived == ANSWER
    assert found.is_whole
    assert found.died is None
    assert found.exchanged is not None
    assert found.exchanged.agreed["version"] == "TLSv1.3"


def test_light_makes_wrong_bits_on_a_line_of_3_700_km_and_all_are_repaired() -> None:
    found = broken()
    assert fates(found)["optics.fec"] == "saved"


@pytest.mark.parametrize(
    ("name", "stage"),
    [("no-diodes", "keyboard.matrix"), ("no-debounce", "keyboard.debounce"), ("wrong-keymap", "computer.layout")],
)
def test_a_broken_keyboard_sends_another_prompt(name: str, stage: str) -> None:
    found = broken(name)
    assert found.died is not None
    assert found.died.stage == stage
    assert found.received == found.typed.text != PROMPT
    assert found.arrived == ANSWER  # what was typed arrives, wrong as it is


def test_a_wrong_bit_on_the_cable_costs_one_poll() -> None:
    found = broken("usb-error")
    assert found.is_whole
    note = next(note for note in found.notes if note.stage == "keyboard.usb")
    assert note.fate == "saved"
    assert note.added_s == found.where.board.interval_ms * 1e-3


@pytest.mark.parametrize(
    ("name", "stage"),
    [("packet-loss=0.2", "network.loss"), ("bit-error", "network.ethernet"), ("dead-amplifier", "optics.amplifier")],
)
def test_what_is_lost_on_the_way_is_sent_again_and_costs_time(name: str, stage: str) -> None:
    found = broken(name, seed=2)
    assert found.is_whole
    assert fates(found)[stage] == "saved"
    assert found.added_s > 2.0 * found.where.one_way_s * 0.9  # a round trip at least
    assert found.exchanged is not None
    assert sum(count.sent_again for count in found.exchanged.counts.values()) >= 1


def test_frames_that_overtake_each_other_are_put_in_order() -> None:
    found = broken("reordering=0.4")
    assert found.is_whole
    assert fates(found)["network.tcp"] == "saved"


@pytest.mark.parametrize(
    ("name", "stage"),
    [("cut-fiber", "optics.fiber"), ("wrong-dispersion", "optics.coherent"), ("no-fec", "optics.fec")],
)
def test_light_that_stays_broken_loses_the_message_and_tcp_gives_up(name: str, stage: str) -> None:
    found = broken(name)
    assert found.received == found.arrived == ""
    assert found.died is not None
    assert found.died.stage == stage
    assert fates(found)["network.tcp"] == "died"


def test_a_noisy_link_is_repaired_by_kp4_and_beyond_it_by_tcp() -> None:
    mild = broken("noisy-link=17")
    assert mild.is_whole
    assert fates(mild)["datacenter.fabric"] == "saved"
    assert mild.exchanged is not None
    assert not mild.exchanged.lost
    harsh = broken("noisy-link=9")
    assert harsh.died is not None
    assert harsh.received == ""


def test_every_break_but_the_screens_has_its_test_here() -> None:
    tested = {"no-diodes", "no-debounce", "wrong-keymap", "usb-error", "packet-loss", "bit-error", "dead-amplifier",
              "reordering", "cut-fiber", "wrong-dispersion", "no-fec", "noisy-link"}  # fmt: skip
    assert set(BREAKS) - tested == {"dark-pixel", "dark-rows", "no-backlight"}


def test_the_reply_is_read_from_the_retina() -> None:
    found = broken()
    assert found.read == found.shown == ANSWER
    assert fates(found)["eye.retina"] == "fine"


@pytest.mark.parametrize("name", ["dark-rows", "no-backlight"])
def test_a_screen_that_stays_dark_is_not_read(name: str) -> None:
    found = broken(name)
    assert found.arrived == ANSWER
    assert found.read != ANSWER
    assert found.died is not None
    assert found.died.stage.split(".")[0] in ("display", "eye")


def test_a_dark_column_costs_at_most_the_letter_that_it_cuts() -> None:
    found = broken("dark-pixel")
    wrong = [i for i, (a, b) in enumerate(zip(found.read, found.shown, strict=True)) if a != b]
    assert len(wrong) <= 1
    assert any(note.stage.startswith("display") and "dark" in note.text for note in found.notes)


def test_a_longer_prompt_than_one_flight_arrives() -> None:
    prompt = "Why is the sky blue? " * 60
    found = carry(prompt, answer="Because.", seed=3)
    assert found.received == prompt


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nope"], "not one of no-diodes"), (["packet-loss=2"], "expected 0 to 1"), (["no-fec=1"], "takes no value"),
     (["cut-fiber", "cut-fiber"], "given twice"), (["packet-loss=nan"], "expected 0 to 1")],
)  # fmt: skip
def test_breaks_that_cannot_be_are_named(words: list[str], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        read_breaks(words)


@pytest.mark.parametrize(
    ("scenario", "said"), [("device", "device itself"), ("concept", "round numbers"), ("phone", "keys")]
)
def test_a_scenario_without_a_way_is_named(scenario: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        carry(PROMPT, scenario, answer=ANSWER)


def test_the_trace_says_what_was_carried_and_adds_up() -> None:
    found = broken("dead-amplifier")
    trace = trace_of(found)
    carried = {span.name for span in trace.spans if span.reading == "carry"}
    assert {"keyboard.usb", "computer.key_event", "network.tls", "optics.coherent", "datacenter.fabric"} <= carried
    assert trace.span("network.loss").duration_s == found.added_s
    assert trace.summary == summary(trace)
    late = trace.summary["time_to_first_token_s"] - found.where.trace.summary["time_to_first_token_s"]
    waits = sum(span.duration_s for span in found.where.trace.spans if span.id.endswith("network.loss"))
    assert late == pytest.approx(found.added_s - waits, abs=1e-9)


def test_same_seed_same_trip() -> None:
    first, second = broken("packet-loss=0.1"), broken("packet-loss=0.1")
    # TLS draws its own random numbers, so that other bits are wrong in the light.
    texts = [[note.text for note in found.notes if note.stage != "optics.fec"] for found in (first, second)]
    assert texts[0] == texts[1]
    assert [press.down_s for press in first.typed.presses] == [press.down_s for press in second.typed.presses]
