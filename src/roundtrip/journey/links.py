"""A line of spans, amplifiers and wavelength switches, with all its channels: from a chain of words to a link budget.

`read` takes a link of the catalog and what the reader set; `Line.run` sends the whole spectrum through, element by
element; `budget` adds what is required, the margin, the best launch power, capacity, reach and the watts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from roundtrip.catalog.load import Entry, check_term, entry, load, read_entries
from roundtrip.errors import CatalogError, DomainError, ScenarioError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.figures.units import parse_quantity
from roundtrip.stages.optics import fiber, lightpath, spectrum, transceiver
from roundtrip.stages.optics.spectrum import Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

KIND = "links"
PATTERN = "80-km"  # what a link of a reader's own does not say is as in this one
SLOTS = {"line": "transceivers", "amplifier": "amplifiers", "roadm": "optical_switches"}
WORDS = {"dispersion": ("flat", "sloped")}
REFERENCE_WAVELENGTH_M = 1550e-9  # where the fibers' figures are stated
MOST_PARTS, MOST_CHANNELS = 2_000, 400
SEARCHED_DBM = (-25.0, 15.0)  # where the best launch power is looked for

_REPEAT = re.compile(r"(\d+)\s*x\s*\((.*)\)", re.DOTALL)
_AMPLIFIER = re.compile(r"amp(?:\s+(-?\d+\.?\d*))?(?:\s+([-+]?\d+\.?\d*))?")
_SPAN = re.compile(r"(\d+\.?\d*)\s*km\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Part:
    """One element of a chain: ``fiber``, ``amplifier`` or ``switch``."""

    kind: str
    length_m: float = 0.0
    fiber: str = ""
    noise_figure_dB: float | None = None
    offset_dB: float = 0.0


def parse(chain: str) -> tuple[Part, ...]:
    """Return the elements of a chain, groups unrolled.

    Raises
    ------
    ScenarioError
        If a word is not understood, or the chain is empty or too long.
    """
    parts: list[Part] = []
    for word in _split(chain):
        repeat = _REPEAT.fullmatch(word)
        if repeat:
            group = parse(repeat[2])
            if int(repeat[1]) * len(group) > MOST_PARTS:
                raise ScenarioError(f"chain: {word[:40]!r} unrolls to more than {MOST_PARTS:,} elements")
            parts += group * int(repeat[1])
        else:
            parts.append(_part(word))
    if not 1 <= len(parts) <= MOST_PARTS:
        raise ScenarioError(f"chain: {len(parts)} elements, allowed: 1 to {MOST_PARTS:,}")
    return tuple(parts)


def _split(chain: str) -> list[str]:
    words, depth, start = list[str](), 0, 0
    for place, letter in enumerate(chain):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            words.append(chain[start:place].strip())
            start = place + 1
    if depth != 0:
        raise ScenarioError("chain: brackets do not match, expected for example '3 x (80 km g652d, amp 5.5)'")
    return [*words, chain[start:].strip()]


def _part(word: str) -> Part:
    if word == "roadm":
        return Part("switch")
    if found := _AMPLIFIER.fullmatch(word):
        noise = float(found[1]) if found[1] else None
        if noise is not None:
            check_term("noise_figure_dB", "dB", (noise,))
        return Part("amplifier", noise_figure_dB=noise, offset_dB=float(found[2] or 0.0))
    if found := _SPAN.fullmatch(word):
        if found[2] not in load("fibers"):
            raise ScenarioError(f"chain: no fiber {found[2]!r}{nearest(found[2], load('fibers'))}")
        length_m = float(found[1]) * 1e3
        if length_m > 5e5:
            raise DomainError(f"chain: a span of {found[1]} km, allowed: 0 to 500 km")
        return Part("fiber", length_m=length_m, fiber=found[2])
    raise ScenarioError(f"chain: {word[:60]!r} is not understood, expected 'roadm', 'amp 5.5' or '80 km g652d'")


@dataclass(frozen=True)
class Line:
    """A link with all that is needed to run it: the reader's values lie over the catalog's."""

    entry: Entry
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    noise_offset_dB: float = 0.0  # on every amplifier: how far all of them are from what is stated

    def text(self, name: str) -> str:
        """Return a text of the link."""
        given = self.settings.get(name, self.entry.texts.get(name))
        if given is None:
            raise CatalogError(f"{KIND}/{self.entry.key} has no text {name!r}")
        return given

    def value(self, name: str) -> float:
        """Return a figure of the link, or with a dot of what it is made of: ``line.power_W``, ``g652d.group_index``."""
        given = self.settings.get(name)
        found = self.figure(name)
        return found.value if given is None else parse_quantity(given, found.unit, name)

    def figure(self, name: str) -> Figure:
        """Return the catalog's figure behind a name, whatever the reader set."""
        slot, _, figure = name.rpartition(".")
        return (entry(*self._place(slot)) if slot else self.entry).figure(figure)

    def _place(self, slot: str) -> tuple[str, str]:
        return (SLOTS[slot], self.text(slot)) if slot in SLOTS else ("fibers", slot)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Return the elements."""
        return parse(self.text("chain"))

    @cached_property
    def frequency_Hz(self) -> Array:
        """Return the centers of the channels."""
        count = self.value("channels")
        if count != int(count) or not 1 <= count <= MOST_CHANNELS:
            raise DomainError(f"channels = {count:g}, allowed: whole numbers from 1 to {MOST_CHANNELS}")
        steps = np.arange(int(count), dtype=np.float64)
        return np.asarray(self.value("lowest_channel_Hz") + self.value("channel_spacing_Hz") * steps, dtype=np.float64)

    @cached_property
    def symbol_rate_Hz(self) -> Array:
        """Return the symbol rates of the channels."""
        rate, spacing = self.value("symbol_rate_Hz"), self.value("channel_spacing_Hz")
        if rate > spacing:
            raise DomainError(f"symbol_rate_Hz = {rate:g} Hz is more than the channel_spacing_Hz, {spacing:g} Hz")
        return np.full(len(self.frequency_Hz), rate)

    @cached_property
    def glasses(self) -> dict[str, Glass]:
        """Return the kinds of glass of the chain, each with the noise of all pairs of channels."""
        names = dict.fromkeys(part.fiber for part in self.parts if part.kind == "fiber")
        return {name: Glass(self, name) for name in names}

    @cached_property
    def start_dBm(self) -> float:
        """Return what a transmitter sends: the launch power where glass comes first, else what its maker says."""
        if self.parts[0].kind == "fiber":
            return self.value("launch_power_dBm")
        return float(transceiver.level_dBm(self.value("line.launch_power_W")))

    def run(self, launch_dBm: Any = None) -> list[Spectrum]:
        """Return the light at the transmitter and after each element.

        Parameters
        ----------
        launch_dBm : float or array, optional
            Power of a channel as it enters a span; a column of many runs them at once. By default the link's.
        """
        launch: Any = self.value("launch_power_dBm") if launch_dBm is None else launch_dBm
        level: Any = launch if self.parts[0].kind == "fiber" else self.start_dBm
        none = np.zeros(np.broadcast_shapes(np.shape(level), self.frequency_Hz.shape))
        sent = none + 1e-3 * 10.0 ** (np.asarray(level) / 10.0)
        light = Spectrum(self.frequency_Hz, self.symbol_rate_Hz, sent, none, none)
        light = spectrum.with_noise_of(light, self.value("transmitter_osnr_dB"))
        connector, switch = self.value("connector_loss_dB"), self.value("roadm_level_dBm")
        end = self.value("add_drop_osnr_dB") + 10.0 * np.log10(2.0)  # adding and dropping have half of the noise each
        places = [light]
        for number, part in enumerate(self.parts):
            if part.kind == "fiber":
                glass = self.glasses[part.fiber]
                loss: Any = fiber.fiber_loss_dB(part.length_m, glass.attenuation_dB_km)
                reach: Any = fiber.effective_length_m(part.length_m, glass.attenuation_dB_km)
                light = spectrum.through_glass(light, glass.pairs, reach, connector / 2.0, loss + connector / 2.0)
                level = level - loss - connector
            elif part.kind == "amplifier":
                gain = np.maximum(launch + part.offset_dB - level, 0.0)
                noise = self.noise_figure_dB(part)
                light = spectrum.through_amplifier(light, gain, noise, self.value("amplifier.saturation_level_dBm"))
                level = level + gain
            else:
                light = spectrum.through_switch(light, switch)
                level = np.minimum(level, switch)
                if number in (0, len(self.parts) - 1):
                    light = spectrum.with_noise_of(light, end)
            places.append(light)
        return places

    def noise_figure_dB(self, part: Part) -> float:
        """Return the noise figure of an amplifier: its own, or that of the link's kind."""
        stated = self.value("amplifier.noise_figure_dB") if part.noise_figure_dB is None else part.noise_figure_dB
        return stated + self.noise_offset_dB

    def best_launch_dBm(self) -> float:
        """Return the launch power at which the mean channel's GSNR is highest, within 0.02 dB; the given one if any."""
        low, high = SEARCHED_DBM
        best, width = 0.5 * (low + high), 0.5 * (high - low)
        for _ in range(3):
            tried = best + width * np.linspace(-1.0, 1.0, 33)
            ratios = np.mean(self.run(tried[:, None])[-1].ratio_dB(nonlinear=True), axis=-1)
            if not np.ptp(ratios) > 1e-9:  # nothing depends on the power, or there is no noise at all
                return self.value("launch_power_dBm")
            best, width = float(tried[int(np.argmax(ratios))]), width / 10.0
        return best


class Glass:
    """A kind of fiber as the channels of a line see it."""

    def __init__(self, line: Line, name: str) -> None:
        self.attenuation_dB_km = line.value(f"{name}.attenuation_dB_km")
        self.dispersion_ps_nm_km = line.value(f"{name}.dispersion_ps_nm_km")
        self.nonlinear_index_m2_W = line.value(f"{name}.nonlinear_index_m2_W")
        self.effective_area_m2 = line.value(f"{name}.effective_area_m2")
        self.core_diameter_m = line.value(f"{name}.core_diameter_m")
        self.pmd_ps_sqrt_km = line.value(f"{name}.pmd_ps_sqrt_km")
        self.group_index = line.value(f"{name}.group_index")
        self.slope_ps_nm2_km: float | None = None
        wavelength_m: Any = 299_792_458.0 / line.frequency_Hz
        if line.text("dispersion") == "sloped":
            slope: Any = fiber.dispersion_slope_at_ps_nm2_km(
                REFERENCE_WAVELENGTH_M,
                line.value(f"{name}.zero_dispersion_wavelength_m"),
                line.value(f"{name}.zero_dispersion_slope_ps_nm2_km"),
            )
            self.slope_ps_nm2_km = float(slope)
            self.beta2_s2_m: Any = spectrum.beta2_at_s2_m(
                self.dispersion_ps_nm_km, self.slope_ps_nm2_km, wavelength_m, REFERENCE_WAVELENGTH_M
            )
        else:
            flat: Any = fiber.beta2_s2_m(self.dispersion_ps_nm_km, REFERENCE_WAVELENGTH_M)
            self.beta2_s2_m = np.full(len(line.frequency_Hz), flat)
        area_m2 = spectrum.effective_area_at_m2(
            self.effective_area_m2, self.core_diameter_m, line.frequency_Hz, 299_792_458.0 / REFERENCE_WAVELENGTH_M
        )
        gamma: Any = fiber.nonlinear_coefficient_1_W_m(self.nonlinear_index_m2_W, wavelength_m, area_m2)
        asymptotic: Any = fiber.asymptotic_length_m(self.attenuation_dB_km)
        self.pairs = spectrum.pair_efficiencies(
            gamma, asymptotic, self.beta2_s2_m, line.frequency_Hz, line.symbol_rate_Hz
        )


def read(name: str, settings: Iterable[str] = ()) -> Line:
    """Return a link of the catalog, or of a TOML file of the reader's own, with KEY=VALUE laid over it.

    Raises
    ------
    ScenarioError
        If a key does not exist.
    DomainError
        If a value is outside what its name allows.
    """
    found = _file(Path(name)) if name.lower().endswith(".toml") else entry(KIND, name)
    given: dict[str, str] = {}
    for setting in settings:
        key, equals, value = (piece.strip() for piece in setting.partition("="))
        if not equals:
            raise ScenarioError(f"--set {setting}: expected KEY=VALUE, for example launch_power_dBm=1")
        given[key] = value
    line = Line(found, given)
    for slot, kind in SLOTS.items():
        entry(kind, line.text(slot))
    for word, allowed in WORDS.items():
        if line.text(word) not in allowed:
            raise ScenarioError(f"--set {word} = {line.text(word)!r}, allowed: {', '.join(allowed)}")
    known = _keys(line)
    for key in given:
        if key not in known:
            raise ScenarioError(f"--set: unknown key {key!r}{nearest(key, known)}")
        if key not in line.entry.texts:
            check_term(key.rpartition(".")[2], known[key], (line.value(key),))
    _ = line.parts
    return line


def _file(path: Path) -> Entry:
    if not path.is_file():
        raise ScenarioError(f"{path}: no such file")
    entries = read_entries(path, KIND)
    if len(entries) != 1:
        raise ScenarioError(f"{path}: {len(entries)} links, expected one table, for example [mine]")
    mine, base = next(iter(entries.values())), entry(KIND, PATTERN)
    texts = {**base.texts, "about": "", **mine.texts}
    return Entry(KIND, mine.key, mine.title, {**base.figures, **mine.figures}, texts, mine.file)


def _keys(line: Line) -> dict[str, str]:
    """Return what may be set, with the unit of figures."""
    keys = {**dict.fromkeys(line.entry.texts, ""), **{n: f.unit for n, f in line.entry.figures.items()}}
    for slot, kind in SLOTS.items():
        keys |= {f"{slot}.{n}": f.unit for n, f in entry(kind, line.text(slot)).figures.items()}
    for name, made in load("fibers").items():
        keys |= {f"{name}.{n}": f.unit for n, f in made.figures.items()}
    return keys


@dataclass(frozen=True, slots=True)
class Row:
    """The light behind one element, mean over the channels, and the element's own watts for both directions."""

    kind: str
    title: str
    at_m: float
    level_dBm: float
    total_dBm: float
    change_dB: float
    osnr_dB: float
    osnr_signal_dB: float
    gsnr_dB: float
    gsnr_signal_dB: float
    worst_gsnr_dB: float
    margin_dB: float
    power_W: float

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; what is infinite for want of noise is null."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {n: None if isinstance(v, float) and not np.isfinite(v) else v for n, v in values.items()}


def elements(line: Line, places: Sequence[Spectrum]) -> list[Row]:
    """Return one row for the transmitter, each element and the receiver."""
    required = line.value("line.required_osnr_dB")
    design = line.value("design_margin_dB")
    ends_W = len(line.frequency_Hz) * line.value("line.power_W")
    at_m, rows = 0.0, list[Row]()
    steps = [("transmitter", "transmitters", ends_W, places[0])]
    for number, part in enumerate(line.parts):
        beside = {line.parts[n].kind for n in (number - 1, number + 1) if 0 <= n < len(line.parts)}
        if part.kind == "fiber":
            steps.append((part.kind, f"{part.length_m / 1e3:g} km {part.fiber}", 0.0, places[number + 1]))
        elif part.kind == "amplifier":
            # Boosters and preamplifiers beside a switch are within the power of its node.
            power_W = 0.0 if "switch" in beside else line.value("amplifier.power_W")
            title = f"amplifier, noise figure {line.noise_figure_dB(part):g} dB"
            steps.append((part.kind, title, power_W, places[number + 1]))
        else:
            steps.append((part.kind, "wavelength switch", line.value("roadm.power_W"), places[number + 1]))
    steps.append(("receiver", "receivers", ends_W, places[-1]))
    lengths = [0.0, *(part.length_m for part in line.parts), 0.0]
    last_dBm = _total_dBm(places[0])
    for (kind, title, power_W, light), length_m in zip(steps, lengths, strict=True):
        at_m += length_m
        total_dBm = _total_dBm(light)
        gsnr = light.ratio_dB(nonlinear=True)
        worst = float(np.min(gsnr))
        margin: Any = lightpath.usable_margin_dB(worst, required, design)
        rows.append(
            Row(
                kind, title, at_m, total_dBm - 10.0 * float(np.log10(len(gsnr))), total_dBm, total_dBm - last_dBm,
                float(np.mean(light.ratio_dB(nonlinear=False))), float(np.mean(light.ratio_dB(False, True))),
                float(np.mean(gsnr)), float(np.mean(light.ratio_dB(True, True))), worst, float(margin), power_W,
            )
        )  # fmt: skip
        last_dBm = total_dBm
    return rows


def _total_dBm(light: Spectrum) -> float:
    return float(10.0 * np.log10(np.sum(light.channel_W) * 1e3))
