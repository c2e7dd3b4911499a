"""The real answer: the small model on this machine writes it, and what it took stands beside the forecast.

This is the short way, in one process without a network; `journey.record` goes the long one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from roundtrip.engine import engine as engine_room
from roundtrip.engine.bpe import TextStream
from roundtrip.engine.calibrate import Calibration, calibration
from roundtrip.engine.engine import Engine, ModelCard
from roundtrip.engine.generate import generate
from roundtrip.engine.sampling import GREEDY, Sampling
from roundtrip.errors import DomainError, PromptError
from roundtrip.journey.beside import Beside, busy, rows_as_text
from roundtrip.journey.forecast import forecast
from roundtrip.journey.here import counted, here, shaped
from roundtrip.trace.model import Trace
from roundtrip.trace.numbers import digits, si
from roundtrip.trace.table import one_line, wrap

FORMS = ("auto", "chat", "text")
MOST_TOKENS = 64
# No sentence ends in one of these: what does is the beginning of a text, to be gone on with.
_OPEN = (
    "a about after an and are as at be because been before but by called can could for from had has have if in into is "
    "like my named of on or our than that the their to was were when which while who will with would your"
)
OPEN_WORDS = frozenset(_OPEN.split())
TRUST = "a teaching model of {size} weights; it writes well and is often wrong: check what it says"


def form_of(prompt: str, form: str = "auto") -> str:
    """Return how a prompt is put to the model: ``chat``, or ``text`` where it is the beginning of a sentence."""
    if form not in FORMS:
        raise DomainError(f"form {form!r}, allowed: {', '.join(FORMS)}")
    if form != "auto":
        return form
    words = prompt.split()
    return "text" if len(words) > 1 and words[-1].lower() in OPEN_WORDS else "chat"


def stops(form: str) -> tuple[str, ...]:
    """Return the texts that end an answer: a sentence that is gone on with ends with its line."""
    return ("\n",) if form == "text" else ()


def trust(card: ModelCard | None, model: str) -> str:
    """Return in one line which model wrote an answer, and how much it can be trusted."""
    if card is None:
        return f"{model}, a model that this computer knows by its name only: check what it says"
    millions = card.parameters / 1e6
    size = f"{millions:.0f} million" if millions < 1_000 else f"{millions / 1e3:.1f} billion"
    return f"{model}, {TRUST.format(size=size)}"


@dataclass(slots=True)
class Answer:
    """A real answer, and what it took.

    Attributes
    ----------
    text : str
    form : str
        ``chat``, or ``text`` where the prompt was gone on with.
    finish : str
        ``end`` (the model ended it), ``stop`` (its line ended), or ``length`` (so many tokens were asked for).
    prompt_tokens, output_tokens : int
    first_token_s, per_token_s : float, float or None
        From the prompt to the first token; each token after that [s].
    rows : list of Beside
    """

    text: str
    form: str
    finish: str
    prompt_tokens: int
    output_tokens: int
    first_token_s: float
    per_token_s: float | None
    whole_s: float
    load_s: float
    card: ModelCard
    calibration: Calibration
    rows: list[Beside]

    @property
    def name(self) -> str:
        """What people call the model: the file's name, without its ending."""
        return self.card.file.removesuffix(".gguf")

    @property
    def rate_token_s(self) -> float | None:
        """Tokens a second after the first."""
        return 1.0 / self.per_token_s if self.per_token_s else None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "text": self.text,
            "form": self.form,
            "finish": self.finish,
            "model": self.name,
            "trust": trust(self.card, self.name),
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "time_to_first_token_s": self.first_token_s,
            "time_per_output_token_s": self.per_token_s,
            "time_to_last_token_s": self.whole_s,
            "load_s": self.load_s,
            "rate_token_s": self.rate_token_s,
            "beside": [row.as_dict() for row in self.rows],
            "card": asdict(self.card),
            "calibration": self.calibration.as_dict(),
        }


def answer(
    prompt: str,
    form: str = "auto",
    max_tokens: int = MOST_TOKENS,
    sampling: Sampling = GREEDY,
    engine: Engine | None = None,
    model: str | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Let the model answer, and measure it.

    Parameters
    ----------
    prompt : str
    form : str
        ``auto``, ``chat`` or ``text``.
    max_tokens : int
        The most tokens of the answer.
    sampling : Sampling
    engine : Engine, optional
        One that is loaded already.
    model : str, optional
        Path of weights, where no engine is given.
    on_text : callable, optional
        Called with each piece of text as it comes.

    Raises
    ------
    ModelMissing
        There are no weights on this machine.
    PromptError
        The prompt does not fit into the model's context.
    """
    if max_tokens < 1:
        raise DomainError(f"{max_tokens} tokens of an answer: at least one is needed")
    began = time.perf_counter()
    loaded = engine or engine_room.load(model)
    load_s = time.perf_counter() - began
    numbers = calibration()
    chosen = form_of(prompt, form if loaded.chat else "text")
    sampling = Sampling(
        sampling.temperature, sampling.top_k, sampling.top_p, sampling.seed, (*stops(chosen), *sampling.stop)
    )
    start, start_cpu = time.perf_counter(), time.thread_time()
    ids = tokens_of(loaded, prompt, chosen)
    cut, cut_cpu = time.perf_counter(), time.thread_time()
    limit = loaded.model.sizes.context
    if len(ids) >= limit:
        raise PromptError(f"the prompt has {len(ids):,} tokens, and the model's context ends at {limit:,}")
    stream, text, finish = TextStream(loaded.tokenizer), "", "length"
    marks: list[tuple[float, float]] = []
    for token in generate(loaded, ids, sampling, max_tokens):
        marks.append((time.perf_counter(), time.thread_time()))
        if token.id in loaded.ends():
            finish = "end"
            break
        new = stream.feed(token.id)
        found = [at for at in ((text + new).find(stop) for stop in sampling.stop) if at >= 0]
        new = (text + new)[: min(found)][len(text) :] if found else new
        text += new
        if on_text is not None and new:
            on_text(new)
        if found:
            finish = "stop"
            break
    first, last = marks[0], marks[-1]
    more = len(marks) - 1
    trace = forecast_here(prompt, numbers, len(ids), len(marks), loaded)
    rows = [
        Beside(
            "model.tokenizer", f"the text is cut into {len(ids)} tokens", cut - start,
            _span(trace, "model.tokenizer") * wrapping(loaded, prompt, chosen), cut_cpu - start_cpu,
        ),
        Beside(
            "model.prefill", "the model reads them and picks the first", first[0] - cut,
            _span(trace, "model.prefill") - _span(trace, "prefill.engine") + _span(trace, "model.sampling"),
            first[1] - cut_cpu,
        ),
    ]  # fmt: skip
    if more:
        rows.append(
            Beside(
                "model.decode", "each token after that", (last[0] - first[0]) / more,
                float(trace.summary["time_per_output_token_s"]), (last[1] - first[1]) / more,
            )
        )  # fmt: skip
    return Answer(
        text=text.strip("\n") if chosen == "chat" else text,
        form=chosen,
        finish=finish,
        prompt_tokens=len(ids),
        output_tokens=len(marks),
        first_token_s=first[0] - start,
        per_token_s=(last[0] - first[0]) / more if more else None,
        whole_s=last[0] - start,
        load_s=load_s,
        card=loaded.card,
        calibration=numbers,
        rows=rows,
    )


def tokens_of(engine: Engine, prompt: str, form: str) -> list[int]:
    """Return the tokens of a prompt as the model gets them: inside the chat template, or as they are."""
    if form == "chat" and engine.chat is not None:
        return engine.chat.ids([{"role": "user", "content": prompt}])
    return engine.tokenizer.encode(prompt, special=False)


def wrapping(engine: Engine, prompt: str, form: str) -> float:
    """Return how many times longer a prompt is inside the chat template, in bytes: all of that is cut into tokens."""
    if form != "chat" or engine.chat is None:
        return 1.0
    whole = engine.chat([{"role": "user", "content": prompt}])
    whole_B, prompt_B = (len(text.encode("utf-8", "surrogatepass")) for text in (whole, prompt))
    return whole_B / max(prompt_B, 1)


def forecast_here(
    prompt: str, numbers: Calibration, prompt_tokens: int, output_tokens: int, engine: Engine | None = None
) -> Trace:
    """Return the forecast for this machine of an answer of exactly so many tokens.

    It is of the preset's model, or of the one that is loaded.
    """
    scenario = here(numbers).with_measured(counted(prompt, prompt_tokens, output_tokens))
    if engine is not None:
        scenario = scenario.with_measured(shaped(engine))
        if engine.model.head is not engine.model.embedding:
            scenario = scenario.with_settings(["model.name.tables=separate"], "the model")
    return forecast(prompt, scenario, samples=0)


def _span(trace: Trace, name: str) -> float:
    return trace.span(name).duration_s


def answer_as_text(found: Answer, prompt: str, width: int) -> list[str]:
    """Return the answer, who wrote it, and the recorded stages beside the forecast, as lines."""
    shown = one_line(found.text, 2_000)
    if found.form == "text":
        said = f"{one_line(prompt, 300)} {shown.lstrip()}" if found.text[:1].isspace() else one_line(prompt) + shown
    else:
        said = shown
    lines = ["The answer, for real:", ""]
    lines += [f"  {line}" for line in wrap(f"“{said}”", width - 4)]
    lines += ["", *wrap(f"By {trust(found.card, found.name)}.", width)]
    rate = f", then {digits(found.rate_token_s, 2)} tokens a second" if found.rate_token_s else ""
    ended = " (cut off there: --max-tokens)" if found.finish == "length" else ""
    lines += wrap(
        f"First token after {si(found.first_token_s, 's')}{rate}; {found.output_tokens} tokens{ended}. "
        "The same stages, recorded and forecast for this machine:",
        width,
    )
    lines += ["", *rows_as_text(found.rows, width)]
    c = found.calibration
    basis = (
        f"The forecast is the roofline of one thread: {si(c.bandwidth_B_s.value, 'B/s')} from memory and "
        f"{si(c.flop_rate_flop_s.value, 'flop/s')}, measured on {c.date[:10]}."
    )
    lines += ["", *wrap(" ".join(part for part in (basis, busy(found.rows)) if part), width)]
    return lines
