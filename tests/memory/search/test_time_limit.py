"""One time limit for several stages of reading."""

from time import sleep

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from accounts.tenancy import tenant
from memory.models import MemoryPreferences
from memory.search.time_limit import TimeLimit, TooSlow

pytestmark = pytest.mark.django_db
outside_of_a_transaction = pytest.mark.django_db(transaction=True)


def one(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchone()[0]


def read(seconds=0.0):
    return one("SELECT 7 FROM pg_sleep(%s)", seconds)


def timeout():
    return one("SHOW statement_timeout")


@pytest.mark.parametrize(
    "outside", [False, pytest.param(True, marks=outside_of_a_transaction)], ids=["inside", "outside"]
)
def test_a_long_statement_is_cancelled_and_the_next_stage_works(outside):
    assert connection.in_atomic_block is not outside
    limit = TimeLimit(500)
    with pytest.raises(TooSlow), limit.stage(0.2):
        read(5)
    with limit.stage():
        assert read() == 7
    with pytest.raises(TooSlow), limit.stage():
        read(0.45)
    assert read() == 7


def test_stages_share_one_limit_and_run_no_query_beyond_it():
    limit = TimeLimit(120)
    with limit.stage():
        read(0.08)
    with pytest.raises(TooSlow), limit.stage():
        read(0.08)
    statements = []

    def record(execute, sql, params, many, context):
        statements.append(sql)
        return execute(sql, params, many, context)

    sleep(0.01)
    with pytest.raises(TooSlow), limit.stage(), connection.execute_wrapper(record):
        read()
    assert statements == []


def test_the_limit_counts_only_stages_and_is_reset_after_an_error():
    limit = TimeLimit(150)
    for _ in range(2):
        with limit.stage():
            assert read() == 7
        sleep(0.2)
    limit = TimeLimit(5_000)
    with pytest.raises(DatabaseError), limit.stage():
        one("SELECT nothing FROM nowhere")
    with limit.stage():
        assert read() == 7
        assert timeout() != "0"
    assert (read(), timeout()) == (7, "0")


@outside_of_a_transaction
def test_a_stage_opens_no_transaction_limits_each_and_commits_writes(alice):
    with TimeLimit(5_000).stage():
        first = one("SELECT now()")
        assert timeout() != "0"
        assert not connection.in_atomic_block
        assert one("SELECT now()") != first
    assert timeout() == "0"
    with tenant(alice.id), TimeLimit(5_000).stage(), transaction.atomic():
        MemoryPreferences.objects.create(user_id=alice.id, monthly_budget=3)
        assert MemoryPreferences.objects.filter(user_id=alice.id).update(monthly_budget=4) == 1
        assert timeout() != "0"
    with tenant(alice.id):
        assert MemoryPreferences.objects.get(user_id=alice.id).monthly_budget == 4
    assert timeout() == "0"
    with TimeLimit(300).stage():
        with transaction.atomic():
            read()
        with pytest.raises(OperationalError), transaction.atomic():
            read(5)
