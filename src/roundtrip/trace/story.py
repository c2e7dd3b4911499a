"""The trip in plain words: the summary figures, and a few sentences that a reader can repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roundtrip.trace.look import ROOM_TITLES
from roundtrip.trace.model import HEADS, Trace
from roundtrip.trace.numbers import band, digits, si, unit_of
from roundtrip.trace.path import critical_path

LABELS = {
    "time_to_first_token_s": "first token in the computer",
    "time_to_first_photon_s": "first photon of the answer",
    "time_to_first_word_s": "first word understood",
    "time_to_first_answer_s": "first word of the answer proper",
    "time_to_last_token_s": "whole answer",
    "time_to_last_word_s": "whole answer read",
    "time_per_output_token_s": "each token after the first",
    "network_s": "network and light, both ways",
    "datacenter_s": "inside the datacenter, without the model",
    "queue_s": "waiting for a free place",
    "unattributed_s": "what no span explains",
    "prefill_s": "the model reads the prompt",
    "decode_s": "the model writes the answer",
    "energy_J": "electricity",
    "serving_J": "the model's machines and their building",
    "body_J": "the body's own work (finger, eye, brain)",
    "water_L": "water",
    "water_on_site_L": "  on site",
    "water_off_site_L": "  off site",
    "carbon_g": "carbon (CO2 equivalent)",
    "cost_usd": "cost",
    "words": "words",
    "tokens": "tokens written",
    "serving_per_token_J": "energy per token, model and building only",
    "energy_per_token_J": "energy per token, the whole way",
    "energy_per_word_J": "energy per word, the whole way",
    "carbon_per_word_g": "carbon per word",
    "water_per_word_L": "water per word",
    "water_per_token_L": "water per token",
    "conversions": "conversions between charge and light",
}
DROP_L = 5e-5
HEAD_LABELS = {
    "marginal": "marginal: only because of this prompt",
    "allocated": "allocated: its share of what serves many",
    "always_on": "always on: would run anyway",
}


def rows(trace: Trace) -> list[tuple[str, str, str, str]]:
    """Return label, value, band and p99 of trips (in the typical world) of each summary figure, as in `LABELS`."""
    result: list[tuple[str, str, str, str]] = []
    names = [n for n in LABELS if n in trace.summary] + [n for n in trace.summary if n not in LABELS]
    for name in names:
        value = trace.summary[name]
        label, unit = LABELS.get(name, name), unit_of(name)
        if isinstance(value, dict):
            heads: dict[str, float] = value
            result.append((label, si(sum(heads.values()), unit), *_bands(trace, name, sum(heads.values()), unit)))
            result += [
                ("  " + HEAD_LABELS[h], si(heads[h], unit), *_bands(trace, f"{name}.{h}", heads[h], unit))
                for h in HEADS
            ]
        else:
            result.append((label, si(value, unit), *_bands(trace, name, value, unit)))
    return result


def _bands(trace: Trace, name: str, value: float, unit: str) -> tuple[str, str]:
    found = trace.summary_bands.get(name)
    if not found:
        return "", ""
    slow = si(found["slow"], unit) if unit == "s" and found["slow"] > value * 1.005 else ""
    return band(found["low"], found["high"], value, unit), slow


def summary_lines(trace: Trace, width: int, paint: Callable[[str, str], str]) -> list[str]:
    """Return the summary as lines."""
    wide = width >= 88
    label_width = 44 if wide else 38
    head = f"{'':<{label_width}} {'value':>9}  {'p5–p95':<12}" + (" p99 of trips" if wide else "")
    lines = [paint(head, "dim")] if trace.samples else []
    for label, value, spread, slow in rows(trace):
        shown = label if len(label) <= label_width else label[: label_width - 1] + "…"
        line = f"{shown:<{label_width}} {value:>9}  {spread:<12}"
        lines.append((line + (f" {slow:>9}" if wide else "")).rstrip())
    return lines


def story(trace: Trace, width: int) -> list[str]:
    """Return a few sentences that say what the numbers mean."""
    import textwrap

    lines: list[str] = []
    for sentence in sentences(trace):
        lines += textwrap.wrap(sentence, min(width, 96))
    return lines


def sentences(trace: Trace) -> list[str]:
    """Return the sentences of `story`, each whole."""
    summary: dict[str, Any] = trace.summary
    said: list[str] = []
    first = summary.get("time_to_first_word_s", summary.get("time_to_first_token_s"))
    last = summary.get("time_to_last_token_s")
    if first is not None and last is not None:
        if "time_to_first_word_s" in summary:
            said.append(
                f"{si(first, 's')} after the finger starts, the first word is understood; "
                f"the whole answer is in the computer after {si(last, 's')}."
            )
        else:
            said.append(f"The first word is there after {si(first, 's')}, the whole answer after {si(last, 's')}.")
    longest = _longest(trace)
    if longest:
        said.append(longest)
    heads = summary.get("energy_J")
    if isinstance(heads, dict):
        joules: dict[str, float] = heads
        said += _energy_sentences(summary, joules)
    return said


def _longest(trace: Trace) -> str:
    """Say which room the wait for the first token was spent in."""
    end = trace.summary.get("time_to_first_token_s")
    if not end:
        return ""
    spent: dict[str, float] = {}
    for span in critical_path(trace):
        room = span.name if span.carrier == "waiting" else span.room
        spent[room] = spent.get(room, 0.0) + span.duration_s
    if not spent:
        return ""
    ranked = sorted(spent.items(), key=lambda item: -item[1])[:3]
    parts = [f"{si(seconds, 's')} {_where(room)} ({100 * seconds / end:.0f} %)" for room, seconds in ranked]
    return f"Of the {si(end, 's')} to the first token, most is spent in three places: {', '.join(parts)}."


def _where(name: str) -> str:
    if name == "datacenter.queue":
        return "waiting for a place"
    if "." in name:
        return f"waiting ({name})"
    return {
        "optics": "as light in the glass",
        "eye": "in the eye",
        "keyboard": "at the keyboard",
        "network": "on the network",
        "model": "in the model",
        "computer": "in the computer",
        "datacenter": "in the datacenter",
        "display": "at the display",
    }.get(name, ROOM_TITLES.get(name, name).lower())


def _energy_sentences(summary: dict[str, Any], joules: dict[str, float]) -> list[str]:
    total = sum(joules.values())
    if not total:
        return []
    own, heads = joules["marginal"] + joules["allocated"], {head: si(joules[head], "J") for head in HEADS}
    said = [
        f"It takes {si(total, 'J')} of electricity: {heads['marginal']} only because of this prompt, "
        f"{heads['allocated']} as its share of what serves many, {heads['always_on']} for things that are on anyway. "
        f"Without the last, that would light a 10 W lamp for {si(own / 10.0, 's')}."
    ]
    water, carbon = summary.get("water_L"), summary.get("carbon_g")
    if water is not None and carbon is not None:
        drops = digits(water / DROP_L, 2)
        said.append(
            f"For all of it, water: {si(water, 'L')}, or {drops} drops of 0.05 mL; "
            f"carbon: {si(carbon, 'g')} of CO2 equivalent."
        )
    return said
