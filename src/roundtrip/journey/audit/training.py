"""Derivations of the claims about: training."""

from __future__ import annotations

import numpy as np

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.model import silicon
from roundtrip.stages.training import (
    checkpoint,
    collectives,
    corruption,
    energy,
    failures,
    heat,
    operations,
    parallelism,
    straggler,
)

RUN = "training_runs/llama-3.1-405b"
SMALL_RUN = "training_runs/deepseek-v3"
CHIP = "accelerators/h100-sxm"
FABRIC = "training_fabrics/h100-nvlink"
FRONTIER_CLUSTER = 20_000.0  # the claim's condition: "with 20,000 GPUs"
WEEK_S = 604_800.0


def _run_energy_J(bench: Bench, run: str) -> np.float64:
    return bench.use(
        energy.run_energy_J, accelerator_time_h=bench[f"{run}.accelerator_time_h"],
        accelerator_power_W=bench[f"{run}.accelerator_power_W"], pue=bench[f"{run}.pue"],
    )  # fmt: skip


def _mtbf_of_one_s(bench: Bench) -> np.float64:
    return bench.use(
        failures.mtbf_of_one_s, duration_s=bench[f"{RUN}.duration_s"], accelerators=bench[f"{RUN}.accelerators"],
        interruptions=bench[f"{RUN}.interruptions"],
    )  # fmt: skip


def _checkpoint_B(bench: Bench) -> np.float64:
    return bench.use(
        checkpoint.checkpoint_B, parameters=bench[f"{RUN}.parameters"],
        checkpoint_state_B=bench[f"{RUN}.checkpoint_state_B"],
    )  # fmt: skip


def _write_s(bench: Bench) -> np.float64:
    size_B = _checkpoint_B(bench)
    return bench.use(checkpoint.write_time_s, size_B=size_B, bandwidth_B_s=bench[f"{RUN}.bandwidth_B_s"])


def _cluster_power_W(bench: Bench) -> np.float64:
    return bench.use(
        heat.cluster_power_W, accelerators=bench[f"{RUN}.accelerators"],
        accelerator_power_W=bench[f"{RUN}.accelerator_power_W"], pue=bench[f"{RUN}.pue"],
    )  # fmt: skip


@derives("A076", latitude="order")
def operations_of_a_frontier_model(bench: Bench) -> Finding:
    flop = bench.use(
        operations.simple_flop, parameters=bench[f"{SMALL_RUN}.active_parameters"],
        training_tokens=bench[f"{SMALL_RUN}.training_tokens"],
    )  # fmt: skip
    return Finding(
        flop,
        "6 operations for each weight that a token meets, DeepSeek-V3: 3.3e24. GPT-3 took 3.1e23; Llama 3.1 405B, "
        "also a frontier model, took 3.8e25, four times above the stated range.",
    )


@derives("A077", latitude="order")
def electrons_of_a_run(bench: Bench) -> Finding:
    chip_J = bench.use(
        energy.run_energy_J, accelerator_time_h=bench[f"{RUN}.accelerator_time_h"],
        accelerator_power_W=bench[f"{RUN}.chip_power_W"], pue=1.0,
    )  # fmt: skip
    moved = bench.use(silicon.electrons, energy_J=chip_J, supply_voltage_V=bench[f"{CHIP}.supply_voltage_V"])
    return Finding(
        moved,
        "Energy of the chips over the elementary charge and the supply voltage, Llama 3.1 405B. The document "
        "multiplies 1e3 electrons, 1e14 toggles a second, 1e4 GPUs and 1e7 s and prints 1e30 to 1e33, but these "
        "factors give 1e28: 100 to 100,000 times less. The printed range does hold the figure that follows from "
        "the energy; the factors do not, since their toggle rate is some 10,000 times too low (A122).",
        verdict="ill-defined",
    )


@derives("A078")
def accelerators_of_a_cluster(bench: Bench) -> Finding:
    return Finding(
        bench[f"{RUN}.accelerators"],
        "Llama 3.1 405B trained on 16,384 H100. DeepSeek-V3 took 2,048; clusters of 100,000 have been announced since.",
    )


@derives("A079", latitude="about")
def power_of_a_cluster(bench: Bench) -> Finding:
    return Finding(
        _cluster_power_W(bench),
        "16,384 accelerators at about 1 kW each with their servers (8.4 kW was the most that eight drew in "
        "training, not the rated 10.2 kW), times the PUE. 20,000 would draw 21.6 MW.",
    )


@derives("A080", latitude="about")
def wait_for_the_slowest(bench: Bench) -> Finding:
    tokens = bench[f"{RUN}.batch_sequences"] * bench[f"{RUN}.sequence_tokens"]
    flop = bench.use(
        operations.simple_flop, parameters=bench[f"{RUN}.active_parameters"], training_tokens=tokens
    )  # fmt: skip
    step_s = bench.use(
        operations.step_duration_s, flop=flop, accelerators=bench[f"{RUN}.accelerators"],
        flop_rate_flop_s=bench[f"{RUN}.flop_rate_flop_s"], efficiency=bench[f"{RUN}.efficiency"],
    )  # fmt: skip
    wait_s = bench.use(
        straggler.barrier_wait_s, training_step_s=step_s, ranks=bench[f"{RUN}.accelerators"],
        persistent_spread=bench[f"{RUN}.persistent_spread"], jitter_spread=bench[f"{RUN}.jitter_spread"],
        micro_batches=bench[f"{RUN}.micro_batches"],
    )  # fmt: skip
    return Finding(
        wait_s,
        "Expected wait for the slowest of 16,384 in a step of 6 s, from the spread between chips (1.5 %) and between "
        "micro-batches. 5 ms is one hiccup; speeds that differ as published ones do cost a large cluster "
        "some hundred milliseconds in every step.",
    )


@derives("A081")
def rails_of_a_fabric(bench: Bench) -> Finding:
    return Finding(bench[f"{FABRIC}.rails"], "One network card for each of the eight accelerators of a server.")


@derives("A082")
def time_between_failures(bench: Bench) -> Finding:
    one_s = _mtbf_of_one_s(bench)
    fleet_s = bench.use(failures.fleet_mtbf_s, accelerator_mtbf_s=one_s, accelerators=FRONTIER_CLUSTER)
    return Finding(
        fleet_s / 3600.0,
        "419 unexpected stops in 54 days on 16,384 accelerators are one in 50,700 accelerator hours; 20,000 of "
        "them stop every 2.5 hours.",
    )


@derives("A083", latitude="about")
def time_between_checkpoints(bench: Bench) -> Finding:
    one_s = _mtbf_of_one_s(bench)
    fleet_s = bench.use(
        failures.fleet_mtbf_s, accelerator_mtbf_s=one_s, accelerators=bench[f"{RUN}.accelerators"]
    )  # fmt: skip
    best_s = bench.use(checkpoint.daly_interval_s, write_s=_write_s(bench), fleet_mtbf_s=fleet_s)
    return Finding(
        best_s,
        "Daly's best interval for a checkpoint of 5.7 TB at 2 TB/s and a stop every 3.1 hours: about four "
        "minutes. 10 to 30 minutes would be best if writing stopped the run for 16 to 145 s. The optimum is flat: "
        "at 10 minutes about 1 % of the time is lost on top, at 30 minutes 5 to 6 %.",
    )


@derives("A084")
def bytes_of_a_checkpoint(bench: Bench) -> Finding:
    return Finding(
        _checkpoint_B(bench),
        "405 billion weights at 14 bytes each (16-bit weights, Adam's state in 32 bit) are 5.7 TB. 50 to 100 TB "
        "need 3.6 to 7 trillion weights.",
    )


@derives("A086")
def energy_of_a_run(bench: Bench) -> Finding:
    return Finding(
        _run_energy_J(bench, RUN) / 3600.0,
        "Llama 3.1 405B: 30.84 million hours at about 1 kW with the server, times the PUE. The chips alone at "
        "their rated 700 W are 21.6 GWh. DeepSeek-V3 took 3 to 4 GWh and GPT-3 1.3: below the range.",
    )


@derives("A087", latitude="order")
def training_over_request(bench: Bench) -> Finding:
    requests = bench.use(
        energy.requests_until_equal, energy_J=_run_energy_J(bench, SMALL_RUN),
        request_energy_J=bench["usage/gemini-prompt-2025.request_energy_J"],
    )  # fmt: skip
    return Finding(
        requests,
        "DeepSeek-V3's run over a median text prompt of 0.24 Wh: about 1.4e10 prompts. The document's own "
        "figures, 10 to 100 GWh over 1 to 10 Wh, give 1e9 to 1e11: its lower end of 1e7 does not follow from "
        "them, and its upper end is ten times too low.",
        verdict="ill-defined",
    )


@derives("A110")
def a_flip_in_the_adder(bench: Bench) -> Finding:
    generator = np.random.default_rng(110)
    holds = True
    for _ in range(50):
        a, b = generator.normal(size=(24, 40)), generator.normal(size=(40, 16))
        honest = a @ b
        row, column = np.unravel_index(int(np.argmax(np.abs(honest))), honest.shape)
        bit = int(generator.integers(30, 52))
        wrong = bench.use(corruption.multiply_with_fault, a=a, b=b, row=int(row), column=int(column), bit=bit)
        stored = float(wrong[row, column])
        in_memory = corruption.flip_bit(stored, 40)
        check = corruption.check_bits(stored)
        holds &= not bench.use(corruption.memory_sees, value=stored, check=check)
        holds &= corruption.memory_sees(in_memory, check)
        holds &= bench.use(corruption.checksum_sees, a=a, b=b, product=wrong)
        holds &= not corruption.checksum_sees(a, b, honest)
    return Finding(
        holds,
        "50 matrix products, each with one mantissa bit flipped on its way out of the adder: the memory's SEC-DED "
        "code, made from the wrong number, sees nothing (it does see the same flip in the stored number); the "
        "column checksum of the product sees every one, and no honest product. The lowest bits hide in rounding.",
        basis="tested",
    )


@derives("A122", latitude="order")
def toggles_of_a_chip(bench: Bench) -> Finding:
    rate = bench.use(
        silicon.toggles_per_second, power_W=bench[f"{RUN}.chip_power_W"],
        node_capacitance_F=bench[f"{CHIP}.node_capacitance_F"], supply_voltage_V=bench[f"{CHIP}.supply_voltage_V"],
    )  # fmt: skip
    return Finding(
        rate,
        "Power over C V^2 of one switched node. The document says 1e14 here and 1e16 to 1e17 for the same chip "
        "elsewhere (A071): it contradicts itself by 100 to 1,000.",
    )


@derives("A123", latitude="order")
def exchange_over_nvlink(bench: Bench) -> Finding:
    # One token's activations in 16 bits: the smallest message that the claim can mean.
    size_B = bench.use(
        parallelism.tensor_parallel_B, sequence_tokens=1.0, micro_batch_sequences=1.0,
        hidden_width=bench[f"{RUN}.hidden_width"],
    )  # fmt: skip
    time_s = bench.use(
        collectives.ring_all_reduce_s, size_B=size_B / 4.0, ranks=bench[f"{FABRIC}.server_ranks"],
        bandwidth_B_s=bench[f"{FABRIC}.bandwidth_B_s"], hop_latency_s=bench[f"{FABRIC}.hop_latency_s"],
        base_latency_s=bench[f"{FABRIC}.base_latency_s"],
    )  # fmt: skip
    return Finding(
        time_s,
        "An all-reduce of one token's 32 KB over eight accelerators takes about 10 us by the latencies that "
        "NVIDIA's own library plans with, and 40 us as measured. Nanoseconds are the time of a single bit's "
        "flight.",
    )


@derives("A124")
def time_to_write(bench: Bench) -> Finding:
    return Finding(_write_s(bench), "5.7 TB at the 2 TB/s that the run's storage sustained: 2.8 s; at its peak 0.8 s.")


@derives("A125", latitude="about")
def bill_of_a_week(bench: Bench) -> Finding:
    bill = bench.use(
        energy.run_price_usd, energy_J=_cluster_power_W(bench) * WEEK_S, price_usd_kWh=bench[f"{RUN}.price_usd_kWh"]
    )  # fmt: skip
    return Finding(
        bill,
        "16,384 accelerators draw 17.7 MW; a week of it at the industrial price of 8 cents a kWh. The document's "
        "20 to 25 MW make 0.27 to 0.34 million; 2 million needs about 50 cents a kWh. Renting the accelerators "
        "for the week would cost more.",
    )


@derives("C005")
def training_tokens(bench: Bench) -> Finding:
    return Finding(bench[f"{SMALL_RUN}.training_tokens"], "The technical report gives 14.8 trillion tokens.")
