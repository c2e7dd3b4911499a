"""The OpenAI interface: what is answered, in which shape, and what the server tells of itself."""

from __future__ import annotations

import time
from typing import Any

import pytest

from roundtrip.engine.spans import Context, tree
from tests.engine.service import Service, alone, serving, tiny

MODEL = "tiny"


@pytest.fixture(scope="module")
def service():
    with serving() as running:
        yield running


def text_alone(prompt: str, most: int) -> str:
    engine = tiny()
    return engine.tokenizer.decode(alone(engine, engine.tokenizer.encode(prompt), most))


def test_a_whole_chat(service: Service) -> None:
    reply = service.chat("Hello", max_tokens=6)
    body = reply.json
    assert reply.status == 200
    assert (body["object"], body["model"]) == ("chat.completion", MODEL)
    assert body["id"].startswith("chatcmpl-")
    (choice,) = body["choices"]
    assert choice["message"]["role"] == "assistant"
    ids = tiny().chat.ids([{"role": "user", "content": "Hello"}])  # type: ignore[union-attr]
    assert choice["message"]["content"] == tiny().tokenizer.decode(alone(tiny(), ids, 6))
    assert choice["finish_reason"] in ("stop", "length")
    usage = body["usage"]
    assert usage["prompt_tokens"] == len(ids)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert body["timings"]["prompt_n"] + body["timings"]["cache_n"] == len(ids)
    assert {part.split(";")[0] for part in reply.headers["server-timing"].split(", ")} == {
        "queue",
        "tokenize",
        "prefill",
        "decode",
    }


def test_a_streamed_chat_says_the_same(service: Service) -> None:
    whole = service.chat("Hello", max_tokens=8, ignore_eos=True).json
    reply = service.chat("Hello", max_tokens=8, ignore_eos=True, stream=True)
    assert reply.headers["content-type"] == "text/event-stream"
    first, *rest, last = reply.events
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert all(e["object"] == "chat.completion.chunk" and e["id"] == first["id"] for e in reply.events)
    assert "".join(e["choices"][0]["delta"]["content"] for e in rest) == whole["choices"][0]["message"]["content"]
    assert last["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}
    assert last["timings"]["predicted_n"] == 8
    assert all("usage" not in e for e in reply.events), "it was not asked for"


def test_usage_stands_in_a_last_chunk_without_choices(service: Service) -> None:
    events = service.chat(max_tokens=4, ignore_eos=True, stream=True, stream_options={"include_usage": True}).events
    assert all(e["usage"] is None for e in events[:-1])
    assert events[-1]["choices"] == []
    assert events[-1]["usage"]["completion_tokens"] == 4
    assert "timings" in events[-1]
    assert events[-2]["choices"][0]["finish_reason"] == "length"


def test_usage_may_count_along(service: Service) -> None:
    options = {"include_usage": True, "continuous_usage_stats": True}
    events = service.chat(max_tokens=5, ignore_eos=True, stream=True, stream_options=options).events
    counts = [e["usage"]["completion_tokens"] for e in events]
    assert counts == sorted(counts)
    assert counts[-1] == 5


def test_a_text_to_go_on_with(service: Service) -> None:
    body = service.complete("The capital of France is", max_tokens=7).json
    assert (body["object"], body["choices"][0]["text"]) == (
        "text_completion",
        text_alone("The capital of France is", 7),
    )
    events = service.complete("The capital of France is", max_tokens=7, stream=True).events
    assert "".join(e["choices"][0]["text"] for e in events if e["choices"]) == body["choices"][0]["text"]
    assert events[0]["object"] == "text_completion"


@pytest.mark.parametrize("prompt", [["Hi"], [10, 11, 12], [[10, 11, 12]]])
def test_forms_of_a_prompt(service: Service, prompt: Any) -> None:
    assert service.complete(prompt, max_tokens=2).status == 200


def test_content_in_parts(service: Service) -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    assert service.chat(parts, max_tokens=5).json["choices"] == service.chat("Hello", max_tokens=5).json["choices"]


@pytest.mark.parametrize("stream", [False, True])
def test_probabilities_of_a_chat(service: Service, stream: bool) -> None:
    fields = {"max_tokens": 5, "ignore_eos": True, "logprobs": True, "top_logprobs": 2}
    if stream:
        events = service.chat(stream=True, **fields).events
        content = [c for e in events if e["choices"][0]["logprobs"] for c in e["choices"][0]["logprobs"]["content"]]
    else:
        content = service.chat(**fields).json["choices"][0]["logprobs"]["content"]
    assert len(content) == 5
    for token in content:
        assert token["logprob"] < 0.0
        assert token["logprob"] == pytest.approx(token["top_logprobs"][0]["logprob"], abs=1e-6)
        assert bytes(token["bytes"]).decode("utf-8", "replace") == token["token"]
        assert len(token["top_logprobs"]) == 2


def test_probabilities_of_a_text(service: Service) -> None:
    found = service.complete(max_tokens=5, ignore_eos=True, logprobs=3).json["choices"][0]["logprobs"]
    assert [len(found[name]) for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset")] == [5] * 4
    assert found["text_offset"] == sorted(found["text_offset"])
    assert service.complete(max_tokens=5, logprobs=0).json["choices"][0]["logprobs"]["top_logprobs"] is None


def test_stop_texts(service: Service) -> None:
    whole = service.complete(max_tokens=30, ignore_eos=True).json["choices"][0]["text"]
    stop = whole[8:11]
    for fields in ({"stop": stop}, {"stop": ["never", stop]}):
        body = service.complete(max_tokens=30, ignore_eos=True, **fields).json
        assert body["choices"][0]["text"] == whole[: whole.index(stop)]
        assert body["choices"][0]["finish_reason"] == "stop"
    events = service.complete(max_tokens=30, ignore_eos=True, stop=stop, stream=True).events
    assert "".join(e["choices"][0]["text"] for e in events) == whole[: whole.index(stop)]


def test_a_seed_repeats(service: Service) -> None:
    def drawn(seed: int) -> str:
        return service.complete(max_tokens=20, ignore_eos=True, temperature=1.2, seed=seed).json["choices"][0]["text"]

    assert drawn(4) == drawn(4)
    assert drawn(4) != drawn(5)
    assert drawn(-1) == drawn(-1)


def test_without_a_temperature_the_answer_is_greedy(service: Service) -> None:
    assert (
        service.complete(max_tokens=9).json["choices"] == service.complete(max_tokens=9, temperature=0).json["choices"]
    )


def test_max_completion_tokens(service: Service) -> None:
    body = service.chat(max_completion_tokens=3, ignore_eos=True).json
    assert body["usage"]["completion_tokens"] == 3


def test_without_a_limit_an_answer_ends_with_the_context(service: Service) -> None:
    body = service.complete("Hi", ignore_eos=True).json
    assert body["usage"]["total_tokens"] == 256
    assert body["choices"][0]["finish_reason"] == "length"


def test_cached_tokens_are_reported(service: Service) -> None:
    prompt = "The prompt of the test of the cache, which is long enough"
    first = service.complete(prompt, max_tokens=2).json["usage"]
    again = service.complete(prompt, max_tokens=2).json["usage"]
    assert again["prompt_tokens_details"]["cached_tokens"] == again["prompt_tokens"] - 1
    assert first["prompt_tokens_details"]["cached_tokens"] < 16
    without = service.complete(prompt, max_tokens=2, cache_prompt=False).json["usage"]
    assert without["prompt_tokens_details"]["cached_tokens"] == 0


# -- what the server tells of itself


def test_spans_are_children_of_the_clients(service: Service) -> None:
    with service.client() as client:
        messages = [{"role": "user", "content": "Hello"}]
        record = client.chat(messages, max_tokens=5, ignore_eos=True, spans=True)
        away = client.offset()
    assert away is not None
    assert abs(away.ahead_ns) <= away.error_ns, "both clocks are the same one here"
    ours, theirs = record.spans(), record.server_spans
    whole = theirs[0]
    assert (whole.name, whole.parent_id, whole.trace_id) == (
        "server.request",
        record.context.span_id,
        record.context.trace_id,
    )
    found = tree([*ours, *theirs])
    assert [span.name for span in found[None]] == ["client.request"], "one tree with one root"
    reached, open_ids = 0, [found[None][0].span_id]
    while open_ids:
        children = found.get(open_ids.pop(), [])
        reached += len(children)
        open_ids += [child.span_id for child in children]
    assert reached == len(ours) + len(theirs) - 1, "everything hangs in it"
    assert [s.name for s in found[whole.span_id]] == [
        "server.receive",
        "server.tokenize",
        "server.queue",
        "server.prefill",
        "server.decode",
    ]
    decode = next(span for span in theirs if span.name == "server.decode")
    assert [span.attributes["tokens"] for span in found[decode.span_id]] == [1] * 4
    ids = {span.span_id: span for span in [*ours, *theirs]}
    for span in theirs[1:]:
        parent = ids[span.parent_id or ""]
        assert parent.start_ns <= span.start_ns <= span.end_ns <= parent.end_ns, span.name
    assert record.clock is not None
    assert record.clock["unix_ns"] == pytest.approx(time.time_ns(), abs=60e9)
    assert whole.end_ns <= record.clock["monotonic_ns"]


def test_spans_by_header_and_not_unasked(service: Service) -> None:
    context = Context("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    headers = {"traceparent": context.header, "x-roundtrip-spans": "1"}
    body = {"prompt": "Hi", "max_tokens": 2}
    told = service.ask("POST", "/v1/completions", body, headers).json
    assert {span["trace_id"] for span in told["spans"]} == {context.trace_id}
    assert told["spans"][0]["parent_span_id"] == context.span_id
    assert "spans" not in service.ask("POST", "/v1/completions", body, {"traceparent": context.header}).json
    orphan = service.ask("POST", "/v1/completions", body, {"traceparent": "00-broken", "x-roundtrip-spans": "1"}).json
    assert orphan["spans"][0]["parent_span_id"] is None


def test_times_of_each_token_on_request(service: Service) -> None:
    timings = service.complete(max_tokens=4, ignore_eos=True, timings_per_token=True).json["timings"]
    assert len(timings["token_ms"]) == 4
    assert "token_ms" not in service.complete(max_tokens=4).json["timings"]


def test_models(service: Service) -> None:
    (model,) = service.ask("GET", "/v1/models").json["data"]
    assert (model["id"], model["object"], model["max_model_len"]) == (MODEL, "model", 256)
    assert service.ask("GET", f"/v1/models/{MODEL}").json == model
    assert service.ask("GET", "/v1/models/gpt-4").error["code"] == "model_not_found"


def test_tokens_and_back(service: Service) -> None:
    text = "The capital of France é😀"
    for name in ("prompt", "content"):
        found = service.ask("POST", "/tokenize", {name: text}).json
        assert found["tokens"] == tiny().tokenizer.encode(text)
        assert (found["count"], found["max_model_len"]) == (len(found["tokens"]), 256)
    back = service.ask("POST", "/detokenize", {"tokens": found["tokens"]}).json
    assert back == {"prompt": text, "content": text}
    pieces = service.ask("POST", "/tokenize", {"content": "éa", "with_pieces": True}).json["tokens"]
    assert [piece["piece"] for piece in pieces] == [[0xC3], [0xA9], "a"]
    messages = [{"role": "user", "content": "Hi"}]
    assert service.ask("POST", "/tokenize", {"messages": messages}).json["tokens"] == tiny().chat.ids(messages)  # type: ignore[union-attr]
    markup = service.ask("POST", "/tokenize", {"content": "<|im_end|>", "parse_special": False}).json["count"]
    assert markup > service.ask("POST", "/tokenize", {"content": "<|im_end|>"}).json["count"] == 1


def test_health_and_clock(service: Service) -> None:
    body = service.ask("GET", "/health").json
    assert (body["status"], body["pages_used"]) == ("ok", 0)
    shown = service.ask("GET", "/clock").json
    assert 0 <= shown["answered_ns"] - shown["received_ns"] < 1e9
