"""What replies took, below each and for the whole chat."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.test import Client

from accounts.models import User
from chat.conversations import NewMessage, append
from chat.models import Agent, Conversation, Message
from chat.pages.queries import known_models, spent_in
from llm import current
from llm.configuration import LlmConfiguration
from llm.fake_gateway import FakeEmbedder
from llm.metering import Price
from llm.openai_gateway import OpenAIGateway
from tests.chat.conftest import NOW
from tests.chat.replying import asked
from tests.html import check_page
from tests.openai_server import OpenAIServer


def replied(chat: Conversation, cost: str | None, read: int = 1_000) -> None:
    new = NewMessage("assistant", "Yes.", input_tokens=read, output_tokens=20, model="gpt-4o-mini")
    append(chat, replace(new, cost_usd=Decimal(cost) if cost else None), NOW)


@pytest.mark.parametrize(("cost", "words"), [("0.0123", "0.01 USD"), ("0", "free"), (None, "price unknown")])
def test_a_reply_says_what_it_took(
    conversation: Conversation, alice_client: Client, cost: str | None, words: str
) -> None:
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    replied(conversation, cost)
    html = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "1,000 tokens read, 20 written" in html
    assert words in html.split('class="message-by expense"')[1].split("</p>")[0]


def test_a_chat_says_what_all_its_replies_took(conversation: Conversation, alice_client: Client) -> None:
    append(conversation, NewMessage("user", "Tell me about bread"), NOW)
    replied(conversation, "0.5")
    replied(conversation, "0.25", read=500)
    replied(conversation, None)
    spent = spent_in(conversation)
    assert (spent.replies, spent.input_tokens, spent.output_tokens) == (3, 2_500, 60)
    assert (spent.cost_usd, spent.unpriced) == (Decimal("0.75"), 1)
    html = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "3 replies of this chat took 2,500 tokens read and 60 written." in html
    assert "without 1 whose price is not known" in html


def test_the_cost_of_a_real_call_is_kept_with_the_reply(conversation: Conversation) -> None:
    with OpenAIServer() as server:
        prices = {"test-model": Price(Decimal(2), Decimal(4))}
        configuration = replace(
            LlmConfiguration(), base_url=server.base_url, own_prices=prices, chat_model="test-model"
        )
        with current.using(chat=OpenAIGateway(configuration), embedder=FakeEmbedder()):
            reply = asked(conversation, "Hello there, tell me of bread")
    assert reply.cost_usd == (2 * reply.input_tokens + 4 * reply.output_tokens) / Decimal(1_000_000)


def test_a_chat_may_have_a_model_of_its_own(conversation: Conversation, model, alice_client: Client) -> None:
    Agent.objects.update(model="agents-own")
    path = f"/chat/{conversation.id}/switches/"
    alice_client.post(path, {"model": "poet-1", "use_memory": "on", "learn": "on"})
    conversation.refresh_from_db()
    model.script("Yes.")
    assert asked(conversation, "Tell me about bread").model == "poet-1"
    assert set(known_models(conversation.user_id)) >= {"agents-own", "poet-1"}
    html = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert '<option value="poet-1">' in html
    alice_client.post(path, {"model": "", "use_memory": "on", "learn": "on"})
    conversation.refresh_from_db()
    model.script("No.")
    assert asked(conversation, "Tell me about rye").model == "agents-own"


def test_what_memory_alone_answered_took_nothing(as_alice: User, conversation: Conversation) -> None:
    assert spent_in(conversation).replies == 0
    assert Message.objects.count() == 0
