"""The client against servers that behave as servers were seen to: what is a token, when it came, what is not known."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from time import time
from typing import Any

import pytest

from roundtrip.engine.client import Client, ClientError
from roundtrip.engine.exchange import Exchange, Token, read_chunk
from roundtrip.engine.spans import Context, parse_traceparent
from roundtrip.engine.sse import EventReader
from tests.engine import wire
from tests.engine.wire import delta, piece, said, scripted, stream, whole

HELLO = [{"role": "user", "content": "Hello"}]
ROLE = delta(role="assistant", content="")
USAGE = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}


def chat(*replies: list[wire.Step], **fields: Any) -> Exchange:
    with scripted(*replies) as server, Client(server.url, timeout_s=20) as client:
        return client.chat(HELLO, **fields)


def fed(*reads: tuple[int, str]) -> Exchange:
    """Return the record of a stream whose reads came at known times [ms] after its start."""
    record = Exchange(Context("1" * 32, "2" * 16), 0, request_start_ns=0, request_end_ns=0, headers_ns=1_000_000)
    reader = EventReader()
    record.comments_ns = reader.comments
    for at_ms, text in reads:
        for event in reader.feed(text.encode(), at_ms * 1_000_000):
            read_chunk(record, event, None)
    record.settle()
    return record


def in_order(record: Exchange) -> None:
    """Every record keeps the order of time."""
    times = [record.start_ns, record.request_start_ns, record.request_end_ns, record.headers_ns, record.first_event_ns,
             record.first_token_ns, record.first_answer_ns, *(t.at_ns for t in record.tokens[-1:]), record.last_byte_ns,
             record.end_ns]  # fmt: skip
    happened = [at_ns for at_ns in times if at_ns is not None]
    assert happened == sorted(happened)
    for phase in (record.names_ns, record.tcp_ns, record.tls_ns):
        assert phase is None or record.start_ns <= phase[0] <= phase[1] <= (record.request_start_ns or record.end_ns)


def test_a_plain_stream() -> None:
    record = chat(
        stream(ROLE, delta(content="Hi"), delta(content=" there"), delta("stop"), said({"choices": [], "usage": USAGE}))
    )
    assert (record.outcome, record.text, record.finish_reason, record.status) == ("complete", "Hi there", "stop", 200)
    assert (record.prompt_tokens, record.completion_tokens, record.events) == (5, 3, 5)
    assert record.done_ns is not None
    assert record.names_ns is not None
    assert record.tcp_ns is not None
    assert record.tls_ns is None
    in_order(record)


def test_role_only_chunk_is_an_event_and_no_token() -> None:
    record = fed((5, ROLE), (214, delta(content="Hi")), (220, delta("stop")))
    assert (record.headers_ns, record.first_event_ns, record.first_token_ns) == (1_000_000, 5_000_000, 214_000_000)
    assert len(record.tokens) == 1


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "thinking"])
def test_reasoning_is_a_token_and_the_answer_comes_later(name: str) -> None:
    record = fed((5, ROLE), (100, delta(**{name: "Hm"})), (900, delta(content="Yes")), (901, delta("stop")))
    assert (record.reasoning, record.text) == ("Hm", "Yes")
    assert (record.first_token_ns, record.first_answer_ns) == (100_000_000, 900_000_000)


def test_thoughts_alone_have_a_first_token_and_no_answer() -> None:
    record = chat(stream(delta(reasoning="Hm"), delta("length")))
    assert record.first_token_ns is not None
    assert record.first_answer_ns is None
    assert record.outcome == "complete"


def test_tool_calls_are_tokens() -> None:
    call = [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]
    record = chat(stream(ROLE, delta(tool_calls=call), delta("tool_calls")))
    assert [token.channel for token in record.tokens] == ["tool"]
    assert record.outcome == "complete"


def test_several_tokens_an_event_are_counted_by_the_server() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 12}
    record = chat(stream(*[delta(content="a b c ")] * 3, delta("stop"), said({"choices": [], "usage": usage})))
    assert record.tokens_per_event == 4.0
    assert record.time_per_output_token_s is None, "how many the first event brought is not known"


def test_tokens_of_the_first_event_are_left_out_of_the_rate() -> None:
    def counted(text: str, n: int) -> str:
        return delta(content=text, usage={"prompt_tokens": 5, "completion_tokens": n})

    record = fed((100, counted("a b c ", 3)), (160, counted("d e ", 5)), (161, delta("stop")))
    assert record.time_per_output_token_s == pytest.approx(0.030)


def test_one_token_an_event_has_a_rate() -> None:
    events = ((9, ROLE), (100, delta(content="a")), (120, delta(content="b")), (150, delta("stop")))
    record = fed(*events, (151, said({"choices": [], "usage": USAGE})))
    assert record.time_per_output_token_s == pytest.approx(0.020), "the third token ends the answer and has no text"


@pytest.mark.parametrize("last", [{"choices": [], "usage": USAGE}, {"usage": USAGE}, {"choices": None, "usage": USAGE}])
def test_usage_alone_moves_no_clock(last: Any) -> None:
    record = fed((5, ROLE), (10, delta(content="a")), (20, delta("stop")), (500, said(last)))
    assert [token.at_ns for token in record.tokens] == [10_000_000]
    assert record.completion_tokens == 3
    assert fed((5, said(last)), (10, delta(content="a"))).first_token_ns == 10_000_000


def test_usage_is_asked_for() -> None:
    with scripted(stream(ROLE), stream(ROLE)) as server, Client(server.url) as client:
        client.chat(HELLO)
        assert server.body()["stream_options"] == {"include_usage": True}
        client.chat(HELLO, stream_options={"include_usage": False})
        assert server.body()["stream_options"] == {"include_usage": False}


def test_without_usage_tokens_are_not_known() -> None:
    record = chat(stream(ROLE, delta(content="a"), delta(content="b"), delta("stop")), max_tokens=50)
    assert record.usage is None
    assert record.completion_tokens is None
    assert record.tokens_per_event is None
    assert record.time_per_output_token_s is None


def test_filter_results_and_a_choice_without_delta_are_no_tokens() -> None:
    record = chat(stream(said({"choices": [], "prompt_filter_results": [{}]}), delta(content="a"),
                         said({"choices": [{"index": 0, "finish_reason": "stop"}]})))  # fmt: skip
    assert (len(record.tokens), record.finish_reason, record.outcome) == (1, "stop", "complete")


def test_a_count_that_grows_behind_an_empty_delta_is_a_token() -> None:
    def hidden(n: int) -> str:
        return delta(content="", usage={"prompt_tokens": 5, "completion_tokens": n})

    record = chat(stream(ROLE, hidden(1), hidden(2), hidden(2), delta(content="{}", usage={"completion_tokens": 3}),
                         delta("stop", usage={"completion_tokens": 4})))  # fmt: skip
    assert [token.channel for token in record.tokens] == ["hidden", "hidden", "content"]
    assert record.text == "{}"


def test_keep_alives_are_signs_of_life_and_no_tokens() -> None:
    record = fed((5, ": ping\n\n"), (9, ROLE), (20, ":\n\n"), (30, delta(content="a")), (31, delta("stop")))
    assert record.comments_ns == [5_000_000, 20_000_000]
    assert (record.first_event_ns, record.first_token_ns) == (9_000_000, 30_000_000)
    assert (record.text, record.unreadable) == ("a", 0)
    assert chat(stream(": ping\n\n", ROLE, delta(content="a"))).comments_ns


def test_characters_cut_by_packets_come_out_whole() -> None:
    raw = (ROLE + delta(content="é你😀\u2028\u0085")).encode()
    steps: list[wire.Step] = [wire.HEAD, *(piece(raw[i : i + 1]) for i in range(len(raw))), piece(wire.DONE), wire.END]
    assert chat(steps).text == "é你😀\u2028\u0085"


@pytest.mark.parametrize("end", ["data: [DONE]\n", "data: [DONE]", ""])
def test_an_end_without_blank_line(end: str) -> None:
    steps: list[wire.Step] = [
        wire.HEAD,
        piece(delta(content="a") + delta("stop").rstrip("\n") + "\n\n"[: 2 * bool(end)] + end),
        wire.END,
    ]
    record = chat(steps)
    assert (record.outcome, record.text, record.finish_reason) == ("complete", "a", "stop")
    assert (record.done_ns is not None) == bool(end)


def test_what_is_no_json_is_counted_and_left() -> None:
    record = chat(stream("data: {broken\n\n", "data: 7\n\n", delta(content="a"), delta("stop")))
    assert (record.unreadable, record.text, record.outcome) == (2, "a", "complete")


def test_a_refusal_is_an_outcome_and_never_retried() -> None:
    error = {"error": {"message": "slow down", "type": "overloaded", "code": "queue_full"}}
    with (
        scripted(whole(error, 429, "retry-after: 7"), stream(delta(content="a"))) as server,
        Client(server.url) as client,
    ):
        record = client.chat(HELLO)
        assert (record.outcome, record.status, record.error_code, record.retry_after_s) == (
            "refused",
            429,
            "queue_full",
            7.0,
        )
        assert record.error == "429: slow down"
        assert len(server.requests) == 1
        assert client.chat(HELLO).reused, "a refusal keeps the connection"


def test_retry_after_may_be_a_date() -> None:
    record = chat(whole(b"busy", 503, f"retry-after: {formatdate(time() + 30, usegmt=True)}"))
    assert record.retry_after_s == pytest.approx(30, abs=5)
    assert (record.outcome, record.error) == ("refused", "503: busy")


@pytest.mark.parametrize("event", [
    said({"error": {"message": "overloaded", "type": "overloaded_error"}}),
    "event: error\n" + said({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
    said({"error": "overloaded"}),
])  # fmt: skip
def test_an_error_inside_a_stream_keeps_the_times_so_far(event: str) -> None:
    record = chat(stream(ROLE, delta(content="Hi"), event))
    assert (record.outcome, record.error, record.text) == ("error", "overloaded", "Hi")
    assert record.first_token_ns is not None
    in_order(record)


def test_pings_of_another_dialect_are_no_tokens() -> None:
    record = chat(stream("event: ping\n" + said({"type": "ping"}), delta(content="a"), delta("stop")))
    assert len(record.tokens) == 1
    assert record.outcome == "complete"


def test_an_empty_stream_is_an_outcome() -> None:
    for steps in (stream(), stream(ROLE, delta("stop")), stream(done=False)):
        record = chat(steps)
        assert record.outcome == "empty"
        assert record.first_token_ns is None
        assert record.time_per_output_token_s is None
        assert record.streamed is None


def test_all_tokens_at_the_end_were_not_streamed() -> None:
    at_once = [(900 + i // 4, delta(content=c)) for i, c in enumerate("abcdefgh")]
    assert fed((5, ROLE), *at_once).streamed is False
    assert fed((5, ROLE), *[(100 + 30 * i, delta(content=c)) for i, c in enumerate("abcdefgh")]).streamed is True
    assert fed((5, ROLE), (10, delta(content="a"))).streamed is None, "one token cannot say"


def test_a_burst_is_seen_by_its_reads() -> None:
    record = fed((5, ROLE), (10, delta(content="a") + delta(content="b")), (60, delta(content="c")))
    assert [(token.read, token.at_ns) for token in record.tokens] == [(1, 10_000_000), (1, 10_000_000), (2, 60_000_000)]


def test_a_stream_that_breaks_off_keeps_what_came() -> None:
    record = chat([wire.HEAD, piece(ROLE + delta(content="Hi")), wire.close])
    assert (record.outcome, record.text) == ("cut", "Hi")
    in_order(record)


def test_a_server_that_does_not_stream_is_read_whole() -> None:
    body = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": USAGE,
    }
    record = chat(whole(body))
    assert (record.outcome, record.text, record.completion_tokens, record.finish_reason) == (
        "complete",
        "Hi",
        3,
        "stop",
    )


def test_the_stream_is_drained_so_that_the_connection_stays() -> None:
    with scripted(*[stream(ROLE, delta(content="a"), delta("stop"))] * 5) as server, Client(server.url) as client:
        records = [client.chat(HELLO) for _ in range(5)]
        assert server.connections == 1
    assert [record.reused for record in records] == [False, True, True, True, True]
    assert records[1].tcp_ns is None, "a kept connection has no handshake"
    assert records[4].connection == records[0].connection == 1
    assert records[4].connection_age_ns > 0


def test_a_connection_that_was_closed_while_idle_is_not_used() -> None:
    with (
        scripted([*stream(delta(content="a")), wire.close], stream(delta(content="b"))) as server,
        Client(server.url) as client,
    ):
        client.chat(HELLO)
        while client._connection is not None and client._connection.usable():
            pass
        record = client.chat(HELLO)
    assert (record.text, record.reused, record.resent, record.connection) == ("b", False, False, 2)


def _close_on_request(sock: socket.socket) -> None:
    wire.close(sock)


def test_a_connection_that_closes_as_it_is_used_is_said_and_sent_once_more() -> None:
    script = (stream(delta(content="a")), [_close_on_request], stream(delta(content="b")))
    with scripted(*script) as server, Client(server.url) as client:
        client.chat(HELLO)
        record = client.chat(HELLO)
        assert (record.text, record.resent, record.outcome) == ("b", True, "complete")
        assert len(server.requests) == 3
    with scripted(*script) as server, Client(server.url) as client:
        client.chat(HELLO)
        record = client.post("/chat/completions", {}, resend=False)
        assert (record.outcome, record.resent, len(server.requests)) == ("stale", False, 2)


def test_a_fresh_connection_that_closes_is_not_tried_again() -> None:
    with scripted([_close_on_request]) as server, Client(server.url) as client:
        record = client.chat(HELLO)
        assert record.outcome == "unreachable"
        assert len(server.requests) == 1


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}/v1") as client:
        record = client.chat(HELLO)
    assert record.outcome == "unreachable"
    assert record.status is None


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://a/v1", "http://", "http://a:port/v1", "http://[::1"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ClientError, match="base URL"):
        Client(url)


def test_a_server_that_says_nothing_runs_into_the_timeout() -> None:
    with (
        scripted([wire.HEAD, piece(ROLE + delta(content="a")), 5.0]) as server,
        Client(server.url, timeout_s=1.0) as client,
    ):
        record = client.chat(HELLO)
    assert (record.outcome, record.text) == ("timeout", "a")


def test_what_a_caller_raises_ends_the_request_and_the_connection() -> None:
    def stop(_: Token) -> None:
        raise KeyboardInterrupt

    with scripted(stream(delta(content="a"), 0.2, delta(content="b")), stream(delta(content="c"))) as server:
        with Client(server.url) as client:
            with pytest.raises(KeyboardInterrupt):
                client.chat(HELLO, on_token=stop)
            assert client.chat(HELLO).text == "c"
        assert server.connections == 2


def test_what_is_sent() -> None:
    with scripted(stream(delta(content="a"))) as server, Client(server.url, api_key="secret") as client:
        heard: list[str] = []
        record = client.chat(HELLO, on_token=lambda token: heard.append(token.text), temperature=0, model="m")
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
        lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /v1/chat/completions http/1.1"
    assert "authorization: bearer secret" in lines
    assert f"host: 127.0.0.1:{server.port}" in lines
    assert f"traceparent: {record.context.header}" in lines
    assert json.loads(body)["messages"] == HELLO
    assert heard == ["a"]
    assert record.sent_B == len(server.requests[0])


def test_the_trace_context() -> None:
    context = Context("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    assert context.header == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert parse_traceparent(context.header) == context
    assert parse_traceparent("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-later") is not None
    for broken in ("", None, "00-0-0-0", context.header + "-x", context.header.replace("00-", "ff-", 1),
                   context.header.upper(), f"00-{'0' * 32}-b7ad6b7169203331-01",
                   f"00-0af7651916cd43dd8448eb211c80319c-{'0' * 16}-01"):  # fmt: skip
        assert parse_traceparent(broken) is None


def test_the_spans_of_a_request_lie_within_it_in_order() -> None:
    record = chat(stream(ROLE, delta(content="a"), delta(content="b"), delta("stop")))
    whole_span, *parts = record.spans()
    assert whole_span.span_id == record.context.span_id
    assert [part.name for part in parts] == ["client.names", "client.tcp", "client.send", "client.wait_headers",
                                            "client.wait_first_token", "client.tokens", "client.end"]  # fmt: skip
    for part in parts:
        assert part.parent_id == whole_span.span_id
        assert whole_span.start_ns <= part.start_ns <= part.end_ns <= whole_span.end_ns
    assert all(a.end_ns <= b.start_ns for a, b in pairwise(parts))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_tls_is_timed_and_its_certificate_checked(tmp_path: Path) -> None:
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"]
    subprocess.run([*made.split(), *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with scripted(stream(ROLE, delta(content="a"), delta("stop")), tls=context) as server:
        url = server.url.replace("http:", "https:")
        with Client(url) as client:
            record = client.chat(HELLO)
            assert record.outcome == "unreachable"
            assert "CERTIFICATE_VERIFY_FAILED" in (record.error or "")
        with Client(url, ca=tmp_path / "cert.pem") as client:
            record = client.chat(HELLO)
    assert (record.outcome, record.text, record.tls) == ("complete", "a", "TLSv1.3")
    assert record.tcp_ns is not None
    assert record.tls_ns is not None
    assert record.tcp_ns[1] <= record.tls_ns[0] < record.tls_ns[1]
    in_order(record)
