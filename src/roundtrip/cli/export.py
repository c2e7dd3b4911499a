"""``roundtrip export``: the lab without a server."""

from __future__ import annotations

from pathlib import Path

import click

from roundtrip.cli.output import say, write_whole
from roundtrip.errors import OutputError


@click.command()
@click.option("--site", "folder", metavar="DIR", help="A folder that any static host can serve.")
@click.option("--single-file", "file", metavar="FILE", help="One HTML file that opens without a server.")
def export(folder: str | None, file: str | None) -> None:
    """Write the laboratory as a folder for a static host, or as one file for a USB stick."""
    if (folder is None) == (file is None):
        raise OutputError("say one of --site DIR and --single-file FILE")
    from roundtrip.lab import export as exported

    if folder is not None:
        count = exported.site(Path(folder))
        say(f"{count} files in {folder}")
        return
    if file is not None:
        text = exported.single_file()
        write_whole(file, text)
        say(f"{file}: {len(text.encode()) / 1e6:.1f} MB")
