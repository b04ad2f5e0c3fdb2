"""The data format of OpenAI-compatible endpoints: request bodies and parsed answers.

Any field of an answer that some endpoint leaves out may be missing.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from llm.configuration import LlmConfiguration
from llm.errors import ModelRefused, ModelReplyInvalid, ModelReplyTooLong
from llm.gateway import ChatRequest, JsonSchema
from llm.metering import Bill, TokenCounts
from llm.openai_client import OPTIONS, reported_failure
from llm.tokens import well_formed
from llm.types import ChatMessage, ToolCall, ToolSpec, Usage

Body = dict[str, Any]
MAX_REPLY_LENGTH = 200_000
MAX_ITEMS = 128
_UNREADABLE = "The model endpoint sent a response that cannot be read."
_BOUNDS = frozenset({"maxItems", "maxLength"})
_NESTED_BY_NAME = frozenset({"properties", "$defs", "definitions"})


class _FunctionDelta(BaseModel):
    name: str | None = None
    arguments: str | None = None


class _ToolCallDelta(BaseModel):
    """A tool call, or in a stream a piece of the call at `index`."""

    index: int | None = None
    id: str | None = None
    function: _FunctionDelta | None = None

    @property
    def pieces(self) -> tuple[str, str, str]:
        """The id, name and arguments."""
        function = self.function or _FunctionDelta()
        return self.id or "", function.name or "", function.arguments or ""


class _MessageBody(BaseModel):
    """The text and tool calls of a message, or of a piece of one."""

    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCallDelta] | None = Field(None, max_length=MAX_ITEMS)

    @property
    def length(self) -> int:
        """How many characters its text and tool calls have."""
        return len(self.text) + sum(len(piece) for call in self.tool_calls or () for piece in call.pieces)

    @property
    def text(self) -> str:
        """The text, which some endpoints send as a list of parts, or the model's refusal."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or self.refusal or ""


class _Choice(BaseModel):
    message: _MessageBody
    finish_reason: str | None = None


class ChatAnswer(BaseModel):
    """The answer to a chat completion request."""

    choices: list[_Choice] = Field(min_length=1)
    usage: TokenCounts | None = None


class _ChunkChoice(BaseModel):
    index: int | None = None
    delta: _MessageBody | None = None
    finish_reason: str | None = None


class _Chunk(BaseModel):
    """One event of a stream; the one with the usage often has no choices."""

    choices: list[_ChunkChoice] | None = Field(None, max_length=MAX_ITEMS)
    usage: TokenCounts | None = None


class _VectorRow(BaseModel):
    index: int
    embedding: list[float]


class EmbeddingAnswer(BaseModel):
    """The answer to an embeddings request."""

    data: list[_VectorRow]
    usage: TokenCounts | None = None


class _ListedModel(BaseModel):
    """A model, and the tokens it reads at once, for which endpoints have different names."""

    id: str
    context_length: int | None = None
    max_model_len: int | None = None
    context_window: int | None = None

    @property
    def window(self) -> int | None:
        return self.context_length or self.max_model_len or self.context_window


class ModelList(BaseModel):
    """The answer to a request for the endpoint's models."""

    data: list[_ListedModel]


AnswerT = TypeVar("AnswerT", bound=BaseModel)


def read_answer(body: bytes, shape: type[AnswerT]) -> AnswerT:
    """The parsed answer.

    Raises ModelReplyInvalid for anything else, or the error reported in its place: aggregators answer
    200 with the provider's error inside.
    """
    with suppress(ValidationError):
        return shape.model_validate_json(body)
    error = parse_object(body).get("error")
    if isinstance(error, dict):
        raise reported_failure(error.get("code"))
    raise ModelReplyInvalid(_UNREADABLE)


def read_reply(body: bytes, bill: Bill) -> tuple[ChatAnswer, Usage]:
    """The answer to a chat request, and its usage.

    Raises what `read_answer` does, and ModelReplyTooLong, with what it cost, if the texts and tool calls of
    all choices are longer than a reply may be.
    """
    answer = read_answer(body, ChatAnswer)
    usage = bill.usage(answer.usage, answer.choices[0].message.text[:MAX_REPLY_LENGTH])
    if sum(choice.message.length for choice in answer.choices) > MAX_REPLY_LENGTH:
        failure = ModelReplyTooLong()
        failure.spent = usage
        raise failure
    return answer, usage


def parse_object(text: bytes | str) -> Body:
    """The JSON object in an answer or event. Raises ModelReplyInvalid."""
    with suppress(ValueError, RecursionError):
        if isinstance(read := json.loads(text), dict):
            return read
    raise ModelReplyInvalid(_UNREADABLE)


_THOUGHT, _THOUGHT_END = "<think>", "</think>"
_THOUGHTS = re.compile(rf"\s*(?:{_THOUGHT}.*?{_THOUGHT_END}\s*)+", re.DOTALL)


@dataclass(slots=True)
class ThoughtFilter:
    """Removes each `<think>…</think>` in which some models reason before they reply. Text is held back until
    the reply has `begun`."""

    begun: bool = False
    _thinking: bool = False
    _after_thought: bool = False
    _indent: list[str] = field(default_factory=list)
    _held: str = ""

    def feed(self, piece: str) -> str:
        """The part of the reply that is known with this piece."""
        if self.begun:
            return piece
        self._held += piece
        while self._thinking or self._enters_thought():
            _, closed, rest = self._held.partition(_THOUGHT_END)
            if not closed:
                self._held = self._held[1 - len(_THOUGHT_END) :]
                return ""
            self._held, self._thinking = rest, False
        self.begun = not _THOUGHT.startswith(self._held)
        indent = "" if self._after_thought else "".join(self._indent)
        return indent + self._held if self.begun else ""

    def _enters_thought(self) -> bool:
        start = self._held.lstrip()
        self._indent.append(self._held.removesuffix(start))
        self._held = start
        if start.startswith(_THOUGHT):
            self._held = start.removeprefix(_THOUGHT)
            self._thinking = self._after_thought = True
        return self._thinking


def without_thoughts(text: str, *, ended: bool) -> str:
    """A reply without the thoughts before it.

    A thought that is not closed is only part of the reply if the model `ended` that by itself.
    """
    found = _THOUGHTS.match(text)
    reply = text[found.end() :] if found else text
    words = reply.lstrip()
    return "" if not words or (words.startswith(_THOUGHT) and not ended) else reply


class _ToolCalls:
    """Assembles tool calls from their pieces."""

    def __init__(self) -> None:
        self._count = 0
        self._found: dict[int, list[tuple[str, str, str]]] = {}

    def add(self, delta: _ToolCallDelta) -> None:
        """Add a piece. Raises ModelReplyTooLong if there are too many calls."""
        index = self._count if delta.index is None else delta.index
        self._count += 1
        self._found.setdefault(index, []).append(delta.pieces)
        if len(self._found) > MAX_ITEMS:
            raise ModelReplyTooLong

    def assembled(self) -> tuple[ToolCall, ...]:
        """The calls in order; skips those without a name and adds missing ids."""
        return tuple(call for index, pieces in self._found.items() if (call := _call_of(index, pieces)).name)


def _call_of(index: int, pieces: Iterable[tuple[str, str, str]]) -> ToolCall:
    ids, names, arguments = zip(*pieces, strict=True)
    return ToolCall(next(filter(None, ids), f"call-{index}"), "".join(names), "".join(arguments))


def tool_calls(message: _MessageBody) -> tuple[ToolCall, ...]:
    """The tool calls of a whole message."""
    found = _ToolCalls()
    for call in message.tool_calls or ():
        found.add(call)
    return found.assembled()


@dataclass(slots=True)
class StreamedReply:
    """What has arrived of a streamed reply: its text, tool calls, token counts and finish reason."""

    bill: Bill
    pieces: list[str] = field(default_factory=list)
    calls: _ToolCalls = field(default_factory=_ToolCalls)
    counts: TokenCounts | None = None
    finish_reason: str = ""
    _length: int = 0

    def count_characters(self, length: int) -> None:
        """Add to the number of characters received. Raises ModelReplyTooLong."""
        self._length += length
        if self._length > MAX_REPLY_LENGTH:
            raise ModelReplyTooLong

    def feed(self, event: Body) -> str:
        """Add an event and return its text. Raises ModelReplyInvalid, also for a reply that is too long.

        An event without text counts as a character.
        """
        chunk = _read_chunk(event)
        self.count_characters(
            max(1, sum(choice.delta.length for choice in chunk.choices or () if choice.delta))
        )
        self.counts = chunk.usage or self.counts
        text = ""
        for choice in [each for each in chunk.choices or [] if not each.index][:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            if choice.delta:
                text = choice.delta.text
                for call in choice.delta.tool_calls or ():
                    self.calls.add(call)
        self.pieces.append(text)
        return text

    @property
    def is_complete(self) -> bool:
        """Whether the endpoint said that the reply ended."""
        return bool(self.finish_reason) or self.counts is not None

    def usage(self) -> Usage:
        """What the reply has taken so far."""
        return self.bill.usage(self.counts, "".join(self.pieces))


def _read_chunk(event: Body) -> _Chunk:
    with suppress(ValidationError):
        return _Chunk.model_validate(event)
    raise ModelReplyInvalid("The model endpoint sent an event that cannot be read.")


def chat_body(request: ChatRequest, configuration: LlmConfiguration) -> Body:
    """The request in the endpoint's format."""
    options = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "tools": [_tool(tool) for tool in request.tools] or None,
    }
    return {
        "model": configuration.name_at_endpoint(request.model or configuration.chat_model),
        "messages": [_message(message) for message in request.messages],
    } | {name: value for name, value in options.items() if value is not None}


def json_format(schema: JsonSchema, schema_name: str, *, bounded: bool) -> Body:
    """The `response_format` that makes the endpoint enforce a schema, with its bounds if `bounded`: they keep
    a small model from repeating itself for ever, but providers of large ones refuse them."""
    omitted = frozenset({"default"}) if bounded else _BOUNDS | {"default"}
    strict = {"name": schema_name, "strict": True, "schema": _strict_schema(schema, omitted)}
    return {"type": "json_schema", "json_schema": strict}


def without_rejected_option(body: Body, refusal: ModelRefused) -> Body:
    """The request without the option that was refused; raises the refusal if nothing can be left out.

    A schema becomes plain JSON and moves into the prompt, then plain text. Tools are never left out:
    whoever offers them needs to know that they were refused.
    """
    unnamed = next((name for name in ("response_format", "stream_options") if name in body), "")
    option = refusal.option or unnamed
    if refusal.status not in {400, 422} or option not in body or option not in OPTIONS:
        raise refusal
    rest = {name: value for name, value in body.items() if name != option}
    if option == "max_tokens":
        return rest | {"max_completion_tokens": body[option]}
    if option == "response_format" and body[option]["type"] == "json_schema":
        return rest | _json_by_prompt(body)
    return rest


def _json_by_prompt(body: Body) -> Body:
    schema = json.dumps(body["response_format"]["json_schema"]["schema"], ensure_ascii=False)
    order = f"Answer with one JSON object of this JSON schema and nothing else:\n{schema}"
    first, *others = body["messages"]
    # Some chat templates accept a system message in the first place only.
    if first["role"] == "system":
        messages = [first | {"content": f"{first['content']}\n\n{order}"}, *others]
    else:
        messages = [{"role": "system", "content": order}, first, *others]
    return {"messages": messages, "response_format": {"type": "json_object"}}


def _strict_schema(schema: JsonSchema, omitted: frozenset[str]) -> Body:
    """The schema in the dialect of strict mode: all properties required, no others, nothing `omitted`."""
    strict = {key: _strict(key, value, omitted) for key, value in schema.items() if key not in omitted}
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


def _strict(key: str, value: Any, omitted: frozenset[str]) -> Any:
    if key in _NESTED_BY_NAME:
        return {name: _strict_schema(nested, omitted) for name, nested in value.items()}
    if isinstance(value, Mapping) and key != "const":
        return _strict_schema(value, omitted)
    if isinstance(value, list):
        return [_strict_schema(item, omitted) if isinstance(item, Mapping) else item for item in value]
    return value


def _message(message: ChatMessage) -> Body:
    body: Body = {"role": message.role, "content": well_formed(message.content)}
    if message.tool_call_id:
        body["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        body["tool_calls"] = [_call(call) for call in message.tool_calls]
    return body


def _call(call: ToolCall) -> Body:
    function = {"name": call.name, "arguments": well_formed(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: ToolSpec) -> Body:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
