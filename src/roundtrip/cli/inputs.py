"""What a reader hands in: the prompt and the scenario."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.errors import DomainError, PromptError

if TYPE_CHECKING:
    from roundtrip.journey.scenario import Scenario

F = TypeVar("F", bound=Callable[..., Any])

MAX_SAMPLES = 1_000_000  # some 4 GB


def complete_scenario(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the presets that begin so, for the shell."""
    from roundtrip.journey.scenario import presets

    return [name for name in presets() if name.startswith(begun)]


def complete_name(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the stages, choices, catalog entries and summary figures that begin so, for the shell."""
    from roundtrip.catalog.load import kinds, load
    from roundtrip.journey.slots import SLOTS
    from roundtrip.journey.stages import ROOMS, stage_names
    from roundtrip.trace.story import LABELS

    kind = begun.partition("/")[0]
    entries = [f"{kind}/{key}" for key in load(kind)] if "/" in begun and kind in kinds() else []
    names = dict.fromkeys([*ROOMS, *stage_names(), *SLOTS, *LABELS, *kinds(), *entries])
    return [name for name in names if name.startswith(begun)]


def scenario_options(function: F) -> F:
    """Give a verb ``--scenario`` and ``--set``."""
    function = click.option(
        "--set",
        "settings",
        metavar="KEY=VALUE",
        multiple=True,
        help="Choose otherwise, or set a figure: network.access=starlink, prompt.reply.output_tokens=500.",
    )(function)
    return click.option(
        "--scenario",
        "-s",
        "scenario",
        metavar="NAME|FILE",
        default="cloud",
        show_default=True,
        shell_complete=complete_scenario,
        help="A preset (see 'roundtrip scenarios'), or a TOML file.",
    )(function)


def read_scenario(name: str, settings: tuple[str, ...] = (), prompt: str | None = None) -> Scenario:
    """Return the scenario that the options name."""
    from roundtrip.journey.scenario import load_scenario

    chosen = load_scenario(name)
    if settings:
        chosen = chosen.with_settings(settings)
    return chosen if prompt is None else chosen.with_prompt(prompt)


def read_prompt(prompt: str | None) -> str | None:
    """Return the prompt; ``-`` reads standard input, without its last newline.

    Raises
    ------
    PromptError
        If standard input is not UTF-8, or longer than a prompt may be.
    """
    if prompt != "-":
        return prompt
    from roundtrip.journey.scenario import PROMPT_LIMIT_B

    data = sys.stdin.buffer.read(PROMPT_LIMIT_B + 2)
    if len(data) > PROMPT_LIMIT_B + 1:
        raise PromptError(
            f"the prompt has more than {PROMPT_LIMIT_B:,} bytes, which is what is allowed, from standard input"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PromptError(f"the prompt is not valid UTF-8 (at byte {error.start}), from standard input") from None
    return text.removesuffix("\n").removesuffix("\r")


def check_samples(samples: int) -> int:
    """Return the number of samples, checked."""
    if samples != 0 and not 4 <= samples <= MAX_SAMPLES:
        raise DomainError(f"--samples = {samples}, allowed: 0 (no bands), or 4 to {MAX_SAMPLES:,}")
    return samples
