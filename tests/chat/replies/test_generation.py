"""Generating a reply: recall, prompt, and every kind of failure."""

import pytest
from django.db import DatabaseError

import chat.replies.recall as recall_module
from chat.agents import default_agent
from chat.branches import messages_of
from chat.conversations import NewMessage, append, update_settings
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.replies.generation import answer, describe_error, prepare
from chat.replies.jobs import claim, pending, request_reply, send_message
from chat.replies.recall import MEMORY_OFF, NOT_SEARCHED, NOTHING_ELSEWHERE, NOTHING_FOUND
from llm.errors import (
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from memory.models import Drawer, MemoryPreferences, RecallTrace
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, QUESTION, add_mined_chat, get_reply, mine_chat
from tests.fake_gateway import BrokenReply
from tests.openai_server import Behaviour

FAILURES = (
    ModelUnavailable("x"),
    ModelTimeout("x"),
    ModelRateLimited("x", retry_after=3.0),
    ModelRefused("x", status=401),
    ModelReplyInvalid("x"),
)


def system_message(model, request=-1):
    """The system message that the model received."""
    return model.requests[request].messages[0].content


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


def test_trace_identifies_drawers_without_quoting_them(as_alice, conversation, model):
    add_mined_chat(as_alice, CAT)
    model.script("Minka.")
    trace = RecallTrace.objects.get(id=get_reply(conversation).trace_id)
    (hit,) = trace.hits
    assert hit["drawer_id"] == str(Drawer.objects.get(content=CAT).id)
    assert hit["pointer"] == "§ W-001/R-01/D-001"
    assert hit["reason"].endswith(".")
    assert trace.trace["decision"]["search"] is True
    for kept in (trace.hits, trace.trace["considered"], trace.trace["cut"]):
        assert "cello" not in str(kept)


def test_current_chat_is_not_recalled(conversation, model):
    append(conversation, NewMessage("user", CAT), NOW)
    mine_chat(conversation)
    assert Drawer.objects.count() == 1
    model.script("Minka.")
    get_reply(conversation)
    assert "memory_context" not in system_message(model)


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


def test_agent_sets_instructions_and_model(as_alice, conversation, model):
    Agent.objects.filter(id=default_agent(as_alice.id).id).update(instructions="Rhyme.", model="poet-1")
    conversation.refresh_from_db()
    without_agent = Conversation.objects.create(user_id=as_alice.id, source="import")
    for chat in (conversation, without_agent):
        model.script("So be it.")
        get_reply(chat)
        assert model.requests[-1].model == "poet-1"
        assert system_message(model).startswith("Rhyme.")


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
    assert answer(conversation, generation, NOW) is None
    assert messages_of(conversation).count() == 1
    assert pending(conversation) is not None


def test_reply_without_a_model_quotes_drawers_verbatim(as_alice, conversation, embedder):
    reply = get_reply(conversation)
    assert reply.content == f"No language model is connected. {NOTHING_FOUND}"
    add_mined_chat(as_alice, CAT)
    reply = get_reply(conversation)
    assert (reply.model, reply.notice) == (MEMORY_ONLY, "")
    assert reply.content.startswith("> My cat is called Minka")
    assert "No language model is connected." in reply.content
    for words in (f"> {CAT}", "— You, 2 May 2025, ", "§ W-001/R-01/D-001"):
        assert words in reply.content


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


def test_reply_without_a_model_says_when_memory_was_not_searched(conversation, embedder, monkeypatch):
    assert get_reply(conversation, "Thanks!").content == f"No language model is connected. {NOT_SEARCHED}"

    def failing(request):
        raise DatabaseError

    monkeypatch.setattr(recall_module, "recall", failing)
    assert get_reply(conversation).content.endswith(NOT_SEARCHED)


def test_reply_without_a_model_and_memory_says_that_nothing_was_searched(as_alice, conversation, embedder):
    add_mined_chat(as_alice, CAT)
    MemoryPreferences.objects.create(user_id=as_alice.id, enabled=False)
    assert get_reply(conversation).content == f"No language model is connected. {MEMORY_OFF}"


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_reply_from_memory_names_the_error_of_the_model(as_alice, conversation, model, failure):
    add_mined_chat(as_alice, CAT)
    model.fail_with(failure)
    reply = get_reply(conversation)
    assert reply.model == MEMORY_ONLY
    assert f"> {CAT}" in reply.content
    assert reply.content.endswith(describe_error(failure))
    assert reply.notice == "", "the text has the reason already"
    model.fail_with(None)
    model.script("Minka!", "Yes.")
    again = answer(conversation, request_reply(conversation, 1, NOW), NOW)
    assert (again.content, again.parent_sequence) == ("Minka!", 1)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(status=401), "The model endpoint does not accept the key (401)."),
        (Behaviour(status=404), "The model endpoint does not know the model or the URL (404)."),
        (Behaviour(status=400, error={"code": "context_length_exceeded"}), "longer than the model can read"),
        (
            Behaviour(status=400, error={"message": "maximum context length is 9"}),
            "longer than the model can",
        ),
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


def test_failure_of_your_own_endpoint_says_where_to_mend_it():
    refusal = ModelRefused("The model endpoint does not accept the key (401).", status=401)
    assert describe_error(refusal, own=True).endswith("Settings › Models.")
    for status in (402, 413):
        assert "Settings" not in describe_error(ModelRefused("x", status=status), own=True)
    assert "Settings" not in describe_error(ModelUnavailable("x"), own=True)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second."),
        (120, "120 seconds."),
        (121, "3 minutes."),
        (3_600, "60 minutes."),
        (86_400, "24 hours."),
    ],
)
def test_waiting_time_is_told_in_fitting_units(seconds, words):
    failure = ModelRateLimited("Wait.", retry_after=seconds)
    assert describe_error(failure) == f"Wait. Try again in {words}"


@pytest.mark.parametrize(
    ("ending", "text", "words", "status"),
    [
        ("content_filter", "Half", "A content filter", "complete"),
        ("content_filter", "", "A content filter", "failed"),
        ("length", "", "reached its limit", "failed"),
        ("stop", "", "empty", "failed"),
    ],
)
def test_reply_says_how_it_ended(conversation, server, ending, text, words, status):
    server.script(Behaviour(text=text, finish_reason=ending))
    reply = get_reply(conversation, "Hello!")
    assert words in reply.notice
    assert reply.status == status


def test_memory_replies_are_not_sent_as_assistant_messages(conversation, model):
    model.fail_with(ModelUnavailable("down"))
    get_reply(conversation, "First question about bread")
    model.fail_with(None)
    model.script("Yes.")
    get_reply(conversation, "Second question about bread")
    assert turns(model.requests[-1]) == [
        ("user", "First question about bread\n\nSecond question about bread"),
    ]


def test_empty_and_interrupted_replies_are_failures(conversation, model):
    model.script("  \n", BrokenReply("Half", ModelUnavailable("gone")))
    reply = get_reply(conversation)
    assert reply.status == Message.Status.FAILED
    assert "empty" in reply.notice
    assert get_reply(conversation).model == MEMORY_ONLY
