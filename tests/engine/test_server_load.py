"""The server under load and under attack: queue, drain, timeouts, clients that leave, stall, or never say a word."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from typing import Any

import pytest

from roundtrip.engine import answer, guard, server
from roundtrip.engine.scheduler import Limits, Scheduler
from tests.engine.service import Service, serving, tiny

MODEL = "tiny"


@pytest.fixture(scope="module")
def service():
    with serving() as running:
        yield running


def test_a_full_queue_answers_429() -> None:
    with serving(limits=Limits(queue=1, slots=1)) as busy:
        held = [
            threading.Thread(target=busy.complete, args=("Hi",), kwargs={"ignore_eos": True, "max_tokens": 250})
            for _ in range(2)
        ]
        slow = _Slow()
        with slow(busy):
            held[0].start()
            _until(lambda: busy.scheduler.metrics.queue_s.count == 1)
            held[1].start()
            _until(lambda: len(busy.scheduler._waiting) == 1)
            reply = busy.complete("Hi")
        assert (reply.status, reply.error["code"]) == (429, "queue_full")
        assert int(reply.headers["retry-after"]) >= 1
        for thread in held:
            thread.join()
        assert busy.complete("Hi", max_tokens=1).status == 200
        assert busy.scheduler.metrics.failed.count("queue_full") == 1


class _Slow:
    """Holds the engine at a step until the block ends."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, service: Service) -> _Slow:
        step = service.scheduler._step

        def held() -> None:
            self.go.wait(60)
            step()

        service.scheduler._step = held  # type: ignore[method-assign]
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self.go.set()


def _until(true: Any) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_while_it_drains_new_requests_get_503() -> None:
    with serving() as stopping:
        slow, found = _Slow(), list[Any]()
        with slow(stopping):
            running = threading.Thread(
                target=lambda: found.append(stopping.complete("Hi", max_tokens=5, ignore_eos=True))
            )
            running.start()
            _until(lambda: stopping.scheduler.metrics.queue_s.count == 1)
            stopping.scheduler.drain()
            reply = stopping.complete("Hi")
            assert (reply.status, reply.error["code"]) == (503, "draining")
            assert reply.headers["retry-after"]
            health = stopping.ask("GET", "/health")
            assert (health.status, health.json["status"]) == (503, "draining")
        running.join()
        assert found[0].json["usage"]["completion_tokens"] == 5


def test_a_second_signal_aborts_what_runs_and_says_so() -> None:
    scheduler = Scheduler(tiny(), Limits())
    listening = guard.listen("127.0.0.1", 0)
    stopping = guard.Server(guard.config(server.app(tiny(), scheduler)), scheduler, 60.0)
    thread = threading.Thread(target=stopping.run, kwargs={"sockets": [listening]})
    thread.start()
    _until(lambda: stopping.started)
    service = Service(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", scheduler, MODEL)
    slow, found = _Slow(), list[Any]()
    with slow(service):
        asked = {"max_tokens": 200, "ignore_eos": True, "stream": True}
        running = threading.Thread(target=lambda: found.append(service.complete("Hi", **asked)))
        running.start()
        _until(lambda: scheduler._running)
        stopping.handle_exit(signal.SIGTERM, None)
        assert scheduler.draining
        assert not stopping.should_exit, "it waits for what runs"
        stopping.handle_exit(signal.SIGTERM, None)
        _until(lambda: scheduler._closing)
    running.join(60)
    thread.join(60)
    scheduler.close()
    assert found[0].events[-1]["error"]["message"] == "the server stopped"
    assert scheduler.pool.free == scheduler.pool.pages


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_takes_too_long(stream: bool) -> None:
    with serving(timeout_s=0.001) as hurried:
        reply = hurried.complete("Hi", max_tokens=200, ignore_eos=True, stream=stream)
        error = reply.events[-1]["error"] if stream else reply.error
        assert (error["type"], error["code"]) == ("timeout_error", "timeout")
        assert reply.status == (200 if stream else 504)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_is_dropped(service: Service, stream: bool) -> None:
    before = service.scheduler.metrics.failed.count("abort")
    slow = _Slow()
    with slow(service):
        body = json.dumps({"prompt": "Hi", "max_tokens": 200, "ignore_eos": True, "stream": stream}).encode()
        with socket.create_connection(("127.0.0.1", service.port)) as sock:
            sock.sendall(
                b"POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
            )
            _until(lambda: service.scheduler._running)
        _until(lambda: service.scheduler._running[0].cancelled)
    _until(lambda: service.scheduler.metrics.failed.count("abort") == before + 1)
    assert service.free_pages() == service.scheduler.pool.pages


def test_a_slow_loris_is_told_and_closed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "HEAD_S", 1.0)
    for sent in (b"", b"POST /v1/completions HTTP/1.1\r\nhost: loc"):
        with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:
            sock.sendall(sent)
            said = sock.recv(65_536)
            assert said.startswith(b"HTTP/1.1 408 ")
            assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]["code"] == "request_timeout"
            assert sock.recv(1) == b""
    with socket.create_connection(
        ("127.0.0.1", service.port), timeout=30
    ) as sock:  # the second request of a connection
        sock.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        said = b""
        while not said.endswith(b"}"):
            said += sock.recv(65_536)
        assert said.startswith(b"HTTP/1.1 200 ")
        sock.sendall(b"GET /hea")
        assert sock.recv(65_536).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_never_comes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_S", 0.2)
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:
        sock.sendall(b"POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
        assert sock.recv(65_536).startswith(b"HTTP/1.1 408 ")


def test_what_is_no_http(service: Service) -> None:
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"y" * 40_000):
        with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:
            sock.sendall(sent)
            said = sock.recv(65_536)
            assert said.startswith(b"HTTP/1.1 400 ")
            assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]["code"] == "invalid_http"


def test_too_many_connections(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_CONNECTIONS", 3)
    held = [socket.create_connection(("127.0.0.1", service.port), timeout=30) for _ in range(8)]
    try:
        assert held[-1].recv(65_536).startswith(b"HTTP/1.1 503 ")
    finally:
        for sock in held:
            sock.close()


def test_who_does_not_read_is_cut_off(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "STALL_S", 0.2)
    body = json.dumps({"prompt": "Hi", "max_tokens": 250, "ignore_eos": True, "stream": True, "logprobs": 20}).encode()
    request = b"POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    sock.settimeout(30)
    sock.connect(("127.0.0.1", service.port))
    with sock, pytest.raises(ConnectionError):
        _send_without_reading(sock, request)
    _until(lambda: service.scheduler.idle)
    assert service.complete("Hi", max_tokens=1).status == 200


def _send_without_reading(sock: socket.socket, request: bytes) -> None:
    """Ask again and again, for some 300 kB each time, until the server has had enough."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        sock.sendall(request)
        time.sleep(0.02)


def test_a_waiting_stream_shows_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "KEEP_ALIVE_S", 0.05)
    with serving() as quiet:
        slow = _Slow()
        with quiet.client() as client, slow(quiet):
            threading.Timer(0.4, slow.go.set).start()
            record = client.complete("Hi", max_tokens=3, ignore_eos=True)
    assert record.outcome == "complete"
    assert len(record.comments_ns) >= 1
    assert record.first_token_ns is not None
    assert record.comments_ns[0] < record.first_token_ns


def test_metrics_count_what_happened() -> None:
    with serving() as counted:
        counted.complete("Hi", max_tokens=3, ignore_eos=True)
        counted.complete("Hi", max_tokens=0)
        page = counted.ask("GET", "/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = page.data.decode().splitlines()
    label = f'{{model_name="{MODEL}"}}'
    assert f"roundtrip:generation_tokens_total{label} 3" in lines
    assert f'roundtrip:request_success_total{{model_name="{MODEL}",finished_reason="length"}} 1' in lines
    assert f'roundtrip:request_failure_total{{model_name="{MODEL}",reason="invalid"}} 1' in lines
    assert f"roundtrip:inter_token_latency_seconds_count{label} 2" in lines
    assert f"roundtrip:num_requests_running{label} 0" in lines
