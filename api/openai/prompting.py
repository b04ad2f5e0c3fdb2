"""The bodies that go on to the endpoint: the request as it came, with memory put into it."""

from collections.abc import Iterator, Mapping

from api.openai.access import Json
from api.openai.turns import last_request, words_of
from llm.tokens import estimate_tokens

OURS = frozenset(("", "palace", "memory"))
LEFT_OUT = (
    "{count} earlier messages of this conversation were left out here to save room. What matters of "
    "them may be recalled from memory."
)
STREAM_OPTIONS = "stream_options"


def addressed(body: Json) -> Json:
    """The body with the model that the endpoint is to use: our own names stand for the configured
    one."""
    model = body.get("model")
    if isinstance(model, str) and model.strip() not in OURS:
        return body
    return {name: value for name, value in body.items() if name != "model"}


def attempts(body: Json, block: str) -> Iterator[Json]:
    """The bodies to try in turn while the endpoint declines: with memory before the person's last
    message, with memory among the first instructions, and exactly as the request came."""
    counted = _counted(body)
    if block:
        yield _before_request(counted, block)
        yield _in_instructions(body, block)
    elif counted != body:
        yield counted
    yield body


def hides_usage(body: Json) -> bool:
    """Whether whoever asked does not expect the event that carries the usage of a stream."""
    options = body.get(STREAM_OPTIONS)
    return not (isinstance(options, Mapping) and options.get("include_usage"))


def compressed(messages: list[Json], tokens: int) -> list[Json]:
    """The messages cut to about so many tokens: instructions, a line that says how many were left
    out, and the newest turns that fit, at least the last request. Nothing is cut inside, and no
    result of a tool is parted from its call."""
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
    return estimate_tokens(words_of(message.get("content")) + (str(calls) if calls else ""))


def _counted(body: Json) -> Json:
    """A stream's body that asks for the usage, so that it can be written down."""
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
    """Some endpoints take a system message in the first place only."""
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
