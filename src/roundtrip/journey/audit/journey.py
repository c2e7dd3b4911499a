"""Derivations of the claims about: the whole journey, the concept lab, and how much the world asks."""

from __future__ import annotations

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.training import operations

SLIDERS = "The trip of the concept page on its own sliders: the one place where a document's inputs are ours too."


@derives("A104")
def time_to_first_token(bench: Bench) -> Finding:
    return Finding(
        bench.trip("cloud", "time_to_first_token_s"),
        "The whole trip of the preset `cloud`, from the finger until the browser has the first token: summed from "
        "its stages, not fitted. A model that reasons first, or a long queue, takes longer.",
    )


@derives("A106", latitude="about")
def decades_of_time(bench: Bench) -> Finding:
    clock_s = 1.0 / bench["accelerators/h100-sxm.clock_Hz"]
    run_s = bench.use(
        operations.run_duration_s, accelerator_time_h=bench["training_runs/llama-3.1-405b.accelerator_time_h"],
        accelerators=bench["training_runs/llama-3.1-405b.accelerators"],
    )  # fmt: skip
    return Finding(
        bench.use(operations.decades, shortest_s=clock_s, longest_s=run_s),
        "From one clock of an H100 (half a nanosecond) to the 78 days of a training run. A single gate switches "
        "in picoseconds, which would make it 18.",
    )


@derives("A108", latitude="about")
def wait_for_inference(bench: Bench) -> Finding:
    return Finding(
        bench.trip("cloud", "queue_s") + bench.trip("cloud", "prefill_s"),
        "The queue and the reading of the prompt in the preset `cloud`; the way there and back comes on top. The "
        "kernel path takes microseconds, so it is hidden either way.",
    )


@derives("B004")
def concept_network(bench: Bench) -> Finding:
    return Finding(bench.trip("concept", "network_s"), f"Distance over speed, there and back. {SLIDERS}")


@derives("B005")
def concept_queue(bench: Bench) -> Finding:
    return Finding(bench.trip("concept", "queue_s"), f"A slider itself. {SLIDERS}")


@derives("B006")
def concept_prefill(bench: Bench) -> Finding:
    return Finding(bench.trip("concept", "prefill_s"), f"Prompt tokens over the rate of prefill. {SLIDERS}")


@derives("B007")
def concept_decode(bench: Bench) -> Finding:
    return Finding(bench.trip("concept", "decode_s"), f"Answer tokens over the rate of decode. {SLIDERS}")


@derives("B008")
def concept_first_word(bench: Bench) -> Finding:
    return Finding(
        bench.trip("concept", "time_to_first_token_s"),
        "Network there, queue, prefill and network back; the first word's own decode step is left out, as the "
        f"page does. {SLIDERS}",
    )


@derives("B009")
def concept_whole_answer(bench: Bench) -> Finding:
    return Finding(bench.trip("concept", "time_to_last_token_s"), f"The first word and the decode after it. {SLIDERS}")


@derives("B014")
def inferences_per_day(bench: Bench) -> Finding:
    return Finding(
        bench["usage/chatgpt-2025.messages_per_day"],
        "One service alone counted 18 billion messages a week in July 2025. The world's total is not published; "
        "it can only be more.",
    )


@derives("B015")
def share_of_inference(bench: Bench) -> Finding:
    return Finding(
        bench["usage/google-2021.inference_share"],
        "No census of the world's AI hardware exists. One operator published three fifths of its machine-learning "
        "energy for answers (2019 to 2021), another a capacity of 70 % against 20 % for training; a chip vendor "
        "put 40 % of its 2024 sales to inference. Most, at those two operators; for the world it is not "
        "computable.",
    )
