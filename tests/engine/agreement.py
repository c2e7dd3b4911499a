"""How far our scores agree with llama.cpp's on the same tokens; used by tests and by benchmarks."""

from __future__ import annotations

import json
import math
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.engine.engine import Engine
from roundtrip.engine.gguf import GGUF
from roundtrip.engine.sampling import log_probabilities

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".judges" / "engine"


@dataclass(frozen=True)
class Miss:
    """A prompt after which the two prefer different tokens, and by how much we prefer ours."""

    prompt: str
    ours: str
    theirs: str
    margin_nat: float


@dataclass(frozen=True)
class Agreement:
    """Counts over all prompts. `difference_nat` is the mean over llama.cpp's ten best tokens of each position."""

    prompts: int
    last_equal: int
    misses: list[Miss]
    positions: int
    equal: int
    difference_nat: float


def ask(*questions: dict[str, Any]) -> list[Any] | None:
    """Return the judges' answers to questions (see tools/judge_engine.py), out of one process; None without them."""
    if not any(HOME.glob(".xllamacpp*")):
        return None
    done = subprocess.run(
        [HOME / "bin" / "python", ROOT / "tools" / "judge_engine.py"],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def agreement(engine: Engine, prompts: list[list[int]], theirs: list[Any]) -> Agreement:
    """Score every position of every prompt, and compare with llama.cpp's answer to the task ``scores``."""
    positions = equal = last_equal = 0
    misses: list[Miss] = []
    differences: list[float] = []
    decode = engine.tokenizer.decode
    for ids, places in zip(prompts, theirs, strict=True):
        with engine.model.cache() as cache:
            logits = engine.model.forward([(cache, ids)], every=True).logits[0]
        logs = log_probabilities(logits)
        # llama.cpp gives no probabilities where its best token is a part of a character.
        for place, best in enumerate(places):
            if best is None:
                continue
            ours, their = int(logs[place].argmax()), best[0][0]
            positions += 1
            equal += ours == their
            differences += [abs(float(logs[place, i]) - value) for i, value in best[:10]]
            if place == len(ids) - 1:
                last_equal += ours == their
                if ours != their:
                    margin = float(logs[place, ours] - logs[place, their])
                    misses.append(Miss(decode(ids)[-30:], decode([ours]), decode([their]), margin))
    return Agreement(len(prompts), last_equal, misses, positions, equal, float(np.mean(differences)))


def write_as_f32(source: Path, target: Path) -> None:
    """Write the same model with every number stored as float32: llama.cpp then rounds nothing on the way."""
    file = GGUF(source)
    raw = source.read_bytes()
    first = next(iter(file.tensors))
    table = raw.index(struct.pack("<Q", len(first)) + first.encode())
    head, offset_B = raw[:table], 0
    for name, tensor in file.tensors.items():
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(tensor.shape))
        head += b"".join(struct.pack("<Q", axis) for axis in reversed(tensor.shape)) + struct.pack("<IQ", 0, offset_B)
        offset_B += -(-math.prod(tensor.shape) * 4 // 32) * 32
    with target.open("wb") as out:
        out.write(head + b"\0" * (-len(head) % 32))
        for name in file.tensors:
            body = file.array(name).tobytes()
            out.write(body + b"\0" * (-len(body) % 32))
