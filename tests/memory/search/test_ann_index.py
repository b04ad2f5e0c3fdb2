"""Vector indexes of single users with many vectors, and planner statistics of tables that changed a lot."""

import re
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from django.db import connection, transaction

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from memory.models import Drawer, DrawerVector, MemoryPreferences, Palace
from memory.search.active_embedding import active_space_of
from memory.search.ann_index import drop_orphans, index_is_due, name_of, orphans, update_index
from memory.search.embedding_backfill import backfill
from memory.search.index import ChunkRow, analyze_changed_tables, file_vectors, space_for
from memory.search.queries import WHOLE_PALACE, SearchFilters, SearchScope, nearest
from palace.postgres.base import as_owner
from tests.drills.ledger import NOW, remember
from tests.fake_gateway import FakeEmbedder

pytestmark = pytest.mark.django_db(transaction=True)

DRAWERS, CHUNKS = 40, 50


@pytest.fixture(autouse=True)
def _other_model(embedder):
    with current.using(other_embedders=[FakeEmbedder(name="other")]):
        yield


@pytest.fixture
def heavy_user(alice, embedder, settings):
    """Alice with 2,040 vectors, with an index threshold of 2,000."""
    settings.INDEX_FROM_VECTORS = 2000
    with tenant(alice.id):
        fill(alice, embedder)
        yield alice
        settings.INDEX_FROM_VECTORS = 1_000_000
        update_index(alice.id)


def fill(user, embedder):
    remember(user.id, *(f"I met heron number {number}." for number in range(DRAWERS)))
    chance = np.random.default_rng(5)
    drawers = DrawerVector.objects.filter(user_id=user.id).values_list("drawer_id", flat=True)
    with transaction.atomic():
        file_vectors(
            user.id,
            space_for(embedder.model),
            [ChunkRow(key, n + 1, 1, unit(chance)) for key in list(drawers) for n in range(CHUNKS)],
        )
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_drawervector")


def unit(chance):
    vector = chance.standard_normal(384).astype(np.float32)
    return vector / np.linalg.norm(vector)


def indexes():
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'memory\\_near\\_%'")
        return [name for (name,) in cursor.fetchall()]


@contextmanager
def without_sorting():
    """Disable sorting: unlike 100,000 vectors, 2,000 are sorted faster than looked up in an index."""
    with connection.cursor() as cursor:
        cursor.execute("SET enable_sort = off")
        yield
        cursor.execute("RESET enable_sort")


def plan_of(user, *, indexed, scope=WHOLE_PALACE):
    """The plan of a search, and what it found."""
    plans = []

    def explain(execute, query, params, many, context):
        if "memory_drawervector" in query:
            execute(f"EXPLAIN {query}", params, many, context)
            plans.append("\n".join(row[0] for row in context["cursor"].fetchall()))
        return execute(query, params, many, context)

    space = active_space_of(user.id).space
    question = unit(np.random.default_rng(6))
    with without_sorting(), connection.execute_wrapper(explain):
        found = nearest(user.id, space, question, 20, replace(scope, indexed=indexed))
    return "\n".join(plans), [near.drawer_id for near in found]


def test_a_user_with_many_vectors_gets_their_own_index(heavy_user, bob, embedder):
    assert index_is_due(heavy_user.id)
    assert update_index(heavy_user.id)
    space = active_space_of(heavy_user.id).space
    assert active_space_of(heavy_user.id).indexed
    assert indexes() == [name_of(heavy_user.id, space)]
    assert re.fullmatch(r"memory_near_[0-9a-f]{32}_\d+", indexes()[0])
    assert not index_is_due(heavy_user.id)

    plan, near = plan_of(heavy_user, indexed=True)
    exact_plan, exact = plan_of(heavy_user, indexed=False)
    assert name_of(heavy_user.id, space) in plan
    assert "memory_near_" not in exact_plan
    assert len(set(near) & set(exact)) >= 18

    with tenant(bob.id):
        remember(bob.id, "I met a heron.", "And?")
        assert not index_is_due(bob.id)
        assert not active_space_of(bob.id).indexed
        plan, found = plan_of(bob, indexed=False)
        assert "memory_near_" not in plan
        assert len(found) == 2
        # Asking for an index changes nothing, as there is none for this user.
        assert "memory_near_" not in plan_of(bob, indexed=True)[0]


def test_an_index_scan_continues_until_enough_rows_are_in_scope(heavy_user):
    update_index(heavy_user.id)
    scope = SearchScope(SearchFilters(role="assistant"))
    here = set(Drawer.objects.filter(user_id=heavy_user.id, role="assistant").values_list("id", flat=True))
    plan, near = plan_of(heavy_user, indexed=True, scope=scope)
    _, exact = plan_of(heavy_user, indexed=False, scope=scope)
    assert name_of(heavy_user.id, active_space_of(heavy_user.id).space) in plan
    assert len(here) == len(exact) == DRAWERS // 2
    assert set(exact) == here >= set(near)
    assert len(near) >= len(exact) * 0.5, "as many as the best forty chunks have"


def test_the_index_is_dropped_well_below_its_threshold_or_for_another_model(heavy_user, settings):
    update_index(heavy_user.id)
    for threshold, due in ((2500, False), (2600, True)):
        settings.INDEX_FROM_VECTORS = threshold
        assert index_is_due(heavy_user.id) is due
    assert not update_index(heavy_user.id)
    assert indexes() == []
    assert not active_space_of(heavy_user.id).indexed
    settings.INDEX_FROM_VECTORS = 2041
    assert not index_is_due(heavy_user.id)

    settings.INDEX_FROM_VECTORS = 1000
    update_index(heavy_user.id)
    MemoryPreferences.objects.create(user_id=heavy_user.id, embedding_model="other")
    backfill(heavy_user.id, 100, NOW)
    assert not active_space_of(heavy_user.id).indexed
    assert index_is_due(heavy_user.id)
    assert not update_index(heavy_user.id)
    assert indexes() == []


def test_invalid_indexes_are_rebuilt_and_orphaned_ones_dropped(heavy_user):
    update_index(heavy_user.id)
    (name,) = indexes()
    Palace.objects.update(indexed=False)
    with connection.owner(), connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
    assert index_is_due(heavy_user.id)
    assert update_index(heavy_user.id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        assert cursor.fetchone() == (True,)

    assert orphans() == []
    assert drop_orphans() == 0
    with connection.owner():
        User.objects.filter(id=heavy_user.id).delete()
    assert orphans() == indexes() != []
    assert drop_orphans() == 1
    assert indexes() == []


def test_planner_statistics_are_updated_after_an_import(alice, embedder):
    analyze_changed_tables()
    with tenant(alice.id):
        remember(alice.id, *(f"I met heron number {number}." for number in range(200)))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() >= 2
        assert estimated_rows("memory_drawer") == estimated_rows("memory_drawervector") == 200
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() == 0


def estimated_rows(table):
    """The planner's estimate of the number of rows of a table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [table])
        return cursor.fetchone()[0]
