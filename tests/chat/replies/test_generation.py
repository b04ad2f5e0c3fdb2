"""What is recalled and asked for a message, and every way in which that can fail."""

import pytest

from accounts.models import User
from chat.agents import default_agent
from chat.branches import messages_of
from chat.conversations import Choices, NewMessage, append, start, switch
from chat.models import Agent, Conversation, Message
from chat.replies.generation import answer, prepare
from chat.replies.jobs import claim, pending, say
from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeChat
from memory.models import Drawer, MemoryPreferences, RecallTrace
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.chat.replying import CAT, QUESTION, asked, remembered


def test_the_model_gets_what_was_said_in_another_chat(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    model.script("Minka, see § W-001/R-01/D-001.")
    reply = asked(conversation)
    assert reply.content == "Minka, see § W-001/R-01/D-001."
    assert (reply.status, reply.notice) == (Message.Status.COMPLETE, "")
    system, *turns = model.requests[-1].messages
    assert system.role == "system"
    assert CAT in system.content
    assert "§ W-001/R-01/D-001" in system.content
    assert [(turn.role, turn.content) for turn in turns] == [("user", QUESTION)]


def test_the_trace_names_the_drawers_and_never_quotes_them(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    model.script("Minka.")
    reply = asked(conversation)
    trace = RecallTrace.objects.get(id=reply.trace_id)
    drawer = Drawer.objects.get(content=CAT)
    assert [hit["drawer_id"] for hit in trace.hits] == [str(drawer.id)]
    (hit,) = trace.hits
    assert hit["pointer"] == "§ W-001/R-01/D-001"
    assert hit["reason"].endswith(".")
    assert trace.trace["decision"]["search"] is True
    for kept in (trace.hits, trace.trace["considered"], trace.trace["cut"]):
        assert "cello" not in str(kept)


def test_the_use_of_the_model_is_written_down(conversation: Conversation, model: FakeChat) -> None:
    model.script("Good morning to you.")
    reply = asked(conversation, "Good morning, tell me about bread")
    row = UsageRow.objects.get(user_id=conversation.user_id, source="chat")
    assert (row.input_tokens, row.output_tokens) == (reply.input_tokens, reply.output_tokens)
    assert row.output_tokens > 0


def test_the_running_chat_is_not_recalled_into_itself(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    append(conversation, NewMessage("user", CAT), NOW)
    mined(conversation)
    assert Drawer.objects.count() == 1
    model.script("Minka.")
    asked(conversation)
    assert "memory_context" not in model.requests[-1].messages[0].content


@pytest.mark.parametrize("switched_off", ["person", "agent", "chat"])
def test_memory_can_be_switched_off_by_person_agent_and_chat(
    as_alice: User, conversation: Conversation, model: FakeChat, switched_off: str
) -> None:
    remembered(as_alice, CAT)
    if switched_off == "person":
        MemoryPreferences.objects.create(user_id=as_alice.id, enabled=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=conversation.agent_id).update(recall_memory=False)
    else:
        switch(conversation, {"agent": None, "use_memory": False, "learn": True})
    model.script("I do not know.")
    conversation.refresh_from_db()
    reply = asked(conversation)
    assert CAT not in model.requests[-1].messages[0].content
    assert reply.trace_id is None


def test_switching_recall_off_for_one_agent_leaves_the_others_and_mining_alone(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    forgetful = Agent.objects.create(user_id=as_alice.id, name="Forgetful", recall_memory=False)
    other = start(as_alice.id, Choices(agent=forgetful), NOW)
    model.script("No idea.", "Minka.")
    asked(other)
    assert CAT not in model.requests[0].messages[0].content
    asked(conversation)
    assert CAT in model.requests[1].messages[0].content
    mined(other)
    assert Drawer.objects.filter(source_id=other.id).exists()


def test_quotes_of_memory_are_not_told_to_a_model_as_its_own_words(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    model.fail_with(ModelUnavailable("down"))
    asked(conversation, "First question about bread")
    model.fail_with(None)
    model.script("Yes.")
    asked(conversation, "Second question about bread")
    turns = model.requests[-1].messages[1:]
    assert [(turn.role, turn.content) for turn in turns] == [
        ("user", "First question about bread"),
        ("user", "Second question about bread"),
    ]


def test_the_agent_gives_instructions_and_names_the_model(
    conversation: Conversation, model: FakeChat
) -> None:
    Agent.objects.filter(id=conversation.agent_id).update(instructions="Answer in rhyme.", model="poet-1")
    conversation.refresh_from_db()
    model.script("So be it.")
    asked(conversation)
    assert model.requests[-1].model == "poet-1"
    assert model.requests[-1].messages[0].content.startswith("Answer in rhyme.")


def test_a_prompt_follows_the_branch_that_is_asked_about(conversation: Conversation, model: FakeChat) -> None:
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    append(conversation, NewMessage("assistant", "Rye."), NOW)
    append(conversation, NewMessage("assistant", "Wheat.", parent=1), NOW)
    message = append(conversation, NewMessage("user", "And the crust?", parent=2), NOW)
    prepared = prepare(conversation, message, NOW)
    assert [turn.content for turn in prepared.request.messages[1:]] == [
        "Tell me about bread",
        "Rye.",
        "And the crust?",
    ]


def test_a_reply_that_somebody_else_writes_is_left_to_them(
    conversation: Conversation, model: FakeChat
) -> None:
    _, generation = say(conversation, "Hello there, my friend", NOW)
    assert claim(generation, NOW)
    assert answer(conversation, generation, NOW) is None
    assert messages_of(conversation).count() == 1
    assert pending(conversation) is not None


def test_a_chat_without_an_agent_is_answered_by_the_default_one(as_alice: User, model: FakeChat) -> None:
    chat = Conversation.objects.create(user_id=as_alice.id, source="import")
    Agent.objects.filter(id=default_agent(as_alice.id).id).update(instructions="Be brief.")
    model.script("Yes.")
    asked(chat)
    assert model.requests[-1].messages[0].content.startswith("Be brief.")


def test_nothing_is_recalled_into_an_incognito_chat(
    as_alice: User, conversation: Conversation, model: FakeChat
) -> None:
    remembered(as_alice, CAT)
    Conversation.objects.filter(id=conversation.id).update(incognito=True)
    conversation.refresh_from_db()
    model.script("I do not know.")
    assert asked(conversation).trace_id is None
    assert CAT not in model.requests[-1].messages[0].content
