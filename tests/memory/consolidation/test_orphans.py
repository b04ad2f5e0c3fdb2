from datetime import timedelta

import pytest
from django.db import connection

from memory.consolidation.application import consolidate, undo
from memory.consolidation.planning import GRACE
from memory.forgetting.trash import delete
from memory.forgetting.trash import undo as restore
from memory.models import Closet, Drawer, Entity, EntityName, Room, Wing, WingName
from memory.organize.arranging import Destination, move_drawers
from tests.memory.consolidation.dumps import dump
from tests.memory.palaces import MONDAY, Spot, file, relate

LATER = MONDAY + timedelta(days=60)


@pytest.fixture
def old(as_alice, bread):
    """A palace that was created on that Monday."""
    age()
    return bread


def age():
    for model in (Wing, Room, Closet, Entity):
        model.objects.update(created_at=MONDAY)


def test_empty_places_are_removed_undoably_unless_their_drawers_are_in_the_trash(as_alice, old):
    drawer = file(as_alice.id, ["Boats!"], Spot(wing="Море", room="Лодки", closet="船"))[0]
    age()
    given = {"slug": "sea", "name": "Sea", "is_alias": True}
    WingName.objects.create(user_id=as_alice.id, wing_id=drawer.wing_id, **given)
    assert consolidate(as_alice.id, LATER).counts == {}
    deletion = delete(as_alice.id, "wing", drawer.wing_id, MONDAY)
    assert consolidate(as_alice.id, LATER).counts == {}
    restore(as_alice.id, deletion.id, MONDAY)

    move_drawers(as_alice.id, [drawer.id], Destination(old[0].wing_id), MONDAY)
    age()
    before = dump(as_alice.id)
    run = consolidate(as_alice.id, LATER)
    assert run.counts == {"removed": 3}
    assert not WingName.objects.filter(wing_id=drawer.wing_id).exists()
    assert not Wing.objects.filter(id=drawer.wing_id).exists()
    assert Drawer.objects.count() == 4
    assert undo(as_alice.id, run.id, LATER) == 0
    assert dump(as_alice.id) == before


def closet(drawer, **given):
    return Closet.objects.create(user_id=drawer.user_id, room_id=drawer.room_id, name="X", slug="x", **given)


def test_empty_places_are_removed_only_after_the_grace_period(as_alice, old):
    closet(old[0], created_at=LATER)
    assert consolidate(as_alice.id, LATER + GRACE).counts == {}
    assert consolidate(as_alice.id, LATER + GRACE + timedelta(seconds=1)).counts == {"removed": 1}


def test_undo_skips_a_removed_place_whose_name_is_taken(as_alice, old):
    removed = closet(old[0], created_at=MONDAY)
    run = consolidate(as_alice.id, LATER)
    closet(old[0])
    assert undo(as_alice.id, run.id, LATER) == 1
    assert not Closet.objects.filter(id=removed.id).exists()


def test_entities_without_relations_are_removed_but_never_the_owner(as_alice, old):
    relate(old[0], "Ana", "knows", "Ben")
    lone = Entity.objects.create(user_id=as_alice.id, name="Zoe", type="person")
    Entity.objects.create(user_id=as_alice.id, name="Me", type="user")
    EntityName.objects.create(user_id=as_alice.id, entity_id=lone.id, normalised="zoe", name="Zoe")
    age()
    before = dump(as_alice.id)
    run = consolidate(as_alice.id, LATER)

    assert set(Entity.objects.values_list("name", flat=True)) == {"Ana", "Ben", "Me"}
    assert undo(as_alice.id, run.id, LATER) == 0
    assert dump(as_alice.id) == before


def test_all_tables_that_reference_places_or_entities_are_known(db):
    targets = ["memory_wing", "memory_room", "memory_closet", "memory_entity"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text FROM pg_constraint "
            "WHERE contype = 'f' AND confrelid = ANY(%s::regclass[])",
            [targets],
        )
        tables = {name.removeprefix("memory_") for (name,) in cursor.fetchall()}
    places = {"wing", "wingname", "room", "closet", "drawer", "summary"}
    assert tables == places | {"entity", "entityname", "relation", "relationsource"}
