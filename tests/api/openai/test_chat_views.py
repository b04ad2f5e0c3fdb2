"""The official client talks to a running site, and gets memory without knowing of it."""

import json
from typing import Any

import openai
import pytest

from accounts.models import User
from accounts.tenancy import tenant
from chat.branches import messages_of
from chat.models import Conversation, Message
from memory.models import RecallTrace, Usage
from tests.api.conftest import token_of
from tests.api.openai.conftest import client_of
from tests.api.openai.waiting import eventually
from tests.memory.palaces import Spot, file
from tests.openai_server import Behaviour, OpenAIServer

pytestmark = pytest.mark.django_db(transaction=True)

FACT = "My cat is called Minka and she is grey."
QUESTION = "What is my cat called?"


@pytest.fixture
def remembered(alice: User, upstream: OpenAIServer) -> None:
    """Alice once said what her cat is called."""
    with tenant(alice.id):
        file(alice.id, [FACT], Spot(wing="Home", kind="topic"))


def ask(client: Any, *words: str, **more: Any) -> Any:
    roles = ["user", "assistant"] * len(words)
    messages = [{"role": role, "content": text} for role, text in zip(roles, words, strict=False)]
    return client.chat.completions.create(model="gpt-test", messages=messages, **more)


def sent(upstream: OpenAIServer) -> list[dict]:
    """The messages of the last request that reached the endpoint."""
    return upstream.received("chat")[-1].body["messages"]


def ledger(user: User) -> list[tuple[str, str]]:
    with tenant(user.id):
        rows = Message.objects.filter(user_id=user.id).order_by("conversation_id", "sequence")
        return [(row.role, row.content) for row in rows]


def test_memory_goes_before_the_last_message(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None, alice: User
) -> None:
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
    with tenant(alice.id):
        conversation = Conversation.objects.get(user_id=alice.id)
        reply = messages_of(conversation).get(role="assistant", content="Minka.")
        assert str(conversation.id) == raw.headers["X-Palace-Conversation"]
        assert conversation.source == Conversation.Source.API
        assert RecallTrace.objects.get(user_id=alice.id).id == reply.trace_id
        assert not Message.objects.filter(user_id=alice.id, content__contains="memory_context")
        usage = Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT)
        assert usage.model == "gpt-test"
        assert usage.input_tokens > 0


def test_a_chat_that_is_sent_again_and_again_is_kept_once(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    upstream.script(Behaviour(text="Noted."), Behaviour(text="In Łódź 🏙."))
    ask(client, "I live in Łódź.")
    ask(client, "I live in Łódź.", "Noted.", "Where do I live?")
    assert ledger(alice) == [
        ("user", "I live in Łódź."),
        ("assistant", "Noted."),
        ("user", "Where do I live?"),
        ("assistant", "In Łódź 🏙."),
    ]


def test_a_stream(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None, alice: User
) -> None:
    upstream.script(Behaviour(text="She is called Minka"))
    chunks = list(ask(client, QUESTION, stream=True))
    words = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(words) == "She is called Minka"
    assert all(chunk.choices for chunk in chunks)  # nobody asked for the usage
    assert FACT in sent(upstream)[0]["content"]
    assert ledger(alice) == [("user", QUESTION), ("assistant", "She is called Minka")]
    with tenant(alice.id):
        usage = Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT)
        assert not usage.estimated


def test_the_usage_of_a_stream_for_whom_it_asks(
    client: openai.OpenAI, upstream: OpenAIServer
) -> None:
    chunks = list(ask(client, "Hi", stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens > 0


def test_tools_pass_both_ways(client: openai.OpenAI, upstream: OpenAIServer, alice: User) -> None:
    arguments = '{"city": "Łódź"}'
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "weather", "arguments": arguments},
    }
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-test"}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    upstream.script(Behaviour(body={**head, "choices": [choice]}), Behaviour(text="Rain."))
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    asked = [{"role": "user", "content": "Will it rain in Łódź?"}]
    answer = client.chat.completions.create(model="gpt-test", messages=asked, tools=tools)
    (called,) = answer.choices[0].message.tool_calls
    assert (called.function.name, called.function.arguments) == ("weather", arguments)
    assert upstream.received("chat")[-1].body["tools"] == tools
    result = {"role": "tool", "tool_call_id": "call_1", "content": "rain all day"}
    asked += [answer.choices[0].message.model_dump(exclude_none=True), result]
    final = client.chat.completions.create(model="gpt-test", messages=asked, tools=tools)
    assert final.choices[0].message.content == "Rain."
    assert sent(upstream)[-1] == result
    assert sent(upstream)[-2]["tool_calls"] == [call]
    with tenant(alice.id):
        rows = Message.objects.filter(user_id=alice.id).order_by("sequence")
        assert [(row.role, row.tool_name, row.tool_arguments, row.call_id) for row in rows] == [
            ("user", "", "", ""),
            ("assistant", "weather", arguments, "call_1"),
            ("tool", "", "", "call_1"),
            ("assistant", "", "", ""),
        ]


def test_tool_calls_in_a_stream(client: openai.OpenAI, upstream: OpenAIServer, alice: User) -> None:
    def event(delta: dict, finish: str | None = None) -> dict:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    def piece(place: int, arguments: str, **more: object) -> dict:
        function = {"arguments": arguments, **more.pop("function", {})}
        return {"tool_calls": [{"index": place, "function": function, **more}]}

    events = [
        event({"role": "assistant", "content": None}),
        event(piece(0, "", id="a", type="function", function={"name": "one"})),
        event(piece(0, '{"x":')),
        event(piece(0, "1}")),
        event(piece(1, "{}", id="b", type="function", function={"name": "two"})),
        event({}, "tool_calls"),
    ]
    upstream.script(Behaviour(events=events))
    chunks = list(ask(client, "Use both.", stream=True))
    assert [chunk.to_dict() for chunk in chunks] == events
    with tenant(alice.id):
        rows = Message.objects.filter(user_id=alice.id, role="assistant").order_by("sequence")
        told = [(row.tool_name, row.tool_arguments, row.call_id) for row in rows]
    assert told == [("one", '{"x":1}', "a"), ("two", "{}", "b")]


def test_parts_and_unknown_parameters_pass_untouched(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
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
    [
        {"extra_headers": {"X-Palace-Memory": "off"}},
        {"extra_body": {"memory_config": {"enabled": False}}},
    ],
)
def test_opting_out(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None, alice: User, more: dict
) -> None:
    ask(client, QUESTION, **more)
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]
    assert ledger(alice) == []
    with tenant(alice.id):
        assert not RecallTrace.objects.filter(user_id=alice.id).exists()
        assert Usage.objects.filter(user_id=alice.id, source=Usage.Source.CHAT).exists()


def test_recalling_without_storing(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None, alice: User
) -> None:
    ask(client, QUESTION, extra_body={"memory_config": {"auto_store": False}})
    assert FACT in sent(upstream)[0]["content"]
    assert ledger(alice) == []


def test_another_persons_id_is_refused(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User, bob: User
) -> None:
    for named in (str(bob.id), bob.email, "somebody"):
        with pytest.raises(openai.PermissionDeniedError) as caught:
            ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})
        assert caught.value.code == "not_your_memory"
    assert upstream.requests == []
    for named in (str(alice.id), "ALICE@example.org"):
        ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})


def test_nobody_gets_the_memory_of_another(
    site: str, upstream: OpenAIServer, remembered: None, bob: User
) -> None:
    with client_of(site, bob) as bobs:
        ask(bobs, QUESTION)
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]


def test_errors_have_the_shape_that_clients_read(
    site: str, client: openai.OpenAI, alice: User, upstream: OpenAIServer
) -> None:
    with pytest.raises(openai.AuthenticationError) as unknown:
        ask(openai.OpenAI(base_url=f"{site}/v1", api_key="pal_wrong", max_retries=0), "Hi")
    assert unknown.value.code == "invalid_api_key"
    reader = openai.OpenAI(base_url=f"{site}/v1", api_key=token_of(alice, "read"), max_retries=0)
    with pytest.raises(openai.PermissionDeniedError):
        ask(reader, "Hi")
    with pytest.raises(openai.BadRequestError) as empty:
        client.chat.completions.create(model="m", messages=[])
    assert empty.value.param == "messages"
    wrong = {"memory_config": {"retrieval_limit": 99}}
    with pytest.raises(openai.BadRequestError) as limit:
        ask(client, "Hi", extra_body=wrong)
    assert limit.value.param == "memory_config.retrieval_limit"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("unheard/of")


def test_what_the_endpoint_declines_is_said_in_its_own_words(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    error = {"message": "Too long: you sent 9 tokens", "code": "context_length_exceeded"}
    upstream.script(Behaviour(status=400, error=error))
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, "Hi")
    assert caught.value.code == "context_length_exceeded"
    assert "9 tokens" in str(caught.value)
    upstream.script(Behaviour(status=400, error=error), Behaviour(status=400, error=error))
    with pytest.raises(openai.BadRequestError):
        ask(client, "Hi", stream=True)
    assert ledger(alice) == []


@pytest.mark.parametrize(("status", "seen"), [(401, 502), (500, 503), (429, 429)])
def test_failures_of_the_endpoint(
    client: openai.OpenAI, upstream: OpenAIServer, status: int, seen: int
) -> None:
    upstream.script(Behaviour(status=status))
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, "Hi")
    assert caught.value.status_code == seen


def test_memory_that_does_not_fit_is_left_out(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None
) -> None:
    too_long = Behaviour(status=400, error={"code": "context_length_exceeded", "message": "long"})
    upstream.script(too_long, too_long, Behaviour(text="I do not know."))
    assert ask(client, QUESTION).choices[0].message.content == "I do not know."
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]


def test_a_stream_that_breaks_off_is_kept_as_far_as_it_came(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    upstream.script(Behaviour(text="one two three four", cut_after=2))
    with pytest.raises(openai.APIError):
        list(ask(client, "Count.", stream=True))
    with tenant(alice.id):
        reply = Message.objects.get(user_id=alice.id, role="assistant")
    assert (reply.content.strip(), reply.status) == ("one two", Message.Status.FAILED)


def test_a_client_that_leaves_stops_the_endpoint(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    upstream.script(Behaviour(text="word " * 400, drip_s=0.02))
    stream = ask(client, "Talk.", stream=True)
    for _, chunk in zip(range(5), stream, strict=False):
        assert chunk.choices
    stream.close()
    assert upstream.disconnected.wait(10)
    eventually(lambda: len(ledger(alice)) == 2)
    with tenant(alice.id):
        reply = Message.objects.get(user_id=alice.id, role="assistant")
        assert reply.status == Message.Status.STOPPED
        assert Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT).estimated


def test_models_are_those_of_the_endpoint_and_our_own(client: openai.OpenAI) -> None:
    assert [each.id for each in client.models.list()] == ["test-model", "palace"]
    assert client.models.retrieve("palace").owned_by == "palace"


def test_our_own_model_is_the_configured_one(client: openai.OpenAI, upstream: OpenAIServer) -> None:
    client.chat.completions.create(model="palace", messages=[{"role": "user", "content": "Hi"}])
    assert upstream.received("chat")[-1].body["model"] == "test-model"


def test_long_histories_pass_untouched_unless_compression_is_asked_for(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    words = [f"Line {number} " + "and so on " * 30 for number in range(59)]
    ask(client, *words)
    assert [each["content"] for each in sent(upstream)] == words
    ask(client, *words, extra_body={"memory_config": {"context_tokens": 600}})
    short = [each for each in sent(upstream) if "<memory_context>" not in str(each["content"])]
    assert len(short) < 20
    assert short[-1]["content"] == words[-1]
    assert "left out" in json.dumps(short[0])
    assert len(ledger(alice)) == 60  # nothing lost, and the same reply kept once


def test_a_conversation_by_its_own_id(
    client: openai.OpenAI, upstream: OpenAIServer, alice: User
) -> None:
    named = {"extra_headers": {"X-Palace-Conversation": "thread-7"}}
    ask(client, "Hi", **named)
    ask(client, "Hi", "You said: Hi", "Bye", **named)
    ask(client, "Hi", extra_headers={"X-Palace-Conversation": "thread-8"})
    with tenant(alice.id):
        names = Conversation.objects.filter(user_id=alice.id).values_list("external_id", flat=True)
        assert sorted(map(str, names)) == ["thread-7", "thread-8"]
        assert Message.objects.filter(user_id=alice.id).count() == 6


def test_a_block_that_comes_back_is_not_kept(
    client: openai.OpenAI, upstream: OpenAIServer, remembered: None, alice: User
) -> None:
    ask(client, QUESTION)
    block = sent(upstream)[0]["content"]
    ask(client, f"{block}\n\nAnd what else?")
    assert ("user", "And what else?") in ledger(alice)
    assert all("memory_context" not in words for _, words in ledger(alice))
