from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.forgetting import trash
from memory.models import Drawer, Fact, Relation
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, Spot, file


def place(drawer: Drawer, scope: str) -> list[UUID]:
    ids = [drawer.wing_id, drawer.room_id, drawer.closet_id]
    return ids[: ("wing", "room", "closet").index(scope) + 1]


@pytest.mark.parametrize("scope", ["wing", "room", "closet"])
def test_a_place_is_deleted_after_a_question_and_comes_back_whole(
    alice_client: Client, bread: list[Drawer], scope: str
):
    other = file(bread[0].user_id, ["Something else."], Spot(wing="Other"))[0]
    url = reverse(f"memory:delete_{scope}", args=place(bread[0], scope))

    question = check_page(alice_client.get(url))
    assert "3 drawers go into the trash" in question
    assert Drawer.objects.live().count() == 4

    done = check_page(alice_client.post(url, follow=True))
    assert list(Drawer.objects.live()) == [other]
    assert not Fact.objects.filter(deleted_at=None).exists()

    (undo,) = {
        e.attributes["action"] for e in parse(done).elements if "/undo/" in e.attributes.get("action", "")
    }
    alice_client.post(undo)
    assert Drawer.objects.live().count() == 4
    assert Fact.objects.filter(deleted_at=None).count() == 1
    assert Relation.objects.filter(deleted_at=None).count() == 1


def test_what_is_deleted_is_not_recalled_and_what_is_restored_is(alice_client: Client, bread: list[Drawer]):
    def found() -> set[object]:
        request = RecallRequest(bread[0].user_id, "rye starter every morning", MONDAY, asked=True)
        return {hit.drawer_id for hit in recall(request).hits}

    assert bread[0].id in found()
    alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]))
    assert bread[0].id not in found()
    bread[0].refresh_from_db()
    response = alice_client.post(reverse("memory:undo", args=[bread[0].deletion_id]))
    assert bread[0].id in found()
    assert response["Location"] == reverse("memory:drawer", args=[bread[0].id])


def test_the_trash_lists_each_deletion_with_its_way_back(
    alice_client: Client, as_alice: User, monkeypatch: pytest.MonkeyPatch
):
    shorten(monkeypatch, trash.deletions, 2)
    drawers = file(as_alice.id, ["one", "two", "three"])
    for drawer in drawers:
        alice_client.post(reverse("memory:delete_drawer", args=[drawer.id]))

    html = check_page(alice_client.get(reverse("memory:trash")))
    (more,) = [
        e.attributes["href"]
        for e in parse(html).elements
        if e.tag == "a" and e.attributes.get("rel") == "next"
    ]
    rest = check_page(alice_client.get(reverse("memory:trash") + more))

    assert ">three<" in html
    assert ">two<" in html
    assert ">one<" in rest
    assert ">two<" not in rest


def test_a_deletion_is_taken_back_only_once(alice_client: Client, bread: list[Drawer]):
    alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]))
    bread[0].refresh_from_db()
    undo = reverse("memory:undo", args=[bread[0].deletion_id])

    assert alice_client.post(undo).status_code == 302
    assert "taken back already" in check_page(alice_client.post(undo, follow=True))


def test_a_place_with_nothing_left_in_it_is_not_deleted_again(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:delete_wing", args=[bread[0].wing_id])
    alice_client.post(url)

    assert alice_client.post(url).status_code == 404
    html = check_page(alice_client.get(reverse("memory:wing", args=[bread[0].wing_id])))
    assert "lies in the trash" in html


def test_of_a_place_with_nothing_left_in_it_the_way_to_the_trash_is_shown(
    alice_client: Client, bread: list[Drawer]
):
    url = reverse("memory:delete_closet", args=place(bread[0], "closet"))
    alice_client.post(url)
    page = check_page(alice_client.get(url))
    assert "All that lay here is in the trash already." in page
    assert "0 drawers" not in page
    assert "Move to the trash" not in page
    assert reverse("memory:trash") in page
