r"""Decode: the answer is written one token at a time, a whole step of the model for each.

A step serves a batch of streams: the weights are fetched once for all of them, each stream's cache once for it, and a
layer takes a few launches however little there is to do. So

.. math:: t = t_0 + p\,(L\, t_L + L_e\, t_e) + s\, t_s + \sum_k \sqrt{t_{c,k}^2 + t_{m,k}^2} + t_{x}

with p micro-batches, L layers (L_e of them with experts), s streams, kernels k with their arithmetic and memory
times, and what is left of the communication after overlap, :math:`t_x`. Two micro-batches hide the communication of
one behind the work of the other, but read the weights twice [2]_. Where the same accelerators read prompts too, these
stand in the way of the steps. The terms and their constants were found on measured serving runs; leaving out the
launch and stream terms doubles the error there.

References
----------
.. [1] R. Pope et al., "Efficiently scaling transformer inference", 2022, https://arxiv.org/abs/2211.05102: section 2.
.. [2] DeepSeek-AI, "DeepSeek-V3/R1 inference system overview", 2025, https://github.com/deepseek-ai/open-infra-index
.. [3] NVIDIA, "aiconfigurator" silicon sample (measured serving runs), https://github.com/ai-dynamo/aiconfigurator
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2017, "A. Vaswani et al., Attention is all you need: auto-regressive decoding, section 3")


def launch_time_s(
    layers: Number,
    layer_time_s: Number,
    moe_layers: Number,
    moe_layer_time_s: Number,
    batch_parts: Number,
    step_overhead_s: Number,
) -> Number:
    """Return the fixed time of a step: kernels that start and synchronize, layer by layer [s].

    Parameters
    ----------
    layers, moe_layers : float
        Layers of the model, and those of them with experts.
    layer_time_s, moe_layer_time_s : float
        Fixed time of a layer, and what experts add to it [s].
    batch_parts : float
        Parts into which the batch is split; each goes through all layers.
    step_overhead_s : float
        Fixed time of a step: the scheduler and the preparation of inputs [s].
    """
    return step_overhead_s + batch_parts * (layers * layer_time_s + moe_layers * moe_layer_time_s)


def stream_time_s(streams: Number, per_stream_time_s: Number) -> Number:
    """Return the time that grows with the streams alone: their bookkeeping, sampling and text [s]."""
    return streams * per_stream_time_s


def exposed_time_s(communication_s: Number, busy_s: Number, communication_overlap: Number) -> Number:
    """Return what is left of the communication after it was hidden behind work [s].

    Parameters
    ----------
    communication_s, busy_s : float
        Time on the links, and of the work that could hide it [s].
    communication_overlap : float
        Share that the schedule manages to hide: 0 one after the other, 1 two micro-batches in turn.
    """
    return communication_s - communication_overlap * np.minimum(communication_s, busy_s)


def step_time_s(
    launch_s: Number, stream_s: Number, weights_s: Number, experts_s: Number, attention_s: Number, exposed_s: Number
) -> Number:
    """Return the time of a step from its parts [s]."""
    return launch_s + stream_s + weights_s + experts_s + attention_s + exposed_s


def stall_time_s(streams: Number, read_write_ratio: Number, read_row_s: Number) -> Number:
    """Return how long a token waits on average while the prompts of other streams are read on the same accelerator [s].

    Parameters
    ----------
    streams : float
        Streams on the accelerator: each brings a new prompt whenever its answer has ended.
    read_write_ratio : float
        Tokens of prompts for each token that is written; 0 where other accelerators read them.
    read_row_s : float
        Time of the work that one token of a prompt is in a prefill pass [s].
    """
    return streams * read_write_ratio * read_row_s


def time_per_output_token_s(step_s: Number, expected_tokens: Number, draft_time_s: Number, stall_s: Number) -> Number:
    """Return the time of one token for its reader [s].

    Parameters
    ----------
    step_s, draft_time_s : float
        A step and the drafts before it [s].
    expected_tokens : float
        Tokens that they yield.
    stall_s : float
        What the prompts of others take in between, for each token [s].
    """
    return (step_s + draft_time_s) / expected_tokens + stall_s


def memory_bound_rate_token_s(size_B: Number, bandwidth_B_s: Number) -> Number:
    """Return the tokens a second of one stream if every byte is read once a token and nothing else takes time."""
    return bandwidth_B_s / size_B


def memory_bound_time_s(size_B: Number, bandwidth_B_s: Number) -> Number:
    """Return the least time of a token of one stream, the read of the bytes it needs [s]."""
    return size_B / bandwidth_B_s


def rest_time_s(output_tokens: Number, time_per_output_token_s: Number) -> Number:
    """Return the time from the first token to the last, ``(m - 1) t`` [s]: the first came with the prefill."""
    return (output_tokens - 1.0) * time_per_output_token_s


def service_time_s(prefill_s: Number, output_tokens: Number, time_per_output_token_s: Number) -> Number:
    """Return how long a request holds a place [s]."""
    return prefill_s + output_tokens * time_per_output_token_s


def rate_per_accelerator_token_s(streams: Number, time_per_output_token_s: Number) -> Number:
    """Return the tokens a second of one accelerator over all its streams."""
    return streams / time_per_output_token_s


def concurrent_streams(rate_token_s: Number, time_per_output_token_s: Number) -> Number:
    """Return the streams behind a rate by Little's law, rate times the time of a token."""
    return rate_token_s * time_per_output_token_s
