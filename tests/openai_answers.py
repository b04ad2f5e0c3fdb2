"""Answers of the test server: chat completions, streams and embeddings in OpenAI's format."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from llm.tokens import estimate_tokens
from tests.fake_gateway import bag_of_words

Json = dict[str, Any]
Endpoint = Literal["", "chat", "embeddings", "models"]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the server handles one request; by default it answers correctly.

    `endpoint` limits it to that kind of request. `refuses` names a request field: requests
    that have it are answered with 400, and the first one without it gets the next behaviour.
    `tool_calls` are names and arguments of tools to call. `body` replaces
    the answer, `events` those of a stream, and `raw` the JSON text. `flood` is sent
    repeatedly until the client disconnects. Times are in seconds; `cut_after` and
    `stall_after` count streamed words.
    """

    endpoint: Endpoint = ""
    text: str | None = None
    json_reply: Any = None
    finish_reason: str | None = "stop"
    status: int = 200
    error: Json = field(default_factory=dict)
    retry_after: str = ""
    refuses: str = ""
    body: Json | None = None
    raw: str | None = None
    flood: bytes = b""
    events: list[Json] | None = None
    stall_s: float = 0.0
    drip_s: float = 0.0
    cut_after: int | None = None
    stall_after: int | None = None
    stream_error: Json | None = None
    sends_usage: bool = True
    sends_done: bool = True
    dimensions: int | None = None
    drops_vectors: int = 0
    tool_calls: tuple[tuple[str, str], ...] = ()


def chat_answer(request: Json, behaviour: Behaviour) -> Json:
    text = _reply_text(request, behaviour)
    choice = {"index": 0, "finish_reason": behaviour.finish_reason}
    message = {"role": "assistant", "content": text}
    if behaviour.tool_calls:
        message |= {"content": behaviour.text, "tool_calls": _calls(behaviour)}
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [choice | {"message": message}],
    }
    return answer | ({"usage": _usage(request, text)} if behaviour.sends_usage else {})


def stream_events(request: Json, behaviour: Behaviour) -> Iterator[Json]:
    """The events of a streamed chat completion: one per word, the end, and the usage if requested."""
    if behaviour.events is not None:
        yield from behaviour.events
        return
    text = _reply_text(request, behaviour)
    words = text.split(" ")
    for place, word in enumerate(words):
        ending = " " if place < len(words) - 1 else ""
        yield _event(request, {"delta": {"content": word + ending}, "finish_reason": None})
    for index, call in enumerate(_calls(behaviour)):
        yield from _call_events(request, index, call)
    if behaviour.stream_error is not None:
        yield {"error": behaviour.stream_error}
        return
    if behaviour.finish_reason:
        yield _event(request, {"delta": {}, "finish_reason": behaviour.finish_reason})
    wants_usage = (request.get("stream_options") or {}).get("include_usage")
    if behaviour.sends_usage and wants_usage:
        yield _event(request, None) | {"usage": _usage(request, text)}


def _calls(behaviour: Behaviour) -> list[Json]:
    return [
        {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": words}}
        for place, (name, words) in enumerate(behaviour.tool_calls)
    ]


def _call_events(request: Json, index: int, call: Json) -> Iterator[Json]:
    """A tool call in two parts, as endpoints send it: the name, then the arguments."""
    arguments = call["function"]["arguments"]
    begun = call | {"index": index, "function": call["function"] | {"arguments": ""}}
    for piece in (begun, {"index": index, "function": {"arguments": arguments}}):
        yield _event(request, {"delta": {"tool_calls": [piece]}, "finish_reason": None})


def embedding_answer(request: Json, dimensions: int, dropped: int) -> Json:
    """Vectors of word counts in reverse order; the index says which text each belongs to."""
    texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
    rows = [
        {
            "object": "embedding",
            "index": index,
            # Not unit length, as some endpoints send them.
            "embedding": [2.0 * float(number) for number in bag_of_words(text, dimensions)],
        }
        for index, text in enumerate(texts)
    ]
    tokens = sum(estimate_tokens(text) for text in texts)
    return {
        "object": "list",
        "data": rows[::-1][dropped:],
        "model": request["model"],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def smallest_instance(schema: Json, definitions: Json) -> Any:
    if "$ref" in schema:
        return smallest_instance(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return smallest_instance(schema["anyOf"][0], definitions)
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        return {name: smallest_instance(nested, definitions) for name, nested in properties.items()}
    kind = schema.get("type")
    return {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}.get(str(kind))


def _reply_text(request: Json, behaviour: Behaviour) -> str:
    if behaviour.text is not None or behaviour.tool_calls:
        return behaviour.text or ""
    if behaviour.json_reply is not None:
        return json.dumps(behaviour.json_reply, ensure_ascii=False)
    wanted = request.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        schema = wanted["json_schema"]["schema"]
        return json.dumps(smallest_instance(schema, schema.get("$defs", {})))
    if wanted.get("type") == "json_object":
        return "{}"
    return f"You said: {request['messages'][-1]['content']}"


def _event(request: Json, choice: Json | None) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": request["model"],
        "choices": [] if choice is None else [{"index": 0, **choice}],
    }


def _usage(request: Json, text: str) -> Json:
    prompt = sum(estimate_tokens(str(message.get("content") or "")) for message in request["messages"])
    reply = estimate_tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
