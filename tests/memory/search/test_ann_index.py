"""The index of a person with very many vectors: made, used, dropped, and by nobody else; and what the planner
knows of tables that changed a lot."""

import re
from contextlib import contextmanager

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
from memory.search.queries import Reach, nearest
from memory.search.scope import WHOLE_PALACE, SearchFilters, SearchScope
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
def heavy(alice, embedder, settings):
    """Alice with 2,040 vectors, where an index is made from 2,000."""
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
    """Two thousand vectors are sooner sorted than looked up, unlike a hundred thousand."""
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
        found = nearest(user.id, space, question, 20, Reach(scope, indexed))
    return "\n".join(plans), [near.drawer_id for near in found]


def test_a_person_with_many_vectors_gets_an_index_of_their_own(heavy, bob, embedder):
    assert index_is_due(heavy.id)
    assert update_index(heavy.id)
    space = active_space_of(heavy.id).space
    assert active_space_of(heavy.id).indexed
    assert indexes() == [name_of(heavy.id, space)]
    assert re.fullmatch(r"memory_near_[0-9a-f]{32}_\d+", indexes()[0])
    assert not index_is_due(heavy.id)

    plan, near = plan_of(heavy, indexed=True)
    exact_plan, exact = plan_of(heavy, indexed=False)
    assert name_of(heavy.id, space) in plan
    assert "memory_near_" not in exact_plan
    assert len(set(near) & set(exact)) >= 18

    with tenant(bob.id):
        remember(bob.id, "I met a heron.", "And?")
        assert not index_is_due(bob.id)
        assert not active_space_of(bob.id).indexed
        plan, found = plan_of(bob, indexed=False)
        assert "memory_near_" not in plan
        assert len(found) == 2
        # Even when it is asked for there is none that could serve.
        assert "memory_near_" not in plan_of(bob, indexed=True)[0]


def test_an_index_scan_continues_until_enough_lies_in_the_searched_part(heavy):
    update_index(heavy.id)
    scope = SearchScope(SearchFilters(role="assistant"))
    here = set(Drawer.objects.filter(user_id=heavy.id, role="assistant").values_list("id", flat=True))
    plan, near = plan_of(heavy, indexed=True, scope=scope)
    _, exact = plan_of(heavy, indexed=False, scope=scope)
    assert name_of(heavy.id, active_space_of(heavy.id).space) in plan
    assert len(here) == len(exact) == DRAWERS // 2
    assert set(exact) == here >= set(near)
    assert len(near) >= len(exact) * 0.5, "as many as the best forty chunks have"


def test_the_index_is_dropped_well_below_its_threshold_or_for_another_model(heavy, settings):
    update_index(heavy.id)
    for threshold, due in ((2500, False), (2600, True)):
        settings.INDEX_FROM_VECTORS = threshold
        assert index_is_due(heavy.id) is due
    assert not update_index(heavy.id)
    assert indexes() == []
    assert not active_space_of(heavy.id).indexed
    settings.INDEX_FROM_VECTORS = 2041
    assert not index_is_due(heavy.id)

    settings.INDEX_FROM_VECTORS = 1000
    update_index(heavy.id)
    MemoryPreferences.objects.create(user_id=heavy.id, embedding_model="other")
    backfill(heavy.id, 100, NOW)
    assert not active_space_of(heavy.id).indexed
    assert index_is_due(heavy.id)
    assert not update_index(heavy.id)
    assert indexes() == []


def test_unfinished_indexes_are_made_anew_and_orphaned_ones_dropped(heavy):
    update_index(heavy.id)
    (name,) = indexes()
    Palace.objects.update(indexed=False)
    with connection.owner(), connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
    assert index_is_due(heavy.id)
    assert update_index(heavy.id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        assert cursor.fetchone() == (True,)

    assert orphans() == []
    assert drop_orphans() == 0
    with connection.owner():
        User.objects.filter(id=heavy.id).delete()
    assert orphans() == indexes() != []
    assert drop_orphans() == 1
    assert indexes() == []


def test_the_planner_knows_of_an_import_at_once(alice, embedder):
    analyze_changed_tables()
    with tenant(alice.id):
        remember(alice.id, *(f"I met heron number {number}." for number in range(200)))
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
