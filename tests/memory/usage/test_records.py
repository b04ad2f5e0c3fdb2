from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection, transaction

from accounts.tenancy import operator, tenant
from llm.types import Usage as ModelUsage
from memory.models import Usage
from memory.usage.records import Purpose, record_usage, recorded
from palace.postgres.base import as_owner
from tests.drills.ledger import NOW

EMBED, CHAT = Usage.Source.EMBED, Usage.Source.CHAT


def call(cost, model="m", **changes):
    fields = {"input_tokens": 10, "output_tokens": 2, "latency_ms": 7} | changes
    return ModelUsage(model=model, cost_usd=None if cost is None else Decimal(cost), **fields)


def test_a_paid_call_is_a_row_with_everything_known_about_it(as_alice):
    job = uuid4()
    record_usage(Purpose(as_alice.id, CHAT, NOW, job), call("0.25", estimated=True))
    row = Usage.objects.get(user_id=as_alice.id)
    assert (row.source, row.model, row.calls, row.input_tokens, row.output_tokens) == (
        "chat", "m", 1, 10, 2,
    )  # fmt: skip
    assert (row.cost_usd, row.latency_ms, row.estimated) == (Decimal("0.25"), 7, True)
    assert (row.job_id, row.at, row.day) == (job, NOW, None)


def test_calls_that_may_cost_something_are_rows_of_their_own(as_alice):
    for cost in ("0.000001", None) * 3:
        record_usage(Purpose(as_alice.id, EMBED, NOW), call(cost, model="é" * 500))
    assert Usage.objects.filter(calls=1, day=None).count() == 6
    assert {len(name) for name in Usage.objects.values_list("model", flat=True)} == {120}
    purpose = Purpose(as_alice.id, CHAT, NOW, uuid4())
    assert not recorded(purpose)
    record_usage(purpose, call("0.1"))
    assert recorded(purpose)
    assert not recorded(Purpose(as_alice.id, CHAT, NOW, uuid4()))


def test_free_calls_of_a_day_are_one_row(as_alice):
    for hour in range(30):
        record_usage(Purpose(as_alice.id, EMBED, NOW + timedelta(hours=hour)), call("0"))
    first, second = Usage.objects.order_by("day")
    assert (first.calls, second.calls) == (18, 12)
    assert (first.input_tokens, first.output_tokens, first.latency_ms) == (180, 36, 126)
    assert (first.day, second.day) == (NOW.date(), NOW.date() + timedelta(days=1))
    assert first.cost_usd == 0


def test_free_calls_are_kept_apart_by_purpose_model_and_person(alice, bob):
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
def seen_by_the_row(alice):
    """The setting of this session that is in force while a row of usage is written."""
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
def test_only_a_free_call_by_itself_does_not_wait_for_the_disk(alice, seen_by_the_row):
    with tenant(alice.id):
        record_usage(Purpose(alice.id, EMBED, NOW), call("0"))
        assert seen_by_the_row() == "off"
        assert setting("synchronous_commit") == "on"
        record_usage(Purpose(alice.id, CHAT, NOW), call("0.1"))
        assert seen_by_the_row() == "on"
        with transaction.atomic():
            record_usage(Purpose(alice.id, EMBED, NOW), call("0", model="other"))
            assert seen_by_the_row() == "on"
            assert setting("synchronous_commit") == "on"
