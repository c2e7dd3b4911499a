"""The figures in the lab's texts: what stands in braces in ``web/strings`` is filled from here, never typed.

A fill is a number with its unit, band, grade and sources, and its wording for each reading level: an engineer reads
``11.0 ms``, a child ``11 thousandths of a second``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from roundtrip.catalog.claims import claims
from roundtrip.catalog.load import entry
from roundtrip.figures.figure import Figure
from roundtrip.journey.forecast import forecast
from roundtrip.lab import word
from roundtrip.lab.strings import LEVELS
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import digits, si

MINUTE_S, HOUR_S, DAY_S, YEAR_S = 60.0, 3_600.0, 86_400.0, 31_557_600.0
SPANS_OF_TIME = ((YEAR_S, "year"), (DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute"), (1.0, "second"))
PARTS_OF_A_SECOND = ((1e-3, "thousandths"), (1e-6, "millionths"), (1e-9, "billionths"))
LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
CHILD_UNITS = {"m": "meters", "J": "joules", "W": "watts", "L": "liters", "B": "bytes", "B/s": "bytes a second"}
# What decides energy and water of a word in the datacenter.
POWER = (
    "accelerators/h800-sxm.static_power_W",
    "accelerators/h800-sxm.energy_per_byte_J",
    "servings/deepseek-v3-h800.host_power_W",
    "servings/deepseek-v3-h800.streams",
    "datacenters/hyperscale-us.pue",
)
WATER = ("datacenters/hyperscale-us.water_usage_L_kWh",)
ALOUD_S = 1.0  # one number a second
CONCEPT_STAGES = {"network": "network_s", "queue": "queue_s", "prefill": "prefill_s", "decode": "decode_s"}


@dataclass(frozen=True, slots=True)
class Fill:
    """A figure of the texts.

    Attributes
    ----------
    value, low, high : float
        In SI units; the band is that of trips and of what is not known.
    source_keys : tuple of str
        Keys of the sources behind it.
    origin : str
        Where it comes from, as `roundtrip explain` and `roundtrip audit` name it.
    text : dict
        The wording for each reading level.
    """

    value: float
    low: float
    high: float
    unit: str
    grade: str
    source_keys: tuple[str, ...]
    origin: str
    text: dict[str, str] = field(default_factory=dict[str, str])

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body = asdict(self)
        body["sources"] = list(body.pop("source_keys"))
        body["from"] = body.pop("origin")
        return body


def count(value: float, size: int = 3) -> str:
    """Return a count in words: 7,168, 671 billion, 14.8 trillion."""
    for factor, name in LARGE:
        if abs(value) >= factor * 0.9995:
            return f"{_trim(digits(value / factor, size))}\N{NO-BREAK SPACE}{name}"
    if abs(value) < 1.0:
        return _trim(digits(value, 2))
    if abs(value) < 100.0:
        return _trim(digits(value, size))
    return f"{float(f'{value:.{size - 1}e}'):,.0f}"


def _trim(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _plural(number: str, name: str) -> str:
    return f"{number}\N{NO-BREAK SPACE}{name}{'' if number == '1' else 's'}"


def long_time(value_s: float) -> str:
    """Return a time in the largest unit that it fills: 21,300 years, 2.9 days, 2 hours."""
    for factor, name in SPANS_OF_TIME:
        if value_s >= factor:
            ratio = value_s / factor
            return _plural(f"{float(f'{ratio:.2e}'):,.0f}" if ratio >= 100.0 else _trim(digits(ratio, 2)), name)
    return si(value_s, "s")


def child_time(value_s: float) -> str:
    """Return a time as a child says it: 11 thousandths of a second, 0.7 seconds, 3 minutes."""
    if value_s >= MINUTE_S:
        return long_time(value_s)
    if value_s >= 0.1:
        return _plural(_trim(digits(value_s, 2)), "second")
    for factor, name in PARTS_OF_A_SECOND:
        if value_s >= factor:
            return f"{_trim(digits(value_s / factor, 2))}\N{NO-BREAK SPACE}{name} of a second"
    return si(value_s, "s", 2)


def share(value: float, level: str) -> str:
    """Return a share: 97 %, or to a child 97 parts in 100."""
    number = f"{100.0 * value:.0f}"
    return f"{number} parts in 100" if level == "child" else f"{number}\N{NO-BREAK SPACE}%"


def worded(value: float, unit: str, level: str, exact: bool = False) -> str:
    """Return a figure as a reader of that level says it; what is exact keeps its digits below a million."""
    if unit == "share":
        return share(value, level)
    if unit in ("1", "token"):
        return (
            f"{value:,.0f}"
            if exact and value.is_integer() and value < 1e6
            else count(value, 2 if level == "child" else 3)
        )
    if unit == "day":
        return long_time(value * DAY_S)
    if unit == "h":
        return long_time(value * HOUR_S)
    if unit == "token/s":
        return count(value) if value >= 100.0 else _trim(digits(value, 3 if level == "engineer" else 2))
    if unit == "flop" and level != "engineer":
        return count(value, 2)
    if unit == "s" and level == "child":
        return child_time(value)
    if unit == "m" and value >= 1e4:
        number = f"{float(f'{value / 1e3:.2g}'):,.0f}" if level == "child" else f"{value / 1e3:,.0f}"
        return f"{number}\N{NO-BREAK SPACE}{'kilometers' if level == 'child' else 'km'}"
    if level == "child" and unit in CHILD_UNITS:
        return _child_amount(value, unit)
    if level != "engineer":
        number, _, shown = si(value, unit, 3 if level == "student" else 2).partition(" ")
        return f"{_trim(number)}\N{NO-BREAK SPACE}{shown}" if shown else _trim(number)
    return si(value, unit).replace(" ", "\N{NO-BREAK SPACE}")


def _child_amount(value: float, unit: str) -> str:
    name = CHILD_UNITS[unit]
    if value >= 0.1:
        return f"{count(value, 2)}\N{NO-BREAK SPACE}{name}"
    for factor, part in PARTS_OF_A_SECOND:
        if value >= factor:
            return f"{_trim(digits(value / factor, 2))}\N{NO-BREAK SPACE}{part} of a {name.rstrip('s')}"
    return si(value, unit, 2)


def _made(value: float, unit: str, origin: str, low: float | None = None, high: float | None = None,
          grade: str = "derived", keys: tuple[str, ...] = ()) -> Fill:  # fmt: skip
    least, most = value if low is None else low, value if high is None else high
    text = {level: worded(value, unit, level, exact=least == most) for level in LEVELS}
    return Fill(value, least, most, unit, grade, keys, origin, text)


def from_fact(fact: Mapping[str, Any], unit: str = "") -> Fill:
    """Return a number of the one-word machine."""
    value, low, high = (float(fact[name]) for name in ("value", "low", "high"))
    if "claim" in fact:
        origin = f"audit {fact['claim']}"
    else:
        origin = " ".join([key for key in fact["inputs"] if not key.startswith("energy:")][:2]) or "energy"
    return _made(value, unit or fact["unit"], origin, low, high, fact["grade"], tuple(fact["sources"]))


def _figure(key: str) -> Figure:
    kind, _, rest = key.partition("/")
    name, _, field_name = rest.rpartition(".")
    return entry(kind, name).figure(field_name)


def _of_site(fact: Mapping[str, Any], keys: tuple[str, ...]) -> Fill:
    """Return a cost of a word in the datacenter, with the sources of the figures that decide it."""
    cited = dict.fromkeys(_figure(key).source for key in keys)
    made = from_fact(fact)
    return _made(made.value, made.unit, "roundtrip energy", made.low, made.high, made.grade, tuple(cited))


def from_figure(kind: str, key: str, name: str, unit: str = "") -> Fill:
    """Return a figure of the catalog."""
    figure: Figure = entry(kind, key).figure(name)
    return _made(figure.value, unit or figure.unit, f"{kind}/{key}.{name}", figure.low, figure.high, figure.grade,
                 (figure.source,))  # fmt: skip


def from_summary(trace: Trace, name: str, unit: str = "s") -> Fill:
    """Return a summary figure of a trip."""
    value = float(trace.summary[name])
    band = trace.summary_bands.get(name)
    low, high = (band["low"], band["high"]) if band else (value, value)
    return _made(value, unit, f"trip {trace.scenario['name']}: {name}", low, high, "estimate")


def from_span(span: Span, name: str = "duration_s", unit: str = "s") -> Fill:
    """Return a figure of a span."""
    value = float(getattr(span, name) if hasattr(span, name) else span.attributes[name])
    band = span.bands.get(name)
    low, high = (band["low"], band["high"]) if band else (value, value)
    return _made(value, unit, span.id, low, high, span.grade, tuple(span.sources))


def _sum_of_spans(trace: Trace, first: str, last: str, origin: str) -> Fill:
    spans = {span.id: span for span in trace.spans}
    start, end = spans[first].start_s, spans[last].start_s + spans[last].duration_s
    keys = tuple(dict.fromkeys([*spans[first].sources, *spans[last].sources]))
    return _made(end - start, "s", origin, grade="estimate", keys=keys)


def trip_fills(trace: Trace) -> dict[str, Fill]:
    """Return the figures of a trip that the sheet's answers name: whole, shares, what is left."""
    whole = from_summary(trace, "time_to_last_token_s")
    first = from_summary(trace, "time_to_first_token_s")
    parts = {name: from_summary(trace, key) for name, key in CONCEPT_STAGES.items() if key in trace.summary}
    made = {"trip_whole": whole, "trip_first": first}
    for name, part in parts.items():
        said = {"prefill": "read", "decode": "write"}.get(name, name)
        made[f"trip_{said}"] = part
        made[f"trip_{said}_share"] = _made(part.value / whole.value, "share", part.origin, grade=part.grade)
    return made


def word_fills() -> dict[str, Fill]:
    """Return the figures of the one-word machine."""
    made = word.word()
    numbers: list[dict[str, Any]] = [step["numbers"] for step in made["steps"]]
    beside: list[dict[str, Any]] = [{c["key"]: c for c in step["comparisons"]} for step in made["steps"]]
    power, vectors, recipe, sums, memory, pick, loop = numbers
    model = "deepseek-v3"
    held, used = from_fact(recipe["published_parameters"]), from_fact(recipe["published_active"])
    width = from_fact(vectors["width"])

    def aloud(fill: Fill) -> Fill:
        return _made(fill.value * ALOUD_S / DAY_S, "day", fill.origin, grade=fill.grade, keys=fill.source_keys)

    found = {
        "chip_power": from_fact(power["chip_W"]),
        "microwaves": from_fact(beside[0]["microwaves"]),
        "lamps": from_fact(beside[0]["lamps"]),
        "microwave_power": from_figure("everyday", "microwave-oven", "power_W"),
        "vector_width": width,
        "vector_aloud": aloud(width),
        "weights_held": held,
        "weights_used": used,
        "weights_aloud": aloud(held),
        "used_aloud": aloud(used),
        "training_tokens": from_fact(recipe["training_tokens"]),
        "experts": from_fact(recipe["experts"]),
        "experts_picked": from_fact(recipe["picked_experts"]),
        "model_size": from_fact(recipe["size_B"]),
        "operations": from_fact(sums["flop"]),
        "chip_rate": from_fact(sums["rate_flop_s"]),
        "people": from_figure("everyday", "humanity", "people"),
        "people_days": from_fact(sums["people_days"]),
        "sums_each": from_fact(sums["people_sums"], "1"),
        "read_bytes": from_fact(memory["read_B"], "B"),
        "memory_time": from_fact(memory["read_s"]),
        "bandwidth": from_fact(memory["bandwidth_B_s"]),
        "batch_flip": from_fact(memory["equal_batch"]),
        "fetch_times": from_fact(beside[4]["wait_times"]),
        "write_energy": from_fact(memory["write_J"]),
        "read_energy": from_fact(memory["read_J"]),
        "scores": from_fact(pick["scores"]),
        "scores_aloud": from_fact(beside[5]["scores_days"]),
        "layers": from_fact(loop["layers"]),
        "rate_seen": from_fact(loop["rate_token_s"]),
        "reply_energy": from_fact(loop["reply_J"]),
        "reply_tokens": _made(word.REPLY_TOKENS, "1", "audit C016"),
        "reply_trips": from_fact(beside[6]["trips"]),
        "lamp_time": from_fact(beside[6]["lamp_s"]),
        "lamp_power": from_figure("everyday", "led-lamp", "power_W"),
        "energy_word": _of_site(made["word"]["site_J"], POWER),
        "water_word": _of_site(made["word"]["site_water_L"], POWER + WATER),
        "water_drops": _of_site(made["word"]["site_drops"], POWER + WATER + ("everyday/drop.volume_L",)),
        "words_per_charge": _of_site(made["word"]["words_per_charge"], (*POWER, "everyday/phone-battery.energy_J")),
        "cache_size": from_fact(memory["kv_token_B"]),
    }
    low, high = found["water_word"].low, found["water_word"].high
    water = found["water_word"]
    band = {level: f"{worded(low, 'L', level)} to {worded(high, 'L', level)}" for level in LEVELS}
    found["water_word_band"] = Fill(water.value, low, high, "L", water.grade, water.source_keys, water.origin, band)
    drops = found["water_drops"]
    found["words_per_drop"] = _made(1.0 / drops.value, "1", drops.origin, 1.0 / drops.high, 1.0 / drops.low,
                                    drops.grade, drops.source_keys)  # fmt: skip
    score = entry("models", model).figure("capability_score")
    benchmark = entry("models", model).texts["benchmark"]
    found["cloud_score"] = _made(score.value, "1", f"models/{model}.capability_score", grade=score.grade,
                                 keys=(score.source,))  # fmt: skip
    found["benchmark"] = Fill(score.value, score.low, score.high, "1", score.grade, (score.source,),
                              f"models/{model}.benchmark", dict.fromkeys(LEVELS, benchmark))  # fmt: skip
    return found


def _speed_text(speed_m_s: float) -> dict[str, str]:
    number = f"{speed_m_s * 1e-6:.0f}\N{NO-BREAK SPACE}"
    return {
        "child": f"{number}kilometers in a thousandth of a second",
        "student": f"{number}km every millisecond",
        "engineer": f"{number}km/ms",
    }


def _speed(figure: Figure, origin: str) -> Fill:
    text = _speed_text(figure.value)
    return Fill(figure.value, figure.low, figure.high, figure.unit, figure.grade, (figure.source,), origin, text)


def _glass_speed(span: Span) -> Fill:
    """Return the speed of light in the trip's own fiber."""
    speed = float(span.attributes["length_m"]) / span.duration_s
    return Fill(speed, speed, speed, "m/s", span.grade, tuple(span.sources), "audit B001", _speed_text(speed))


@cache
def fills() -> dict[str, Fill]:
    """Return every figure that the texts name, by the name in braces."""
    cloud, concept, device = (forecast(scenario=name, samples=word.SAMPLES) for name in ("cloud", "concept", "device"))
    spans = {span.id: span for span in cloud.spans}
    made = word_fills()
    figures = entry("concepts", "seed")
    speed = figures.figure("signal_speed_m_s")

    whole = from_summary(concept, "time_to_last_token_s")
    writing = from_summary(concept, "decode_s")
    small = device.scenario["choices"]["model.name"]
    score = entry("models", small).figure("capability_score")
    made |= {
        "first_word": from_summary(concept, "time_to_first_token_s"),
        "whole_answer": whole,
        "network_time": from_summary(concept, "network_s"),
        "write_time": writing,
        "write_share": _made(writing.value / whole.value, "share", writing.origin),
        "read_rate": from_figure("concepts", "seed", "prefill_rate_token_s"),
        "write_rate": from_figure("concepts", "seed", "decode_rate_token_s"),
        "light_speed": _speed(speed, "concepts/seed.signal_speed_m_s"),
        "glass_speed": _glass_speed(spans["optics.fiber"]),
        "cable_length": from_span(spans["optics.fiber"], "length_m", "m"),
        "fiber_time": from_span(spans["optics.fiber"]),
        "access_time": from_span(spans["network.access"]),
        "press_time": from_span(spans["keyboard.press"]),
        "queue_time": from_summary(cloud, "queue_s"),
        "read_time_cloud": from_summary(cloud, "prefill_s"),
        "first_token_cloud": from_summary(cloud, "time_to_first_token_s"),
        "whole_cloud": from_summary(cloud, "time_to_last_token_s"),
        "token_time": from_summary(cloud, "time_per_output_token_s"),
        "token_interval": from_summary(cloud, "time_per_output_token_s"),
        "answer_tokens": from_span(spans["model.decode"], "tokens", "1"),
        "request_size": from_span(spans["computer.request"], "bytes_out", "B"),
        "conversions": _made(float(cloud.summary["conversions"]), "1", "trip cloud: conversions"),
        "screen_time": _sum_of_spans(cloud, "display.text", "display.panel", "display"),
        "eye_time": from_span(spans["eye.cortex"]),
        "device_rate": _made(1.0 / float(device.summary["time_per_output_token_s"]), "token/s",
                             "trip device: time_per_output_token_s", grade="estimate"),
        "device_score": _made(score.value, "1", f"models/{small}.capability_score", grade=score.grade,
                              keys=(score.source,)),
        "stage_count": _made(float(len({span.name for span in cloud.spans})), "1", "trip cloud"),
        "claim_count": _made(float(len(claims())), "1", "roundtrip audit"),
    }  # fmt: skip
    return made


def texts(level: str, extra: Mapping[str, Fill] | None = None) -> dict[str, str]:
    """Return the wording of every figure at a level."""
    return {name: fill.text[level] for name, fill in {**fills(), **(extra or {})}.items()}
