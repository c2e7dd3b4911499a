"""Write what a carried prompt leaves behind: captures, tables, arrays, pictures, and a page that lists them."""

from __future__ import annotations

import csv
import io
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
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"--artifacts {folder}: {error.strerror or error}") from None
    names: list[str] = []
    lines = [f"# The trip of {found.prompt!r}, carried", "", "| file | stage | what it is |", "|---|---|---|"]
    for artifact in found.artifacts:
        for name, content in files(artifact).items():
            write_whole(str(place / name), content)
            names.append(name)
            lines.append(f"| {name} | {artifact.stage} | {artifact.title} |")
    write_whole(str(place / "index.md"), "\n".join(lines) + "\n")
    return [*names, "index.md"]


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
