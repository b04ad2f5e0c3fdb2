from datetime import timedelta

import pytest
from django.urls import reverse

from memory.models import Drawer, Fact, Relation
from tests.html import check_page
from tests.memory.pages.forms import page, undo_in
from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def rye(as_alice, bread):
    start = MONDAY + timedelta(days=1)
    return file(as_alice.id, ["Rye is sour."], Spot(wing="Rye", room="Rye", start=start))[0]


def change(scope, place_id):
    return reverse("memory:change_place", args=[scope, place_id])


def test_a_merged_wing_redirects_to_the_other(alice_client, rye, bread):
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


def test_a_drawer_is_moved_to_a_chosen_wing_once(alice_client, rye, bread):
    url = reverse("memory:move_drawer", args=[bread[0].id])
    assert "Rye" in check_page(alice_client.get(url, {"q": "rye"}))
    assert "Select one first." in check_page(alice_client.post(url), 422)
    given = {"into": rye.wing_id, "closet": "Crust"}
    for message in ("Moved.", "It is already there."):
        assert message in check_page(alice_client.post(url, given, follow=True))
    assert Drawer.objects.get(closet__name="Crust").wing_id == rye.wing_id


def place(drawer, scope):
    ids = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    return ids[: ("wing", "room", "closet").index(scope) + 1]


def test_a_place_is_deleted_after_confirmation_and_restored_completely(alice_client, bread):
    other = file(bread[0].user_id, ["Something else."], Spot(wing="Other"))[0]
    for scope in ("wing", "room", "closet"):
        url = reverse(f"memory:delete_{scope}", args=place(bread[0], scope))
        question = check_page(alice_client.get(url))
        assert "3 drawers move to the trash" in question
        assert Drawer.objects.live().count() == 4

        done = check_page(alice_client.post(url, follow=True))
        assert list(Drawer.objects.live()) == [other]
        assert not Fact.objects.filter(deleted_at=None).exists()

        alice_client.post(undo_in(done, "/undo/"))
        assert Drawer.objects.live().count() == 4
        assert Fact.objects.filter(deleted_at=None).count() == 1
        assert Relation.objects.filter(deleted_at=None).count() == 1


def test_an_emptied_place_is_not_deleted_again_and_links_to_the_trash(alice_client, bread):
    url = reverse("memory:delete_wing", args=[bread[0].wing_id])
    alice_client.post(url)
    assert alice_client.post(url).status_code == 404
    html = page(alice_client, "wing", bread[0].wing_id)
    assert "is in the trash" in html
    html = check_page(alice_client.get(reverse("memory:delete_closet", args=place(bread[0], "closet"))))
    assert "Everything that was here is already in the trash." in html
    assert "0 drawers" not in html
    assert "button-danger" not in html
    assert reverse("memory:trash") in html
