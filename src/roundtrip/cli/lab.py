"""``roundtrip lab``: not yet."""

from __future__ import annotations

import click

from roundtrip.errors import RoundtripError


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def lab() -> None:
    """Open the laboratory in a browser (comes with its own release)."""
    raise RoundtripError(
        "the lab comes with its own release; until then, see the trip with 'roundtrip trip --plot trip.svg'"
    )
