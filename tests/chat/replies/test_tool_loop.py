"""Tool calls before a reply: what they do, what is stored and shown, and failures."""

import json

import pytest
from django.db import DatabaseError

from chat.branches import branch, messages_of
from chat.conversations import update_settings
from chat.mining.transcripts import transcript
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.replies import recall
from chat.replies.jobs import steps_to_reply
from chat.replies.streaming import MAX_NAME_LENGTH, Draft
from chat.replies.tools import (
    INVALID_ARGUMENTS,
    MAX_ROUNDS,
    NOTHING_FITS,
    SPECS,
    UNAVAILABLE,
    UNKNOWN_TOOL,
    ToolContext,
    execute_tool,
    offered_tools,
    parse_arguments,
    record_refusal,
)
from llm.errors import ModelRefused, ModelUnavailable
from llm.types import ToolCall
from memory.models import Drawer, RecallTrace
from memory.models import Usage as UsageRow
from memory.recall.types import RecallSettings
from tests.chat.conftest import NOW, endpoint
from tests.chat.following import asking, in_thread, replies
from tests.chat.replying import CAT, add_mined_chat, get_reply
from tests.fake_gateway import CallingReply
from tests.openai_server import Behaviour, OpenAIServer

SEARCH = ToolCall("c1", "recall_memory", json.dumps({"query": "the name of my cat"}))
NOTE = ToolCall("c2", "save_note", json.dumps({"text": "Minka likes tuna."}))
SMALL_TALK = "Hello!"  # which triggers no recall: anything recalled comes from a tool


def reply_to_small_talk(conversation):
    return get_reply(conversation, SMALL_TALK)


@pytest.fixture
def tool_context(as_alice, embedder, conversation):
    settings = RecallSettings(time_limit_ms=5_000)
    return ToolContext(as_alice.id, conversation.id, settings, tuple(SPECS.values()))


def call_tool(tool_context, name, arguments):
    return execute_tool(tool_context, ToolCall("1", name, arguments), NOW)


def test_recall_tool_returns_memory_and_stores_a_trace(as_alice, tool_context):
    add_mined_chat(as_alice, CAT)
    result = call_tool(tool_context, "recall_memory", '{"query": "the name of my cat"}')
    assert result.text.startswith("<memory_context>")
    assert CAT in result.text
    trace = RecallTrace.objects.get(id=result.trace_id)
    assert [hit["drawer_id"] for hit in trace.hits] == [str(Drawer.objects.get().id)]
    assert call_tool(tool_context, "recall_memory", '{"query": "quantum loops"}').text == NOTHING_FITS


@pytest.mark.parametrize("text", ["Buy rye flour on Friday.", "週五買黑麥粉。", "شراء الدقيق 🥖"])
def test_note_tool_files_a_note_and_returns_its_pointer(tool_context, text):
    result = call_tool(tool_context, "save_note", f'{{"text": "{text}", "subject": "Bread"}}')
    note = Drawer.objects.get()
    assert (note.content, note.role, note.wing.name) == (text, "note", "Bread")
    assert note.closet.name == "Saved by an assistant"
    assert result.text == "Saved as § W-001/R-01/D-001."


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("recall_memory", "not json", INVALID_ARGUMENTS),
        ("recall_memory", "[" * 50_000, INVALID_ARGUMENTS),
        ("recall_memory", '["query"]', INVALID_ARGUMENTS),
        ("recall_memory", '{"query": 7}', INVALID_ARGUMENTS),
        ("save_note", '{"text": "  "}', INVALID_ARGUMENTS),
        ("save_note", f'{{"text": "{"a" * 4_001}"}}', "A note can have at most 4,000"),
        ("delete_everything", "{}", UNKNOWN_TOOL),
    ],
    ids=["no json", "nested", "a list", "a number", "blank", "too long", "unknown"],
)
def test_invalid_tool_call_returns_an_explanation(tool_context, name, arguments, words):
    assert call_tool(tool_context, name, arguments).text.startswith(words)
    assert not Drawer.objects.exists()
    assert parse_arguments('{"query": "a", "n": 1, "empty": ""}') == {"query": "a"}


def test_failed_or_unoffered_tool_returns_an_explanation(tool_context, monkeypatch):
    def broken(*_):
        raise DatabaseError

    other = ToolContext(
        tool_context.user_id, tool_context.conversation_id, tool_context.settings, (SPECS["recall_memory"],)
    )
    assert call_tool(other, "save_note", '{"text": "A note"}').text == UNKNOWN_TOOL
    monkeypatch.setattr(recall, "recall", broken)
    monkeypatch.setattr("chat.replies.tools.save_note", broken)
    assert "unavailable" in call_tool(tool_context, "recall_memory", '{"query": "cat"}').text
    assert call_tool(tool_context, "save_note", '{"text": "A note"}').text == UNAVAILABLE
    assert not Drawer.objects.exists()


def test_tools_are_offered_again_a_week_after_a_refusal(as_alice):
    def names(model="m", now=NOW, **may):
        may = {"recalls": True, "learns": True} | may
        return [tool.name for tool in offered_tools(as_alice.id, model, now, **may)]

    assert names() == ["recall_memory", "save_note"]
    assert names(learns=False) == ["recall_memory"]
    assert names(recalls=False, learns=False) == []
    record_refusal(as_alice.id, "m", NOW)
    assert names() == []
    assert names("other") != []
    assert names(now=NOW.replace(day=NOW.day + 8)) != []


def test_tool_calls_and_results_are_stored_before_the_reply(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script(CallingReply((SEARCH, NOTE), "Let me see."), "She is called Minka.", "Yes.")
    reply = reply_to_small_talk(conversation)
    first, second = model.requests[-2:]
    assert [tool.name for tool in first.tools] == ["recall_memory", "save_note"]
    *_, call, result, _ = second.messages
    assert (call.role, call.tool_calls) == ("assistant", (SEARCH, NOTE))
    assert (result.role, result.tool_call_id) == ("tool", "c1")
    assert CAT in result.content

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
    assert (chain[1].content, chain[-1].content) == ("Let me see.", "She is called Minka.")
    assert chain[2].tool_arguments == SEARCH.arguments
    assert chain[5].content.startswith("Saved as § W-002")
    assert steps_to_reply(conversation, 1) == chain[1:]

    rows = UsageRow.objects.filter(source="chat")
    assert rows.count() == 2
    assert reply.input_tokens == sum(row.input_tokens for row in rows)
    assert reply.output_tokens == sum(row.output_tokens for row in rows)

    roles = [turn.role for turn in transcript(conversation, 0, 10).turns]
    assert roles == ["user", "assistant", "system", "system", "system", "system", "assistant"]
    get_reply(conversation, "Tell me about bread")
    retold = [turn.content for turn in model.requests[-1].messages[1:]]
    assert retold == [SMALL_TALK, "Let me see.\n\nShe is called Minka.", "Tell me about bread"]


def test_tool_rounds_and_calls_are_limited(conversation, model):
    many = tuple(ToolCall(f"c{place}", "recall_memory", SEARCH.arguments) for place in range(9))
    model.script(CallingReply(many), "Enough.")
    reply_to_small_talk(conversation)
    results = messages_of(conversation).filter(role="tool")
    assert results.count() == 4
    answered = [each for each in model.requests[-1].messages if each.role == "tool"]
    assert len(answered) == 9
    assert "all tool calls" in answered[-1].content
    model.script(*[CallingReply((SEARCH,))] * (MAX_ROUNDS + 1))
    assert reply_to_small_talk(conversation).status == Message.Status.FAILED
    assert len(model.requests) == 2 + MAX_ROUNDS + 1
    assert model.requests[-1].tools == ()
    assert results.count() == 4 + MAX_ROUNDS


@pytest.mark.parametrize(
    ("switched", "left"), [("recall_memory", ["save_note"]), ("mine", ["recall_memory"]), ("incognito", [])]
)
def test_chat_settings_decide_which_tools_are_offered(conversation, model, switched, left):
    if switched == "incognito":
        Conversation.objects.update(incognito=True)
        conversation.refresh_from_db()
    else:
        update_settings(conversation, {"agent": None, "recall_memory": True, "mine": True, switched: False})
    model.script("Hello.")
    reply_to_small_talk(conversation)
    assert [tool.name for tool in model.requests[-1].tools] == left


def test_model_refusing_tools_is_asked_without_them_from_then_on(conversation, model):
    model.script(*[ModelRefused("no", status=400)] * 2, ModelRefused("wrong key", status=401))
    for requests in (2, 3):
        reply_to_small_talk(conversation)
        assert len(model.requests) == requests
    assert model.requests[2].tools, "it refuses everything"
    model.script(ModelRefused("no tools", status=404), "Hello.", "Hello again.")
    assert reply_to_small_talk(conversation).content == "Hello."
    reply_to_small_talk(conversation)
    assert [bool(request.tools) for request in model.requests[3:]] == [True, False, False]


def test_model_that_only_calls_tools_is_named_as_such(conversation, model):
    model.script(*[CallingReply((SEARCH,))] * (MAX_ROUNDS + 1))
    reply = reply_to_small_talk(conversation)
    assert (reply.status, reply.notice) == ("failed", "The model kept calling tools instead of replying.")


def test_reply_from_memory_if_the_model_fails_after_a_tool_call(conversation, model):
    model.script(CallingReply((NOTE,)), ModelUnavailable("down"))
    reply = reply_to_small_talk(conversation)
    assert reply.model == MEMORY_ONLY
    assert "down" in reply.content
    assert Drawer.objects.get().content == "Minka likes tuna."
    assert messages_of(conversation).filter(role="tool").count() == 1


def test_draft_tracks_running_and_finished_tools():
    draft = Draft(calls=(ToolCall("1", "天気\x00", "{}"), ToolCall("2", "x" * 300, "{}")))
    waiting = draft.changed
    draft.show_running_tools()
    assert waiting.is_set()
    names = ["天気\ufffd", "x" * MAX_NAME_LENGTH]
    assert draft.tools == {"used": [], "using": names}
    draft.start_next_round()
    assert draft.tools == {"used": names}


@pytest.mark.usefixtures("close_connections", "fast_heartbeat")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("param", ["tools", "None"])
async def test_streaming_endpoint_refusing_tools_is_asked_without_them(alice, alice_client, param):
    refusal = Behaviour("chat", refuses="tools", error={"param": param})
    behaviours = refusal, Behaviour("chat", text="Hello there.")
    with OpenAIServer(*behaviours) as server, endpoint(server.base_url):
        async with asking(alice, alice_client, SMALL_TALK) as (chat, stream):
            events = await stream.all()
        assert "tools" not in server.received("chat")[-1].body
    assert events[-1].name == "done"
    assert [each.content for each in await in_thread(replies, chat)] == ["Hello there."]
