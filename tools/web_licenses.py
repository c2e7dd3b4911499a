"""Write the licenses of everything that the built lab contains: ``python tools/web_licenses.py OUT``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

WEB = Path(__file__).parents[1] / "web"
NAMES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "license", "LICENCE")


def main(out: Path) -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    parts = ["The lab's page contains these packages, each under its own license.\n"]
    for place, package in sorted(lock["packages"].items()):
        if not place or package.get("dev") or package.get("devOptional") or place.startswith("node_modules/@types/"):
            continue
        found = [path for name in NAMES if (path := WEB / place / name).is_file()]
        if not found:
            sys.exit(f"web_licenses: {place} has no license text")
        title = f"{place.removeprefix('node_modules/')} {package['version']}"
        parts.append(f"{title}\n{'-' * len(title)}\n{found[0].read_text(encoding='utf-8').strip()}\n")
    for path in sorted((WEB / "fonts").glob("*.LICENSE.txt")):
        title = f"font: {path.name.removesuffix('.LICENSE.txt')}"
        parts.append(f"{title}\n{'-' * len(title)}\n{path.read_text(encoding='utf-8').strip()}\n")
    out.write_text("\n\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
