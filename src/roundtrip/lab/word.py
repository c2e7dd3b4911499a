"""The one-word machine's numbers: seven steps on DeepSeek-V3, each computed by a stage function or looked up.

The figures that the page "How a chatbot writes one word" states come out of the audit's own derivations; what is put
beside them (everyday things, time against time) is computed here from the catalog, with samples for the band.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from roundtrip.catalog.load import entry, sources
from roundtrip.figures.sampling import Draws
from roundtrip.journey.audit.core import Bench, audit_one
from roundtrip.journey.boundary import PARTS, account
from roundtrip.journey.scenario import DEFAULT_PROMPT, load_scenario
from roundtrip.stages.model import decode, embedding, prefill, silicon, weights
from roundtrip.trace.numbers import digits

V3, CHIP, SERVED = "models/deepseek-v3", "accelerators/h800-sxm", "servings/deepseek-v3-h800"
OVEN, LAMP, BATTERY = "everyday/microwave-oven.power_W", "everyday/led-lamp.power_W", "everyday/phone-battery.energy_J"
DROP, PEOPLE = "everyday/drop.volume_L", "everyday/humanity.people"
READER = "viewers/adult-30"
SAMPLES = 400
REPLY_TOKENS = 500.0
DAY_S, YEAR_S = 86_400.0, 31_557_600.0
GRADE_ORDER = ("derived", "measured", "datasheet", "estimate")
SITE = ("chip", "host", "idle", "pue")

Work = Callable[[Bench], Any]


def fact(work: Work, unit: str, title: str, note: str = "") -> dict[str, Any]:
    """Return a number that is computed on a bench, with its band, its weakest grade and its sources."""
    bench, draws = Bench(), Draws(SAMPLES)
    value = float(work(bench))
    band = draws.band(np.asarray(work(Bench(draws)), dtype=np.float64))
    figures = bench.figures.values()
    return {
        "value": value,
        "low": min(band.low, value),
        "high": max(band.high, value),
        "unit": unit,
        "grade": max((f.grade for f in figures), key=GRADE_ORDER.index, default="derived"),
        "basis": "computed" if bench.functions else "looked-up",
        "sources": list(dict.fromkeys(f.source for f in figures)),
        "inputs": list(bench.inputs),
        "title": title,
        "note": note,
    }


@cache
def claimed(claim_id: str, title: str, unit: str = "") -> dict[str, Any]:
    """Return what the audit computes for a claim, as a fact."""
    result = audit_one(claim_id)
    value = float(result.value) if isinstance(result.value, (int, float)) else 0.0
    keys = [key for key in result.inputs if "/" in key]
    figures = [entry(k.partition("/")[0], k.partition("/")[2].rpartition(".")[0]).figures.get(k.rpartition(".")[2])
               for k in keys]  # fmt: skip
    found = [f for f in figures if f is not None]
    return {
        "value": value,
        "low": result.low if result.low is not None else value,
        "high": result.high if result.high is not None else value,
        "unit": unit or result.claim.unit,
        "grade": max((f.grade for f in found), key=GRADE_ORDER.index, default="derived"),
        "basis": result.basis,
        "sources": list(dict.fromkeys(f.source for f in found)),
        "inputs": list(result.inputs),
        "title": title,
        "note": result.note,
        "claim": claim_id,
        "verdict": result.verdict,
        "stated": {"low": result.claim.low, "high": result.claim.high, "unit": result.claim.unit},
    }


def compared(key: str, work: Work, unit: str, sentence: str, note: str = "") -> dict[str, Any]:
    """Return an everyday comparison: its number, and the sentence with the number in it."""
    made = fact(work, unit, key, note)
    del made["title"]
    value = made["value"]
    return {"key": key, **made, "sentence": sentence.format(n=digits(value, 2), N=digits(value, 3))}


def paper(source: str, why: str) -> dict[str, Any]:
    """Return a paper of the sources, with why it matters."""
    s = sources()[source]
    return {"key": source, "year": s.year, "title": s.title, "authors": s.authors, "url": s.url, "why": why}


def held_B(b: Bench) -> Any:
    """Return the bytes of the whole model."""
    return b.use(weights.held_B, parameters=b[f"{V3}.parameters"], weight_B=b[f"{V3}.weight_B"])


def used_B(b: Bench) -> Any:
    """Return the bytes of the weights that one token uses."""
    return b.use(weights.held_B, parameters=b[f"{V3}.active_parameters"], weight_B=b[f"{V3}.weight_B"])


def read_s(b: Bench) -> Any:
    """Return the time of reading them from a chip's memory."""
    return b.use(decode.memory_bound_time_s, size_B=used_B(b), bandwidth_B_s=b[f"{CHIP}.bandwidth_B_s"])


def token_flop(b: Bench) -> Any:
    """Return the operations of a token in the weights."""
    return b.use(prefill.linear_flop, active_parameters=b[f"{V3}.active_parameters"], tokens=1.0)


def sums_s(b: Bench) -> Any:
    """Return the time of a token's operations at the chip's peak rate."""
    return token_flop(b) / b[f"{CHIP}.fp8_rate_flop_s"]


def electricity() -> dict[str, Any]:
    """Return step 1."""
    return {
        "key": "electricity",
        "title": "Electricity in, heat out",
        "numbers": {
            "chip_W": claimed("C001", "power of one chip"),
            "server_W": fact(
                lambda b: b[f"{CHIP}.rated_power_W"] * b[f"{SERVED}.accelerators_per_server"], "W",
                "the eight chips of one server", "Rated power; host, network and cooling come on top.",
            ),
            "toggle_J": fact(
                lambda b: b.use(silicon.toggle_energy_J, node_capacitance_F=b[f"{CHIP}.node_capacitance_F"],
                                supply_voltage_V=b[f"{CHIP}.supply_voltage_V"]), "J", "one flip of one switch"),
            "toggles_1_s": fact(
                lambda b: b.use(silicon.toggles_per_second, power_W=b[f"{CHIP}.rated_power_W"],
                                node_capacitance_F=b[f"{CHIP}.node_capacitance_F"],
                                supply_voltage_V=b[f"{CHIP}.supply_voltage_V"]), "1/s",
                "flips a second that this power pays for", "At most: if all of it were flips."),
            "pue": fact(lambda b: b["datacenters/hyperscale-us.pue"], "1", "whole building over its computers"),
            "water_usage_L_kWh": fact(lambda b: b["datacenters/hyperscale-us.water_usage_L_kWh"], "L/kWh",
                                      "water that the building evaporates for each kilowatt-hour"),
        },
        "comparisons": [
            compared("microwaves", lambda b: b[f"{CHIP}.rated_power_W"] / b[OVEN], "1",
                     "One chip draws as much as {n} microwave ovens that never stop.",
                     "Rated power of the chip over what an oven draws from the wall."),
            compared("microwaves_server", lambda b: b[f"{CHIP}.rated_power_W"] * b[f"{SERVED}.accelerators_per_server"]
                     / b[OVEN], "1", "The eight chips of one server: {n} ovens."),
            compared("lamps", lambda b: b[f"{CHIP}.rated_power_W"] / b[LAMP], "1",
                     "Or as much as {n} LED lamps."),
        ],
        "papers": [paper("horowitz-2014", "It laid out what each operation costs in joules: moving a number costs more "
                         "than computing with it.")],
    }  # fmt: skip


def vectors() -> dict[str, Any]:
    """Return step 2."""
    return {
        "key": "vectors",
        "title": "Words become numbers",
        "numbers": {
            "width": claimed("C002", "numbers in a token's vector"),
            "vocabulary": fact(lambda b: b[f"{V3}.vocabulary"], "1", "rows of the table"),
            "table_parameters": fact(
                lambda b: b.use(embedding.table_parameters, vocabulary=b[f"{V3}.vocabulary"],
                                hidden_width=b[f"{V3}.hidden_width"]), "1", "numbers in the table"),
            "characters_per_token": fact(lambda b: b[f"{V3}.bytes_per_token_B"], "B", "bytes of text in a token"),
            "prompt_tokens": fact(lambda b: b.trip("cloud", "model.tokenizer/prompt_tokens"), "token",
                                  "tokens of the prompt", "With the marks of the chat around it."),
        },
        "comparisons": [
            compared("aloud_h", lambda b: b[f"{V3}.hidden_width"] / 3600.0, "h",
                     "Read aloud, one number a second, one token takes {n} hours."),
            compared("directions", lambda b: b[f"{V3}.hidden_width"] / 3.0, "1",
                     "A room has three directions; this space has {N} times as many."),
        ],
        "papers": [],
    }  # fmt: skip


def recipe() -> dict[str, Any]:
    """Return step 3."""
    return {
        "key": "weights",
        "title": "The recipe",
        "numbers": {
            "parameters": claimed("C003", "numbers held"),
            "active_parameters": claimed("C004", "numbers used for one token"),
            "published_parameters": fact(lambda b: b[f"{V3}.parameters"], "1", "numbers held, as published"),
            "published_active": fact(lambda b: b[f"{V3}.active_parameters"], "1", "numbers used, as published"),
            "size_B": fact(held_B, "B", "bytes of the whole recipe", "One byte each, as it is published."),
            "training_tokens": claimed("C005", "tokens that it was trained on", "token"),
            "experts": fact(lambda b: b[f"{V3}.experts"], "1", "experts of a layer that may be picked"),
            "picked_experts": fact(lambda b: b[f"{V3}.picked_experts"], "1", "experts that are picked for a token"),
            "shared_experts": fact(lambda b: b[f"{V3}.shared_experts"], "1", "experts that every token uses"),
            "moe_layers": fact(lambda b: b[f"{V3}.layers"] - b[f"{V3}.dense_layers"], "1", "layers with experts"),
            "chips": fact(lambda b: b.use(weights.accelerators_needed, held_B=held_B(b),
                                           memory_B=b[f"{CHIP}.memory_B"], usable_share=1.0), "1",
                          "chips that it takes only to hold it", "80 GB each; keys and values of the readers beside."),
        },
        "comparisons": [
            compared("count_years", lambda b: b[f"{V3}.parameters"] / YEAR_S, "1",
                     "Counting them, one a second, takes {N} years."),
            compared("used_share", lambda b: 100.0 * b[f"{V3}.active_parameters"] / b[f"{V3}.parameters"], "%",
                     "One token uses {n} % of the recipe."),
            compared("each_person", lambda b: b[f"{V3}.parameters"] / b[PEOPLE], "1",
                     "Dealt out to everybody on Earth: {n} numbers each."),
        ],
        "papers": [
            {**paper("switch-2021", "Only a few experts work on each token, so a model can hold many times more than "
                     "it uses. This one showed it with a trillion numbers."), "claim": claimed("C022", "year")},
            paper("shazeer-2017", "The layer of experts that a small network picks from, four years earlier."),
        ],
    }  # fmt: skip


def sums() -> dict[str, Any]:
    """Return step 4."""
    return {
        "key": "sums",
        "title": "Multiply and add",
        "numbers": {
            "flop": claimed("C006", "operations for one token"),
            "rate_flop_s": fact(lambda b: b[f"{CHIP}.fp8_rate_flop_s"], "flop/s", "operations a second, at best"),
            "sums_s": fact(sums_s, "s", "time of one token's sums at that rate"),
            "heads": fact(lambda b: b[f"{V3}.heads"], "1", "attention heads of a layer"),
            "people_days": claimed("C007", "days that all people take for one second of the chip", "day"),
            "people_sums": claimed("C008", "sums for each person and token"),
        },
        "comparisons": [
            compared("people_days", lambda b: b.use(silicon.people_time_s, flop=b[f"{CHIP}.fp8_rate_flop_s"],
                                                    flop_per_sum=1.0, people=b[PEOPLE]) / DAY_S, "day",
                     "If everybody on Earth did one sum a second without sleeping, they would need {n} days for one "
                     "second of this chip.", "Each multiplication and each addition is a sum."),
            compared("people_sums", lambda b: b.use(silicon.people_time_s, flop=token_flop(b), flop_per_sum=1.0,
                                                    people=b[PEOPLE]), "1",
                     "One token is {n} sums for every person alive.",
                     "If one sum multiplies and adds, as the page says, it is half of that."),
            compared("people_sums_by_definition", lambda b: b.use(silicon.people_time_s, flop=token_flop(b),
                                                                  flop_per_sum=2.0, people=b[PEOPLE]), "1",
                     "Counted as multiply-and-add: {n} sums for every person alive."),
        ],
        "papers": [{**paper("vaswani-2017", "Each new token looks back at all earlier ones and weighs what matters; "
                            "since then nearly every language model does."), "claim": claimed("C023", "year")}],
    }  # fmt: skip


def batch_of_equal_energy(b: Bench) -> Any:
    """Return the answers at once at which fetching weights and computing take equal time on one chip, at best."""
    return read_s(b) / sums_s(b)


def memory() -> dict[str, Any]:
    """Return step 5."""
    return {
        "key": "memory",
        "title": "Fetching is the slow part",
        "numbers": {
            "read_B": claimed("C009", "bytes of weights read for one token", "B"),
            "read_s": claimed("C010", "time of that read"),
            "bandwidth_B_s": fact(lambda b: b[f"{CHIP}.bandwidth_B_s"], "B/s", "bytes a second from the memory stacks"),
            "sums_s": fact(sums_s, "s", "time of the sums"),
            "write_J": claimed("C011", "energy to write a token"),
            "read_J": claimed("C012", "energy to read a token"),
            "fetch_share": fact(
                lambda b: b.use(silicon.fetch_share, size_B=used_B(b), energy_per_byte_J=b[f"{CHIP}.energy_per_byte_J"],
                                flop=token_flop(b), energy_per_flop_J=b[f"{CHIP}.fp8_energy_J"]), "1",
                "share of fetching in the energy of fetching and computing, one reader alone"),
            "fetching": claimed("C020", "is most of the energy fetching?", "bool"),
            "streams": fact(lambda b: b[f"{SERVED}.streams"], "1", "answers that one chip writes at once"),
            "equal_batch": fact(batch_of_equal_energy, "1",
                                "tokens that must share one read for the sums to take as long as the read"),
            "kv_token_B": fact(lambda b: b.trip("cloud", "step.model.kv_cache/kv_token_B"), "B",
                               "kept for each earlier token: its keys and values"),
        },
        "comparisons": [
            compared("wait_times", lambda b: read_s(b) / sums_s(b), "1",
                     "For one reader alone the chip fetches {N} times as long as it computes.",
                     "Both at the chip's peak rates."),
            compared("second_shelf_min", lambda b: read_s(b) / sums_s(b) / 60.0, "1",
                     "If its sums took one second, it would wait {n} minutes for the book."),
        ],
        "papers": [{**paper("shazeer-2019", "It worked out that reading the kept keys and values, not computing, "
                            "limits how fast a model writes."), "claim": claimed("C024", "year")}],
    }  # fmt: skip


def pick() -> dict[str, Any]:
    """Return step 6."""
    return {
        "key": "pick",
        "title": "Score every word, pick one",
        "numbers": {
            "scores": claimed("C013", "scores at the last layer"),
            "pick_s": fact(lambda b: b.trip("cloud", "model.sampling/duration_s"), "s", "time to pick"),
        },
        "comparisons": [
            compared("scores_days", lambda b: b[f"{V3}.vocabulary"] / DAY_S, "day",
                     "Giving one mark a second, a teacher would need {n} days for the marks of one token."),
        ],
        "papers": [],
    }  # fmt: skip


def loop() -> dict[str, Any]:
    """Return step 7."""
    return {
        "key": "loop",
        "title": "And again, for the next token",
        "numbers": {
            "layers": claimed("C014", "layers"),
            "rate_token_s": claimed("C015", "tokens a second that a reader sees"),
            "token_s": fact(lambda b: b.trip("cloud", "time_per_output_token_s"), "s", "time of one token"),
            "reply_J": claimed("C016", "energy of a reply of 500 tokens"),
            "word_water_L": claimed("C019", "water of each word"),
            "passes": fact(lambda b: b[f"{V3}.layers"] * REPLY_TOKENS, "1", "layers that 500 tokens pass through"),
            "reading_rate_1_s": fact(lambda b: b[f"{READER}.reading_rate_1_s"], "1/s", "words a second that you read"),
        },
        "comparisons": [
            compared("faster_than_reading", lambda b: b[f"{READER}.words_per_token"]
                     / b.trip("cloud", "time_per_output_token_s") / b[f"{READER}.reading_rate_1_s"], "1",
                     "It writes {n} times as fast as you read."),
            compared("trips", lambda b: REPLY_TOKENS * b[f"{V3}.layers"], "1",
                     "A reply of 500 tokens is 500 trips through all layers: {N} of them."),
            compared("lamp_s", lambda b: audit_value("C016") / b[LAMP], "s",
                     "What its chips take for those would light an LED lamp for {n} seconds."),
        ],
        "papers": [{**paper("vaswani-2017", "Writing goes one token at a time, each from all before it: section 3 of "
                            "the paper."), "claim": claimed("C023", "year")}],
    }  # fmt: skip


@cache
def audit_value(claim_id: str) -> float:
    """Return the value that the audit computes for a claim."""
    value = audit_one(claim_id).value
    return float(value) if isinstance(value, (int, float)) else 0.0


QUESTIONS = (
    ("What happens between pressing enter and the first word appearing?", 1),
    ("Where does the electricity go?", 1),
    ("How does a sentence become numbers?", 2),
    ("What is the model, physically?", 3),
    ("What does the chip actually do with your words?", 4),
    ("Why is memory the expensive part?", 5),
    ("How does it pick the next word?", 6),
    ("Why does the reply come one word at a time?", 7),
    ("What becomes scarce when intelligence becomes cheap?", 5),
)


def _of_word(parts: tuple[str, ...], name: str, unit: str, title: str, note: str) -> dict[str, Any]:
    scenario = load_scenario("cloud")
    made = account(scenario, parts, samples=SAMPLES)
    from roundtrip.journey.forecast import forecast

    trip = forecast(scenario=scenario, samples=0)
    words = float(trip.summary["words"])
    names = ("water_on_site_L", "water_off_site_L") if name == "water_L" else (name,)
    value = sum(float(made.total(n)) for n in names) / words
    low, high = (sum(made.bands[n][i] for n in names) / words for i in (0, 1))
    return {
        "value": value, "low": min(low, value), "high": max(high, value), "unit": unit, "grade": "estimate",
        "basis": "computed", "sources": sorted({k for span in trip.spans for k in span.sources if span.energy_J})[:6],
        "inputs": [f"energy:cloud:{','.join(parts)}"], "title": title, "note": note,
    }  # fmt: skip


def _drops(of: dict[str, Any]) -> dict[str, Any]:
    volume = entry("everyday", "drop").figure("volume_L").value
    return {**of, "value": of["value"] / volume, "low": of["low"] / volume, "high": of["high"] / volume, "unit": "1",
            "title": f"{of['title']}, in drops"}  # fmt: skip


def cost_of_word() -> dict[str, Any]:
    """Return energy, water and carbon of one word: in the datacenter, and with everything."""
    site = "The part of the datacenter: chips, servers, those on call, the building."
    whole = "Everything on the way, also your own screen and router, their making and the training."
    made = {
        "site_J": _of_word(SITE, "energy_J", "J", "energy of a word in the datacenter", site),
        "whole_J": _of_word(PARTS, "energy_J", "J", "energy of a word, everything", whole),
        "site_water_L": _of_word(SITE, "water_L", "L", "water of a word in the datacenter", site),
        "whole_water_L": _of_word(PARTS, "water_L", "L", "water of a word, everything", whole),
        "site_carbon_g": _of_word(SITE, "carbon_g", "g", "carbon of a word in the datacenter", site),
        "whole_carbon_g": _of_word(PARTS, "carbon_g", "g", "carbon of a word, everything", whole),
    }
    made["site_drops"] = _drops(made["site_water_L"])
    made["whole_drops"] = _drops(made["whole_water_L"])
    battery = entry("everyday", "phone-battery").figure("energy_J").value
    made["words_per_charge"] = {**made["site_J"], "value": battery / made["site_J"]["value"], "unit": "1",
                                "low": battery / made["site_J"]["high"], "high": battery / made["site_J"]["low"],
                                "title": "words that the energy of one full phone battery pays for"}  # fmt: skip
    return made


def word() -> dict[str, Any]:
    """Return the one-word machine."""
    steps = [electricity(), vectors(), recipe(), sums(), memory(), pick(), loop()]
    for number, step in enumerate(steps, start=1):
        step["number"] = number
        step["questions"] = [i for i, (_, at) in enumerate(QUESTIONS, start=1) if at == number]
    return {
        "model": entry("models", "deepseek-v3").title,
        "prompt": DEFAULT_PROMPT,
        "questions": [{"number": i, "text": text, "step": step} for i, (text, step) in enumerate(QUESTIONS, start=1)],
        "steps": steps,
        "word": cost_of_word(),
    }
