"""Merged wings and rooms, and drawers filed there later."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.owned import NotFound
from memory.drawers import pointer_of
from memory.models import Drawer, Wing
from memory.organize.arranging import merge, undo
from memory.organize.places import place_of
from memory.placement import find_wing
from tests.memory.organize.pictures import refreshed, room_of, wing_of
from tests.memory.organize.test_counts import check_counts
from tests.memory.palaces import Spot, file


def test_later_chats_of_a_merged_wing_follow_the_merge_and_its_undo(as_alice, bread, rye):
    edit = merge(as_alice.id, wing_of(bread[0]), wing_of(rye[0]), timezone.now())
    later = file(as_alice.id, ["more"], Spot(wing="Rye bread", room="Rye", source_id=uuid4()))[0]
    same = file(as_alice.id, ["more"], Spot(room="Rye", source_id=rye[0].source_id))[0]
    assert later.wing_id == same.wing_id == bread[0].wing_id
    assert same.room_id == rye[0].room_id
    with pytest.raises(NotFound):
        place_of(as_alice.id, "wing", rye[0].wing_id)
    pointers = {pointer_of(each) for each in Drawer.objects.filter(user_id=as_alice.id)}
    assert len(pointers) == 6

    undo(as_alice.id, edit.batch_id, timezone.now())
    assert refreshed(same).wing_id == rye[0].wing_id
    assert pointer_of(same).wing == 1
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


def test_two_wings_with_a_room_of_the_same_chat_merge_these_rooms(as_alice: User):
    chat = uuid4()
    one = file(as_alice.id, ["one"], Spot(source_id=chat))[0]
    two = file(as_alice.id, ["two"], Spot(wing="Rye", source_id=chat))[0]
    edit = merge(as_alice.id, wing_of(one), wing_of(two), timezone.now())

    assert refreshed(two).room_id == one.room_id
    undo(as_alice.id, edit.batch_id, timezone.now())
    assert refreshed(two).room_id != one.room_id
    check_counts(as_alice)
