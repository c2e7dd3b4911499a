"""Where the cases of a sweep are run: in this process, in several on this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent import futures
from importlib import import_module
from typing import Any

from roundtrip.cli.fleet_case import made_by
from roundtrip.errors import DomainError, OutputError

Case = dict[str, str]
Row = tuple[int, dict[str, Any]]
RunCase = Callable[[Case], dict[str, Any]]
AHEAD = 4  # cases that are given out for each worker
WAIT_S = 10.0  # for a scheduler


def here(cases: Sequence[tuple[int, Case]], run: RunCase) -> Generator[list[Row]]:
    """Run case after case in this process."""
    for number, case in cases:
        yield [(number, run(case))]


def processes(cases: Sequence[tuple[int, Case]], run: RunCase, workers: int) -> Generator[list[Row]]:
    """Run cases in so many processes on this machine, and yield rows as they come."""
    if workers == 1 or len(cases) < 2:
        yield from here(cases, run)
        return
    pool = futures.ProcessPoolExecutor(min(workers, len(cases)), mp.get_context("spawn"), _settle)
    waiting = iter(cases)
    under_way: dict[futures.Future[dict[str, Any]], int] = {}
    try:
        while True:
            for number, case in waiting:
                under_way[pool.submit(run, case)] = number
                if len(under_way) >= AHEAD * workers:
                    break
            if not under_way:
                return
            done, _ = futures.wait(under_way, return_when=futures.FIRST_COMPLETED)
            yield [(under_way.pop(future), future.result()) for future in done]
    except futures.process.BrokenProcessPool:
        raise OutputError(
            "a process of the sweep was ended by the system (memory?): what is done stays, go on with fewer --workers"
        ) from None
    finally:
        children = list(getattr(pool, "_processes", None) or {})
        pool.shutdown(wait=False, cancel_futures=True)
        if under_way:  # interrupted: what they are at is of no use any more
            for child in children:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGTERM)


def _settle() -> None:
    """Leave Ctrl-C to the process that started this one, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = mp.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def cluster(cases: Sequence[tuple[int, Case]], run: RunCase, address: str) -> Generator[list[Row]]:
    """Run cases on a Dask cluster, and yield rows as they come.

    Raises
    ------
    OutputError
        If Dask is not installed or no scheduler answers.
    DomainError
        If a worker runs another version of Roundtrip.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise OutputError("--scheduler needs Dask: pip install 'prompt-roundtrip[cluster]'") from None
    try:
        client = distributed.Client(address, timeout=WAIT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OutputError(f"--scheduler {address}: no Dask scheduler answers: {reason}") from None
    pending: dict[Any, int] = {}
    try:
        _same_everywhere(client, address)
        for number, case in cases:
            pending[client.submit(run, case, key=f"roundtrip-case-{number}-{os.getpid()}", pure=False)] = number
        for batch in distributed.as_completed(list(pending), loop=client.loop, with_results=True).batches():
            yield [(pending.pop(future), row) for future, row in batch]
    finally:
        with contextlib.suppress(Exception):
            client.cancel(list(pending))
        client.close()


def _same_everywhere(client: Any, address: str) -> None:
    """Refuse workers that would compute something else."""
    try:
        versions: dict[str, str] = client.run(made_by)
    except ModuleNotFoundError as error:
        raise DomainError(f"--scheduler {address}: a worker cannot import Roundtrip: {error}") from None
    if not versions:
        raise DomainError(f"--scheduler {address}: has no workers")
    others = [worker for worker, version in versions.items() if version != made_by()]
    if others:
        raise DomainError(f"--scheduler {address}: worker {others[0]} has another version of Roundtrip")
