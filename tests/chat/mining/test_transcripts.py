"""The transcripts of chats that mining reads."""

from datetime import timedelta

import pytest

from chat.mining.transcripts import transcript
from chat.models import MEMORY_ONLY, Message
from memory.mining.transcripts import CONVERSATION
from tests.drills.ledger import NOW, Said, converse

BEGAN = NOW - timedelta(days=30)


@pytest.fixture
def long_chat(as_alice):
    return converse(as_alice.id, *[f"Number {number}." for number in range(1, 13)])


def test_transcript_names_its_chat_and_keeps_text_unchanged(as_alice):
    words = ("  I said\r\n\tthis. ", "好的 😀", "", "Да")
    chat = converse(as_alice.id, *words, title="花园", project="Garden")
    found = transcript(chat, 0, 10)
    assert (found.user_id, found.source_kind, found.source_id) == (as_alice.id, CONVERSATION, chat.id)
    assert (found.title, found.project) == ("花园", "Garden")
    assert found.started_at == BEGAN
    assert [(turn.sequence, turn.role, turn.content, turn.said_at) for turn in found.turns] == [
        (number, "user" if number % 2 else "assistant", text, BEGAN + timedelta(minutes=number - 1))
        for number, text in enumerate(words, 1)
    ]
    ids = Message.objects.order_by("sequence").values_list("id", flat=True)
    assert [turn.message_id for turn in found.turns] == list(ids)


@pytest.mark.parametrize(
    ("after", "most", "turns", "earlier"),
    [
        (0, 3, [1, 2, 3], []),
        (1, 3, [2, 3, 4], [1]),
        (8, 3, [9, 10, 11], [7, 8]),
        (10, 99, [11, 12], [9, 10]),
        (12, 5, [], [11, 12]),
    ],
)
def test_span_starts_after_mined_messages_with_two_turns_of_context(long_chat, after, most, turns, earlier):
    found = transcript(long_chat, after, most)
    assert [turn.sequence for turn in found.turns] == turns
    assert [turn.content for turn in found.earlier] == [f"Number {number}." for number in earlier]


def test_thoughts_of_an_assistant_are_not_mined(as_alice):
    thought = "<think>They may like tea.</think>\n\nNoted."
    replies = [Said(text, role="assistant") for text in (thought, "<think>They may", "  code")]
    chat = converse(as_alice.id, Said(thought, role="user"), *replies)
    contents = [turn.content for turn in transcript(chat, 0, 10).turns]
    assert contents == [thought, "Noted.", "", "  code"]
    assert Message.objects.filter(content=thought).count() == 2


def test_tool_calls_keep_their_parts_and_memory_replies_become_system_turns(as_alice):
    call = {"tool_name": "weather", "tool_arguments": '{"city": "Porto"}', "call_id": "call-1"}
    chat = converse(
        as_alice.id,
        Said("Be kind.", role="system"),
        Said("What did I say?", role="user"),
        Said("You said: boats.", extra={"model": MEMORY_ONLY}, role="assistant"),
        Said("", role="assistant", extra=call),
        Said("Rain.", role="tool", extra={"tool_name": "weather", "call_id": "call-1"}),
    )
    *rest, asked, answered = transcript(chat, 0, 10).turns
    assert [turn.role for turn in rest] == ["system", "user", "system"]
    assert {name: getattr(asked, name) for name in call} == call
    assert (answered.role, answered.tool_name, answered.call_id) == ("tool", "weather", "call-1")
