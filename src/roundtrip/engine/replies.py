"""Replies in the shapes that clients of the OpenAI interface know, streamed and whole."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from roundtrip.engine.bpe import Tokenizer
from roundtrip.engine.messages import Ask
from roundtrip.engine.sequence import Made, Sequence

Body = dict[str, Any]

LEAST_LOGPROB = -9_999.0  # JSON has no minus infinity


def dumps(body: Any) -> str:
    """Return JSON without white space; text stays text."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def event(body: Any) -> bytes:
    """Return one server-sent event."""
    return f"data: {dumps(body)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


@dataclass
class Writer:
    """Writes the chunks of one answer, or the whole of it.

    Attributes
    ----------
    id : str
        Of the answer.
    model : str
        Name of the model.
    sequence : Sequence
        The request in the scheduler: it knows the counts and the times.
    """

    ask: Ask
    id: str
    model: str
    tokenizer: Tokenizer
    sequence: Sequence
    fingerprint: str
    created: int = field(default_factory=lambda: int(time.time()))
    text: list[str] = field(default_factory=list[str])
    length: int = 0
    tokens: list[Made] = field(default_factory=list[Made])

    def usage(self) -> Body:
        """Return the counts."""
        prompt, made = len(self.sequence.job.ids), self.sequence.made
        return {
            "prompt_tokens": prompt,
            "completion_tokens": made,
            "total_tokens": prompt + made,
            "prompt_tokens_details": {"cached_tokens": self.sequence.cached},
        }

    def role(self) -> Body:
        """Return the first chunk of a chat: who speaks. It says nothing yet."""
        return self._chunk({"role": "assistant", "content": ""})

    def take(self, made: Made) -> Body | None:
        """Return the chunk of a token; None while its text is not certain yet."""
        if self.ask.top is not None:
            self.tokens.append(made)
        return self._said(made.text) if made.text else None

    def rest(self, text: str) -> Body | None:
        """Return the chunk of the text that was held back to the end."""
        return self._said(text) if text or (self.tokens and self.ask.stream) else None

    def last(self, reason: str) -> Body:
        """Return the chunk that says why the answer ended."""
        return self._chunk({} if self.ask.chat else "", reason)

    def counts(self, more: Body) -> Body:
        """Return the chunk without a choice that carries the usage."""
        return {**self._head(True), "choices": [], "usage": self.usage(), **more}

    def whole(self, reason: str, more: Body) -> Body:
        """Return the whole answer."""
        text = "".join(self.text)
        said: Body = {"text": text} if not self.ask.chat else {"message": {"role": "assistant", "content": text}}
        choice = {"index": 0, **said, "logprobs": self._logprobs(), "finish_reason": reason}
        return {**self._head(False), "choices": [choice], "usage": self.usage(), **more}

    def add(self, made: Made) -> None:
        """Take a token of an answer that is sent whole."""
        self.text.append(made.text)
        if self.ask.top is not None:
            self.tokens.append(made)

    def _said(self, text: str) -> Body:
        return self._chunk({"content": text} if self.ask.chat else text)

    def _chunk(self, delta: Body | str, reason: str | None = None) -> Body:
        said: Body = {"text": delta} if isinstance(delta, str) else {"delta": delta}
        choice = {"index": 0, **said, "logprobs": self._logprobs(), "finish_reason": reason}
        body: Body = {**self._head(True), "choices": [choice]}
        if self.ask.continuous_usage:
            body["usage"] = self.usage()
        elif self.ask.include_usage:
            body["usage"] = None
        return body

    def _head(self, chunk: bool) -> Body:
        kind = ("chat.completion.chunk" if chunk else "chat.completion") if self.ask.chat else "text_completion"
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model,
                "system_fingerprint": self.fingerprint}  # fmt: skip

    def _logprobs(self) -> Body | None:
        """Return the probabilities of the tokens since the last chunk."""
        if self.ask.top is None or not self.tokens:
            return None
        tokens, self.tokens = self.tokens, []
        if self.ask.chat:
            return {"content": [self._entry(made) for made in tokens], "refusal": None}
        names = [self._name(made.id) for made in tokens]
        offsets: list[int] = []
        for made in tokens:
            offsets.append(self.length)
            self.length += len(made.text)
        best = [{self._name(c.id): _log(c.probability) for c in made.top} for made in tokens]
        return {"tokens": names, "token_logprobs": [_floor(made.logprob) for made in tokens],
                "top_logprobs": best if self.ask.top else None, "text_offset": offsets}  # fmt: skip

    def _entry(self, made: Made) -> Body:
        others = [self._one(c.id, _log(c.probability)) for c in made.top]
        return {**self._one(made.id, _floor(made.logprob)), "top_logprobs": others}

    def _one(self, token: int, logprob: float) -> Body:
        return {"token": self._name(token), "logprob": logprob, "bytes": list(self.tokenizer.token_bytes(token))}

    def _name(self, token: int) -> str:
        return self.tokenizer.token_bytes(token).decode("utf-8", "replace")


def _floor(logprob: float | None) -> float:
    return LEAST_LOGPROB if logprob is None else max(logprob, LEAST_LOGPROB)


def _log(probability: float) -> float:
    from math import log

    return max(log(probability), LEAST_LOGPROB) if probability > 0.0 else LEAST_LOGPROB
