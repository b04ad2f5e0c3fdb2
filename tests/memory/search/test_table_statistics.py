"""Tables that changed a lot are analysed without waiting for autovacuum."""

import pytest
from django.db import connection

from accounts.tenancy import tenant
from memory.search.index import analyze_changed_tables
from tests.drills.ledger import converse, mine

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_planner_knows_of_an_import_at_once(alice, embedder):
    analyze_changed_tables()
    with tenant(alice.id):
        converse(alice.id, *(f"I met heron number {number}." for number in range(200)))
        mine(alice.id)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() >= 2
        assert told("memory_drawer") == told("memory_drawervector") == 200
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() == 0


def told(table):
    """How many rows the planner believes a table to have."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [table])
        return cursor.fetchone()[0]
