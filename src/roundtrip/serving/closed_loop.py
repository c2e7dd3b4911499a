"""A closed loop on one replica: time to first token and time per output token at a concurrency, in closed form.

Nothing is drawn and nothing is stepped: the number of sequences that write is a fixed point (a few rounds settle it),
everything else follows. The terms are those of `roundtrip.stages.model.closed_loop`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roundtrip.serving.case import Case
from roundtrip.serving.step import CHUNK, Setup, held_elements, read_s, spans, total_s
from roundtrip.stages.model import closed_loop as loop
from roundtrip.stages.model import decode, kv_cache

ROUNDS = 3  # of the fixed point; a fourth moves no row of the measured ones by 0.2 %
WAIT = 1.5  # first rounds take the time to first token as so many readings
LEAST_ROOM = 0.02  # share of the memory that the cache has where weights would leave none: rather slow than never


@dataclass(frozen=True, slots=True)
class Loop:
    """What a client of a closed loop sees.

    Attributes
    ----------
    ttft_s, tpot_s : array
        Time to first token, and per output token after it [s].
    batch : array
        Sequences that write at a time.
    step_s, read_s : array
        Time of a step without prompts, and of one that reads a prompt [s].
    held : array
        Sequences whose cache fits.
    load : array
        Share of the time in which a prompt is read.
    """

    ttft_s: Any
    tpot_s: Any
    batch: Any
    step_s: Any
    read_s: Any
    held: Any
    load: Any


def held_streams(c: Case, k: Mapping[str, Any], prompt_tokens: Any, output_tokens: Any) -> Any:
    """Return the sequences whose cache fits beside the weights, at least one."""
    table = c.head
    weights_B = c.routed * c.routed_B + (c.body + c.head + table) * c.common_B * c.groups
    room_B = np.maximum(c.ranks * c.memory_B * k["usable_share"] - weights_B, LEAST_ROOM * c.ranks * c.memory_B)
    each_B = held_elements(c, prompt_tokens + 0.5 * output_tokens) * c.kv_B
    copied = kv_cache.shard_B(each_B, c.tensor, c.shards) * c.tensor
    return np.maximum(room_B / copied, 1.0)


def closed_loop(
    c: Case,
    k: Mapping[str, Any],
    clients: Any,
    prompt_tokens: Any,
    output_tokens: Any,
    chunk: float = CHUNK,
) -> Loop:
    """Return what so many clients see, each asking anew when its answer has ended.

    Parameters
    ----------
    c : Case
        The deployment; arrays where the loads are.
    k : mapping
        Constants by name.
    clients, prompt_tokens, output_tokens : array
        The load: concurrency, tokens of a prompt and of an answer.
    chunk : float
        Tokens of a prompt in one step, at most.
    """
    floor, work = read_s(c, k, prompt_tokens, 0.0, chunk)
    reading_s = floor + work
    held = held_streams(c, k, prompt_tokens, output_tokens)
    most = np.minimum(clients, held)
    side = loop.reading_groups(c.groups, k["group_exponent"])
    context = prompt_tokens + output_tokens / 2.0
    batch = 0.95 * most
    step, tpot = reading_s, reading_s
    for _ in range(ROUNDS):
        step = decode_step_s(c, k, batch, context)
        stall = decode.stall_time_s(
            np.maximum(batch - 1.0, 0.0) / side, prompt_tokens / output_tokens, work / prompt_tokens
        )
        tpot = decode.time_per_output_token_s(step, 1.0, 0.0, stall)
        batch = np.minimum(most, loop.writing_streams(clients, output_tokens, tpot, WAIT * reading_s))
    load = loop.reading_load(batch / side, output_tokens, tpot, reading_s, reading_s)
    ttft = (
        k["engine_overhead_s"]
        + loop.running_step_wait_s(clients, step)
        + reading_s
        + loop.turn_wait_s(load, clients, reading_s)
        + loop.wave_wait_s(clients / side, k["wave_share"], work)
        + loop.client_wait_s(clients, k["client_time_s"])
        + loop.place_wait_s(clients, held, output_tokens, tpot)
    )
    return Loop(ttft, tpot, batch, step, reading_s, held, load)


def decode_step_s(c: Case, k: Mapping[str, Any], batch: Any, context: Any) -> Any:
    """Return the time of a step in which so many sequences write, over all groups [s]."""
    each = np.maximum(batch / c.groups / c.pipeline, 1.0)
    return total_s(c, spans(c, k, each, batch / c.pipeline, each, context, 0.0))


def of(s: Setup, clients: Any, prompt_tokens: Any, output_tokens: Any, chunk: float = CHUNK) -> Loop:
    """Return what clients of one deployment see."""
    x, y, z = (np.asarray(v, dtype=np.float64) for v in (clients, prompt_tokens, output_tokens))
    return closed_loop(s.case, s.known, x, y, z, chunk)


def split(
    reader: Case,
    writer: Case,
    k: Mapping[str, Any],
    clients: Any,
    prompt_tokens: Any,
    output_tokens: Any,
    readers: Any,
    writers: Any,
    chunk: float = CHUNK,
) -> Loop:
    """Return what clients see where some replicas read prompts and others write the answers.

    Parameters
    ----------
    reader, writer : Case
        A replica of each kind.
    readers, writers : array
        How many replicas of each kind.
    """
    floor, work = read_s(reader, k, prompt_tokens, 0.0, chunk)
    reading_s = floor + work
    each_s = work + floor * np.minimum(prompt_tokens / chunk, 1.0)  # prompts that wait are read together
    side = readers * loop.reading_groups(reader.groups, k["group_exponent"])
    held = held_streams(writer, k, prompt_tokens, output_tokens) * writers
    most = np.minimum(clients, held)
    batch = 0.95 * most
    context = prompt_tokens + output_tokens / 2.0
    tpot = reading_s
    for _ in range(ROUNDS + 3):
        tpot = decode_step_s(writer, k, batch / writers, context)
        # What the readers cannot deliver, the writers do not have.
        flow = np.minimum(clients / (output_tokens * tpot + WAIT * reading_s), side / each_s)
        batch = np.minimum(most, np.maximum(flow * output_tokens * tpot, 1.0))
    load = np.minimum(batch / (output_tokens * tpot) * each_s / side, 0.95)
    queued = np.maximum(clients - batch, 0.0) / np.maximum(batch / (output_tokens * tpot), 1e-9)
    bytes_B = kv_cache.shard_B(held_elements(reader, prompt_tokens) * reader.kv_B, reader.tensor, reader.shards)
    handed = kv_cache.transfer_time_s(bytes_B, reader.outer_B_s, k["link_efficiency"], reader.outer_latency_s)
    ttft = np.maximum(
        k["engine_overhead_s"]
        + reading_s
        + handed
        + tpot
        + loop.turn_wait_s(load, clients, each_s)
        + loop.wave_wait_s(clients / side, k["wave_share"], work)
        + loop.client_wait_s(clients, k["client_time_s"]),
        np.where(load >= 0.9, queued, 0.0),
    )
    return Loop(ttft, tpot, batch, tpot, reading_s, held, load)
