"""Builds the bodies for the model endpoint: the request with memory inserted."""

from collections.abc import Iterator, Mapping

from api.openai.access import Json
from api.openai.turns import last_request

OURS = frozenset(("", "palace", "memory"))
STREAM_OPTIONS = "stream_options"


def addressed(body: Json) -> Json:
    """The body with the endpoint's model; our own model names mean the configured one."""
    model = body.get("model")
    if isinstance(model, str) and model.strip() not in OURS:
        return body
    return {name: value for name, value in body.items() if name != "model"}


def attempts(body: Json, block: str) -> Iterator[Json]:
    """The bodies to try while the endpoint declines: with memory before the last user message, with memory in
    the first instructions, and the request as it came."""
    counted = _counted(body)
    if block:
        yield _before_request(counted, block)
        yield _in_instructions(body, block)
    elif counted != body:
        yield counted
    yield body


def hides_usage(body: Json) -> bool:
    """Whether the client did not ask for the usage chunk of a stream."""
    options = body.get(STREAM_OPTIONS)
    return not (isinstance(options, Mapping) and options.get("include_usage"))


def _counted(body: Json) -> Json:
    """The body of a stream with its usage requested, so it can be recorded."""
    if not body.get("stream"):
        return body
    options = body.get(STREAM_OPTIONS)
    known = options if isinstance(options, Mapping) else {}
    return {**body, STREAM_OPTIONS: {**known, "include_usage": True}}


def _before_request(body: Json, block: str) -> Json:
    messages = list(body["messages"])
    place = last_request(messages)
    messages.insert(len(messages) if place is None else place, _instruction(block))
    return {**body, "messages": messages}


def _in_instructions(body: Json, block: str) -> Json:
    """For endpoints that only accept a system message at the beginning."""
    first, *rest = body["messages"]
    if first["role"] not in {"system", "developer"}:
        return {**body, "messages": [_instruction(block), first, *rest]}
    content = first.get("content")
    if isinstance(content, list):
        merged = {**first, "content": [*content, {"type": "text", "text": block}]}
    else:
        merged = {**first, "content": f"{content or ''}\n\n{block}"}
    return {**body, "messages": [merged, *rest]}


def _instruction(block: str) -> Json:
    return {"role": "system", "content": block}
