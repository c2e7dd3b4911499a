"""One's own measurements, in the forms in which their programs write them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.errors import RoundtripError
from roundtrip.serving.bench_files import Given, read
from roundtrip.serving.fit import predict
from roundtrip.serving.layout import Layout
from roundtrip.serving.measurements import Run, accelerator_key, engine, table

GIVEN = Given(model="llama-3.1-8b", accelerator="h100-sxm", engine="vllm")


def aiperf(**changes: Any) -> dict[str, Any]:
    """Return what ``profile_export_aiperf.json`` holds, in its own words."""
    return {
        "request_throughput": {"unit": "requests/sec", "avg": 4.2},
        "time_to_first_token": {"unit": "ms", "avg": 120.5, "p50": 100.0, "std": 12.0},
        "inter_token_latency": {"unit": "ms", "avg": 9.25, "p50": 9.1},
        "input_sequence_length": {"unit": "tokens", "avg": 1024.0},
        "output_sequence_length": {"unit": "tokens", "avg": 256.0},
        "request_count": {"unit": "requests", "avg": 160.0},
        "was_cancelled": False,
        "error_summary": [],
        "input_config": {
            "endpoint": {"model_names": ["meta-llama/Llama-3.1-8B-Instruct"], "streaming": True},
            "loadgen": {"concurrency": 16, "request_count": 160},
        },
    } | changes


AIPERF_CSV = """Metric,avg,min,max,p50,std
Inter Token Latency (ms),9.25,8.00,12.00,9.10,0.40
Time to First Token (ms),"1,120.50",80.00,400.00,100.00,12.00
Output Sequence Length (tokens),256.00,256.00,256.00,256.00,0.00
Input Sequence Length (tokens),"1,024.00",1024.00,1024.00,1024.00,0.00

Metric,Value
Request Throughput (requests/sec),4.20
Request Count,160.00
"""


def vllm(**changes: Any) -> dict[str, Any]:
    """Return what ``vllm bench serve --save-result`` writes, in its own words."""
    return {
        "date": "20261201-010000",
        "endpoint_type": "openai",
        "model_id": "meta-llama/Llama-3.1-8B-Instruct",
        "num_prompts": 100,
        "request_rate": "inf",
        "burstiness": 1.0,
        "max_concurrency": 32,
        "duration": 40.0,
        "completed": 100,
        "total_input_tokens": 102_400,
        "total_output_tokens": 12_800,
        "mean_ttft_ms": 140.0,
        "median_ttft_ms": 120.0,
        "mean_tpot_ms": 11.0,
        "mean_itl_ms": 11.1,
    } | changes


def one(tmp_path: Path, name: str, text: str, given: Given = GIVEN, form: str = "auto") -> Run:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read(str(file), form, given)[0]


def test_aiperf_json(tmp_path: Path) -> None:
    r = one(tmp_path, "profile_export_aiperf.json", json.dumps(aiperf()), Given(accelerator="H100 SXM", engine="vLLM"))
    assert (r.model, r.accelerator, r.engine) == ("meta-llama/Llama-3.1-8B-Instruct", "h100-sxm", "vllm")
    assert (r.clients, r.prompt_tokens, r.output_tokens) == (16.0, 1024.0, 256.0)
    assert (r.ttft_s, r.tpot_s) == pytest.approx((0.1205, 0.00925))
    assert r.precision == "bf16"


def test_aiperf_json_of_lengths_in_sum_and_times_in_seconds(tmp_path: Path) -> None:
    body = aiperf(total_isl={"unit": "tokens", "avg": 160 * 500.0}, total_osl={"unit": "tokens", "avg": 160 * 50.0})
    del body["input_sequence_length"], body["output_sequence_length"]
    body["time_to_first_token"] = {"unit": "sec", "avg": 0.25}
    r = one(tmp_path, "a.json", json.dumps(body))
    assert (r.prompt_tokens, r.output_tokens, r.ttft_s) == (500.0, 50.0, 0.25)


def test_aiperf_csv_with_commas_in_numbers(tmp_path: Path) -> None:
    r = one(tmp_path, "profile_export_aiperf.csv", AIPERF_CSV, replace(GIVEN, clients=8.0))
    assert (r.clients, r.prompt_tokens, r.ttft_s) == (8.0, 1024.0, pytest.approx(1.1205))
    with pytest.raises(RoundtripError, match="expected --clients"):
        one(tmp_path, "b.csv", AIPERF_CSV)


def test_vllm_bench_one_object_and_one_a_line(tmp_path: Path) -> None:
    r = one(tmp_path, "openai-infqps.json", json.dumps(vllm(tensor_parallel_size="4")), Given(accelerator="b200"))
    assert (r.clients, r.prompt_tokens, r.output_tokens) == (32.0, 1024.0, 128.0)
    assert (r.engine, r.layout) == ("vllm", Layout(tensor=4))
    file = tmp_path / "many.json"
    file.write_text("\n".join(json.dumps(vllm(max_concurrency=c)) for c in (1, 2, 4)), encoding="utf-8")
    assert [x.clients for x in read(str(file), "auto", Given(accelerator="b200"))] == [1.0, 2.0, 4.0]


def test_a_rate_without_a_concurrency_needs_one(tmp_path: Path) -> None:
    with pytest.raises(RoundtripError, match="clients = 0: expected --clients"):
        one(tmp_path, "a.json", json.dumps(vllm(max_concurrency=None)))


def test_plain_csv_in_either_spelling(tmp_path: Path) -> None:
    text = "clients,prompt_tokens,output_tokens,ttft_ms,tpot_ms,tensor\n16,1024,256,120,9,2\n32,1024,256,,11,2\n"
    file = tmp_path / "own.csv"
    file.write_text(text, encoding="utf-8")
    runs = read(str(file), "auto", GIVEN)
    assert [r.clients for r in runs] == [16.0, 32.0]
    assert math.isnan(runs[1].ttft_s)
    assert runs[0].layout.tensor == 2
    head = "model,accelerator,engine,precision,concurrency,isl,osl,ttft_s,tpot_s"
    other = f"{head}\nQwen/Qwen3-32B,b200,sglang,fp8,8,100,50,0.1,0.01\n"
    r = one(tmp_path, "other.csv", other, Given())
    assert (r.model, r.engine, r.precision, r.clients, r.ttft_s) == ("Qwen/Qwen3-32B", "sglang", "fp8", 8.0, 0.1)


def test_a_folder_of_results(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "profile_export_aiperf.json").write_text(json.dumps(aiperf()), encoding="utf-8")
    (tmp_path / "vllm.json").write_text(json.dumps(vllm()), encoding="utf-8")
    (tmp_path / "inputs.json").write_text('{"data": []}', encoding="utf-8")
    assert len(read(str(tmp_path), "auto", GIVEN)) == 2


def test_what_the_command_says_goes_before_what_a_file_says(tmp_path: Path) -> None:
    r = one(tmp_path, "a.json", json.dumps(vllm(model_id="my-finetune")), replace(GIVEN, tensor=8, precision="fp8"))
    assert (r.model, r.layout.tensor, r.precision) == ("llama-3.1-8b", 8, "fp8")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.json", '{"mean_ttft_ms": 1', "line 1: no JSON"),
        ("a.json", '{"x": 1}', "neither aiperf's export"),
        ("a.json", json.dumps(vllm(completed=0)), "completed = 0"),
        ("a.json", json.dumps(vllm(mean_ttft_ms=None, mean_tpot_ms=None)), "neither a time to first token"),
        ("a.json", json.dumps(vllm(mean_ttft_ms=-3.0)), "time to first token = -0.003 s"),
        ("a.json", json.dumps(vllm(total_input_tokens="many")), "prompt tokens = nan"),
        ("a.json", json.dumps(vllm(tensor_parallel_size=2.5)), "tensor = 2.5"),
        ("a.json", json.dumps(aiperf(input_sequence_length=None)), "prompt tokens = nan"),
        ("a.csv", "clients,prompt_tokens,output_tokens,ttft_ms,tpot_sm\n1,2,3,4,5\n", "unknown column 'tpot_sm'"),
        ("a.csv", "clients,prompt_tokens,output_tokens,ttft_ms\n1,2,x,4\n", "line 2: output_tokens = 'x'"),
        ("a.csv", "clients,prompt_tokens,output_tokens,ttft_ms\n1,2,3,-4\n", "time to first token = -0.004 s"),
        ("a.csv", "clients,prompt_tokens,output_tokens,ttft_ms\n", "no measured run"),
        ("a.csv", "", "neither aiperf's export"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_line(name: str, text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(RoundtripError, match=says) as caught:
        one(tmp_path, name, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (replace(GIVEN, accelerator="h10-sxm"), "did you mean 'h100-sxm'"),
        (Given(model="llama-3.1-8b", engine="vllm"), "expected --accelerator"),
        (replace(GIVEN, precision="fp7"), "precision 'fp7'"),
    ],
)
def test_what_is_said_nowhere_or_wrongly_is_asked_for(given: Given, says: str, tmp_path: Path) -> None:
    with pytest.raises(RoundtripError, match=says):
        one(tmp_path, "a.json", json.dumps(vllm()), given)


def test_files_that_are_not_there_and_formats_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(RoundtripError, match="cannot be read"):
        read(str(tmp_path / "none.csv"), "csv", GIVEN)
    with pytest.raises(RoundtripError, match="did you mean 'aiperf'"):
        read(str(tmp_path), "aipref", GIVEN)
    with pytest.raises(RoundtripError, match="no measured run"):
        read(str(tmp_path), "auto", GIVEN)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("h100_sxm", "h100-sxm"), ("H100-SXM5-80GB", "h100-sxm"), ("NVIDIA B200", "b200"), ("b300_sxm", "b300"),
        ("gb200", "gb200"), ("H200_SXM", "h200-sxm"), ("nvidia-h800-sxm", "h800-sxm"), ("MI300X", "mi300x"),
    ],
)  # fmt: skip
def test_accelerators_as_benchmarks_name_them(name: str, key: str) -> None:
    assert accelerator_key(name) == key


def test_engines_in_any_spelling() -> None:
    assert [engine(x) for x in ("vLLM", "TensorRT-LLM", "trtllm", "SGLang", "Other")] == [
        "vllm", "trtllm", "trtllm", "sglang", "other",
    ]  # fmt: skip


def test_a_table_of_rows_is_the_rows_one_by_one() -> None:
    runs = [
        Run("Qwen/Qwen3-32B", "h100_sxm", "vllm", "", "fp8", Layout(tensor=2), 16.0, 1024.0, 512.0, 0.1, 0.01),
        Run("deepseek-v3", "b200", "sglang", "", "fp4", Layout(groups=8, expert=8), 64.0, 2048.0, 256.0, 0.2, 0.02),
        Run("openai/gpt-oss-120b", "h200", "trtllm", "", "fp4", Layout(tensor=4), 8.0, 500.0, 100.0, 0.1, 0.01),
    ]
    from roundtrip.serving.constants import constants

    together = predict(table(runs), constants())
    alone = np.concatenate([predict(table([r]), constants()) for r in runs])
    np.testing.assert_allclose(together, alone)
