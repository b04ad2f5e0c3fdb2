"""Changes of the graph by hand are undone, and every row is as it was."""

import random

import pytest

from accounts.owned import NotFound
from memory.graph import editing
from memory.graph.editing import EditRefused, Part
from memory.models import ActivityEvent, Entity, EntityName, Relation
from tests.memory.graph.people import DAY, NOW, entity, rows
from tests.memory.palaces import relate


@pytest.mark.parametrize("seed", range(6))
def test_many_changes_are_undone_one_by_one(as_alice, drawers, seed):
    chance, before, edits = random.Random(seed), rows(as_alice), []
    while len(edits) < 8:
        try:
            edits.append(_anything(as_alice, chance))
        except EditRefused:
            continue
    for edit in reversed(edits):
        editing.undo(as_alice.id, edit.batch_id, NOW)
    assert rows(as_alice) == before


def _anything(user, chance):
    there = list(Entity.objects.filter(user_id=user.id, merged_into_id=None).order_by("id"))
    one, other = chance.sample(there, 2)
    word = chance.choice(["Bo", "Ana", "Robert", "Київ", "Bobby"])
    names = list(EntityName.objects.filter(entity_id=one.id, is_alias=True))
    alias = chance.choice(names).id if names else one.id
    edges = [
        row.id
        for row in Relation.objects.filter(user_id=user.id, deleted_at=None).order_by("id")
        if one.id in (row.subject_id, row.object_id)
    ]
    part = Part(word, chance.choice(editing.TYPES), tuple(edges[:2]), (alias,))
    return chance.choice(
        [
            lambda: editing.merge(user.id, one.id, other.id, NOW),
            lambda: editing.split(user.id, one.id, part, NOW),
            lambda: editing.rename(user.id, one.id, word, NOW),
            lambda: editing.retype(user.id, one.id, chance.choice(editing.TYPES), NOW),
            lambda: editing.add_name(user.id, one.id, word, NOW),
            lambda: editing.remove_name(user.id, one.id, alias, NOW),
        ]
    )()


def test_a_change_is_an_event_that_can_be_undone_once(as_alice, drawers):
    bob = entity(as_alice, "Bob")
    edit = editing.rename(as_alice.id, bob.id, "Rob", NOW)
    event = ActivityEvent.objects.get(kind="graph_edited")
    assert (event.subject_id, event.at, event.undone_at) == (bob.id, NOW, None)
    assert "Rob" not in repr(event.details)
    assert [each.batch_id for each in editing.edits_of(as_alice.id, bob.id)] == [edit.batch_id]
    editing.undo(as_alice.id, edit.batch_id, NOW + DAY)
    event.refresh_from_db()
    assert event.undone_at == NOW + DAY
    assert editing.edits_of(as_alice.id, bob.id) == []
    with pytest.raises(NotFound):
        editing.undo(as_alice.id, edit.batch_id, NOW)


def test_a_change_that_others_rest_on_is_not_undone(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
    alias = EntityName.objects.get(name="Bobby")
    removed = editing.remove_name(as_alice.id, bob.id, alias.id, NOW)
    relate(drawers[0], "Bobby", "knows", "Ines")
    before = rows(as_alice)
    with pytest.raises(EditRefused, match="has that name now"):
        editing.undo(as_alice.id, removed.batch_id, NOW)
    assert rows(as_alice) == before
    first = editing.rename(as_alice.id, bob.id, "Rob", NOW)
    editing.merge(as_alice.id, robert.id, bob.id, NOW)
    with pytest.raises(EditRefused, match="first"):
        editing.undo(as_alice.id, first.batch_id, NOW)
