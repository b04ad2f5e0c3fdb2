from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from memory.consolidation.application import consolidate, undo
from memory.consolidation.orphans import GRACE
from memory.forgetting.trash import delete
from memory.models import Closet, Drawer, Entity, EntityName, Room, Wing, WingName
from memory.organize.moving import Destination, move_drawers
from tests.memory.consolidation.dumps import dump
from tests.memory.palaces import MONDAY, Spot, file, relate

LATER = MONDAY + timedelta(days=60)


@pytest.fixture
def old(as_alice: User, bread: list[Drawer]) -> list[Drawer]:
    """A palace that was made on that Monday, not today."""
    age()
    return bread


def age() -> None:
    for model in (Wing, Room, Closet, Entity):
        model.objects.update(created_at=MONDAY)


def test_places_that_were_emptied_are_removed_and_come_back(as_alice: User, old: list[Drawer]):
    drawer = file(as_alice.id, ["Boats!"], Spot(wing="Море", room="Лодки", closet="船"))[0]
    age()
    WingName.objects.create(
        user_id=as_alice.id, wing_id=drawer.wing_id, slug="sea", name="Sea", is_alias=True
    )
    assert consolidate(as_alice.id, LATER).counts == {}

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


def test_what_lies_in_the_trash_holds_its_place(as_alice: User, old: list[Drawer]):
    drawer = file(as_alice.id, ["Boats!"], Spot(wing="Море", room="Лодки", closet="船"))[0]
    age()
    delete(as_alice.id, "wing", drawer.wing_id, MONDAY)
    assert consolidate(as_alice.id, LATER).counts == {}
    assert Wing.objects.filter(id=drawer.wing_id).exists()


def test_what_was_just_made_is_left_alone(as_alice: User, old: list[Drawer]):
    Closet.objects.create(
        user_id=as_alice.id, room_id=old[0].room_id, name="New", slug="new", created_at=LATER
    )
    assert consolidate(as_alice.id, LATER + GRACE).counts == {}
    assert consolidate(as_alice.id, LATER + GRACE + timedelta(seconds=1)).counts == {"removed": 1}


def test_a_place_that_was_filled_since_makes_the_plan_outdated_or_stays(as_alice: User, old: list[Drawer]):
    closet = Closet.objects.create(
        user_id=as_alice.id, room_id=old[0].room_id, name="X", slug="x", created_at=MONDAY
    )
    run = consolidate(as_alice.id, LATER)
    Closet.objects.create(user_id=as_alice.id, room_id=old[0].room_id, name="X", slug="x")

    assert undo(as_alice.id, run.id, LATER) == 1
    assert not Closet.objects.filter(id=closet.id).exists()


def test_names_nothing_is_known_about_are_removed_but_never_the_owner(as_alice: User, old: list[Drawer]):
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


def test_nothing_else_hangs_on_what_is_removed(db: None):
    """A table that refers to places or entities has to be kept by the journal, too."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT conrelid::regclass::text FROM pg_constraint
            WHERE contype = 'f' AND confrelid = ANY(%s::regclass[])
            """,
            [["memory_wing", "memory_room", "memory_closet", "memory_entity"]],
        )
        tables = {name for (name,) in cursor.fetchall()}
    assert tables == {
        "memory_wing",
        "memory_wingname",
        "memory_room",
        "memory_closet",
        "memory_drawer",
        "memory_entityname",
        "memory_relation",
        "memory_summary",
        "memory_relationsource",
        "memory_entity",
    }
