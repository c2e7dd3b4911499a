r"""Power of a step: what accelerators draw while they stand, fetch and compute, and where their limit slows them down.

While a model is served a chip draws a standing power whether it waits for a launch, a message or the memory; each byte
from memory and each operation costs energy on top. Over a step of the time t on n chips

.. math:: E = n P_s t + W, \qquad W = e_B S + e_f F

with the bytes S and operations F of all chips together. A chip may not draw more than its limit for long; where it
would, its clock falls and the step takes as long as the limit demands,

.. math:: t' = \max\left(t, \frac{W}{n (P_l - P_s)}\right)

The energy of an operation follows the chip's own floor, rated power over peak rate: a factor of it carries from one
chip to the next, joules do not. Which experts a batch touches depends on its tokens: they are alike, so n of them
touch as many as :math:`n^\gamma` independent ones would.

The form, without the limit, is that in which measured runs of two generations of accelerators were described with an
error of 15 to 20 % [1]_; static power there is half of the rated one, which is what a batch shares.

References
----------
.. [1] J.-W. Chung et al., "Where Do the Joules Go?", arXiv:2601.22076; rows of the ML.ENERGY leaderboard, version 3.
.. [2] M. Horowitz, "Computing's energy problem", ISSCC 2014, doi:10.1109/ISSCC.2014.6757323
.. [3] NVIDIA, "NVIDIA H100 Tensor Core GPU" (datasheet): 700 W, 989 Tflop/s in 16 bit without sparsity.
.. [4] vLLM, data-parallel deployment: ranks step together, idle ones with a dummy batch,
   https://docs.vllm.ai/en/stable/serving/data_parallel_deployment.html
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2014, "M. Horowitz, Computing's energy problem, ISSCC: energy by operation and by byte")


def standing_power_W(rated_power_W: Number, standing_share: Number) -> Number:
    """Return what a chip at work draws besides its bytes and operations, a share of its rated power [W]."""
    return rated_power_W * standing_share


def energy_per_flop_J(rated_power_W: Number, flop_rate_flop_s: Number, flop_energy_ratio: Number) -> Number:
    """Return the energy of an operation as a factor of the chip's floor, ``r P / Phi`` [3]_ [J].

    Parameters
    ----------
    rated_power_W, flop_rate_flop_s : float
        Rated power [W] and peak rate [flop/s] of the chip: at both, an operation costs their quotient.
    flop_energy_ratio : float
        What it costs in serving, over that.
    """
    return flop_energy_ratio * rated_power_W / flop_rate_flop_s


def independent_tokens(batch_tokens: Number, independence_exponent: Number) -> Number:
    """Return how many independent tokens touch as many experts as a batch of like ones, ``n^gamma``."""
    return batch_tokens**independence_exponent


def prompt_step_share(prompts_per_step: Number) -> Number:
    """Return the share of steps in which at least one prompt is read, when they come at random: ``1 - exp(-j)``."""
    return -np.expm1(-prompts_per_step)


def padded_prompt_rows(
    prompts_per_step: Number, prompt_tokens: Number, data_ranks: Number, budget_tokens: Number
) -> Number:
    """Return the rows of prompts that a step computes where ranks with batches of their own share the experts [4]_.

    All of them step together: if one reads a prompt, each goes through the layers with as many rows as the budget
    allows, most of them empty.

    Parameters
    ----------
    prompts_per_step : float
        Prompts that are read in a step, on average.
    prompt_tokens : float
        Tokens of a prompt.
    data_ranks : float
        Ranks with a batch of their own.
    budget_tokens : float
        Rows of a step, at most, on one rank.
    """
    padded = prompt_step_share(prompts_per_step) * data_ranks * budget_tokens
    return np.maximum(padded, prompts_per_step * prompt_tokens)


def rank_stretch(expert_ranks: Number, rank_imbalance: Number) -> Number:
    """Return how much longer the busiest of some ranks with experts takes than the mean, ``1 + i log2 n``.

    Some experts are liked more than others, whatever the batch: what chance alone does fades with it
    (`roundtrip.stages.model.experts.busiest_load`), this does not.
    """
    return 1.0 + rank_imbalance * np.log2(expert_ranks)


def limited_time_s(
    duration_s: Number, work_energy_J: Number, accelerators: Number, power_limit_W: Number, standing_power_W: Number
) -> Number:
    """Return the time of a step under the power limit, ``max(t, W / (n (P_l - P_s)))`` [s].

    Parameters
    ----------
    duration_s : float
        Time at full clock [s].
    work_energy_J : float
        Energy of the bytes and operations of all chips [J].
    accelerators : float
        Chips that share the work.
    power_limit_W, standing_power_W : float
        Limit of one chip, and what it draws beside the work [W]. At least a thousandth of the limit is left for work.
    """
    left_W = np.maximum(power_limit_W - standing_power_W, 1e-3 * power_limit_W)
    return np.maximum(duration_s, work_energy_J / (accelerators * left_W))


def step_energy_J(duration_s: Number, work_energy_J: Number, accelerators: Number, standing_power_W: Number) -> Number:
    """Return the energy of the chips over a step, ``n P_s t + W`` [J].

    Parameters
    ----------
    duration_s : float
        Time of the step, the limit included [s].
    work_energy_J : float
        Energy of the bytes and operations of all chips [J].
    accelerators : float
        Chips that share the work.
    standing_power_W : float
        What one chip draws beside the work [W].
    """
    return accelerators * standing_power_W * duration_s + work_energy_J
