"""Why published energies of one request differ: boundary, machine, batch and tokens, with our own functions.

Each published figure (catalog kind ``published_energies``) is worked out by the trip itself, for a stand-in model
inside the boundary that the publisher drew. The way from one common request (a chat answer, accelerators alone, a full
batch) to each figure is a product of four steps: tokens, batch, machine and model, boundary. What is left between our
value and the published one is the gap, and two numbers say what would close it: so many tokens, or so many answers
at once. They are no fit: nothing is tuned to the published figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from roundtrip.catalog.load import Entry, entry, load
from roundtrip.journey.boundary import account
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.stages.datacenter import load as load_stage
from roundtrip.stages.datacenter import power, standby

KIND = "published_energies"
REFERENCE = "gemini-median"
STEPS = ("tokens", "batch", "machine", "boundary")
_MOST_BATCH, _LEAST_BATCH = 4096.0, 0.25


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it is worked out: what is asked of which machine, inside which boundary."""

    model: str
    accelerator: str
    serving: str
    arithmetic: str
    accelerators: float
    input_tokens: float
    output_tokens: float
    batch: float
    pue: float
    boundary: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A published figure beside ours."""

    key: str
    title: str
    said: str
    request: Request
    published_J: float
    ours_J: float
    low_J: float
    high_J: float
    formula_J: float | None
    formula: str
    steps: dict[str, float]
    tokens_needed: float | None
    batch_needed: float | None
    why: str
    source: str

    @property
    def gap(self) -> float:
        """Published over ours."""
        return self.published_J / self.ours_J

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "gap": self.gap}


def request_of(e: Entry) -> Request:
    """Return the request of a catalog entry."""
    f = {name: figure.value for name, figure in e.figures.items()}
    return Request(
        e.texts["model"], e.texts["accelerator"], e.texts["serving"], e.texts["arithmetic"],
        f["accelerators_per_server"], f["input_tokens"], f["output_tokens"], f["batch"], f["pue"],
        tuple(e.texts["boundary"].split(",")),
    )  # fmt: skip


def _scenario(r: Request) -> Scenario:
    """Return the scenario of a request; what a number is follows in `energy_J`."""
    return load_scenario("cloud").with_settings(
        (
            f"model.name={r.model}", f"model.accelerator={r.accelerator}", f"model.serving={r.serving}",
            f"model.serving.arithmetic={r.arithmetic}", "prompt.reply=reasoning",
        ),
        "published_energies",
    )  # fmt: skip


def energy_J(r: Request) -> float:
    """Return the energy of a request by the trip, inside its boundary [J]."""
    scenario = _scenario(r)
    model = scenario.entry("model.name").figures
    serving = scenario.entry("model.serving").figures
    text = max(r.input_tokens - model["template_tokens"].value, 1.0)
    changes = {
        "prompt.text.bytes_B": text * model["bytes_per_token_B"].value,
        "prompt.reply.output_tokens": r.output_tokens,
        "prompt.reply.reasoning_tokens": 0.0,
        "model.serving.streams": r.batch / r.accelerators,
        "datacenter.site.pue": r.pue,
        "model.serving.weight_B": 2.0 if r.arithmetic == "bf16" else serving["weight_B"].value,
    }
    if serving["accelerators"].value <= serving["accelerators_per_server"].value:
        # One server is one instance: the ranks are its accelerators, and the context is this request's.
        ranks = {"tensor_ranks", "expert_ranks", "prefill_expert_ranks"}
        changes |= {f"model.serving.{n}": r.accelerators for n in ranks if serving[n].value > 1.0}
        changes["model.serving.context_tokens"] = r.input_tokens + r.output_tokens / 2.0
    return float(account(scenario, r.boundary, changes=changes).total("energy_J"))


def changed(r: Request, **changes: Any) -> Request:
    """Return a request with some of it changed."""
    return replace(r, **changes)


def _formulas() -> dict[str, tuple[Callable[[], float], str]]:
    """Return the published equations, with their published numbers."""

    def epoch() -> float:
        return float(power.peak_share_request_J(100e9, 500.0, 989e12, 0.1, 0.7 * 1275.0, 1.2))

    def jegham(tokens: float, rate_token_s: float) -> float:
        return float(load_stage.node_share_J(tokens / rate_token_s, 10_200.0, 0.065, 1_600.0, 0.5, 8.0, 1.12))

    def fleet() -> float:
        return float(standby.fleet_request_J(3617.0, 6500.0, 195e6))

    return {
        "epoch-chat": (epoch, "2 P n / (0.1 F) times 0.7 x 1,275 W x 1.2"),
        "jegham-short": (
            lambda: jegham(300.0, 1500.0 / 33.84),
            "t (P_g D_g + P_n D_n)/8 x 1.12, at the 44 tokens a second of its long answer",
        ),
        "de-vries": (fleet, "3,617 x 6.5 kW x 24 h / 195 million"),
    }


def reconcile() -> list[Case]:
    """Return every published figure with ours, by rising energy."""
    formulas = _formulas()
    cases = [_case(key, e, formulas.get(key)) for key, e in load(KIND).items()]
    return sorted(cases, key=lambda case: case.published_J)


def reference() -> Request:
    """Return the common request: a chat answer in a full batch, accelerators alone."""
    return changed(request_of(entry(KIND, REFERENCE)), boundary=("chip",), pue=1.0)


def _case(key: str, e: Entry, formula: tuple[Callable[[], float], str] | None) -> Case:
    r, start = request_of(e), reference()
    ours_J = energy_J(r)
    ladder = [
        start,
        changed(start, input_tokens=r.input_tokens, output_tokens=r.output_tokens),
        changed(start, input_tokens=r.input_tokens, output_tokens=r.output_tokens, batch=r.batch),
        changed(r, boundary=("chip",)),
        r,
    ]
    if r.batch == start.batch:
        ladder[2] = ladder[1]
    rungs = [energy_J(step) for step in ladder]
    steps = {name: rungs[i + 1] / rungs[i] for i, name in enumerate(STEPS)}
    f = e.figures
    low_J = energy_J(changed(r, input_tokens=f["input_tokens"].low, output_tokens=f["output_tokens"].low,
                             batch=f["batch"].high))  # fmt: skip
    high_J = energy_J(changed(r, input_tokens=f["input_tokens"].high, output_tokens=f["output_tokens"].high,
                              batch=f["batch"].low))  # fmt: skip
    published_J = f["published_energy_J"].value
    return Case(
        key=key, title=e.title, said=e.texts["said"], request=r, published_J=published_J, ours_J=ours_J,
        low_J=min(low_J, high_J), high_J=max(low_J, high_J),
        formula_J=formula[0]() if formula else None, formula=formula[1] if formula else "", steps=steps,
        tokens_needed=_tokens_needed(r, published_J), batch_needed=_batch_needed(r, published_J),
        why=e.texts["why"], source=f["published_energy_J"].source,
    )  # fmt: skip


def _tokens_needed(r: Request, published_J: float) -> float | None:
    """Return the output tokens at which ours is the published figure; ours is close to linear in them."""
    low, high = 2.0, 2e5
    if energy_J(changed(r, output_tokens=low)) > published_J or energy_J(changed(r, output_tokens=high)) < published_J:
        return None
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if energy_J(changed(r, output_tokens=middle)) < published_J else (low, middle)
    return (low * high) ** 0.5


def _batch_needed(r: Request, published_J: float) -> float | None:
    """Return the answers a server would have to write at once for ours to be the published figure."""
    low, high = max(_LEAST_BATCH, 1.0), _MOST_BATCH
    if energy_J(changed(r, batch=low)) < published_J or energy_J(changed(r, batch=high)) > published_J:
        return None
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if energy_J(changed(r, batch=middle)) > published_J else (low, middle)
    return (low * high) ** 0.5
