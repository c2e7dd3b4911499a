"""The engine as one thing: a model, its tokenizer, its chat template and its card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import ThreadpoolController

from roundtrip.engine import weights
from roundtrip.engine.bpe import Tokenizer
from roundtrip.engine.gguf import GGUF
from roundtrip.engine.model import Llama
from roundtrip.engine.template import Chat
from roundtrip.errors import ModelError

ENDS = ("<|im_end|>", "<|endoftext|>")
"""Markup that ends a turn or a text, in models that have it."""


@dataclass(frozen=True)
class ModelCard:
    """What the model is, out of its own file."""

    name: str
    file: str
    sha256: str
    license: str
    architecture: str
    parameters: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    vocabulary: int
    context: int
    quantization: str
    file_B: int


@dataclass(frozen=True)
class Engine:
    """A loaded model. `chat` is None where the file has no chat template that is known here."""

    model: Llama
    tokenizer: Tokenizer
    card: ModelCard
    chat: Chat | None

    def ends(self) -> frozenset[int]:
        """Return the tokens that end an answer."""
        ids = {self.tokenizer.end, *map(self.tokenizer.id_of, ENDS)}
        return frozenset(i for i in ids if i is not None)


def load(path: str | Path | None = None, context: int | None = None, threads: int = 1) -> Engine:
    """Return the engine, ready to run.

    Parameters
    ----------
    path
        Weights of one's own; without it they are looked for as :func:`roundtrip.engine.weights.resolve` says.
    context
        The most positions of a sequence, if less than the model was made for.
    threads
        Threads of the linear algebra library, for the whole process. More than one is faster on an idle machine only:
        where another program uses a core, the threads wait for each other, and a token takes several times as long.
    """
    found = weights.resolve(path)
    file = GGUF(found.path)
    limit_threads(threads)
    model = Llama(file, found.sha256, context)
    tokenizer = Tokenizer.from_gguf(file.metadata, str(found.path))
    if tokenizer.size > model.sizes.vocabulary:
        raise ModelError(f"{found.path}: {tokenizer.size} tokens, and scores for {model.sizes.vocabulary}")
    file.close()
    return Engine(model, tokenizer, _card(file, model, found), Chat.from_gguf(file.metadata, tokenizer))


def limit_threads(threads: int) -> None:
    """Set how many threads the linear algebra library uses in this process."""
    if threads < 1:
        raise ModelError(f"{threads} threads: at least one is needed")
    ThreadpoolController().limit(limits=threads, user_api="blas")


def _card(file: GGUF, model: Llama, found: weights.Weights) -> ModelCard:
    kinds: dict[str, int] = {}
    parameters = 0
    for tensor in file.tensors.values():
        numbers = tensor.size_B // tensor.kind.size_B * tensor.kind.values
        parameters += numbers
        kinds[tensor.kind.name] = kinds.get(tensor.kind.name, 0) + numbers
    sizes = model.sizes
    return ModelCard(
        name=str(file.metadata.get("general.name") or found.path.stem),
        file=found.path.name,
        sha256=found.sha256,
        license=str(file.metadata.get("general.license", "not stated")),
        architecture=str(file.metadata["general.architecture"]),
        parameters=parameters,
        layers=sizes.layers,
        width=sizes.width,
        heads=sizes.heads,
        kv_heads=sizes.kv_heads,
        vocabulary=sizes.vocabulary,
        context=sizes.context,
        quantization=max(kinds, key=lambda name: kinds[name]),
        file_B=file.size_B,
    )
