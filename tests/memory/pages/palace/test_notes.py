from django.test import Client
from django.urls import reverse

from llm.errors import EmbedderUnavailable
from memory.models import Drawer
from memory.organize.notes import NOTE_LIMIT
from tests.html import check_page


def save(client: Client, **given: str):
    return client.post(reverse("memory:note"), {"wing_kind": "topic"} | given)


def test_a_note_gets_a_drawer_at_once_even_without_an_embedder(alice_client, bread, embedder):
    embedder.fail_with(EmbedderUnavailable("Gone."))
    response = save(alice_client, text="  The key is under\r\nthe blue pot. ", wing="House", closet="Keys")
    drawer = Drawer.objects.get(role="note")
    assert response["Location"] == reverse("memory:drawer", args=[drawer.id])
    assert drawer.content == "  The key is under\nthe blue pot. "
    assert (drawer.wing.name, drawer.closet.name) == ("House", "Keys")

    save(alice_client, text="Just this.")
    drawer = Drawer.objects.get(content="Just this.")
    assert (drawer.wing.name, drawer.room.title, drawer.closet.name) == ("Notes", "Notes", "Notes")
    save(alice_client, text="More rye.", wing="  bakery ", wing_kind="topic")
    assert Drawer.objects.get(content="More rye.").wing_id == bread[0].wing_id


def test_empty_notes_long_notes_and_impossible_places_are_refused_without_losing_words(
    alice_client, as_alice
):
    refused = [{"text": ""}, {"text": " \n\t "}, {"text": "ж" * (NOTE_LIMIT + 1)}]
    refused += [{"text": "w", "wing": "x" * 201}, {"text": "w", "wing_kind": "planet"}]
    for given in (*refused, {"text": "w", "closet": "x" * 201}):
        html = check_page(save(alice_client, **given), status=422)
        assert given["text"].strip() in html
    assert not Drawer.objects.exists()
