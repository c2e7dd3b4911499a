"""The JSON form of a trace: one line, or indented for people."""

from __future__ import annotations

import json
from typing import Any

from roundtrip.trace.model import Trace


def dumps(body: Any, indent: int | None = 2) -> str:
    """Return JSON text; NaN and infinity are refused, for no reader could load them."""
    return json.dumps(body, ensure_ascii=False, indent=indent, allow_nan=False)


def trace_json(trace: Trace) -> str:
    """Return a trace as JSON (schema ``roundtrip.trace/1``)."""
    return dumps(trace.as_dict())
