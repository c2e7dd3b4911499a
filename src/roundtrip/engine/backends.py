"""Who answers: every backend is an OpenAI base URL while it serves.

``numpy`` is the engine of this package behind its own server, on a free port of this machine; ``llamacpp`` is
llama.cpp with its own server, in this process (the extra ``llamacpp``); ``http`` is anything that has an address. A
caller that talks to one talks to all of them; what only our own engine knows is None elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from roundtrip.engine.certificate import self_signed
from roundtrip.engine.engine import Engine, ModelCard, load
from roundtrip.engine.scheduler import Limits, Scheduler
from roundtrip.errors import ModelError, RoundtripError

NAMES = ("numpy", "llamacpp", "http")
START_S = 60.0


@dataclass(frozen=True)
class Endpoint:
    """Where somebody answers.

    Attributes
    ----------
    base_url : str
        With ``/v1``.
    model : str
        The name to ask for.
    api_key : str or None
    card : ModelCard or None
        What the model is, where it runs from a file of this machine.
    engine : Engine or None
        The engine itself, where it is ours.
    missing : dict
        What is not known here, and why.
    ca : Path or None
        The certificate to trust, where the endpoint made one for itself.
    """

    base_url: str
    model: str
    api_key: str | None = None
    card: ModelCard | None = None
    engine: Engine | None = None
    missing: dict[str, str] = field(default_factory=dict[str, str])
    ca: Path | None = None


class Backend(Protocol):
    """Something that serves while its context lasts."""

    @property
    def name(self) -> str:
        """One of `NAMES`."""
        ...

    def serving(self) -> AbstractContextManager[Endpoint]:
        """Serve, and say where."""
        ...


@dataclass(frozen=True)
class NumpyBackend:
    """Our own engine behind our own server, in threads of this process, on a free port of this machine.

    Attributes
    ----------
    engine : Engine, optional
        One that is loaded already.
    path : Path, optional
        Weights to load otherwise; without a path, those that this machine has.
    """

    engine: Engine | None = None
    path: Path | None = None
    context: int | None = None
    threads: int = 1
    limits: Limits = field(default_factory=Limits)
    timeout_s: float = 600.0
    tls: bool = False
    name: str = "numpy"

    @contextlib.contextmanager
    def serving(self) -> Generator[Endpoint, None, None]:
        """Serve, and say where."""
        engine = self.engine or load(self.path, self.context, self.threads)
        from roundtrip.engine.server import Settings, model_name

        settings = Settings(limits=self.limits, timeout_s=self.timeout_s)
        with contextlib.ExitStack() as stack:
            certificate = stack.enter_context(self_signed()) if self.tls else None
            base_url, _ = stack.enter_context(running(engine, settings, certificate))
            ca = certificate[0] if certificate else None
            yield Endpoint(base_url, model_name(engine), card=engine.card, engine=engine, ca=ca)


@contextlib.contextmanager
def running(
    engine: Engine, settings: Any, certificate: tuple[Path, Path] | None = None
) -> Generator[tuple[str, Scheduler], None, None]:
    """Serve an engine in threads of this process; its base URL and its scheduler. With a certificate, over TLS."""
    from roundtrip.engine import guard, server

    scheduler = Scheduler(engine, settings.limits, server.model_name(engine))
    listening = guard.listen("127.0.0.1", 0)
    serving = guard.Server(
        guard.config(server.app(engine, scheduler, settings), certificate), scheduler, settings.timeout_s
    )
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listening]}, name="server", daemon=True)
    thread.start()
    try:
        end = time.monotonic() + START_S
        while not serving.started:
            if time.monotonic() > end or not thread.is_alive():
                raise RoundtripError("the engine's server did not start")
            time.sleep(0.005)
        yield f"http{'s' if certificate else ''}://127.0.0.1:{listening.getsockname()[1]}/v1", scheduler
    finally:
        scheduler.close()  # what runs is aborted: its readers are told, then the server stops
        serving.should_exit = True
        thread.join(30.0)
        listening.close()


@dataclass(frozen=True)
class LlamaCppBackend:
    """llama.cpp with its own server, in this process.

    Attributes
    ----------
    path : Path, optional
        A GGUF file; without one, the weights that this machine has.
    slots : int
        Requests that are computed together; each has `context` positions.
    """

    path: Path | None = None
    context: int = 2_048
    threads: int = 1
    slots: int = 1
    name: str = "llamacpp"

    @contextlib.contextmanager
    def serving(self) -> Generator[Endpoint, None, None]:
        """Serve, and say where.

        Raises
        ------
        RoundtripError
            If the package is missing, or llama.cpp cannot read the file.
        """
        try:
            import xllamacpp  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise RoundtripError("llama.cpp needs xllamacpp: pip install 'prompt-roundtrip[llamacpp]'") from None
        from roundtrip.engine import weights

        found = weights.resolve(self.path)
        llama: Any = xllamacpp
        settings: Any = llama.CommonParams()
        settings.model.path = str(found.path)
        settings.hostnames = ["127.0.0.1"]
        settings.port = 0
        settings.n_ctx = self.context * self.slots
        settings.n_parallel = self.slots
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
        settings.n_gpu_layers = 0
        settings.endpoint_metrics = True
        settings.verbosity = -1
        try:
            server: Any = llama.Server(settings)
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{found.path}: llama.cpp says {str(error)[:200]}") from None
        try:
            yield Endpoint(
                f"{str(server.listening_address).rstrip('/')}/v1",
                found.path.name.removesuffix(".gguf"),
                missing={
                    "card": "llama.cpp does not hand out the file's metadata",
                    "engine": "the steps inside llama.cpp cannot be seen: only its own timings",
                },
            )
        finally:
            del server


@dataclass(frozen=True)
class HttpBackend:
    """Anything that speaks the OpenAI interface: Ollama, vLLM, llama-server, a hosted one.

    Attributes
    ----------
    base_url : str
        With its path, for example ``http://localhost:11434/v1``.
    model : str or None
        The name to ask for; None asks the endpoint what it has and takes the first.
    api_key_env : str or None
        The environment variable that holds the key: a key never stands in a command.
    """

    base_url: str
    model: str | None = None
    api_key_env: str | None = None
    name: str = "http"

    @contextlib.contextmanager
    def serving(self) -> Generator[Endpoint, None, None]:
        """Say where.

        Raises
        ------
        RoundtripError
            If the key is not in the environment, or the endpoint does not say which models it has.
        """
        key = key_from(self.api_key_env)
        reason = "the endpoint is another program: only what the wire shows"
        yield Endpoint(
            self.base_url.rstrip("/"),
            self.model or self._first_model(key),
            key,
            missing={"card": reason, "engine": reason},
        )

    def _first_model(self, key: str | None) -> str:
        import json

        from roundtrip.engine.client import Client

        with Client(self.base_url, key, timeout_s=15.0) as client:
            record, data = client.get("/models")
        try:
            return str(json.loads(data)["data"][0]["id"])
        except (ValueError, KeyError, IndexError, TypeError):
            said = record.error or f"status {record.status}"
            hint = "give one with --model" if urlsplit(self.base_url).path.strip("/") else "most addresses end in /v1"
            raise RoundtripError(
                f"{self.base_url[:200]}: it does not say which models it has ({said}); {hint}"
            ) from None


def key_from(variable: str | None) -> str | None:
    """Return the key that an environment variable holds; None without a variable.

    Raises
    ------
    RoundtripError
        If it is not set.
    """
    if variable is None:
        return None
    key = os.environ.get(variable, "")
    if not key:
        raise RoundtripError(f"the environment variable {variable[:100]} is not set: it should hold the API key")
    return key
