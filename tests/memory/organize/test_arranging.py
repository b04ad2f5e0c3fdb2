"""Renaming, merging and moving places, saving notes, and the counts of drawers."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.owned import NotFound
from jobs.actors import embed_missing
from llm.errors import EmbedderUnavailable
from memory.aaak import Pointer
from memory.changes.log import ChangeRefused
from memory.drawers import find_by_pointer
from memory.forgetting import trash
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Closet,
    Drawer,
    DrawerVector,
    Room,
    RowChange,
    Summary,
    Wing,
    WingName,
)
from memory.organize import arranging
from memory.organize.arranging import Destination, last_changes, merge, move, move_drawers, rename
from memory.organize.notes import NOTE_LIMIT, Note, NoteRefused, save_note
from memory.organize.places import Target, place_of
from memory.placement import find_wing
from tests.memory.organize.places import check_counts, closet_of, room_of, wing_of
from tests.memory.palaces import MONDAY, Spot, file, refreshed

NOW = timezone.now()
pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def rye(as_alice):
    start = MONDAY + timedelta(days=1)
    spot = Spot(wing="Rye bread", kind="topic", room="Rye", start=start)
    return file(as_alice.id, ["Rye is sour.", "It sank."], spot)


def undo(change):
    return arranging.undo(change.user_id, change.batch_id, NOW)


def test_a_renamed_wing_is_found_by_all_its_names_in_any_script(as_alice, bread, rye):
    target = wing_of(bread[0])
    for name, advice in (("RYE bread", "merge them"), (" \n ", "contain letters"), ("Bakery", "already")):
        with pytest.raises(ChangeRefused, match=advice):
            rename(as_alice.id, target, name, NOW)
    for name in ("Brote", "面包店", "Хлеб", "مخبز", "🍞"):
        rename(as_alice.id, target, name, NOW)
        assert find_wing(as_alice.id, name.upper()).id == target.id
    assert file(as_alice.id, ["again"], Spot(wing="bakery", room="Later"))[0].wing_id == target.id
    rename(as_alice.id, target, "Bakery", NOW)
    names = WingName.objects.filter(user_id=as_alice.id, wing_id=target.id, is_alias=False)
    assert names.get().slug == "bakery"


def test_a_renamed_closet_is_found_by_both_names_until_undone(as_alice, bread):
    target, chat = closet_of(bread[0]), bread[0].source_id
    first = rename(as_alice.id, target, "Levain", NOW)
    later = file(as_alice.id, ["again"], Spot(source_id=chat))[0]
    second = rename(as_alice.id, target, "starter", NOW)
    again = file(as_alice.id, ["and again"], Spot(closet="Levain", source_id=chat))[0]
    assert later.closet_id == again.closet_id == target.id
    undo(second)
    undo(first)
    assert Closet.objects.get(user_id=as_alice.id).id == target.id


def test_moved_drawers_get_a_room_of_their_chat_in_the_other_wing(as_alice, bread, rye):
    ids = [bread[0].id, rye[0].id, uuid4()]
    outcome = move_drawers(as_alice.id, ids, Destination(rye[0].wing_id), NOW)
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
        edit = move(as_alice.id, room_of(bread[0]), rye[0].wing_id, NOW)
        file(as_alice.id, ["there"], spot)
        undo(edit)
        file(as_alice.id, ["here"], Spot(source_id=bread[0].source_id))
    drawers = Drawer.objects.filter(user_id=as_alice.id)
    assert len({each.pointer for each in drawers}) == drawers.count() == 11
    assert max(each.pointer for each in drawers) > Pointer(1, 1, 7)


def test_changes_remove_summaries_and_are_erased_with_their_place(as_alice, bread):
    place = {"subject_id": bread[0].room_id, "room_id": bread[0].room_id}
    Summary.objects.create(user_id=as_alice.id, text="Bread.", written_by="rules", made_at=MONDAY, **place)
    move_drawers(as_alice.id, [bread[0].id], Destination(bread[0].wing_id, "Crust"), NOW)
    assert not Summary.objects.exists()
    rename(as_alice.id, room_of(bread[0]), "A secret name", NOW)
    trash.delete(as_alice.id, "room", bread[0].room_id, NOW)
    trash.purge(as_alice.id, NOW + timedelta(days=1))
    assert not ChangeSet.objects.exists()
    assert not RowChange.objects.exists()


def test_later_chats_of_a_merged_wing_follow_the_merge_and_its_undo(as_alice, bread, rye):
    first = merge(as_alice.id, wing_of(bread[0]), wing_of(rye[0]), NOW)
    later = file(as_alice.id, ["more"], Spot(wing="Rye bread", room="Rye", source_id=uuid4()))[0]
    same = file(as_alice.id, ["more"], Spot(room="Rye", source_id=rye[0].source_id))[0]
    assert later.wing_id == same.wing_id == bread[0].wing_id
    assert same.room_id == rye[0].room_id
    with pytest.raises(NotFound):
        place_of(as_alice.id, "wing", rye[0].wing_id)
    assert len({each.pointer for each in Drawer.objects.filter(user_id=as_alice.id)}) == 7

    second = rename(as_alice.id, wing_of(bread[0]), "Rye bread", NOW)
    with pytest.raises(ChangeRefused, match="Undo that first"):
        undo(first)
    undo(second)
    undo(first)
    assert last_changes(as_alice.id, bread[0].wing_id) == []
    assert refreshed(same).wing_id == rye[0].wing_id
    assert same.pointer.wing == 1
    check_counts(as_alice)


def test_later_windows_of_a_chat_go_into_the_merged_room(as_alice, bread, rye):
    merge(as_alice.id, room_of(bread[0]), room_of(rye[0]), NOW)
    later = file(as_alice.id, ["more"], Spot(wing="Rye bread", room="Rye", source_id=rye[0].source_id))[0]
    assert (later.room_id, later.closet_id) == (bread[0].room_id, bread[0].closet_id)
    assert [refreshed(each).closet_id for each in rye] == [bread[0].closet_id] * 2
    check_counts(as_alice)


def test_a_wing_merged_twice_is_found_as_the_last_one(as_alice, bread, rye):
    rye_wing = Target("wing", find_wing(as_alice.id, "Rye bread").id)
    cake = file(as_alice.id, ["Sweet."], Spot(wing="Cakes", room="Cake"))[0]
    merge(as_alice.id, rye_wing, wing_of(bread[0]), NOW)
    merge(as_alice.id, wing_of(cake), rye_wing, NOW)
    assert find_wing(as_alice.id, "Bakery").id == cake.wing_id
    assert Wing.objects.filter(user_id=as_alice.id, merged_into_id=cake.wing_id).count() == 2
    check_counts(as_alice)


def test_two_wings_with_a_room_of_the_same_chat_merge_these_rooms(as_alice):
    chat = uuid4()
    one, two = (file(as_alice.id, [wing], Spot(wing=wing, source_id=chat))[0] for wing in ("Wheat", "Rye"))
    edit = merge(as_alice.id, wing_of(one), wing_of(two), NOW)
    assert refreshed(two).room_id == one.room_id
    undo(edit)
    assert refreshed(two).room_id != one.room_id
    check_counts(as_alice)


def test_drawers_are_counted_when_filed_deleted_restored_and_erased(as_alice):
    one, _ = file(as_alice.id, ["one", "two"])
    three = file(as_alice.id, ["three"], Spot(room="Rye", closet="Flour", start=MONDAY.replace(year=2025)))[0]

    def held():
        check_counts(as_alice)
        wing = Wing.objects.get(user_id=as_alice.id)
        return wing.rooms_held, wing.drawers_held, Room.objects.get(id=one.room_id).drawers_held

    assert held() == (2, 3, 2)
    deletion = trash.delete(as_alice.id, "drawer", one.id, NOW)
    assert held() == (2, 2, 1)
    trash.undo(as_alice.id, deletion.id, NOW)
    assert held() == (2, 3, 2)
    trash.delete(as_alice.id, "room", one.room_id, NOW)
    assert held() == (1, 1, 0)
    assert Wing.objects.get().first_at == MONDAY.replace(year=2025)
    Drawer.objects.filter(id=three.id).delete()
    assert held() == (0, 0, 0)


def test_a_note_is_filed_and_embedded_at_once_in_the_given_place_and_never_altered(as_alice):
    drawer = save_note(as_alice.id, Note("Ask Olga.", wing="Olga", closet="To ask"), NOW)
    assert (drawer.wing.name, drawer.closet.name, drawer.role) == ("Olga", "To ask", "note")
    assert drawer.said_at == NOW
    assert DrawerVector.objects.get().drawer_id == drawer.id
    assert ActivityEvent.objects.get().kind == "note_saved"
    assert find_by_pointer(as_alice.id, drawer.pointer) == drawer
    for change in ({"content": "Other."}, {"pointer_drawer": 9}, {"role": "user"}):
        with pytest.raises(DatabaseError, match="verbatim"), transaction.atomic():
            Drawer.objects.filter(id=drawer.id).update(**change)
    Drawer.objects.filter(id=drawer.id).update(pinned=True)


def test_notes_without_a_place_share_the_default_place_even_without_an_embedder(as_alice, embedder):
    for text in ("", " \n\t", "x" * (NOTE_LIMIT + 1)):
        with pytest.raises(NoteRefused, match=r"\.$"):
            save_note(as_alice.id, Note(text), NOW)
    assert not Wing.objects.exists()
    embedder.fail_with(EmbedderUnavailable("Away."))
    invisible = Note("a\x00b", wing="\u202e", room="\u200b \u2060", closet="\u3164")
    one, two = (save_note(as_alice.id, note, NOW) for note in (Note("One."), invisible))
    assert one.closet_id == two.closet_id
    assert (one.pointer_drawer, two.pointer_drawer) == (1, 2)
    assert (two.wing.name, two.room.title, two.closet.name) == ("Notes", "Notes", "Notes")
    assert two.content == "a\ufffdb"
    assert not DrawerVector.objects.exists()


def test_a_long_note_is_embedded_by_a_job(as_alice, queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        drawer = save_note(as_alice.id, Note("Olga keeps bees. " * 500), NOW)
    assert not DrawerVector.objects.exists()
    assert queued() == [("embed_missing", (str(as_alice.id),))]
    embed_missing.fn(str(as_alice.id))
    assert {vector.drawer_id for vector in DrawerVector.objects.all()} == {drawer.id}
