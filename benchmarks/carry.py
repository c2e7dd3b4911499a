"""What a carried prompt passes through, beside other libraries on the same frames, words and waves.

The peers live in an environment of their own (`tools/judges.sh carry-speed`); one that is not there is named. The link
budget beside GNPy is the case `optics`.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.cases import Result
from benchmarks.clock import best

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".judges" / "carry-speed" / "bin" / "python"
SCRIPT = Path(__file__).with_name("carry_peers.py")
FRAMES, WORDS, SYMBOLS = 2_000, 200, 1 << 16
SNR_DB = 16.0
NAN = float("nan")


def _asked(kind: str, count: int, *names: str) -> dict[str, float]:
    """Return what the peers measured; no numbers where they are not installed."""
    if not PEERS.is_file():
        return dict.fromkeys(names, NAN)
    done = subprocess.run([str(PEERS), str(SCRIPT), kind, str(count)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def frames() -> Iterator[Result]:
    """Yield frames of a TCP segment of 300 bytes a second, all three checksums made; the peers leave out Ethernet's."""
    from roundtrip.journey.carry import packet
    from roundtrip.stages.network.tcp import Segment

    payload, source, destination = bytes(300), b"\2\0\0\0\0\1", b"\2\0\0\0\0\2"

    def ours() -> None:
        for i in range(FRAMES):
            segment = Segment(50_000, 443, i, 0, 24, 8192, payload)
            packet.frame(packet.packet(segment, "192.0.2.10", "198.51.100.20", i), source, destination)

    rate = FRAMES / best(ours)
    theirs = _asked("frames", FRAMES, "scapy", "dpkt")
    yield _rate("frames a second", rate, theirs, "TCP, IP, Ethernet, 300 bytes in each")


def words() -> Iterator[Result]:
    """Yield words of RS(544, 514) with eight wrong symbols that are repaired in a second."""
    from roundtrip.stages.optics import reed_solomon

    stream = np.random.default_rng(1)
    sent = reed_solomon.encode(stream.integers(0, 1024, (WORDS, reed_solomon.MESSAGE)))
    received = sent.copy()
    for word in received:
        word[stream.choice(reed_solomon.WORD, 8, replace=False)] ^= stream.integers(1, 1024, 8)
    messages, _ = reed_solomon.decode(received)
    assert (messages == sent[:, : reed_solomon.MESSAGE]).all()
    rate = WORDS / best(lambda: reed_solomon.decode(received))
    yield _rate("Reed-Solomon words a second", rate, _asked("words", WORDS, "reedsolo", "galois"), "8 of 544 wrong")


def light() -> Iterator[Result]:
    """Yield the seconds of DP-16QAM over 800 km of dispersion with noise, sent and received, without lasers' drift."""
    from roundtrip.stages.optics import coherent, fiber, modulation, pulse, receiver, waveguide

    rate_Hz, beta2 = 64e9, -float(np.asarray(fiber.beta2_s2_m(16.7, 299_792_458.0 / 193.4e12)))
    stream = np.random.default_rng(1)
    labels = np.array([[label >> k & 1 for k in range(4)] for label in range(16)], np.uint8)
    points = modulation.map_bits(labels, "16qam")[:, 0]
    bits = stream.integers(0, 2, (2, 4 * SYMBOLS)).astype(np.uint8)
    ratio = NAN

    def ours() -> None:
        nonlocal ratio
        sent = receiver.burst(modulation.map_bits(bits, "16qam"))
        silence = -(sent.shape[1] + 128) % 1024 + 64  # to a length whose transform is quick
        wave = pulse.shape(np.pad(sent, ((0, 0), (64, silence))), 2, 0.1)
        wave = waveguide.disperse(wave, rate_Hz, beta2, 800e3)
        wave = waveguide.add_noise(wave, rate_Hz, 2.0 * 10.0 ** (-SNR_DB / 10.0) / rate_Hz, stream)
        wave = waveguide.disperse(wave, rate_Hz, beta2, -800e3)
        got = receiver.receive(pulse.matched(wave, 2, 0.1), SYMBOLS, points)
        ratio = float(np.mean(modulation.unmap(got.symbols, "16qam") != bits))

    seconds = best(ours, rounds=3)
    theory = float(np.asarray(coherent.qam16_bit_error_ratio(SNR_DB)))
    theirs = _asked("light", SYMBOLS, "seconds", "bit_error_ratio")
    judged = "" if math.isnan(theirs["seconds"]) else f"OptiCommPy {theirs['bit_error_ratio']:.2g}, "
    note = f"wrong bits {ratio:.2g} ({judged}theory {theory:.2g})"
    beside = {"OptiCommPy": theirs["seconds"] * 1e3}
    limit = None if math.isnan(theirs["seconds"]) else beside["OptiCommPy"]
    yield Result(f"DP-16QAM, 800 km, {SYMBOLS:,} symbols", seconds * 1e3, "ms", limit, note=note, beside=beside)


def _rate(name: str, rate: float, theirs: dict[str, float], note: str) -> Result:
    """Return a rate, held to the fastest of the others."""
    known = [value for value in theirs.values() if not math.isnan(value)]
    shares = ", ".join(f"{rate / value:.1f} times {peer}" for peer, value in theirs.items() if not math.isnan(value))
    note = f"{note}; {shares}" if shares else note
    return Result(name, rate, "/s", max(known, default=None), least=True, note=note, beside=theirs)


def carry() -> Iterator[Result]:
    """Yield all three."""
    yield from frames()
    yield from words()
    yield from light()


CASES = {"carry": carry}
