"""The Chat Completions API with the official client and a running site."""

from typing import Any

import pytest
from django.utils import timezone

from chat.branches import branch, messages_of
from chat.conversations import Choices, start
from chat.models import Agent, Conversation, Message
from memory.models import RecallTrace, Usage
from tests.api.openai.asking import FACT, QUESTION, ask, calling, chunk, ledger, sent
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


def test_memory_is_inserted_before_the_last_message(client, upstream, cat_in_memory, alice):
    upstream.script(Behaviour(text="Minka."))
    raw = client.chat.completions.with_raw_response.create(
        model="gpt-test",
        messages=[
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": QUESTION},
        ],
    )
    answer = raw.parse()
    assert answer.choices[0].message.content == "Minka."
    roles = [message["role"] for message in sent(upstream)]
    assert roles == ["system", "user", "assistant", "system", "user"]
    assert "<memory_context>" in sent(upstream)[3]["content"]
    assert FACT in sent(upstream)[3]["content"]
    assert sent(upstream)[4] == {"role": "user", "content": QUESTION}
    assert raw.headers["X-Palace-Recalled"] == "1"
    conversation = Conversation.objects.get(user_id=alice.id)
    reply = messages_of(conversation).get(role="assistant", content="Minka.")
    assert str(conversation.id) == raw.headers["X-Palace-Conversation"]
    assert conversation.source == Conversation.Source.API
    trace = RecallTrace.objects.get(user_id=alice.id)
    assert (trace.id, trace.source) == (reply.trace_id, RecallTrace.Source.OPENAI)
    assert not Message.objects.filter(user_id=alice.id, content__contains="memory_context")
    usage = Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT)
    assert usage.model == "gpt-test"
    assert usage.input_tokens > 0


def test_repeated_history_is_stored_once(client, upstream, alice):
    upstream.script(Behaviour(text="Noted."), Behaviour(text="In Łódź 🏙."))
    ask(client, "I live in Łódź.")
    ask(client, "I live in Łódź.", "Noted.", "Where do I live?")
    assert ledger(alice) == [
        ("user", "I live in Łódź."),
        ("assistant", "Noted."),
        ("user", "Where do I live?"),
        ("assistant", "In Łódź 🏙."),
    ]


def test_streaming(client, upstream, cat_in_memory, alice):
    upstream.script(Behaviour(text="She is called Minka"))
    chunks = list(ask(client, QUESTION, stream=True))
    words = [each.choices[0].delta.content or "" for each in chunks]  # usage was not requested
    assert "".join(words) == "She is called Minka"
    assert FACT in sent(upstream)[0]["content"]
    assert ledger(alice) == [("user", QUESTION), ("assistant", "She is called Minka")]
    usage = Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT)
    assert not usage.estimated
    *_, counted = ask(client, "Hi", stream=True, stream_options={"include_usage": True})
    assert counted.choices == []
    assert counted.usage.total_tokens > 0


def test_tool_calls_are_forwarded_and_stored(client, upstream, alice):
    arguments = '{"city": "Łódź"}'
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-test"}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    upstream.script(Behaviour(body={**head, "choices": [choice]}), Behaviour(text="Rain."))
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    messages = [{"role": "user", "content": "Will it rain in Łódź?"}]
    answer = client.chat.completions.create(model="gpt-test", messages=messages, tools=tools)
    (called,) = answer.choices[0].message.tool_calls
    assert (called.function.name, called.function.arguments) == ("weather", arguments)
    assert upstream.received("chat")[-1].body["tools"] == tools
    result = {"role": "tool", "tool_call_id": "call_1", "content": "rain all day"}
    messages += [answer.choices[0].message.model_dump(exclude_none=True), result]
    final = client.chat.completions.create(model="gpt-test", messages=messages, tools=tools)
    assert final.choices[0].message.content == "Rain."
    assert sent(upstream)[-1] == result
    assert sent(upstream)[-2]["tool_calls"] == [call]
    rows = Message.objects.filter(user_id=alice.id).order_by("sequence")
    assert [(row.role, row.tool_name, row.tool_arguments, row.call_id) for row in rows] == [
        ("user", "", "", ""),
        ("assistant", "weather", arguments, "call_1"),
        ("tool", "", "", "call_1"),
        ("assistant", "", "", ""),
    ]


def test_streamed_tool_calls_are_forwarded_and_stored(client, upstream, alice):
    events = [
        chunk({"role": "assistant", "content": None}),
        calling(0, "", "one", id="a", type="function"),
        calling(0, '{"x":'),
        calling(0, "1}"),
        calling(1, "{}", "two", id="b", type="function"),
        chunk({}, "tool_calls"),
    ]
    upstream.script(Behaviour(events=events))
    chunks = list(ask(client, "Use both.", stream=True))
    assert [each.to_dict() for each in chunks] == events
    rows = Message.objects.filter(user_id=alice.id, role="assistant").order_by("sequence")
    calls = [(row.tool_name, row.tool_arguments, row.call_id) for row in rows]
    assert calls == [("one", '{"x":1}', "a"), ("two", "{}", "b")]


def test_content_parts_and_unknown_parameters_are_forwarded_unchanged(client, upstream, alice):
    parts: Any = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    client.chat.completions.create(
        model="vendor/odd:model",
        messages=[{"role": "user", "content": parts}],
        temperature=0.3,
        extra_body={"frobnicate": {"deep": [1, None]}, "memory_config": {"retrieval_limit": 3}},
    )
    body = upstream.received("chat")[-1].body
    assert body["messages"] == [{"role": "user", "content": parts}]
    assert body["frobnicate"] == {"deep": [1, None]}
    assert body["temperature"] == 0.3
    assert body["model"] == "vendor/odd:model"
    assert "memory_config" not in body
    assert ledger(alice)[0] == ("user", "What is this?\n[image]")


@pytest.mark.parametrize(
    "more",
    [{"extra_headers": {"X-Palace-Memory": "off"}}, {"extra_body": {"memory_config": {"enabled": False}}}],
)
def test_memory_can_be_switched_off_per_request(client, upstream, cat_in_memory, alice, more):
    ask(client, QUESTION, **more)
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]
    assert ledger(alice) == []
    assert not RecallTrace.objects.filter(user_id=alice.id).exists()
    assert Usage.objects.filter(user_id=alice.id, source=Usage.Source.CHAT).exists()


def test_recall_without_storing(client, upstream, cat_in_memory, alice):
    ask(client, QUESTION, extra_body={"memory_config": {"auto_store": False}})
    assert FACT in sent(upstream)[0]["content"]
    assert ledger(alice) == []


def test_store_of_chat_completions_concerns_only_the_endpoint(client, upstream, alice):
    ask(client, QUESTION, store=False)
    assert upstream.received("chat")[-1].body["store"] is False
    assert len(ledger(alice)) == 2


def test_model_list_is_that_of_the_endpoint_and_palace(client, upstream):
    assert [each.id for each in client.models.list()] == ["test-model", "palace"]
    assert client.models.retrieve("palace").owned_by == "palace"
    client.chat.completions.create(model="palace", messages=[{"role": "user", "content": "Hi"}])
    assert upstream.received("chat")[-1].body["model"] == "test-model"


def test_long_history_is_forwarded_unchanged(client, upstream, alice):
    words = [f"Line {number} " + "and so on " * 30 for number in range(59)]
    ask(client, *words)
    assert [each["content"] for each in sent(upstream)] == words
    assert len(ledger(alice)) == 60


def test_conversation_header_identifies_the_conversation(client, alice):
    named = {"extra_headers": {"X-Palace-Conversation": "thread-7"}}
    ask(client, "Hi", **named)
    ask(client, "Hi", "You said: Hi", "Bye", **named)
    ask(client, "Hi", extra_headers={"X-Palace-Conversation": "thread-8"})
    names = Conversation.objects.filter(user_id=alice.id).values_list("external_id", flat=True)
    assert sorted(map(str, names)) == ["thread-7", "thread-8"]
    assert Message.objects.filter(user_id=alice.id).count() == 6


@pytest.mark.parametrize("stream", [False, True])
def test_conversation_header_can_be_sent_back(client, alice, stream):
    create = client.chat.completions.with_raw_response.create

    def say(words, **headers):
        messages = [{"role": "user", "content": words}]
        raw = create(model="m", messages=messages, stream=stream, extra_headers=headers)
        assert list(raw.parse())
        return raw.headers["X-Palace-Conversation"]

    named = say("Hi")
    assert say("Where am I?", **{"X-Palace-Conversation": named}) == named
    (conversation,) = Conversation.objects.filter(user_id=alice.id)
    assert str(conversation.id) == named
    assert [row.content for row in branch(conversation)][::2] == ["Hi", "Where am I?"]
    off = {"X-Palace-Memory": "off"}
    refused = create(
        model="m", messages=[{"role": "user", "content": "Hm"}], stream=stream, extra_headers=off
    )
    assert "X-Palace-Conversation" not in refused.headers


@pytest.mark.parametrize("switched_off", ["chat", "agent"])
def test_chat_that_does_not_use_memory_is_not_given_any(client, upstream, cat_in_memory, alice, switched_off):
    agent = Agent.objects.create(user_id=alice.id, name="Poet", recall_memory=switched_off != "agent")
    chat = start(alice.id, Choices(agent=agent, recall_memory=switched_off != "chat"), timezone.now())
    ask(client, QUESTION, extra_headers={"X-Palace-Conversation": str(chat.id)})
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]
    assert messages_of(chat).count() == 2


def test_returned_memory_block_is_not_stored(client, upstream, cat_in_memory, alice):
    ask(client, QUESTION)
    block = sent(upstream)[0]["content"]
    ask(client, f"{block}\n\nAnd what else?")
    assert ("user", "And what else?") in ledger(alice)
    assert all("memory_context" not in words for _, words in ledger(alice))
