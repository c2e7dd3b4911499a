"""Processor time, best of five: what a measurement on a shared machine can still say."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence


def best(run: Callable[[], object], repeat: int = 1, rounds: int = 5) -> float:
    """Return the processor seconds of one run, the best of some rounds of `repeat` runs each."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(repeat):
            run()
        times.append((time.process_time() - start) / repeat)
    return min(times)


def process(arguments: Sequence[str], rounds: int = 5) -> float:
    """Return the processor seconds (user and system) of a fresh Python process, the best of some rounds."""
    times: list[float] = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)
