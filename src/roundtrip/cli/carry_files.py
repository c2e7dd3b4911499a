"""Write what a carried prompt leaves behind: captures, tables, arrays, pictures, and a page that lists them."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.cli.output import write_whole
from roundtrip.errors import OutputError

if TYPE_CHECKING:
    from roundtrip.journey.carry import Carried
    from roundtrip.journey.carry.artifact import Artifact


def write_artifacts(folder: str, found: Carried) -> list[str]:
    """Write each artifact into a folder, and an index; return the names of the files.

    Raises
    ------
    OutputError
        If the folder cannot be made, or a file cannot be written.
    """
    place = make_folder(folder)
    names: list[str] = []
    said = found.prompt if len(found.prompt) <= 100 else found.prompt[:100] + "…"
    lines = [f"# The trip of {said!r}, carried", "", "| file | stage | what it is |", "|---|---|---|"]
    for artifact in found.artifacts:
        for name, content in files(artifact).items():
            write_whole(str(place / name), content)
            names.append(name)
            lines.append(f"| {name} | {artifact.stage} | {artifact.title} |")
    write_whole(str(place / "index.md"), "\n".join(lines) + "\n")
    return [*names, "index.md"]


def make_folder(folder: str) -> Path:
    """Make the folder of the artifacts, so that one that cannot be made is named before anything is carried.

    Raises
    ------
    OutputError
        If it cannot be made, or is no folder that can be written to.
    """
    place = Path(folder)
    try:
        if not folder.strip() or (place.exists() and not place.is_dir()):
            raise OutputError(f"--artifacts {folder!r}: is no folder")
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OutputError(f"--artifacts {folder!r}: {reason}") from None
    if not os.access(place, os.W_OK | os.X_OK):
        raise OutputError(f"--artifacts {folder!r}: cannot be written to")
    return place


def files(artifact: Artifact) -> dict[str, str | bytes]:
    """Return the files of one artifact: its data, and pictures of arrays."""
    data: Any = artifact.data
    name = f"{artifact.stage.replace('.', '-')}-{artifact.name}"
    if artifact.kind == "bytes":
        return {f"{name}.{artifact.file}": data}
    if artifact.kind == "text":
        return {f"{name}.txt": data}
    if artifact.kind == "table":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(data)
        return {f"{name}.csv": out.getvalue()}
    from roundtrip.journey.carry.png import encode_png

    if artifact.kind == "image":
        return {f"{name}.png": encode_png(data)}
    import numpy as np

    from roundtrip.journey.carry.pictures import pictures

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **data)
    room = artifact.stage.replace(".", "-")
    drawn = {f"{room}-{key}.png": encode_png(image) for key, image in pictures(artifact).items()}
    return {f"{name}.npz": buffer.getvalue(), **drawn}
