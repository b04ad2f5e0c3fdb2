import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer
from memory.organize.notes import NOTE_LIMIT
from tests.html import check_page


def save(client: Client, **given: str):
    return client.post(reverse("memory:note"), {"wing_kind": "topic"} | given)


def test_a_note_gets_a_drawer_at_once(alice_client: Client, as_alice: User):
    response = save(alice_client, text="  The key is under\r\nthe blue pot. ", wing="House", closet="Keys")

    drawer = Drawer.objects.get(user_id=as_alice.id)
    assert response["Location"] == reverse("memory:drawer", args=[drawer.id])
    assert drawer.content == "  The key is under\nthe blue pot. "
    assert (drawer.wing.name, drawer.closet.name, drawer.role) == ("House", "Keys", "note")


def test_a_note_without_a_place_goes_to_the_notes(alice_client: Client, as_alice: User):
    save(alice_client, text="Just this.")

    drawer = Drawer.objects.get(user_id=as_alice.id)
    assert (drawer.wing.name, drawer.room.title, drawer.closet.name) == ("Notes", "Notes", "Notes")


def test_a_note_joins_a_wing_that_is_there(alice_client: Client, bread: list[Drawer]):
    save(alice_client, text="More rye.", wing="  bakery ", wing_kind="topic")

    note = Drawer.objects.get(user_id=bread[0].user_id, role="note")
    assert note.wing_id == bread[0].wing_id


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_a_note_without_words_is_refused(alice_client: Client, as_alice: User, text: str):
    check_page(save(alice_client, text=text), status=422)

    assert not Drawer.objects.filter(user_id=as_alice.id).exists()


def test_a_note_that_is_too_long_is_refused_and_not_lost(alice_client: Client, as_alice: User):
    html = check_page(save(alice_client, text="ж" * (NOTE_LIMIT + 1)), status=422)

    assert "ж" * (NOTE_LIMIT + 1) in html
    assert not Drawer.objects.filter(user_id=as_alice.id).exists()


@pytest.mark.parametrize("given", [{"wing": "x" * 201}, {"wing_kind": "planet"}, {"closet": "x" * 201}])
def test_a_place_out_of_bounds_is_refused(alice_client: Client, as_alice: User, given: dict[str, str]):
    check_page(save(alice_client, text="words", **given), status=422)

    assert not Drawer.objects.filter(user_id=as_alice.id).exists()


def test_a_note_is_kept_while_the_embedder_is_down(
    alice_client: Client, as_alice: User, embedder: FakeEmbedder
):
    embedder.fail_with(EmbedderUnavailable("Gone."))

    save(alice_client, text="Kept all the same.")

    assert Drawer.objects.get(user_id=as_alice.id).content == "Kept all the same."
