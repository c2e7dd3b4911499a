"""Clients of others talk to the server: the OpenAI SDK, curl, Hugging Face's client, `llm`, Prometheus' parser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.engine.service import Service, alone, serving, tiny

MOST = 8
ROOT = Path(__file__).parents[2]
HOME = ROOT / ".judges" / "engine"


@pytest.fixture(scope="module")
def service():
    with serving() as running:
        yield running


def call(name: str, service: Service) -> dict[str, Any]:
    """Return what a client of .judges/engine heard."""
    if not any(HOME.glob(".*openai*")):
        pytest.skip("the clients are missing: tools/judges.sh engine")
    done = subprocess.run(
        [HOME / "bin" / "python", ROOT / "tests" / "engine" / "callers.py", name, service.base_url, service.model],
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def chatted() -> str:
    engine = tiny()
    assert engine.chat is not None
    return engine.tokenizer.decode(alone(engine, engine.chat.ids([{"role": "user", "content": "Hello"}]), MOST))


def continued() -> str:
    engine = tiny()
    return engine.tokenizer.decode(alone(engine, engine.tokenizer.encode("The capital of France is"), MOST))


def test_the_openai_sdk(service: Service) -> None:
    heard = call("openai", service)
    assert heard["chat"] == heard["chat_stream"] == chatted()
    assert heard["text"] == heard["text_stream"] == continued()
    assert heard["usage"] == heard["usage_stream"]
    assert heard["usage"][1] == heard["logprobs"] == MOST
    assert heard["finish"] == heard["finish_stream"] == "length"
    assert heard["cached"] > 0
    assert heard["models"] == [service.model]
    assert heard["refused"] == {
        "NotFoundError": ["NotFoundError", 404, "model_not_found", "model"],
        "BadRequestError": ["BadRequestError", 400, "invalid_value", "max_tokens"],
    }


def test_the_client_of_hugging_face(service: Service) -> None:
    heard = call("hub", service)
    assert heard["chat"] == heard["chat_stream"] == chatted()
    assert heard["finish"] == "length"


def test_the_command_llm(service: Service) -> None:
    heard = call("llm", service)
    assert heard["chat"].strip() == heard["chat_stream"].strip() == chatted().strip()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_curl_streamed_and_whole(service: Service) -> None:
    body = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": MOST}
    command = [
        "curl",
        "-sSN",
        "--fail-with-body",
        f"{service.base_url}/chat/completions",
        "-H",
        "content-type: application/json",
    ]
    whole = subprocess.run(
        [*command, "-d", json.dumps(body)], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert json.loads(whole.stdout)["choices"][0]["message"]["content"] == chatted()
    streamed = subprocess.run([*command, "-d", json.dumps({**body, "stream": True})], capture_output=True, check=True)
    found = streamed.stdout.decode().split("\n")
    lines = [line.removeprefix("data: ") for line in found if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    deltas = [json.loads(line)["choices"][0]["delta"] for line in lines[:-1]]
    assert "".join(delta.get("content", "") for delta in deltas) == chatted()


def test_prometheus_reads_the_metrics(service: Service) -> None:
    service.complete("Hi", max_tokens=3, ignore_eos=True)
    families = call("prometheus", service)
    kinds = {name.removeprefix("roundtrip:"): kind for name, (kind, _, _) in families.items()}
    assert kinds == {
        "num_requests_running": "gauge", "num_requests_waiting": "gauge",
        "kv_cache_usage_perc": "gauge", "kv_cache_kept_perc": "gauge",
        "request_success": "counter", "request_failure": "counter",
        "prompt_tokens": "counter", "generation_tokens": "counter",
        "prefix_cache_queries": "counter", "prefix_cache_hits": "counter", "num_preemptions": "counter",
        "request_queue_time_seconds": "histogram", "time_to_first_token_seconds": "histogram",
        "inter_token_latency_seconds": "histogram", "request_prefill_time_seconds": "histogram",
        "request_decode_time_seconds": "histogram", "e2e_request_latency_seconds": "histogram",
        "iteration_tokens_total": "histogram",
    }  # fmt: skip
    for name, (kind, meaning, samples) in families.items():
        assert meaning, name
        assert samples, name
        assert all(labels["model_name"] == service.model for _, labels, _ in samples), name
        if kind == "histogram":
            buckets = [value for sample, _, value in samples if sample.endswith("_bucket")]
            count = next(value for sample, _, value in samples if sample.endswith("_count"))
            assert buckets == sorted(buckets), name
            assert buckets[-1] == count, name
    first = families["roundtrip:time_to_first_token_seconds"][2]
    assert next(value for sample, _, value in first if sample.endswith("_count")) >= 1
