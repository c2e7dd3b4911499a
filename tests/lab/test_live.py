"""The live trace: two clocks joined to one tree, the model under the lab's address, the screen in a real browser."""

from __future__ import annotations

import gzip
import http.server
import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from roundtrip.engine.spans import new_span_id, new_trace_id, now_ns
from roundtrip.errors import RoundtripError
from roundtrip.lab import export, live
from roundtrip.lab.join import clock, join
from roundtrip.lab.measured import MeasureError, read
from roundtrip.trace.algebra import starts, summary
from roundtrip.trace.path import critical_path
from tests.engine.tiny import tiny_gguf
from tests.lab.made_live import World
from tests.lab.rig import needs_browser, needs_site, run_node, serving

ROUND_MS = 2.0  # by which the way that decides may miss what a watch of its own measures
SECRET = "zebra quartz forty-two umbrellas"


# -- the tree ----------------------------------------------------------------------------------------------------------


def test_the_way_that_decides_is_the_measured_wait() -> None:
    world = World()
    shown = live.shown(read(world.raw()), ())
    assert shown["measured_s"] == pytest.approx(world.end_ms / 1e3, abs=1e-6)
    assert shown["path_s"] == pytest.approx(shown["measured_s"], abs=1e-6)
    assert sum(part["recorded_s"] for part in shown["parts"]) == pytest.approx(shown["measured_s"], abs=1e-6)


@pytest.mark.parametrize("lost_ms", [0.0, 3.0, 40.0])
def test_what_nobody_measured_is_a_span_of_its_own(lost_ms: float) -> None:
    shown = live.shown(read(World(lost_ms=lost_ms).raw()), ())
    assert shown["unattributed_s"] == pytest.approx(lost_ms / 1e3, abs=1e-6)
    gaps = [span for span in shown["trace"]["spans"] if span["name"] == "gap"]
    assert len(gaps) == (1 if lost_ms else 0)
    assert shown["unattributed_share"] == pytest.approx(shown["unattributed_s"] / shown["measured_s"])


@pytest.mark.parametrize("ahead_ms", [0.0, 987_654.321, -4_321.5])
def test_the_offset_is_within_its_own_uncertainty(ahead_ms: float) -> None:
    found = clock(read(World(ahead_ms=ahead_ms).raw()))
    assert found is not None
    assert found.agrees
    assert abs(found.ahead_ns - ahead_ms * 1e6) <= found.error_ns
    assert found.error_ns <= 600_001  # half of the fastest round trip, and a step of the page's clock
    assert found.fastest_ns == pytest.approx(1e6, abs=1e3)


def test_what_cannot_be_otherwise_narrows_the_offset() -> None:
    slow = World(probes=((30.0, 30.0),))
    wide = clock(read({**slow.raw(), "writing": None, "spans": []}))
    narrow = clock(read(slow.raw()))
    assert wide is not None
    assert narrow is not None
    assert narrow.error_ns < wide.error_ns / 10
    assert abs(narrow.ahead_ns - slow.ahead_ms * 1e6) <= narrow.error_ns


def test_a_clock_that_was_set_is_said() -> None:
    raw = World().raw()
    for row in raw["clock"]:
        row[1] += 50_000_000
        row[2] += 50_000_000
    found = clock(read(raw))
    assert found is not None
    assert not found.agrees
    trace, _ = join(read(raw))
    assert all(span.duration_s >= 0.0 for span in trace.spans)


def test_spans_lie_inside_their_wholes_and_start_where_they_may() -> None:
    trace, _ = join(read(World().raw()))
    spans = {span.id: span for span in trace.spans}
    assert len(spans) == len(trace.spans)
    roots = [span.id for span in trace.spans if span.parent is None]
    assert roots == ["trip"]
    for span in trace.spans:
        if span.parent:
            whole = spans[span.parent]
            assert whole.start_s <= span.start_s + 1e-9, span.id
            assert span.end_s <= whole.end_s + 1e-9, span.id
        assert all(name in spans for name in span.after), span.id
    begun = starts(trace)
    assert all(begun[span.id] == pytest.approx(span.start_s, abs=1e-9) for span in trace.spans if span.after)
    assert summary(trace) == trace.summary


def test_each_token_has_its_own_way() -> None:
    world = World()
    trace, _ = join(read(world.raw()))
    names = [span.name for span in trace.spans]
    for name in ("model.step", "server.handover", "server.write", "wire.back", "page.read", "page.text", "screen.wait",
                 "screen.paint"):  # fmt: skip
        assert names.count(name) == len(world.tokens), name
    path = [span.name for span in critical_path(trace, live.PATH)]
    assert path.count("model.step") == len(world.tokens)
    assert path.count("wire.back") == 1
    tokens = live.shown(read(world.raw()), ())["tokens"]
    assert [token["text"] for token in tokens] == list(world.tokens)
    assert [token["made_s"] for token in tokens] == sorted(token["made_s"] for token in tokens)
    assert all(token["made_s"] < token["read_s"] < token["painted_s"] for token in tokens)


def test_spans_of_another_trace_are_not_joined() -> None:
    raw = World().raw()
    for span in raw["spans"]:
        span["trace_id"] = "00" * 15 + "01"
    trace, _ = join(read(raw))
    assert not [span for span in trace.spans if span.name == "model.step"]
    assert [span for span in trace.spans if span.name == "server.work"]


def test_an_answer_that_was_stopped_is_joined_without_the_servers_spans() -> None:
    raw = World().raw()
    raw.update(spans=[], finish="stopped", usage=None)
    shown = live.shown(read(raw), ())
    assert shown["path_s"] == pytest.approx(shown["measured_s"], abs=1e-6)
    assert not shown["line"]["told"]
    assert shown["unattributed_share"] <= 0.05


def test_a_page_that_nobody_looks_at_is_not_painted() -> None:
    raw = World().raw()
    raw["frames"] = []
    shown = live.shown(read(raw), ())
    assert not [span for span in shown["trace"]["spans"] if span["name"].startswith("screen")]
    assert shown["line"]["first_s"] is None


def test_what_cannot_be_measured_is_the_forecast_and_marked() -> None:
    m = read(World().raw())
    shown = live.shown(m, live.forecast_of(m))
    spans = {span["id"]: span for span in shown["trace"]["spans"]}
    modeled = {name for name, span in spans.items() if span["reading"] == "forecast"}
    assert {"keyboard.press", "keyboard.debounce", "display.panel", "eye.cortex"} <= modeled
    assert not any(name.startswith(("page.", "wire.", "server.", "model.", "screen.")) for name in modeled)
    assert spans["keyboard.press"]["start_s"] == 0.0
    assert spans["display.framebuffer"]["start_s"] == pytest.approx(shown["lead_s"] + shown["measured_s"])
    assert shown["path_s"] == pytest.approx(shown["measured_s"], abs=1e-6)
    rows = {part["part"]: part for part in shown["parts"]}
    assert rows["read"]["forecast_s"] > 0.0
    assert rows["write"]["ratio"] == pytest.approx(rows["write"]["recorded_s"] / rows["write"]["forecast_s"])
    assert shown["forecast_s"] == pytest.approx(sum(part["forecast_s"] or 0.0 for part in shown["parts"]))


def test_a_click_has_no_forecast_of_a_key() -> None:
    m = read({**World().raw(), "by": "pointer"})
    shown = live.shown(m, live.forecast_of(m))
    assert not [span for span in shown["trace"]["spans"] if span["name"].startswith("keyboard")]
    assert shown["lead_s"] == 0.0


BROKEN: dict[str, Any] = {
    "schema": "other", "trace_id": "x", "span_id": 7, "prompt": 7, "key_ms": "soon", "handle_ms": -1.0,
    "call_ms": float("nan"), "reads": [[1]], "commits": [[9_000.0, 8_000.0, 0]], "frames": [[9_000.0, 9_001.0, 99]],
    "clock": [[5.0, 2, 1, 6.0]], "tokens": [[1, 2, 3, 4]], "spans": [{"name": "server.request"}],
    "writing": {"pieces": [[2, 1, 5]]}, "usage": {"prompt_tokens": 1.5},
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_measurement_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(RoundtripError) as found:
        read({**World().raw(), name: BROKEN[name]})
    assert "\n" not in str(found.value)


def test_times_that_go_backwards_are_refused() -> None:
    raw = World().raw()
    raw["reads"].reverse()
    with pytest.raises(MeasureError, match="backwards"):
        read(raw)


@pytest.mark.parametrize("form", live.KINDS)
def test_the_files_are_those_of_the_command_line(form: str) -> None:
    text, kind = live.exported(World().raw(), form)
    assert kind == live.KINDS[form]
    body = json.loads(text)
    if form == "json":
        assert body["schema"] == "roundtrip.trace/1"
        assert body["reading"] == "record"
    elif form == "chrome":
        assert any(event["name"] == "model.step.1" for event in body["traceEvents"])
    else:
        spans = [s for part in body["resourceSpans"] for scope in part["scopeSpans"] for s in scope["spans"]]
        ids = {span["spanId"] for span in spans}
        assert all(span.get("parentSpanId", next(iter(ids))) in ids for span in spans)
        key = next(span for span in spans if span["name"] == "page.input")
        assert int(key["startTimeUnixNano"]) == pytest.approx(1_790_000_000_000e6, abs=1e5)


# -- the server --------------------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing kept on it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ROUNDTRIP_MODEL", raising=False)
    return tmp_path


@pytest.fixture
def port(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The lab with the tiny model."""
    monkeypatch.setenv("ROUNDTRIP_MODEL", str(tiny_gguf(home / "tiny.gguf")))
    with serving() as found:
        yield found


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, port: int) -> int:
    """The lab with a model that takes its time, as a real one does."""
    from roundtrip.engine.model import Llama

    plain = Llama.forward

    def forward(self: Llama, *given: Any, **more: Any) -> Any:
        time.sleep(0.02)
        return plain(self, *given, **more)

    monkeypatch.setattr(Llama, "forward", forward)
    return port


def ask(port: int, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection.request(method, path, data, {"content-type": "application/json", **headers})
    answer = connection.getresponse()
    read_body = answer.read()
    connection.close()
    told = {k.lower(): v for k, v in answer.getheaders()}
    return answer.status, told, json.loads(read_body) if "json" in told.get("content-type", "") else read_body


def talked(port: int, prompt: str = SECRET) -> dict[str, Any]:
    """Talk to it as the page does; what the page would have measured."""
    trace_id, span_id = new_trace_id(), new_span_id()

    def ms() -> float:
        return now_ns() / 1e6

    raw: dict[str, Any] = {"schema": "roundtrip.live/1", "trace_id": trace_id, "span_id": span_id, "prompt": prompt,
                           "unix_ms": 1.7e12, "key_ms": ms(), "handle_ms": ms(), "call_ms": ms(), "finish": "length",
                           "reads": [], "commits": [], "frames": [], "tokens": [], "clock": []}  # fmt: skip
    body = {"messages": [{"role": "user", "content": prompt}], "stream": True, "temperature": 0, "max_tokens": 12,
            "stream_options": {"include_usage": True}, "spans": True, "logprobs": True, "top_logprobs": 2}  # fmt: skip
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/chat/completions", json.dumps(body).encode(),
                       {"content-type": "application/json", "traceparent": f"00-{trace_id}-{span_id}-01"})  # fmt: skip
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.getheader("cache-control") == "no-store"
    kept, done, text = b"", 0, ""
    while data := answer.read1(65_536):
        raw["reads"].append([ms(), (raw["reads"][-1][1] if raw["reads"] else 0) + len(data)])
        kept += data
        new = ""
        while (end := kept.find(b"\n\n")) >= 0:
            event, kept, done = kept[:end], kept[end + 2 :], done + end + 2
            if not event.startswith(b"data: ") or event == b"data: [DONE]":
                continue
            chunk = json.loads(event[6:])
            raw.update({name: chunk[name] for name in ("spans", "usage") if chunk.get(name)})
            for choice in chunk["choices"]:
                new += choice["delta"].get("content", "")
                for token in (choice.get("logprobs") or {}).get("content", []):
                    raw["tokens"].append([token["token"], token["logprob"], [], done])
        if new:
            raw["commits"].append([ms(), ms(), len(raw["reads"]) - 1])
            raw["frames"].append([ms(), ms(), len(raw["commits"]) - 1])
            text += new
    connection.close()
    for _ in range(4):
        sent = ms()
        _, _, shown = ask(port, "GET", "/clock")
        raw["clock"].append([sent, shown["received_ns"], shown["answered_ns"], ms()])
    return {**raw, "answer": text}


def test_the_lab_answers_like_the_engine_and_joins_what_both_measured(port: int) -> None:
    status, _, told = ask(port, "GET", "/live/model")
    assert status == 200
    assert told["model"] == "tiny"
    raw = talked(port)
    status, headers, shown = ask(port, "POST", "/live/trip", raw)
    assert status == 200
    assert headers["cache-control"] == "no-store"
    assert shown["path_s"] == pytest.approx(shown["measured_s"], abs=1e-6)
    gaps_s = [span["duration_s"] for span in shown["trace"]["spans"] if span["name"] == "gap"]
    assert shown["unattributed_s"] <= sum(gaps_s) + 1e-9
    assert shown["clock"]["agrees"]
    # This page and this server read the very same clock.
    assert abs(shown["clock"]["ahead_s"]) <= shown["clock"]["error_s"]
    names = [span["name"] for span in shown["trace"]["spans"]]
    for name in ("server.queue", "server.tokenize", "model.prefill", "server.handover", "server.write", "wire.back"):
        assert name in names, name
    assert names.count("model.step") >= 12
    assert shown["line"]["output_tokens"] == 12
    for form, kind in live.KINDS.items():
        status, headers, _ = ask(port, "POST", f"/live/export/{form}", raw)
        assert (status, headers["content-type"]) == (200, kind)
    assert ask(port, "POST", "/live/export/other", raw)[0] == 400
    assert ask(port, "POST", "/tokenize", {"prompt": "the"})[2]["count"] >= 1
    assert ask(port, "GET", "/v1/models")[2]["data"][0]["id"] == "tiny"


def test_a_look_inside_at_the_readers_own_prompt(port: int) -> None:
    status, _, seen = ask(port, "POST", "/inside", {"prompt": "the capital of"})
    assert status == 200
    assert seen["form"] == "text"
    assert bytes.fromhex("".join(t["bytes"].replace(" ", "") for t in seen["tokens"])).decode() == "the capital of"
    assert len(seen["glances"]) == seen["model"]["layers"]
    assert len(seen["guesses"]) == seen["model"]["layers"] + 1
    for glance in seen["glances"]:
        assert len(glance["weights"]) == len(seen["tokens"])
        assert sum(glance["weights"]) == pytest.approx(1.0, abs=2e-3)
    caches = [t["cache_B"] for t in seen["tokens"]]
    assert caches == [seen["cache_token_B"] * (n + 1) for n in range(len(caches))]
    assert seen["picked"] == seen["top"][0]["text"] == seen["guesses"][-1]["text"]
    assert [c["probability"] for c in seen["top"]] == sorted((c["probability"] for c in seen["top"]), reverse=True)


@pytest.mark.parametrize("prompt", [None, 7, "", "   ", "x" * 3_000, "many words " * 100])
def test_a_prompt_that_cannot_be_shown_is_refused_in_one_line(port: int, prompt: Any) -> None:
    status, _, body = ask(port, "POST", "/inside", {"prompt": prompt})
    assert status == 400
    assert "\n" not in body["error"]["message"]


def test_nobody_else_may_ask_and_nothing_large_is_read(port: int) -> None:
    for path in ("/live/model", "/live/trip", "/live/export/json", "/inside", "/v1/chat/completions", "/tokenize"):
        method = "GET" if path == "/live/model" else "POST"
        assert ask(port, method, path, {}, origin="https://example.org")[0] == 403, path
        assert ask(port, method, path, {}, host="example.org")[0] == 421, path
    for path in ("/live/trip", "/inside", "/v1/chat/completions"):
        assert ask(port, "POST", path, b"x" * 3_000_000)[0] == 413, path
        assert ask(port, "POST", path, b"{")[0] == 400, path
    status, headers, _ = ask(port, "POST", "/live/trip", {"schema": "roundtrip.live/1"})
    assert status == 400
    assert "default-src 'none'" in headers["content-security-policy"]


def test_nothing_that_was_typed_is_kept(port: int, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    raw = talked(port)
    assert ask(port, "POST", "/live/trip", raw)[0] == 200
    ask(port, "POST", "/inside", {"prompt": SECRET})
    for path in home.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in caplog.text


def test_without_weights_it_says_how_to_get_them(home: Path) -> None:
    with serving() as port:
        _, _, told = ask(port, "GET", "/live/model")
        assert "roundtrip model fetch" in told["missing"]
        status, _, body = ask(port, "POST", "/v1/chat/completions", {"messages": []})
        assert status == 503
        assert "roundtrip model fetch" in body["error"]["message"]
        assert body["error"]["code"] == "model_missing"
        assert ask(port, "GET", "/data/lab.json")[0] in (200, 404)  # the lab itself goes on


def test_the_model_is_loaded_when_it_is_first_asked_and_can_be_switched_off(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roundtrip.lab.room import OFF, Room

    monkeypatch.setenv("ROUNDTRIP_MODEL", str(tiny_gguf(home / "tiny.gguf")))
    room = Room()
    assert not room.awake
    assert room.loaded() is room.loaded()
    assert room.awake
    room.close()
    assert not room.awake
    with pytest.raises(RoundtripError, match="switched off"):
        Room(on=False).loaded()
    assert "--no-model" in OFF


def test_the_server_keeps_the_times_of_few_answers_and_no_text(port: int) -> None:
    from roundtrip.lab import room

    first = talked(port)
    for _ in range(room.MOST_KEPT):
        talked(port, "the")
    shown = ask(port, "POST", "/live/trip", first)[2]
    assert not [span for span in shown["trace"]["spans"] if span["name"] == "server.write"]
    assert [span for span in shown["trace"]["spans"] if span["name"] == "model.step"]


# -- the recorded answer -----------------------------------------------------------------------------------------------


def test_the_recorded_answer_is_small_says_when_and_where_and_adds_up() -> None:
    files = live.replay()
    size = sum(len(gzip.compress(json.dumps(body).encode(), 9)) for body in files.values())
    assert size <= 60_000
    shown: Any = files["live.json"]
    told = shown["recorded"]
    assert told["date"][:2] == "20"
    assert all(told[name] for name in ("processor", "cores", "system", "browser"))
    assert "Paris" in shown["trace"]["answer"]
    assert shown["path_s"] == pytest.approx(shown["measured_s"], abs=ROUND_MS / 1e3)
    assert shown["unattributed_share"] <= 0.05
    assert shown["clock"]["agrees"]
    own: Any = files["own.json"]
    assert own["prompt"]
    assert own["recorded"]["date"] == told["date"]
    assert own["picked"] == own["top"][0]["text"]


# -- the screen --------------------------------------------------------------------------------------------------------


@needs_browser
@needs_site
def test_in_chromium_the_way_that_decides_is_what_a_watch_of_its_own_measures(slow: int) -> None:
    start = f"http://127.0.0.1:{slow}/"
    found = run_node("live.mjs", "measure", start, "Hi", "Why?", "Go on.")
    assert not found["errors"]
    assert all(url.startswith((start, "data:", "blob:", "ws://127.0.0.1")) for url in found["requests"])
    assert len(found["told"]) == 3
    for each in found["told"]:
        trip, watch = each["trip"], each["watch"]
        assert each["key_ms"] == pytest.approx(watch["key"], abs=0.2)
        assert trip["path_s"] * 1e3 == pytest.approx(watch["paint"] - watch["key"], abs=ROUND_MS)
        assert trip["path_s"] == pytest.approx(trip["measured_s"], abs=1e-6)
        assert trip["unattributed_share"] <= 0.05
        assert trip["clock"]["agrees"]
        assert trip["clock"]["error_s"] < 0.01
        names = {span["name"] for span in trip["trace"]["spans"]}
        assert {"page.input", "page.request", "fetch.start", "wire.out", "server.queue", "model.step", "server.write",
                "wire.back", "page.text", "screen.paint", "keyboard.press", "eye.cortex"} <= names  # fmt: skip


@needs_browser
@needs_site
def test_everything_is_done_by_keyboard(slow: int) -> None:
    told = run_node("live.mjs", "keys", f"http://127.0.0.1:{slow}/", "Hi", "Tell me more")
    assert all(told["steps"].values()), told


@needs_browser
@needs_site
def test_without_a_model_the_screen_says_so_and_replays(home: Path) -> None:
    with serving() as found:
        told = run_node("live.mjs", "without", f"http://127.0.0.1:{found}/")
    assert "roundtrip model fetch" in told["text"]
    assert told["empty"]
    assert "Paris" in told["said"]
    assert not told["errors"]


@needs_browser
@needs_site
def test_the_static_site_replays_the_recorded_answer(tmp_path: Path) -> None:
    export.site(tmp_path / "site")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "site")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        told = run_node("live.mjs", "without", f"http://127.0.0.1:{server.server_address[1]}/")
    finally:
        server.shutdown()
        server.server_close()
    assert told["empty"]
    assert "Paris" in told["said"]
    assert not told["errors"]
    assert not [url for url in told["requests"] if "/v1/" in url or "/live/" in url]
