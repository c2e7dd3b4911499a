"""``roundtrip serve``: the engine behind the OpenAI interface, for this machine unless told otherwise."""

from __future__ import annotations

import math

import click

from roundtrip.errors import RoundtripError

PORT = 8322
HOST = "127.0.0.1"


@click.command()
@click.option("--model", metavar="FILE",
              help="Weights (GGUF); by default those that 'roundtrip model fetch' got.")  # fmt: skip
@click.option("--host", default=HOST, show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True,
              help="Where to listen; 0 takes any that is free.")  # fmt: skip
@click.option("--api-key-env", metavar="NAME", help="Environment variable with the key that clients must send.")
@click.option("--queue", type=click.IntRange(1, 10_000), default=64, show_default=True,
              help="Requests that may wait; one more is told to come again (429).")  # fmt: skip
@click.option("--slots", type=click.IntRange(1, 256), default=16, show_default=True,
              help="Requests that are computed together.")  # fmt: skip
@click.option("--pages", type=click.IntRange(1, 1_000_000), default=1_024, show_default=True,
              help="Pages of the cache for all requests together, of 16 tokens each.")  # fmt: skip
@click.option("--context", type=click.IntRange(1, 1_000_000),
              help="Tokens of a prompt with its answer; by default what the model was made for.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True,
              help="Threads of the linear algebra; more than one is faster on an idle machine only.")  # fmt: skip
@click.option("--timeout", "timeout_s", type=click.FloatRange(0.001, 86_400.0), default=120.0, show_default=True,
              help="Seconds for one answer, from arrival to end.")  # fmt: skip
def serve(model: str | None, host: str, port: int, api_key_env: str | None, queue: int, slots: int, pages: int,
          context: int | None, threads: int, timeout_s: float) -> None:  # fmt: skip
    """Serve the small model to any client of the OpenAI interface.

    Answers are greedy unless a request asks for a temperature. Ctrl+C (or SIGTERM) finishes what was begun, then stops.
    """
    _installed()
    if math.isnan(timeout_s):  # no range keeps out what is no number
        raise RoundtripError("--timeout nan: expected seconds, 0.001 to 86,400")
    from roundtrip.engine import guard, server
    from roundtrip.engine.backends import key_from
    from roundtrip.engine.engine import load
    from roundtrip.engine.scheduler import Limits, Scheduler

    key = key_from(api_key_env)
    here = host in server.LOOPBACK
    listening = guard.listen(host, port)
    try:
        engine = load(model, context, threads)
        settings = server.Settings(Limits(queue, slots, pages), key, timeout_s, server.LOOPBACK if here else None)
        scheduler = Scheduler(engine, settings.limits, server.model_name(engine))
        running = guard.Server(guard.config(server.app(engine, scheduler, settings)), scheduler, timeout_s)
        shown = f"[{host}]" if ":" in host else host
        cache_MB = pages * 16 * engine.model.layout.position_B / 1e6
        click.echo(f"{server.model_name(engine)} answers at http://{shown}:{listening.getsockname()[1]}/v1 "
                   f"(cache up to {cache_MB:,.0f} MB; Ctrl+C finishes what was begun and stops)")  # fmt: skip
        if not here and key is None:
            click.echo("anybody who reaches this address can use it: --api-key-env asks for a key", err=True)
        try:
            running.run(sockets=[listening])
        finally:
            scheduler.close()
    finally:
        listening.close()


def _installed() -> None:
    from importlib.util import find_spec

    for module in ("starlette", "uvicorn", "h11"):
        if find_spec(module) is None:
            raise RoundtripError(f"serving needs {module}: pip install {module}")
