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
HELLO = ChatRequest(
    (ChatMessage("system", "Be brief."), ChatMessage("user", SECRET)),
    model="gpt-4o-mini",
    max_tokens=50,
    temperature=0.1,
)
SHORT = ChatRequest((ChatMessage("user", "hi"),))
SCHEMA = {
    "type": "object",
    "properties": {
        "wing": {"type": "string", "default": "x"},
        "facts": {"type": "array", "items": {"$ref": "#/$defs/Fact"}},
    },
    "$defs": {"Fact": {"type": "object", "properties": {"default": {"type": "string"}}}},
}
IN_PARTS = {"message": {"content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]}}


def collected(gateway, request=HELLO):
    async def collect():
        return [part async for part in gateway.stream(request)]

    return asyncio.run(collect())


def streamed(server, gateway, pieces, ending):
    """The text of a streamed reply of these pieces."""
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    server.script(Behaviour(events=[*events, {"choices": [{"finish_reason": ending, "delta": {}}]}]))
    return "".join(part.text for part in collected(gateway))


def until_failure(gateway, request=HELLO):
    """The text that arrived before a stream failed, and the failure."""
    arrived: list[str] = []

    async def collect():
        async for part in gateway.stream(request):
            arrived.append(part.text)

    with pytest.raises(ModelError) as failure:
        asyncio.run(collect())
    return "".join(arrived), failure.value


@pytest.fixture
def unreachable_gateway(configuration):
    """A gateway to a port where nothing listens."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield OpenAIGateway(
            replace(configuration, base_url=f"http://127.0.0.1:{reserved.getsockname()[1]}/v1")
        )


def test_completion_has_text_usage_and_price(server, gateway):
    server.script(Behaviour(text="Приятно! 很高兴 🎉"))
    completion = gateway.complete(HELLO)
    assert (completion.text, completion.finish_reason) == ("Приятно! 很高兴 🎉", "stop")
    assert completion.usage.model == "gpt-4o-mini"
    assert completion.usage.input_tokens > 5
    assert not completion.usage.estimated
    assert Decimal(0) < completion.usage.cost_usd < Decimal("0.001")


def test_request_format(server, gateway):
    tool = ChatMessage("tool", "half \ud83d", tool_call_id="call-7")
    gateway.complete(replace(HELLO, messages=(*HELLO.messages, tool)))
    gateway.complete(SHORT)
    first, second = server.requests
    assert first.headers["authorization"] == "Bearer key-for-tests"
    assert (first.body["model"], first.body["max_tokens"], first.body["temperature"]) == (
        "gpt-4o-mini",
        50,
        0.1,
    )
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
        (Behaviour(text="<think>Who?</think>\n\nMinka"), "Minka", "stop", False),
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
def test_failures_are_named_and_never_retried(server, gateway, behaviour, error, permanent):
    server.script(behaviour)
    with pytest.raises(error) as failure:
        gateway.complete(HELLO)
    assert failure.value.permanent is permanent
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_failures_never_quote_the_prompt(server, gateway, status, caplog):
    caplog.set_level(logging.DEBUG)
    server.script(*[Behaviour(status=status)] * 6)
    with pytest.raises(ModelError) as failure:
        gateway.complete(HELLO)
    for error in (failure.value, until_failure(gateway)[1]):
        assert error.__cause__ is None
        assert error.__context__ is None
        assert SECRET not in "".join(traceback.format_exception(error))
        assert "127.0.0.1" not in str(error)
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("9" * 400, 86_400.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 9999 07:28:00 GMT", 86_400.0),
        ("soon", None),
        (None, None),
    ],
)
def test_rate_limit_says_how_long_to_wait(server, gateway, header, seconds):
    server.script(Behaviour(status=429, retry_after=header))
    with pytest.raises(ModelRateLimited) as failure:
        gateway.complete(HELLO)
    assert failure.value.retry_after == seconds


@pytest.mark.parametrize("behaviour", [Behaviour(stall_s=30), Behaviour(drip_s=20)])
def test_timeout_covers_the_whole_answer(server, gateway, behaviour):
    server.script(behaviour)
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        gateway.complete(replace(HELLO, timeout_s=0.3))
    assert time.monotonic() - started < 10


def test_extractions_and_summaries_have_a_separate_timeout(server, configuration):
    impatient = replace(configuration, reply_timeout_s=0.1, first_part_timeout_s=0.1)
    server.script(Behaviour(stall_s=0.3), Behaviour(stall_s=30))
    assert OpenAIGateway(impatient).complete_json(HELLO, {}, "window").text
    with pytest.raises(ModelTimeout):
        OpenAIGateway(replace(impatient, background_timeout_s=0.2)).complete(HELLO)


def test_unreachable_endpoint(unreachable_gateway):
    with pytest.raises(ModelUnavailable):
        unreachable_gateway.complete(HELLO)
    assert isinstance(until_failure(unreachable_gateway)[1], ModelUnavailable)
    assert unreachable_gateway.reachable().state == "down"


def test_unsupported_options_are_left_out(server, gateway):
    server.script(Behaviour(refuses="max_tokens"), Behaviour(refuses="temperature"), Behaviour(text="Hello"))
    assert gateway.complete(HELLO).text == "Hello"
    last = server.requests[-1].body
    assert last["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & set(last)


def test_refused_option_is_found_whatever_the_gateway_calls_the_field(server, gateway):
    message = "Unsupported parameter: 'max_tokens' is not supported with this model."
    server.script(
        Behaviour(status=400, error={"message": message, "param": "None"}),
        Behaviour(status=400, error={"message": "Invalid value.", "param": "response_format.type"}),
        Behaviour(json_reply={"wing": "Bea"}),
    )
    assert json.loads(gateway.complete_json(HELLO, SCHEMA, "window").text) == {"wing": "Bea"}
    *_, last = server.requests
    assert (last.body["max_completion_tokens"], last.body["response_format"]["type"]) == (50, "json_object")


@pytest.mark.parametrize(
    ("error", "option"),
    [
        ({"param": "None", "message": "It is broken."}, ""),
        ({"param": "tools[0].function.name", "message": "Too bad."}, "tools"),
        ({"param": "messages[3].content", "message": "No max_tokens."}, "messages"),
    ],
)
def test_refusal_names_the_field_at_fault(server, gateway, error, option):
    server.script(Behaviour(status=400, error=error))
    with pytest.raises(ModelRefused) as failure:
        gateway.complete(HELLO)
    assert failure.value.option == option


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Invalid 'tools[0].function.name': string too long.", 400),
        ("prompt is too long: 208310 tokens > 200000 maximum", 413),
        ("Input is too long for requested model.", 413),
        ("This model's maximum context length is 9 tokens.", 413),
    ],
)
def test_request_longer_than_the_context_window_is_recognised(server, gateway, message, status):
    server.script(Behaviour(status=400, error={"message": message}))
    with pytest.raises(ModelRefused) as failure:
        gateway.complete(HELLO)
    assert failure.value.status == status


def test_answer_that_is_too_long_is_refused_and_billed(server, gateway):
    server.script(Behaviour(text="[" * (MAX_REPLY_LENGTH + 1)))
    with pytest.raises(ModelReplyTooLong) as failure:
        gateway.complete(HELLO)
    assert failure.value.spent.output_tokens > 0


def test_only_the_beginning_of_an_endless_error_is_read(server, gateway):
    server.script(*[Behaviour(status=500, flood=b"[" * 50_000)] * 2)
    with pytest.raises(ModelUnavailable):
        gateway.complete(HELLO)
    assert isinstance(until_failure(gateway)[1], ModelUnavailable)


class TestJson:
    def test_schema_is_sent_in_strict_dialect(self, server, gateway):
        completion = gateway.complete_json(HELLO, SCHEMA, "window")
        assert json.loads(completion.text) == {"wing": "", "facts": []}
        sent = server.requests[0].body["response_format"]
        assert sent["type"] == "json_schema"
        assert (sent["json_schema"]["name"], sent["json_schema"]["strict"]) == ("window", True)
        schema = sent["json_schema"]["schema"]
        assert (schema["required"], schema["additionalProperties"]) == (["wing", "facts"], False)
        assert schema["properties"]["wing"] == {"type": "string"}
        fact = schema["$defs"]["Fact"]
        assert (fact["required"], fact["additionalProperties"]) == (["default"], False)

    def test_bounds_are_sent_to_private_endpoints(self, server, gateway):
        """Hosted providers refuse them, so they get schemas without bounds."""
        names = {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 80}}
        schema = {"type": "object", "properties": {"names": names, "maxItems": {"type": "integer"}}}
        gateway.complete_json(HELLO, schema, "names")
        sent = server.requests[0].body["response_format"]["json_schema"]["schema"]["properties"]
        assert sent["names"] == names
        elsewhere = json_format(schema, "names", bounded=False)["json_schema"]["schema"]["properties"]
        assert elsewhere["names"] == {"type": "array", "items": {"type": "string"}}
        assert "maxItems" in elsewhere, "which is a property here"

    def test_unsupported_schema_is_moved_into_the_prompt(self, server, gateway):
        server.script(
            Behaviour(status=400, error={"message": "json_schema is not supported"}),
            Behaviour(json_reply={"wing": "Wang Min 王敏"}),
        )
        completion = gateway.complete_json(HELLO, SCHEMA, "window")
        assert json.loads(completion.text) == {"wing": "Wang Min 王敏"}
        second = server.requests[1].body
        assert second["response_format"] == {"type": "json_object"}
        system, user = second["messages"]
        assert system["content"].startswith("Be brief.")
        assert '"facts"' in system["content"]
        assert user["content"] == SECRET

    def test_plain_text_is_the_last_resort(self, server, gateway):
        server.script(Behaviour(refuses="response_format"), Behaviour(text='```json\n{"wing": "Bea"}\n```'))
        assert gateway.complete_json(SHORT, SCHEMA, "window").text == '{"wing": "Bea"}'
        kinds = [request.body.get("response_format") for request in server.requests]
        assert [kind and kind["type"] for kind in kinds] == ["json_schema", "json_object", None]
        assert [message["role"] for message in server.requests[2].body["messages"]] == ["system", "user"]

    @pytest.mark.parametrize(("status", "requests"), [(401, 1), (400, 3)])
    def test_refusals_are_not_retried_further(self, server, gateway, status, requests):
        server.script(*[Behaviour(status=status)] * 5)
        with pytest.raises(ModelRefused):
            gateway.complete_json(HELLO, SCHEMA, "window")
        assert len(server.requests) == requests


class TestReachable:
    @pytest.mark.parametrize(
        ("status", "state"), [(200, "up"), (401, "down"), (500, "down"), (429, "degraded"), (404, "up")]
    )
    def test_by_status(self, server, gateway, status, state):
        if status != 200:
            server.script(Behaviour(status=status))
        probe = gateway.reachable()
        assert probe.state == state
        assert probe.words.endswith(".")
        assert server.requests[0].path == "/v1/models"


class TestStream:
    def test_words_are_streamed_as_they_arrive(self, server, gateway):
        server.script(Behaviour(text="Hallo 王敏, wie geht's?"))
        *words, last = collected(gateway)
        assert [part.text for part in words] == ["Hallo ", "王敏, ", "wie ", "geht's?"]
        assert all(part.usage is None for part in words)
        assert (last.text, last.finish_reason) == ("", "stop")
        assert last.usage.output_tokens > 3
        assert not last.usage.estimated
        assert collected(gateway)[-1].usage is not None  # in another event loop

    @pytest.mark.parametrize(
        ("pieces", "text"),
        [
            (["<think>", "I ", "reason </th", "ink>", "\n\n", "Minka", " is a cat"], "Minka is a cat"),
            (["\n<th", "ink>x</think>Hi"], "Hi"),
            (["<th", "ree> is no tag, nor is a later <think>x</think>"], None),
            (["<thi"], None),
            (["<think>a</th", "ink>\n<think>b</think>", "<thi", "nk>c</think> ", " Hi"], "Hi"),
            (["  ", "  code\n", "  more"], None),
            (["<think>", " is a tag", " in HTML? No."], None),
            (["<think>a</think> <think>b"], "<think>b"),
            (["\n", " "], ""),
        ],
    )
    def test_thoughts_before_a_reply_are_no_part_of_it(self, server, gateway, pieces, text):
        whole = "".join(pieces)
        assert streamed(server, gateway, pieces, "stop") == (whole if text is None else text)
        server.script(Behaviour(text=whole))
        assert gateway.complete(HELLO).text == (whole if text is None else text)

    def test_a_thought_that_is_cut_off_is_no_reply(self, server, gateway):
        assert streamed(server, gateway, ["<think>I never", " end"], "length") == ""
        server.script(Behaviour(text="<think>I never end", finish_reason="length"))
        assert gateway.complete(HELLO).text == ""

    @pytest.mark.parametrize(
        "behaviours",
        [
            [Behaviour(refuses="stream_options"), Behaviour(text="Hello you")],
            [Behaviour(text="Hello you", sends_usage=False, sends_done=False)],
        ],
    )
    def test_usage_is_estimated_without_counts(self, server, gateway, behaviours):
        server.script(*behaviours)
        usage = collected(gateway)[-1].usage
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
            (Behaviour(events=[]), "", ModelReplyInvalid),
            (Behaviour(raw='{"choices": 5}'), "", ModelReplyInvalid),
            (Behaviour(status=404), "", ModelRefused),
            (Behaviour(stall_s=30), "", ModelTimeout),
        ],
    )
    def test_failures_are_named(self, server, gateway, behaviour, text, error):
        server.script(behaviour)
        request = replace(HELLO, timeout_s=0.5) if behaviour.stall_s else HELLO
        started = time.monotonic()
        arrived, failure = until_failure(gateway, request)
        assert arrived == text
        assert type(failure) is error
        assert SECRET not in "".join(traceback.format_exception(failure))
        assert time.monotonic() - started < 10

    @pytest.mark.parametrize("name", sorted(FLOODS.keys() - {"odd events"}))
    def test_flood_ends_within_bounded_memory(self, server, gateway, name):
        server.script(flood(name))
        tracemalloc.start()
        try:
            arrived, failure = until_failure(gateway)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert type(failure) is ModelReplyTooLong
        assert arrived == "[" * (MAX_REPLY_LENGTH if name == "text" else 0)
        assert peak < 32 * 1024 * 1024
        assert server.disconnected.wait(5)

    def test_other_tasks_run_between_two_events(self, server, gateway):
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

    def test_time_limit_covers_the_whole_stream(self, server, configuration):
        server.script(Behaviour(text="word " * 100, drip_s=0.1))
        arrived, failure = until_failure(OpenAIGateway(replace(configuration, stream_timeout_s=0.5)))
        assert arrived.startswith("word ")
        assert isinstance(failure, ModelTimeout)
        assert "too long" in str(failure)

    def test_nested_event_cannot_be_read(self, server, gateway):
        server.script(Behaviour(raw="[" * 100_000))
        assert type(until_failure(gateway)[1]) is ModelReplyInvalid

    def test_closing_the_stream_ends_the_call(self, server, gateway):
        server.script(Behaviour(text="word " * 3000, drip_s=0.005))

        async def read_one_and_leave():
            async with aclosing(gateway.stream(HELLO)) as parts:
                await anext(parts)
            await asyncio.sleep(0)

        asyncio.run(read_one_and_leave())
        assert server.disconnected.wait(5)
