"""Replies: requested, claimed by one writer, stored once, paid for within the budget."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat.branches import messages_of
from chat.conversations import Choices, MessageTooLong, NewMessage, append, choose_model, start
from chat.models import MEMORY_ONLY, Agent, Conversation, Generation, Message
from chat.pages.queries import known_models
from chat.replies.generation import failed_reply, prepare, stopped_reply, store_reply
from chat.replies.jobs import (
    INTERRUPTED,
    ConversationMovedOn,
    claim,
    finish,
    heartbeat,
    pending,
    request_reply,
    request_stop,
    send_message,
    settle_interrupted,
    steps_to_reply,
)
from chat.replies.tools import ToolLoop
from chat.retention import remove
from llm import current
from llm.errors import ModelTimeout
from llm.metering import Price
from llm.types import Usage
from memory.models import MemoryPreferences
from memory.models import Usage as UsageRow
from tests.at_once import at_once
from tests.chat.conftest import NOW, endpoint
from tests.chat.replying import CAT, add_mined_chat, get_reply, page_of
from tests.html import check_page
from tests.openai_server import OpenAIServer

LATER = NOW + timedelta(minutes=5)


def reply(words):
    return NewMessage("assistant", words, parent=1)


@pytest.fixture
def writing(conversation):
    """A reply that is being written."""
    _, generation = send_message(conversation, "Hello", NOW)
    assert claim(generation, NOW)
    return generation


def test_only_the_newest_message_of_the_user_has_a_pending_reply(conversation):
    with pytest.raises(MessageTooLong):
        send_message(conversation, "x" * 2_000_001, NOW)
    append(conversation, NewMessage("assistant", "Hello"), NOW)
    for sequence in (1, 2):
        with pytest.raises(NotFound):
            request_reply(conversation, sequence, NOW)
    assert pending(conversation) is None
    send_message(conversation, "Hello", NOW)
    message, generation = send_message(conversation, "Are you there?", NOW)
    assert pending(conversation) == generation
    assert generation.parent_sequence == message.sequence == 3


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


@pytest.mark.django_db(transaction=True)
def test_concurrent_claims_succeed_once(alice):
    with tenant(alice.id):
        _, generation = send_message(start(alice.id, Choices(), NOW), "Hello", NOW)

    def compete(_):
        with tenant(alice.id):
            return claim(generation, NOW)

    assert sorted(at_once(compete, 6)) == [False] * 5 + [True]


def test_reply_stopped_before_it_started_ends_empty(conversation):
    request_stop(conversation, NOW)
    assert not messages_of(conversation).exists()
    send_message(conversation, "Hello", NOW)
    request_stop(conversation, NOW)
    (ended,) = steps_to_reply(conversation, 1)
    assert (ended.status, ended.content) == (Message.Status.STOPPED, "")
    assert "before it began" in ended.notice
    assert pending(conversation) is None


def test_reply_is_stored_once_and_never_in_a_deleted_chat(conversation, writing):
    assert finish(writing, reply("Hi"), Usage("m", 10, 20, latency_ms=5), NOW)
    assert finish(writing, reply("Hi again"), None, NOW) is None
    contents = messages_of(conversation).order_by("sequence").values_list("content", flat=True)
    assert list(contents) == ["Hello", "Hi"]
    assert UsageRow.objects.filter(user_id=conversation.user_id, source="chat").count() == 1
    again = request_reply(conversation, 1, NOW)
    remove(conversation, NOW, forget_too=False)
    assert heartbeat(again, "", NOW) == ""
    assert finish(again, reply("Hi"), None, NOW) is None
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


APRIL = datetime(2026, 4, 1, tzinfo=UTC)


def spend_budget(user, at):
    """Give the user a budget, and spend it in the month of this time."""
    MemoryPreferences.objects.create(user_id=user.id, monthly_budget=Decimal("2.50"))
    UsageRow.objects.create(user_id=user.id, source="memory_extract", model="m", cost_usd=Decimal(3), at=at)


def chat_rows():
    return list(UsageRow.objects.filter(source="chat").order_by("id"))


def test_spent_budget_limits_replies_to_memory_until_the_next_month(as_alice, conversation, model):
    spend_budget(as_alice, NOW)
    add_mined_chat(as_alice, CAT)
    reply = get_reply(conversation, now=APRIL - timedelta(seconds=1))
    assert (model.requests, reply.model, chat_rows()) == ([], MEMORY_ONLY, [])
    assert "budget is spent" in reply.content
    assert CAT in reply.content
    model.script("Minka.")
    assert get_reply(conversation, "And now?", now=APRIL).content == "Minka."


@pytest.mark.parametrize("exempt", ["by its owner's choice", "because the model is free"])
def test_replies_may_be_exempt_from_the_budget(as_alice, conversation, model, embedder, exempt):
    spend_budget(as_alice, NOW)
    model.script("Minka.")
    before = current.configuration()
    if exempt == "by its owner's choice":
        MemoryPreferences.objects.update(budget_includes_chat=False)
    else:
        free = {before.chat_model: Price(Decimal(0), Decimal(0))}
        current.configure(replace(before, own_prices=free))
    try:
        with current.using(chat=model, embedder=embedder):
            assert get_reply(conversation).content == "Minka."
    finally:
        current.configure(before)


def test_page_says_that_the_budget_is_spent_and_what_follows(as_alice, model, alice_client):
    def page():
        return check_page(alice_client.get(reverse("chat:chat")))

    assert "budget" not in page()
    spend_budget(as_alice, timezone.now())
    assert "budget of 2.50 USD is spent, so Palace replies by quoting what you said before" in page()
    MemoryPreferences.objects.update(budget_includes_chat=False)
    assert "chats are saved to memory without a model" in page()


def test_usage_of_partial_reply_is_estimated_and_of_empty_one_not_recorded(conversation, model):
    message, generation = send_message(conversation, "Tell me a long story.", NOW)
    claim(generation, NOW)
    prepared = prepare(conversation, message, NOW)
    tool_loop = ToolLoop(prepared.tool_context, prepared.request, generation.id)
    late = ModelTimeout("The model stalled.")
    assert failed_reply(prepared, "", late).usage is None
    assert failed_reply(prepared, "Once upon", late).usage.estimated
    kept = store_reply(generation, prepared, stopped_reply(prepared, "Once upon a time", ""), NOW, tool_loop)
    (row,) = chat_rows()
    assert (row.estimated, row.job_id) == (True, generation.id)
    assert row.input_tokens >= 5
    assert row.output_tokens == kept.output_tokens == 4


def test_usage_of_interrupted_reply_is_recorded_once(conversation, model):
    _, generation = send_message(conversation, "Tell me a long story.", NOW)
    claim(generation, NOW)
    heartbeat(generation, "Once upon a time", NOW)
    assert settle_interrupted(conversation, LATER)
    (row,) = chat_rows()
    assert (row.estimated, row.job_id) == (True, generation.id)
    late = NewMessage(role="assistant", content="Once upon a time, a cat.", parent=1)
    assert finish(generation, late, Usage("m", 50, 9, 10, Decimal("0.1")), LATER) is None
    assert chat_rows() == [row]


def test_cost_of_a_call_is_stored_and_shown_with_the_reply(conversation, alice_client):
    prices = {"test-model": Price(Decimal(2), Decimal(4))}
    with OpenAIServer() as server, endpoint(server.base_url, own_prices=prices, chat_model="test-model"):
        reply = get_reply(conversation, "Hello there, tell me of bread")
    assert reply.cost_usd == (2 * reply.input_tokens + 4 * reply.output_tokens) / Decimal(1_000_000)
    for cost in (Decimal("0.5"), Decimal(0), None):
        more = {"input_tokens": 1_000, "output_tokens": 20, "model": "gpt-4o-mini", "cost_usd": cost}
        append(conversation, NewMessage("assistant", "Yes.", **more), NOW)
    below = [
        part.split("</p>")[0] for part in page_of(alice_client, conversation).split("message-by expense")
    ]
    for words, part in zip(("0.50 USD", "free", "price unknown"), below[-3:], strict=True):
        assert "1,000 tokens in, 20 out" in part
        assert words in part


def test_agent_sets_instructions_and_the_model_unless_the_chat_does(
    as_alice, conversation, model, alice_client
):
    Agent.objects.update(instructions="Rhyme.", model="agents-own")
    without_agent = Conversation.objects.create(user_id=as_alice.id, source="import")
    for chat, chosen, used in (
        (conversation, "poet-1", "poet-1"),
        (conversation, "", "agents-own"),
        (without_agent, "", "agents-own"),
    ):
        choose_model(chat, chosen)
        model.script("Yes.")
        assert get_reply(chat, "Tell me about bread").model == used
        assert model.requests[-1].messages[0].content.startswith("Rhyme.")
        assert set(known_models(as_alice.id)) >= {"agents-own", used}
        assert f">{used}</option>" in page_of(alice_client, chat)
