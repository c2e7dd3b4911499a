"""Hold the model room against what a maker published of its service: DeepSeek's day on H800 servers.

Load and layout are the disclosure's (catalog: disclosures, servings); the constants of the step are those that were
fitted without any row of this family (catalog: step_constants_apart). A family that had no part in a fit is predicted
with an error of its own, which was measured on other families and is part of the band. Sequences an accelerator follow
from two of the published figures by Little's law, so that the speed of a reader and the rate of a server are one
prediction.

A server that reads prompts was not always busy: the published rate is what was asked on a day's average. How busy is
not disclosed and is drawn from a band.

References
----------
.. [1] DeepSeek-AI, "DeepSeek-V3/R1 inference system overview", 2025,
   https://github.com/deepseek-ai/open-infra-index
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import Entry, entry
from roundtrip.figures.sampling import quantile
from roundtrip.serving.architecture import architecture
from roundtrip.serving.case import Case, case
from roundtrip.serving.constants import STEP
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import prompt_flop, spans, total_s
from roundtrip.stages.model import decode, speculative

Floats = NDArray[np.float64]

DAY = "deepseek-day"
APART = "step_constants_apart"
WORLDS = 4000
SEED = 20250227
WIDEST = 0.25  # half of the band over the published figure
PER_SERVER = 8.0
KEPT = 0.85  # of one drafted token, "80 to 90 %": C. Zhao et al., Insights into DeepSeek-V3, arXiv 2505.09343, 2.3.3


@dataclass(frozen=True)
class Service:
    """The published service.

    Attributes
    ----------
    day, serving : Entry
        Of the catalog.
    constants : mapping
        Of the step, without this family.
    """

    day: Entry
    serving: Entry
    constants: Mapping[str, Any]

    def case(self, ranks: float) -> Case:
        """Return the numbers of a unit of so many accelerators, experts spread over all of them."""
        layout = Layout(
            tensor=int(self.serving.figure("tensor_ranks").value),
            groups=int(ranks),
            expert=int(ranks),
            batch_parts=int(self.serving.figure("batch_parts").value),
            redundant=int(self.serving.figure("redundant_experts").value),
        )
        model = architecture(self.day.texts["of_model"])
        return case(
            model, self.day.texts["on_accelerator"], layout, self.day.texts["precision"], kv_B=self._of("kv_element_B")
        )

    def _of(self, name: str) -> float:
        return self.serving.figure(name).value

    def streams(self, user_rate_token_s: Any) -> Any:
        """Return the sequences of one accelerator that writes: Little's law on the published rates."""
        return self.day.figure("output_rate_token_s").value / PER_SERVER / user_rate_token_s

    def writing(self, k: Mapping[str, Any], streams: Any, positions: float = 1.0) -> tuple[Case, dict[str, Any]]:
        """Return the parts of a step that writes, on one accelerator [s]."""
        c = self.case(self._of("expert_ranks"))
        own = streams * positions
        return c, spans(c, k, own, own * c.groups, streams, self.day.figure("context_tokens").value, 0.0)

    def reading(self, k: Mapping[str, Any], prompt: Any, variation: Any) -> tuple[Case, dict[str, Any]]:
        """Return the parts of a pass that reads, on one accelerator [s].

        The work of attention grows with the square of a prompt, so that prompts of unequal length take more of it.
        """
        c = self.case(self._of("prefill_expert_ranks"))
        own = self.day.figure("pass_tokens").value
        hit = self.day.figure("cache_hit_share").value
        new = prompt * (1.0 - hit)
        flop = own / new * prompt_flop(c, new, prompt * hit) * (1.0 + variation)
        return c, spans(c, k, own, own * c.groups, own / new, 0.0, flop)


def service() -> Service:
    """Return the published service with the middle of its constants."""
    apart = entry(APART, entry("disclosures", DAY).texts["of_model"])
    day = entry("disclosures", DAY)
    return Service(day, entry("servings", day.texts["serving"]), {name: apart.figure(name).value for name in STEP})


def worlds(s: Service) -> dict[str, Any]:
    """Return draws of the constants and of what the disclosure leaves open, by name, (worlds,)."""
    apart = entry(APART, s.day.texts["of_model"])
    figures = {name: apart.figure(name) for name in (*STEP, "family_factor")}
    figures["communication_overlap"] = s.serving.figure("communication_overlap")
    figures |= {
        name: s.day.figure(name) for name in ("prompt_tokens", "prompt_variation", "reading_share", "user_rate_token_s")
    }
    rng = np.random.default_rng(SEED)
    drawn: dict[str, Any] = {}
    for name, figure in figures.items():
        drawn[name] = quantile(figure, rng.random(WORLDS), rng.standard_normal(WORLDS))
    return drawn


def step_s(c: Case, parts: Mapping[str, Any], overlap: Any) -> Any:
    """Return the time of a step of which a share of the messages is hidden behind the work of the other half [s]."""
    busy = sum(parts[name] for name in ("weights", "experts", "vectors", "cache", "prompts"))
    return total_s(c, {**parts, "messages": decode.exposed_time_s(parts["messages"], busy, overlap)})


def rates() -> dict[str, Floats]:
    """Return draws of the published rates: of a reader, of a server that writes, of one that reads [token/s]."""
    s = service()
    k = worlds(s)
    streams = s.streams(k["user_rate_token_s"])
    c, parts = s.writing(k, streams)
    user = 1.0 / (k["family_factor"] * step_s(c, parts, k["communication_overlap"]))
    c, parts = s.reading(k, k["prompt_tokens"], k["prompt_variation"])
    new = s.day.figure("pass_tokens").value / (k["family_factor"] * step_s(c, parts, k["communication_overlap"]))
    taken = PER_SERVER * new / (1.0 - s.day.figure("cache_hit_share").value)
    return {
        "user_rate_token_s": user,
        "output_rate_token_s": PER_SERVER * streams * user,
        "input_rate_token_s": taken * k["reading_share"],
    }


@dataclass(frozen=True, slots=True)
class Span:
    """One line between the read of 11 ms and the token of 48 ms."""

    title: str
    duration_s: float
    meaning: str


def gap() -> list[Span]:
    """Return what lies between reading each weight of a token once and the time of a written token, part by part."""
    s = service()
    k, streams = s.constants, float(s.streams(s.day.figure("user_rate_token_s").value))
    c, parts = s.writing(k, streams)
    overlap = s.serving.figure("communication_overlap").value
    once_s = 37e9 / c.bandwidth_B_s
    own_B = (c.body + c.head) * c.common_B
    peak_s = own_B / c.bandwidth_B_s
    busy = sum(parts[name] for name in ("weights", "experts", "vectors", "cache", "prompts"))
    shown = float(decode.exposed_time_s(parts["messages"], busy, overlap))
    hidden = float(parts["messages"]) - shown
    token_s = float(step_s(c, parts, overlap))
    positions = float(speculative.positions(1.0))
    mtp, drafted = s.writing(k, streams, positions)
    drafted_s = float(step_s(mtp, drafted, overlap)) / float(speculative.expected_tokens(KEPT, 1.0))
    found = {name: float(value) for name, value in parts.items()}
    context = s.day.figure("context_tokens").value
    return [
        Span("each weight of a token, once", once_s,
             "37 GB: as if one accelerator read what one token uses, at its peak rate"),
        Span("common weights, once", peak_s,
             f"{own_B / 1e9:.1f} GB: attention and shared experts, copied to each of {c.groups:.0f}; at the peak rate"),
        Span("common weights, as read", found["weights"],
             "at the rate that is reached, and twice: two halves of the batch take turns"),
        Span("routed experts", found["experts"],
             "two a layer, for the tokens of all accelerators; the busiest is waited for"),
        Span("cache", found["cache"], f"{streams:.0f} sequences look back at {context:.0f} tokens each"),
        Span("vectors between matrices", found["vectors"], "written and read by many small kernels"),
        Span("launches", found["launch"], "kernels of 61 layers, twice, and the scheduler"),
        Span("sequences", found["streams"], "sampling, text and bookkeeping of each"),
        Span("dispatch and combine, seen", shown, "what the other half of the batch does not hide"),
        Span("a written token", token_s, "the sum from the third line on"),
        Span("dispatch and combine, hidden", hidden, "behind the work of the other half: not in the sum"),
        Span("a token with one draft", drafted_s,
             f"if the next token were guessed and right with {KEPT:.0%}: the published speed knows no such gain"),
    ]  # fmt: skip


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the published figures.

    Parameters
    ----------
    directory : Path
        Folder of data sets; none is needed.
    """
    s, drawn = service(), rates()
    titles = {
        "user_rate_token_s": "tokens/s of a reader",
        "output_rate_token_s": "tokens/s written by a server",
        "input_rate_token_s": "tokens/s taken in by a server",
    }
    scores: list[dict[str, Any]] = []
    for name, title in titles.items():
        published = s.day.figure(name)
        low, middle, high = (float(x) for x in np.percentile(drawn[name], (5, 50, 95)))
        half = (high - low) / (2.0 * published.value)
        inside = low <= published.low and published.high <= high
        scores.append(
            {
                "name": f"DeepSeek-V3 on H800: {title}",
                "metric": f"half of p5 to p95 ({low:.4g} to {high:.4g}) over the published {_range(published)}",
                "value": half,
                "bar": WIDEST,
                "holds": inside and half <= WIDEST,
                "n": 1,
                "coverage": float(inside),
                "split": "constants fitted without any row of DeepSeek, load and layout as disclosed",
                "rivals": {},
                "model": middle,
                "published": published.value,
            }
        )
    scores[0]["spans_ms"] = {span.title: 1e3 * span.duration_s for span in gap()}
    return scores


def _range(figure: Any) -> str:
    return f"{figure.value:g}" if figure.low == figure.high else f"{figure.low:g} to {figure.high:g}"
