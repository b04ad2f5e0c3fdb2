"""Generations: one at a time, claimed by one writer, stored once."""

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


def test_only_the_newest_message_has_a_pending_reply(conversation):
    with pytest.raises(MessageTooLong):
        send_message(conversation, "x" * 2_000_001, NOW)
    assert pending(conversation) is None
    send_message(conversation, "Hello", NOW)
    message, generation = send_message(conversation, "Are you there?", NOW)
    assert pending(conversation) == generation
    assert generation.parent_sequence == message.sequence == 2


def test_message_from_a_stale_window_is_refused(conversation):
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


def test_replies_can_be_requested_only_for_user_messages(conversation):
    append(conversation, NewMessage("assistant", "Hello"), NOW)
    for sequence in (1, 2):
        with pytest.raises(NotFound):
            request_reply(conversation, sequence, NOW)


@pytest.mark.django_db(transaction=True)
def test_concurrent_claims_succeed_once(alice):
    with tenant(alice.id):
        _, generation = send_message(start(alice.id, Choices(), NOW), "Hello", NOW)

    def compete(_):
        with tenant(alice.id):
            return claim(generation, NOW)

    assert sorted(at_once(compete, 6)) == [False] * 5 + [True]


def test_heartbeat_reports_stop_requests_and_missing_readers(conversation, writing):
    assert not heartbeat(writing, "Half", NOW).stop
    request_stop(conversation, NOW)
    assert heartbeat(writing, "Half a", NOW).stop
    assert heartbeat(writing, "", LATER).unwatched
    follow(writing, LATER)
    assert not heartbeat(writing, "", LATER).unwatched


def test_reply_stopped_before_it_started_ends_empty(conversation):
    request_stop(conversation, NOW)
    assert not messages_of(conversation).exists()
    send_message(conversation, "Hello", NOW)
    request_stop(conversation, NOW)
    (ended,) = steps_to_reply(conversation, 1)
    assert (ended.status, ended.content) == (Message.Status.STOPPED, "")
    assert "before it began" in ended.notice
    assert pending(conversation) is None


def test_reply_is_stored_once(conversation, writing):
    assert finish(writing, reply("Hi"), Usage("m", 10, 20, latency_ms=5), NOW)
    assert finish(writing, reply("Hi again"), None, NOW) is None
    contents = messages_of(conversation).order_by("sequence").values_list("content", flat=True)
    assert list(contents) == ["Hello", "Hi"]
    assert UsageRow.objects.filter(user_id=conversation.user_id, source="chat").count() == 1


def test_reply_to_a_deleted_chat_is_discarded(conversation, writing):
    remove(conversation, NOW, forget_too=False)
    assert not heartbeat(writing, "", NOW).gone
    assert finish(writing, reply("Hi"), None, NOW) is None
    assert not Generation.objects.filter(conversation_id=conversation.id).exists()


@pytest.mark.parametrize("noticed", ["when the chat is opened", "when a message is sent"])
def test_interrupted_reply_is_kept_and_the_chat_continues(conversation, writing, noticed):
    heartbeat(writing, "I was about to", NOW)
    if noticed == "when a message is sent":
        message, _ = send_message(conversation, "Hello?", LATER)
        assert message.sequence == 3
    else:
        assert not settle_interrupted(conversation, NOW)
        assert settle_interrupted(conversation, LATER)
    (ended,) = steps_to_reply(conversation, 1)
    assert (ended.status, ended.notice) == (Message.Status.FAILED, INTERRUPTED)
    assert ended.content == "I was about to"
    assert finish(writing, reply("too late"), None, LATER) is None
