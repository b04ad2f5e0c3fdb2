"""Every call is recorded when it ends, and none is made when the budget is spent."""

import threading
from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import remote_model
from llm.errors import EmbedderUnavailable, ModelReplyInvalid, ModelUnavailable, NoEndpoint
from llm.gateway import ChatRequest
from llm.openai_embedder import OpenAIEmbedder
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage
from memory.models import MemoryPreferences, Usage
from memory.usage.budgets import BudgetSpent
from memory.usage.metering import embedder_for, embedding_model, writer_for
from memory.usage.records import Purpose
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.openai_server import Behaviour, OpenAIServer

ASKED = ChatRequest((ChatMessage("user", "Say a word."),), model="openai/gpt-4o-mini")
SCHEMA = {"type": "object", "properties": {}}


@pytest.fixture
def server():
    """An endpoint whose model has a published price."""
    with OpenAIServer() as running:
        configuration = replace(LlmConfiguration(), base_url=running.base_url, api_key="k")
        small = remote_model("text-embedding-3-small")
        embedder = OpenAIEmbedder(configuration, small, pause=lambda seconds: None)
        with current.using(chat=OpenAIGateway(configuration), embedder=embedder):
            yield running


def purpose(user, source="memory_summary"):
    return Purpose(user.id, source, NOW, uuid4())


def rows(**wanted):
    return list(Usage.objects.filter(**wanted).order_by("id"))


def test_a_reply_is_recorded_with_its_job_and_price(as_alice, server):
    asked = purpose(as_alice)
    writer_for(asked, ASKED.model).complete(ASKED)
    (row,) = rows(user_id=as_alice.id)
    assert (row.source, row.model, row.job_id) == ("memory_summary", ASKED.model, asked.job_id)
    assert row.cost_usd > 0
    assert (row.at, row.estimated) == (NOW, False)
    for status in (500, 401):
        server.script(Behaviour(status=status))
        with pytest.raises(Exception, match="endpoint"):
            writer_for(purpose(as_alice), ASKED.model).complete(ASKED)
    assert len(rows()) == 1, "a refused call costs nothing"


def test_replies_without_counts_or_sense_are_recorded_as_estimates(as_alice, server):
    server.script(Behaviour(sends_usage=False), Behaviour(raw="<html>"))
    writer_for(purpose(as_alice), ASKED.model).complete_json(ASKED, SCHEMA, "word")
    with pytest.raises(ModelReplyInvalid):
        writer_for(purpose(as_alice), ASKED.model).complete(ASKED)
    readable, unreadable = rows()
    assert (readable.estimated, unreadable.estimated) == (True, True)
    assert readable.input_tokens > 0
    assert (unreadable.output_tokens, unreadable.cost_usd > 0) == (0, True)


def test_batches_paid_for_before_a_failure_are_recorded(as_alice, server):
    server.script(Behaviour(endpoint="embeddings"), *[Behaviour("embeddings", status=500)] * 3)
    embedder = embedder_for("", purpose(as_alice, "memory_embed"))
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents([f"text number {n}" for n in range(120)])
    (row,) = rows(source="memory_embed")
    whole = sum(len(request.body["input"]) for request in server.received("embeddings"))
    assert whole == 96 + 3 * 24
    assert 96 <= row.input_tokens < 120 * 5
    assert row.cost_usd > 0


def test_vectors_of_the_wrong_length_were_paid_for(as_alice, server):
    server.script(Behaviour("embeddings", dimensions=3))
    with pytest.raises(ModelReplyInvalid):
        embedder_for("", purpose(as_alice, "memory_embed")).embed_query("hello")
    assert rows(source="memory_embed")[0].cost_usd > 0


def test_a_missing_model_is_reported(as_alice):
    with pytest.raises(NoEndpoint):
        writer_for(purpose(as_alice))
    with current.using(embedder=FakeEmbedder()):
        assert embedding_model("").name == "fake-bag-of-words"
        for get in (embedding_model, lambda name: embedder_for(name, purpose(as_alice))):
            with pytest.raises(EmbedderUnavailable):
                get("a-model-of-yesterday")


def test_a_spent_budget_stops_paid_calls_before_they_are_made(as_alice, server):
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=Decimal("0.01"))
    writer = writer_for(purpose(as_alice), ASKED.model)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=Decimal("0.01"), at=NOW)
    embedder = embedder_for("", purpose(as_alice))
    for call in (
        lambda: writer.complete(ASKED),
        lambda: writer.complete_json(ASKED, SCHEMA, "word"),
        lambda: writer_for(purpose(as_alice), ASKED.model),
        lambda: embedder.embed_documents(["hello"]),
        lambda: embedder.embed_query("hello"),
    ):
        with pytest.raises(BudgetSpent):
            call()
    assert not server.requests


@pytest.mark.django_db(transaction=True)
def test_workers_overspend_by_no_more_than_the_calls_in_flight(alice: User):
    """Each call costs a hundredth of the budget; eight workers ask as fast as they can."""
    workers, price, limit = 8, Decimal("0.01"), Decimal("1.00")
    with tenant(alice.id):
        MemoryPreferences.objects.create(user_id=alice.id, monthly_budget=limit)
    together = threading.Barrier(workers, timeout=60)
    current.configuration()

    class Priced(FakeChat):
        def complete(self, request):
            return replace((done := super().complete(request)), usage=replace(done.usage, cost_usd=price))

    def work():
        try:
            with tenant(alice.id):
                together.wait()
                while True:
                    writer_for(Purpose(alice.id, "memory_extract", NOW)).complete(ASKED)
        except BudgetSpent:
            return
        finally:
            connection.close()

    with current.using(chat=Priced(answer=lambda request: "A word.")):
        threads = [threading.Thread(target=work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    with tenant(alice.id):
        spent = sum(row.cost_usd for row in rows(user_id=alice.id))
    assert limit <= spent <= limit + (workers - 1) * price
