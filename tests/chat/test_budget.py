"""What a spent budget means in the chat: replies of memory alone, and chats remembered all the
same."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from chat.conversations import Choices, NewMessage, append, start
from chat.mining.run import mine_person
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.replies.generation import answer, failed, prepare, settle, stopped
from chat.replies.jobs import beat, claim, finish, say, settle_interrupted
from llm import current
from llm.errors import ModelTimeout
from llm.fake_gateway import FakeChat, FakeEmbedder
from llm.metering import Price
from llm.types import Usage
from memory.models import Drawer, MemoryPreferences, MinedWindow
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.drills.ledger import Clock
from tests.html import check_page

CAT = "My cat is called Minka and she plays the cello."
QUESTION = "What is my cat called?"
APRIL = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def poor(as_alice: User) -> User:
    """Alice has spent what she may spend in March."""
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("2.50"))
    spend(as_alice, "2.50")
    return as_alice


def spend(user: User, amount: str, at: datetime = NOW) -> None:
    UsageRow.objects.create(
        user_id=user.id, source="memory_extract", model="m", cost_usd=Decimal(amount), at=at
    )


def asked(conversation: Conversation, words: str = QUESTION, now: datetime = NOW) -> Message:
    _, generation = say(conversation, words, now)
    reply = answer(conversation, generation, now)
    assert reply is not None
    return reply


def chat_rows() -> list[UsageRow]:
    return list(UsageRow.objects.filter(source="chat").order_by("id"))


def test_replies_quote_memory_and_say_why(poor: User, model: FakeChat) -> None:
    earlier = start(poor.id, Choices(), NOW)
    append(earlier, NewMessage("user", CAT), NOW)
    mined(earlier)
    reply = asked(start(poor.id, Choices(), NOW))
    assert model.requests == []
    assert reply.model == MEMORY_ONLY
    assert "budget is spent" in reply.content
    assert CAT in reply.content
    assert not chat_rows()


def test_a_new_month_brings_the_model_back(poor: User, model: FakeChat) -> None:
    model.script("Minka.")
    conversation = start(poor.id, Choices(), NOW)
    assert asked(conversation, now=APRIL - timedelta(seconds=1)).model == MEMORY_ONLY
    assert asked(conversation, "And now?", now=APRIL).content == "Minka."


def test_a_person_may_leave_replies_out(poor: User, model: FakeChat) -> None:
    MemoryPreferences.objects.update(budget_includes_chat=False)
    model.script("Minka.")
    assert asked(start(poor.id, Choices(), NOW)).content == "Minka."


def test_a_free_model_goes_on_replying(poor: User, model: FakeChat, embedder: FakeEmbedder) -> None:
    before = current.configuration()
    free = {before.chat_model: Price(Decimal(0), Decimal(0))}
    current.configure(replace(before, own_prices=free))
    model.script("Minka.")
    try:
        with current.using(chat=model, embedder=embedder):
            assert asked(start(poor.id, Choices(), NOW)).content == "Minka."
    finally:
        current.configure(before)


def test_chats_are_remembered_by_rules_and_marked_to_be_read_again(poor: User, model: FakeChat) -> None:
    conversation = start(poor.id, Choices(), NOW)
    append(conversation, NewMessage("user", CAT), NOW)
    clock = Clock(NOW + timedelta(hours=1))
    assert mine_person(poor.id, clock, timedelta(minutes=5)).windows == 1
    assert model.requests == []
    assert Drawer.objects.get().content == CAT
    window = MinedWindow.objects.get()
    assert (window.method, window.reason) == ("rules", MinedWindow.Reason.BUDGET)


def test_the_page_says_until_when(poor: User, model: FakeChat, alice_client: Client) -> None:
    spend(poor, "3", timezone.now())
    page = check_page(alice_client.get(reverse("chat:chat")))
    assert "budget of 2.50 USD is spent, so replies are made of what you said before" in page
    MemoryPreferences.objects.update(budget_includes_chat=False)
    page = check_page(alice_client.get(reverse("chat:chat")))
    assert "Chats are still remembered, with what is free, until 1 " in page


def test_nobody_hears_of_a_budget_that_is_not_spent(
    as_alice: User, model: FakeChat, alice_client: Client
) -> None:
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("2.50"))
    assert "budget" not in check_page(alice_client.get(reverse("chat:chat")))


def test_a_stopped_reply_is_paid_for_by_an_estimate(conversation: Conversation, model: FakeChat) -> None:
    message, generation = say(conversation, "Tell me a long story.", NOW)
    claim(generation, NOW)
    prepared = prepare(conversation, message, NOW)
    kept = settle(generation, prepared, stopped(prepared, "Once upon a time"), NOW)
    (row,) = chat_rows()
    assert row.estimated
    assert (row.job_id, row.output_tokens) == (generation.id, kept.output_tokens)
    assert row.input_tokens >= 5
    assert row.output_tokens == 4


def test_a_reply_that_breaks_off_is_paid_for_and_one_that_never_began_is_not(
    conversation: Conversation, model: FakeChat
) -> None:
    message, _ = say(conversation, "Tell me a long story.", NOW)
    prepared = prepare(conversation, message, NOW)
    late = ModelTimeout("The model stalled.")
    assert failed(prepared, "Once upon", late).usage.estimated
    assert failed(prepared, "", late).usage is None


def test_what_a_dead_writer_wrote_is_paid_for_once(conversation: Conversation, model: FakeChat) -> None:
    _, generation = say(conversation, "Tell me a long story.", NOW)
    claim(generation, NOW)
    beat(generation, "Once upon a time", NOW)
    later = NOW + timedelta(minutes=5)
    assert settle_interrupted(conversation, later)
    (row,) = chat_rows()
    assert (row.estimated, row.job_id) == (True, generation.id)
    late = NewMessage(role="assistant", content="Once upon a time, a cat.", parent=1)
    assert finish(generation, late, Usage("m", 50, 9, 10, Decimal("0.1")), later) is None
    assert chat_rows() == [row]
