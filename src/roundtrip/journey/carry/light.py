"""The long haul as light: line bits become points, pulses and a wave; glass, amplifiers and lasers do their work.

How much noise there is comes from the budget of the same line (`roundtrip.journey.links`): amplifier noise and, after
the Gaussian-noise model, what the channels do to each other are drawn as white noise of that power. The wave is a ring:
what follows a burst on the line is the burst once more. Error correction is not decoded bit by bit here: a burst is
repaired whole if it has at most as many wrong bits as the code of this line can bear (its limit is in the catalog), and
is left as it is otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.journey.links import Line, Part
from roundtrip.stages.network import pcs
from roundtrip.stages.optics import coherent, fiber, modulation, pulse, receiver, roadm, waveguide
from roundtrip.stages.optics.spectrum import Spectrum

Bits = NDArray[np.uint8]
Complex = NDArray[np.complexfloating[Any, Any]]
ALPHABETS = {4.0: "qpsk", 16.0: "16qam"}
SAMPLES = 2  # a symbol
_LIGHT_M_S = 299_792_458.0


@dataclass(frozen=True, slots=True)
class Broken:
    """What is wrong with the light.

    Attributes
    ----------
    dead_amplifier : int or None
        Number of the amplifier of each section that gives no gain, from 0.
    is_cut : bool
        No light arrives.
    undone_share : float
        Share of the dispersion that the receiver takes off.
    is_uncorrected : bool
        There is no error correction.
    """

    dead_amplifier: int | None = None
    is_cut: bool = False
    undone_share: float = 1.0
    is_uncorrected: bool = False


@dataclass(slots=True)
class Burst:
    """One burst over one section.

    Attributes
    ----------
    bits : array of 0 and 1
        After error correction.
    wrong : int
        Bits that were wrong before it.
    is_repaired : bool
        Whether correction could bear them.
    gsnr_dB : float
        Signal over noise as it was received, in the signal's bandwidth [dB].
    look : dict of array
        Waves and points on the way, for pictures; empty unless asked for.
    """

    bits: Bits
    wrong: int
    is_repaired: bool
    gsnr_dB: float
    look: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])


@dataclass(frozen=True)
class Section:
    """A line from a sender to a receiver, seen by its middle channel."""

    line: Line
    broken: Broken = field(default_factory=Broken)
    switches: int = 0  # wavelength switches on the way that are no elements of the chain: they only cut the band

    @cached_property
    def _whole(self) -> Line:
        """Return the line. Amplifiers keep their gain: behind a dead one the light stays as faint as it came."""
        dead = self.broken.dead_amplifier
        if dead is None:
            return self.line
        amplifiers = [i for i, part in enumerate(self.line.parts) if part.kind == "amplifier"]
        if not 0 <= dead < len(amplifiers):
            raise DomainError(f"amplifier {dead}, the section has amplifiers 0 to {len(amplifiers) - 1}")
        at = amplifiers[dead]
        before, after = self.line.run()[at : at + 2]
        gain_dB = 10.0 * float(np.log10(after.signal_W[self.channel] / before.signal_W[self.channel]))
        kept = [
            replace(
                part, noise_figure_dB=self.line.noise_figure_dB(part), offset_dB=part.offset_dB - gain_dB * (i > at)
            )
            if part.kind == "amplifier"
            else part
            for i, part in enumerate(self.line.parts)
            if i != at
        ]
        return replace(self.line, settings={**self.line.settings, "chain": chain(kept)})

    @cached_property
    def places(self) -> list[Spectrum]:
        """Return the spectrum at the sender and after each element."""
        return self._whole.run()

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Return the elements that are passed."""
        return self._whole.parts

    @property
    def channel(self) -> int:
        """Return the number of the middle channel."""
        return len(self.line.frequency_Hz) // 2

    @property
    def symbol_rate_Hz(self) -> float:
        """Return the symbol rate of the channel."""
        return float(self.line.symbol_rate_Hz[self.channel])

    @cached_property
    def alphabet(self) -> str:
        """Return the name of the alphabet."""
        points = self.line.value("line.constellation_points")
        if points not in ALPHABETS:
            raise DomainError(
                f"{points:g} points of a constellation, carried are {', '.join(map('{:g}'.format, ALPHABETS))}"
            )
        return ALPHABETS[points]

    @property
    def limit(self) -> float:
        """Return the share of wrong bits that the line's error correction bears."""
        return self.line.value("line.bit_error_ratio")

    def gsnr_dB(self, place: int = -1) -> float:
        """Return signal over all noise in the signal's bandwidth as the budget has it after an element."""
        return float(self.places[place].ratio_dB(True, signal_bandwidth=True)[self.channel])

    def theory(self, place: int = -1) -> float:
        """Return the share of wrong bits that the budget's ratio means."""
        law = coherent.qam16_bit_error_ratio if self.alphabet == "16qam" else coherent.qpsk_bit_error_ratio
        return float(np.asarray(law(self.gsnr_dB(place))))

    def walked(self, place: int) -> tuple[float, float, float]:
        """Return length, sum of beta2 times length, and mean delay of the polarizations up to an element."""
        length_m = dispersion_s2 = spread_s2 = 0.0
        for part in self.parts[:place]:
            if part.kind == "fiber":
                glass = self._whole.glasses[part.fiber]
                length_m += part.length_m
                dispersion_s2 -= float(np.asarray(glass.beta2_s2_m)[self.channel]) * part.length_m
                spread_s2 += float(np.asarray(fiber.polarization_spread_s(part.length_m, glass.pmd_ps_sqrt_km))) ** 2
        return length_m, dispersion_s2, float(np.sqrt(spread_s2))

    def carry(self, bits: Bits, stream: np.random.Generator, place: int | None = None, looks: bool = False) -> Burst:
        """Send line bits through the section, or up to one of its elements.

        Parameters
        ----------
        bits : array of 0 and 1
        stream : Generator
            Of noise, turns and phases.
        place : int, optional
            So many elements are passed; all by default.
        looks : bool
            Keep waves and points for pictures.
        """
        place = len(self.parts) if place is None else place
        width = 2 * modulation.bits_per_symbol(self.alphabet)
        sent_bits = np.pad(bits, (0, -len(bits) % width)).reshape(2, -1)
        data = modulation.map_bits(sent_bits, self.alphabet)
        sent = receiver.burst(data)
        ring = np.pad(sent, ((0, 0), (64, _good_length(sent.shape[1] + 128) - sent.shape[1] - 64)))
        roll_off, rate_Hz = self.line.value("line.roll_off"), SAMPLES * self.symbol_rate_Hz
        wave = pulse.shape(ring, SAMPLES, roll_off)
        look: dict[str, NDArray[Any]] = {}
        if looks:
            look = {"sent": wave, "back to back": pulse.matched(wave, SAMPLES, roll_off)}
        _, dispersion_s2, delay_s = self.walked(place)
        linewidth_Hz = self.line.value("line.linewidth_Hz")
        wave = waveguide.wander(wave, rate_Hz, linewidth_Hz, stream)
        wave = waveguide.disperse(wave, rate_Hz, dispersion_s2, 1.0)
        wave = waveguide.turn(wave, rate_Hz, delay_s, stream)
        inside = sum(part.kind == "switch" for part in self.parts[:place])
        switches = inside + round(self.switches * place / len(self.parts))
        if switches:
            slot_Hz, order = self.line.value("line.slot_width_Hz"), self.line.value("roadm.filter_order")
            wave = waveguide.cut(
                wave, rate_Hz, float(np.asarray(roadm.narrowed_bandwidth_Hz(slot_Hz, switches, order))), order
            )
        noise = 0.0 if self.broken.is_cut else 10.0 ** (-self.gsnr_dB(place) / 10.0)
        wave = waveguide.add_noise(
            wave * (0.0 if self.broken.is_cut else 1.0), rate_Hz, max(noise, 1e-9) / self.symbol_rate_Hz, stream
        )
        wave = waveguide.wander(wave, rate_Hz, linewidth_Hz, stream)  # against the receiver's own laser
        undone = waveguide.disperse(wave, rate_Hz, dispersion_s2, -self.broken.undone_share)
        kept = pulse.matched(undone, SAMPLES, roll_off)
        points = modulation.map_bits(_labels(self.alphabet), self.alphabet)[:, 0]
        got = receiver.receive(kept, data.shape[1], points)
        if looks:
            look |= {"arrived": wave, "dispersion undone": kept, "symbols": got.symbols, "phase_rad": got.phase_rad}
        decided = modulation.unmap(got.symbols, self.alphabet)
        wrong = int(np.count_nonzero(decided != sent_bits))
        repaired = not self.broken.is_uncorrected and wrong <= self.limit * sent_bits.size
        out = sent_bits if repaired else decided
        error = float(np.mean(np.abs(got.symbols - data) ** 2))
        return Burst(out.ravel()[: len(bits)], wrong, repaired, -10.0 * float(np.log10(max(error, 1e-12))), look)


def chain(parts: list[Part]) -> str:
    """Return elements as the words that `roundtrip.journey.links.parse` reads."""
    words: list[str] = []
    for part in parts:
        if part.kind == "fiber":
            words.append(f"{part.length_m / 1e3!r} km {part.fiber}")
        elif part.kind == "amplifier":
            noise = "" if part.noise_figure_dB is None else f" {part.noise_figure_dB!r}"
            words.append(f"amp{noise}" + (f" {part.offset_dB!r}" if noise else ""))
        else:
            words.append("roadm")
    return ", ".join(words)


def _labels(alphabet: str) -> Bits:
    count = modulation.bits_per_symbol(alphabet)
    return np.array([[label >> k & 1 for k in range(count)] for label in range(1 << count)], np.uint8)


def _good_length(count: int) -> int:
    """Return the next length whose transform is quick: a small power of three or five times a power of two."""
    best = 1 << max(count - 1, 1).bit_length()
    return min(n for n in (best, best * 3 // 4, best * 5 // 8, best * 9 // 16, best * 15 // 16) if n >= count)


@dataclass
class Haul:
    """The long haul of a trip: its sections one after the other, with what happened on each."""

    sections: list[Section]
    stream: np.random.Generator
    bursts: list[tuple[str, float, list[Burst]]] = field(default_factory=list[tuple[str, float, list[Burst]]])
    outage: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    repaired: list[Section] | None = None  # what carries outside the outage

    def __call__(self, frames: list[bytes], direction: str, at_s: float) -> list[bytes | None]:
        """Carry frames; those that do not come out whole are returned as they came out, or as None."""
        sections = self._sections(direction, at_s)
        bits = pcs.encode(frames)
        passed: list[Burst] = []
        for section in sections:
            burst = section.carry(bits, self.stream, looks=not passed and not self.bursts)
            passed.append(burst)
            bits = burst.bits
        self.bursts.append((direction, at_s, passed))
        if all(burst.is_repaired for burst in passed):
            return list(frames)
        got, _ = pcs.decode(bits)
        if len(got) == len(frames):
            return list(got)
        return [frame if frame in got else None for frame in frames]

    def _sections(self, direction: str, at_s: float) -> list[Section]:
        if self.repaired is None:
            return self.sections
        begins_s, ends_s = self.outage.get(direction, (0.0, 0.0))
        return self.sections if begins_s <= at_s < ends_s else self.repaired
