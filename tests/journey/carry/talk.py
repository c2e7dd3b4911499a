"""A request and a reply of some words, as the tests carry them."""

from __future__ import annotations

import json
from collections.abc import Sequence

PROMPT = "héllo, 世界 👋"
WORDS = ("The", "sky", "is", "blue", "because", "air", "scatters", "short", "waves", "more", "than", "long", "ones")
BODY = json.dumps(
    {"model": "m", "stream": True, "messages": [{"role": "user", "content": PROMPT}]}, ensure_ascii=False
).encode()
BEGAN_NS = 1_700_000_000_000_000_000


def event(word: str) -> bytes:
    return ("data: " + json.dumps({"choices": [{"delta": {"content": word}}]}, ensure_ascii=False) + "\n\n").encode()


def answer(body: bytes) -> Sequence[tuple[float, bytes]]:
    """Return a reply of a word each 20 ms after a wait of 200 ms."""
    del body
    words = [(0.2 + 0.02 * i, event(word)) for i, word in enumerate(WORDS)]
    return [*words, (words[-1][0], b"data: [DONE]\n\n")]


REPLY = b"".join(part for _, part in answer(b""))
