"""Renaming, merging and moving places: the effects, what is refused, and the counts of drawers."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.owned import NotFound
from memory.aaak import Pointer
from memory.changes.log import ChangeRefused
from memory.drawers import find_by_pointer
from memory.forgetting import trash
from memory.forgetting.trash import delete, purge
from memory.models import ChangeSet, Closet, Drawer, DrawerWords, Room, RowChange, Summary, Wing, WingName
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
from memory.organize.places import place_of
from memory.placement import find_wing
from tests.memory.organize.pictures import check_counts, closet_of, refreshed, room_of, snapshot, wing_of
from tests.memory.palaces import MONDAY, Spot, file


def changes(bread, rye):
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
    pointers = {each.id: each.pointer for each in (*bread, *rye)}
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


def test_pointers_minted_after_a_move_never_repeat(as_alice, bread, rye):
    spot = Spot(wing="Rye bread", source_id=bread[0].source_id)
    for _ in range(3):
        edit = move(as_alice.id, room_of(bread[0]), rye[0].wing_id, timezone.now())
        file(as_alice.id, ["there"], spot)
        undo(as_alice.id, edit.batch_id, timezone.now())
        file(as_alice.id, ["here"], Spot(source_id=bread[0].source_id))

    drawers = Drawer.objects.filter(user_id=as_alice.id)
    assert len({each.pointer for each in drawers}) == drawers.count() == 10
    assert max(each.pointer for each in drawers) > Pointer(1, 1, 7)


def test_dependent_changes_must_be_undone_in_reverse_order(as_alice, bread, rye):
    first = merge(as_alice.id, wing_of(bread[0]), wing_of(rye[0]), timezone.now())
    second = rename(as_alice.id, wing_of(bread[0]), "Rye bread", timezone.now())
    with pytest.raises(ChangeRefused, match="Undo that first"):
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


def test_later_chats_of_a_merged_wing_follow_the_merge_and_its_undo(as_alice, bread, rye):
    edit = merge(as_alice.id, wing_of(bread[0]), wing_of(rye[0]), timezone.now())
    later = file(as_alice.id, ["more"], Spot(wing="Rye bread", room="Rye", source_id=uuid4()))[0]
    same = file(as_alice.id, ["more"], Spot(room="Rye", source_id=rye[0].source_id))[0]
    assert later.wing_id == same.wing_id == bread[0].wing_id
    assert same.room_id == rye[0].room_id
    with pytest.raises(NotFound):
        place_of(as_alice.id, "wing", rye[0].wing_id)
    pointers = {each.pointer for each in Drawer.objects.filter(user_id=as_alice.id)}
    assert len(pointers) == 6

    undo(as_alice.id, edit.batch_id, timezone.now())
    assert refreshed(same).wing_id == rye[0].wing_id
    assert same.pointer.wing == 1
    check_counts(as_alice)


def test_later_windows_of_a_chat_go_into_the_merged_room(as_alice, bread, rye):
    merge(as_alice.id, room_of(bread[0]), room_of(rye[0]), timezone.now())
    later = file(as_alice.id, ["more"], Spot(wing="Rye bread", room="Rye", source_id=rye[0].source_id))[0]

    assert later.room_id == bread[0].room_id
    assert later.closet_id == bread[0].closet_id
    assert [refreshed(each).closet_id for each in rye] == [bread[0].closet_id] * 2


def test_wings_merged_one_after_another_resolve_to_the_last(as_alice, bread, rye):
    cake = file(as_alice.id, ["Sweet."], Spot(wing="Cakes", room="Cake"))[0]
    merge(as_alice.id, wing_of(rye[0]), wing_of(bread[0]), timezone.now())
    merge(as_alice.id, wing_of(cake), wing_of(rye[0]), timezone.now())

    assert find_wing(as_alice.id, "Bakery").id == cake.wing_id
    merged = Wing.objects.filter(user_id=as_alice.id, merged_into_id=cake.wing_id)
    assert merged.count() == 2
    check_counts(as_alice)


def test_two_wings_with_a_room_of_the_same_chat_merge_these_rooms(as_alice):
    chat = uuid4()
    one = file(as_alice.id, ["one"], Spot(source_id=chat))[0]
    two = file(as_alice.id, ["two"], Spot(wing="Rye", source_id=chat))[0]
    edit = merge(as_alice.id, wing_of(one), wing_of(two), timezone.now())

    assert refreshed(two).room_id == one.room_id
    undo(as_alice.id, edit.batch_id, timezone.now())
    assert refreshed(two).room_id != one.room_id
    check_counts(as_alice)


def test_drawers_are_counted_when_filed_deleted_restored_and_erased(as_alice):
    one, _ = file(as_alice.id, ["one", "two"])
    three = file(as_alice.id, ["three"], Spot(room="Rye", closet="Flour", start=MONDAY.replace(year=2025)))[0]
    wing = Wing.objects.get(user_id=as_alice.id)
    assert (wing.rooms_held, wing.drawers_held) == (2, 3)
    assert Closet.objects.get(id=three.closet_id).drawers_held == 1
    check_counts(as_alice)

    deletion = trash.delete(as_alice.id, "drawer", one.id, timezone.now())
    check_counts(as_alice)
    assert Room.objects.get(id=one.room_id).drawers_held == 1
    trash.undo(as_alice.id, deletion.id, timezone.now())
    check_counts(as_alice)
    assert Room.objects.get(id=one.room_id).drawers_held == 2
    trash.delete(as_alice.id, "room", one.room_id, timezone.now())
    check_counts(as_alice)
    assert Wing.objects.get().first_at == MONDAY.replace(year=2025)

    Drawer.objects.filter(id=three.id).delete()
    check_counts(as_alice)
    Room.objects.filter(user_id=as_alice.id).delete()
    assert Wing.objects.get(user_id=as_alice.id).drawers_held == 0
