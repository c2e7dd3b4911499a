"""The primitives, against SciPy and sums in exact arithmetic."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from roundtrip.figures.graph import PRIMITIVES, Graph, Node
from roundtrip.figures.primitives import binomial_tail, erfc, erlang_c, ndtri, normal_max
from roundtrip.figures.print_code import javascript_library


def test_there_are_at_most_ten_and_each_speaks_two_languages() -> None:
    assert set(PRIMITIVES) == {"erfc", "ndtri", "erlang_c", "normal_max", "binomial_tail"}
    assert len(PRIMITIVES) <= 10
    assert all(name in p.javascript for name, p in PRIMITIVES.items())


def test_erfc_against_scipy() -> None:
    x = np.concatenate([np.linspace(-6.0, 26.0, 20_001), [-2.0, 2.0, np.nextafter(2.0, 0), np.nextafter(2.0, 3)]])
    np.testing.assert_allclose(erfc(x), special.erfc(x), rtol=2e-12, atol=1e-300)


@given(st.floats(-5.0, 5.0))
def test_erfc_of_both_signs_adds_up_to_two(x: float) -> None:
    assert erfc(x) + erfc(-x) == pytest.approx(2.0, rel=1e-14)


def test_ndtri_against_scipy() -> None:
    p = np.concatenate([np.geomspace(1e-300, 0.5, 5_000), 1.0 - np.geomspace(1e-15, 0.5, 5_000), [0.075, 0.925]])
    np.testing.assert_allclose(ndtri(p), special.ndtri(p), rtol=1e-13, atol=1e-14)


@given(st.floats(-8.0, 8.0))
def test_ndtri_undoes_the_distribution(z: float) -> None:
    p = float(0.5 * erfc(-z / math.sqrt(2.0)))
    # Near 1 a double holds few digits of 1 - p: the error is the spacing of doubles over the density.
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    assert abs(float(ndtri(p)) - z) <= 1e-11 + 4e-16 / density


def exact_erlang_c(servers: int, load: Fraction) -> Fraction:
    """Return Erlang's C from its definition, in fractions."""
    term, total = Fraction(1), Fraction(0)
    for n in range(servers):
        total += term
        term = term * load / (n + 1)
    last = term * servers / (servers - load)
    return last / (total + last)


@pytest.mark.parametrize("servers", [1, 2, 7, 64, 300])
@pytest.mark.parametrize("busy", [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)])
def test_erlang_c_against_its_definition_in_fractions(servers: int, busy: Fraction) -> None:
    load = busy * servers
    expected = float(exact_erlang_c(servers, Fraction(float(load))))
    # A load within 1e-3 of the servers loses three digits in 1 - load / servers.
    assert float(erlang_c(float(servers), float(load))) == pytest.approx(expected, rel=1e-11, abs=1e-300)


def test_erlang_c_takes_arrays_and_one_server_waits_as_often_as_it_is_busy() -> None:
    servers, load = np.array([1.0, 1.0, 3.0]), np.array([0.2, 0.9, 2.0])
    values = erlang_c(servers, load)
    np.testing.assert_allclose(values[:2], load[:2], rtol=1e-15)
    np.testing.assert_allclose(values[2], float(exact_erlang_c(3, Fraction(2))), rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 100, 1_024, 16_384, 1_000_000])
def test_normal_max_against_quadrature(n: int) -> None:
    def integrand(x: float) -> float:
        return x * n * stats.norm.pdf(x) * math.exp((n - 1) * special.log_ndtr(x))

    expected, _ = integrate.quad(integrand, -12.0, 12.0, limit=500, epsabs=1e-13, points=[0.0, 3.0, 5.0])
    assert float(normal_max(float(n))) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_normal_max_of_two_and_three_are_known_numbers() -> None:
    assert float(normal_max(2.0)) == pytest.approx(1.0 / math.sqrt(math.pi), rel=1e-13)
    assert float(normal_max(3.0)) == pytest.approx(1.5 / math.sqrt(math.pi), rel=1e-13)


def test_normal_max_keeps_the_shape_of_its_argument() -> None:
    assert normal_max(np.array([[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]])).shape == (2, 3)


@given(st.integers(1, 400), st.integers(0, 20), st.floats(1e-9, 0.999))
def test_binomial_tail_against_scipy(n: int, k: int, p: float) -> None:
    expected = stats.binom.sf(k, n, p)
    assert float(binomial_tail(n, k, p)) == pytest.approx(expected, rel=1e-9, abs=1e-280)


def test_binomial_tail_at_the_ends() -> None:
    assert float(binomial_tail(10, 3, 0.0)) == 0.0
    assert float(binomial_tail(10, 10, 0.5)) == 0.0
    assert float(binomial_tail(10, 3, 1.0)) == pytest.approx(1.0)


def test_a_symbol_makes_one_node() -> None:
    graph = Graph()
    x = graph.input("x")
    made: Any = normal_max(x)
    assert isinstance(made, Node)
    assert graph.nodes[made.number] == ("normal_max", x.number)
    again: Any = normal_max(x)
    assert again.number == made.number


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine: JavaScript parity not run")
def test_javascript_bodies_equal_scipy() -> None:
    x = np.linspace(-5.0, 20.0, 501)
    p = np.concatenate([np.geomspace(1e-200, 0.4, 200), np.linspace(0.05, 0.999, 200)])
    n = np.array([2.0, 8.0, 1000.0, 16384.0])
    asked = {"x": x.tolist(), "p": p.tolist(), "n": n.tolist()}
    script = javascript_library() + (
        "const a=JSON.parse(require('fs').readFileSync(0));"
        "process.stdout.write(JSON.stringify({erfc:a.x.map(erfc),ndtri:a.p.map(ndtri),max:a.n.map(normal_max),"
        "wait:[erlang_c(7,5.5)],tail:[binomial_tail(50,3,0.01)]}));"
    )
    run = subprocess.run(["node", "-e", script], input=json.dumps(asked), capture_output=True, text=True, check=True)
    got = json.loads(run.stdout)
    np.testing.assert_allclose(got["erfc"], special.erfc(x), rtol=2e-12, atol=1e-300)
    np.testing.assert_allclose(got["ndtri"], special.ndtri(p), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(got["max"], normal_max(n), rtol=1e-12)
    np.testing.assert_allclose(got["wait"], float(exact_erlang_c(7, Fraction(11, 2))), rtol=1e-13)
    np.testing.assert_allclose(got["tail"], stats.binom.sf(3, 50, 0.01), rtol=1e-11)
