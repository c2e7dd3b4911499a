"""Requests as the wire brings them, checked; errors in the form that clients of the OpenAI interface know.

What this server does not do (several choices, tools, penalties) is refused by name when it is asked for, never
ignored: an answer made otherwise than asked is worse than none. Fields that change no answer (``user``, ``store``
...) are let by.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from roundtrip.engine.sampling import Sampling
from roundtrip.errors import RoundtripError

Body = dict[str, Any]

ROLES = ("system", "developer", "user", "assistant")
MOST_MESSAGES = 1_024
MOST_STOPS = 16
LONGEST_STOP = 1_024
MOST_TOP = 20
MOST_PROMPT_IDS = 1_000_000
TEMPERATURE = 0.0  # greedy unless asked otherwise: the same question, the same answer

# Field, and the values that mean "not asked for"; anything else changes the answer in a way that is not done here.
NOT_DONE: dict[str, tuple[Any, ...]] = {
    "tools": (None, []),
    "functions": (None, []),
    "tool_choice": (None, "none", "auto"),
    "function_call": (None, "none", "auto"),
    "response_format": (None, {"type": "text"}),
    "logit_bias": (None, {}),
    "presence_penalty": (None, 0),
    "frequency_penalty": (None, 0),
    "repetition_penalty": (None, 1),
    "repeat_penalty": (None, 1),
    "best_of": (None, 1),
    "suffix": (None, ""),
    "echo": (None, False),
    "audio": (None,),
    "modalities": (None, ["text"]),
    "guided_json": (None,),
    "guided_regex": (None,),
    "structured_outputs": (None, {}),
    "grammar": (None, ""),
    "use_beam_search": (None, False),
    "min_p": (None, 0),
}


class RequestError(RoundtripError):
    """A request that is not answered, with all that the client is told."""

    def __init__(self, message: str, param: str | None = None, code: str | None = None, *, status: int = 400,
                 kind: str = "invalid_request_error", retry_after_s: float | None = None) -> None:  # fmt: skip
        super().__init__(message)
        self.param, self.code, self.status, self.kind = param, code, status, kind
        self.retry_after_s = retry_after_s

    def body(self) -> Body:
        """Return the JSON form."""
        message = " ".join(str(self).split())[:600]
        return {"error": {"message": message, "type": self.kind, "param": self.param, "code": self.code}}


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for an answer.

    Attributes
    ----------
    chat : bool
        Whether it came as messages.
    messages : list of dict
        Role and content of each; empty where it did not.
    prompt : str or list of int
        Text or ids to go on with.
    max_tokens : int or None
        None means: as many as fit.
    top : int or None
        How many alternatives to report for each token; None means that not even its own probability is asked for.
    """

    chat: bool
    sampling: Sampling
    messages: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    prompt: str | list[int] = ""
    max_tokens: int | None = None
    top: int | None = None
    stream: bool = False
    include_usage: bool = False
    continuous_usage: bool = False
    timings_per_token: bool = False
    spans: bool = False
    reuse: bool = True
    ignore_end: bool = False


def load(data: bytes) -> Body:
    """Return the object that a body holds.

    Raises
    ------
    RequestError
        If it is no JSON object.
    """
    try:
        body = json.loads(data, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise RequestError("the body is not UTF-8", code="invalid_json") from None
    except RecursionError:
        raise RequestError("the body is nested too deep", code="invalid_json") from None
    except ValueError as error:
        raise RequestError(f"the body is not JSON: {error}", code="invalid_json") from None
    if not isinstance(body, dict):
        raise RequestError(f"the body is {_kind(body)}, expected a JSON object", code="invalid_json")
    return cast("Body", body)


def ask(body: Body, chat: bool, model: str) -> Ask:
    """Return the checked request.

    Parameters
    ----------
    body : dict
    chat : bool
        Whether it came to the endpoint for chats.
    model : str
        The name of the one model here.

    Raises
    ------
    RequestError
        Says the field, its value and what is allowed.
    """
    check_model(body, model)
    n = _integer(body, "n", 1, 1_000_000)
    if n not in (None, 1):
        raise RequestError(f"n = {n}: this server makes one choice, allowed: 1", "n", "unsupported_value")
    for name, silent in NOT_DONE.items():
        if name in body and not any(_same(body[name], value) for value in silent):
            raise RequestError(f"{name} is not done by this server; leave it out", name, "unsupported_value")
    options = _options(body)
    stream = _flag(body, "stream")
    return Ask(
        chat=chat,
        sampling=_sampling(body),
        messages=read_messages(body.get("messages")) if chat else [],
        prompt="" if chat else _prompt(body),
        max_tokens=_max_tokens(body, chat),
        top=_top(body, chat),
        stream=stream,
        include_usage=stream and _flag(options, "include_usage", "stream_options.include_usage"),
        continuous_usage=stream and _flag(options, "continuous_usage_stats", "stream_options.continuous_usage_stats"),
        timings_per_token=_flag(body, "timings_per_token"),
        spans=_flag(body, "spans"),
        reuse=_flag(body, "cache_prompt", default=True),
        ignore_end=_flag(body, "ignore_eos"),
    )


def check_model(body: Body, model: str) -> None:
    """Check that the model that is asked for is the one that is here; a request may leave it out.

    Raises
    ------
    RequestError
    """
    name = body.get("model")
    if name is not None and not isinstance(name, str):
        raise RequestError(f"model is {_kind(name)}, expected text", "model", "invalid_type")
    if name and name != model:
        raise RequestError(f"no model {name[:100]!r} here; there is {model!r}", "model", "model_not_found", status=404)


def read_messages(found: Any) -> list[dict[str, str]]:
    """Return the messages of a chat, each with its role and its text.

    Raises
    ------
    RequestError
    """
    if not isinstance(found, list) or not found:
        raise RequestError("messages: expected a list with at least one message", "messages", "invalid_type")
    messages = cast("list[Any]", found)
    if len(messages) > MOST_MESSAGES:
        raise RequestError(f"messages: {len(messages):,}, allowed: up to {MOST_MESSAGES:,}", "messages", "too_many")
    return [_message(message, f"messages[{place}]") for place, message in enumerate(messages)]


def text_of(value: Any, param: str) -> str:
    """Return a text that can be written as UTF-8.

    Raises
    ------
    RequestError
    """
    if not isinstance(value, str):
        raise RequestError(f"{param} is {_kind(value)}, expected text", param, "invalid_type")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RequestError(f"{param} holds half of a surrogate pair", param, "invalid_text") from None
    return value


def ids_of(value: Any, param: str, vocabulary: int) -> list[int]:
    """Return token ids, each of them in the vocabulary.

    Raises
    ------
    RequestError
    """
    if not isinstance(value, list) or len(cast("list[Any]", value)) > MOST_PROMPT_IDS:
        raise RequestError(f"{param}: expected a list of token ids", param, "invalid_type")
    ids = cast("list[Any]", value)
    for each in ids:
        if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each < vocabulary:
            raise RequestError(f"{param}: {str(each)[:40]!r} is no token id, allowed: 0 to {vocabulary - 1:,}",
                               param, "invalid_value")  # fmt: skip
    return list(cast("list[int]", ids))


def _message(message: Any, where: str) -> dict[str, str]:
    if not isinstance(message, dict):
        raise RequestError(f"{where} is {_kind(message)}, expected an object", "messages", "invalid_type")
    body = cast("Body", message)
    role = body.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise RequestError(f"{where}.role: expected one of {', '.join(ROLES)}", f"{where}.role", "invalid_value")
    if body.get("tool_calls") or body.get("function_call"):
        raise RequestError(f"{where}: tools are not done by this server", f"{where}.tool_calls", "unsupported_value")
    content = body.get("content")
    if content is None and role == "assistant":
        content = ""
    return {"role": "system" if role == "developer" else role, "content": _content(content, f"{where}.content")}


def _content(content: Any, where: str) -> str:
    if not isinstance(content, list):
        return text_of(content, where)
    parts: list[str] = []
    for place, part in enumerate(cast("list[Any]", content)):
        kind: Any = cast("Body", part).get("type") if isinstance(part, dict) else None
        if kind != "text":
            raise RequestError(f"{where}[{place}]: only parts of type 'text' are read", where, "unsupported_value")
        parts.append(text_of(part.get("text"), f"{where}[{place}].text"))
    return "".join(parts)


def _prompt(body: Body) -> str | list[int]:
    prompt: Any = body.get("prompt")
    if isinstance(prompt, list):
        several = cast("list[Any]", prompt)
        if len(several) == 1 and isinstance(several[0], (str, list)):
            prompt = several[0]
        elif any(isinstance(each, (str, list)) for each in several):
            raise RequestError(f"prompt: {len(several)} prompts, allowed: one a request", "prompt", "unsupported_value")
    if isinstance(prompt, list):
        if not prompt:
            raise RequestError("prompt: at least one token id is needed", "prompt", "invalid_value")
        return cast("list[int]", prompt)  # checked against the vocabulary by `ids_of`, where it is known
    if "prompt" not in body:
        raise RequestError("prompt is missing", "prompt", "missing_required_parameter")
    return text_of(prompt, "prompt")


def _sampling(body: Body) -> Sampling:
    temperature = _number(body, "temperature", 0.0, 2.0)
    top_p = _number(body, "top_p", 0.0, 1.0)
    if top_p == 0.0:
        raise RequestError("top_p = 0, allowed: above 0, up to 1", "top_p", "invalid_value")
    top_k = _integer(body, "top_k", -1, 2**31 - 1)  # 0 and -1 both mean all of them
    seed = _integer(body, "seed", -(2**63), 2**64 - 1)
    return Sampling(
        temperature=TEMPERATURE if temperature is None else temperature,
        top_k=max(top_k or 0, 0),
        top_p=1.0 if top_p is None else top_p,
        seed=None if seed is None else seed % 2**64,
        stop=_stop(body.get("stop")),
    )


def _stop(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    listed = cast("list[Any]", value) if isinstance(value, list) else [value]
    if len(listed) > MOST_STOPS:
        raise RequestError(f"stop: {len(listed)} texts, allowed: up to {MOST_STOPS}", "stop", "invalid_value")
    stops = tuple(text_of(each, "stop") for each in listed)
    if any(not each or len(each) > LONGEST_STOP for each in stops):
        raise RequestError(f"stop: each text has 1 to {LONGEST_STOP:,} characters", "stop", "invalid_value")
    return stops


def _max_tokens(body: Body, chat: bool) -> int | None:
    name = "max_completion_tokens" if chat and body.get("max_completion_tokens") is not None else "max_tokens"
    value = _integer(body, name, None, None)
    if value is not None and value < 1:
        raise RequestError(f"{name} = {value}, allowed: at least 1", name, "invalid_value")
    return value


def _top(body: Body, chat: bool) -> int | None:
    if not chat:
        return _integer(body, "logprobs", 0, MOST_TOP)
    asked = _flag(body, "logprobs")
    top = _integer(body, "top_logprobs", 0, MOST_TOP)
    if top and not asked:
        raise RequestError("top_logprobs needs logprobs = true", "top_logprobs", "invalid_value")
    return (top or 0) if asked else None


def _options(body: Body) -> Body:
    options = body.get("stream_options")
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise RequestError(f"stream_options is {_kind(options)}, expected an object", "stream_options", "invalid_type")
    return cast("Body", options)


def _flag(body: Mapping[str, Any], name: str, param: str | None = None, default: bool = False) -> bool:
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RequestError(f"{param or name} is {_kind(value)}, expected true or false", param or name, "invalid_type")
    return value


def _number(body: Body, name: str, low: float, high: float) -> float | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RequestError(f"{name} is {_kind(value)}, expected a number", name, "invalid_type")
    if not low <= value <= high:
        raise RequestError(f"{name} = {str(value)[:40]}, allowed: {low:g} to {high:g}", name, "invalid_value")
    return float(value)


def _integer(body: Body, name: str, low: int | None, high: int | None) -> int | None:
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(f"{name} is {_kind(value)}, expected a whole number", name, "invalid_type")
    if (low is not None and value < low) or (high is not None and value > high):
        raise RequestError(f"{name} = {str(value)[:40]}, allowed: {low} to {high}", name, "invalid_value")
    return value


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b if isinstance(a, bool) or isinstance(b, bool) else bool(a == b)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
