"""Replies in the making: one at a time, one writer, one arrival in the ledger."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from chat.branches import NoSuchMessage, branch, messages_of
from chat.conversations import Choices, MessageRefused, NewMessage, append, start
from chat.models import Conversation, Generation, Message
from chat.replies.jobs import (
    INTERRUPTED,
    StillAnswering,
    WentOn,
    ask,
    beat,
    claim,
    finish,
    follow,
    pending,
    reply_to,
    request_stop,
    say,
    settle_interrupted,
)
from chat.retention import remove
from llm.types import Usage
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW

LATER = NOW + timedelta(minutes=5)


def reply(words: str) -> NewMessage:
    return NewMessage("assistant", words, parent=1)


def test_saying_something_asks_for_a_reply(conversation: Conversation) -> None:
    message, generation = say(conversation, "Hello", NOW)
    assert (message.sequence, generation.parent_sequence) == (1, 1)
    assert pending(conversation) == generation


def test_nothing_is_said_while_a_reply_is_written(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    assert claim(generation, NOW)
    with pytest.raises(StillAnswering):
        say(conversation, "Wait", NOW)
    conversation.refresh_from_db()
    assert conversation.last_sequence == 1
    assert messages_of(conversation).count() == 1


def test_who_has_not_seen_the_newest_message_says_nothing(conversation: Conversation) -> None:
    first, generation = say(conversation, "Hello", NOW, seen=0)
    assert finish(generation, reply("Hi"), None, NOW)
    with pytest.raises(WentOn):
        say(conversation, "Hello from elsewhere", NOW, seen=0)
    assert messages_of(conversation).count() == 2
    conversation.refresh_from_db()
    second, _ = say(conversation, "I saw no reply yet", NOW, seen=first.sequence)
    assert second.parent_sequence == 2


def test_another_branch_is_not_what_was_seen(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    seen = finish(generation, reply("Hi"), None, NOW)
    assert seen is not None
    assert finish(ask(conversation, 1, NOW), reply("Good day"), None, NOW)
    with pytest.raises(WentOn):
        say(conversation, "And then?", NOW, seen=seen.sequence)


def test_a_reply_that_nobody_began_gives_way_to_the_next(conversation: Conversation) -> None:
    say(conversation, "Hello", NOW)
    message, generation = say(conversation, "Are you there?", NOW)
    assert pending(conversation) == generation
    assert generation.parent_sequence == message.sequence == 2


def test_a_refused_message_asks_for_nothing(conversation: Conversation) -> None:
    with pytest.raises(MessageRefused):
        say(conversation, "x" * 2_000_001, NOW)
    assert pending(conversation) is None


def test_only_the_persons_own_messages_are_answered(conversation: Conversation) -> None:
    append(conversation, NewMessage("assistant", "Hello"), NOW)
    for sequence in (1, 2):
        with pytest.raises(NoSuchMessage):
            ask(conversation, sequence, NOW)


@pytest.mark.django_db(transaction=True)
def test_of_many_that_claim_at_once_one_writes(alice: User) -> None:
    with tenant(alice.id):
        _, generation = say(start(alice.id, Choices(), NOW), "Hello", NOW)
    ready = threading.Barrier(6)
    won: list[bool] = []

    def compete() -> None:
        try:
            with tenant(alice.id):
                ready.wait(60)
                won.append(claim(generation, NOW))
        finally:
            connection.close()

    threads = [threading.Thread(target=compete) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(won) == [False] * 5 + [True]


def test_a_writer_learns_of_a_stop_at_its_next_beat(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    claim(generation, NOW)
    assert not beat(generation, "Half", NOW).stop
    request_stop(conversation, NOW)
    assert beat(generation, "Half a", NOW).stop


def test_a_writer_learns_that_nobody_reads(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    claim(generation, NOW)
    assert beat(generation, "", LATER).unwatched
    follow(generation, LATER)
    assert not beat(generation, "", LATER).unwatched


def test_stopping_a_reply_before_it_began_ends_it(conversation: Conversation) -> None:
    say(conversation, "Hello", NOW)
    request_stop(conversation, NOW)
    ended = reply_to(conversation, 1)
    assert ended is not None
    assert (ended.status, ended.content) == (Message.Status.STOPPED, "")
    assert "before it began" in ended.notice
    assert pending(conversation) is None


def test_stopping_nothing_does_nothing(conversation: Conversation) -> None:
    request_stop(conversation, NOW)
    assert not messages_of(conversation).exists()


def test_a_reply_arrives_once(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    usage = Usage("m", 10, 20, latency_ms=5)
    first = finish(generation, reply("Hi"), usage, NOW)
    assert finish(generation, reply("Hi again"), None, NOW) is None
    assert first is not None
    assert [each.content for each in branch(conversation, upto=2)] == ["Hello", "Hi"]
    assert messages_of(conversation).count() == 2
    assert UsageRow.objects.filter(user_id=conversation.user_id, source="chat").count() == 1


def test_a_reply_to_a_deleted_chat_is_dropped(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    claim(generation, NOW)
    remove(conversation, NOW, forget_too=False)
    assert beat(generation, "", NOW).gone is False
    assert finish(generation, reply("Hi"), None, NOW) is None
    assert not Generation.objects.filter(conversation_id=conversation.id).exists()


def test_what_a_dead_writer_left_is_kept_and_marked(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    claim(generation, NOW)
    beat(generation, "I was about to", NOW)
    assert not settle_interrupted(conversation, NOW)
    assert settle_interrupted(conversation, LATER)
    ended = reply_to(conversation, 1)
    assert ended is not None
    assert (ended.status, ended.notice) == (Message.Status.FAILED, INTERRUPTED)
    assert ended.content == "I was about to"
    assert finish(generation, reply("too late"), None, LATER) is None


def test_a_dead_writer_does_not_block_the_chat(conversation: Conversation) -> None:
    _, generation = say(conversation, "Hello", NOW)
    claim(generation, NOW)
    message, _ = say(conversation, "Hello?", LATER)
    assert message.sequence == 3
    assert reply_to(conversation, 1) is not None
