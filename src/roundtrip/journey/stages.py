"""The stages by name, in the order of the journey, and the closed forms in each."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import roundtrip.stages
from roundtrip.figures.graph import Graph, Node

ROOMS = ("keyboard", "computer", "network", "optics", "datacenter", "model", "display", "eye", "training")


@cache
def stage_names() -> tuple[str, ...]:
    """Return the names of all stages, room by room, without importing them."""
    names: list[str] = []
    for room in ROOMS:
        path = [f"{p}/{room}" for p in roundtrip.stages.__path__]
        names += [f"{room}.{m.name}" for m in pkgutil.iter_modules(path)]
    return tuple(names)


def stage_module(name: str) -> ModuleType:
    """Return the module of a stage."""
    return import_module(f"roundtrip.stages.{name}")


def closed_forms(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the stage functions of a module: those from `Number` arguments to a `Number`.

    Keyword-only arguments are counts and shape the equation; everything else public in a stage is a codec or logic.
    """
    found: dict[str, Callable[..., Any]] = {}
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if name.startswith("_") or function.__module__ != module.__name__:
            continue
        signature = inspect.signature(function)
        values = [p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
        if values and signature.return_annotation == "Number" and all(p.annotation == "Number" for p in values):
            found[name] = function
    return found


def parameters(function: Callable[..., Any], constants: bool = True) -> list[str]:
    """Return the names of a stage function's values; `constants` includes those with a default."""
    return [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.kind is not p.KEYWORD_ONLY and (constants or p.default is p.empty)
    ]


def equation(function: Callable[..., Any], constants: bool = False, **counts: int) -> Node:
    """Trace one stage function with its parameter names as symbols; without `constants`, defaults stay numbers."""
    graph = Graph()
    result: Any = function(**{name: graph.input(name) for name in parameters(function, constants)}, **counts)
    return result if isinstance(result, Node) else Node(graph, graph.lift(result))
