"""The gateway through the real client against a real HTTP server."""

import asyncio
import json
import logging
import socket
import time
import traceback
import tracemalloc
from contextlib import aclosing
from dataclasses import replace
from decimal import Decimal

import pytest

from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelReplyTooLong,
    ModelTimeout,
    ModelUnavailable,
)
from llm.gateway import ChatRequest
from llm.openai_format import MAX_REPLY_LENGTH, json_format
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage
from tests.floods import FLOODS, event, flood
from tests.openai_server import Behaviour

SECRET = "my sister Ana moved to Lisbon"
SHORT = ChatRequest((ChatMessage("user", "hi"),))
HELLO = ChatRequest((ChatMessage("system", "Be brief."), ChatMessage("user", SECRET)), "gpt-4o-mini", 50, 0.1)
FACT = {"type": "object", "properties": {"default": {"type": "string"}}}
SCHEMA = {
    "type": "object",
    "properties": {
        "wing": {"type": "string", "default": "x"},
        "facts": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/Fact"}},
        "maxItems": {"type": "string", "maxLength": 80},
    },
    "$defs": {"Fact": FACT},
}
IN_PARTS = {"message": {"content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]}}


def streamed(gateway, request=HELLO):
    """The parts of a streamed reply that arrived, and the failure that ended it, if any."""
    parts = []

    async def collect():
        async for part in gateway.stream(request):
            parts.append(part)

    try:
        asyncio.run(collect())
    except ModelError as failure:
        return parts, failure
    return parts, None


def text_of(parts):
    return "".join(part.text for part in parts)


def test_completion_sends_what_was_asked_and_has_text_usage_and_price(server, gateway):
    server.script(Behaviour(text="Приятно! 很高兴 🎉"))
    tool = ChatMessage("tool", "half \ud83d", tool_call_id="call-7")
    completion = gateway.complete(replace(HELLO, messages=(*HELLO.messages, tool)))
    assert (completion.text, completion.finish_reason) == ("Приятно! 很高兴 🎉", "stop")
    assert (completion.usage.model, completion.usage.estimated) == ("gpt-4o-mini", False)
    assert completion.usage.input_tokens > 5
    assert Decimal(0) < completion.usage.cost_usd < Decimal("0.001")
    gateway.complete(SHORT)
    first, second = server.requests
    assert first.headers["authorization"] == "Bearer key-for-tests"
    options = {name: value for name, value in first.body.items() if name != "messages"}
    assert options == {"model": "gpt-4o-mini", "max_tokens": 50, "temperature": 0.1}
    assert first.body["messages"][1:] == [
        {"role": "user", "content": SECRET},
        {"role": "tool", "content": "half ?", "tool_call_id": "call-7"},
    ]
    assert set(second.body) == {"model", "messages"}
    assert second.body["model"] == LlmConfiguration().chat_model


@pytest.mark.parametrize(
    ("behaviour", "text", "finish_reason", "estimated"),
    [
        (Behaviour(text="Once upon", finish_reason="length"), "Once upon", "length", False),
        (Behaviour(text="four words are here", sends_usage=False), "four words are here", "stop", True),
        (Behaviour(body={"choices": [{"index": 0, **IN_PARTS}]}), "one two", "stop", True),
    ],
)
def test_unusual_answers_are_understood(server, gateway, behaviour, text, finish_reason, estimated):
    server.script(behaviour)
    completion = gateway.complete(HELLO)
    assert (completion.text, completion.finish_reason) == (text, finish_reason)
    assert completion.usage.estimated is estimated
    assert completion.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("behaviour", "error", "permanent"),
    [
        *[(Behaviour(status=status), ModelRefused, True) for status in (400, 401, 402, 403, 404, 422)],
        (Behaviour(status=408), ModelTimeout, False),
        (Behaviour(status=429), ModelRateLimited, False),
        (Behaviour(status=429, error={"code": "insufficient_quota"}), ModelRateLimited, True),
        (Behaviour(status=500), ModelUnavailable, False),
        (Behaviour(status=503), ModelUnavailable, False),
        (Behaviour(raw='{"choices": [{"mess'), ModelReplyInvalid, False),
        (Behaviour(raw="<html>Bad gateway</html>"), ModelReplyInvalid, False),
        (Behaviour(body={"choices": []}), ModelReplyInvalid, False),
        (Behaviour(body={"error": {"code": 429}}), ModelRateLimited, False),
        (Behaviour(body={"error": {"code": "502"}}), ModelUnavailable, False),
    ],
)
def test_failures_are_named_never_retried_and_never_quote_the_prompt(
    server, gateway, behaviour, error, permanent, caplog
):
    caplog.set_level(logging.DEBUG)
    server.script(behaviour)
    with pytest.raises(error) as failure:
        gateway.complete(HELLO)
    assert failure.value.permanent is permanent
    assert len(server.requests) == 1
    failures = [failure.value]
    if behaviour.status >= 400:
        server.script(*[behaviour] * 5)
        failures.append(streamed(gateway)[1])
    for each in failures:
        assert type(each) is error
        assert each.__cause__ is each.__context__ is None
        assert SECRET not in "".join(traceback.format_exception(each))
        assert "127.0.0.1" not in str(each)
    assert SECRET not in caplog.text


WAITS = (
    ("7", 7.0),
    ("9" * 400, 86_400.0),
    ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ("Wed, 21 Oct 9999 07:28:00 GMT", 86_400.0),
    ("soon", None),
    (None, None),
)


@pytest.mark.parametrize(
    ("behaviour", "detail", "value"),
    [
        *[(Behaviour(status=429, retry_after=wait), "retry_after", seconds) for wait, seconds in WAITS],
        *[
            (Behaviour(status=400, error=error), detail, value)
            for error, detail, value in (
                ({"param": "None", "message": "It is broken."}, "option", ""),
                ({"param": "tools[0].function.name", "message": "Too bad."}, "option", "tools"),
                ({"param": "messages[3].content", "message": "No max_tokens."}, "option", "messages"),
                ({"message": "Invalid 'tools[0].function.name': string too long."}, "status", 400),
                ({"message": "prompt is too long: 208310 tokens > 200000 maximum"}, "status", 413),
                ({"message": "Input is too long for requested model."}, "status", 413),
                ({"message": "This model's maximum context length is 9 tokens."}, "status", 413),
            )
        ],
    ],
)
def test_failure_says_how_long_to_wait_and_what_was_refused(server, gateway, behaviour, detail, value):
    server.script(behaviour)
    with pytest.raises(ModelError) as failure:
        gateway.complete(HELLO)
    assert getattr(failure.value, detail) == value


def test_timeout_covers_the_whole_answer_and_is_longer_for_extractions_and_summaries(server, configuration):
    impatient = replace(configuration, reply_timeout_s=0.1, first_part_timeout_s=0.1)
    server.script(Behaviour(stall_s=0.3))
    assert OpenAIGateway(impatient).complete_json(HELLO, {}, "window").text
    started = time.monotonic()
    for behaviour in (Behaviour(stall_s=30), Behaviour(drip_s=20)):
        server.script(behaviour, behaviour)
        with pytest.raises(ModelTimeout):
            OpenAIGateway(configuration).complete(replace(HELLO, timeout_s=0.3))
        with pytest.raises(ModelTimeout):
            OpenAIGateway(replace(impatient, background_timeout_s=0.2)).complete(HELLO)
    assert time.monotonic() - started < 10


def test_unreachable_endpoint(configuration):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
        gateway = OpenAIGateway(replace(configuration, base_url=nowhere))
        with pytest.raises(ModelUnavailable):
            gateway.complete(HELLO)
        assert isinstance(streamed(gateway)[1], ModelUnavailable)
        assert gateway.reachable().state == "down"


def test_unsupported_options_are_left_out_whatever_the_endpoint_calls_the_field(server, gateway):
    message = "Unsupported parameter: 'max_tokens' is not supported with this model."
    server.script(
        Behaviour(status=400, error={"message": message, "param": "None"}),
        Behaviour(refuses="temperature"),
        Behaviour(status=400, error={"message": "Invalid value.", "param": "response_format.type"}),
        Behaviour(json_reply={"wing": "Bea"}),
    )
    assert json.loads(gateway.complete_json(HELLO, SCHEMA, "window").text) == {"wing": "Bea"}
    last = server.requests[-1].body
    assert not {"max_tokens", "temperature"} & set(last)
    assert (last["max_completion_tokens"], last["response_format"]["type"]) == (50, "json_object")


def test_answers_and_errors_without_an_end_are_cut_off_and_billed(server, gateway):
    server.script(Behaviour(text="[" * (MAX_REPLY_LENGTH + 1)))
    with pytest.raises(ModelReplyTooLong) as failure:
        gateway.complete(HELLO)
    assert failure.value.spent.output_tokens > 0
    server.script(*[Behaviour(status=500, flood=b"[" * 50_000)] * 2)
    with pytest.raises(ModelUnavailable):
        gateway.complete(HELLO)
    assert isinstance(streamed(gateway)[1], ModelUnavailable)


def test_schema_is_sent_in_strict_dialect_and_with_bounds_only_to_private_endpoints(server, gateway):
    """Hosted providers refuse bounds."""
    sent = json.loads(gateway.complete_json(HELLO, SCHEMA, "window").text)
    assert sent == {"wing": "", "facts": [], "maxItems": ""}
    sent = server.requests[0].body["response_format"]
    strict = {"additionalProperties": False}
    schema = {
        **SCHEMA,
        **strict,
        "properties": SCHEMA["properties"] | {"wing": {"type": "string"}},
        "required": ["wing", "facts", "maxItems"],
        "$defs": {"Fact": {**FACT, **strict, "required": ["default"]}},
    }
    described = {"name": "window", "strict": True, "schema": schema}
    assert sent == {"type": "json_schema", "json_schema": described}
    elsewhere = json_format(SCHEMA, "window", bounded=False)["json_schema"]["schema"]["properties"]
    assert elsewhere["facts"] == {"type": "array", "items": {"$ref": "#/$defs/Fact"}}
    assert elsewhere["maxItems"] == {"type": "string"}, "which is a property here"


@pytest.mark.parametrize(
    ("request_", "system"), [(HELLO, "Be brief."), (SHORT, "Answer with one JSON object")]
)
def test_unsupported_schema_moves_into_the_prompt_and_plain_text_is_the_last_resort(
    server, gateway, request_, system
):
    unsupported = Behaviour(status=400, error={"message": "json_schema is not supported"})
    fenced = Behaviour(text='```json\n{"wing": "Wang Min 王敏"}\n```')
    server.script(unsupported, Behaviour(refuses="response_format"), fenced)
    assert gateway.complete_json(request_, SCHEMA, "window").text == '{"wing": "Wang Min 王敏"}'
    bodies = [each.body for each in server.requests]
    kinds = [body.get("response_format", {}).get("type") for body in bodies]
    assert kinds == ["json_schema", "json_object", None]
    for body in bodies[1:]:
        first, user = body["messages"]
        assert (first["role"], user["content"]) == ("system", request_.messages[-1].content)
        assert first["content"].startswith(system)
        assert '"facts"' in first["content"]
    server.script(*[Behaviour(status=400)] * 5)
    with pytest.raises(ModelRefused):
        gateway.complete_json(request_, SCHEMA, "window")
    assert len(server.requests) == 6, "nothing else can be left out"


@pytest.mark.parametrize(
    ("status", "state"), [(200, "up"), (401, "down"), (500, "down"), (429, "degraded"), (404, "up")]
)
def test_reachability_by_status(server, gateway, status, state):
    if status != 200:
        server.script(Behaviour(status=status))
    probe = gateway.reachable()
    assert (probe.state, probe.words[-1]) == (state, ".")
    assert server.requests[0].path == "/v1/models"


def test_words_are_streamed_as_they_arrive(server, gateway):
    server.script(Behaviour(text="Hallo 王敏, wie geht's?"))
    (*words, last), _ = streamed(gateway)
    assert [part.text for part in words] == ["Hallo ", "王敏, ", "wie ", "geht's?"]
    assert [part for part in words if part.usage is not None] == []
    assert (last.text, last.finish_reason, last.usage.estimated) == ("", "stop", False)
    assert last.usage.output_tokens > 3
    assert streamed(gateway)[0][-1].usage is not None, "in another event loop"


@pytest.mark.parametrize(
    ("pieces", "text", "ending"),
    [
        (["<think>", "I ", "reason </th", "ink>", "\n\n", "Minka", " is a cat"], "Minka is a cat", "stop"),
        (["\n<th", "ink>x</think>Hi"], "Hi", "stop"),
        (["<th", "ree> is no tag, nor is a later <think>x</think>"], None, "stop"),
        (["<thi"], None, "stop"),
        (["<think>a</th", "ink>\n<think>b</think>", "<thi", "nk>c</think> ", " Hi"], "Hi", "stop"),
        (["  ", "  code\n", "  more"], None, "stop"),
        (["<think>", " is a tag", " in HTML? No."], None, "stop"),
        (["<think>a</think> <think>b"], "<think>b", "stop"),
        (["\n", " "], "", "stop"),
        (["<think>I never", " end"], "", "length"),
    ],
)
def test_thoughts_before_a_reply_are_no_part_of_it(server, gateway, pieces, text, ending):
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    server.script(Behaviour(events=[*events, {"choices": [{"finish_reason": ending, "delta": {}}]}]))
    whole = "".join(pieces)
    assert text_of(streamed(gateway)[0]) == (whole if text is None else text)
    server.script(Behaviour(text=whole, finish_reason=ending))
    assert gateway.complete(HELLO).text == (whole if text is None else text)


@pytest.mark.parametrize(
    "behaviours",
    [
        [Behaviour(refuses="stream_options"), Behaviour(text="Hello you")],
        [Behaviour(text="Hello you", sends_usage=False, sends_done=False)],
    ],
)
def test_usage_of_a_stream_is_estimated_without_counts(server, gateway, behaviours):
    server.script(*behaviours)
    usage = streamed(gateway)[0][-1].usage
    assert usage.estimated
    assert usage.input_tokens > 5


@pytest.mark.parametrize(
    ("behaviour", "text", "error"),
    [
        (Behaviour(text="one two three", stall_after=2), "one two ", ModelTimeout),
        (Behaviour(text="one two three", cut_after=2), "one two ", ModelUnavailable),
        (Behaviour(text="one two", finish_reason=None, sends_usage=False), "one two", ModelUnavailable),
        (Behaviour(text="one", stream_error={"code": 502, "message": SECRET}), "one", ModelUnavailable),
        (Behaviour(raw='{"choices": ['), "", ModelReplyInvalid),
        (Behaviour(raw="5"), "", ModelReplyInvalid),
        (Behaviour(raw="[" * 100_000), "", ModelReplyInvalid),
        (Behaviour(events=[]), "", ModelReplyInvalid),
        (Behaviour(raw='{"choices": 5}'), "", ModelReplyInvalid),
        (Behaviour(stall_s=30), "", ModelTimeout),
    ],
)
def test_failures_of_a_stream_are_named(server, gateway, behaviour, text, error):
    server.script(behaviour)
    started = time.monotonic()
    parts, failure = streamed(gateway, replace(HELLO, timeout_s=0.5) if behaviour.stall_s else HELLO)
    assert (text_of(parts), type(failure)) == (text, error)
    assert SECRET not in "".join(traceback.format_exception(failure))
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("name", sorted(FLOODS.keys() - {"odd events"}))
def test_flood_ends_within_bounded_memory(server, gateway, name):
    server.script(flood(name))
    tracemalloc.start()
    try:
        parts, failure = streamed(gateway)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert type(failure) is ModelReplyTooLong
    assert text_of(parts) == "[" * (MAX_REPLY_LENGTH if name == "text" else 0)
    assert peak < 32 * 1024 * 1024
    assert server.disconnected.wait(5)


def test_other_tasks_run_between_two_events(server, gateway):
    server.script(Behaviour(flood=event(content="[" * 100) * 100))
    turns = 0

    async def count_turns():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def read():
        others = asyncio.create_task(count_turns())
        with pytest.raises(ModelReplyTooLong):
            async for _ in gateway.stream(HELLO):
                pass
        others.cancel()

    asyncio.run(read())
    assert turns >= MAX_REPLY_LENGTH / 100


def test_time_limit_covers_the_whole_stream(server, configuration):
    server.script(Behaviour(text="word " * 100, drip_s=0.1))
    parts, failure = streamed(OpenAIGateway(replace(configuration, stream_timeout_s=0.5)))
    assert text_of(parts).startswith("word ")
    assert isinstance(failure, ModelTimeout)
    assert "too long" in str(failure)


def test_closing_the_stream_ends_the_call(server, gateway):
    server.script(Behaviour(text="word " * 3000, drip_s=0.005))

    async def read_one_and_leave():
        async with aclosing(gateway.stream(HELLO)) as parts:
            await anext(parts)
        await asyncio.sleep(0)

    asyncio.run(read_one_and_leave())
    assert server.disconnected.wait(5)
