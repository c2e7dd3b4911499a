"""Measured serving runs as a table: what was served on what, under which load, and what a client saw.

A row is one run of a closed loop. Readers (`roundtrip.serving.silicon`, `roundtrip.serving.bench_files`) make rows;
`table` finds the architecture and the accelerator of each, so that rows nobody can answer are told with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.architectures import rows
from roundtrip.catalog.load import entry, keys
from roundtrip.errors import DomainError, RoundtripError, nearest
from roundtrip.serving.architecture import Architecture, architecture
from roundtrip.serving.case import Case, case, stacked
from roundtrip.serving.estimate import architecture_or_estimate
from roundtrip.serving.layout import Layout
from roundtrip.serving.precision import plain, rate

Floats = NDArray[np.float64]
ENGINES = {"vllm": "vllm", "sglang": "sglang", "trtllm": "trtllm", "tensorrt-llm": "trtllm", "tensorrt_llm": "trtllm",
           "trt-llm": "trtllm"}  # fmt: skip
_PLACE = re.compile(
    r"[-_ ]?(nvidia|sxm\d?|hgx|dgx|\d+ ?gb?|hbm\d\w*|nvl\d*|server|edition|blackwell|oam)$"
    r"|^(nvidia|amd|instinct|geforce|google)[-_ ]"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One measured run.

    Attributes
    ----------
    model, accelerator, engine, version, precision : str
        As the source names them, precision as `roundtrip.serving.precision` does.
    layout : Layout
        Ranks of the replica, of those that write where others read prompts.
    clients, prompt_tokens, output_tokens : float
        The load.
    ttft_s, tpot_s : float
        Mean time to first token, and per output token after it [s]; NaN where not measured.
    bench : str
        Who measured with which habits: runs with the same word start and count alike.
    line : int
        Where the run stands in its file.
    readers, writers : float
        Replicas that read prompts and that write answers, where they are apart; 0: one replica does both.
    reader : Layout
        Ranks of a replica that reads.
    odd : str
        Why the run is not scored, if so.
    is_slow_start : bool
        Whether its time to first token says more of a full queue or of a warm-up than of the server.
    """

    model: str
    accelerator: str
    engine: str
    version: str
    precision: str
    layout: Layout
    clients: float
    prompt_tokens: float
    output_tokens: float
    ttft_s: float
    tpot_s: float
    bench: str = ""
    line: int = 0
    readers: float = 0.0
    writers: float = 0.0
    reader: Layout = field(default_factory=Layout)
    odd: str = ""
    is_slow_start: bool = False


@dataclass(frozen=True)
class Table:
    """Runs that can be answered, as arrays.

    Attributes
    ----------
    runs : tuple of Run
        In the order of the arrays.
    case, reader : Case
        The deployments, and those of the replicas that read prompts.
    load : array, (rows, 3)
        Clients, prompt tokens, output tokens.
    measured : array, (rows, 2)
        Logarithms of the time to first token and per output token [s]; NaN where not measured or not to be fitted.
    labels : dict
        Words by which rows belong together: "family", "accelerator", "engine", "precision", "bench", "cell" (the first
        three), "version" (of the engine, in a cell), "variant" (and its precision), "spread" (and how ranks are used),
        "configuration" (all that was recorded).
    refused : list of (line, reason)
        Rows that cannot be answered.
    """

    runs: tuple[Run, ...]
    case: Case
    reader: Case
    load: Floats
    measured: Floats
    labels: dict[str, NDArray[np.str_]]
    refused: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.runs)

    def take(self, which: Any) -> Table:
        """Return some rows."""
        at = np.arange(len(self.runs))[which]
        labels = {name: words[at] for name, words in self.labels.items()}
        return Table(
            tuple(self.runs[i] for i in at), self.case.take(at), self.reader.take(at), self.load[at],
            self.measured[at], labels, self.refused,
        )  # fmt: skip


def table(runs: Sequence[Run]) -> Table:
    """Return runs as arrays; those that no architecture or accelerator is known for are refused with the reason."""
    kept: list[Run] = []
    cases: list[Case] = []
    readers: list[Case] = []
    refused: list[tuple[int, str]] = []
    for run in runs:
        try:
            made = _case(run.model, run.accelerator, run.layout, run.precision, run.engine)
            reader = _case(run.model, run.accelerator, run.reader, run.precision, run.engine)
        except RoundtripError as error:
            refused.append((run.line, str(error)))
            continue
        kept.append(run)
        cases.append(made)
        readers.append(reader)
    if not kept:
        reason = refused[0][1] if refused else "it has no rows"
        raise DomainError(f"measurements: no row can be answered: {reason}")
    load = np.array([(r.clients, r.prompt_tokens, r.output_tokens) for r in kept], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        measured = np.log(np.array([(r.ttft_s, r.tpot_s) for r in kept], dtype=np.float64))
    return Table(tuple(kept), stacked(cases), stacked(readers), load, measured, _labels(kept), refused)


@cache
def _case(model: str, accelerator: str, layout: Layout, precision: str, engine: str) -> Case:
    return case(_architecture(model), accelerator_key(accelerator), layout, precision, engine)


@cache
def _architecture(model: str) -> Architecture:
    return architecture_or_estimate(model)


@cache
def family(model: str) -> str:
    """Return one word for all models of the same shape: DeepSeek-V3 and R1 are one."""
    a = _architecture(model)
    return _shapes().get((a.hidden_width, a.blocks), a.name)


@cache
def _shapes() -> dict[tuple[Any, ...], str]:
    """Return the first name of the catalog for each shape."""
    found: dict[tuple[Any, ...], str] = {}
    for key in rows():
        a = architecture(key)
        found.setdefault((a.hidden_width, a.blocks), key)
    return found


@cache
def accelerator_key(name: str) -> str:
    """Return the catalog's key of an accelerator as benchmarks name it: h100_sxm, NVIDIA B200, H200-SXM-141GB."""
    known = keys("accelerators")
    words = {_bare(key): key for key in reversed(known)} | {key: key for key in known}
    word = re.sub(r"[\s_]+", "-", name.strip().lower())
    for one in (word, _bare(word)):
        if one in words:
            return words[one]
    raise DomainError(f"no accelerator {name!r}{nearest(word, known)}; see 'roundtrip catalog accelerators'")


def _bare(name: str) -> str:
    word = re.sub(r"[\s_]+", "-", name.lower())
    while True:
        shorter = _PLACE.sub("", word).strip("- ")
        if shorter == word or not shorter:
            return word.replace("-", "")
        word = shorter


def _labels(runs: Sequence[Run]) -> dict[str, NDArray[np.str_]]:
    found = [_words(r) for r in runs]
    return {name: np.array([row[name] for row in found]) for name in found[0]}


def _words(r: Run) -> dict[str, str]:
    cell = f"{family(r.model)} {accelerator_key(r.accelerator)} {r.engine}"
    version = f"{cell} {r.version or '?'}"
    used = " ".join(name for name in ("tensor", "groups", "expert", "pipeline") if getattr(r.layout, name) > 1)
    return {
        "family": family(r.model),
        "accelerator": accelerator_key(r.accelerator),
        "engine": r.engine,
        "precision": plain(r.precision),
        "bench": f"{r.engine} {r.bench}",
        "cell": cell,
        "version": version,
        "variant": f"{version} {plain(r.precision)}",
        "spread": f"{version} {used}",
        "configuration": f"{version} {r.precision} {r.layout} {r.reader} {r.readers} {r.writers} {r.clients:g} "
        f"{r.prompt_tokens:g} {r.output_tokens:g}",
    }


def engine(name: str) -> str:
    """Return an engine's name as the constants know it, or the name itself."""
    word = name.strip().lower()
    return ENGINES.get(word, word)


def slow_start(run: Run, is_public: bool) -> bool:
    """Say whether a time to first token is that of a starved queue or of a warm-up, without any model of a step.

    It is when all prompts, read one after the other at a tenth of the peak rate, would be done a second earlier; for
    public benchmarks also when it is over 2 s and over a quarter of the request's life.
    """
    if not run.ttft_s > 0.0:
        return True
    from roundtrip.serving.counts import active_parameters

    chip = entry("accelerators", accelerator_key(run.accelerator))
    peak = rate(chip, "bf16") if run.precision == "bf16" else rate(chip, "fp8") or rate(chip, "bf16")
    flop = 2.0 * active_parameters(_architecture(run.model)) * run.prompt_tokens
    bound_s = 1.0 + run.clients * flop / (run.layout.accelerators * peak * 0.10)
    life_s = run.ttft_s + run.output_tokens * run.tpot_s
    return run.ttft_s > bound_s or (is_public and run.ttft_s > 2.0 and run.ttft_s > 0.25 * life_s)


def marked(runs: Sequence[Run]) -> list[Run]:
    """Return runs with those marked that cannot be scored: replicas that no server holds, times that follow no load."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i, r in enumerate(runs):
        same = (r.model, r.accelerator, r.engine, r.version, r.precision, r.layout, r.prompt_tokens, r.output_tokens)
        if not r.writers:
            groups.setdefault(same, []).append(i)
    out = list(runs)
    for i, r in enumerate(runs):
        n = r.layout.accelerators
        if not r.writers and (n > 8 or n & (n - 1)):
            out[i] = replace(r, odd=f"{n} accelerators in one replica: the total of a job")
    for group in groups.values():
        reason = _oddity(np.array([runs[i].clients for i in group]), np.array([runs[i].tpot_s for i in group]))
        for i in group if reason else ():
            out[i] = replace(out[i], odd=out[i].odd or reason)
    return out


def _oddity(clients: Floats, tpot_s: Floats) -> str:
    """Say what is wrong with times per output token of one configuration at several loads; nothing if they can be.

    A step for twice the sequences takes at most twice as long, so times cannot grow faster than the load.
    """
    order = np.argsort(clients)
    x, y = clients[order], tpot_s[order]
    apart = x[1:] > x[:-1]
    if (y[1:][apart] / y[:-1][apart] > 1.25 * x[1:][apart] / x[:-1][apart]).any():
        return "time per output token grows faster than the load"
    if len(x) >= 5 and kendall(x, y) < 0.5:
        return "time per output token does not follow the load"
    return ""


def kendall(x: Floats, y: Floats) -> float:
    """Return Kendall's tau of pairs that differ in both; 1 where there is none."""
    a = np.sign(np.subtract.outer(x, x))[np.triu_indices(len(x), 1)]
    b = np.sign(np.subtract.outer(y, y))[np.triu_indices(len(y), 1)]
    both = (a != 0.0) & (b != 0.0)
    return float((a * b)[both].mean()) if both.any() else 1.0
