"""Concurrent edits of one graph."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.changes.log import ChangeRefused
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import ChangeSet, Entity, Relation
from memory.placement import lock_palace
from tests.at_once import at_once
from tests.memory.graph.people import NOW, rows
from tests.memory.palaces import file, relate


def run_concurrently(user: User, *calls: Callable[[], object]) -> list[object]:
    """Run these at the same time, each on its own connection; returns results and errors."""

    def run(number: int) -> object:
        with tenant(user.id):
            try:
                return calls[number]()
            except (NotFound, ChangeRefused) as error:
                return error

    return at_once(run, len(calls))


@pytest.fixture
def bob_and_robert(alice: User) -> list[Any]:
    """Alice's drawer about Bob and Robert, and their ids."""
    with tenant(alice.id):
        drawer = file(alice.id, ["Bob and Robert know Ines."])[0]
        for name in ("Bob", "Robert"):
            relate(drawer, name, "knows", "Ines")
        return [drawer, *(find_entity(alice.id, name).id for name in ("Bob", "Robert"))]


@pytest.mark.django_db(transaction=True)
def test_concurrent_merges_of_two_entities_into_each_other_leave_one(alice: User, bob_and_robert: list[Any]):
    _, one, other = bob_and_robert
    results = run_concurrently(
        alice,
        lambda: editing.merge(alice.id, one, other, NOW),
        lambda: editing.merge(alice.id, other, one, NOW),
    )
    assert sorted(type(each).__name__ for each in results) == ["ChangeSet", "NotFound"]
    with tenant(alice.id):
        assert Entity.objects.filter(merged_into_id=None, type="person").count() == 2
        assert Relation.objects.filter(deleted_at=None).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_relation_added_while_a_merge_is_undone_is_kept(alice: User, bob_and_robert: list[Any]):
    drawer, one, other = bob_and_robert
    with tenant(alice.id):
        before = rows(alice)
        edit = editing.merge(alice.id, one, other, NOW)

    def add_relation() -> None:
        with transaction.atomic():
            lock_palace(alice.id)
            relate(drawer, "Robert", "manages", "Zoe")

    run_concurrently(alice, add_relation, lambda: editing.undo(alice.id, edit.batch_id, NOW))
    with tenant(alice.id):
        added = Relation.objects.get(relation="manages")
        assert added.subject_id in (one, other)
        assert ChangeSet.objects.get().undone_at == NOW
        kept = rows(alice)["memory.relation"].items()
        assert {key: row for key, row in kept if str(added.id) not in row.values()} == before[
            "memory.relation"
        ]


@pytest.mark.django_db(transaction=True)
def test_concurrent_undos_of_one_edit_apply_once(alice: User):
    with tenant(alice.id):
        relate(file(alice.id, ["Rui knows Ines."])[0], "Rui", "knows", "Ines")
        before = rows(alice)
        edit = editing.rename(alice.id, find_entity(alice.id, "Rui").id, "Ruy", NOW)
    undo = [lambda: editing.undo(alice.id, edit.batch_id, NOW)] * 2
    results = run_concurrently(alice, *undo)
    assert sorted(type(each).__name__ for each in results) == ["ChangeSet", "NotFound"]
    with tenant(alice.id):
        assert rows(alice) == before
