"""Requests of the Responses API as chat requests, which every endpoint understands."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from api.openai.refusals import Json, Refusal

_LEFT_OUT = frozenset(
    (
        "background", "conversation", "include", "input", "instructions", "max_output_tokens",
        "max_tool_calls", "previous_response_id", "prompt", "reasoning", "store", "stream_options",
        "text", "tool_choice", "tools", "truncation",
    )
)  # fmt: skip
_IGNORED = frozenset(("reasoning",))


def chat_body(body: Json, earlier: Iterable[Json]) -> Json:
    """The chat request for this one, after the earlier messages of its conversation; raises
    Refusal for what has no counterpart. Parameters that nobody here knows go on as they are."""
    for name in ("background", "prompt"):
        if body.get(name):
            raise Refusal(400, f"`{name}` is not supported here.", param=name)
    messages = [*_instructions(body), *earlier, *_messages(body.get("input"))]
    rest = {name: value for name, value in body.items() if name not in _LEFT_OUT}
    return {**rest, "messages": messages, **_options(body)}


def _instructions(body: Json) -> list[Json]:
    words = body.get("instructions")
    return [{"role": "system", "content": words}] if isinstance(words, str) and words else []


def _messages(given: object) -> list[Json]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise Refusal(400, "`input` has to be a text or a list of items.", param="input")
    messages: list[Json] = []
    for place, item in enumerate(given):
        _add(messages, item, f"input[{place}]")
    return messages


def _add(messages: list[Json], item: object, param: str) -> None:
    kind = item.get("type", "message") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or (kind not in _ITEMS and kind not in _IGNORED):
        sentence = "An item has to be a message, a function call or its output."
        raise Refusal(400, sentence, param=param, code="unsupported_item")
    if kind in _ITEMS:
        _ITEMS[str(kind)](messages, item)


def _say(messages: list[Json], item: Mapping[str, Any]) -> None:
    role = str(item.get("role") or "user")
    content = item.get("content")
    parts = [_part(part) for part in content] if isinstance(content, list) else content
    messages.append({"role": "system" if role == "developer" else role, "content": parts})


def _call(messages: list[Json], item: Mapping[str, Any]) -> None:
    """Calls made at once belong to one message, that of the words before them."""
    function = {"name": item.get("name"), "arguments": item.get("arguments") or "{}"}
    call = {"id": item.get("call_id"), "type": "function", "function": function}
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    messages[-1] = {**messages[-1], "tool_calls": [*messages[-1].get("tool_calls", ()), call]}


def _result(messages: list[Json], item: Mapping[str, Any]) -> None:
    output = item.get("output")
    content = [_part(part) for part in output] if isinstance(output, list) else output
    messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})


_ITEMS: Mapping[str, Callable[[list[Json], Mapping[str, Any]], None]] = {
    "message": _say,
    "function_call": _call,
    "function_call_output": _result,
}


def _part(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind in {"input_text", "output_text"}:
        return {"type": "text", "text": part.get("text")}
    if kind == "input_image":
        picture = {"url": part.get("image_url"), "detail": part.get("detail")}
        return {"type": "image_url", "image_url": _given(picture)}
    if kind == "input_file":
        return {"type": "file", "file": _given({**part, "type": None})}
    return dict(part)


def _options(body: Json) -> Json:
    """The parameters that a chat calls otherwise."""
    text, reasoning = _object(body, "text"), _object(body, "reasoning")
    return _given(
        {
            "max_completion_tokens": body.get("max_output_tokens"),
            "response_format": _format(text.get("format")),
            "verbosity": text.get("verbosity"),
            "reasoning_effort": reasoning.get("effort"),
            "tools": _tools(body.get("tools")),
            "tool_choice": _choice(body.get("tool_choice")) if body.get("tools") else None,
        }
    )


def _tools(given: object) -> list[Json] | None:
    if not isinstance(given, list) or not given:
        return None
    for place, tool in enumerate(given):
        if not isinstance(tool, Mapping) or tool.get("type") != "function":
            sentence = "Only tools of type `function` can be passed on."
            raise Refusal(400, sentence, param=f"tools[{place}]", code="unsupported_tool")
    return [{"type": "function", "function": _given({**tool, "type": None})} for tool in given]


def _choice(given: object) -> object:
    if isinstance(given, Mapping) and given.get("type") == "function":
        return {"type": "function", "function": {"name": given.get("name")}}
    return given


def _format(given: object) -> Json | None:
    if not isinstance(given, Mapping) or given.get("type") in {None, "text"}:
        return None
    if given["type"] != "json_schema":
        return dict(given)
    return {"type": "json_schema", "json_schema": _given({**given, "type": None})}


def _object(body: Json, name: str) -> Mapping[str, Any]:
    given = body.get(name)
    return given if isinstance(given, Mapping) else {}


def _given(values: Mapping[str, Any]) -> Json:
    return {name: value for name, value in values.items() if value is not None}
