"""The room on the way, against what was measured of whole services."""

from __future__ import annotations

import pytest

from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario
from roundtrip.trace.model import Trace


def _trip(preset: str, *settings: str) -> Trace:
    return forecast(scenario=load_scenario(preset).with_settings(settings), samples=0)


def _per_token_s(trace: Trace) -> float:
    return float(trace.span("model.decode").attributes["time_per_output_token_s"])


def test_deepseek_on_h800_writes_20_to_22_tokens_a_second_inference_overview() -> None:
    assert 20.0 / 1.15 <= 1.0 / _per_token_s(_trip("cloud")) <= 22.0 * 1.15


def test_deepseek_profile_decodes_2324_tokens_a_second_and_card_profile_data() -> None:
    """EP128, 128 streams a card with 4,096 tokens each, on H800: https://github.com/deepseek-ai/profile-data."""
    values = {"streams": 128, "context_tokens": 4096, "expert_ranks": 128, "redundant_experts": 0}
    trace = _trip("cloud", *(f"model.serving.{name}={value}" for name, value in values.items()))
    assert 128.0 / _per_token_s(trace) == pytest.approx(2324.0, rel=0.1)


def test_deepseek_profile_reads_7839_tokens_a_second_and_card_profile_data() -> None:
    """EP32, prompts of 4,096 tokens, 16,384 tokens a card; the efficiency of experts comes from smaller passes."""
    trace = _trip("cloud", "model.serving.companion_tokens=16384", "model.serving.context_tokens=4096")
    parts = ("launch", "model.weights", "model.experts", "model.attention", "model.parallel")
    pass_s = sum(trace.span(f"prefill.{part}").duration_s for part in parts)
    assert 16_384.0 / pass_s == pytest.approx(7839.0, rel=0.25)


def test_phone_writes_50_and_reads_260_tokens_a_second_llama_3_2_card() -> None:
    trace = _trip("device", "model.serving.context_tokens=64")
    assert 1.0 / _per_token_s(trace) == pytest.approx(50.2, rel=0.15)
    prompt = float(trace.span("model.prefill").attributes["tokens"])
    assert prompt / trace.span("prefill.model.weights").duration_s == pytest.approx(260.5, rel=0.15)


def _joules_a_token(settings: list[str]) -> float:
    """Return joules of the cards alone over written tokens, reading included, as the benchmark counts them."""
    chosen = load_scenario("edge").with_settings(
        [*settings, "model.serving.host_power_W=0", "model.serving.context_tokens=400"]
    )
    trace = forecast(
        scenario=chosen.with_settings(["prompt.reply.output_tokens=380"]).with_prompt("word " * 180), samples=0
    )
    spent = [sum(trace.span(name).energy_J.values()) for name in ("model.prefill", "model.decode")]
    return sum(spent) / 380.0


@pytest.mark.parametrize(
    ("streams", "joule"), [(8, 0.455), (64, 0.119), (255, 0.0766)], ids=["batch 8", "batch 64", "batch 255"]
)
def test_joules_a_token_of_llama_8b_on_one_h100_ml_energy_v3(streams: int, joule: float) -> None:
    assert joule / 1.4 <= _joules_a_token([f"model.serving.streams={streams}"]) <= joule * 1.4


@pytest.mark.parametrize(("streams", "joule"), [(4, 4.77), (16, 2.43)], ids=["batch 32", "batch 128"])
def test_joules_a_token_of_llama_405b_on_eight_h100_ml_energy_v3(streams: int, joule: float) -> None:
    settings = ["model.name=llama-3.1-405b", "model.serving=llama-405b-h100", f"model.serving.streams={streams}"]
    assert joule / 1.4 <= _joules_a_token(settings) <= joule * 1.4


# chip, serving, cards, tokens read and written, bytes a weight, {readers: ms a token}, bound of the error
RUNS = {
    "deepseek-v3": ("b200", "deepseek-v3-b200", 8, 1024, 8192, 1.0, {16: 12.8, 64: 22.4, 128: 28.5}, 0.1),
    "deepseek-r1": ("h200-sxm", "deepseek-v3-b200", 8, 1024, 8192, 1.0, {16: 15.86, 32: 22.1, 64: 30.61}, 0.2),
    "qwen3-32b": ("h100-sxm", "llama-405b-h100", 8, 4096, 512, 1.0, {8: 6.79, 32: 12.39, 128: 32.6}, 0.15),
    # Long prompts into small experts: the efficiency of routed experts while reading is too low for this model.
    "gpt-oss-120b": ("b200", "deepseek-v3-b200", 2, 8192, 1024, 0.5625, {8: 4.13, 32: 6.85, 128: 14.27}, 0.5),
}


@pytest.mark.parametrize("model", RUNS)
def test_time_of_a_token_in_measured_runs_aiconfigurator_silicon_sample(model: str) -> None:
    """Runs with a fixed number of readers on one server."""
    chip, serving, cards, read, write, weight_B, measured, bound = RUNS[model]
    errors: list[float] = []
    for readers, time_ms in measured.items():
        values = {
            "streams": max(readers / cards, 1.0),
            "tensor_ranks": cards,
            "expert_ranks": cards,
            "prefill_expert_ranks": cards,
            "weight_B": weight_B,
            "context_tokens": read + write // 2,
            "companion_tokens": 2048,
            "read_write_ratio": read / write,
        }
        trace = _trip(
            "edge", f"model.name={model}", f"model.accelerator={chip}", f"model.serving={serving}",
            *(f"model.serving.{name}={value}" for name, value in values.items()),
        )  # fmt: skip
        errors.append(abs(_per_token_s(trace) * 1e3 / time_ms - 1.0))
    assert max(errors) < bound


@pytest.mark.parametrize("preset", ["cloud", "device", "edge", "speculative"])
def test_parts_fit_into_their_whole(preset: str) -> None:
    trace = _trip(preset)
    ends = {span.id: span for span in trace.spans}
    for span in trace.spans:
        if span.room == "model" and span.parent is not None:
            whole = ends[span.parent]
            assert whole.start_s - 1e-12 <= span.start_s
            assert span.end_s <= whole.end_s + 1e-9


@pytest.mark.parametrize("whole", ["model.prefill", "model.decode"])
def test_joules_stand_once(whole: str) -> None:
    trace = _trip("cloud")
    assert trace.span(whole).energy_J
    assert not any(span.energy_J for span in trace.spans if span.parent == whole)


def test_one_token_ends_with_the_prefill() -> None:
    trace = _trip("cloud", "prompt.reply.output_tokens=1")
    assert trace.span("model.decode").duration_s == 0.0
    assert trace.span("step.model.weights").duration_s == 0.0


def test_reasoning_is_written_before_the_answer() -> None:
    short, long = _trip("cloud"), _trip("cloud", "prompt.reply=reasoning")
    assert float(long.span("model.decode").attributes["tokens"]) == 2800.0
    assert long.span("model.decode").duration_s > short.span("model.decode").duration_s


def test_drafts_shorten_the_wait_for_a_token() -> None:
    assert _per_token_s(_trip("speculative")) < _per_token_s(_trip("cloud"))


def test_a_fuller_batch_waits_longer_and_costs_less() -> None:
    few, many = _trip("cloud", "model.serving.streams=16"), _trip("cloud", "model.serving.streams=128")
    assert _per_token_s(few) < _per_token_s(many)
    assert sum(few.span("model.decode").energy_J.values()) > sum(many.span("model.decode").energy_J.values())
