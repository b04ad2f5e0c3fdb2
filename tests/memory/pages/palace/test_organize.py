from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import ChangeSet, Drawer, Room, Wing
from tests.html import check_page
from tests.memory.pages.forms import actions, page
from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def rye(as_alice: User, bread: list[Drawer]) -> Drawer:
    start = MONDAY + timedelta(days=1)
    return file(as_alice.id, ["Rye is sour."], Spot(wing="Rye", room="Rye", start=start))[0]


def change(scope: str, place_id: object) -> str:
    return reverse("memory:change_place", args=[scope, place_id])


def test_a_wing_is_renamed_once_and_undone_from_the_toast_or_the_activity(alice_client, bread):
    url = change("wing", bread[0].wing_id)
    html = check_page(alice_client.post(url, {"action": "rename", "name": "<b>Brote</b>"}, follow=True))
    assert "&lt;b&gt;Brote&lt;/b&gt;" in html

    activity = page(alice_client, "activity")
    assert "You rearranged your palace" in activity
    undo = reverse("memory:undo", args=[ChangeSet.objects.get().batch_id])
    assert undo in actions(html)
    assert undo in actions(activity)
    back = check_page(alice_client.post(undo, follow=True))
    assert Wing.objects.get(id=bread[0].wing_id).name == "Bakery"
    assert "Undone." in back


def test_a_merged_wing_leads_to_the_other(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    url = change("wing", bread[0].wing_id)
    assert "Rye" in check_page(alice_client.get(url))
    alice_client.post(url, {"action": "merge", "other": rye.wing_id})

    kept = reverse("memory:wing", args=[bread[0].wing_id])
    assert alice_client.get(reverse("memory:wing", args=[rye.wing_id])).headers["Location"] == kept
    old = reverse("memory:room", args=[rye.wing_id, rye.room_id])
    moved = reverse("memory:room", args=[bread[0].wing_id, rye.room_id])
    assert alice_client.get(old).headers["Location"] == moved
    assert "Undo" in check_page(alice_client.get(url))


def test_impossible_choices_change_nothing(alice_client, bread):
    url = change("room", bread[0].room_id)
    wrong = [
        ({"action": "merge"}, 422),
        ({"action": "merge", "other": "x"}, 404),
        ({"action": "explode"}, 404),
    ]
    for given, status in wrong:
        assert alice_client.post(url, given).status_code == status
    assert alice_client.get(change("palace", bread[0].room_id)).status_code == 404

    url = reverse("memory:selected")
    html = check_page(alice_client.post(url, {"action": "delete"}, follow=True))
    assert "Nothing was selected." in html
    assert alice_client.post(url, {"action": "x", "item": "y"}).status_code == 404
    away = {"action": "delete", "back": "https://example.org/"}
    assert alice_client.post(url, away).headers["Location"] == reverse("memory:palace")


def test_drawers_are_moved_together_and_moved_back(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    items = [f"drawer:{each.id}" for each in bread]
    asked = check_page(alice_client.post(reverse("memory:selected"), {"action": "move", "item": items}))
    assert "Where should they go?" in asked

    given = {"action": "move", "item": items, "into": rye.wing_id, "closet": "Crust"}
    html = check_page(alice_client.post(reverse("memory:selected"), given, follow=True))
    moved = Drawer.objects.filter(wing_id=rye.wing_id, closet__name="Crust")
    assert moved.count() == 3

    alice_client.post(actions(html, "/undo/")[0])
    assert moved.count() == 0


def test_what_could_not_be_done_is_listed_item_by_item(alice_client, rye, bread, bob):
    Drawer.objects.filter(id=bread[1].id).update(pinned=True)
    items = [f"drawer:{bread[0].id}", f"drawer:{bread[1].id}", f"drawer:{bob.id}"]
    html = check_page(alice_client.post(reverse("memory:selected"), {"action": "pin", "item": items}))

    assert "It was already pinned." in html
    assert "It is no longer here." in html
    assert Drawer.objects.get(id=bread[0].id).pinned
    alice_client.post(actions(html, "/undo/")[0])
    assert not Drawer.objects.get(id=bread[0].id).pinned
    assert Drawer.objects.get(id=bread[1].id).pinned


def test_rooms_are_merged_into_the_one_that_stays(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    items = [f"room:{bread[0].room_id}", f"room:{rye.room_id}"]
    url = reverse("memory:selected")
    assert "Which one do you keep?" in check_page(alice_client.post(url, {"action": "merge", "item": items}))
    alice_client.post(url, {"action": "merge", "item": items, "into": rye.room_id})

    assert Room.objects.get(id=bread[0].room_id).merged_into_id == rye.room_id
    assert Drawer.objects.filter(room_id=rye.room_id).count() == 4


def test_several_wings_are_deleted_and_restored_together(alice_client, rye, bread):
    items = [f"wing:{bread[0].wing_id}", f"wing:{rye.wing_id}"]
    given = {"action": "delete", "item": items}
    html = check_page(alice_client.post(reverse("memory:selected"), given, follow=True))
    assert Drawer.objects.live().count() == 0

    alice_client.post(actions(html, "/undo/")[0])
    assert Drawer.objects.live().count() == 4
