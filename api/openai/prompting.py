"""Builds the bodies for the model endpoint: the request with memory inserted."""

from collections.abc import Iterator, Mapping

from api.openai.access import Json
from api.openai.turns import last_request, text_of
from llm.tokens import estimate_tokens

OURS = frozenset(("", "palace", "memory"))
LEFT_OUT = (
    "{count} earlier messages of this conversation were left out to save space. Relevant parts may be "
    "recalled from memory."
)
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


def compressed(messages: list[Json], tokens: int) -> list[Json]:
    """The messages shortened to about `tokens`: instructions, a note on how many were left out, and the
    latest turns that fit, at least the last request. Messages stay whole, tool results with their calls."""
    instructions = [each for each in messages if each["role"] in {"system", "developer"}]
    turns = [each for each in messages if each["role"] not in {"system", "developer"}]
    left = tokens - sum(map(_tokens, instructions))
    start = len(turns)
    for place in reversed(range(len(turns))):
        left -= _tokens(turns[place])
        if left < 0 and start <= _must_stay(turns):
            break
        if turns[place]["role"] == "user":
            start = place
    if start in {0, len(turns)}:
        return messages
    note = {"role": "system", "content": LEFT_OUT.format(count=start)}
    return [*instructions, note, *turns[start:]]


def _must_stay(turns: list[Json]) -> int:
    last = last_request(turns)
    return len(turns) if last is None else last


def _tokens(message: Json) -> int:
    calls = message.get("tool_calls")
    return estimate_tokens(text_of(message.get("content")) + (str(calls) if calls else ""))


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
