"""Symbols of the glossary, which are TeX, for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from roundtrip.catalog.load import Term

_GREEK = dict(
    alpha="α",
    beta="β",
    gamma="γ",
    delta="δ",
    epsilon="ε",
    varepsilon="ε",
    zeta="ζ",
    eta="η",
    theta="θ",
    kappa="κ",
    lambda_="λ",
    mu="µ",
    nu="ν",
    xi="ξ",
    pi="π",
    rho="ρ",
    sigma="σ",
    tau="τ",
    phi="φ",
    varphi="φ",
    chi="χ",
    psi="ψ",
    omega="ω",
    Gamma="Γ",
    Delta="Δ",
    Theta="Θ",
    Lambda="Λ",
    Xi="Ξ",
    Pi="Π",
    Sigma="Σ",
    Phi="Φ",
    Psi="Ψ",
    Omega="Ω",
    ell="ℓ",
    hbar="ħ",
    infty="∞",
    cdot="·",
    times="×",
)
_WRAPPED = re.compile(r"\\(?:mathrm|text|operatorname|mathit|mathbf|hat|bar|dot|tilde)\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)\s*")


def plain(symbol: str) -> str:
    r"""Return a TeX symbol in Unicode: ``\tau_\mathrm{m}`` becomes ``τ_m``."""
    text = symbol
    while (shorter := _WRAPPED.sub(r"\1", text)) != text:
        text = shorter
    text = _COMMAND.sub(lambda m: _GREEK.get("lambda_" if m.group(1) == "lambda" else m.group(1), m.group(1)), text)
    return text.replace("{", "").replace("}", "").replace("\\,", "").replace("\\", "").replace("$", "").strip()


def symbols(names: Iterable[str], terms: Mapping[str, Term], tex: bool) -> dict[str, str]:
    """Return a symbol for each name; where two would look alike, or there is none, the names themselves stand."""
    wanted = list(names)
    chosen = {n: (terms[n].symbol if tex else plain(terms[n].symbol)) for n in wanted if n in terms and terms[n].symbol}
    seen: dict[str, list[str]] = {}
    for name, symbol in chosen.items():
        seen.setdefault(symbol, []).append(name)
    return {name: symbol for name, symbol in chosen.items() if len(seen[symbol]) == 1}
