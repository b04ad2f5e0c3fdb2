"""What is recalled and asked for a message, and every way in which that can fail."""

import pytest

from chat.agents import default_agent
from chat.branches import messages_of
from chat.conversations import NewMessage, append, update_settings
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.replies.generation import answer, describe_error, prepare
from chat.replies.jobs import claim, pending, request_reply, send_message
from chat.replies.prompts import NOTHING_FOUND
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
from tests.chat.replying import CAT, QUESTION, asked, mined, remembered
from tests.fake_gateway import BrokenReply

FAILURES = (
    ModelUnavailable("x"),
    ModelTimeout("x"),
    ModelRateLimited("x", retry_after=3.0),
    ModelRefused("x", status=401),
    ModelReplyInvalid("x"),
)


def told(model, request=-1):
    """The system message that the model got."""
    return model.requests[request].messages[0].content


def turns(request):
    return [(turn.role, turn.content) for turn in request.messages[1:]]


def test_the_model_gets_what_was_said_in_another_chat(as_alice, conversation, model):
    remembered(as_alice, CAT)
    model.script("Minka, see § W-001/R-01/D-001.")
    reply = asked(conversation)
    assert reply.content == "Minka, see § W-001/R-01/D-001."
    assert (reply.status, reply.notice, reply.parent_sequence) == (Message.Status.COMPLETE, "", 1)
    assert model.requests[-1].messages[0].role == "system"
    assert CAT in told(model)
    assert "§ W-001/R-01/D-001" in told(model)
    assert turns(model.requests[-1]) == [("user", QUESTION)]
    row = UsageRow.objects.get(user_id=as_alice.id, source="chat")
    assert (row.input_tokens, row.output_tokens) == (reply.input_tokens, reply.output_tokens)
    assert row.output_tokens > 0


def test_the_trace_names_the_drawers_and_never_quotes_them(as_alice, conversation, model):
    remembered(as_alice, CAT)
    model.script("Minka.")
    trace = RecallTrace.objects.get(id=asked(conversation).trace_id)
    (hit,) = trace.hits
    assert hit["drawer_id"] == str(Drawer.objects.get(content=CAT).id)
    assert hit["pointer"] == "§ W-001/R-01/D-001"
    assert hit["reason"].endswith(".")
    assert trace.trace["decision"]["search"] is True
    for kept in (trace.hits, trace.trace["considered"], trace.trace["cut"]):
        assert "cello" not in str(kept)


def test_the_running_chat_is_not_recalled_into_itself(conversation, model):
    append(conversation, NewMessage("user", CAT), NOW)
    mined(conversation)
    assert Drawer.objects.count() == 1
    model.script("Minka.")
    asked(conversation)
    assert "memory_context" not in told(model)


@pytest.mark.parametrize("switched_off", ["person", "agent", "chat", "incognito"])
def test_recall_is_switched_off_by_person_agent_and_chat(as_alice, conversation, model, switched_off):
    remembered(as_alice, CAT)
    if switched_off == "person":
        MemoryPreferences.objects.create(user_id=as_alice.id, enabled=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=conversation.agent_id).update(recall_memory=False)
    elif switched_off == "chat":
        update_settings(conversation, {"agent": None, "use_memory": False, "learn": True})
    else:
        Conversation.objects.filter(id=conversation.id).update(incognito=True)
    model.script("I do not know.")
    conversation.refresh_from_db()
    assert asked(conversation).trace_id is None
    assert CAT not in told(model)


def test_the_agent_gives_instructions_and_the_model(as_alice, conversation, model):
    Agent.objects.filter(id=default_agent(as_alice.id).id).update(instructions="Rhyme.", model="poet-1")
    conversation.refresh_from_db()
    without_agent = Conversation.objects.create(user_id=as_alice.id, source="import")
    for chat in (conversation, without_agent):
        model.script("So be it.")
        asked(chat)
        assert model.requests[-1].model == "poet-1"
        assert told(model).startswith("Rhyme.")


def test_a_prompt_follows_the_branch_that_is_asked_about(conversation, model):
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    append(conversation, NewMessage("assistant", "Rye."), NOW)
    append(conversation, NewMessage("assistant", "Wheat.", parent=1), NOW)
    message = append(conversation, NewMessage("user", "And the crust?", parent=2), NOW)
    request = prepare(conversation, message, NOW).request
    assert [words for _, words in turns(request)] == ["Tell me about bread", "Rye.", "And the crust?"]


def test_a_reply_that_somebody_else_writes_is_left_to_them(conversation, model):
    _, generation = send_message(conversation, "Hello there, my friend", NOW)
    assert claim(generation, NOW)
    assert answer(conversation, generation, NOW) is None
    assert messages_of(conversation).count() == 1
    assert pending(conversation) is not None


def test_without_a_model_the_best_drawers_are_quoted_word_for_word(as_alice, conversation, embedder):
    reply = asked(conversation)
    assert reply.content == f"No language model is connected. {NOTHING_FOUND}"
    remembered(as_alice, CAT)
    reply = asked(conversation)
    assert (reply.model, reply.notice) == (MEMORY_ONLY, "")
    assert reply.content.startswith("> My cat is called Minka")
    assert "No language model is connected." in reply.content
    for words in (f"> {CAT}", "— You, 2 May 2025, ", "§ W-001/R-01/D-001"):
        assert words in reply.content


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_when_the_model_fails_memory_answers_and_says_why(as_alice, conversation, model, failure):
    remembered(as_alice, CAT)
    model.fail_with(failure)
    reply = asked(conversation)
    assert reply.model == MEMORY_ONLY
    assert f"> {CAT}" in reply.content
    assert reply.notice == describe_error(failure)
    assert reply.content.endswith(reply.notice)
    model.fail_with(None)
    model.script("Minka!", "Yes.")
    again = answer(conversation, request_reply(conversation, 1, NOW), NOW)
    assert (again.content, again.parent_sequence) == ("Minka!", 1)


def test_quotes_of_memory_are_not_told_to_a_model_as_its_own_words(conversation, model):
    model.fail_with(ModelUnavailable("down"))
    asked(conversation, "First question about bread")
    model.fail_with(None)
    model.script("Yes.")
    asked(conversation, "Second question about bread")
    assert turns(model.requests[-1]) == [
        ("user", "First question about bread"),
        ("user", "Second question about bread"),
    ]


def test_an_empty_or_broken_reply_is_a_failure(conversation, model):
    model.script("  \n", BrokenReply("Half", ModelUnavailable("gone")))
    reply = asked(conversation)
    assert reply.status == Message.Status.FAILED
    assert "empty" in reply.notice
    assert asked(conversation).model == MEMORY_ONLY
