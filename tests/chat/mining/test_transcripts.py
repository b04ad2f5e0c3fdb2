"""What memory is handed of a chat."""

from dataclasses import FrozenInstanceError
from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.transcripts import conversation_of, transcript
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from memory.mining.transcripts import CONVERSATION
from tests.drills.ledger import NOW, Said, converse

BEGAN = NOW - timedelta(days=30)


def contents(turns):
    return [turn.content for turn in turns]


@pytest.fixture
def long_chat(as_alice):
    return converse(as_alice.id, *[f"Number {number}." for number in range(1, 13)])


def test_it_names_its_chat_and_its_owner(as_alice):
    agent = Agent.objects.create(user_id=as_alice.id, name="Gärtner")
    chat = converse(as_alice.id, "Hi.", title="花园", project="Garden", agent_id=agent.id)
    told = transcript(chat, 0, 10)
    assert (told.user_id, told.source_kind, told.source_id) == (
        as_alice.id, CONVERSATION, chat.id,
    )  # fmt: skip
    assert (told.title, told.project, told.agent_name) == ("花园", "Garden", "Gärtner")
    assert told.started_at == BEGAN


def test_a_chat_without_an_agent_has_no_name_for_it(as_alice):
    assert transcript(converse(as_alice.id, "Hi."), 0, 10).agent_name == ""


def test_turns_come_word_for_word_in_their_order(as_alice):
    words = ("  I said\r\n\tthis. ", "好的 😀", "", "Да")
    told = transcript(converse(as_alice.id, *words), 0, 10)
    assert contents(told.turns) == list(words)
    assert [turn.sequence for turn in told.turns] == [1, 2, 3, 4]
    assert [turn.role for turn in told.turns] == ["user", "assistant", "user", "assistant"]
    assert [turn.said_at for turn in told.turns] == [BEGAN + timedelta(minutes=number) for number in range(4)]
    ids = set(Message.objects.values_list("id", flat=True))
    assert {turn.message_id for turn in told.turns} == ids


@pytest.mark.parametrize(
    ("after", "most", "turns", "earlier"),
    [
        (0, 3, [1, 2, 3], []),
        (1, 3, [2, 3, 4], [1]),
        (2, 3, [3, 4, 5], [1, 2]),
        (8, 3, [9, 10, 11], [7, 8]),
        (10, 99, [11, 12], [9, 10]),
        (12, 5, [], [11, 12]),
    ],
)
def test_a_span_begins_behind_the_pointer_with_two_turns_for_context(long_chat, after, most, turns, earlier):
    told = transcript(long_chat, after, most)
    assert contents(told.turns) == [f"Number {number}." for number in turns]
    assert contents(told.earlier) == [f"Number {number}." for number in earlier]


def test_tool_calls_come_with_their_name_arguments_and_id(as_alice):
    call: dict[str, object] = {
        "tool_name": "weather", "tool_arguments": '{"city": "Porto"}', "call_id": "call-1",
    }  # fmt: skip
    chat = converse(
        as_alice.id,
        "How is it out?",
        Said("", role="assistant", extra=call),
        Said("Rain.", role="tool", extra={"tool_name": "weather", "call_id": "call-1"}),
    )
    _, asked, answered = transcript(chat, 0, 10).turns
    assert (asked.tool_name, asked.tool_arguments, asked.call_id) == (
        "weather", '{"city": "Porto"}', "call-1",
    )  # fmt: skip
    assert (answered.role, answered.tool_name, answered.call_id) == ("tool", "weather", "call-1")


def test_a_reply_from_memory_counts_among_the_system_turns(as_alice):
    chat = converse(
        as_alice.id,
        Said("Be kind.", role="system"),
        Said("What did I say?", role="user"),
        Said("You said: boats.", extra={"model": MEMORY_ONLY}),
        Said("Boats!", role="assistant", extra={"model": "some/model"}),
    )
    roles = [turn.role for turn in transcript(chat, 0, 10).turns]
    assert roles == ["system", "user", "system", "assistant"]


def test_nobody_elses_messages_are_in_it(as_alice, bob, long_chat):
    with tenant(bob.id):
        assert transcript(long_chat, 0, 99).turns == ()


def test_what_was_handed_over_cannot_be_changed(long_chat):
    told = transcript(long_chat, 0, 2)
    with pytest.raises(FrozenInstanceError):
        told.turns[0].content = "Something else."


def test_the_chat_of_a_room_is_found_as_long_as_it_is_there(as_alice, bob, long_chat):
    assert conversation_of(as_alice.id, long_chat.id) == long_chat
    assert conversation_of(as_alice.id, as_alice.id) is None
    with tenant(bob.id):
        assert conversation_of(bob.id, long_chat.id) is None
    Conversation.objects.filter(id=long_chat.id).update(deleted_at=NOW)
    assert conversation_of(as_alice.id, long_chat.id) is None
