from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import ChangeSet, Drawer, Room, Wing
from tests.html import check_page, parse
from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def rye(as_alice: User, bread: list[Drawer]) -> Drawer:
    start = MONDAY + timedelta(days=1)
    return file(as_alice.id, ["Rye is sour."], Spot(wing="Rye", room="Rye", start=start))[0]


def change(scope: str, place_id: object) -> str:
    return reverse("memory:change_place", args=[scope, place_id])


def undo_in(html: str) -> str:
    """Where the first button that takes something back sends."""
    forms = [e.attributes["action"] for e in parse(html).elements if e.tag == "form"]
    return next(action for action in forms if action.endswith("/undo/"))


def seen_in(html: str) -> str:
    inputs = [e.attributes for e in parse(html).elements if e.tag == "input"]
    return next(each["value"] for each in inputs if each.get("name") == "seen")


def test_a_wing_is_renamed_and_the_toast_takes_it_back(alice_client: Client, bread: list[Drawer]):
    url = change("wing", bread[0].wing_id)
    seen = seen_in(check_page(alice_client.get(url)))
    given = {"action": "rename", "name": "<b>Brote</b>", "seen": seen}
    html = check_page(alice_client.post(url, given, follow=True))

    assert "&lt;b&gt;Brote&lt;/b&gt;" in html
    back = check_page(alice_client.post(undo_in(html), follow=True))
    assert Wing.objects.get(id=bread[0].wing_id).name == "Bakery"
    assert "everything is as it was" in back


def test_a_form_of_an_older_window_is_told_what_happened(alice_client: Client, rye: Drawer):
    url = change("wing", rye.wing_id)
    seen = seen_in(check_page(alice_client.get(url)))
    alice_client.post(url, {"action": "rename", "name": "Rye bread", "seen": seen})
    response = alice_client.post(url, {"action": "rekind", "kind": "topic", "seen": seen})

    assert response.status_code == 422
    assert "“Rye bread” now" in response.content.decode()
    assert Wing.objects.get(id=rye.wing_id).kind == "project"


def test_a_merged_wing_leads_to_the_other(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    url = change("wing", bread[0].wing_id)
    assert "Rye" in check_page(alice_client.get(url))
    alice_client.post(url, {"action": "merge", "other": rye.wing_id})

    kept = reverse("memory:wing", args=[bread[0].wing_id])
    assert alice_client.get(reverse("memory:wing", args=[rye.wing_id])).headers["Location"] == kept
    old = reverse("memory:room", args=[rye.wing_id, rye.room_id])
    moved = reverse("memory:room", args=[bread[0].wing_id, rye.room_id])
    assert alice_client.get(old).headers["Location"] == moved
    assert "Take back" in check_page(alice_client.get(url))


def test_nothing_chosen_and_nothing_known_are_told(alice_client: Client, bread: list[Drawer]):
    url = change("room", bread[0].room_id)
    assert alice_client.post(url, {"action": "merge"}).status_code == 422
    assert alice_client.post(url, {"action": "merge", "other": "x"}).status_code == 404
    assert alice_client.post(url, {"action": "explode"}).status_code == 404
    assert alice_client.get(change("palace", bread[0].room_id)).status_code == 404


def test_drawers_are_moved_together_and_back(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    items = [f"drawer:{each.id}" for each in bread]
    asked = check_page(alice_client.post(reverse("memory:selected"), {"action": "move", "item": items}))
    assert "Where do they belong?" in asked

    given = {"action": "move", "item": items, "into": rye.wing_id, "closet": "Crust"}
    html = check_page(alice_client.post(reverse("memory:selected"), given, follow=True))
    moved = Drawer.objects.filter(wing_id=rye.wing_id, closet__name="Crust")
    assert moved.count() == 3

    alice_client.post(undo_in(html))
    assert moved.count() == 0


def test_what_could_not_be_done_is_told_one_by_one(
    alice_client: Client, rye: Drawer, bread: list[Drawer], bob: User
):
    Drawer.objects.filter(id=bread[1].id).update(pinned=True)
    items = [f"drawer:{bread[0].id}", f"drawer:{bread[1].id}", f"drawer:{bob.id}"]
    html = check_page(alice_client.post(reverse("memory:selected"), {"action": "pin", "item": items}))

    assert "It was pinned already." in html
    assert "It is not here any more." in html
    assert Drawer.objects.get(id=bread[0].id).pinned
    alice_client.post(undo_in(html))
    assert not Drawer.objects.get(id=bread[0].id).pinned
    assert Drawer.objects.get(id=bread[1].id).pinned


def test_rooms_are_merged_into_the_one_that_stays(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    items = [f"room:{bread[0].room_id}", f"room:{rye.room_id}"]
    url = reverse("memory:selected")
    assert "Which one stays?" in check_page(alice_client.post(url, {"action": "merge", "item": items}))
    alice_client.post(url, {"action": "merge", "item": items, "into": rye.room_id})

    assert Room.objects.get(id=bread[0].room_id).merged_into_id == rye.room_id
    assert Drawer.objects.filter(room_id=rye.room_id).count() == 4


def test_several_wings_go_into_the_trash_as_one(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    items = [f"wing:{bread[0].wing_id}", f"wing:{rye.wing_id}"]
    given = {"action": "delete", "item": items}
    html = check_page(alice_client.post(reverse("memory:selected"), given, follow=True))
    assert Drawer.objects.live().count() == 0

    alice_client.post(undo_in(html))
    assert Drawer.objects.live().count() == 4


def test_choosing_nothing_changes_nothing(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:selected")
    html = check_page(alice_client.post(url, {"action": "delete"}, follow=True))
    assert "Nothing was chosen." in html
    assert alice_client.post(url, {"action": "x", "item": "y"}).status_code == 404
    away = {"action": "delete", "back": "https://example.org/"}
    assert alice_client.post(url, away).headers["Location"] == reverse("memory:palace")


def test_what_was_changed_is_an_event_with_its_undo(alice_client: Client, bread: list[Drawer]):
    given = {"action": "rename", "name": "Loaf"}
    alice_client.post(change("room", bread[0].room_id), given)
    html = check_page(alice_client.get(reverse("memory:activity")))

    assert "You rearranged your palace" in html
    batch = ChangeSet.objects.get().batch_id
    assert reverse("memory:undo_arranging", args=[batch]) in html
