"""Replies in the making: one at a time, one writer, one arrival in the conversation."""

from datetime import timedelta

import pytest

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat.branches import messages_of
from chat.conversations import Choices, MessageTooLong, NewMessage, append, start
from chat.models import Generation, Message
from chat.replies.jobs import (
    INTERRUPTED,
    ConversationMovedOn,
    claim,
    finish,
    follow,
    heartbeat,
    pending,
    request_reply,
    request_stop,
    send_message,
    settle_interrupted,
    steps_to_reply,
)
from chat.retention import remove
from llm.types import Usage
from memory.models import Usage as UsageRow
from tests.at_once import at_once
from tests.chat.conftest import NOW

LATER = NOW + timedelta(minutes=5)


def reply(words):
    return NewMessage("assistant", words, parent=1)


@pytest.fixture
def writing(conversation):
    """A reply that is being written."""
    _, generation = send_message(conversation, "Hello", NOW)
    assert claim(generation, NOW)
    return generation


def test_the_newest_message_asks_for_a_reply(conversation):
    with pytest.raises(MessageTooLong):
        send_message(conversation, "x" * 2_000_001, NOW)
    assert pending(conversation) is None
    send_message(conversation, "Hello", NOW)
    message, generation = send_message(conversation, "Are you there?", NOW)
    assert pending(conversation) == generation
    assert generation.parent_sequence == message.sequence == 2


def test_who_has_not_seen_the_newest_message_says_nothing(conversation):
    first, generation = send_message(conversation, "Hello", NOW, seen=0)
    seen = finish(generation, reply("Hi"), None, NOW)
    with pytest.raises(ConversationMovedOn):
        send_message(conversation, "Hello from elsewhere", NOW, seen=0)
    conversation.refresh_from_db()
    second, _ = send_message(conversation, "I saw no reply yet", NOW, seen=first.sequence)
    assert second.parent_sequence == 2
    assert finish(request_reply(conversation, 1, NOW), reply("Good day"), None, NOW)
    with pytest.raises(ConversationMovedOn):
        send_message(conversation, "And then?", NOW, seen=seen.sequence)
    assert messages_of(conversation).count() == 4


def test_only_the_persons_own_messages_are_answered(conversation):
    append(conversation, NewMessage("assistant", "Hello"), NOW)
    for sequence in (1, 2):
        with pytest.raises(NotFound):
            request_reply(conversation, sequence, NOW)


@pytest.mark.django_db(transaction=True)
def test_of_many_that_claim_at_once_one_writes(alice):
    with tenant(alice.id):
        _, generation = send_message(start(alice.id, Choices(), NOW), "Hello", NOW)

    def compete(_):
        with tenant(alice.id):
            return claim(generation, NOW)

    assert sorted(at_once(compete, 6)) == [False] * 5 + [True]


def test_a_writer_learns_at_its_next_beat_of_a_stop_and_that_nobody_reads(conversation, writing):
    assert not heartbeat(writing, "Half", NOW).stop
    request_stop(conversation, NOW)
    assert heartbeat(writing, "Half a", NOW).stop
    assert heartbeat(writing, "", LATER).unwatched
    follow(writing, LATER)
    assert not heartbeat(writing, "", LATER).unwatched


def test_stopping_a_reply_before_it_began_ends_it(conversation):
    request_stop(conversation, NOW)
    assert not messages_of(conversation).exists()
    send_message(conversation, "Hello", NOW)
    request_stop(conversation, NOW)
    (ended,) = steps_to_reply(conversation, 1)
    assert (ended.status, ended.content) == (Message.Status.STOPPED, "")
    assert "before it began" in ended.notice
    assert pending(conversation) is None


def test_a_reply_arrives_once(conversation, writing):
    assert finish(writing, reply("Hi"), Usage("m", 10, 20, latency_ms=5), NOW)
    assert finish(writing, reply("Hi again"), None, NOW) is None
    contents = messages_of(conversation).order_by("sequence").values_list("content", flat=True)
    assert list(contents) == ["Hello", "Hi"]
    assert UsageRow.objects.filter(user_id=conversation.user_id, source="chat").count() == 1


def test_a_reply_to_a_deleted_chat_is_dropped(conversation, writing):
    remove(conversation, NOW, forget_too=False)
    assert not heartbeat(writing, "", NOW).gone
    assert finish(writing, reply("Hi"), None, NOW) is None
    assert not Generation.objects.filter(conversation_id=conversation.id).exists()


@pytest.mark.parametrize("noticed", ["when the chat is opened", "when more is said"])
def test_what_a_dead_writer_left_is_kept_and_the_chat_goes_on(conversation, writing, noticed):
    heartbeat(writing, "I was about to", NOW)
    if noticed == "when more is said":
        message, _ = send_message(conversation, "Hello?", LATER)
        assert message.sequence == 3
    else:
        assert not settle_interrupted(conversation, NOW)
        assert settle_interrupted(conversation, LATER)
    (ended,) = steps_to_reply(conversation, 1)
    assert (ended.status, ended.notice) == (Message.Status.FAILED, INTERRUPTED)
    assert ended.content == "I was about to"
    assert finish(writing, reply("too late"), None, LATER) is None
