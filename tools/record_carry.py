"""Carry one prompt for the static site: ``.venv/bin/python tools/record_carry.py``.

Keeps the small artifacts and leaves out the large ones: the whole site has a limit. Needs the weights. Writes
``src/roundtrip/lab/recorded/carry.json``.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from roundtrip.lab import carry

OUT = Path(__file__).parents[1] / "src" / "roundtrip" / "lab" / "recorded" / "carry.json"
LARGEST_B = 330  # of an artifact, gzipped


def main() -> int:
    """Record, and write."""
    body = carry.payload(carry.carried(carry.asked({"prompt": "Hi!"})))
    for layer in body["layers"]:
        for one in layer["artifacts"]:
            one.pop("file", None)
        layer["artifacts"] = [
            one for one in layer["artifacts"] if len(gzip.compress(json.dumps(one).encode(), 9)) <= LARGEST_B
        ]
    OUT.write_text(json.dumps({"carried": body}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
