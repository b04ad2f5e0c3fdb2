"""Histories that programs send repeatedly are recognised and stored once."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.branches import branch, messages_of
from chat.conversations import Choices, NewMessage, ToolUse, append, start
from chat.external_threads import History, store_history
from chat.incognito import open_incognito
from chat.models import Conversation, Message
from chat.retention import remove
from tests.at_once import at_once
from tests.chat.conftest import NOW

LATER = NOW + timedelta(hours=2)
A, B, C, D = "user: I live in Łódź", "assistant: Noted.", "user: Where do I live?", "assistant: Łódź"
HI, HELLO, GOOD_DAY = "user: Hi", "assistant: Hello.", "assistant: Good day."


def history_of(*lines, external_id=""):
    """A history of lines such as "user: Hello"."""
    pairs = (line.partition(": ")[::2] for line in lines)
    return History(tuple(NewMessage(role, words) for role, words in pairs), external_id)


@pytest.fixture
def store(as_alice):
    """Store a history of Alice; returns its conversation."""

    def storing(*lines, now=NOW, **more):
        return store_history(as_alice.id, history_of(*lines, **more), now).conversation

    return storing


def lines_of(conversation):
    return [f"{row.role}: {row.content}" for row in messages_of(conversation).order_by("sequence")]


def test_growing_history_is_one_conversation(store):
    first = store("system: It is noon.", A, B)
    for _ in range(2):
        assert store("system: It is one o'clock.", A, B, C, D, now=LATER) == first
        assert lines_of(first) == ["system: It is noon.", A, B, C, D]
    conversation = Conversation.objects.get()
    assert conversation.source == Conversation.Source.API
    assert [each.parent_sequence for each in branch(conversation)] == [None, 1, 2, 3, 4]


def test_edited_message_or_other_reply_becomes_a_branch(store):
    conversation = store(A, B, C, D)
    edited = store(A, B, "user: Which country is that?", "assistant: Poland", now=LATER)
    assert edited == conversation
    shown = branch(edited)
    assert [each.content for each in shown][-2:] == ["Which country is that?", "Poland"]
    assert shown[-2].parent_sequence == 2
    store(A, B, C, "assistant: In Łódź.", now=LATER)
    replies = messages_of(conversation).filter(parent_sequence=3).values_list("content", flat=True)
    assert set(replies) == {"Łódź", "In Łódź."}
    assert len(lines_of(conversation)) == 7


def test_repeated_greeting_is_a_retry_within_minutes_and_a_new_chat_a_day_later(store):
    first = store(HI, HELLO)
    assert store(HI, GOOD_DAY, now=NOW + timedelta(minutes=1)) == first
    assert len(lines_of(first)) == 3
    tomorrow = NOW + timedelta(days=1)
    other = store(HI, "assistant: Good morning.", now=tomorrow)
    assert other != first
    assert store(HI, "assistant: Good morning.", C, now=tomorrow) == other


def test_truncated_reply_is_recognised(store):
    whole, part = "assistant: That is a fine city, is it", "assistant: That is a fine city,"
    conversation = store(A, whole)
    again = store(A, part, C, D, now=LATER)
    assert conversation != again, "after two hours a bare beginning is no conversation"
    assert store(A, part, C, D, "user: Thanks", now=LATER) == again
    conversation = store(C, whole)
    assert conversation == store(C, part, A) == store(C, part, A, B, now=LATER)
    assert lines_of(conversation) == [C, whole, A, B]


def test_external_id_identifies_the_conversation(store):
    one, two = (store(A, B, external_id=name) for name in ("one", "x" * 5000))
    assert one != two
    assert store(A, B, C, external_id="x" * 5000, now=LATER) == two
    assert store("user: No, Zürich", external_id="one", now=LATER) == one
    assert branch(one)[0].parent_sequence is None
    assert lines_of(one) == [A, B, "user: No, Zürich"]


def test_new_id_starts_a_conversation(store):
    started = [store(A, B), *(store(A, external_id=name) for name in ("one", "two")), store(A, B, C)]
    assert started[-1] == started[0]
    assert len(set(started)) == 3
    assert store(C, external_id="one", now=LATER) == started[1]


def test_own_id_identifies_the_conversation(store, as_alice, bob):
    one = store(A, B, external_id="one")
    assert store(C, external_id=str(one.id), now=LATER) == one
    one.refresh_from_db()
    assert [f"{row.role}: {row.content}" for row in branch(one)] == [A, B, C], "it continues the chat"
    assert store(C, D, external_id=str(one.id), now=LATER) == one
    assert store("system: Be short.", "user: Thanks", external_id=str(one.id), now=LATER) == one
    assert lines_of(one) == [A, B, C, D, "user: Thanks"]
    with tenant(bob.id):
        foreign = store_history(bob.id, history_of(A, B), NOW).conversation
    started = store(C, external_id=str(foreign.id))
    assert started.id not in {one.id, foreign.id}


def test_repeated_words_continue_a_chat_of_known_id(store):
    chat = store(A, B, external_id="one")
    for id_ in ["one", str(chat.id)] * 2:
        assert store("user: Go on", "assistant: Good.", external_id=id_, now=LATER) == chat
    assert store("user: Go on", external_id="one", now=LATER) == chat
    assert store("user: Go on", "assistant: Good.", external_id="one", now=LATER) == chat, "a retry"
    chat.refresh_from_db()
    assert [row.content for row in branch(chat)][2:] == ["Go on", "Good."] * 5


def test_chat_of_the_site_is_continued_by_its_id(store, as_alice):
    chat = start(as_alice.id, Choices(), NOW)
    assert store("system: Be short.", A, external_id=str(chat.id)) == chat
    append(chat, NewMessage("assistant", "Noted."), NOW)
    append(chat, NewMessage("user", "Where do I live?"), NOW)
    assert store("system: Be short.", A, B, C, D, external_id=str(chat.id)) == chat
    assert store(A, B, "user: Where?", "assistant: Here.", external_id=str(chat.id)) == chat
    lines = ["system: Be short.", A, B, C, D, "user: Where?", "assistant: Here."]
    assert lines_of(chat) == lines
    chat.refresh_from_db()
    assert [row.content for row in branch(chat)][-3:] == ["Noted.", "Where?", "Here."]
    hidden = open_incognito(as_alice.id, None, "session", NOW)
    assert store(A, B, external_id=str(hidden.id), now=LATER) != hidden
    remove(chat, NOW, forget_too=False)
    assert store("user: Anyone?", external_id=str(chat.id)) != chat


def test_deleted_history_is_not_stored_again(store, as_alice):
    conversation = store(A, B, C, D, external_id="one")
    remove(conversation, NOW, forget_too=True)
    assert store_history(as_alice.id, history_of(A, B, C, D, external_id="one"), LATER) is None
    other = store(A, B, C, D, "user: And now?", external_id="one", now=LATER)
    assert other != conversation
    assert lines_of(other) == ["user: And now?"]
    grown = (A, B, C, D, "user: And now?", "assistant: Nothing.")
    assert store(*grown, external_id="one", now=LATER) == other


def test_tool_calls_are_recognised_despite_different_json_formatting(as_alice):
    def storing(arguments):
        call = NewMessage("assistant", "", tool=ToolUse("weather", arguments, "c1"))
        result = NewMessage("tool", "rain", tool=ToolUse(call_id="c1"))
        return store_history(as_alice.id, History((NewMessage("user", "Will it rain?"), call, result)), NOW)

    first = storing('{"city": "Łódź", "day": 1}')
    assert storing('{"day":1,"city":"Łódź"}').conversation == first.conversation
    assert Message.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_requests_of_a_thousand_messages_are_stored_once(alice):
    lines = [f"{'user' if n % 2 else 'assistant'}: line {n}" for n in range(1, 1001)]

    def attempt(_):
        with tenant(alice.id):
            return store_history(alice.id, history_of(*lines), NOW).conversation.id

    assert len(set(at_once(attempt, 4))) == 1
    with tenant(alice.id):
        conversation = Conversation.objects.get()
        assert (lines_of(conversation), conversation.title) == (lines, "line 1")
