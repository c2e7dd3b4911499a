"""A recorded trip: measured in the middle, forecast at both ends, and nothing left out between."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from roundtrip.engine.backends import HttpBackend, NumpyBackend, running
from roundtrip.engine.engine import Engine, load
from roundtrip.engine.exchange import Exchange, Token
from roundtrip.engine.server import Settings
from roundtrip.engine.spans import Context, Offset
from roundtrip.engine.spans import Span as Measured
from roundtrip.errors import DomainError, RoundtripError
from roundtrip.journey import answer as short_way
from roundtrip.journey import record as room
from roundtrip.journey.answer import answer, answer_as_text, forecast_here, form_of, trust
from roundtrip.journey.cache_compare import cache_sizes
from roundtrip.journey.record import Recorded, RecordError, record, record_as_text
from roundtrip.journey.record_trace import assemble, pieces
from roundtrip.trace.algebra import starts, summary
from roundtrip.trace.chrome import trace_chrome
from roundtrip.trace.csv import trace_csv
from roundtrip.trace.model import CARRIERS, HEADS, Trace
from roundtrip.trace.otlp import trace_otlp
from roundtrip.trace.path import critical_path
from roundtrip.trace.svg import waterfall
from roundtrip.trace.table import table
from tests.engine.test_calibrate import calibrate_fake
from tests.engine.tiny import tiny_gguf

PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return load(tiny_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf"))


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (room, short_way):
        monkeypatch.setattr(module, "calibration", lambda: calibrate_fake())


@pytest.fixture(scope="module")
def made(engine: Engine) -> Recorded:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "calibration", lambda: calibrate_fake())
        return record(PROMPT, NumpyBackend(engine=engine), "chat", max_tokens=6)


def _holds_together(trace: Trace) -> None:
    begins = starts(trace)
    spans = {s.id: s for s in trace.spans}
    assert len(spans) == len(trace.spans)
    for span in trace.spans:
        assert span.start_s == pytest.approx(begins[span.id], abs=1e-9), span.id
        assert span.duration_s >= 0.0, span.id
        assert span.carrier in CARRIERS
        assert set(span.energy_J) <= set(HEADS)
        if span.parent:
            whole = spans[span.parent]
            assert whole.start_s - 1e-9 <= span.start_s, span.id
            assert span.end_s <= whole.end_s + 1e-9, span.id
    again = summary(trace)
    assert set(again) == set(trace.summary)
    for name, value in trace.summary.items():
        assert again[name] == pytest.approx(value, rel=1e-9), name


def test_the_trace_has_the_schema_and_the_sums_of_a_forecast(made: Recorded) -> None:
    trace = made.trace
    _holds_together(trace)
    assert trace.reading == "record"
    assert trace.answer == made.text
    body = json.loads(json.dumps(made.as_dict()))
    assert body["schema"] == "roundtrip.trace/1"
    assert body["answer"] == made.text
    assert {s["reading"] for s in body["spans"]} == {"record", "forecast"}


def test_the_chain_to_the_first_token_has_no_hole_and_no_overlap(made: Recorded) -> None:
    trace = made.trace
    chain = [s for s in critical_path(trace) if s.reading == "record"]
    first, last = chain[0], chain[-1]
    assert last.end_s - first.start_s == pytest.approx(made.first_token_s, abs=2e-9)
    assert sum(s.duration_s for s in chain) == pytest.approx(made.first_token_s, abs=2e-9)
    wanted = {"network.tcp", "network.http", "datacenter.gateway", "model.tokenizer", "datacenter.queue",
              "model.prefill", "back.network.http"}  # fmt: skip
    assert wanted <= {s.id for s in chain}


def test_parts_and_what_is_between_them_make_up_the_whole(made: Recorded) -> None:
    for whole in ("model.prefill", "model.decode"):
        parts = [s.duration_s for s in made.trace.spans if s.parent == whole]
        assert parts
        assert sum(parts) == pytest.approx(made.trace.span(whole).duration_s, abs=1e-8)
    steps = [s for s in made.trace.spans if s.id.startswith("decode.step_")]
    assert len(steps) == (made.exchange.completion_tokens or 0) - 1


def test_what_nobody_can_measure_stands_in_and_says_so(made: Recorded) -> None:
    trace = made.trace
    read = {s.id: s.reading for s in trace.spans}
    for name in ("keyboard.press", "computer.interrupt", "display.panel", "eye.cortex"):
        assert read[name] == "forecast", name
    assert trace.span("model.prefill").attributes["energy_reading"] == "forecast"
    shown = table(trace)
    assert "~ press" in shown
    assert "~: not recorded" in shown
    assert 'opacity=".4"' in waterfall(trace)
    assert "~" not in table(made.forecast)


def test_the_display_comes_after_the_recorded_token(made: Recorded) -> None:
    trace = made.trace
    assert trace.span("display.text").start_s == pytest.approx(trace.span("back.network.http").end_s)
    s = trace.summary
    assert s["time_to_first_token_s"] < s["time_to_first_photon_s"] < s["time_to_first_word_s"]
    on = trace.span("on.computer.power")
    assert on.duration_s == pytest.approx(max(x.end_s for x in trace.spans))


def test_it_can_be_written_as_any_file(made: Recorded) -> None:
    assert json.loads(trace_chrome(made.trace))["otherData"]["reading"] == "record"
    spans = [s for r in json.loads(trace_otlp(made.trace))["resourceSpans"] for s in r["scopeSpans"][0]["spans"]]
    assert {s["name"] for s in spans} >= {"trip", "network.tcp", "model.decode", "decode.step_1"}
    assert "record.unattributed" in trace_csv(made.trace)


def test_recorded_stands_beside_forecast(made: Recorded) -> None:
    rows = {row.id: row for row in made.rows}
    prefill = rows["model.prefill"]
    assert prefill.recorded_s == made.trace.span("model.prefill").duration_s
    assert prefill.forecast_s == pytest.approx(
        made.forecast.span("model.prefill").duration_s - made.forecast.span("prefill.engine").duration_s
    )
    assert prefill.ratio == prefill.recorded_s / (prefill.forecast_s or 1.0)
    assert rows["network.tcp"].forecast_s is None
    assert made.forecast.span("model.tokenizer").attributes["prompt_tokens"] == made.exchange.prompt_tokens
    text = "\n".join(record_as_text(made, 100))
    assert "recorded   forecast" in text
    assert "often wrong" in text
    assert made.missing["tls"].startswith("the address is http;")


@pytest.mark.parametrize("tied", [True, False])
def test_the_forecast_is_of_the_model_that_answered(tmp_path: Path, tied: bool) -> None:
    small = load(tiny_gguf(tmp_path / "own.gguf", tied=tied))
    trace = forecast_here(PROMPT, calibrate_fake(), 5, 3, small)
    assert trace.scenario["measured"]["model.name.parameters"] == small.card.parameters
    assert ("model.name.tables=separate" in trace.scenario["changes"]) is not tied
    fixed_s = 2 * 5e-5 + 2e-6
    assert trace.summary["time_per_output_token_s"] < 50 * fixed_s
    assert forecast_here(PROMPT, calibrate_fake(), 5, 3).summary["time_per_output_token_s"] > 15e-3


def test_what_is_printed_as_it_comes_is_recorded_too(engine: Engine) -> None:
    seen: list[str] = []
    found = record(PROMPT, NumpyBackend(engine=engine), "chat", 5, seen.append)
    assert "".join(seen) == found.text
    _holds_together(found.trace)
    assert found.trace.algebra["time_to_first_token_s"] == {"end_of": "back.computer.terminal"}
    assert "terminal" not in found.missing


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not on this machine: TLS not recorded")
def test_tls_is_a_stage_of_its_own(engine: Engine) -> None:
    found = record(PROMPT, NumpyBackend(engine=engine, tls=True), "chat", 3)
    _holds_together(found.trace)
    shaken = found.trace.span("network.tls")
    assert shaken.duration_s > 0.0
    assert found.trace.span("network.tcp").end_s <= shaken.start_s
    assert (found.exchange.tls or "").startswith("TLS")
    assert "tls" not in found.missing


def test_without_openssl_tls_is_refused_in_one_line(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(RoundtripError, match="'openssl' to make it"):
        record(PROMPT, NumpyBackend(engine=engine, tls=True), "chat", 3)


def test_a_server_of_ours_in_another_process_tells_its_spans(engine: Engine) -> None:
    with running(engine, Settings()) as (base_url, _):
        found = record(PROMPT, HttpBackend(base_url), max_tokens=5)
    _holds_together(found.trace)
    assert found.clock is not None
    assert found.clock.rounds == 8
    assert "The server's clock is" in "\n".join(record_as_text(found, 90))
    assert {"datacenter.queue", "decode.step_1"} <= {s.id for s in found.trace.spans if s.reading == "record"}


def test_an_endpoint_that_tells_nothing_is_recorded_by_its_wire(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LOOPBACK", ())
    with running(engine, Settings()) as (base_url, _):
        found = record(PROMPT, HttpBackend(base_url), max_tokens=5)
    _holds_together(found.trace)
    assert found.calibration is None
    assert found.form == "chat"
    assert all(row.forecast_s is None for row in found.rows)
    assert "placed" in found.trace.span("model.prefill").attributes
    assert "no forecast" in "\n".join(record_as_text(found, 80))


def test_nobody_there_is_one_line() -> None:
    with pytest.raises(RecordError, match="no answer"):
        record(PROMPT, HttpBackend("http://127.0.0.1:9/v1", "m"))
    with pytest.raises(DomainError, match="at least one"):
        record(PROMPT, HttpBackend("http://127.0.0.1:9/v1", "m"), max_tokens=0)


def _exchange(*tokens_ms: float, told: dict[str, float] | None = None) -> Exchange:
    found = Exchange(Context("a" * 32, "b" * 16), 0)
    found.tcp_ns = (1_000_000, 2_000_000)
    found.request_start_ns, found.request_end_ns, found.headers_ns = 2_500_000, 3_000_000, 9_000_000
    found.tokens = [Token(round(ms * 1e6), "x", "content", 1) for ms in tokens_ms]
    found.last_byte_ns = found.end_ns = round(tokens_ms[-1] * 1e6)
    found.timings = told
    return found


def _server(found: Exchange, ahead_ns: int) -> None:
    whole = Measured("server.request", 3_100_000 + ahead_ns, 30_000_000 + ahead_ns, "a" * 32, "b" * 16)
    prefill = whole.child("server.prefill", 5_000_000 + ahead_ns, 11_000_000 + ahead_ns)
    decode = whole.child("server.decode", 11_000_000 + ahead_ns, 29_000_000 + ahead_ns)
    steps = [
        decode.child("server.step", a + ahead_ns, b + ahead_ns)
        for a, b in ((12_000_000, 19_000_000), (20_000_000, 29_000_000))
    ]
    found.server_spans = [
        whole, whole.child("server.receive", 2_900_000 + ahead_ns, 3_300_000 + ahead_ns),
        whole.child("server.queue", 3_400_000 + ahead_ns, 5_000_000 + ahead_ns), prefill, decode, *steps,
        prefill.child("server.step", 5_500_000 + ahead_ns, 11_000_000 + ahead_ns),
    ]  # fmt: skip


@pytest.mark.parametrize("ahead_ns", [0, 7_000_000_000, -3_000_000_000])
def test_another_clock_is_shifted_overlaps_are_cut_and_holes_are_named(made: Recorded, ahead_ns: int) -> None:
    found = _exchange(12.0, 20.0, 30.0)
    _server(found, ahead_ns)
    trace = assemble(made.forecast, pieces(found, Offset(ahead_ns, 10, 8)), 0, "xxx")
    _holds_together(trace)
    spent = {s.id: s.duration_s * 1e3 for s in trace.spans if s.reading == "record" and s.parent is None}
    assert spent["datacenter.gateway"] == pytest.approx(0.3)  # it began before the request had gone out
    assert spent["model.prefill"] == pytest.approx(6.0)
    assert spent["back.network.http"] == pytest.approx(1.0)
    holes = {s.attributes["between"]: s.duration_s * 1e3 for s in trace.spans if s.name == "record.unattributed"}
    assert holes["the start and network.tcp"] == pytest.approx(1.0)
    assert holes["datacenter.gateway and datacenter.queue"] == pytest.approx(0.1)
    assert holes["decode.step_1 and decode.step_2"] == pytest.approx(1.0)
    assert trace.span("decode.gap_2").title == "not explained: step 1 to step 2"
    assert trace.span("record.gap_1").title == "not explained: start to tcp"
    assert trace.summary["decode_s"] == pytest.approx(18e-3)


def test_a_time_without_a_place_ends_at_the_token(made: Recorded) -> None:
    trace = assemble(made.forecast, pieces(_exchange(12.0, 20.0, told={"prompt_ms": 5.0}), None), 0, "xx")
    _holds_together(trace)
    assert trace.span("model.prefill").duration_s == pytest.approx(5e-3)
    unknown = assemble(made.forecast, pieces(_exchange(12.0, 20.0, told={"prompt_ms": 500.0}), None), 0, "xx")
    assert unknown.span("model.prefill").duration_s == pytest.approx(9e-3)
    assert "not told apart" in unknown.span("model.prefill").title


def test_thoughts_come_before_what_is_shown(made: Recorded) -> None:
    found = _exchange(12.0, 20.0, 30.0, 40.0)
    found.tokens = [replace(t, channel="reasoning" if t.at_ns < 25e6 else "content") for t in found.tokens]
    trace = assemble(made.forecast, pieces(found, None), 0, "xx")
    _holds_together(trace)
    start_s = trace.span("computer.request").end_s
    summary = trace.summary
    assert summary["time_to_first_token_s"] - start_s == pytest.approx(12e-3)
    assert summary["time_to_first_answer_s"] - start_s == pytest.approx(30e-3)
    assert trace.span("display.text").start_s == pytest.approx(summary["time_to_first_answer_s"])
    assert trace.span("stream.answer").duration_s == pytest.approx(10e-3)


def test_bytes_of_a_token_in_the_cache_are_those_of_the_paper() -> None:
    """C. Zhao et al., ISCA 2025, table 1: 70.272 kB for DeepSeek-V3, 516.096 kB for Llama 3.1 405B."""
    sizes = {size.model: size.token_B for size in cache_sizes()}
    assert sizes["deepseek-v3"] == 70_272
    assert sizes["llama-3.1-405b"] == 516_096


def test_a_sentence_that_is_open_is_gone_on_with_and_a_question_is_asked() -> None:
    assert form_of("The capital of France is") == "text"
    assert [form_of(p) for p in ("Why is the sky blue?", "Hi", "is", "Write a poem")] == ["chat"] * 4
    assert form_of("Why?", "text") == "text"
    with pytest.raises(DomainError, match="form 'song'"):
        form_of("x", "song")


def test_the_short_way_measures_and_tells_who_wrote(engine: Engine) -> None:
    heard: list[str] = []
    found = answer(PROMPT, "chat", 7, engine=engine, on_text=heard.append)
    assert "".join(heard).strip("\n") == found.text
    assert 1 <= found.output_tokens <= 7
    assert found.first_token_s <= found.whole_s
    assert [row.id for row in found.rows][:2] == ["model.tokenizer", "model.prefill"]
    assert all(row.forecast_s and row.recorded_s > 0.0 for row in found.rows)
    text = "\n".join(answer_as_text(found, PROMPT, 90))
    assert "The answer, for real" in text
    assert trust(found.card, found.name) in " ".join(text.split())
    assert json.loads(json.dumps(found.as_dict()))["text"] == found.text
    again = answer(PROMPT, "chat", 7, engine=engine)
    assert again.text == found.text
    plain = answer(PROMPT, "text", 2, engine=engine)  # the template of a chat is cut into tokens, too
    assert (found.rows[0].forecast_s or 0.0) > 2.0 * (plain.rows[0].forecast_s or 1.0)


def test_a_line_that_ends_ends_the_answer(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text up to the stop is the answer, whatever the tokens around it."""
    from roundtrip.engine import generate as loop

    texts = [b" Pa", b"ris.", b"\nThe", b" more"]

    def made_up(*_: object) -> object:
        return iter(loop.Token(i, piece, 0.0, 0.0, None) for i, piece in enumerate(texts))  # type: ignore[arg-type]

    class Stream:
        def __init__(self, _: object) -> None: ...
        def feed(self, token: int) -> str:
            return texts[token].decode()

    monkeypatch.setattr(short_way, "generate", made_up)
    monkeypatch.setattr(short_way, "TextStream", Stream)
    monkeypatch.setattr(type(engine), "ends", lambda _: frozenset())
    found = answer(PROMPT, "text", engine=engine)
    assert (found.text, found.finish, found.output_tokens) == (" Paris.", "stop", 3)
