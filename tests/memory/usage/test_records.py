"""Records of model calls, and the reports of their costs."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction

from accounts.tenancy import operator, tenant
from llm.types import Usage as ModelUsage
from memory.models import Usage
from memory.pages.activity.cost import costs_of, costs_of_site, requested_month
from memory.usage.budgets import month_of
from memory.usage.records import Purpose, is_recorded, record_usage
from palace.postgres.base import as_owner
from tests.drills.ledger import NOW

EMBED, CHAT = Usage.Source.EMBED, Usage.Source.CHAT


def call(cost, model="m", **changes):
    fields = {"input_tokens": 10, "output_tokens": 2, "latency_ms": 7} | changes
    return ModelUsage(model=model, cost_usd=None if cost is None else Decimal(cost), **fields)


def test_a_paid_call_is_recorded_with_all_its_details(as_alice):
    job = uuid4()
    record_usage(Purpose(as_alice.id, CHAT, NOW, job), call("0.25", estimated=True))
    row = Usage.objects.get(user_id=as_alice.id)
    assert (row.source, row.model, row.calls, row.input_tokens, row.output_tokens) == (
        "chat", "m", 1, 10, 2,
    )  # fmt: skip
    assert (row.cost_usd, row.latency_ms, row.estimated) == (Decimal("0.25"), 7, True)
    assert (row.job_id, row.at, row.day) == (job, NOW, None)


def test_paid_and_unpriced_calls_are_recorded_separately(as_alice):
    for cost in ("0.000001", None) * 3:
        record_usage(Purpose(as_alice.id, EMBED, NOW), call(cost, model="é" * 500))
    assert Usage.objects.filter(calls=1, day=None).count() == 6
    assert {len(name) for name in Usage.objects.values_list("model", flat=True)} == {120}
    purpose = Purpose(as_alice.id, CHAT, NOW, uuid4())
    assert not is_recorded(purpose)
    record_usage(purpose, call("0.1"))
    assert is_recorded(purpose)
    assert not is_recorded(Purpose(as_alice.id, CHAT, NOW, uuid4()))


def test_free_calls_of_a_day_are_recorded_in_one_row(as_alice):
    for hour in range(30):
        record_usage(Purpose(as_alice.id, EMBED, NOW + timedelta(hours=hour)), call("0"))
    first, second = Usage.objects.order_by("day")
    assert (first.calls, second.calls) == (18, 12)
    assert (first.input_tokens, first.output_tokens, first.latency_ms) == (180, 36, 126)
    assert (first.day, second.day) == (NOW.date(), NOW.date() + timedelta(days=1))
    assert first.cost_usd == 0


def test_free_calls_are_separated_by_purpose_model_and_user(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            record_usage(Purpose(user.id, EMBED, NOW), call("0"))
            record_usage(Purpose(user.id, EMBED, NOW), call("0", model="other"))
            record_usage(Purpose(user.id, CHAT, NOW), call("0", estimated=True))
            record_usage(Purpose(user.id, CHAT, NOW), call("0"))
    with operator():
        rows = Usage.objects.filter(user=bob).values_list("source", "model", "calls", "estimated")
        assert sorted(rows) == [
            ("chat", "m", 2, True), ("memory_embed", "m", 1, False),
            ("memory_embed", "other", 1, False),
        ]  # fmt: skip


@pytest.fixture
def commit_setting_at_insert(alice):
    """Returns the `synchronous_commit` setting in force when the last usage row was inserted."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("""
            CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              PERFORM set_config('palace.seen', current_setting('synchronous_commit'), FALSE);
              RETURN NEW;
            END $$
        """)
        cursor.execute("""
            CREATE TRIGGER note_commit BEFORE INSERT ON memory_usage
            FOR EACH ROW EXECUTE FUNCTION note_commit()
        """)
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")
    yield lambda: setting("palace.seen")
    connection.close()
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION note_commit CASCADE")


def setting(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [name])
        return cursor.fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_only_free_calls_outside_a_transaction_commit_asynchronously(alice, commit_setting_at_insert):
    with tenant(alice.id):
        record_usage(Purpose(alice.id, EMBED, NOW), call("0"))
        assert commit_setting_at_insert() == "off"
        assert setting("synchronous_commit") == "on"
        record_usage(Purpose(alice.id, CHAT, NOW), call("0.1"))
        assert commit_setting_at_insert() == "on"
        with transaction.atomic():
            record_usage(Purpose(alice.id, EMBED, NOW), call("0", model="other"))
            assert commit_setting_at_insert() == "on"
            assert setting("synchronous_commit") == "on"


FREE = Decimal(0)
MARCH = month_of(NOW, UTC)


def paid(user, source="chat", cost="0.5", at=NOW, **changes):
    fields = {"input_tokens": 100, "output_tokens": 10, "latency_ms": 400} | changes
    record_usage(Purpose(user.id, source, at, uuid4()), call(cost, **fields))


def test_costs_of_a_month_are_summed_by_purpose_and_model_most_expensive_first(as_alice):
    paid(as_alice, "memory_extract", cost="0.25")
    paid(as_alice, "memory_extract", cost="0.5", estimated=True, latency_ms=1000)
    paid(as_alice, "chat", model="dear", cost="3")
    paid(as_alice, "chat", model="odd", cost=None)
    for _ in range(5):
        paid(as_alice, "memory_embed", model="local", cost="0")
    dear, extraction, *others = costs_of(as_alice.id, MARCH, UTC).lines
    assert (dear.name, dear.model, dear.cost_usd, dear.unpriced) == ("Chat", "dear", Decimal(3), 0)
    assert (extraction.name, extraction.calls, extraction.cost_usd) == (
        "Extraction", 2, Decimal("0.75"),
    )  # fmt: skip
    assert (extraction.input_tokens, extraction.output_tokens) == (200, 20)
    assert (extraction.seconds, extraction.estimated) == (0.7, True)
    totals = {line.model: (line.calls, line.cost_usd, line.unpriced) for line in others}
    assert totals == {"local": (5, FREE, 0), "odd": (1, FREE, 1)}
    costs = costs_of(as_alice.id, MARCH, UTC)
    assert (costs.calls, costs.cost_usd, costs.unpriced) == (9, Decimal("3.75"), 1)


def test_daily_costs_follow_the_users_time_zone(as_alice):
    late = datetime(2031, 3, 5, 22, 30, tzinfo=UTC)
    paid(as_alice, cost="0", at=late)
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.calls, day.cost_usd, day.share) == (1, FREE, 0.0)
    paid(as_alice, cost="1", at=late)
    paid(as_alice, cost="0.5", at=late - timedelta(hours=5))
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.day, day.calls, day.cost_usd, day.share) == (date(2031, 3, 5), 3, Decimal("1.5"), 1.0)
    first, second = costs_of(as_alice.id, MARCH, ZoneInfo("Asia/Kolkata")).days
    assert [(day.day.day, day.share) for day in (first, second)] == [(5, 0.5), (6, 1.0)]


def test_calls_of_other_months_are_not_counted(as_alice):
    paid(as_alice, at=MARCH.start - timedelta(seconds=1))
    paid(as_alice, at=MARCH.end)
    assert costs_of(as_alice.id, MARCH, UTC).calls == 0
    paid(as_alice, at=MARCH.start)
    assert costs_of(as_alice.id, MARCH, UTC).calls == 1


def test_the_month_can_be_requested_in_the_url():
    for month_text, found in {"2030-12": (2030, 12), "2031-03": (2031, 3)}.items():
        month = requested_month({"month": month_text}, NOW, UTC)
        assert (month.start.year, month.start.month) == found
    for wrong in ("", "2030-13", "x", "9999-01"):
        assert requested_month({"month": wrong}, NOW, UTC).start.month == 3


def test_site_costs_have_a_line_for_each_user(alice, bob):
    for user, cost in ((alice, "1"), (bob, "2")):
        with tenant(user.id):
            paid(user, cost=cost)
            paid(user, cost=None)
    with tenant(alice.id):
        assert [line.name for line in costs_of_site(MARCH, UTC).people] == [alice.email]
    with operator():
        site = costs_of_site(MARCH, UTC)
    assert [(line.name, line.cost_usd, line.unpriced) for line in site.people] == [
        (bob.email, Decimal(2), 1), (alice.email, Decimal(1), 1),
    ]  # fmt: skip
    assert (site.calls, site.cost_usd) == (4, Decimal(3))
