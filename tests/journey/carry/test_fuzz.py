"""Every decoder on damaged inputs: a clear error or an answer, and past a checksum never a different message.

Where a code is proven to notice a kind of damage (one to three wrong bits, or a burst as long as the checksum), nothing
at all may pass. Damage beyond that passes a checksum of n bits once in 2^n; there decoders may only not crash.
``ROUNDTRIP_FULL=1`` tries ten times as many inputs, as `make validate` does.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from roundtrip.errors import RoundtripError
from roundtrip.journey.carry import hall, method, packet, secure, short
from roundtrip.journey.carry.keymaps import keymap
from roundtrip.journey.carry.web import web
from roundtrip.stages.computer import browser, key_event, memory, request
from roundtrip.stages.datacenter import nic
from roundtrip.stages.keyboard import bluetooth, hid_report, usb, usb_monitor
from roundtrip.stages.network import capture, dns, ethernet, http, ip, pcs, quic, stream, tcp
from roundtrip.stages.optics import modulation, receiver
from roundtrip.stages.optics import reed_solomon as rs
from tests.journey.carry.mutate import COUNT, anyhow, burst, burst_low_first, flipped, inputs, refused
from tests.journey.carry.talk import BODY, REPLY, WORDS, answer

MACS = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
SEGMENTS = [
    tcp.Segment(50_000, 443, 1, 0, 2, 65_535, largest_B=1460, scale=7, selective=True),
    tcp.Segment(443, 50_000, 9, 1002, 16, 500, blocks=((1500, 2000), (3000, 3100))),
    tcp.Segment(50_000, 443, 2, 10, 24, 500, b"some words of the stream, enciphered or not"),
]
PACKETS = [packet.packet(one, "192.0.2.10", "198.51.100.20", 7) for one in SEGMENTS]
FRAMES = [packet.frame(one, *MACS) for one in PACKETS]
REPORTS = [hid_report.encode(held) for held in ((), (0x04,), (0xE1, 0x0B, 0x2C), range(0x04, 0x0B))]
EVENTS = [
    key_event.encode([e for usage in usages for p in (True, False) for e in key_event.events_of(usage, p, 1_000_000)])
    for usages in ((0x04, 0x0B), (0xE0, 0xE1, 0x18, 0x27, 0x1E, 0x2C), (0x2F, 0x08, 0x28))
]
CAPTURES = [
    capture.encode(
        [capture.Interface(capture.ETHERNET, "client", 4), capture.Interface(capture.USB_LINUX)],
        [capture.Packet(10**18, FRAMES[0]), capture.Packet(10**18 + 5, b"12345", 1)],
        b"CLIENT_RANDOM 00 11\n",
    )
]
MONITOR = [data for _, data in usb_monitor.introduction(hid_report.BOOT_DESCRIPTOR, 10**15)]
MONITOR += [data for _, data in usb_monitor.report(5, REPORTS[1], 10**15, 10**15 + 8000)]
US = keymap("us", built_in=True)


def understood(data: bytes) -> object:
    return method.understood(key_event.decode(data), US)


DECODERS: dict[str, tuple[Sequence[bytes], Callable[[bytes], object]]] = {
    "usb token": ([usb.in_token(5, 1), usb.in_token(127, 15)], usb.read_token),
    "usb data": ([usb.data_packet(report, 1) for report in REPORTS], lambda data: usb.read_data(data, 1)),
    "usb record": (MONITOR, usb_monitor.read),
    "hid report": (REPORTS, lambda data: hid_report.changes(REPORTS[1], data)),
    "input events": (EVENTS, key_event.decode),
    "input method": (EVENTS, understood),
    "bluetooth": ([bluetooth.notification(27, report) for report in REPORTS], bluetooth.read_notification),
    "capture": (CAPTURES, capture.decode),
    "ethernet": (FRAMES, ethernet.decode_frame),
    "frame": (FRAMES, lambda data: packet.opened(packet.unframed(data))),
    "packet": (PACKETS, packet.opened),
    "router": (PACKETS, lambda data: ip.forward(data[:20])),
    "segment": ([tcp.encode(one) for one in SEGMENTS], tcp.decode),
    "request": ([BODY, b"[" * 3000 + b"]" * 3000, b'{"messages":[{"content":"\\ud800"}]}'], hall.read_request),
    "request with head": ([request.encode("a prompt", cookie="a=b")], request.decode),
    "reply": ([REPLY, b'data: {"choices":[{"delta":{"content":"\\udc00"}}]}\n\n'], hall.read_reply),
    "events": ([REPLY[:300], http.encode_event("a\nb", "token")], http.decode_events),
    "events in chunks": ([REPLY[:300]], lambda data: list(browser.parse_stream([data[:40], data[40:]]))),
    "chunks": ([b"".join(http.encode_chunk(one) for one in (b"abc", REPLY[:50], b""))], http.decode_chunks),
    "name": ([dns.encode_query("api.example.com", "HTTPS", 77)], dns.decode_question),
    "number": ([quic.encode_integer(1 << n) + b"rest" for n in (3, 10, 20, 50)], quic.decode_integer),
    "websocket": (
        [stream.encode_frame(data, 1, mask) for data, mask in ((b"hi", b"mask"), (bytes(200), b""), (BODY, b"1234"))]
        + [stream.encode_frame(bytes(66_000))],
        stream.decode_frame,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DECODERS)
def test_a_damaged_input_is_decoded_or_refused_in_one_line(name: str) -> None:
    samples, decode = DECODERS[name]
    for sample in samples:
        refused(lambda sample=sample: decode(sample))
    count = sum(refused(lambda data=data: decode(data)) for data in inputs(samples, seed=1))
    assert count < COUNT


def _usb_data(data: bytes) -> bytes:
    return usb.read_data(data, 1)


def _radio(data: bytes) -> bytes:
    if len(data) < 3 or bluetooth.crc24(data[:-3]) != int.from_bytes(data[-3:], "big"):
        raise ValueError("the checksum does not hold")
    return data[:-3]


def _radio_packet(report: bytes) -> bytes:
    # The register leaves with its highest bit first, the bytes before it with their lowest: turned, both are in order.
    body = bluetooth.notification(27, report)
    return body + bluetooth.crc24(body).to_bytes(3, "big")


Damage = Callable[[bytes, random.Random], bytes]
CHECKED: dict[str, tuple[Sequence[bytes], Callable[[bytes], object], Sequence[Damage]]] = {
    # Distance 4 over a report, 3 over a token (both as USB's checksums are used), 4 over a frame of some 100 bytes.
    "crc16 of a report": (
        [usb.data_packet(report, 1) for report in REPORTS], _usb_data,
        [lambda d, s: d[:1] + flipped(d[1:], s, s.randint(1, 3)), lambda d, s: d[:1] + burst_low_first(d[1:], s, 16)],
    ),
    "crc5 of a token": (
        [usb.in_token(5, 1), usb.in_token(127, 15)], usb.read_token,
        [lambda d, s: d[:1] + flipped(d[1:], s, s.randint(1, 2)), lambda d, s: d[:1] + burst_low_first(d[1:], s, 5)],
    ),
    "crc24 of a radio packet": (
        [_radio_packet(report) for report in REPORTS], _radio, [lambda d, s: flipped(d, s, s.randint(1, 3))],
    ),
    "check sequence of a frame": (
        FRAMES, ethernet.decode_frame,
        [lambda d, s: flipped(d, s, s.randint(1, 3)), lambda d, s: burst_low_first(d, s, 32)],
    ),
    "sums of a packet": (
        PACKETS, packet.opened, [lambda d, s: flipped(d, s, 1), lambda d, s: burst(d, s, 15)],
    ),
    "sum at a router": (
        [one[:20] for one in PACKETS], ip.forward, [lambda d, s: flipped(d, s, 1), lambda d, s: burst(d, s, 15)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKED)
def test_no_damage_that_a_checksum_is_proven_to_notice_passes_it(name: str) -> None:
    samples, decode, damages = CHECKED[name]
    chance = random.Random(2)
    for number in range(COUNT):
        sample = samples[number % len(samples)]
        damaged = damages[number // len(samples) % len(damages)](sample, chance)
        assert damaged != sample
        assert refused(lambda damaged=damaged: decode(damaged)), damaged.hex()


def test_one_flipped_bit_of_memory_is_put_right_and_two_are_noticed() -> None:
    chance = random.Random(3)
    for number in range(COUNT // 2):
        data = chance.getrandbits(64)
        word = memory.encode(data)
        one, two = chance.sample(range(72), 2)
        assert memory.decode(word ^ 1 << one) == (data, "corrected"), number
        assert memory.decode(word ^ 1 << one ^ 1 << two)[1] == "uncorrectable", number


def test_words_are_repaired_up_to_15_symbols_and_flagged_beyond() -> None:
    chance = np.random.default_rng(4)
    for _ in range(COUNT // 1000):
        sent = rs.encode(chance.integers(0, 1024, (1000, rs.MESSAGE)))
        wrong = chance.integers(0, 31, 1000)
        wrong[::10] = chance.integers(31, rs.WORD + 1, 100)
        order = chance.random(sent.shape).argsort(axis=1)
        received = sent ^ np.where(order < wrong[:, None], chance.integers(1, 1024, sent.shape), 0)
        messages, repaired = rs.decode(received)
        few = wrong <= rs.CORRECTABLE
        assert (messages[few] == sent[few, : rs.MESSAGE]).all()
        assert (repaired[few] == wrong[few]).all()
        assert (repaired[~few] == rs.FAILED).all()
        assert (messages[~few] == received[~few, : rs.MESSAGE]).all()


@pytest.mark.parametrize("bad", [np.zeros((2, 543), int), np.full((1, 544), 1024), np.full(544, -1), np.zeros(544), 7])
def test_what_is_no_word_is_refused(bad: Any) -> None:
    assert refused(lambda: rs.decode(bad))


def test_a_frame_that_passes_damaged_blocks_and_its_check_sequence_is_one_that_was_sent() -> None:
    chance = np.random.default_rng(5)
    many = [*FRAMES, *(packet.frame(one[:20] + one[20:] + bytes(k), *MACS) for k, one in enumerate(PACKETS))]
    line = pcs.encode(many)
    sent, per = set(many), len(many)
    for number in range(COUNT // per):
        damaged = line.copy()
        places = chance.integers(0, len(line), int(chance.integers(1, 40)))
        damaged[places] ^= 1
        if number % 3 == 1:
            start = int(chance.integers(0, len(line)))
            damaged[start : start + 700] = chance.integers(0, 2, len(damaged[start : start + 700]))
        elif number % 3 == 2:
            damaged = np.delete(damaged, places)
        _only_sent(damaged, sent)


def _only_sent(line: Any, sent: set[bytes]) -> None:
    frames, _ = pcs.decode(line)
    for frame in frames:
        if not refused(lambda frame=frame: ethernet.decode_frame(frame)):
            assert frame in sent


def test_blocks_of_chance_are_frames_or_damage_and_transcoding_never_crashes() -> None:
    chance = np.random.default_rng(6)
    blocks = chance.integers(0, 2, (4 * COUNT, pcs.BLOCK_BITS)).astype(np.uint8)
    frames, damaged = pcs.frames_of(blocks)
    assert damaged >= 0
    assert all(refused(lambda frame=frame: ethernet.decode_frame(frame)) for frame in frames)
    groups = chance.integers(0, 2, (COUNT, pcs.GROUP_BITS)).astype(np.uint8)
    assert pcs.untranscode(groups).shape == (4 * COUNT, pcs.BLOCK_BITS)
    good = pcs.blocks_of(FRAMES * 4)
    good = good[: len(good) // 4 * 4]
    assert (pcs.untranscode(pcs.transcode(good)) == good).all()
    assert refused(lambda: pcs.frames_of(blocks[:, :65]))
    assert refused(lambda: pcs.decode(np.ones(700, np.uint8)[:0])) or pcs.decode(np.ones(0, np.uint8)) == ([], 0)


def test_a_short_link_damaged_anyhow_gives_frames_that_were_sent_or_none() -> None:
    chance = np.random.default_rng(7)
    words = short.encode(FRAMES * 8)
    for number in range(COUNT // 100):
        damaged = words.copy()
        if number % 2:
            row = int(chance.integers(len(words)))
            damaged[row] ^= (chance.random(damaged.shape[1]) < 0.1).astype(np.uint8)
        else:
            start = int(chance.integers(damaged.size - 400))
            damaged.ravel()[start : start + int(chance.integers(1, 400))] ^= 1
        frames, _, _ = short.decode(damaged)
        for frame in frames:
            assert frame in FRAMES or refused(lambda frame=frame: ethernet.decode_frame(frame))


@pytest.mark.parametrize("alphabet", modulation.ALPHABETS)
def test_any_symbols_become_bits_and_what_is_no_number_is_refused(alphabet: str) -> None:
    chance = np.random.default_rng(8)
    symbols = chance.standard_cauchy(COUNT) + 1j * chance.standard_cauchy(COUNT)
    symbols[::100] = complex(np.inf, -np.inf)
    bits = modulation.unmap(symbols, alphabet)
    assert bits.shape == (COUNT * modulation.bits_per_symbol(alphabet),)
    again = modulation.unmap(modulation.map_bits(bits, alphabet), alphabet)
    assert (again == bits).all()
    for place in (0, COUNT - 1):
        bad = symbols.copy()
        bad[place] = complex(np.nan, 0.0)
        assert refused(lambda bad=bad: modulation.unmap(bad, alphabet))


def test_a_damaged_wave_is_received_or_refused() -> None:
    chance = np.random.default_rng(9)
    labels = np.array([[label >> k & 1 for k in range(4)] for label in range(16)], np.uint8)
    points = modulation.map_bits(labels, "16qam")[:, 0]
    count = 300
    sent = receiver.burst(modulation.map_bits(chance.integers(0, 2, (2, 4 * count)).astype(np.uint8), "16qam"))
    wave = np.zeros((2, 2 * sent.shape[1] + 64), np.complex128)
    wave[:, 32:-32:2] = sent
    damages: list[Callable[[Any], Any]] = [
        lambda w: w * 0.0,
        lambda w: w * 1e160,
        lambda w: w * 1e-160,
        lambda w: w[:, ::-1],
        lambda w: w[:, : int(chance.integers(1, 600))],
        lambda w: w[:, :0],
        lambda w: w[:1],
        lambda w: w[0],
        lambda w: np.concatenate([w, w]),
        lambda w: chance.standard_cauchy(w.shape) + 0j,
        lambda w: np.where(chance.random(w.shape) < 0.3, 0.0, w),
        lambda w: np.where(np.arange(w.shape[1]) == 7, np.nan, w),
        lambda w: np.where(np.arange(w.shape[1]) == 7, np.inf, w),
        lambda w: np.roll(w, int(chance.integers(w.shape[1])), axis=1) * 1j ** int(chance.integers(4)),
    ]  # fmt: skip
    for number in range(COUNT // 100):
        damaged = damages[number % len(damages)](wave)

        def receive(damaged: Any = damaged) -> None:
            with np.errstate(all="raise", under="ignore"):
                got = receiver.receive(damaged, count, points)
            assert got.symbols.shape == (2, count)
            assert np.isfinite(got.symbols).all()

        refused(receive)
    for bad in (wave[:, :0], wave[:1], wave[0], wave * np.nan):
        assert refused(lambda bad=bad: receiver.receive(bad, count, points))


def _spoken(version: str) -> tuple[bytes, bytes, bytes]:
    """Return what a client says first, what a server replies, and the client's first words alone."""
    client, server = web(version, True), web(version, False)
    hello = client.feed(b"")
    asked = hello + client.ask(secure.HOST, BODY)
    back = server.feed(asked)
    replied = back + server.begin() + b"".join(server.part(part) for _, part in answer(b"")) + server.finish()
    return asked, replied, hello


@pytest.mark.parametrize("version", ["http/1.1", "h2"])
def test_damaged_http_is_understood_or_refused(version: str) -> None:
    asked, replied, _ = _spoken(version)

    def at_server(data: bytes) -> None:
        web(version, False).feed(data)

    def at_client(data: bytes) -> None:
        client = web(version, True)
        client.ask(secure.HOST, b"{}")
        client.feed(data)

    for data in inputs([asked], seed=10, count=COUNT // 2):
        refused(lambda data=data: at_server(data))
    for data in inputs([replied[:700]], seed=11, count=COUNT // 2):
        refused(lambda data=data: at_client(data))


def test_a_damaged_first_word_of_tls_is_refused_or_waited_for() -> None:
    with secure.pair("http/1.1") as tls:
        hello = tls.client.feed(b"")
        context = tls.server.tls.context
        for data in inputs([hello], seed=12):
            end = secure.made(context, is_server=True)
            refused(lambda end=end, data=data: end.feed(data))
            assert not end.is_ready
            assert not end.plain


def test_a_damaged_record_never_becomes_text() -> None:
    chance = random.Random(13)
    with secure.pair("http/1.1") as tls:
        contexts = tls.client.tls.context, tls.server.tls.context
        for number in range(COUNT):
            client, server = secure.made(contexts[0], is_server=False), secure.made(contexts[1], is_server=True)
            said = client.feed(b"")
            while said:
                back = server.feed(said)
                said = client.feed(back) if back else b""
            record = client.say(BODY)
            damaged = flipped(record, chance, chance.randint(1, 8)) if number % 2 else anyhow(record, chance)
            refused(lambda server=server, damaged=damaged: server.feed(damaged))
            # Whole records before the damage may be read; nothing else ever is.
            assert bytes(server.plain) in (b"", BODY)
            if server.plain:
                assert damaged.startswith(record)


def test_segments_in_any_order_with_any_gaps_give_a_beginning_of_the_stream() -> None:
    chance = random.Random(14)
    text = b"".join(word.encode() for word in WORDS) * 3
    for _ in range(COUNT // 5):
        start = chance.choice((0, 5, 2**32 - 20, chance.getrandbits(32)))
        pieces: list[tuple[int, bytes]] = []
        for _ in range(chance.randint(0, 12)):
            place = chance.randrange(len(text))
            pieces.append(((start + place) % 2**32, text[place : place + chance.randrange(30)]))
        whole, awaited = nic.reassemble(pieces, start)
        assert text.startswith(whole)
        assert awaited == (start + len(whole)) % 2**32


def test_a_request_or_a_reply_nested_without_end_is_refused_or_passed_over() -> None:
    deep = b"[" * 200_000
    with pytest.raises(RoundtripError):
        hall.read_request(deep)
    assert hall.read_reply(b"data: " + deep + b"\n\n") == ""
    assert hall.read_reply(b'data: {"choices":[{"delta":{"content":5}}]}\n\n') == ""
    assert hall.read_reply(json.dumps({}).encode()) == ""


def test_what_a_library_says_of_a_damaged_head_is_one_line() -> None:
    server = web("http/1.1", False)
    with pytest.raises(RoundtripError, match=r"^HTTP/1\.1 does not understand [^\n]*$"):
        server.feed(b"POST /a\x00b\r HTTP/1.1\r\nhost: a\nb\r\n\r\n")


def test_a_short_header_whose_sum_holds_is_refused() -> None:
    for data in (b"\xff\xff", b"", struct.pack(">HH", 0x4500, 0xBAFF), b"\xff\xff" * 9):
        assert refused(lambda data=data: packet.opened(data))
        assert refused(lambda data=data: ip.forward(data))
