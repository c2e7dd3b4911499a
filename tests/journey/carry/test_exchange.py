"""A request and its reply over TCP, TLS and HTTP: the bytes arrive, loss costs what theory says, tshark agrees."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from roundtrip.errors import RoundtripError
from roundtrip.journey.carry.endpoint import ConnectionLostError
from roundtrip.journey.carry.exchange import Exchanged, exchange
from roundtrip.journey.carry.wire import Path as Way
from roundtrip.stages.network import loss as theory
from tests.journey.carry.talk import BEGAN_NS, BODY, PROMPT, REPLY, WORDS, answer

VERSIONS = ("http/1.1", "h2")
needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
STRICT = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "eth.check_fcs:TRUE"]


@pytest.mark.parametrize("version", VERSIONS)
def test_prompt_and_reply_arrive_after_the_round_trips_that_the_protocols_need(version: str) -> None:
    got = exchange(BODY, answer, Way(0.02), version=version)
    assert got.request == BODY
    assert got.reply == REPLY
    assert got.agreed["version"] == "TLSv1.3"
    assert got.agreed["protocol"] == version
    # One round trip for TCP, one for TLS 1.3, half a one for the request.
    assert got.marks["connected"] == pytest.approx(0.04, rel=1e-3)
    assert got.marks["secured"] == pytest.approx(0.08, rel=1e-3)
    assert got.marks["received"] == pytest.approx(0.10, rel=1e-3)
    assert got.arrivals[0][0] == pytest.approx(0.32, rel=1e-3)
    assert not got.lost
    assert got.counts["client"].sent_again == got.counts["server"].sent_again == 0


def test_a_long_request_waits_a_round_trip_for_each_flight_beyond_the_first() -> None:
    """RFC 6928: ten segments at first, 14,600 bytes; TLS and HTTP take some of it."""
    times = [exchange(b"x" * size, answer, Way(0.05)).marks["received"] for size in (13_000, 16_000, 40_000, 100_000)]
    flights = np.round((np.array(times) - times[0]) / 0.1)
    assert list(flights) == [0, 1, 1, 2]


@pytest.mark.parametrize("loss", [0.001, 0.01, 0.05, 0.3])
def test_the_stream_is_whole_under_loss(loss: float) -> None:
    for seed in range(12):
        got = exchange(BODY * 60, answer, Way(0.02, loss=loss), seed=seed)
        assert (got.request, got.reply) == (BODY * 60, REPLY)
        again = got.counts["client"].sent_again + got.counts["server"].sent_again
        assert again >= len([one for one in got.lost if one.why]) * (loss < 0.01)


@pytest.mark.parametrize("late_s", [0.0005, 0.02])
def test_the_stream_is_whole_when_packets_overtake_each_other(late_s: float) -> None:
    for seed in range(12):
        got = exchange(BODY * 200, answer, Way(0.02, rate_bit_s=1e8, reordering=0.2, late_s=late_s), seed=seed)
        assert (got.request, got.reply) == (BODY * 200, REPLY)


def one_lost(direction: str, number: int) -> Exchanged:
    def drop(way: str, count: int, frame: bytes) -> str:
        del frame
        return "dropped" if (way, count) == (direction, number) else ""

    return exchange(BODY * 60, answer, Way(0.02, rate_bit_s=1e10), drop=drop)


def test_a_lost_opening_costs_the_first_timeout_of_a_second() -> None:
    assert one_lost("out", 1).marks["connected"] == pytest.approx(1.04, rel=1e-3)


def test_a_lost_segment_in_the_middle_is_sent_again_at_once_when_three_later_ones_have_arrived() -> None:
    """RFC 8985, section 6.2: three arrived beyond it need no patience. The repair is one round trip late."""
    plain = exchange(BODY * 60, answer, Way(0.02, rate_bit_s=1e10)).marks["received"]
    got = one_lost("out", 5)
    assert got.counts["client"].fast == 1
    assert got.counts["client"].timeouts == 0
    assert got.marks["received"] - plain == pytest.approx(0.04, rel=0.02)
    bound_s = float(theory.fast_wait_s(0.04))
    assert got.marks["received"] - plain <= bound_s


def test_a_lost_tail_is_sent_again_when_theory_says() -> None:
    """RFC 8985, section 7.2: two round trips and, for a segment alone, what may be held back; or the timeout."""
    plain = exchange(BODY * 60, answer, Way(0.02, rate_bit_s=1e10))
    sent = [seen for seen in plain.seen["client"] if seen.direction == "out"]
    last = max(i for i, seen in enumerate(sent, 1) if seen.time_s < 0.09 and len(seen.frame) > 64)
    got = one_lost("out", last)
    added = got.marks["received"] - plain.marks["received"]
    assert got.counts["client"].probes + got.counts["client"].timeouts == 1
    # The answer to the segment before comes after one round trip and leaves the last one alone: the probe reckons
    # with an answer that is held back, and the timeout comes first.
    assert added == pytest.approx(
        0.04 + float(theory.tail_wait_s(theory.probe_timeout_s(0.04, 1.0, 0.2), 0.24)), rel=0.02
    )


@pytest.mark.parametrize(("chance", "trips"), [(0.01, 300), (0.05, 300)])
def test_mean_time_added_agrees_with_theory_within_its_sampling_error(chance: float, trips: int) -> None:
    """Six segments, each lost by itself; the closed form is that of the forecast, with what RFC 8985 does to the tail.

    What is missed by three later answers goes again at once, by fewer a quarter of a round trip later: two bounds. The
    tail is alone under way when the answers to the others have come, and is reckoned to be answered late.
    """
    one_way_s = 0.02
    round_trip_s = 2.0 * one_way_s
    waits: list[float] = []
    for seed in range(trips):
        stream = np.random.default_rng(seed)

        def drop(way: str, number: int, frame: bytes, stream: np.random.Generator = stream) -> str:
            is_request = way == "out" and number > 3 and len(frame) > 250
            return "lost" if is_request and stream.random() < chance else ""

        got = exchange(
            b"x" * 8_400, lambda body: [(0.0, b"data: [DONE]\n\n")], Way(one_way_s, 1e10), drop=drop, seed=seed
        )
        waits.append(got.marks["received"] - 5.0 * one_way_s)
    timeout_s = round_trip_s + 0.2
    probe_s = theory.probe_timeout_s(round_trip_s, 1.0, 0.2)
    tail_s = round_trip_s + float(theory.tail_wait_s(probe_s, timeout_s))
    soon, late = (
        float(theory.message_wait_s(6.0, chance, patience * round_trip_s, tail_s, timeout_s))
        for patience in (1.0, 1.25)
    )
    error_s = 3.0 * float(np.std(waits)) / np.sqrt(trips)
    assert soon - error_s < np.mean(waits) < late + error_s
    assert error_s < 2.0 * soon


def test_a_cut_line_is_given_up_with_a_clear_error() -> None:
    with pytest.raises(ConnectionLostError, match="attempts to"):
        exchange(BODY, answer, Way(0.02), drop=lambda way, number, frame: "cut" if number > 3 else "")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_record_that_was_changed_on_the_way_is_dropped_by_a_checksum_and_sent_again(version: str) -> None:
    def flip(frames: list[bytes], direction: str, at_s: float) -> list[bytes | None]:
        del direction
        return [bytes([*f[:80], f[80] ^ 4, *f[81:]]) if len(f) > 200 and 0.079 < at_s < 0.0801 else f for f in frames]

    got = exchange(BODY, answer, Way(0.02), version=version, link=flip)
    assert got.request == BODY
    assert any("check sequence" in one.why for one in got.lost)
    assert got.counts["client"].sent_again >= 1


def test_same_seed_same_times() -> None:
    first, second = (exchange(BODY, answer, Way(0.02, loss=0.1), seed=5) for _ in range(2))
    # The certificate's signature is a byte or two longer or shorter from run to run.
    assert first.marks == pytest.approx(second.marks, abs=1e-6)
    assert [one.why for one in first.lost] == [one.why for one in second.lost]


def test_an_unknown_version_is_named() -> None:
    with pytest.raises(RoundtripError, match="h3"):
        exchange(BODY, answer, Way(0.02), version="h3")


def tshark(data: bytes, folder: Path, *arguments: str) -> str:
    file = folder / "capture.pcapng"
    file.write_bytes(data)
    return subprocess.run(
        ["tshark", *STRICT, "-r", file, *arguments], capture_output=True, text=True, check=True
    ).stdout


def errors(data: bytes, folder: Path) -> int:
    return len(tshark(data, folder, "-Y", "_ws.expert.severity >= 0x00600000").splitlines())


@needs_tshark
@pytest.mark.parametrize("version", VERSIONS)
def test_tshark_sees_no_fault_and_reads_prompt_and_reply(version: str, tmp_path: Path) -> None:
    got = exchange(BODY, answer, Way(0.02), version=version)
    data = got.capture(BEGAN_NS)
    assert errors(data, tmp_path) == 0
    good = tshark(
        data, tmp_path, "-T", "fields", "-e", "eth.fcs.status", "-e", "ip.checksum.status", "-e", "tcp.checksum.status"
    )
    assert set(good.split()) == {"1"}
    follow = "http,ascii,0" if version == "http/1.1" else "http2,ascii,0,1"
    text = tshark(data, tmp_path, "-q", "-z", f"follow,{follow}")
    kind = "http" if version == "http/1.1" else "http2"
    assert len(tshark(data, tmp_path, "-Y", kind).splitlines()) >= 2
    raw = tshark(data, tmp_path, "-q", "-z", f"follow,{follow.replace('ascii', 'raw')}")
    carried = bytes.fromhex(
        "".join(line.strip() for line in raw.splitlines() if set(line.strip()) <= set("0123456789abcdef"))
    )
    assert PROMPT.encode() in carried
    assert all(f'"content": "{word}"'.encode() in carried for word in WORDS)
    assert text


@needs_tshark
@pytest.mark.parametrize("version", VERSIONS)
def test_tshark_sees_a_flipped_byte_and_nothing_without_secrets(version: str, tmp_path: Path) -> None:
    got = exchange(BODY, answer, Way(0.02), version=version)
    data = bytearray(got.capture(BEGAN_NS))
    request = max((s.frame for s in got.seen["client"] if s.direction == "out"), key=len)
    at = data.index(request) + 100
    data[at] ^= 1
    assert errors(bytes(data), tmp_path) >= 1
    closed = got.capture(BEGAN_NS, with_secrets=False)
    assert tshark(closed, tmp_path, "-Y", "http or http2 or json") == ""
    assert PROMPT.encode() not in closed


@needs_tshark
def test_tshark_marks_what_was_sent_again(tmp_path: Path) -> None:
    """Seen from the side that sends. What is repaired within a round trip it takes for late: out of order."""
    got = exchange(BODY * 200, answer, Way(0.02, loss=0.1), seed=8)
    for side, ports in (("client", "tcp.dstport == 443"), ("server", "tcp.srcport == 443")):
        flags = "(tcp.analysis.retransmission or tcp.analysis.out_of_order)"
        marked = tshark(got.capture(BEGAN_NS, side=side), tmp_path, "-Y", f"{flags} and {ports}").splitlines()
        assert len(marked) == got.counts[side].sent_again >= 1
    bulk = tshark(got.capture(BEGAN_NS), tmp_path, "-Y", "tcp.analysis.retransmission and tcp.dstport == 443")
    assert "Retransmission" in bulk
