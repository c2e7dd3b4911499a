"""Power of a replica: bytes and operations of its steps, and what accelerators and their host draw for them.

`work` counts what a step moves and computes over all accelerators of a replica, `draw` says what an accelerator costs
for it, `step_energy_J` joins both with the time that the step takes. The constants stand in the catalog
(`power_constants`): shared by all accelerators but for the energy of a byte, which each memory has its own of where it
was measured. Idle power and rated power are those of the accelerator's entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from roundtrip.catalog.load import entry, keys
from roundtrip.figures.figure import Figure
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture
from roundtrip.serving.layout import Layout
from roundtrip.serving.precision import Numbers, numbers, plain, rate
from roundtrip.serving.step import Setup
from roundtrip.stages.model import power, prefill, silicon

KIND = "power_constants"
SHARED = "shared"
STATE_B = 4.0  # bytes of a number of a state: kept in 32 bits, since it is added to at every token [B]

Value = Callable[[Figure, str], Any]


@dataclass(frozen=True, slots=True)
class Work:
    """What a step, or many of them, move and compute on all accelerators of a replica.

    Attributes
    ----------
    moved_B : float or array
        Bytes of weights and cache that are read and written [B].
    wide_flop, narrow_flop, packed_flop : float or array
        Operations in 16 bits, in 8 or fewer, and in 16 with weights that are unpacked from 4 in software [flop].
    """

    moved_B: Any
    wide_flop: Any
    narrow_flop: Any
    packed_flop: Any = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Draw:
    """What one accelerator and its part of the server draw: floats, or samples.

    Attributes
    ----------
    idle_W, standing_W, limit_W : float or array
        With nothing to do; at work beside bytes and operations; for long [W].
    byte_J, wide_flop_J, narrow_flop_J, packed_flop_J : float or array
        Energy of a byte and of an operation [J].
    host_ratio, host_idle_share : float or array
        Its part of the server at work over its own power, and what that draws without work as a share of that.
    spread : float or array
        Energy of a model that was not in the fit, over what the constants say.
    """

    idle_W: Any
    standing_W: Any
    limit_W: Any
    byte_J: Any
    wide_flop_J: Any
    narrow_flop_J: Any
    packed_flop_J: Any
    host_ratio: Any
    host_idle_share: Any
    spread: Any


def value_of(figure: Figure, cause: str) -> Any:
    """Return a figure's value: how `draw` reads the catalog where no samples are asked for."""
    del cause
    return np.float64(figure.value)


def draw(accelerator: str, value: Value = value_of) -> Draw:
    """Return what an accelerator of the catalog draws.

    Parameters
    ----------
    accelerator : str
        Key of the catalog.
    value : callable, optional
        Makes a number or samples of a figure and the name of its cause; `Draws.draw` makes samples.
    """
    chip, shared = entry("accelerators", accelerator), entry(KIND, SHARED)
    own = entry(KIND, accelerator) if accelerator in keys(KIND) else shared
    share = value(entry("fleet_splits", "google-2025").figure("host_share"), "server.host_share")

    def take(name: str) -> Any:
        where = own if name in own.figures else shared
        return value(where.figure(name), f"{where.key}.{name}")

    rated_W = chip.figure("rated_power_W").value
    wide_J = power.energy_per_flop_J(rated_W, chip.figure("bf16_rate_flop_s").value, take("flop_energy_ratio"))
    return Draw(
        idle_W=value(chip.figure("idle_power_W"), f"{accelerator}.idle_power_W"),
        standing_W=power.standing_power_W(rated_W, take("standing_share")),
        limit_W=rated_W * take("power_limit_share"),
        byte_J=take("energy_per_byte_J"),
        wide_flop_J=wide_J,
        narrow_flop_J=wide_J * take("narrow_flop_ratio"),
        packed_flop_J=wide_J * take("packed_flop_ratio"),
        host_ratio=share / (1.0 - share),
        host_idle_share=value(entry("energy_accounts", "usual").figure("host_idle_share"), "server.host_idle_share"),
        spread=take("energy_spread"),
    )  # fmt: skip


def weights_B(a: Architecture, n: Numbers, layout: Layout, rows: Any) -> Any:
    """Return the bytes of weights that a step with so many tokens reads on all accelerators of a replica [B].

    Groups with a batch of their own each read the common weights; which experts are read depends on how alike the
    tokens are.
    """
    alike = power.independent_tokens(np.maximum(rows, 1.0), entry(KIND, SHARED).figure("independence_exponent").value)
    common = counts.common_parameters(a) * n.common_B * layout.groups * layout.batch_parts
    return common + counts.touched_routed_parameters(a, alike) * n.routed_B


def work(
    a: Architecture, n: Numbers, layout: Layout, rows: Any, sequences: Any, context: Any, pairs: Any,
    fetched_B: Any = None, *, unpacks: bool = False,
) -> Work:  # fmt: skip
    """Return what a step moves and computes, or with sums over many steps and their `fetched_B`, what all of them do.

    Parameters
    ----------
    a, n, layout : Architecture, Numbers, Layout
        The model, its precision, and how the replica is spread.
    rows : float or array
        Tokens of the step.
    sequences, context : float or array
        Those of them that write an answer, and the mean context they look back at.
    pairs : float or array
        Pairs of a new and an earlier token in prompts that are read.
    fetched_B : float or array, optional
        Bytes of weights, if they are known [B].
    unpacks : bool
        Whether weights in 4 bits are made 16 in software before they are multiplied.
    """
    fetched = weights_B(a, n, layout, rows) if fetched_B is None else fetched_B
    state = 2.0 * counts.state_elements(a)
    copies = max(layout.tensor / counts.cache_shards(a), 1.0)  # a latent is read by every rank
    read = (counts.cache_read_elements(a, context) - state) * n.kv_B * copies + state * STATE_B
    used = counts.active_parameters(a) - counts.common_parameters(a)
    prompts = np.maximum(rows - sequences, 0.0)
    before = np.maximum(pairs / np.maximum(prompts, 1.0) - 1.0, 0.0)  # tokens before one of a prompt, on average
    looked = sequences * counts.write_attention_flop(a, context)
    looked = looked + prompts * counts.prompt_attention_flop(a, 1.0, before)
    common, routed = prefill.linear_flop(counts.common_parameters(a), rows), prefill.linear_flop(used, rows)
    flop = {"wide_flop": looked, "narrow_flop": 0.0, "packed_flop": 0.0}
    for part, size_B in ((common, n.common_B), (routed, n.routed_B)):
        name = (
            "packed_flop"
            if size_B < 1.0 and unpacks
            else "narrow_flop"
            if size_B < 2.0 and n.is_rounded
            else "wide_flop"
        )
        flop[name] = flop[name] + part
    return Work(fetched + sequences * read, **flop)


def work_energy_J(w: Work, d: Draw) -> Any:
    """Return the energy of bytes and operations [J]."""
    return (
        silicon.byte_energy_J(w.moved_B, d.byte_J)
        + silicon.flop_energy_J(w.wide_flop, d.wide_flop_J)
        + silicon.flop_energy_J(w.narrow_flop, d.narrow_flop_J)
        + silicon.flop_energy_J(w.packed_flop, d.packed_flop_J)
    )


def step_energy_J(w: Work, d: Draw, accelerators: float, duration_s: Any) -> Any:
    """Return the energy of the accelerators over a step, or over the busy time of many [J].

    Where the work would take more power than the limit, the time that the limit demands is charged.
    """
    worked_J = work_energy_J(w, d)
    held_s = power.limited_time_s(duration_s, worked_J, accelerators, d.limit_W, d.standing_W)
    return d.spread * power.step_energy_J(held_s, worked_J, accelerators, d.standing_W)


def idle_energy_J(d: Draw, accelerators: float, duration_s: Any) -> Any:
    """Return the energy of accelerators that wait for requests [J]."""
    return accelerators * silicon.static_energy_J(d.idle_W, duration_s, 1.0)


def host_energy_J(d: Draw, accelerators: float, busy_J: Any, busy_s: Any, idle_s: Any) -> tuple[Any, Any]:
    """Return the energy of the servers around accelerators while these work and while they wait [J].

    A server at work draws a share of what its accelerators do; where they never work, of their standing power.
    """
    worked_W = np.where(busy_s > 0.0, busy_J / np.where(busy_s > 0.0, busy_s, 1.0), accelerators * d.standing_W)
    waiting_W = d.host_idle_share * d.host_ratio * worked_W
    return d.host_ratio * busy_J, silicon.static_energy_J(waiting_W, idle_s, 1.0)


def setup_numbers(setup: Setup) -> Numbers:
    """Return what the precision of a setup means on its accelerator."""
    chip = entry("accelerators", setup.accelerator)
    return numbers(setup.architecture, chip, setup.precision, setup.engine, setup.kv_B)


def setup_weights_B(setup: Setup, rows: Any) -> Any:
    """Return the bytes of weights that one group of a setup reads in a step with so many tokens of its own [B].

    Groups that share experts are taken to be as busy as this one; each is charged with its part of them.
    """
    groups, whole = setup.layout.groups, replace(setup.layout, groups=1, expert=1)
    n = setup_numbers(setup)
    common = weights_B(setup.architecture, replace(n, routed_B=0.0), whole, rows)
    return common + weights_B(setup.architecture, replace(n, common_B=0.0), whole, rows * groups) / groups


def setup_work(setup: Setup, rows: Any, sequences: Any, context: Any, pairs: Any, fetched_B: Any = None) -> Work:
    """Return what one group of a setup moves and computes in a step; arguments as for `work`."""
    whole = replace(setup.layout, groups=1, expert=1)
    fetched = setup_weights_B(setup, rows) if fetched_B is None else fetched_B
    unpacks = plain(setup.precision) == "int4" or not rate(entry("accelerators", setup.accelerator), "fp4")
    return work(
        setup.architecture, setup_numbers(setup), whole, rows, sequences, context, pairs, fetched, unpacks=unpacks
    )  # fmt: skip


def idle_power_W(setup: Setup) -> Any:
    """Return what the accelerators of one group of a setup draw with nothing to do [W]."""
    return draw(setup.accelerator).idle_W * setup.layout.tensor * setup.layout.pipeline


def setup_energy_J(setup: Setup, rows: Any, sequences: Any, context: Any, pairs: Any, duration_s: Any) -> Any:
    """Return the energy of the accelerators of one group of a setup over a step [J]; host and building are apart.

    Parameters
    ----------
    setup : Setup
        The deployment.
    rows, sequences : float or array
        Tokens of the step, and those of them that write an answer.
    context : float or array
        Mean context that these look back at [token].
    pairs : float or array
        Pairs of tokens in the prompts that are read.
    duration_s : float or array
        Time of the step, for example by `roundtrip.serving.step.step_s` [s].
    """
    chips = float(setup.layout.tensor * setup.layout.pipeline)
    w = setup_work(setup, rows, sequences, context, pairs)
    return step_energy_J(w, draw(setup.accelerator), chips, duration_s)
