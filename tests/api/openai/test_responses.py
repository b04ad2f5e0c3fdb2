"""The Responses API with the official client and a running site: chains, streams, tools."""

from typing import Any

import openai
import pytest
from django.utils import timezone

from api.models import StoredResponse
from chat.conversations import find
from chat.models import Conversation, Message
from chat.retention import remove
from memory.models import RecallTrace
from tests.api.openai.conftest import (
    FACT,
    QUESTION,
    calling,
    chunk,
    ledger,
    sent,
    tool_call,
)
from tests.openai_server import Behaviour

TOOL: Any = {"type": "function", "name": "weather", "parameters": {}, "strict": False}
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


def test_previous_response_id_continues_the_conversation(client, upstream, alice):
    upstream.script(Behaviour(text="Noted."), Behaviour(text="In Łódź."))
    first = client.responses.create(model="m", input="I live in Łódź.", instructions="Be short.")
    assert (first.output_text, first.status) == ("Noted.", "completed")
    assert first.usage.total_tokens > 0
    second = client.responses.create(model="m", input="Where do I live?", previous_response_id=first.id)
    assert second.output_text == "In Łódź."
    assert second.previous_response_id == first.id
    told = [("user", "I live in Łódź."), ("assistant", "Noted."), ("user", "Where do I live?")]
    assert [(each["role"], each["content"]) for each in sent(upstream)] == told
    assert ledger(alice)[1:] == [*told, ("assistant", "In Łódź.")]
    upstream.script(Behaviour(text="In another branch."))
    client.responses.create(model="m", input="And who am I?", previous_response_id=first.id)
    assert Conversation.objects.filter(user_id=alice.id).count() == 1
    assert client.responses.retrieve(first.id).output_text == "Noted."
    assert client.responses.retrieve(first.id).previous_response_id is None
    assert client.responses.retrieve(second.id).previous_response_id == first.id
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)


def test_streaming(client, upstream, alice):
    upstream.script(Behaviour(text="one two three"), Behaviour(text="four"))
    with client.responses.stream(model="m", input="Count.") as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    starts = ["created", "in_progress", "output_item.added", "content_part.added"]
    ends = ["output_text.done", "content_part.done", "output_item.done", "completed"]
    order = [*starts, *["output_text.delta"] * 3, *ends]
    assert kinds == [f"response.{each}" for each in order]
    assert final.output_text == "one two three"
    assert final.usage.output_tokens > 0
    more = client.responses.create(model="m", input="Go on.", previous_response_id=final.id)
    assert more.output_text == "four"
    assert len(ledger(alice)) == 4


def test_tool_calls(client, upstream):
    function = {"name": "weather", "arguments": '{"city": "Łódź"}'}
    made, reply = tool_call("call_1", **function)
    upstream.script(reply, Behaviour(text="Rain."))
    first = client.responses.create(model="m", input="Will it rain?", tools=[TOOL])
    (call,) = first.output
    assert (call.type, call.name, call.arguments) == ("function_call", *function.values())
    body_sent = upstream.received("chat")[-1].body
    assert body_sent["tools"][0]["function"] == {"name": "weather", "parameters": {}, "strict": False}
    output: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "all day"}
    second = client.responses.create(model="m", input=[output], tools=[TOOL], previous_response_id=first.id)
    assert second.output_text == "Rain."
    assert sent(upstream)[1:] == [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": "call_1", "content": "all day"},
    ]


def test_streamed_tool_calls(client, upstream):
    first_part = calling(0, "", "add", id="call_9", type="function")
    events = [first_part, calling(0, '{"x":'), calling(0, "1}"), chunk({}, "tool_calls")]
    upstream.script(Behaviour(events=events))
    with client.responses.stream(model="m", input="Add.", tools=[TOOL]) as stream:
        kinds = [each.type for each in stream]
        (call,) = stream.get_final_response().output
    assert kinds.count("response.function_call_arguments.delta") == 2
    assert (call.name, call.arguments, call.call_id) == ("add", '{"x":1}', "call_9")


def test_content_parts_and_options_are_translated(client, upstream):
    parts: Any = [
        {"type": "input_text", "text": "What is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA", "detail": "low"},
    ]
    client.responses.create(
        model="m",
        input=[{"role": "user", "content": parts}],
        max_output_tokens=99,
        reasoning={"effort": "low"},
        text={"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}},
        extra_body={"frobnicate": 1},
    )
    body = upstream.received("chat")[-1].body
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "low"}},
    ]
    given = ("max_completion_tokens", "reasoning_effort", "frobnicate")
    assert [body[name] for name in given] == [99, "low", 1]
    assert body["response_format"]["json_schema"] == {"name": "x", "schema": {"type": "object"}}


def test_cut_interrupted_and_empty_replies_are_reported(client, upstream):
    usage = {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}
    empty = {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage}
    upstream.script(
        Behaviour(text="one", finish_reason="length"),
        Behaviour(text="one two three", cut_after=2),
        Behaviour(events=[empty]),
    )
    answer = client.responses.create(model="m", input="Count.")
    assert (answer.status, answer.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    assert answer.output[0].status == "incomplete"
    *_, last = client.responses.create(model="m", input="Count.", stream=True)
    assert (last.type, last.response.error.code) == ("response.failed", "endpoint_unavailable")
    events = list(client.responses.create(model="m", input="Count.", stream=True))
    assert [event.type for event in events][:2] == ["response.created", "response.in_progress"]
    assert events[-1].type == "response.completed"
    counted = empty | {"usage": usage | {"prompt_tokens_details": {"cached_tokens": 2}}}
    refused = [chunk({"refusal": "I can"}), chunk({"refusal": "not."}, "stop"), counted]
    upstream.script(Behaviour(events=refused))
    *deltas, _, _, _, last = client.responses.create(model="m", input="Count.", stream=True)
    assert deltas[-1].type == "response.refusal.delta"
    assert last.response.output[0].content[0].to_dict() == {"type": "refusal", "refusal": "I cannot."}
    assert last.response.usage.input_tokens_details.cached_tokens == 2


def test_unstored_and_deleted_responses_cannot_be_continued(client, alice):
    lost = client.responses.create(model="m", input="Hi", store=False)
    assert not lost.store
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="m", input="Go on.", previous_response_id=lost.id)
    for unknown in ("resp_nothing", "resp_" + "0" * 32):
        with pytest.raises(openai.NotFoundError) as caught:
            client.responses.create(model="m", input="Go on.", previous_response_id=unknown)
        assert caught.value.param == "previous_response_id"
    kept = client.responses.create(model="m", input="Hello there")
    row = Message.objects.filter(user_id=alice.id, content="Hello there").get()
    remove(find(alice.id, row.conversation_id), timezone.now(), forget_too=True)
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="m", input="Go on.", previous_response_id=kept.id)


@pytest.mark.parametrize("stream", [False, True])
def test_store_decides_whether_a_response_is_saved_to_memory(client, upstream, cat_in_memory, alice, stream):
    def ask(**more):
        answer = client.responses.create(model="m", input=QUESTION, stream=stream, **more)
        assert list(answer)
        assert FACT in sent(upstream)[0]["content"]

    ask(store=False)
    assert ledger(alice) == []
    assert not RecallTrace.objects.filter(user_id=alice.id).exists()
    ask(store=False, extra_body={"memory_config": {"auto_store": True}})
    assert len(ledger(alice)) == 2
    assert not StoredResponse.objects.filter(user_id=alice.id).exists()


def test_unsupported_parameters_are_refused(client, upstream):
    image = {"role": "user", "content": [{"type": "input_image", "file_id": "file-1"}]}
    for param, wrong in (
        ("input", 7),
        ("input", []),
        ("input[0]", [{"type": "computer_call"}]),
        ("input[0].role", [{"role": "alien", "content": "Hi"}]),
        ("input[0].content[0]", [image]),
        ("tools", "y"),
        ("tools[0]", [{"type": "web_search"}]),
        ("background", True),
        ("conversation", "conv_1"),
        ("top_logprobs", 3),
    ):
        with pytest.raises(openai.BadRequestError) as caught:
            client.responses.create(**{"model": "m", "input": "x"} | {param.partition("[")[0]: wrong})
        assert caught.value.param == param
    assert upstream.requests == []
    with pytest.raises(openai.BadRequestError):
        client.responses.retrieve("resp_1", stream=True)
    with pytest.raises(openai.NotFoundError, match="does not offer"):
        client.responses.compact(model="m")
