"""A model calls tools on the way to its reply: in the ledger, on the page, and when it fails."""

import json

import pytest
from django.test import Client

from accounts.models import User
from chat.branches import branch, messages_of
from chat.conversations import switch
from chat.mining.transcripts import transcript
from chat.models import MEMORY_ONLY, Conversation, Message, ToolRefusal
from chat.replies.generation import answer
from chat.replies.jobs import reply_to, say, steps_to_reply
from chat.replies.tool_loop import MOST_ROUNDS
from llm.errors import ModelRefused, ModelUnavailable
from llm.fake_gateway import CallingReply, FakeChat
from llm.types import ToolCall
from memory.models import Drawer
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW
from tests.chat.endpoints import endpoint
from tests.chat.event_stream import EventStream
from tests.chat.following import asked as asked_in_page
from tests.chat.following import in_thread, replies
from tests.chat.replying import CAT, asked, remembered
from tests.html import check_page
from tests.openai_server import Behaviour, OpenAIServer

LOOK = ToolCall("c1", "recall_memory", json.dumps({"query": "the name of my cat"}))
NOTE = ToolCall("c2", "save_note", json.dumps({"text": "Minka likes tuna."}))
SMALL_TALK = "Hello!"


def test_a_model_looks_into_memory_before_it_replies(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    model.script(CallingReply((LOOK,)), "She is called Minka.")
    reply = said(conversation)
    assert reply.content == "She is called Minka."
    first, second = model.requests[-2:]
    assert [tool.name for tool in first.tools] == ["recall_memory", "save_note"]
    *_, called, result = second.messages
    assert (called.role, called.tool_calls) == ("assistant", (LOOK,))
    assert (result.role, result.tool_call_id) == ("tool", "c1")
    assert CAT in result.content


def test_call_and_result_are_in_the_ledger_between_question_and_reply(
    conversation: Conversation, model: FakeChat
) -> None:
    model.script(CallingReply((LOOK, NOTE), "Let me see."), "Done.")
    said(conversation)
    conversation.refresh_from_db()
    chain = branch(conversation)
    assert [(each.role, each.tool_name) for each in chain] == [
        ("user", ""),
        ("assistant", ""),
        ("assistant", "recall_memory"),
        ("tool", "recall_memory"),
        ("assistant", "save_note"),
        ("tool", "save_note"),
        ("assistant", ""),
    ]
    assert (chain[1].content, chain[-1].content) == ("Let me see.", "Done.")
    assert chain[2].tool_arguments == LOOK.arguments
    assert chain[5].content == "Saved as § W-001/R-01/D-001."
    assert reply_to(conversation, 1) == chain[-1]
    assert steps_to_reply(conversation, 1) == chain[1:]


def test_what_tools_gave_is_neither_mined_nor_told_again(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    model.script(CallingReply((LOOK,)), "Minka.", "Yes.")
    said(conversation)
    turns = transcript(conversation, 0, 10).turns
    assert [turn.role for turn in turns] == ["user", "system", "system", "assistant"]
    asked(conversation, "Tell me about bread")
    assert [turn.content for turn in model.requests[-1].messages[1:]] == [
        SMALL_TALK,
        "Minka.",
        "Tell me about bread",
    ]


def test_every_call_of_the_model_is_on_the_books(conversation: Conversation, model: FakeChat) -> None:
    model.script(CallingReply((LOOK,)), "No idea.")
    reply = said(conversation)
    rows = UsageRow.objects.filter(source="chat")
    assert rows.count() == 2
    assert reply.input_tokens == sum(row.input_tokens for row in rows)
    assert reply.output_tokens == sum(row.output_tokens for row in rows)


def test_the_rounds_have_an_end(conversation: Conversation, model: FakeChat) -> None:
    calls = [CallingReply((LOOK,))] * (MOST_ROUNDS + 1)
    model.script(*calls)
    reply = said(conversation)
    assert len(model.requests) == MOST_ROUNDS + 1
    assert model.requests[-1].tools == ()
    assert reply.status == Message.Status.FAILED
    assert messages_of(conversation).filter(role="tool").count() == MOST_ROUNDS


def test_so_many_calls_at_once_are_not_answered(conversation: Conversation, model: FakeChat) -> None:
    many = tuple(ToolCall(f"c{place}", "recall_memory", LOOK.arguments) for place in range(9))
    model.script(CallingReply(many), "Enough.")
    said(conversation)
    assert messages_of(conversation).filter(role="tool").count() == 4
    told = [each for each in model.requests[-1].messages if each.role == "tool"]
    assert len(told) == 9
    assert "enough" in told[-1].content


@pytest.mark.parametrize("switched", ["use_memory", "learn", "incognito"])
def test_switches_decide_which_tools_are_offered(
    conversation: Conversation, model: FakeChat, switched: str
) -> None:
    if switched == "incognito":
        Conversation.objects.update(incognito=True)
        conversation.refresh_from_db()
    else:
        chosen = {"agent": None, "use_memory": True, "learn": True, switched: False}
        switch(conversation, chosen)
    model.script("Hello.")
    said(conversation)
    names = [tool.name for tool in model.requests[-1].tools]
    left = {"use_memory": ["save_note"], "learn": ["recall_memory"], "incognito": []}
    assert names == left[switched]


def test_a_model_that_takes_no_tools_answers_without_and_is_remembered(
    conversation: Conversation, model: FakeChat
) -> None:
    model.script(ModelRefused("no tools", status=404), "Hello.", "Hello again.")
    assert said(conversation).content == "Hello."
    assert [bool(request.tools) for request in model.requests] == [True, False]
    assert ToolRefusal.objects.count() == 1
    said(conversation)
    assert [bool(request.tools) for request in model.requests] == [True, False, False]


def test_a_model_that_refuses_everything_is_not_taken_for_one_without_tools(
    conversation: Conversation, model: FakeChat
) -> None:
    model.script(ModelRefused("no", status=400), ModelRefused("no", status=400))
    said(conversation)
    assert not ToolRefusal.objects.exists()
    model.script(ModelRefused("wrong key", status=401))
    said(conversation)
    assert len(model.requests) == 3


def test_a_model_that_is_gone_after_a_tool_leaves_a_plain_reply(
    conversation: Conversation, model: FakeChat
) -> None:
    model.script(CallingReply((NOTE,)), ModelUnavailable("down"))
    reply = said(conversation)
    assert reply.model == MEMORY_ONLY
    assert "cannot be reached" in reply.content
    assert Drawer.objects.get().content == "Minka likes tuna."
    assert messages_of(conversation).filter(role="tool").count() == 1


def test_the_page_shows_what_was_looked_for_and_found(
    as_alice: User, conversation: Conversation, model: FakeChat, alice_client: Client
) -> None:
    remembered(as_alice, CAT)
    evil = ToolCall("c9", "recall_memory", json.dumps({"query": "<img src=x onerror=alert(1)> cat"}))
    model.script(CallingReply((evil, NOTE)), "Minka.")
    said(conversation)
    html = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "Looked into memory" in html
    assert "&lt;img src=x onerror=alert(1)&gt; cat" in html
    assert "<img" not in html.split('<ol id="thread">')[1]
    assert "Kept a note for you" in html
    assert "Minka likes tuna." in html
    assert 'href="/memory/p/W-2/R-1/D-1/"' in html
    assert f"/chat/{conversation.id}/replies/1/retry" in html


def said(conversation: Conversation) -> Message:
    """The reply to a greeting, which is not searched for: what is recalled comes from a tool."""
    _, generation = say(conversation, SMALL_TALK, NOW)
    reply = answer(conversation, generation, NOW)
    assert reply is not None
    return reply


@pytest.mark.usefixtures("close_connections", "fast_beats")
@pytest.mark.django_db(transaction=True)
class TestStreamed:
    """The same over the wire, from an endpoint to an open page."""

    async def test_a_streamed_reply_goes_through_its_tools(self, alice: User, alice_client: Client) -> None:
        call = ("recall_memory", LOOK.arguments)
        with (
            OpenAIServer(
                Behaviour("chat", text="One moment.", tool_calls=(call,), finish_reason="tool_calls"),
                Behaviour("chat", text="She is called Minka."),
            ) as server,
            endpoint(server.base_url),
        ):
            chat, path = await in_thread(asked_in_page, alice, SMALL_TALK)
            async with EventStream(alice_client, path) as stream:
                events = await stream.all()
            first, second = server.received("chat")
        assert [tool["function"]["name"] for tool in first.body["tools"]] == [
            "recall_memory",
            "save_note",
        ]
        assert second.body["messages"][-2]["tool_calls"][0]["function"]["name"] == "recall_memory"
        assert second.body["messages"][-1]["tool_call_id"] == "call_0"
        doing = [event.data for event in events if event.name == "doing"]
        assert "Looking into memory …" in doing[0]
        assert "Looked into memory" in doing[-1]
        assert "data-now" not in doing[-1]
        assert events[-1].name == "done"
        assert "Looked into memory" in events[-1].data
        assert "She is called Minka." in events[-1].data
        kept = await in_thread(replies, chat)
        assert [each.content for each in kept] == ["One moment.", "", "She is called Minka."]

    async def test_a_streaming_endpoint_without_tools_is_asked_without(
        self, alice: User, alice_client: Client
    ) -> None:
        with (
            OpenAIServer(
                Behaviour("chat", refuses="tools"), Behaviour("chat", text="Hello there.")
            ) as server,
            endpoint(server.base_url),
        ):
            chat, path = await in_thread(asked_in_page, alice, SMALL_TALK)
            async with EventStream(alice_client, path) as stream:
                events = await stream.all()
            assert "tools" not in server.received("chat")[-1].body
        assert events[-1].name == "done"
        assert [each.content for each in await in_thread(replies, chat)] == ["Hello there."]
