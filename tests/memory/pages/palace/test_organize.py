from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer
from tests.html import check_page
from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def rye(as_alice: User, bread: list[Drawer]) -> Drawer:
    start = MONDAY + timedelta(days=1)
    return file(as_alice.id, ["Rye is sour."], Spot(wing="Rye", room="Rye", start=start))[0]


def change(scope: str, place_id: object) -> str:
    return reverse("memory:change_place", args=[scope, place_id])


def test_a_merged_wing_redirects_to_the_other(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    url = change("wing", bread[0].wing_id)
    assert "Rye" in check_page(alice_client.get(url))
    alice_client.post(url, {"action": "merge", "other": rye.wing_id})

    kept = reverse("memory:wing", args=[bread[0].wing_id])
    assert alice_client.get(reverse("memory:wing", args=[rye.wing_id])).headers["Location"] == kept
    old = reverse("memory:room", args=[rye.wing_id, rye.room_id])
    moved = reverse("memory:room", args=[bread[0].wing_id, rye.room_id])
    assert alice_client.get(old).headers["Location"] == moved
    assert "Undo" in check_page(alice_client.get(url))


def test_invalid_choices_change_nothing(alice_client, bread):
    url = change("room", bread[0].room_id)
    wrong = [
        ({"action": "merge"}, 422),
        ({"action": "merge", "other": "x"}, 404),
        ({"action": "explode"}, 404),
    ]
    for given, status in wrong:
        assert alice_client.post(url, given).status_code == status
    assert alice_client.get(change("palace", bread[0].room_id)).status_code == 404

    url = reverse("memory:delete_selected")
    for items in ([], ["y", "drawer:y", f"palace:{bread[0].id}"]):
        html = check_page(alice_client.post(url, {"item": items}, follow=True))
        assert "There was nothing to delete." in html
    away = {"item": f"drawer:{bread[0].id}", "back": "https://example.org/"}
    assert alice_client.post(url, away).headers["Location"] == reverse("memory:palace")


def test_a_drawer_is_moved_to_a_chosen_wing_once(alice_client: Client, rye: Drawer, bread: list[Drawer]):
    url = reverse("memory:move_drawer", args=[bread[0].id])
    assert "Rye" in check_page(alice_client.get(url, {"q": "rye"}))
    assert "Select one first." in check_page(alice_client.post(url), 422)
    given = {"into": rye.wing_id, "closet": "Crust"}
    for message in ("Moved.", "It is already there."):
        assert message in check_page(alice_client.post(url, given, follow=True))
    assert Drawer.objects.get(closet__name="Crust").wing_id == rye.wing_id
