"""The small language model: speed on one core, and how exact it is, beside llama.cpp (`tools/judges.sh engine`).

Without the weights (`roundtrip model fetch`) there is nothing to measure; without llama.cpp its ratios are left out.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import Result
from benchmarks.clock import best

if TYPE_CHECKING:
    from roundtrip.engine.engine import Engine
    from roundtrip.engine.steps import Look

PROMPT = list(range(100, 600))
DECODED = 32
BATCH = 16
STREAMS = 48  # tokens of each answer where texts are compared


def _with_engine(case: Callable[[Engine], Iterator[Result]]) -> Callable[[], Iterator[Result]]:
    def run() -> Iterator[Result]:
        from roundtrip.engine.engine import load
        from roundtrip.engine.weights import ModelMissing

        try:
            engine = load()
        except ModelMissing as missing:
            yield Result(f"engine, {case.__name__}", math.nan, "", note=str(missing))
            return
        yield from case(engine)

    return run


def _decode_s(engine: Engine, streams: int, look: Look | None = None, top: int = 0) -> float:
    """Return processor time of one step of so many sequences, each with 64 positions behind it."""
    caches = [engine.model.cache() for _ in range(streams)]
    for cache in caches:
        cache.reserve(256)
        engine.model.forward([(cache, PROMPT[:64])])
    return best(lambda: engine.model.forward([(cache, [700]) for cache in caches], look=look, top=top), repeat=8)


def _prefill_s(engine: Engine, look: Look | None = None) -> float:
    def run() -> None:
        with engine.model.cache() as cache:
            engine.model.forward([(cache, PROMPT)], look=look)

    return best(run, rounds=3)


@_with_engine
def speed(engine: Engine) -> Iterator[Result]:
    """Yield the speed of loading, decoding and prefill on one core, and what a batch and a trace do to it."""
    from roundtrip.engine.engine import load
    from roundtrip.engine.steps import Look, Room
    from roundtrip.engine.weights import resolve
    from tests.engine.agreement import ask

    yield Result("engine, load", best(load, rounds=3), "s", 1.0, note="98 MB checked and made 538 MB of float32")
    one, prefill = _decode_s(engine, 1), _prefill_s(engine)
    yield Result("engine, decode", 1 / one, "token/s", 10.0, least=True, note="one core, 64 tokens of context")
    yield Result("engine, prefill of 500", len(PROMPT) / prefill, "token/s", note="one core")
    question = {"task": "speed", "model": str(resolve().path), "prompt": PROMPT, "tokens": DECODED}
    answers = ask(question)
    if answers is not None:
        theirs = answers[0]
        ratio = theirs["decode_s"] / DECODED / one
        note = f"llama.cpp, one thread: {DECODED / theirs['decode_s']:.0f} token/s"
        yield Result("engine, decode over llama.cpp", ratio, "times", note=note)
        note = f"llama.cpp, one thread: {len(PROMPT) / theirs['prefill_s']:.0f} token/s"
        yield Result(
            "engine, prefill over llama.cpp", theirs["prefill_s"] / prefill, "times", 1.0, least=True, note=note
        )
    else:
        yield Result("engine, over llama.cpp", math.nan, "", note="no llama.cpp: tools/judges.sh engine")
    for streams in (2, 4, 8, BATCH):
        step = _decode_s(engine, streams)
        limit = 3.5 if streams == BATCH else None
        note = f"{streams / step:.0f} token/s together"
        yield Result(f"engine, {streams} streams over one", streams * one / step, "times", limit, least=True, note=note)
    everything = Look(hidden=True, attention=True)
    plain, traced = _pairs(lambda: _decode_s(engine, 1), lambda: _decode_s(engine, 1, everything, top=10))
    note = "hidden states, attention of all layers, best ten of each step"
    yield Result("engine, tracing of all layers", 100 * (traced / plain - 1), "%", 5.0, note=note)
    roomy = Look(hidden=True, attention=True, room=Room())
    plain, traced = _pairs(lambda: _prefill_s(engine), lambda: _prefill_s(engine, roomy))
    note = "the same of 500 tokens, 200 MB, in memory of an earlier pass"
    yield Result("engine, tracing of a prefill", 100 * (traced / plain - 1), "%", 5.0, note=note)
    plain, traced = _pairs(lambda: _prefill_s(engine), lambda: _prefill_s(engine, everything))
    note = "in new memory, which the system has to give out"
    yield Result("engine, the same in new memory", 100 * (traced / plain - 1), "%", note=note)


def _pairs(first: Callable[[], float], second: Callable[[], float]) -> tuple[float, float]:
    """Return the best of each, measured in turns, so that a slow minute slows both."""
    found = [(first(), second()) for _ in range(3)]
    return min(a for a, _ in found), min(b for _, b in found)


@_with_engine
def exactness(engine: Engine) -> Iterator[Result]:
    """Yield how far answers differ in a batch and by speculation, and scores from llama.cpp's."""
    from roundtrip.engine.generate import generate
    from roundtrip.engine.weights import resolve
    from tests.engine.agreement import agreement, ask, write_as_f32
    from tests.engine.prompts import twenty

    prompts = twenty(engine)
    greedy = [list(generate(engine, ids, max_tokens=STREAMS)) for ids in prompts]
    yield _compared("engine, answers changed in a batch", greedy, _together(engine, prompts))
    yield from _speculation(engine, prompts, greedy)
    path = resolve().path
    answers = ask({"task": "scores", "model": str(path), "prompts": prompts})
    if answers is None:
        yield Result("engine, scores beside llama.cpp", math.nan, "", note="no llama.cpp: tools/judges.sh engine")
        return
    found = agreement(engine, prompts, answers[0])
    misses = "; ".join(f"{m.ours!r} not {m.theirs!r} by {m.margin_nat:.2f} nat" for m in found.misses) or "no miss"
    yield Result("engine, last token as llama.cpp", found.last_equal, "of 20", 18, least=True, note=misses)
    yield from _all_positions("as stored", found)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "f32.gguf"
        write_as_f32(path, whole)
        answers = ask({"task": "scores", "model": str(whole), "prompts": prompts})
    if answers is not None:
        yield from _all_positions("stored as float32", agreement(engine, prompts, answers[0]))


def _all_positions(how: str, found: Any) -> Iterator[Result]:
    share = 100 * found.equal / found.positions
    note = f"{found.positions} positions; mean difference {found.difference_nat:.1g} nat"
    yield Result(f"engine, all tokens, {how}", share, "%", 90.0, least=True, note=note)


def _together(engine: Engine, prompts: Sequence[list[int]]) -> list[list[int]]:
    """Return the greedy answers to all prompts, decoded as one batch that shrinks as answers end."""
    ends = engine.ends()
    caches = [engine.model.cache() for _ in prompts]
    made: list[list[int]] = [[] for _ in prompts]
    parts = [(i, list(ids)) for i, ids in enumerate(prompts)]
    while parts:
        step = engine.model.forward([(caches[i], ids) for i, ids in parts])
        for (i, _), logits in zip(parts, step.logits, strict=True):
            made[i].append(int(logits.argmax()))
        parts = [(i, made[i][-1:]) for i, _ in parts if made[i][-1] not in ends and len(made[i]) < STREAMS]
    return made


def _compared(name: str, greedy: list[list[Any]], others: list[list[int]]) -> Result:
    """Return how many answers differ although their scores do not tie; ties are listed."""
    from roundtrip.engine.speculate import difference

    found = [difference(ours, other) for ours, other in zip(greedy, others, strict=True)]
    ties = [f"answer {i}, token {d.place}, {d.margin:.1g}" for i, d in enumerate(found) if d and d.tie]
    apart = [d for d in found if d and not d.tie]
    note = f"of {len(greedy)}, {STREAMS} tokens each; ties: {'; '.join(ties) or 'none'}"
    return Result(name, len(apart), "answers", 0, note=note)


def _speculation(engine: Engine, prompts: Sequence[list[int]], greedy: list[list[Any]]) -> Iterator[Result]:
    from roundtrip.engine.generate import generate
    from roundtrip.engine.speculate import speculate

    others = [speculate(engine, ids, max_tokens=STREAMS) for ids in prompts]
    yield _compared("engine, answers changed by speculation", greedy, [s.ids for s in others])
    for name, number in (("a sentence to copy", 13), ("an open question", 11)):
        ids, count = prompts[number], len(greedy[number])
        plain = best(lambda ids=ids: list(generate(engine, ids, max_tokens=STREAMS)), rounds=3)
        drafted = best(lambda ids=ids: speculate(engine, ids, max_tokens=STREAMS), rounds=3)
        note = f"{len(others[number].rounds)} passes for {count} tokens"
        yield Result(f"engine, speculation on {name}", plain / drafted, "times", note=note)


CASES = {"engine": speed, "engine-exactness": exactness}
