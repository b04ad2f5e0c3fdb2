"""Generating a reply: recall, prompt, tools, and every kind of failure."""

import json
from datetime import timedelta

import pytest
from django.db import DatabaseError

import chat.replies.recall as recall_module
from chat.branches import branch, messages_of
from chat.conversations import NewMessage, append, choose_model, update_settings
from chat.mining.transcripts import transcript
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.replies import recall
from chat.replies.generation import describe_error, prepare
from chat.replies.jobs import claim, pending, request_reply, send_message, steps_to_reply
from chat.replies.recall import MEMORY_OFF, NOT_SEARCHED, NOTHING_ELSEWHERE, NOTHING_FOUND
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
)
from llm.errors import ModelRateLimited, ModelRefused, ModelUnavailable
from llm.types import ToolCall
from memory.models import Drawer, MemoryPreferences, RecallTrace
from memory.models import Usage as UsageRow
from memory.recall.types import RecallSettings
from tests.chat.conftest import NOW
from tests.chat.following import write, write_in_this_thread
from tests.chat.replying import CAT, QUESTION, add_mined_chat, get_reply, mine_chat
from tests.fake_gateway import CallingReply
from tests.openai_server import Behaviour


def system_message(model):
    """The system message that the model received last."""
    return model.requests[-1].messages[0].content


def turns(request):
    return [(turn.role, turn.content) for turn in request.messages[1:]]


def test_prompt_contains_recalled_messages_of_other_chats(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script("Minka, see § W-001/R-01/D-001.")
    reply = get_reply(conversation)
    assert reply.content == "Minka, see § W-001/R-01/D-001."
    assert (reply.status, reply.notice, reply.parent_sequence) == (Message.Status.COMPLETE, "", 1)
    assert model.requests[-1].messages[0].role == "system"
    assert CAT in system_message(model)
    assert "§ W-001/R-01/D-001" in system_message(model)
    assert turns(model.requests[-1]) == [("user", QUESTION)]
    row = UsageRow.objects.get(user_id=as_alice.id, source="chat")
    assert (row.input_tokens, row.output_tokens) == (reply.input_tokens, reply.output_tokens)
    assert row.output_tokens > 0
    trace = RecallTrace.objects.get(id=reply.trace_id)
    (hit,) = trace.hits
    assert hit["drawer_id"] == str(Drawer.objects.get(content=CAT).id)
    assert hit["pointer"] == "§ W-001/R-01/D-001"
    assert hit["reason"].endswith(".")
    assert trace.trace["decision"]["search"] is True
    for kept in (trace.hits, trace.trace["considered"], trace.trace["cut"]):
        assert "cello" not in str(kept), "a trace quotes no drawer"


@pytest.mark.parametrize("switched_off", ["user", "agent", "chat", "incognito"])
def test_recall_can_be_switched_off_by_user_agent_and_chat(as_alice, conversation, model, switched_off):
    add_mined_chat(as_alice, CAT)
    if switched_off == "user":
        MemoryPreferences.objects.create(user_id=as_alice.id, enabled=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=conversation.agent_id).update(recall_memory=False)
    elif switched_off == "chat":
        update_settings(conversation, {"agent": None, "recall_memory": False, "mine": True})
    else:
        Conversation.objects.filter(id=conversation.id).update(incognito=True)
    model.script("I do not know.")
    conversation.refresh_from_db()
    assert get_reply(conversation).trace_id is None
    assert CAT not in system_message(model)


def test_prompt_contains_only_the_branch_of_the_message(conversation, model):
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    append(conversation, NewMessage("assistant", "Rye."), NOW)
    append(conversation, NewMessage("assistant", "Wheat.", parent=1), NOW)
    message = append(conversation, NewMessage("user", "And the crust?", parent=2), NOW)
    request = prepare(conversation, message, NOW).request
    assert [words for _, words in turns(request)] == ["Tell me about bread", "Rye.", "And the crust?"]


def test_claimed_reply_is_not_generated_twice(conversation, model):
    _, generation = send_message(conversation, "Hello there, my friend", NOW)
    assert claim(generation, NOW)
    write_in_this_thread(generation)
    assert messages_of(conversation).count() == 1
    assert pending(conversation) is not None


def test_reply_without_a_model_quotes_drawers_or_says_why_not(as_alice, conversation, embedder, monkeypatch):
    def failing(request):
        raise DatabaseError

    no_model = "No language model is connected. "
    assert get_reply(conversation).content == no_model + NOTHING_FOUND
    assert get_reply(conversation, "Thanks!").content == no_model + NOT_SEARCHED
    add_mined_chat(as_alice, CAT)
    reply = get_reply(conversation)
    assert (reply.model, reply.notice) == (MEMORY_ONLY, "")
    assert reply.content.startswith("> My cat is called Minka")
    for words in (no_model.strip(), f"> {CAT}", "— You, 2 May 2025, ", "§ W-001/R-01/D-001"):
        assert words in reply.content
    with monkeypatch.context() as patch:
        patch.setattr(recall_module, "recall", failing)
        assert get_reply(conversation).content.endswith(NOT_SEARCHED)
    MemoryPreferences.objects.create(user_id=as_alice.id, enabled=False)
    assert get_reply(conversation).content == no_model + MEMORY_OFF


@pytest.mark.parametrize("mined", [False, True])
def test_reply_without_a_model_quotes_the_same_chat(conversation, embedder, mined):
    first = get_reply(conversation, "My password is hunter2, and I am allergic to walnuts.")
    assert first.content.endswith(NOTHING_FOUND), "a message is no answer to itself"
    get_reply(conversation, "I am allergic to walnuts.")
    if mined:
        mine_chat(conversation)
    reply = get_reply(conversation, "What am I allergic to?")
    assert reply.content.startswith("> I am allergic to walnuts.")
    assert get_reply(conversation, "What am I allergic to?").content.count("> What") == 0


def test_failed_model_says_that_only_other_chats_were_searched(conversation, model):
    append(conversation, NewMessage("user", "I am allergic to walnuts."), NOW)
    model.fail_with(ModelUnavailable("x"))
    assert get_reply(conversation, "What am I allergic to?").content.endswith(NOTHING_ELSEWHERE)


def test_reply_from_memory_names_the_error_of_the_model_and_can_be_retried(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script(ModelRateLimited("Wait.", retry_after=3.0), "Minka!", "Yes.")
    reply = get_reply(conversation)
    assert reply.model == MEMORY_ONLY
    assert f"> {CAT}" in reply.content
    assert reply.content.endswith("Wait. Try again in 3 seconds.")
    assert reply.notice == "", "the text has the reason already"
    again = write(request_reply(conversation, 1, NOW))
    assert (again.content, again.parent_sequence) == ("Minka!", 1)
    get_reply(conversation, "And what else?")
    assert turns(model.requests[-1]) == [
        ("user", QUESTION),
        ("assistant", "Minka!"),
        ("user", "And what else?"),
    ]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(status=401), "The model endpoint does not accept the key (401)."),
        (Behaviour(status=404), "The model endpoint does not know the model or the URL (404)."),
        (Behaviour(status=400, error={"code": "context_length_exceeded"}), "longer than the model can read"),
        (Behaviour(status=400, error={"param": "messages"}), "rejected the request (400)."),
        (Behaviour(status=429, error={"code": "insufficient_quota"}), "has no credit (429)."),
        (Behaviour(status=429, retry_after="7"), "asks to wait (429). Try again in 7 seconds."),
        (Behaviour(status=500), "The model endpoint failed (500)."),
        (Behaviour(raw="<html>"), "sent a response that cannot be read."),
    ],
)
def test_each_failure_of_the_endpoint_has_its_sentence(conversation, server, behaviour, words):
    server.script(*[behaviour] * 4)
    reply = get_reply(conversation, "Hello!")
    assert words in reply.content
    assert "Settings" not in reply.content, "the endpoint is not the user's own"
    assert len(server.received("chat")) == (2 if behaviour.status == 404 else 1)


def test_failure_says_when_to_try_again_and_where_to_mend_your_own_endpoint():
    for seconds, words in (
        (0.2, "1 second."),
        (120, "120 seconds."),
        (121, "3 minutes."),
        (86_400, "24 hours."),
    ):
        failure = ModelRateLimited("Wait.", retry_after=seconds)
        assert describe_error(failure) == f"Wait. Try again in {words}"
    refusal = ModelRefused("The model endpoint does not accept the key (401).", status=401)
    assert describe_error(refusal, own=True).endswith("Settings › Models.")
    for other in (ModelRefused("x", status=402), ModelUnavailable("x")):
        assert "Settings" not in describe_error(other, own=True)


@pytest.mark.parametrize(
    ("ending", "text", "words", "status"),
    [
        ("content_filter", "Half", "A content filter", "complete"),
        ("content_filter", "", "A content filter", "failed"),
        ("length", "", "reached its limit", "failed"),
        ("stop", " \n", "empty", "failed"),
    ],
)
def test_reply_says_how_it_ended(conversation, server, ending, text, words, status):
    server.script(Behaviour(text=text, finish_reason=ending))
    reply = get_reply(conversation, "Hello!")
    assert words in reply.notice
    assert reply.status == status


SEARCH = ToolCall("c1", "recall_memory", json.dumps({"query": "the name of my cat", "n": 1, "empty": ""}))
NOTE = ToolCall("c2", "save_note", json.dumps({"text": "Minka likes tuna."}))
SMALL_TALK = "Hello!"  # which triggers no recall: anything recalled comes from a tool


def reply_to_small_talk(conversation):
    return get_reply(conversation, SMALL_TALK)


@pytest.fixture
def call_tool(as_alice, embedder, conversation):
    """Calls one of the `offered` tools."""

    def calling(name, arguments, offered=tuple(SPECS)):
        specs = tuple(SPECS[each] for each in offered)
        context = ToolContext(as_alice.id, conversation.id, RecallSettings(time_limit_ms=5_000), specs)
        return execute_tool(context, ToolCall("1", name, arguments), NOW)

    return calling


def test_recall_tool_returns_memory_and_stores_a_trace(as_alice, call_tool):
    add_mined_chat(as_alice, CAT)
    result = call_tool("recall_memory", SEARCH.arguments)
    assert result.text.startswith("<memory_context>")
    assert CAT in result.text
    trace = RecallTrace.objects.get(id=result.trace_id)
    assert [hit["drawer_id"] for hit in trace.hits] == [str(Drawer.objects.get().id)]
    assert call_tool("recall_memory", '{"query": "quantum loops"}').text == NOTHING_FITS


@pytest.mark.parametrize("text", ["Buy rye flour on Friday.", "週五買黑麥粉。", "شراء الدقيق 🥖"])
def test_note_tool_files_a_note_and_returns_its_pointer(call_tool, text):
    result = call_tool("save_note", f'{{"text": "{text}", "subject": "Bread"}}')
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
def test_invalid_tool_call_returns_an_explanation(call_tool, name, arguments, words):
    assert call_tool(name, arguments).text.startswith(words)
    assert not Drawer.objects.exists()


def test_failed_or_unoffered_tool_returns_an_explanation(call_tool, monkeypatch):
    def broken(*_):
        raise DatabaseError

    assert call_tool("save_note", NOTE.arguments, offered=["recall_memory"]).text == UNKNOWN_TOOL
    monkeypatch.setattr(recall, "recall", broken)
    monkeypatch.setattr("chat.replies.tools.save_note", broken)
    assert "unavailable" in call_tool("recall_memory", SEARCH.arguments).text
    assert call_tool("save_note", NOTE.arguments).text == UNAVAILABLE
    assert not Drawer.objects.exists()


def test_tool_calls_and_results_are_stored_before_the_reply(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script(CallingReply((SEARCH, NOTE), "Let me see."), "She is called Minka.")
    reply_to_small_talk(conversation)
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


def test_every_round_with_tools_is_billed_and_kept_in_later_prompts(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script(CallingReply((SEARCH, NOTE), "Let me see."), "She is called Minka.", "Yes.")
    reply = reply_to_small_talk(conversation)
    rows = UsageRow.objects.filter(source="chat")
    assert rows.count() == 2
    assert reply.input_tokens == sum(row.input_tokens for row in rows)
    assert reply.output_tokens == sum(row.output_tokens for row in rows)
    conversation.refresh_from_db()
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
    failed = reply_to_small_talk(conversation)
    assert failed.status == Message.Status.FAILED
    assert failed.notice == "The model kept calling tools instead of replying."
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


def test_model_refusing_tools_is_asked_without_them_for_a_week(conversation, model):
    model.script(*[ModelRefused("no", status=400)] * 2, ModelRefused("wrong key", status=401))
    for requests in (2, 3):
        reply_to_small_talk(conversation)
        assert len(model.requests) == requests
    assert model.requests[2].tools, "it refuses everything"
    model.script(ModelRefused("no tools", status=404), *["Hello."] * 5)
    assert reply_to_small_talk(conversation).content == "Hello."
    for other in ("another-model", ""):
        choose_model(conversation, other)
        reply_to_small_talk(conversation)
    for days in (6, 8):
        get_reply(conversation, SMALL_TALK, NOW + timedelta(days=days))
    assert [bool(request.tools) for request in model.requests[3:]] == [True, False, True, False, False, True]


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


@pytest.mark.parametrize("param", ["tools", "None"])
def test_endpoint_refusing_tools_is_asked_without_them(conversation, server, param):
    server.script(Behaviour("chat", refuses="tools", error={"param": param}), Behaviour(text="Hello there."))
    assert reply_to_small_talk(conversation).content == "Hello there."
    assert "tools" not in server.received("chat")[-1].body
