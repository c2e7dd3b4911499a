"""The figures in the lab's texts: what stands in braces in ``web/strings`` is filled from here, never typed.

A fill is a number with its unit, band, grade and sources, and its wording for each reading level: an engineer reads
``11.0 ms``, a child ``11 thousandths of a second``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any

from roundtrip.catalog.claims import claims
from roundtrip.catalog.load import entry
from roundtrip.figures.figure import Figure
from roundtrip.journey.forecast import forecast
from roundtrip.lab import word
from roundtrip.lab.strings import LEVELS
from roundtrip.lab.worded import DAY_S, between, speed, worded
from roundtrip.trace.model import Span, Trace

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
        The wording for each reading level, in English.
    form : str
        How it is worded: as a ``value``, a ``speed``, a ``band``, or as a ``name`` that no language changes.
    """

    value: float
    low: float
    high: float
    unit: str
    grade: str
    source_keys: tuple[str, ...]
    origin: str
    text: dict[str, str] = field(default_factory=dict[str, str])
    form: str = "value"

    def said(self, level: str, language: str = "en") -> str:
        """Return the wording for a reader of that level and language."""
        if language == "en" or self.form == "name":
            return self.text[level]
        return _said(self, level, language)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body = asdict(self)
        body["sources"] = list(body.pop("source_keys"))
        body["from"] = body.pop("origin")
        del body["form"]
        return body


def _said(fill: Fill, level: str, language: str) -> str:
    if fill.form == "speed":
        return speed(fill.value, level, language)
    if fill.form == "band":
        return between(fill.low, fill.high, fill.unit, level, language)
    return worded(fill.value, fill.unit, level, exact=fill.low == fill.high, language=language)


def _worded(fill: Fill) -> Fill:
    """Return the figure with its wording."""
    return replace(fill, text={level: _said(fill, level, "en") for level in LEVELS})


def _made(value: float, unit: str, origin: str, low: float | None = None, high: float | None = None,
          grade: str = "derived", keys: tuple[str, ...] = ()) -> Fill:  # fmt: skip
    least, most = value if low is None else low, value if high is None else high
    return _worded(Fill(value, least, most, unit, grade, keys, origin))


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
    water = found["water_word"]
    found["water_word_band"] = _worded(replace(water, form="band"))
    drops = found["water_drops"]
    found["words_per_drop"] = _made(1.0 / drops.value, "1", drops.origin, 1.0 / drops.high, 1.0 / drops.low,
                                    drops.grade, drops.source_keys)  # fmt: skip
    score = entry("models", model).figure("capability_score")
    benchmark = entry("models", model).texts["benchmark"]
    found["cloud_score"] = _made(score.value, "1", f"models/{model}.capability_score", grade=score.grade,
                                 keys=(score.source,))  # fmt: skip
    found["benchmark"] = Fill(score.value, score.low, score.high, "1", score.grade, (score.source,),
                              f"models/{model}.benchmark", dict.fromkeys(LEVELS, benchmark), "name")  # fmt: skip
    return found


def _speed(figure: Figure, origin: str) -> Fill:
    return _worded(Fill(figure.value, figure.low, figure.high, figure.unit, figure.grade, (figure.source,), origin,
                        form="speed"))  # fmt: skip


def _glass_speed(span: Span) -> Fill:
    """Return the speed of light in the trip's own fiber."""
    found = float(span.attributes["length_m"]) / span.duration_s
    return _worded(Fill(found, found, found, "m/s", span.grade, tuple(span.sources), "audit B001", form="speed"))


@cache
def fills() -> dict[str, Fill]:
    """Return every figure that the texts name, by the name in braces."""
    cloud, concept, device = (forecast(scenario=name, samples=word.SAMPLES) for name in ("cloud", "concept", "device"))
    spans = {span.id: span for span in cloud.spans}
    made = word_fills()
    figures = entry("concepts", "seed")

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
        "light_speed": _speed(figures.figure("signal_speed_m_s"), "concepts/seed.signal_speed_m_s"),
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


def texts(level: str, extra: Mapping[str, Fill] | None = None, language: str = "en") -> dict[str, str]:
    """Return the wording of every figure at a level."""
    return {name: fill.said(level, language) for name, fill in {**fills(), **(extra or {})}.items()}
