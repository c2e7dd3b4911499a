"""Continuous batching: the same answers as alone, bounded pages, nobody cut off, everything given back."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.engine.bpe import TextStream
from roundtrip.engine.sampling import Sampling
from roundtrip.engine.scheduler import Limits, Refused, Scheduler, common
from roundtrip.engine.sequence import Began, Ended, Job, Made, Output, Sequence
from roundtrip.engine.stops import Stops
from tests.engine.service import alone, ties, tiny

TIE = 1e-3
PATIENCE_S = 60.0


@dataclass
class Heard:
    """What a request got."""

    outputs: list[Output] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    sequence: Sequence | None = None
    begun: threading.Event = field(default_factory=threading.Event)
    made_one: threading.Event = field(default_factory=threading.Event)

    def __call__(self, output: Output) -> None:
        self.outputs.append(output)
        if isinstance(output, Began):
            self.begun.set()
        if isinstance(output, Made):
            self.made_one.set()
        if isinstance(output, Ended):
            self.over.set()

    def wait(self) -> Heard:
        assert self.over.wait(PATIENCE_S)
        return self

    @property
    def ids(self) -> list[int]:
        made = [output.id for output in self.outputs if isinstance(output, Made)]
        return made[:-1] if made and made[-1] in tiny().ends() else made

    @property
    def text(self) -> str:
        return "".join(output.text for output in self.outputs if isinstance(output, (Made, Ended)))

    @property
    def reason(self) -> str:
        last = self.outputs[-1]
        assert isinstance(last, Ended)
        return last.reason


def submit(scheduler: Scheduler, ids: list[int], most: int = 12, **options: object) -> Heard:
    heard = Heard()
    sampling = options.pop("sampling", Sampling())
    job = Job(ids, sampling, most, options.pop("ends", tiny().ends()), **options)  # type: ignore[arg-type]
    heard.sequence = scheduler.submit(job, heard)
    return heard


def prompts(count: int, seed: int = 3) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(3, 300, rng.integers(1, 90)).tolist() for _ in range(count)]


@pytest.fixture
def scheduler():
    made = Scheduler(tiny(), Limits())
    yield made
    made.close()
    assert made.pool.free == made.pool.pages


def endless(ids: list[int], most: int) -> list[int]:
    """Return what the plain loop would make if no token ended an answer."""
    engine, made = tiny(), list[int]()
    with engine.model.cache() as cache:
        logits = engine.model.forward([(cache, ids)]).logits[0]
        while True:
            made.append(int(logits.argmax()))
            if len(made) == most:
                return made
            logits = engine.model.forward([(cache, [made[-1]])]).logits[0]


def equal(ids: list[int], most: int, found: Heard) -> None:
    """Hold an answer to what the plain loop makes of the prompt."""
    assert found.sequence is not None
    whole = not found.sequence.job.ends
    expected = endless(ids, most) if whole else alone(tiny(), ids, most)
    close = ties(tiny(), ids, expected, [o.id for o in found.outputs if isinstance(o, Made)] if whole else found.ids)
    assert close is None or close < TIE, f"another answer, and no tie: {close}"


def test_many_at_once_get_what_each_gets_alone(scheduler: Scheduler) -> None:
    asked = prompts(40)
    heard = [submit(scheduler, ids) for ids in asked]
    for ids, one in zip(asked, heard, strict=True):
        equal(ids, 12, one.wait())
    assert max(step.requests for one in heard for step in one.sequence.steps) > 4, "they were computed together"  # type: ignore[union-attr]


def test_the_order_of_what_is_heard(scheduler: Scheduler) -> None:
    one = submit(scheduler, [5, 6, 7], 4, ends=frozenset()).wait()
    assert [type(output) for output in one.outputs] == [Began, Made, Made, Made, Made, Ended]
    assert [output.number for output in one.outputs if isinstance(output, Made)] == [1, 2, 3, 4]
    assert one.reason == "length"


def test_a_long_prompt_is_read_in_pieces_while_others_go_on(scheduler: Scheduler) -> None:
    slow = submit(scheduler, [9, 8, 7], 150, ends=frozenset())
    assert slow.made_one.wait(PATIENCE_S)
    long = submit(scheduler, prompts(1, 5)[0] * 2 + [4] * 100, 4, ends=frozenset())
    long.wait()
    slow.wait()
    assert long.sequence is not None
    assert all(step.tokens <= 64 for step in long.sequence.steps if step.requests > 1)
    assert len([step for step in long.sequence.steps if step.tokens > 1]) > 1


def test_a_prompt_that_begins_alike_is_not_computed_again(scheduler: Scheduler) -> None:
    first = [*range(10, 60)]
    submit(scheduler, first, 5, ends=frozenset()).wait()
    again = submit(scheduler, first, 5, ends=frozenset()).wait()
    assert again.sequence is not None
    assert again.sequence.cached == 49, "the last token is computed: its scores are needed"
    other = submit(scheduler, [*first, 70, 71], 5, ends=frozenset()).wait()
    assert other.sequence is not None
    assert other.sequence.cached == 50
    fresh = submit(scheduler, first, 5, ends=frozenset(), reuse=False).wait()
    assert fresh.sequence is not None
    assert fresh.sequence.cached == 0
    assert fresh.ids == again.ids
    equal([*first, 70, 71], 5, other)


def test_a_running_request_lends_its_beginning(scheduler: Scheduler) -> None:
    first = [*range(10, 60)]
    slow = submit(scheduler, first, 180, ends=frozenset())
    assert slow.made_one.wait(PATIENCE_S)
    other = submit(scheduler, [*first[:40], 90, 91], 5, ends=frozenset()).wait()
    assert other.sequence is not None
    assert other.sequence.cached == 40
    equal([*first[:40], 90, 91], 5, other)
    assert slow.wait().reason == "length"


def test_a_talk_that_goes_on_takes_its_cache_along(scheduler: Scheduler) -> None:
    ids, cached = [*range(20, 50)], 0
    for _ in range(4):
        one = submit(scheduler, ids, 6, ends=frozenset()).wait()
        assert one.sequence is not None
        assert one.sequence.cached == cached
        cached = len(ids) + 5  # the last token that was made is in no cache
        ids = [*ids, *one.ids, 33, 34, 35]
    assert len(scheduler._kept) == 1


def test_too_few_pages_make_the_last_give_way_and_nobody_is_cut_off() -> None:
    scheduler = Scheduler(tiny(), Limits(pages=12))  # each of the eight needs five in the end
    try:
        asked = [ids[:20] + [7] * (20 - len(ids[:20])) for ids in prompts(8, 11)]
        heard = [submit(scheduler, ids, 50, ends=frozenset()) for ids in asked]
        for ids, one in zip(asked, heard, strict=True):
            assert one.wait().reason == "length"
            equal(ids, 50, one)
        assert scheduler.metrics.preemptions.count() > 0
        assert sum(one.sequence.preempted for one in heard if one.sequence) == scheduler.metrics.preemptions.count()
        scheduler.forget()
        assert scheduler.pool.free == 12
    finally:
        scheduler.close()


def test_what_can_never_fit_is_refused() -> None:
    scheduler = Scheduler(tiny(), Limits(pages=4))
    try:
        with pytest.raises(Refused, match="need 5 pages"):
            submit(scheduler, [5] * 60, 6)
        assert submit(scheduler, [5] * 60, 5, ends=frozenset()).wait().reason == "length"  # 64 in the cache: it fits
    finally:
        scheduler.close()


def test_kept_caches_go_before_anybody_has_to_wait() -> None:
    scheduler = Scheduler(tiny(), Limits(pages=6))
    try:
        for start in (10, 60, 110, 160):
            one = submit(scheduler, [*range(start, start + 40)], 8, ends=frozenset()).wait()
            assert one.reason == "length"
        assert scheduler.pages_used == 0
        assert scheduler.metrics.preemptions.count() == 0
        assert scheduler.pool.free + scheduler.pages_kept == 6
    finally:
        scheduler.close()


def test_a_full_queue_refuses_and_says_when_to_come_again() -> None:
    scheduler = Scheduler(tiny(), Limits(queue=2, slots=1))
    try:
        running = submit(scheduler, [5, 6], 250, ends=frozenset())
        assert running.begun.wait(PATIENCE_S)
        waiting = [submit(scheduler, [5, 6, i], 2, ends=frozenset()) for i in (7, 8)]
        with pytest.raises(Refused, match="queue is full") as refused:
            submit(scheduler, [5, 6, 9])
        assert refused.value.reason == "queue_full"
        assert refused.value.retry_after_s is not None
        assert 1.0 <= refused.value.retry_after_s <= 60.0
        assert [one.wait().reason for one in (running, *waiting)] == ["length"] * 3
        assert submit(scheduler, [5, 6, 9], 2, ends=frozenset()).wait().reason == "length"
    finally:
        scheduler.close()


def test_who_leaves_is_dropped_and_his_pages_come_back(scheduler: Scheduler) -> None:
    one = submit(scheduler, [5, 6, 7], 250, ends=frozenset())
    assert one.made_one.wait(PATIENCE_S)
    assert one.sequence is not None
    scheduler.cancel(one.sequence)
    assert one.wait().reason == "abort"
    assert len(one.ids) < 250
    scheduler.forget()
    assert scheduler.pool.free == scheduler.pool.pages


def test_who_leaves_the_queue_never_begins() -> None:
    scheduler = Scheduler(tiny(), Limits(slots=1))
    try:
        running = submit(scheduler, [5, 6], 250, ends=frozenset())
        assert running.begun.wait(PATIENCE_S)
        waiting = submit(scheduler, [5, 7], 5)
        assert waiting.sequence is not None
        scheduler.cancel(waiting.sequence)
        assert waiting.wait().reason == "abort"
        assert not waiting.begun.is_set()
        running.wait()
    finally:
        scheduler.close()


def test_time_runs_out(scheduler: Scheduler) -> None:
    one = submit(scheduler, [5, 6, 7], 250, ends=frozenset(), timeout_s=0.001).wait()
    assert one.reason == "timeout"
    ended = one.outputs[-1]
    assert isinstance(ended, Ended)
    assert ended.problem == "no more after 0.001 s"


def test_draining_takes_nothing_new_and_finishes_the_old(scheduler: Scheduler) -> None:
    one = submit(scheduler, [5, 6, 7], 60, ends=frozenset())
    scheduler.drain()
    with pytest.raises(Refused, match="about to stop"):
        submit(scheduler, [5])
    assert one.wait().reason == "length"
    assert scheduler.idle


def test_closing_tells_everybody() -> None:
    scheduler = Scheduler(tiny(), Limits(slots=1))
    heard = [submit(scheduler, [5, i], 250, ends=frozenset()) for i in range(3, 7)]
    scheduler.close()
    assert {one.wait().reason for one in heard} <= {"abort", "length"}
    assert scheduler.pool.free == scheduler.pool.pages


def test_a_step_that_fails_ends_its_requests_and_no_others(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch,
                                                          caplog: pytest.LogCaptureFixture) -> None:  # fmt: skip
    def broken(*_: object, **__: object) -> None:
        raise FloatingPointError("made for this test")

    with monkeypatch.context() as patched:
        patched.setattr(tiny().model, "forward", broken)
        one = submit(scheduler, [5, 6, 7]).wait()
    assert one.reason == "error"
    assert "made for this test" in caplog.text
    equal([5, 6, 7], 12, submit(scheduler, [5, 6, 7]).wait())


def test_the_same_seed_draws_the_same_in_any_company(scheduler: Scheduler) -> None:
    drawn = Sampling(temperature=1.0, seed=11)
    first = submit(scheduler, [5, 6, 7], 20, ends=frozenset(), sampling=drawn).wait().ids
    crowd = [submit(scheduler, ids, 20, ends=frozenset(), sampling=Sampling(temperature=1.0)) for ids in prompts(6)]
    assert submit(scheduler, [5, 6, 7], 20, ends=frozenset(), sampling=drawn).wait().ids == first
    other = submit(scheduler, [5, 6, 7], 20, ends=frozenset(), sampling=Sampling(temperature=1.0, seed=12)).wait().ids
    assert other != first
    for one in crowd:
        one.wait()


def test_a_stop_text_ends_the_answer_and_is_no_part_of_it(scheduler: Scheduler) -> None:
    ids = [5, 6, 7]
    whole = submit(scheduler, ids, 40, ends=frozenset()).wait().text
    stop = whole[10:13]
    stopped = submit(scheduler, ids, 40, ends=frozenset(), sampling=Sampling(stop=(stop,))).wait()
    assert stopped.reason == "stop"
    assert stopped.text == whole[: whole.index(stop)]


def test_probabilities_come_with_the_tokens(scheduler: Scheduler) -> None:
    one = submit(scheduler, [5, 6, 7], 5, ends=frozenset(), top=3).wait()
    for made in one.outputs:
        if isinstance(made, Made):
            assert made.logprob is not None
            assert made.logprob < 0.0
            assert made.top[0].id == made.id, "greedy takes the best"
            assert len(made.top) == 3
            assert np.exp(made.logprob) == pytest.approx(made.top[0].probability, rel=1e-5)


def test_times_are_in_order_and_add_up(scheduler: Scheduler) -> None:
    one = submit(scheduler, [*range(5, 45)], 10, ends=frozenset()).wait()
    sequence = one.sequence
    assert sequence is not None
    assert sequence.began_ns is not None
    assert sequence.ended_ns is not None
    assert (
        sequence.arrived_ns <= sequence.began_ns <= sequence.token_ns[0] <= sequence.token_ns[-1] <= sequence.ended_ns
    )
    told = sequence.timings(per_token=True)
    assert told["queue_ms"] + told["prompt_ms"] + told["predicted_ms"] <= told["total_ms"] + 1e-6
    assert (told["cache_n"], told["prompt_n"], told["predicted_n"]) == (0, 40, 10)
    assert len(told["token_ms"]) == 10
    assert sum(step.tokens for step in sequence.steps) == 40 + 9
    assert told["predicted_per_token_ms"] == pytest.approx(told["predicted_ms"] / 9)


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(st.integers(0, 3), max_size=30), st.integers(0, 30))
def test_the_common_beginning(a: list[int], b: list[int], most: int) -> None:
    expected = 0
    while expected < min(len(a), len(b), most) and a[expected] == b[expected]:
        expected += 1
    assert common(a, b, most) == expected


@settings(max_examples=200)
@given(st.text("abc", max_size=40), st.lists(st.text("abc", min_size=1, max_size=4), max_size=3), st.integers(1, 5))
def test_stops_cut_where_a_search_in_the_whole_text_would(text: str, texts: list[str], size: int) -> None:
    stops, out, fed = Stops(texts), "", ""
    for start in range(0, len(text), size):
        out += stops.feed(text[start : start + size])
        fed = text[: start + size]
        assert not any(each in out for each in texts), "no stop is ever let out"
        if stops.hit:
            break
    out += stops.close()
    places = [fed.find(each) for each in texts if each in fed]
    assert stops.hit == bool(places)
    assert out == (fed[: min(places)] if places else text)


def test_text_comes_out_in_whole_characters() -> None:
    stream = TextStream(tiny().tokenizer)
    ids = tiny().tokenizer.encode("é你😀")
    parts = [stream.feed(i) for i in ids]
    assert "".join(parts) + stream.close() == "é你😀"
    assert "�" not in "".join(parts)
