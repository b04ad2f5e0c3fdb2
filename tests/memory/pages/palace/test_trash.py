from uuid import UUID

from django.urls import reverse

from memory.models import Drawer, Fact, Relation
from tests.html import check_page
from tests.memory.pages.forms import page, undo_in
from tests.memory.palaces import Spot, file


def place(drawer: Drawer, scope: str) -> list[UUID]:
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
