"""The gateway through the real client against a real HTTP server."""

import json
import logging
import socket
import time
import traceback
from dataclasses import replace
from decimal import Decimal

import pytest

from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from llm.gateway import ChatRequest
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage
from tests.openai_server import Behaviour

SECRET = "my sister Ana moved to Lisbon"
HELLO = ChatRequest(
    (ChatMessage("system", "Be brief."), ChatMessage("user", SECRET)),
    model="gpt-4o-mini",
    max_tokens=50,
    temperature=0.1,
)
SCHEMA = {
    "type": "object",
    "properties": {
        "wing": {"type": "string", "default": "x"},
        "facts": {"type": "array", "items": {"$ref": "#/$defs/Fact"}},
    },
    "$defs": {"Fact": {"type": "object", "properties": {"default": {"type": "string"}}}},
}


def test_a_reply_comes_back_whole_with_its_usage_and_price(server, gateway):
    server.script(Behaviour(text="Приятно! 很高兴 🎉"))
    completion = gateway.complete(HELLO)
    assert completion.text == "Приятно! 很高兴 🎉"
    assert completion.finish_reason == "stop"
    assert completion.usage.model == "gpt-4o-mini"
    assert completion.usage.input_tokens > 5
    assert not completion.usage.estimated
    assert completion.usage.cost_usd is not None
    assert Decimal(0) < completion.usage.cost_usd < Decimal("0.001")


def test_the_request_says_what_was_asked(server, gateway):
    tool = ChatMessage("tool", "21 °C", name="weather", tool_call_id="call-7")
    gateway.complete(replace(HELLO, messages=(*HELLO.messages, tool)))
    request = server.requests[0]
    assert request.headers["authorization"] == "Bearer key-for-tests"
    assert request.body["model"] == "gpt-4o-mini"
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0.1
    assert request.body["messages"][1] == {"role": "user", "content": SECRET}
    assert request.body["messages"][2] == {
        "role": "tool",
        "content": "21 °C",
        "name": "weather",
        "tool_call_id": "call-7",
    }


def test_unset_limits_are_left_to_the_endpoint(server, gateway):
    gateway.complete(ChatRequest((ChatMessage("user", "hi"),)))
    assert set(server.requests[0].body) == {"model", "messages"}
    assert server.requests[0].body["model"] == LlmConfiguration().chat_model


def test_a_lone_surrogate_does_not_break_the_request(server, gateway):
    gateway.complete(ChatRequest((ChatMessage("user", "half an emoji \ud83d"),)))
    assert server.requests[0].body["messages"][0]["content"] == "half an emoji ?"


def test_a_reply_that_was_cut_by_the_limit_says_so(server, gateway):
    server.script(Behaviour(text="Once upon", finish_reason="length"))
    assert gateway.complete(HELLO).finish_reason == "length"


def test_tokens_are_estimated_when_the_endpoint_does_not_count(server, gateway):
    server.script(Behaviour(text="four words are here", sends_usage=False))
    usage = gateway.complete(HELLO).usage
    assert usage.estimated
    assert 3 <= usage.output_tokens <= 6


def test_content_in_parts_is_joined(server, gateway):
    parts = [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]
    choice = {"index": 0, "message": {"role": "assistant", "content": parts}}
    server.script(Behaviour(body={"choices": [choice]}))
    assert gateway.complete(HELLO).text == "one two"


@pytest.mark.parametrize(
    ("behaviour", "error", "permanent"),
    [
        (Behaviour(status=400), ModelRefused, True),
        (Behaviour(status=401), ModelRefused, True),
        (Behaviour(status=402), ModelRefused, True),
        (Behaviour(status=403), ModelRefused, True),
        (Behaviour(status=404), ModelRefused, True),
        (Behaviour(status=422), ModelRefused, True),
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
def test_each_failure_has_its_name_and_is_asked_once(server, gateway, behaviour, error, permanent):
    server.script(behaviour)
    with pytest.raises(error) as failure:
        gateway.complete(HELLO)
    assert failure.value.permanent is permanent
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_neither_message_nor_traceback_quotes_the_prompt(server, gateway, status, caplog):
    caplog.set_level(logging.DEBUG)
    server.script(*[Behaviour(status=status)] * 4)
    with pytest.raises(ModelError) as failure:
        gateway.complete(HELLO)
    assert failure.value.__cause__ is None
    assert failure.value.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(failure.value))
    assert "127.0.0.1" not in str(failure.value)
    assert SECRET not in caplog.text


def test_a_rate_limit_says_how_long_to_wait(server, gateway):
    server.script(
        Behaviour(status=429, retry_after="7"),
        Behaviour(status=429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
        Behaviour(status=429, retry_after="soon"),
        Behaviour(status=429),
    )
    waits = []
    for _ in range(4):
        with pytest.raises(ModelRateLimited) as failure:
            gateway.complete(HELLO)
        waits.append(failure.value.retry_after)
    assert waits == [7.0, 0.0, None, None]


def test_a_silent_endpoint_is_given_up_in_time(server, gateway):
    server.script(Behaviour(stall_s=30))
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        gateway.complete(replace(HELLO, timeout_s=0.3))
    assert time.monotonic() - started < 10


def test_blanks_that_keep_the_line_alive_do_not_stretch_the_limit(server, gateway):
    server.script(Behaviour(drip_s=20))
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        gateway.complete(replace(HELLO, timeout_s=0.5))
    assert time.monotonic() - started < 10


def test_nobody_at_the_address(configuration):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
        lonely = OpenAIGateway(replace(configuration, base_url=address))
        with pytest.raises(ModelUnavailable):
            lonely.complete(HELLO)
        assert lonely.reachable().state == "down"


class TestJson:
    def test_the_schema_is_enforced_by_the_endpoint(self, server, gateway):
        completion = gateway.complete_json(HELLO, SCHEMA, "window")
        assert json.loads(completion.text) == {"wing": "", "facts": []}
        sent = server.requests[0].body["response_format"]
        assert sent["type"] == "json_schema"
        assert sent["json_schema"]["name"] == "window"
        assert sent["json_schema"]["strict"] is True

    def test_strict_mode_gets_every_property_required_and_keeps_one_named_default(
        self, server, gateway
    ):
        gateway.complete_json(HELLO, SCHEMA, "window")
        sent = server.requests[0].body["response_format"]["json_schema"]["schema"]
        assert sent["required"] == ["wing", "facts"]
        assert sent["additionalProperties"] is False
        assert sent["properties"]["wing"] == {"type": "string"}
        fact = sent["$defs"]["Fact"]
        assert fact["required"] == ["default"]
        assert fact["additionalProperties"] is False
        assert "default" in str(SCHEMA)

    def test_an_endpoint_without_schemas_gets_them_in_the_prompt(self, server, gateway):
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

    def test_an_endpoint_without_json_at_all_is_asked_in_plain_words(self, server, gateway):
        server.script(
            Behaviour(refuses="response_format"),
            Behaviour(text='```json\n{"wing": "Bea"}\n```'),
        )
        question = ChatRequest((ChatMessage("user", "hi"),))
        completion = gateway.complete_json(question, SCHEMA, "window")
        assert completion.text == '{"wing": "Bea"}'
        kinds = [request.body.get("response_format") for request in server.requests]
        assert [kind and kind["type"] for kind in kinds] == ["json_schema", "json_object", None]
        roles = [message["role"] for message in server.requests[2].body["messages"]]
        assert roles == ["system", "user"]

    def test_a_refusal_of_something_else_is_not_asked_again(self, server, gateway):
        server.script(Behaviour(status=401))
        with pytest.raises(ModelRefused):
            gateway.complete_json(HELLO, SCHEMA, "window")
        assert len(server.requests) == 1

    def test_an_endpoint_that_refuses_everything_is_asked_three_times(self, server, gateway):
        server.script(*[Behaviour(status=400)] * 5)
        with pytest.raises(ModelRefused):
            gateway.complete_json(HELLO, SCHEMA, "window")
        assert len(server.requests) == 3


def test_options_a_model_does_not_take_are_left_out(server, gateway):
    server.script(
        Behaviour(refuses="max_tokens"), Behaviour(refuses="temperature"), Behaviour(text="Hello")
    )
    assert gateway.complete(HELLO).text == "Hello"
    last = server.requests[-1].body
    assert last["max_completion_tokens"] == 50
    assert "max_tokens" not in last
    assert "temperature" not in last


class TestReachable:
    def test_up(self, server, gateway):
        assert gateway.reachable().state == "up"
        assert server.requests[0].path == "/v1/models"

    @pytest.mark.parametrize(
        ("status", "state"), [(401, "down"), (500, "down"), (429, "degraded"), (404, "up")]
    )
    def test_by_status(self, server, gateway, status, state):
        server.script(Behaviour(status=status))
        probe = gateway.reachable()
        assert probe.state == state
        assert probe.words.endswith(".")

    def test_a_slow_endpoint_does_not_hold_the_health_page(self, server, configuration):
        server.script(Behaviour(stall_s=30))
        hasty = OpenAIGateway(replace(configuration, connect_timeout_s=0.3))
        started = time.monotonic()
        assert hasty.reachable().state == "down"
        assert time.monotonic() - started < 10


def test_the_key_is_optional_for_an_endpoint_at_home(configuration):
    keyless = OpenAIGateway(replace(configuration, api_key=""))
    assert keyless.complete(HELLO).text == f"You said: {SECRET}"
