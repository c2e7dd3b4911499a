"""One token out of scores: the best, or by chance within bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from roundtrip.engine.sampling import Sampling, entropy, log_probabilities, log_probability, pick, top
from roundtrip.errors import DomainError

LOGITS = np.array([0.0, 3.0, 1.0, 3.0, -2.0], np.float32)
SCORES = arrays(np.float32, st.integers(1, 40), elements=st.floats(-50, 50, width=32))


def drawn(sampling: Sampling, logits: np.ndarray = LOGITS, times: int = 4000) -> np.ndarray:
    rng = sampling.generator()
    return np.bincount([pick(logits, sampling, rng) for _ in range(times)], minlength=len(logits)) / times


def test_greedy_takes_the_best_and_of_equals_the_lower_id() -> None:
    assert pick(LOGITS) == 1
    assert pick(LOGITS, Sampling(temperature=5, top_k=1)) == 1


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_shares_follow_the_temperature(temperature: float) -> None:
    expected = np.exp(LOGITS / temperature) / np.exp(LOGITS / temperature).sum()
    assert np.abs(drawn(Sampling(temperature=temperature, seed=1)) - expected).max() < 0.03


def test_top_k_and_top_p_leave_only_the_best() -> None:
    assert drawn(Sampling(temperature=1, top_k=2, seed=1))[[0, 2, 4]].sum() == 0
    shares = drawn(Sampling(temperature=1, top_k=3, seed=1))
    assert shares[[0, 4]].sum() == 0
    assert shares[2] == pytest.approx(math.e / (math.e + 2 * math.e**3), abs=0.02)
    assert drawn(Sampling(temperature=1, top_p=0.4, seed=1))[1] == 1  # the first alone reaches 0.4
    assert drawn(Sampling(temperature=1, top_p=0.5, seed=1))[[0, 2, 4]].sum() == 0
    everything = Sampling(temperature=1, top_k=100, top_p=1, seed=1)
    np.testing.assert_array_equal(drawn(everything), drawn(Sampling(temperature=1, seed=1)))


def test_the_same_seed_draws_the_same() -> None:
    def row(seed: int | None) -> list[int]:
        sampling = Sampling(temperature=3, seed=seed)
        rng = sampling.generator()
        return [pick(LOGITS, sampling, rng) for _ in range(50)]

    assert row(7) == row(7)
    assert row(7) != row(8)
    assert row(None) != row(None)


@given(SCORES, st.floats(0.01, 100) | st.just(5e-324), st.integers(0, 50), st.floats(0.001, 1), st.integers(0, 9))
def test_what_is_drawn_is_among_the_allowed(
    logits: np.ndarray, temperature: float, top_k: int, top_p: float, seed: int
) -> None:
    sampling = Sampling(temperature, top_k, top_p, seed)
    chosen = pick(logits, sampling, sampling.generator())
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    place = order.index(chosen)
    assert place < (top_k or len(logits))
    with np.errstate(over="ignore"):
        weights = np.exp((logits[order[: top_k or None]].astype(float) - logits.max()) / temperature)
    assert (weights / weights.sum())[:place].sum() <= top_p + 1e-9


@given(SCORES)
def test_probabilities_are_probabilities(logits: np.ndarray) -> None:
    logs = log_probabilities(logits)
    assert np.exp(logs).sum() == pytest.approx(1)
    assert log_probability(logits, len(logits) - 1) == pytest.approx(logs[-1], abs=1e-6)
    assert -1e-9 <= entropy(logits) <= math.log(len(logits)) + 1e-9
    candidates = top(logits, 5)
    assert [c.logit for c in candidates] == sorted(map(float, logits), reverse=True)[:5]
    assert [c.probability for c in candidates] == pytest.approx([math.exp(logs[c.id]) for c in candidates])
    assert top(logits, 0) == []


def test_entropy_of_the_two_ends() -> None:
    assert entropy(np.zeros(64, np.float32)) == pytest.approx(math.log(64))
    assert entropy(np.array([0, 1000], np.float32)) == pytest.approx(0)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"temperature": -1}, "temperature -1"),
        ({"temperature": math.nan}, "temperature nan"),
        ({"temperature": 101}, "0 to 100"),
        ({"top_k": -1}, "top_k -1"),
        ({"top_p": 0}, "top_p 0"),
        ({"top_p": 1.1}, r"top_p 1\.1"),
        ({"seed": -1}, "seed -1"),
        ({"stop": ("",)}, "stop text"),
    ],
)
def test_settings_are_held_to_what_is_allowed(change: dict[str, object], match: str) -> None:
    with pytest.raises(DomainError, match=match):
        Sampling(**change)
