"""Parallelism: one model on thousands of accelerators, by cutting matrices, layers and data; and what each cut costs.

Tensor parallelism cuts every matrix over t accelerators of one server, pipeline parallelism cuts the layers into p
stages behind each other, data parallelism keeps d copies that read different sequences: N = t p d. A pipeline fills
and drains once a step; while it does, stages are idle. With m micro-batches and one forward, one backward in turn
(1F1B) that bubble is ``(p - 1)(F + B)``, a share ``(p - 1)/m`` of the useful time; v chunks a stage divide it by v
[1]_. Splitting the backward pass into inputs and weights fills the bubble with the second half [4]_, running from both
ends halves the depth [5]_.

Memory has two parts. States: weights, gradients and Adam's three 32-bit numbers, 16 bytes a weight, which ZeRO shares
out over the d copies [3]_. Activations: ``s b h (34 + 5 a s / h)`` bytes a layer in 16-bit numbers, of which selective
recomputation drops the second part, the attention scores [2]_.

References
----------
.. [1] D. Narayanan et al., SC 2021, section 2.2, https://arxiv.org/abs/2104.04473
.. [2] V. Korthikanti et al., "Reducing activation recomputation in large transformer models", 2022, equations 1 to 6,
   https://arxiv.org/abs/2205.05198
.. [3] S. Rajbhandari et al., "ZeRO: memory optimizations toward training trillion parameter models", SC 2020, figure 1,
   https://arxiv.org/abs/1910.02054
.. [4] P. Qi et al., "Zero bubble pipeline parallelism", 2023, https://arxiv.org/abs/2401.10241
.. [5] DeepSeek-AI, DualPipe, README, https://github.com/deepseek-ai/DualPipe
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2019, "Y. Huang et al., GPipe; M. Shoeybi et al., Megatron-LM (tensor parallelism)")


def accelerators_needed(tensor_ranks: Number, pipeline_stages: Number, data_ranks: Number) -> Number:
    """Return how many accelerators three cuts take together."""
    return tensor_ranks * pipeline_stages * data_ranks


def micro_batches_per_step(batch_sequences: Number, data_ranks: Number, micro_batch_sequences: Number) -> Number:
    """Return the micro-batches that one copy of the model reads in a step, at least one."""
    return np.maximum(np.ceil(batch_sequences / (data_ranks * micro_batch_sequences)), 1.0)


def bubble_over_work(pipeline_stages: Number, micro_batches: Number, chunks_per_stage: Number) -> Number:
    """Return the idle time of a 1F1B pipeline over its useful time, ``(p - 1) / (v m)`` [1]_."""
    return (pipeline_stages - 1.0) / (chunks_per_stage * micro_batches)


def bubble_share(pipeline_stages: Number, micro_batches: Number, chunks_per_stage: Number) -> Number:
    """Return the share of the whole step in which a stage is idle, ``(p - 1) / (v m + p - 1)``."""
    idle = pipeline_stages - 1.0
    return idle / (chunks_per_stage * micro_batches + idle)


def bubble_1f1b_s(pipeline_stages: Number, forward_s: Number, backward_s: Number) -> Number:
    """Return the idle time of one forward, one backward in turn [s]."""
    return (pipeline_stages - 1.0) * (forward_s + backward_s)


def bubble_zero_s(pipeline_stages: Number, forward_s: Number, backward_s: Number, weight_backward_s: Number) -> Number:
    """Return the idle time when weight gradients fill the gaps (ZB1P), ``(p - 1)(F + B - 2W)`` [s] [4]_."""
    return (pipeline_stages - 1.0) * np.maximum(forward_s + backward_s - 2.0 * weight_backward_s, 0.0)


def bubble_dual_s(
    pipeline_stages: Number, backward_s: Number, weight_backward_s: Number, overlapped_s: Number
) -> Number:
    """Return the idle time of a pipeline fed from both ends (DualPipe), ``(p/2 - 1)(F&B + B - 3W)`` [s] [5]_.

    It needs two copies of the weights, and an even number of stages of at least two.
    """
    return np.maximum(pipeline_stages / 2.0 - 1.0, 0.0) * np.maximum(
        overlapped_s + backward_s - 3.0 * weight_backward_s, 0.0
    )


def states_B(parameters: Number, weight_state_B: Number, gradient_state_B: Number, optimizer_state_B: Number) -> Number:
    """Return the bytes of weights, gradients and optimizer state when nothing is shared out."""
    return parameters * (weight_state_B + gradient_state_B + optimizer_state_B)


def states_shared_optimizer_B(
    parameters: Number, weight_state_B: Number, gradient_state_B: Number, optimizer_state_B: Number, data_ranks: Number
) -> Number:
    """Return the bytes of one accelerator when the optimizer state is shared out over the copies (ZeRO-1) [3]_."""
    return parameters * (weight_state_B + gradient_state_B + optimizer_state_B / data_ranks)


def states_shared_gradients_B(
    parameters: Number, weight_state_B: Number, gradient_state_B: Number, optimizer_state_B: Number, data_ranks: Number
) -> Number:
    """Return the bytes of one accelerator when gradients are shared out as well (ZeRO-2) [3]_."""
    return parameters * (weight_state_B + (gradient_state_B + optimizer_state_B) / data_ranks)


def states_shared_all_B(
    parameters: Number, weight_state_B: Number, gradient_state_B: Number, optimizer_state_B: Number, data_ranks: Number
) -> Number:
    """Return the bytes of one accelerator when weights are shared out as well (ZeRO-3) [3]_."""
    return parameters * (weight_state_B + gradient_state_B + optimizer_state_B) / data_ranks


def activations_B(
    sequence_tokens: Number, micro_batch_sequences: Number, hidden_width: Number, heads: Number, tensor_ranks: Number
) -> Number:
    """Return the activations of a layer, tensor and sequence parallel, ``(s b h / t)(34 + 5 a s / h)`` [2]_."""
    numbers = sequence_tokens * micro_batch_sequences * hidden_width / tensor_ranks
    return numbers * (34.0 + 5.0 * heads * sequence_tokens / hidden_width)


def activations_tensor_only_B(
    sequence_tokens: Number, micro_batch_sequences: Number, hidden_width: Number, heads: Number, tensor_ranks: Number
) -> Number:
    """Return the same without sequence parallelism, ``s b h (10 + 24/t + 5 a s / h t)``: norms stay whole [2]_."""
    numbers = sequence_tokens * micro_batch_sequences * hidden_width
    cut = 24.0 / tensor_ranks + 5.0 * heads * sequence_tokens / (hidden_width * tensor_ranks)
    return numbers * (10.0 + cut)


def score_share(sequence_tokens: Number, hidden_width: Number, heads: Number) -> Number:
    """Return the share of the activations that selective recomputation drops: the attention scores [2]_."""
    scores = 5.0 * heads * sequence_tokens / hidden_width
    return scores / (34.0 + scores)


def tensor_parallel_B(sequence_tokens: Number, micro_batch_sequences: Number, hidden_width: Number) -> Number:
    """Return the bytes that a layer all-reduces for a micro-batch: twice forward, twice back, 16 bits [1]_."""
    return 4.0 * 2.0 * sequence_tokens * micro_batch_sequences * hidden_width
