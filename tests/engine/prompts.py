"""Twenty prompts for the comparisons with other engines, as text; some go through the chat template."""

from __future__ import annotations

from roundtrip.engine.engine import Engine

PLAIN = (
    "The capital of France is",
    "Water boils at a temperature of",
    "Once upon a time, there was a little",
    "def fibonacci(n):\n    if n < 2:\n        return n\n    return",
    "The first ten prime numbers are 2, 3, 5, 7,",
    "To be, or not to be, that is the",
    "In 1969, Neil Armstrong became the first person to",
    "import numpy as np\n\nx = np.array([1, 2, 3])\nprint(x.",
    "Dear Sir or Madam,\n\nI am writing to",
    "Light travels at about 300,000 kilometers per",
)
CHATS = (
    "What is the capital of France?",
    "Why is the sky blue?",
    "Write a haiku about the sea.",
    "Repeat exactly: The quick brown fox jumps over the lazy dog.",
    "Translate 'good morning' into Spanish.",
    "List three fruits, one a line.",
    "Add a docstring to this code:\ndef add(a, b):\n    return a + b\n",
    "What is 2 + 2?",
    "Name the largest planet. Answer in one word.",
    "Give me a recipe for pancakes in two sentences.",
)


def twenty(engine: Engine) -> list[list[int]]:
    """Return the prompts as tokens."""
    assert engine.chat is not None
    chats = [engine.chat.ids([{"role": "user", "content": text}]) for text in CHATS]
    return [engine.tokenizer.encode(text) for text in PLAIN] + chats
