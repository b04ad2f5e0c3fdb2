"""Histories that programs send again and again are recognised, and kept once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from chat.branches import branch, messages_of
from chat.conversations import NewMessage, ToolUse
from chat.external_threads import History, keep, place_of
from chat.models import Conversation, Message
from chat.retention import remove
from tests.chat.conftest import NOW

LATER = NOW + timedelta(hours=2)


def told(*lines: str, external_id: str = "") -> History:
    """A history of lines such as "user: Hello"."""
    pairs = (line.partition(": ")[::2] for line in lines)
    return History(tuple(NewMessage(role, words) for role, words in pairs), external_id)


def kept(user: User, history: History, now: datetime = NOW) -> Conversation:
    return keep(user.id, history, now).conversation


def ledger(conversation: Conversation) -> list[str]:
    rows = messages_of(conversation).order_by("sequence")
    return [f"{row.role}: {row.content}" for row in rows]


A, B, C, D = (
    "user: I live in Łódź",
    "assistant: Noted.",
    "user: Where do I live?",
    "assistant: Łódź",
)


def test_a_history_that_grows_is_one_conversation(as_alice: User) -> None:
    first = kept(as_alice, told(A, B))
    again = kept(as_alice, told(A, B, C, D), LATER)
    assert first == again
    assert ledger(first) == [A, B, C, D]
    assert Conversation.objects.get(user_id=as_alice.id).source == Conversation.Source.API
    assert [each.parent_sequence for each in branch(again)] == [None, 1, 2, 3]


def test_the_same_request_twice_adds_nothing(as_alice: User) -> None:
    kept(as_alice, told(A, B, C, D))
    kept(as_alice, told(A, B, C, D), LATER)
    assert Message.objects.filter(user_id=as_alice.id).count() == 4


def test_instructions_that_change_do_not_hide_what_is_known(as_alice: User) -> None:
    first = kept(as_alice, told("system: It is noon.", A, B))
    again = kept(as_alice, told("system: It is one o'clock.", A, B, C, D), LATER)
    assert ledger(again) == ["system: It is noon.", A, B, C, D]
    assert first == again


def test_an_edited_history_becomes_a_branch(as_alice: User) -> None:
    conversation = kept(as_alice, told(A, B, C, D))
    edited = kept(as_alice, told(A, B, "user: Which country is that?", "assistant: Poland"), LATER)
    assert edited == conversation
    shown = branch(edited)
    assert [each.content for each in shown][-2:] == ["Which country is that?", "Poland"]
    assert shown[-2].parent_sequence == 2
    assert len(ledger(conversation)) == 6


def test_another_reply_to_the_same_message_is_a_branch(as_alice: User) -> None:
    conversation = kept(as_alice, told(A, B, C, D))
    kept(as_alice, told(A, B, C, "assistant: In Łódź."), LATER)
    parents = messages_of(conversation).filter(parent_sequence=3).values_list("content", flat=True)
    assert set(parents) == {"Łódź", "In Łódź."}


def test_a_first_message_said_again_at_once_is_a_second_try(as_alice: User) -> None:
    first = kept(as_alice, told("user: Hi", "assistant: Hello."))
    again = kept(as_alice, told("user: Hi", "assistant: Good day."), NOW + timedelta(minutes=1))
    assert again == first
    assert len(ledger(first)) == 3


def test_another_day_the_same_greeting_begins_another_chat(as_alice: User) -> None:
    first = kept(as_alice, told("user: Hi", "assistant: Hello."))
    other = kept(as_alice, told("user: Hi", "assistant: Good day."), NOW + timedelta(days=1))
    assert other != first
    grown = kept(as_alice, told("user: Hi", "assistant: Good day.", C), NOW + timedelta(days=1))
    assert grown == other


def test_a_reply_that_arrived_in_part_is_the_same_reply(as_alice: User) -> None:
    conversation = kept(as_alice, told(A, "assistant: That is a fine city, is it"))
    again = kept(as_alice, told(A, "assistant: That is a fine city,", C, D), LATER)
    more = kept(as_alice, told(A, "assistant: That is a fine city,", C, D, "user: Thanks"), LATER)
    assert conversation != again  # after two hours a bare beginning is no conversation
    assert again == more
    conversation = kept(as_alice, told(C, "assistant: That is a fine city, is it"))
    again = kept(as_alice, told(C, "assistant: That is a fine city,", A), NOW)
    more = kept(as_alice, told(C, "assistant: That is a fine city,", A, B), LATER)
    assert conversation == again == more
    assert ledger(more) == [C, "assistant: That is a fine city, is it", A, B]


def test_an_external_id_names_the_conversation(as_alice: User) -> None:
    one = kept(as_alice, told(A, B, external_id="one"))
    two = kept(as_alice, told(A, B, external_id="two"))
    assert one != two
    assert kept(as_alice, told(A, B, C, external_id="two"), LATER) == two
    edited = kept(as_alice, told("user: No, Zürich", external_id="one"), LATER)
    assert edited == one
    assert branch(one)[0].parent_sequence is None
    assert ledger(one) == [A, B, "user: No, Zürich"]


def test_a_very_long_external_id_is_one(as_alice: User) -> None:
    long = "x" * 5000
    one = kept(as_alice, told(A, B, external_id=long))
    assert kept(as_alice, told(C, external_id=long), LATER) == one


def test_what_was_deleted_does_not_come_back(as_alice: User) -> None:
    conversation = kept(as_alice, told(A, B, C, D, external_id="one"))
    remove(conversation, NOW, forget_too=True)
    assert keep(as_alice.id, told(A, B, C, D, external_id="one"), LATER) is None
    other = kept(as_alice, told(A, B, C, D, "user: And now?", external_id="one"), LATER)
    assert other != conversation
    assert ledger(other) == ["user: And now?"]
    grown = told(A, B, C, D, "user: And now?", "assistant: Nothing.", external_id="one")
    assert kept(as_alice, grown, LATER) == other


def test_tool_calls_are_known_whatever_the_spacing_of_their_arguments(as_alice: User) -> None:
    def history(arguments: str) -> History:
        call = NewMessage("assistant", "", tool=ToolUse("weather", arguments, "c1"))
        result = NewMessage("tool", "rain", tool=ToolUse(call_id="c1"))
        return History((NewMessage("user", "Will it rain?"), call, result))

    first = kept(as_alice, history('{"city": "Łódź", "day": 1}'))
    assert kept(as_alice, history('{"day":1,"city":"Łódź"}'), LATER) == first
    assert Message.objects.filter(user_id=as_alice.id).count() == 3


def test_nobody_finds_the_conversation_of_another(as_alice: User, bob: User) -> None:
    conversation = kept(as_alice, told(A, B, external_id="one"))
    with tenant(bob.id):
        assert place_of(bob.id, told(A, B, external_id="one"), NOW).conversation is None
        assert kept(bob, told(A, B, external_id="one")) != conversation


@pytest.mark.django_db(transaction=True)
def test_the_same_request_at_the_same_time_is_kept_once(alice: User) -> None:
    def attempt(_: int) -> UUID:
        with tenant(alice.id):
            try:
                return kept(alice, told(A, B, C, D)).id
            finally:
                connection.close()

    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(attempt, range(4)))
    with tenant(alice.id):
        assert len(ids) == 1
        assert Message.objects.filter(user_id=alice.id).count() == 4


def test_a_thousand_messages_at_once(as_alice: User) -> None:
    lines = [f"{'user' if n % 2 else 'assistant'}: line {n}" for n in range(1, 1001)]
    conversation = kept(as_alice, told(*lines))
    assert ledger(conversation) == lines
    assert conversation.title == "line 1"
