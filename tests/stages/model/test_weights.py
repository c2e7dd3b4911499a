"""How many weights, and where they fit."""

from __future__ import annotations

import numpy as np

from roundtrip.stages.model import weights


def test_narayanan_12_l_h_squared_without_tables() -> None:
    h = 12288.0
    parameters = weights.model_parameters(
        96.0, 4.0 * h * h, 96.0, weights.plain_parameters(h, 4.0 * h), 1.0, 1.0, 0.0, 0.0
    )
    assert np.isclose(parameters, 12.0 * 96.0 * h * h)


def test_gate_adds_half() -> None:
    assert weights.gated_parameters(4096.0, 14336.0) == 1.5 * weights.plain_parameters(4096.0, 14336.0)


def test_eight_hundred_gigabytes_need_ten_of_eighty() -> None:
    assert weights.accelerators_needed(800e9, 80e9, 1.0) == 10.0
    assert weights.memory_share(800e9, 80e9, 8.0) == 1.25


def test_common_weights_are_what_is_left_and_never_negative() -> None:
    assert np.isclose(weights.common_parameters(671e9, 653.9e9, 0.93e9), 16.17e9)
    assert weights.common_parameters(1e9, 2e9, 0.0) == 1e6


def test_split_matrices_add_up() -> None:
    assert 8.0 * weights.rank_B(400e9, 8.0, 1.0) == weights.held_B(400e9, 1.0)


def test_expansion_of_the_first_transformer_vaswani_3_3() -> None:
    assert weights.ffn_expansion(2048.0, 512.0) == 4.0
