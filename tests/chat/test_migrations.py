"""Scripts of migrations mend the rows of earlier versions."""

from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from chat import migrations
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Agent, Conversation, Message, ThreadDigest
from memory.models import RecallTrace
from palace.postgres.base import as_owner
from tests.chat.conftest import NOW


def as_database_owner(statements):
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(statements)


def run(name):
    as_database_owner(Path(migrations.__file__).with_name(name).read_text(encoding="utf-8"))


def test_oldest_default_agent_stays_the_only_one(as_alice):
    as_database_owner("DROP INDEX one_default_agent")
    first, second = (Agent.objects.create(user_id=as_alice.id, name=name, is_default=True) for name in "AB")
    for _ in range(2):
        run("0003_one_default_agent.sql")
    assert Agent.objects.get(user_id=as_alice.id, is_default=True) == first
    with pytest.raises(IntegrityError), transaction.atomic():
        Agent.objects.filter(id=second.id).update(is_default=True)


@pytest.fixture
def old_trace(as_alice):
    """Makes the trace of a recall as versions without `without_reply` and `source` stored it."""
    return lambda: RecallTrace.objects.create(user_id=as_alice.id, trace={}, at=NOW)


def reply(conversation, trace):
    append(conversation, NewMessage(Message.Role.ASSISTANT, "Below.", trace_id=trace.id), NOW)


def test_recalls_that_no_message_refers_to_are_without_reply(conversation, old_trace):
    lone, attached = old_trace(), old_trace()
    reply(conversation, attached)
    run("0005_recalls_without_reply.sql")
    assert RecallTrace.objects.get(without_reply=True) == lone


def test_recalls_get_the_kind_of_client_that_asked_as_their_source(as_alice, conversation, old_trace):
    by_mcp, by_client, by_page = old_trace(), old_trace(), old_trace()
    RecallTrace.objects.filter(id=by_mcp.id).update(without_reply=True)
    sent = start(as_alice.id, Choices(), NOW)
    ThreadDigest.objects.create(user_id=as_alice.id, digest=b"1", conversation_id=sent.id, sequence=1)
    reply(sent, by_client)
    reply(conversation, by_page)
    as_database_owner("ALTER TABLE chat_threaddigest RENAME TO chat_knownhistory")
    run("0006_recall_source.sql")
    sources = dict(RecallTrace.objects.values_list("id", "source"))
    assert sources == {by_mcp.id: "mcp", by_client.id: "openai", by_page.id: "chat"}


def test_chats_are_not_active_in_the_future(as_alice, conversation):
    future = start(as_alice.id, Choices(), timezone.now() + timedelta(days=9))
    [mending] = import_module("chat.migrations.0012_no_future_chats").Migration.operations
    as_database_owner(mending.sql)
    times = dict(Conversation.objects.values_list("id", "last_message_at"))
    assert times[conversation.id] == NOW
    assert NOW < times[future.id] <= timezone.now()
