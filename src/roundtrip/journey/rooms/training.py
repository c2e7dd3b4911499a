"""The room of training: not on the time line of one prompt, but its energy has a share in every token."""

from __future__ import annotations

from typing import Any

from roundtrip.journey.way import Way
from roundtrip.stages.training import energy


def share(way: Way) -> Any:
    """Return the training energy that falls on one token of the chosen run's model, and leave it as a fact.

    It is no span and enters no sum of the trip: the run was over before the prompt was typed, and how many tokens
    share it is a guess (`served_tokens`).
    """
    s = way.stage(energy)
    run_J = s.use(
        energy.run_energy_J,
        accelerator_time_h=s["training.run.accelerator_time_h"],
        accelerator_power_W=s["training.run.accelerator_power_W"],
        pue=s["training.run.pue"],
    )
    way.fact("training_energy_J", run_J)
    token_J = s.use(energy.share_of_token_J, energy_J=run_J, served_tokens=s["training.run.served_tokens"])
    return way.fact("training_token_J", token_J)
