"""Converts chat completions to and from the Responses API."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from api.openai.access import Json, Refusal
from api.openai.request import check_role

PREFIX = "resp_"

_ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def response_id(identifier: UUID) -> str:
    """The id of a response for clients."""
    return f"{PREFIX}{identifier.hex}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A response in progress, and the request it answers."""

    request: Json
    id: UUID
    created_at: datetime
    stores: bool = True
    model: str = ""

    def render(self, output: list[Json], status: str = "in_progress", **more: Any) -> Json:
        """The response with this output."""
        given = {name: self.request.get(name) for name in _ECHOED}
        echoed = {name: default if given[name] is None else given[name] for name, default in _ECHOED.items()}
        return {
            "id": response_id(self.id),
            "object": "response",
            "created_at": int(self.created_at.timestamp()),
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "model": self.model or str(self.request.get("model") or ""),
            "output": output,
            "usage": None,
            "store": self.stores,
            **echoed,
            **more,
        }


@dataclass(slots=True)
class ParsedReply:
    """The items of a reply, its finish reason, and the endpoint's usage."""

    items: list[Json] = field(default_factory=list)
    finish_reason: str = ""
    usage: Json | None = None

    @property
    def status(self) -> str:
        """The status of the reply and its items."""
        return "incomplete" if self.finish_reason in _INCOMPLETE else "completed"

    def response(self, draft: Draft) -> Json:
        """The finished response."""
        reason = _INCOMPLETE.get(self.finish_reason)
        details = {"reason": reason} if reason else None
        return draft.render(self.items, self.status, incomplete_details=details, usage=usage_of(self.usage))


def parse_reply(answer: Json) -> ParsedReply:
    """The reply of a chat completion."""
    first = answer["choices"][0]
    reply = ParsedReply([], str(first.get("finish_reason") or ""), answer.get("usage"))
    reply.items = [{**item, "status": reply.status} for item in items_of(first["message"])]
    return reply


def items_of(message: Json) -> list[Json]:
    """The output items of a reply: its text, then its tool calls."""
    items = []
    if message.get("content"):
        items.append(message_item([text_part(str(message["content"]))]))
    elif message.get("refusal"):
        items.append(message_item([refusal_part(str(message["refusal"]))]))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        items.append(
            call_item(str(call.get("id") or ""), str(function.get("name") or ""))
            | {"arguments": str(function.get("arguments") or ""), "status": "completed"}
        )
    return items


def message_item(content: list[Json], status: str = "completed") -> Json:
    """A message item."""
    return {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def text_part(text: str) -> Json:
    """A text part of a message item."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def refusal_part(text: str) -> Json:
    """A refusal part of a message item."""
    return {"type": "refusal", "refusal": text}


def call_item(call_id: str, name: str) -> Json:
    """A function call item without arguments."""
    return {
        "id": f"fc_{uuid4().hex}",
        "type": "function_call",
        "status": "in_progress",
        "call_id": call_id,
        "name": name,
        "arguments": "",
    }


def usage_of(counts: Json | None) -> Json | None:
    """The usage of a chat completion in the names of the Responses API."""
    if not isinstance(counts, Mapping):
        return None
    read, wrote = int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0)
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    reasoned = (counts.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": wrote,
        "output_tokens_details": {"reasoning_tokens": reasoned},
        "total_tokens": read + wrote,
    }


_LEFT_OUT = frozenset(
    (
        "background", "conversation", "include", "input", "instructions", "max_output_tokens",
        "max_tool_calls", "previous_response_id", "prompt", "reasoning", "store", "stream_options",
        "text", "tool_choice", "tools", "top_logprobs", "truncation",
    )
)  # fmt: skip
_UNSUPPORTED = ("background", "conversation", "prompt", "top_logprobs")


def chat_body(body: Json, earlier: Iterable[Json]) -> Json:
    """The chat completion request for a response, after earlier messages. Unknown parameters are passed on.
    Raises Refusal for what has no equivalent."""
    for name in _UNSUPPORTED:
        if body.get(name):
            raise Refusal(400, f"`{name}` is not supported here.", param=name)
    text = body.get("instructions")
    instructions = [{"role": "system", "content": text}] if isinstance(text, str) and text else []
    messages = [*instructions, *earlier, *_messages(body.get("input"))]
    rest = {name: value for name, value in body.items() if name not in _LEFT_OUT}
    return {**rest, "messages": messages, **_options(body)}


def _messages(given: object) -> list[Json]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    messages: list[Json] = []
    for place, item in enumerate(given if isinstance(given, list) else ()):
        _add(messages, item, f"input[{place}]")
    if not messages:
        sentence = "`input` must be a string or a list with at least one message."
        raise Refusal(400, sentence, param="input")
    return messages


def _add(messages: list[Json], item: Any, param: str) -> None:
    match item.get("type", "message") if isinstance(item, Mapping) else None:
        case "message":
            role = str(item.get("role") or "user")
            check_role(role, f"{param}.role")
            content = _content(item.get("content"), f"{param}.content")
            messages.append({"role": "system" if role == "developer" else role, "content": content})
        case "function_call":
            add_call(messages, item.get("call_id"), item.get("name"), item.get("arguments") or "{}")
        case "function_call_output":
            content = _content(item.get("output"), f"{param}.output")
            messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
        case "reasoning":
            pass  # it has no equivalent
        case _:
            sentence = "An item must be a message, a function call or its output."
            raise Refusal(400, sentence, param=param, code="unsupported_item")


def add_call(messages: list[Json], call_id: Any, name: Any, arguments: Any) -> None:
    """Add a tool call. Parallel calls belong to one message, that of the text before them."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    messages[-1] = {**messages[-1], "tool_calls": [*messages[-1].get("tool_calls", ()), call]}


def _content(given: object, param: str) -> object:
    if not isinstance(given, list):
        return given
    return [_part(part, f"{param}[{place}]") for place, part in enumerate(given)]


def _part(part: object, param: str) -> object:
    if not isinstance(part, Mapping):
        return part
    kind = part.get("type")
    if kind in {"input_text", "output_text"}:
        return {"type": "text", "text": part.get("text")}
    if kind == "input_image":
        if not part.get("image_url"):
            raise Refusal(400, "An image needs an `image_url`; files are not stored here.", param=param)
        picture = {"url": part.get("image_url"), "detail": part.get("detail")}
        return {"type": "image_url", "image_url": _given(picture)}
    if kind == "input_file":
        return {"type": "file", "file": _given({**part, "type": None})}
    return dict(part)


def _options(body: Json) -> Json:
    """The parameters that have other names in chat completions."""
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
    if not given:
        return None
    if not isinstance(given, list):
        raise Refusal(400, "`tools` must be a list.", param="tools")
    for place, tool in enumerate(given):
        if not isinstance(tool, Mapping) or tool.get("type") != "function":
            sentence = "Only tools of type `function` are supported."
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


@dataclass(slots=True)
class _Open:
    """An item in progress and its index in the output."""

    place: int
    item: Json
    kind: str = ""
    text: str = ""

    @property
    def at(self) -> Json:
        """The reference to the item in events."""
        return {"item_id": self.item["id"], "output_index": self.place}

    def finish(self, status: str) -> None:
        """Complete the item with its text."""
        if self.kind:
            self.item["content"] = [_PARTS[self.kind](self.text)]
        else:
            self.item["arguments"] = self.text
        self.item["status"] = status


_PARTS = {"output_text": text_part, "refusal": refusal_part}


@dataclass(slots=True)
class EventStream:
    """Converts chat completion chunks to events, and collects them in `written`."""

    draft: Draft
    written: ParsedReply = field(default_factory=ParsedReply)
    _number: int = -1
    _messages: dict[str, _Open] = field(default_factory=dict)
    _calls: dict[int, _Open] = field(default_factory=dict)

    def take(self, chunk: Json) -> Iterator[Json]:
        """The events of a chunk. The first one names the model."""
        yield from self._begin(str(chunk.get("model") or ""))
        self.written.usage = chunk.get("usage") or self.written.usage
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not choice.get("index"):
                yield from self._choice(choice)

    def end(self) -> Iterator[Json]:
        """The events that complete all items, and the final one with the response."""
        yield from self._begin("")
        for message in self._messages.values():
            yield from self._end_text(message)
        for call in self._calls.values():
            yield from self._end_call(call)
        response = self.written.response(self.draft)
        yield self._event(f"response.{response['status']}", response=response)

    def fail(self, error: Json) -> Json:
        """The final event of a failed response."""
        for opened in (*self._messages.values(), *self._calls.values()):
            opened.finish("incomplete")
        details = {"code": error.get("code") or "server_error", "message": error.get("message")}
        response = self.draft.render(self.written.items, "failed", error=details)
        return self._event("response.failed", response=response)

    def _begin(self, model: str) -> Iterator[Json]:
        if self._number < 0:
            self.draft = replace(self.draft, model=model)
            yield self._event("response.created", response=self.draft.render([]))
            yield self._event("response.in_progress", response=self.draft.render([]))

    def _choice(self, choice: Json) -> Iterator[Json]:
        self.written.finish_reason = choice.get("finish_reason") or self.written.finish_reason
        delta = choice.get("delta") or {}
        for kind, name in (("output_text", "content"), ("refusal", "refusal")):
            text = delta.get(name)
            if isinstance(text, str) and text:
                yield from self._text(kind, text)
        for position, piece in enumerate(delta.get("tool_calls") or ()):
            yield from self._tool_call(piece, position)

    def _text(self, kind: str, text: str) -> Iterator[Json]:
        if kind not in self._messages:
            message = self._messages[kind] = self._opened(message_item([], "in_progress"), kind)
            yield from self._added(message)
            part = _PARTS[kind]("")
            yield self._event("response.content_part.added", **message.at, content_index=0, part=part)
        message = self._messages[kind]
        message.text += text
        more: Json = {"logprobs": []} if kind == "output_text" else {}
        yield self._event(f"response.{kind}.delta", **message.at, content_index=0, delta=text, **more)

    def _end_text(self, message: _Open) -> Iterator[Json]:
        message.finish(self.written.status)
        (part,) = message.item["content"]
        at = {**message.at, "content_index": 0}
        told = {name: part[name] for name in ("text", "refusal", "logprobs") if name in part}
        yield self._event(f"response.{message.kind}.done", **at, **told)
        yield self._event("response.content_part.done", **at, part=part)
        yield self._done(message)

    def _tool_call(self, piece: Json, position: int) -> Iterator[Json]:
        place = piece.get("index")
        key = place if isinstance(place, int) else position
        function = piece.get("function") or {}
        if key not in self._calls:
            item = call_item(str(piece.get("id") or ""), str(function.get("name") or ""))
            self._calls[key] = self._opened(item)
            yield from self._added(self._calls[key])
        call, arguments = self._calls[key], str(function.get("arguments") or "")
        if arguments:
            call.text += arguments
            yield self._event("response.function_call_arguments.delta", **call.at, delta=arguments)

    def _end_call(self, call: _Open) -> Iterator[Json]:
        call.finish(self.written.status)
        yield self._event(
            "response.function_call_arguments.done", **call.at, name=call.item["name"], arguments=call.text
        )
        yield self._done(call)

    def _opened(self, item: Json, kind: str = "") -> _Open:
        self.written.items.append(item)
        return _Open(len(self.written.items) - 1, item, kind)

    def _added(self, opened: _Open) -> Iterator[Json]:
        yield self._event("response.output_item.added", output_index=opened.place, item=dict(opened.item))

    def _done(self, opened: _Open) -> Json:
        return self._event("response.output_item.done", output_index=opened.place, item=dict(opened.item))

    def _event(self, kind: str, **more: Any) -> Json:
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **more}
