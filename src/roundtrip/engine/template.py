"""The chat template: how the turns of a conversation become one text for the model.

ChatML puts each turn between two tokens of markup. What the user types is never read as markup when it goes through
:meth:`Chat.ids`, so nobody can close his own turn and speak as the system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from roundtrip.engine.bpe import Tokenizer
from roundtrip.errors import DomainError, ModelError

START, END = "<|im_start|>", "<|im_end|>"
ROLES = ("system", "user", "assistant")

Messages = Sequence[Mapping[str, str]]


class Chat:
    """A conversation as text or as tokens, in the form that the model was taught.

    Parameters
    ----------
    tokenizer
        It must have both tokens of markup.
    system
        The line that stands first when the conversation has no system line of its own.
    """

    def __init__(self, tokenizer: Tokenizer, system: str = "") -> None:
        self._tokenizer = tokenizer
        self.system = system
        start, end = tokenizer.id_of(START), tokenizer.id_of(END)
        if start is None or end is None:
            raise ModelError("the model has no tokens for the turns of a chat (ChatML)")
        self._start, self.end = start, end

    @classmethod
    def from_gguf(cls, metadata: Mapping[str, Any], tokenizer: Tokenizer) -> Chat | None:
        """Return the template that a file asks for, or None if it is not ChatML or there is none."""
        source = metadata.get("tokenizer.chat_template")
        if not isinstance(source, str) or START not in source or END not in source:
            return None
        default = re.search(r"<\|im_start\|>system\\?n?\n?(.+?)<\|im_end\|>", source, re.DOTALL)
        system = default.group(1).replace("\\n", "\n") if default and "{" not in default.group(1) else ""
        return cls(tokenizer, system)

    def __call__(self, messages: Messages) -> str:
        """Return the conversation as one text, up to where the assistant begins to speak."""
        turns = "".join(f"{START}{turn}{END}\n" for turn in self._turns(messages))
        return f"{turns}{START}assistant\n"

    def ids(self, messages: Messages) -> list[int]:
        """Return the conversation as tokens; markup inside a message is ordinary text."""
        ids: list[int] = []
        for turn in self._turns(messages):
            ids += [self._start, *self._tokenizer.encode(turn, special=False), self.end]
            ids += self._tokenizer.encode("\n", special=False)
        return [*ids, self._start, *self._tokenizer.encode("assistant\n", special=False)]

    def _turns(self, messages: Messages) -> list[str]:
        """Return the turns as role and content, with the default system line in front if there is none."""
        if not messages:
            raise DomainError("a chat of no messages")
        turns: list[str] = []
        for number, message in enumerate(messages):
            role, content = message.get("role"), message.get("content")
            if role not in ROLES or not isinstance(content, str):
                raise DomainError(
                    f"message {number}: role {role!r}; a role of {', '.join(ROLES)} and a text are needed"
                )
            turns.append(f"{role}\n{content}")
        if self.system and messages[0]["role"] != "system":
            turns.insert(0, f"system\n{self.system}")
        return turns
