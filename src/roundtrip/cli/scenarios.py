"""``roundtrip scenarios``: the presets, and what a scenario chooses."""

from __future__ import annotations

import click

from roundtrip.cli.inputs import complete_scenario
from roundtrip.cli.output import as_json, say, say_json, width


@click.command()
@click.argument("name", required=False, shell_complete=complete_scenario)
@as_json
def scenarios(name: str | None, as_json: bool) -> None:
    """List the presets, or the choices that the scenario NAME (or a TOML file) makes."""
    from roundtrip.journey.scenario import load_scenario, presets
    from roundtrip.journey.slots import SLOTS
    from roundtrip.trace.table import clip, wrap

    if name is None:
        chosen = {key: load_scenario(key) for key in presets()}
        if as_json:
            say_json({"scenarios": [s.as_dict() for s in chosen.values()]})
            return
        lines: list[str] = []
        for key, scenario in chosen.items():
            lines.append(f"{key:<18} {clip(scenario.title, width() - 19)}")
            lines += [f"{'':<18} {line}" for line in wrap(scenario.sentence, max(width() - 19, 40))]
        lines += ["", "Run one with 'roundtrip trip --scenario NAME'; see its choices with 'roundtrip scenarios NAME'."]
        say("\n".join(lines))
        return
    scenario = load_scenario(name)
    if as_json:
        say_json(scenario.as_dict())
        return
    lines = [scenario.title, *wrap(scenario.sentence, max(width(), 60)), ""]
    for slot, choice in scenario.choices.items():
        kind = SLOTS[slot].kind
        where = f"roundtrip catalog {kind}" if kind else " | ".join(SLOTS[slot].words)
        lines.append(
            f"{slot:<22} {choice:<24} {clip(SLOTS[slot].meaning, 40):<40} {where}"[: max(width(), 60)].rstrip()
        )
    lines += [f"{key} = {value}" for key, value in scenario.values.items()]
    say("\n".join(lines))
