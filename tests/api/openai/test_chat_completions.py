"""The Chat Completions API with the official client and a running site."""

from typing import Any

import pytest
from django.utils import timezone

from chat.branches import branch, messages_of
from chat.conversations import Choices, start
from chat.models import Agent, Conversation, Message
from memory.models import RecallTrace, Usage
from tests.api.openai.conftest import FACT, QUESTION, ask, calling, chunk, ledger, sent, tool_call
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


def test_memory_is_inserted_before_the_last_message(client, upstream, cat_in_memory, alice):
    upstream.script(Behaviour(text="Minka."))
    system, hello = {"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello"}
    before = [system, hello, {"role": "assistant", "content": "Hello!"}]
    last = {"role": "user", "content": QUESTION}
    raw = client.chat.completions.with_raw_response.create(model="gpt-test", messages=[*before, last])
    assert raw.parse().choices[0].message.content == "Minka."
    block = sent(upstream)[3]
    assert sent(upstream) == [*before, block, last]
    assert block["role"] == "system"
    assert "<memory_context>" in block["content"]
    assert FACT in block["content"]
    assert raw.headers["X-Palace-Recalled"] == "1"
    conversation = Conversation.objects.get(user_id=alice.id)
    reply = messages_of(conversation).get(role="assistant", content="Minka.")
    assert str(conversation.id) == raw.headers["X-Palace-Conversation"]
    assert conversation.source == Conversation.Source.API
    trace = RecallTrace.objects.get(user_id=alice.id)
    assert (trace.id, trace.source) == (reply.trace_id, RecallTrace.Source.OPENAI)
    usage = Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT)
    assert usage.model == "gpt-test"
    assert usage.input_tokens > 0
    ask(client, f"{block['content']}\n\nAnd what else?")
    assert ("user", "And what else?") in ledger(alice)
    assert not Message.objects.filter(user_id=alice.id, content__contains="memory_context")


def test_history_is_forwarded_unchanged_and_stored_once(client, upstream, alice):
    upstream.script(Behaviour(text="Noted."), Behaviour(text="In Łódź 🏙."))
    ask(client, "I live in Łódź.")
    ask(client, "I live in Łódź.", "Noted.", "Where do I live?")
    assert ledger(alice) == [
        ("user", "I live in Łódź."),
        ("assistant", "Noted."),
        ("user", "Where do I live?"),
        ("assistant", "In Łódź 🏙."),
    ]
    words = [f"Line {number} " + "and so on " * 30 for number in range(59)]
    ask(client, *words)
    assert [each["content"] for each in sent(upstream)] == words
    assert len(ledger(alice)) == 64


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


def calls_in(user):
    """The tool calls of the ledger, apart from messages without any."""
    rows = Message.objects.filter(user_id=user.id).order_by("sequence")
    kept = [(row.role, row.tool_name, row.tool_arguments, row.call_id) for row in rows]
    return [row for row in kept if row[3]]


def test_tool_calls_are_forwarded_and_stored(client, upstream, alice):
    arguments = '{"city": "Łódź"}'
    call, reply = tool_call("call_1", name="weather", arguments=arguments)
    upstream.script(reply, Behaviour(text="Rain."))
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    messages = [{"role": "user", "content": "Will it rain in Łódź?"}]
    answer = ask(client, messages=messages, tools=tools)
    (called,) = answer.choices[0].message.tool_calls
    assert (called.function.name, called.function.arguments) == ("weather", arguments)
    assert upstream.received("chat")[-1].body["tools"] == tools
    result = {"role": "tool", "tool_call_id": "call_1", "content": "rain all day"}
    messages += [answer.choices[0].message.model_dump(exclude_none=True), result]
    assert ask(client, messages=messages, tools=tools).choices[0].message.content == "Rain."
    assert sent(upstream)[-1] == result
    assert sent(upstream)[-2]["tool_calls"] == [call]
    assert calls_in(alice) == [("assistant", "weather", arguments, "call_1"), ("tool", "", "", "call_1")]
    assert [role for role, _ in ledger(alice)] == ["user", "assistant", "tool", "assistant"]


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
    assert calls_in(alice) == [("assistant", "one", '{"x":1}', "a"), ("assistant", "two", "{}", "b")]


def test_content_parts_and_unknown_parameters_are_forwarded_unchanged(client, upstream, alice):
    parts: Any = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    given = {"model": "vendor/odd:model", "messages": [{"role": "user", "content": parts}], "store": False}
    more = {"frobnicate": {"deep": [1, None]}, "temperature": 0.3}
    ask(client, **given, extra_body=more | {"memory_config": {"retrieval_limit": 3}})
    body = upstream.received("chat")[-1].body
    assert {name: body[name] for name in given | more} == given | more
    assert "memory_config" not in body
    assert len(ledger(alice)) == 2, "`store` concerns only the endpoint"
    assert ledger(alice)[0] == ("user", "What is this?\n[image]")


@pytest.mark.parametrize(
    ("more", "recalls"),
    [
        ({"extra_headers": {"X-Palace-Memory": "off"}}, False),
        ({"extra_body": {"memory_config": {"enabled": False}}}, False),
        ({"extra_body": {"memory_config": {"auto_store": False}}}, True),
    ],
)
def test_request_can_do_without_memory_or_storage(client, upstream, cat_in_memory, alice, more, recalls):
    ask(client, QUESTION, **more)
    assert (FACT in sent(upstream)[0]["content"]) is recalls
    assert sent(upstream)[recalls:] == [{"role": "user", "content": QUESTION}]
    assert ledger(alice) == []
    assert not RecallTrace.objects.filter(user_id=alice.id).exists()
    assert Usage.objects.filter(user_id=alice.id, source=Usage.Source.CHAT).exists()


def test_model_list_is_that_of_the_endpoint_and_palace(client, upstream):
    assert [each.id for each in client.models.list()] == ["test-model", "palace"]
    assert client.models.retrieve("palace").owned_by == "palace"
    ask(client, "Hi", model="palace")
    assert upstream.received("chat")[-1].body["model"] == "test-model"


@pytest.mark.parametrize("stream", [False, True])
def test_conversation_header_identifies_the_conversation(client, alice, stream):
    def say(*words, **headers):
        raw = ask(client.with_raw_response, *words, stream=stream, extra_headers=headers)
        assert list(raw.parse())
        return raw.headers.get("X-Palace-Conversation")

    named = say("Hi")
    assert say("Where am I?", **{"X-Palace-Conversation": named}) == named
    (conversation,) = Conversation.objects.filter(user_id=alice.id)
    assert str(conversation.id) == named
    assert [row.content for row in branch(conversation)][::2] == ["Hi", "Where am I?"]
    assert say("Hm", **{"X-Palace-Memory": "off"}) is None
    for words, name in ((["Hey"], "7"), (["Hey", "You said: Hey", "Bye"], "7"), (["Hey"], "8")):
        say(*words, **{"X-Palace-Conversation": name})
    names = Conversation.objects.filter(user_id=alice.id).values_list("external_id", flat=True)
    assert sorted(map(str, names)) == ["7", "8", "None"]
    assert Message.objects.filter(user_id=alice.id).count() == 10


@pytest.mark.parametrize("switched_off", ["chat", "agent"])
def test_chat_that_does_not_use_memory_is_not_given_any(client, upstream, cat_in_memory, alice, switched_off):
    agent = Agent.objects.create(user_id=alice.id, name="Poet", recall_memory=switched_off != "agent")
    chat = start(alice.id, Choices(agent=agent, recall_memory=switched_off != "chat"), timezone.now())
    ask(client, QUESTION, extra_headers={"X-Palace-Conversation": str(chat.id)})
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]
    assert messages_of(chat).count() == 2
