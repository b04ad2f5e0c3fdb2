"""Monthly budgets, drawer quotas and the recording of model calls."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction

from accounts.models import User
from accounts.tenancy import operator, tenant
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import BGE_SMALL, remote_model
from llm.errors import EmbedderUnavailable, ModelReplyInvalid, ModelUnavailable, NoEndpoint
from llm.gateway import ChatRequest
from llm.metering import Price
from llm.openai_embedder import OpenAIEmbedder
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage
from llm.types import Usage as ModelUsage
from memory.forgetting.trash import delete
from memory.models import Drawer, MemoryPreferences, Usage
from memory.organize.notes import Note, NoteRefused, save_note
from memory.preferences import preferences_of
from memory.sql import execute, fetch_value
from memory.usage.budgets import BudgetSpent, budget_of, month_of, require_budget
from memory.usage.metering import embedder_for, embedding_model, writer_for
from memory.usage.quota import drawer_limit, quota_of
from memory.usage.records import Purpose, is_recorded, record_usage
from palace.postgres.base import as_owner
from tests.at_once import at_once
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeChat
from tests.openai_server import Behaviour, OpenAIServer

PAID = "openai/gpt-4o-mini"
EMBED, CHAT = Usage.Source.EMBED, Usage.Source.CHAT
pytestmark = pytest.mark.usefixtures("embedder")


def set_preferences(user, **choices):
    MemoryPreferences.objects.create(user_id=user.id, **choices)


def spend(user, amount, at=NOW, source="memory_extract"):
    cost = None if amount is None else Decimal(amount)
    Usage.objects.create(user_id=user.id, source=source, model="m", cost_usd=cost, at=at)


def budget(user):
    return budget_of(preferences_of(user.id), NOW)


def admitted(user, model=PAID, source="memory_extract", now=NOW):
    try:
        require_budget(Purpose(user.id, source, now), model)
    except BudgetSpent:
        return False
    return True


@pytest.fixture
def configured():
    """Changes the configuration for one test."""
    before = current.configuration()
    yield lambda **changes: current.configure(replace(LlmConfiguration(), **changes))
    current.configure(before)


def test_calls_are_admitted_until_the_budget_is_spent(as_alice, bob):
    set_preferences(as_alice, monthly_budget=Decimal("1.00"))
    spend(as_alice, None)
    assert budget(as_alice).spent == 0, "calls of unknown price are not counted"
    with tenant(bob.id):
        spend(bob, "1")
    spend(as_alice, "0.999999")
    assert admitted(as_alice)
    spend(as_alice, "0.000001")
    assert not admitted(as_alice)
    assert budget(as_alice).is_spent


def test_a_new_month_starts_with_nothing_spent_in_the_users_time_zone(as_alice):
    set_preferences(as_alice, monthly_budget=Decimal(1), time_zone="Pacific/Auckland")
    last = datetime(2031, 3, 31, 10, 59, tzinfo=UTC)  # 23:59 in Auckland
    spend(as_alice, "1", at=last)
    assert not admitted(as_alice, now=last)
    assert admitted(as_alice, now=last.replace(hour=11, minute=0))
    assert admitted(as_alice, now=datetime(2031, 2, 27, tzinfo=UTC))


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Sao_Paulo", "UTC", "Asia/Kolkata"])
def test_consecutive_months_have_no_gap(zone):
    for month in range(1, 13):
        found = month_of(datetime(2030, month, 15, tzinfo=UTC), ZoneInfo(zone))
        assert month_of(found.end, ZoneInfo(zone)).start == found.end
        assert (found.start.day, found.start.hour, found.start.month) == (1, 0, month)
        assert 28 <= (found.end - found.start).total_seconds() / 86_400 <= 31.1


def test_free_models_are_not_limited_by_the_budget(as_alice, configured):
    set_preferences(as_alice, monthly_budget=Decimal("0.01"))
    spend(as_alice, "1")
    assert admitted(as_alice, BGE_SMALL.name)
    assert not admitted(as_alice, "llama-of-nobody")
    configured(base_url="https://models.example.org/v1")
    assert not admitted(as_alice, "llama-of-nobody")
    configured(base_url="http://127.0.0.1:11434/v1")
    assert admitted(as_alice, "llama-of-nobody")
    assert not admitted(as_alice, PAID)
    configured(own_prices={"gpt-4o-mini": Price(Decimal(0), Decimal(0))})
    assert admitted(as_alice, PAID)


def test_replies_can_be_excluded_from_the_budget(as_alice):
    set_preferences(as_alice, monthly_budget=Decimal(1), budget_includes_chat=False)
    spend(as_alice, "5", source="chat")
    assert admitted(as_alice)
    spend(as_alice, "1")
    assert (admitted(as_alice), admitted(as_alice, source="chat")) == (False, True)
    found = budget(as_alice)
    assert (found.spent, found.is_spent, found.stops_chat) == (Decimal(1), True, False)


@pytest.mark.parametrize(
    ("own", "site", "limit", "by_site"),
    [
        (None, None, None, False),
        (0, None, None, False),
        (None, 3, 3, True),
        (0, 3, 3, True),
        (5, 3, 3, True),
        (2, 3, 2, False),
        (2, None, 2, False),
        (2, 0, 0, True),
    ],
)
def test_the_lower_of_the_users_and_the_sites_budget_applies(as_alice, settings, own, site, limit, by_site):
    settings.MONTHLY_BUDGET = None if site is None else Decimal(site)
    assert admitted(as_alice) == (site != 0)
    set_preferences(as_alice, monthly_budget=own)
    assert admitted(as_alice) == (limit != 0)
    spend(as_alice, "9999")
    found = budget(as_alice)
    assert (found.limit, found.spent, found.set_by_site) == (limit, Decimal(9999), by_site)
    assert admitted(as_alice) == (limit is None) == (not found.is_spent)


def set_quota(user, drawers):
    with operator():
        User.objects.filter(id=user.id).update(drawer_quota=drawers)


def test_a_full_palace_refuses_a_note_until_a_drawer_is_deleted(as_alice, bob):
    set_quota(as_alice, 2)
    save_note(as_alice.id, Note("One."), NOW)
    assert not quota_of(as_alice.id).is_full
    drawer = save_note(as_alice.id, Note("Two."), NOW)
    with pytest.raises(NoteRefused, match="it has 2 of 2 drawers"):
        save_note(as_alice.id, Note("Three."), NOW)
    assert Drawer.objects.count() == 2
    with tenant(bob.id):
        save_note(bob.id, Note("One."), NOW)
        quota = quota_of(bob.id)
        assert (quota.limit, quota.is_full, quota.words) == (None, False, "")
    delete(as_alice.id, "drawer", drawer.id, NOW)
    assert quota_of(as_alice.id).kept == 1
    save_note(as_alice.id, Note("Another."), NOW)


@pytest.mark.parametrize(
    ("own", "site", "limit"), [(None, 7, 7), (3, 7, 3), (9, 7, 9), (0, 7, 0), (4, None, 4)]
)
def test_a_users_own_quota_overrides_the_sites(as_alice, settings, own, site, limit):
    settings.DRAWER_QUOTA = site
    set_quota(as_alice, own)
    assert drawer_limit(as_alice.id) == limit


REQUEST = ChatRequest((ChatMessage("user", "Say a word."),), model=PAID)
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


def rows(**filters):
    return list(Usage.objects.filter(**filters).order_by("id"))


def test_replies_are_recorded_with_their_job_and_price_as_estimates_if_need_be(as_alice, server):
    recorded_purpose = purpose(as_alice)
    writer_for(recorded_purpose, PAID).complete(REQUEST)
    (row,) = rows(user_id=as_alice.id)
    assert (row.source, row.model, row.job_id) == ("memory_summary", PAID, recorded_purpose.job_id)
    assert row.cost_usd > 0
    assert (row.at, row.estimated) == (NOW, False)
    for status in (500, 401):
        server.script(Behaviour(status=status))
        with pytest.raises(Exception, match="endpoint"):
            writer_for(purpose(as_alice), PAID).complete(REQUEST)
    assert len(rows()) == 1, "a refused call costs nothing"
    server.script(Behaviour(sends_usage=False), Behaviour(raw="<html>"))
    writer_for(purpose(as_alice), PAID).complete_json(REQUEST, SCHEMA, "word")
    with pytest.raises(ModelReplyInvalid):
        writer_for(purpose(as_alice), PAID).complete(REQUEST)
    _, readable, unreadable = rows()
    assert (readable.estimated, unreadable.estimated) == (True, True)
    assert readable.input_tokens > 0
    assert (unreadable.output_tokens, unreadable.cost_usd > 0) == (0, True)


def test_unusable_vectors_and_batches_paid_for_before_a_failure_are_recorded(as_alice, server):
    embedder = embedder_for("", purpose(as_alice, "memory_embed"))
    server.script(Behaviour("embeddings", dimensions=3))
    with pytest.raises(ModelReplyInvalid):
        embedder.embed_query("hello")
    server.script(Behaviour(endpoint="embeddings"), *[Behaviour("embeddings", status=500)] * 3)
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents([f"text number {n}" for n in range(120)])
    unusable, paid = rows(source="memory_embed")
    whole = sum(len(request.body["input"]) for request in server.received("embeddings"))
    assert whole == 1 + 96 + 3 * 24
    assert 96 <= paid.input_tokens < 120 * 5
    assert min(unusable.cost_usd, paid.cost_usd) > 0


def test_a_missing_model_is_reported(as_alice):
    with pytest.raises(NoEndpoint):
        writer_for(purpose(as_alice))
    assert embedding_model("").name == "fake-bag-of-words"
    for get in (embedding_model, lambda name: embedder_for(name, purpose(as_alice))):
        with pytest.raises(EmbedderUnavailable):
            get("a-model-of-yesterday")


def test_a_spent_budget_stops_paid_calls_before_they_are_made(as_alice, server):
    set_preferences(as_alice, monthly_budget=Decimal("0.01"))
    writer = writer_for(purpose(as_alice), PAID)
    spend(as_alice, "0.01")
    embedder = embedder_for("", purpose(as_alice))
    for call in (
        lambda: writer.complete(REQUEST),
        lambda: writer.complete_json(REQUEST, SCHEMA, "word"),
        lambda: writer_for(purpose(as_alice), PAID),
        lambda: embedder.embed_documents(["hello"]),
        lambda: embedder.embed_query("hello"),
    ):
        with pytest.raises(BudgetSpent):
            call()
    assert not server.requests


@pytest.mark.django_db(transaction=True)
def test_workers_overspend_by_no_more_than_the_calls_in_flight(alice):
    """Each call costs a hundredth of the budget; eight workers call as fast as they can."""
    workers, price, limit = 8, Decimal("0.01"), Decimal("1.00")
    with tenant(alice.id):
        set_preferences(alice, monthly_budget=limit)
    current.configuration()

    class Priced(FakeChat):
        def complete(self, request):
            return replace((done := super().complete(request)), usage=replace(done.usage, cost_usd=price))

    def work(number):
        with tenant(alice.id), pytest.raises(BudgetSpent):
            while True:
                writer_for(Purpose(alice.id, "memory_extract", NOW)).complete(REQUEST)

    with current.using(chat=Priced(answer=lambda request: "A word.")):
        at_once(work, workers)
    with tenant(alice.id):
        spent = sum(row.cost_usd for row in rows(user_id=alice.id))
    assert limit <= spent <= limit + (workers - 1) * price


def call(cost, model="m", **changes):
    fields = {"input_tokens": 10, "output_tokens": 2, "latency_ms": 7} | changes
    return ModelUsage(model=model, cost_usd=None if cost is None else Decimal(cost), **fields)


def test_paid_and_unpriced_calls_are_recorded_separately(as_alice):
    paid = Purpose(as_alice.id, CHAT, NOW, uuid4())
    assert not is_recorded(paid)
    record_usage(paid, call("0.25", estimated=True))
    (row,) = rows(user_id=as_alice.id)
    assert (row.source, row.model, row.calls, row.input_tokens, row.output_tokens) == ("chat", "m", 1, 10, 2)
    assert (row.cost_usd, row.latency_ms, row.estimated) == (Decimal("0.25"), 7, True)
    assert (row.job_id, row.at, row.day) == (paid.job_id, NOW, None)
    assert is_recorded(paid)
    assert not is_recorded(Purpose(as_alice.id, CHAT, NOW, uuid4()))
    for cost in ("0.000001", None) * 3:
        record_usage(Purpose(as_alice.id, EMBED, NOW), call(cost, model="é" * 500))
    found = rows(source=EMBED, calls=1, day=None)
    assert [len(row.model) for row in found] == [120] * 6


def test_free_calls_of_a_day_are_recorded_in_one_row_by_purpose_model_and_user(as_alice, bob):
    for hour in range(30):
        record_usage(Purpose(as_alice.id, EMBED, NOW + timedelta(hours=hour)), call("0"))
    first, second = Usage.objects.order_by("day")
    assert (first.calls, second.calls) == (18, 12)
    assert (first.input_tokens, first.output_tokens, first.latency_ms) == (180, 36, 126)
    assert (first.day, second.day) == (NOW.date(), NOW.date() + timedelta(days=1))
    assert first.cost_usd == 0
    with tenant(bob.id):
        for source, model, estimated in (
            *((EMBED, "m", False), (EMBED, "other", False)),
            *((CHAT, "m", True), (CHAT, "m", False)),
        ):
            record_usage(Purpose(bob.id, source, NOW), call("0", model=model, estimated=estimated))
        found = Usage.objects.filter(user=bob).values_list("source", "model", "calls", "estimated")
        embedded = [("memory_embed", model, 1, False) for model in ("m", "other")]
        assert sorted(found) == [("chat", "m", 2, True), *embedded]


def setting(name):
    return fetch_value("SELECT current_setting(%s)", [name])


@pytest.fixture
def commit_setting_at_insert(alice):
    """Returns the `synchronous_commit` setting in force when the last usage row was inserted."""
    with as_owner():
        execute("""
            CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              PERFORM set_config('palace.seen', current_setting('synchronous_commit'), FALSE);
              RETURN NEW;
            END $$;
            CREATE TRIGGER note_commit BEFORE INSERT ON memory_usage
            FOR EACH ROW EXECUTE FUNCTION note_commit()
        """)
    execute("SET synchronous_commit = on")
    yield lambda: setting("palace.seen")
    connection.close()
    with as_owner():
        execute("DROP FUNCTION note_commit CASCADE")


@pytest.mark.django_db(transaction=True)
def test_only_free_calls_outside_a_transaction_commit_asynchronously(alice, commit_setting_at_insert):
    with tenant(alice.id):
        record_usage(Purpose(alice.id, EMBED, NOW), call("0"))
        assert (commit_setting_at_insert(), setting("synchronous_commit")) == ("off", "on")
        record_usage(Purpose(alice.id, CHAT, NOW), call("0.1"))
        assert commit_setting_at_insert() == "on"
        with transaction.atomic():
            record_usage(Purpose(alice.id, EMBED, NOW), call("0", model="other"))
            assert (commit_setting_at_insert(), setting("synchronous_commit")) == ("on", "on")
