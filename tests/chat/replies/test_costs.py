"""The cost of replies, and a spent budget: replies come from memory only, and mining continues."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.conversations import NewMessage, append, choose_model
from chat.models import MEMORY_ONLY, Agent
from chat.pages.queries import known_models
from chat.replies.generation import failed_reply, prepare, stopped_reply, store_reply
from chat.replies.jobs import claim, finish, heartbeat, send_message, settle_interrupted
from llm import current
from llm.errors import ModelTimeout
from llm.metering import Price
from llm.types import Usage
from memory.models import MemoryPreferences
from memory.models import Usage as UsageRow
from tests.chat.conftest import NOW, endpoint
from tests.chat.replying import CAT, add_chat, get_reply, mine_chat
from tests.html import check_page
from tests.openai_server import OpenAIServer

APRIL = datetime(2026, 4, 1, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
HOME = reverse("chat:chat")


@pytest.fixture
def alice_without_budget(as_alice):
    """Alice has spent her budget of March."""
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("2.50"))
    spend(as_alice, "2.50", NOW)
    return as_alice


def spend(user, amount, at):
    UsageRow.objects.create(
        user_id=user.id, source="memory_extract", model="m", cost_usd=Decimal(amount), at=at
    )


def chat_rows():
    return list(UsageRow.objects.filter(source="chat").order_by("id"))


def add_reply(chat, cost, read=1_000):
    new = NewMessage("assistant", "Yes.", input_tokens=read, output_tokens=20, model="gpt-4o-mini")
    append(chat, replace(new, cost_usd=Decimal(cost) if cost else None), NOW)


def test_spent_budget_limits_replies_to_memory_until_the_next_month(
    alice_without_budget, conversation, model
):
    mine_chat(add_chat(alice_without_budget, CAT))
    reply = get_reply(conversation, now=APRIL - timedelta(seconds=1))
    assert (model.requests, reply.model, chat_rows()) == ([], MEMORY_ONLY, [])
    assert "budget is spent" in reply.content
    assert CAT in reply.content
    model.script("Minka.")
    assert get_reply(conversation, "And now?", now=APRIL).content == "Minka."


@pytest.mark.parametrize("exempt", ["by its owner's choice", "because the model is free"])
def test_replies_may_be_exempt_from_the_budget(alice_without_budget, conversation, model, embedder, exempt):
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


def test_page_mentions_the_budget_only_when_it_is_spent(as_alice, model, alice_client):
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("2.50"))
    assert "budget" not in check_page(alice_client.get(HOME))
    spend(as_alice, "3", timezone.now())
    words = "budget of 2.50 USD is spent, so Palace replies by quoting what you said before"
    assert words in check_page(alice_client.get(HOME))
    MemoryPreferences.objects.update(budget_includes_chat=False)
    page = check_page(alice_client.get(HOME))
    assert "chats are saved to memory without a model" in page


def test_usage_of_partial_reply_is_estimated_and_of_empty_one_not_recorded(conversation, model):
    message, generation = send_message(conversation, "Tell me a long story.", NOW)
    claim(generation, NOW)
    prepared = prepare(conversation, message, NOW)
    late = ModelTimeout("The model stalled.")
    assert failed_reply(prepared, "", late).usage is None
    assert failed_reply(prepared, "Once upon", late).usage.estimated
    kept = store_reply(generation, prepared, stopped_reply(prepared, "Once upon a time"), NOW)
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


def test_each_reply_shows_its_tokens_and_cost(conversation, alice_client):
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    for cost, read in (("0.5", 1_000), ("0", 500), (None, 1_000)):
        add_reply(conversation, cost, read)
    html = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    below = [part.split("</p>")[0] for part in html.split('class="message-by expense"')[1:4]]
    assert "1,000 tokens in, 20 out" in below[0]
    for words, part in zip(("0.50 USD", "free", "price unknown"), below, strict=True):
        assert words in part


def test_cost_of_a_call_is_stored_with_the_reply(conversation):
    with OpenAIServer() as server:
        prices = {"test-model": Price(Decimal(2), Decimal(4))}
        with endpoint(server.base_url, own_prices=prices, chat_model="test-model"):
            reply = get_reply(conversation, "Hello there, tell me of bread")
    assert reply.cost_usd == (2 * reply.input_tokens + 4 * reply.output_tokens) / Decimal(1_000_000)


def test_chat_model_overrides_the_agents_model(conversation, model, alice_client):
    Agent.objects.update(model="agents-own")
    for chosen, used in (("poet-1", "poet-1"), ("", "agents-own")):
        choose_model(conversation, chosen)
        model.script("Yes.")
        assert get_reply(conversation, "Tell me about bread").model == used
        assert set(known_models(conversation.user_id)) >= {"agents-own", used}
        assert f">{used}</option>" in check_page(alice_client.get(f"/chat/{conversation.id}/"))
