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
from tests.memory.palaces import file

pytestmark = pytest.mark.django_db(transaction=True)

DRAWERS, CHUNKS = 40, 50
HERONS = [f"I met heron number {number}." for number in range(100)]


@pytest.fixture
def heavy_user(alice, embedder, settings):
    """Alice with 2,040 vectors, with an index threshold of 2,000."""
    settings.INDEX_FROM_VECTORS = 2000
    other = FakeEmbedder(name="other")
    with tenant(alice.id), current.using(other_embedders=[other]):
        remember(alice.id, *HERONS[:DRAWERS])
        chance = np.random.default_rng(5)
        drawers = list(DrawerVector.objects.values_list("drawer_id", flat=True))
        chunks = [ChunkRow(key, n + 1, 1, unit(chance)) for key in drawers for n in range(CHUNKS)]
        with transaction.atomic():
            file_vectors(alice.id, space_for(embedder.model), chunks)
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("ANALYZE memory_drawervector")
        yield alice
        settings.INDEX_FROM_VECTORS = 1_000_000
        update_index(alice.id)


def unit(chance):
    vector = chance.standard_normal(384).astype(np.float32)
    return vector / np.linalg.norm(vector)


def rows(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def indexes():
    found = rows("SELECT indexname FROM pg_indexes WHERE starts_with(indexname, 'memory_near_')")
    return [name for (name,) in found]


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


def test_a_user_with_many_vectors_gets_their_own_index(heavy_user):
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


def test_an_index_is_scanned_until_enough_rows_are_in_scope(heavy_user):
    update_index(heavy_user.id)
    space = active_space_of(heavy_user.id).space
    scope = SearchScope(SearchFilters(role="assistant"))
    here = set(Drawer.objects.filter(user_id=heavy_user.id, role="assistant").values_list("id", flat=True))
    plan, near = plan_of(heavy_user, indexed=True, scope=scope)
    _, exact = plan_of(heavy_user, indexed=False, scope=scope)
    assert name_of(heavy_user.id, space) in plan, "the scan goes on until enough rows are in scope"
    assert len(here) == len(exact) == DRAWERS // 2
    assert set(exact) == here >= set(near)
    assert len(near) >= len(exact) * 0.5, "as many as the best forty chunks have"


def test_a_user_with_few_vectors_is_searched_exactly(heavy_user, bob, embedder):
    update_index(heavy_user.id)
    with tenant(bob.id):
        remember(bob.id, "I met a heron.", "And?")
        assert not index_is_due(bob.id)
        assert not active_space_of(bob.id).indexed
        plan, found = plan_of(bob, indexed=False)
        assert "memory_near_" not in plan
        assert len(found) == 2
        # Asking for an index changes nothing, as there is none for this user.
        assert "memory_near_" not in plan_of(bob, indexed=True)[0]


def test_an_index_is_dropped_below_its_threshold(heavy_user, settings):
    update_index(heavy_user.id)
    for threshold, due in ((2500, False), (2600, True)):
        settings.INDEX_FROM_VECTORS = threshold
        assert index_is_due(heavy_user.id) is due
    assert not update_index(heavy_user.id)
    assert indexes() == []
    assert not active_space_of(heavy_user.id).indexed
    settings.INDEX_FROM_VECTORS = 2041
    assert not index_is_due(heavy_user.id)


def test_an_invalid_index_is_built_again(heavy_user):
    update_index(heavy_user.id)
    (name,) = indexes()
    Palace.objects.update(indexed=False)
    with connection.owner(), connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
    assert index_is_due(heavy_user.id)
    assert update_index(heavy_user.id)
    assert rows("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", name) == [(True,)]


def test_the_index_of_another_model_is_dropped(heavy_user):
    update_index(heavy_user.id)
    MemoryPreferences.objects.create(user_id=heavy_user.id, embedding_model="other")
    backfill(heavy_user.id, 100, NOW)
    assert not active_space_of(heavy_user.id).indexed
    assert index_is_due(heavy_user.id)
    assert not update_index(heavy_user.id)
    assert indexes() == []


def test_the_index_of_a_deleted_user_is_dropped(alice, embedder, settings):
    settings.INDEX_FROM_VECTORS = 1
    with tenant(alice.id):
        remember(alice.id, *HERONS[:2])
        assert update_index(alice.id)
    assert orphans() == []
    assert drop_orphans() == 0
    with connection.owner():
        User.objects.filter(id=alice.id).delete()
    assert orphans() == indexes() != []
    assert drop_orphans() == 1
    assert indexes() == []


def test_planner_statistics_are_updated_after_an_import(alice, embedder):
    analyze_changed_tables()
    with tenant(alice.id):
        file(alice.id, HERONS)
        rows("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() >= 2
        for table in ("memory_drawer", "memory_drawervector"):
            assert rows("SELECT reltuples FROM pg_class WHERE relname = %s", table) == [(100,)]
        rows("SELECT pg_stat_force_next_flush()")
        assert analyze_changed_tables() == 0
