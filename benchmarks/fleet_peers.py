"""Run another simulator on a trace and print its processor seconds.

`benchmarks.fleet` starts it in the peers' own environment: ``python fleet_peers.py dynamo TRACE.jsonl OPTIONS`` or
``python fleet_peers.py sched-sim TRACE.json``. Only the call that simulates is timed (`dynamo`: it reads the file as
well); the best of some rounds counts.
"""

from __future__ import annotations

import json
import os
import sys
import time

os.environ["DYN_LOG"] = "error"
ROUNDS = 3


def dynamo(path: str, options: dict[str, object]) -> dict[str, object]:
    """Replay with the scheduler copy of vLLM, offline."""
    from dynamo.replay.api import run_trace_replay

    best, report = float("inf"), None
    for _ in range(ROUNDS):
        start = time.process_time()
        report = run_trace_replay(path, trace_block_size=512, **options)
        best = min(best, time.process_time() - start)
    names = ("mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "completed_requests", "prefix_cache_reused_ratio")
    return {"cpu_s": best, **{name: report.summary.get(name) for name in names}}


def sched_sim(path: str, _: dict[str, object]) -> dict[str, object]:
    """Replay with chunked prefill and its own step times of an 8B model on an H100, once."""
    from pathlib import Path

    from sched_sim.core.event_engine import Simulator
    from sched_sim.hardware.profile import HardwareProfile
    from sched_sim.schedulers.factory import create_scheduler
    from sched_sim.workloads.trace_loader import load_trace_file

    machine = HardwareProfile(
        name="H100", vram_gb=80.0, memory_bandwidth_gb_s=3350.0, fp16_tflops=989.0, tensor_core_efficiency=0.6,
        kernel_launch_overhead_ms=1.0, model_name="8B", parameter_count_billions=8.03, num_layers=32, hidden_size=4096,
        num_heads=32, num_kv_heads=8, head_dim=128, dtype_bytes=2,
    )  # fmt: skip
    simulator = Simulator(machine, create_scheduler("chunked", machine, token_budget=2048))
    simulator.submit_workload(load_trace_file(Path(path)))
    start = time.process_time()
    simulator.run()
    return {"cpu_s": time.process_time() - start}


if __name__ == "__main__":
    run = {"dynamo": dynamo, "sched-sim": sched_sim}[sys.argv[1]]
    print(json.dumps(run(sys.argv[2], json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})))
