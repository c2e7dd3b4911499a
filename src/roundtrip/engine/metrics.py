"""Counts, gauges and histograms in the text form that Prometheus reads [1]_, named after vLLM's where it has them [2]_.

References
----------
.. [1] Prometheus, Exposition formats, https://prometheus.io/docs/instrumenting/exposition_formats/
.. [2] vLLM, Production metrics, https://docs.vllm.ai/en/stable/usage/metrics/
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "roundtrip:"

# Upper ends of the buckets [s]
WAITS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
GAPS_S = (0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5)
TOKENS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0)


def _labels(pairs: Sequence[tuple[str, str]]) -> str:
    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in pairs) + "}" if pairs else ""


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


class Counter:
    """A count that only grows, by the values of one label or without one."""

    kind = "counter"

    def __init__(self, name: str, meaning: str, label: str | None = None, values: Sequence[str] = ()) -> None:
        self.name, self.meaning, self.label = name, meaning, label
        self._counts: dict[str, float] = dict.fromkeys(values, 0.0) if label else {"": 0.0}
        self._lock = threading.Lock()

    def add(self, amount: float = 1.0, value: str = "") -> None:
        """Count `amount` more."""
        with self._lock:
            self._counts[value] = self._counts.get(value, 0.0) + amount

    def count(self, value: str = "") -> float:
        """Return the count."""
        return self._counts.get(value, 0.0)

    def lines(self, own: Sequence[tuple[str, str]]) -> list[str]:
        """Return its samples."""
        with self._lock:
            counts = dict(self._counts)
        name = f"{PREFIX}{self.name}"
        return [
            f"{name}{_labels([*own, (self.label, value)] if self.label else own)} {_number(count)}"
            for value, count in counts.items()
        ]


class Gauge:
    """A figure that is asked for when it is read."""

    kind = "gauge"

    def __init__(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        self.name, self.meaning, self.read = name, meaning, read

    def lines(self, own: Sequence[tuple[str, str]]) -> list[str]:
        """Return its sample."""
        return [f"{PREFIX}{self.name}{_labels(own)} {_number(self.read())}"]


class Histogram:
    """How often a figure fell below each of some ends."""

    kind = "histogram"

    def __init__(self, name: str, meaning: str, ends: Sequence[float]) -> None:
        self.name, self.meaning, self.ends = name, meaning, tuple(ends)
        self._counts = [0] * (len(self.ends) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def see(self, value: float) -> None:
        """Count one figure."""
        with self._lock:
            self._counts[bisect_left(self.ends, value)] += 1
            self._sum += value

    @property
    def count(self) -> int:
        """How many figures were counted."""
        return sum(self._counts)

    def lines(self, own: Sequence[tuple[str, str]]) -> list[str]:
        """Return its samples: each bucket counts all that is at most its end."""
        with self._lock:
            counts, total = list(self._counts), self._sum
        name, so_far, found = f"{PREFIX}{self.name}", 0, list[str]()
        for end, count in zip([*map(_number, self.ends), "+Inf"], counts, strict=True):
            so_far += count
            found.append(f"{name}_bucket{_labels([*own, ('le', end)])} {so_far}")
        return [*found, f"{name}_sum{_labels(own)} {total!r}", f"{name}_count{_labels(own)} {so_far}"]


class Metrics:
    """All figures of one server.

    Parameters
    ----------
    model : str
        Its name, the label of every sample.
    running, waiting : callable
        Requests that are being computed, and that wait for it.
    used, kept : callable
        Shares of the cache's pages: held by running requests, and kept for prompts that begin alike.
    """

    def __init__(self, model: str, running: Callable[[], float], waiting: Callable[[], float],
                 used: Callable[[], float], kept: Callable[[], float]) -> None:  # fmt: skip
        self.model = model
        self.ended = Counter("request_success_total", "Requests that were answered, by why the answer ended.",
                             "finished_reason", ("stop", "length"))  # fmt: skip
        self.failed = Counter("request_failure_total", "Requests that were not answered to their end, by why.",
                              "reason", ("abort", "timeout", "queue_full", "draining", "invalid", "error"))  # fmt: skip
        self.prompt_tokens = Counter("prompt_tokens_total", "Tokens of prompts.")
        self.generation_tokens = Counter("generation_tokens_total", "Tokens that were made.")
        self.prefix_queries = Counter("prefix_cache_queries_total", "Tokens of prompts that were looked for.")
        self.prefix_hits = Counter("prefix_cache_hits_total", "Tokens of prompts that were found computed.")
        self.preemptions = Counter("num_preemptions_total", "Times a request gave its cache back and began anew.")
        self.queue_s = Histogram(
            "request_queue_time_seconds", "From a request's entry into the queue to its first step.", WAITS_S
        )
        self.first_s = Histogram(
            "time_to_first_token_seconds", "From a request's entry into the queue to its first token.", WAITS_S
        )
        self.gap_s = Histogram("inter_token_latency_seconds", "From one token to the next.", GAPS_S)
        self.prefill_s = Histogram("request_prefill_time_seconds", "From the first step to the first token.", WAITS_S)
        self.decode_s = Histogram("request_decode_time_seconds", "From the first token to the last.", WAITS_S)
        self.whole_s = Histogram("e2e_request_latency_seconds", "From entry into the queue to the end.", WAITS_S)
        self.step_tokens = Histogram("iteration_tokens_total", "Tokens of a step, of all requests.", TOKENS)
        self._all = [
            Gauge("num_requests_running", "Requests that are being computed.", running),
            Gauge("num_requests_waiting", "Requests that wait for a place.", waiting),
            Gauge("kv_cache_usage_perc", "Share of the cache's pages that running requests hold (1 is all).", used),
            Gauge("kv_cache_kept_perc", "Share of the cache's pages kept for prompts that begin alike; given up first.",
                  kept),
            self.ended, self.failed, self.prompt_tokens, self.generation_tokens, self.prefix_queries, self.prefix_hits,
            self.preemptions, self.queue_s, self.first_s, self.gap_s, self.prefill_s, self.decode_s, self.whole_s,
            self.step_tokens,
        ]  # fmt: skip

    def text(self) -> str:
        """Return the page that is scraped."""
        lines: list[str] = []
        for figure in self._all:
            name = f"{PREFIX}{figure.name}"
            lines += [f"# HELP {name} {figure.meaning}", f"# TYPE {name} {figure.kind}"]
            lines += figure.lines([("model_name", self.model)])
        return "\n".join(lines) + "\n"
