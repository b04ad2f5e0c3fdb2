"""Renaming, merging and moving places: the effects, and what is refused."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from memory.aaak import Pointer
from memory.changes.log import ChangeRefused
from memory.drawers import find_by_pointer, pointer_of
from memory.forgetting.trash import delete, purge
from memory.models import ChangeSet, Drawer, DrawerWords, RowChange, Summary, WingName
from memory.organize.arranging import (
    Destination,
    annotate,
    change_kind,
    last_changes,
    mark,
    merge,
    move,
    move_drawers,
    rename,
    undo,
)
from memory.placement import find_wing
from tests.memory.organize.pictures import closet_of, refreshed, room_of, snapshot, wing_of
from tests.memory.organize.test_counts import check_counts
from tests.memory.palaces import MONDAY, Spot, file


def changes(bread: list[Drawer], rye: list[Drawer]):
    """Every kind of change, as a function of the owner; those that move drawers come first."""
    now, ids = timezone.now(), [each.id for each in bread]
    return {
        "merge wings": lambda user: merge(user, wing_of(bread[0]), wing_of(rye[0]), now),
        "merge rooms": lambda user: merge(user, room_of(bread[0]), room_of(rye[0]), now),
        "move a room": lambda user: move(user, room_of(bread[0]), rye[0].wing_id, now),
        "move a closet": lambda user: move(user, closet_of(bread[0]), rye[0].room_id, now),
        "move drawers": lambda user: (
            move_drawers(user, ids[:1], Destination(rye[0].wing_id, "Crust"), now).edit
        ),
        "rename a wing": lambda user: rename(user, wing_of(bread[0]), "Loaves", now),
        "change kind": lambda user: change_kind(user, wing_of(bread[0]), "topic", now),
        "pin": lambda user: mark(user, ids[0], "pinned", on=True, now=now),
        "annotate": lambda user: annotate(user, ids[0], "mine", now),
    }


MOVES = ("merge wings", "merge rooms", "move a room", "move a closet", "move drawers")


@pytest.mark.parametrize("name", MOVES)
def test_pointers_and_search_follow_moved_drawers(as_alice, bread, rye, name):
    pointers = {each.id: pointer_of(each) for each in (*bread, *rye)}
    changes(bread, rye)[name](as_alice.id)
    for drawer_id, pointer in pointers.items():
        found = find_by_pointer(as_alice.id, pointer)
        assert found
        assert found.id == drawer_id
        assert DrawerWords.objects.get(user_id=as_alice.id, id=drawer_id).room_id == found.room_id


def test_a_renamed_wing_is_found_by_all_its_names_in_any_script(as_alice, bread):
    target = wing_of(bread[0])
    for name in ("Brote", "面包店", "Хлеб", "مخبز", "🍞"):
        rename(as_alice.id, target, name, timezone.now())
        assert find_wing(as_alice.id, name.upper()).id == target.id
    more = file(as_alice.id, ["again"], Spot(wing="bakery", room="Later"))[0]
    assert more.wing_id == target.id
    rename(as_alice.id, target, "Bakery", timezone.now())
    names = WingName.objects.filter(user_id=as_alice.id, wing_id=target.id, is_alias=False)
    assert names.get().slug == "bakery"


def test_a_renamed_closet_is_found_by_both_names_until_undone(as_alice, bread):
    target = closet_of(bread[0])
    before = snapshot(as_alice)
    first = rename(as_alice.id, target, "Levain", timezone.now())
    later = file(as_alice.id, ["again"], Spot(source_id=bread[0].source_id))[0]
    second = rename(as_alice.id, target, "starter", timezone.now())
    again = file(as_alice.id, ["and again"], Spot(closet="Levain", source_id=bread[0].source_id))[0]
    assert later.closet_id == again.closet_id == target.id
    undo(as_alice.id, second.batch_id, timezone.now())
    undo(as_alice.id, first.batch_id, timezone.now())
    assert snapshot(as_alice)["Closet"].keys() == before["Closet"].keys()


def test_impossible_names_are_refused_with_advice(as_alice, bread, rye):
    for name, advice in (("RYE bread", "merge them"), (" \n ", "contain letters"), ("Bakery", "already")):
        with pytest.raises(ChangeRefused, match=advice):
            rename(as_alice.id, wing_of(bread[0]), name, timezone.now())


def test_moved_drawers_get_a_room_of_their_chat_in_the_other_wing(as_alice, bread, rye):
    ids = [bread[0].id, rye[0].id, uuid4()]
    outcome = move_drawers(as_alice.id, ids, Destination(rye[0].wing_id), timezone.now())

    moved = refreshed(bread[0])
    assert outcome.done == (bread[0].id,)
    assert set(outcome.left) == {ids[1], ids[2]}
    assert moved.wing_id == rye[0].wing_id
    assert (moved.room.source_id, moved.closet.name) == (bread[1].source_id, "Starter")
    assert refreshed(bread[1]).wing_id != moved.wing_id
    check_counts(as_alice)


def test_pointers_minted_after_a_move_never_repeat(as_alice: User, bread: list[Drawer], rye: list[Drawer]):
    spot = Spot(wing="Rye bread", source_id=bread[0].source_id)
    for _ in range(3):
        edit = move(as_alice.id, room_of(bread[0]), rye[0].wing_id, timezone.now())
        file(as_alice.id, ["there"], spot)
        undo(as_alice.id, edit.batch_id, timezone.now())
        file(as_alice.id, ["here"], Spot(source_id=bread[0].source_id))

    drawers = Drawer.objects.filter(user_id=as_alice.id)
    assert len({pointer_of(each) for each in drawers}) == drawers.count() == 10
    assert max(pointer_of(each) for each in drawers) > Pointer(1, 1, 7)


def test_dependent_changes_must_be_undone_in_reverse_order(as_alice, bread, rye):
    first = merge(as_alice.id, wing_of(bread[0]), wing_of(rye[0]), timezone.now())
    second = rename(as_alice.id, wing_of(bread[0]), "Rye bread", timezone.now())
    with pytest.raises(ChangeRefused, match="undo those first"):
        undo(as_alice.id, first.batch_id, timezone.now())

    undo(as_alice.id, second.batch_id, timezone.now())
    undo(as_alice.id, first.batch_id, timezone.now())
    assert last_changes(as_alice.id, bread[0].wing_id) == []


def test_changes_remove_summaries_and_are_erased_with_their_place(as_alice, bread):
    place = {"subject_id": bread[0].room_id, "room_id": bread[0].room_id}
    Summary.objects.create(user_id=as_alice.id, text="Bread.", written_by="rules", made_at=MONDAY, **place)
    move_drawers(as_alice.id, [bread[0].id], Destination(bread[0].wing_id, "Crust"), timezone.now())
    assert not Summary.objects.exists()
    rename(as_alice.id, room_of(bread[0]), "A secret name", timezone.now())
    delete(as_alice.id, "room", bread[0].room_id, timezone.now())
    purge(as_alice.id, timezone.now())
    assert not ChangeSet.objects.exists()
    assert not RowChange.objects.exists()
