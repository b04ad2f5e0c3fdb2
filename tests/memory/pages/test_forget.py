from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.models import Message
from memory.models import Drawer, Entity, Forgetting
from tests.chat.ledger import export_of
from tests.drills.ledger import NOW, converse, remember
from tests.html import check_page
from tests.transfer.importing.exports import as_file
from transfer.imports import receive

WIZARD = "/memory/forget/"
PREVIEW = "/memory/forget/preview/"


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def room(as_alice):
    converse(as_alice.id, "I like the zither.", at=NOW - timedelta(days=90))
    remember(as_alice.id, "My sister Olga lives in Kyiv.", "How nice.", title="Family")
    return Drawer.objects.get(content__contains="Olga").room_id


def preview_of(room):
    return f"{PREVIEW}?kind=room&id={room}"


def test_the_wizard_offers_every_scope_and_a_preview_that_changes_nothing(alice_client, client, room):
    page = check_page(alice_client.get(WIZARD))
    assert "A project" not in page, "there is none"
    for kind in ("wing", "entity", "source", "dates", "everything"):
        assert f'value="{kind}"' in page
    page = check_page(alice_client.get(preview_of(room)))
    assert "My sister Olga lives in Kyiv." in page
    assert "Facts that come only from them" in page
    assert Drawer.objects.live().count() == 3
    check_page(alice_client.get(f"{PREVIEW}?kind=everything&id={room}"))
    for url in (WIZARD, f"{PREVIEW}?kind=everything"):
        assert client.get(url).status_code == 302


def test_a_room_in_the_trash_is_erased_from_its_receipt(alice_client, room):
    page = check_page(alice_client.post(preview_of(room), {"how": "trash"}, follow=True))
    receipt = Forgetting.objects.get()
    assert "Olga" not in page
    assert reverse("memory:undo", args=[receipt.id]) in page
    assert Drawer.objects.live().count() == 1
    page = check_page(alice_client.post(reverse("forget:erase", args=[receipt.id]), follow=True))
    assert "erased, nothing left" in page
    assert Message.objects.filter(content__contains="Olga").exists(), "chats were to be kept"


def test_a_person_is_found_by_name(alice_client, room):
    page = alice_client.get(PREVIEW, {"kind": "entity", "name": "olga"})
    assert "My sister Olga" in check_page(page)
    missing = alice_client.get(PREVIEW, {"kind": "entity", "name": "Zorro"})
    assert missing.status_code == 422
    assert "person or thing has that name" in missing.content.decode()
    alice_client.post(f"{PREVIEW}?kind=entity&name=Olga", {"how": "now", "with_chats": "on"})
    assert not Entity.objects.filter(name__icontains="olga").exists()


def test_a_person_is_named_until_erased(alice_client, room):
    url = f"{PREVIEW}?kind=entity&id={Entity.objects.get(name='Olga').id}"
    page = check_page(alice_client.get(url))
    assert "<h1>Forget: <bdi>Olga</bdi></h1>" in page
    assert "Olga is your sister." in page, "the facts are listed"
    answer = alice_client.post(url, {"how": "trash"}, follow=True)
    receipt, trash = answer.wsgi_request.path, reverse("memory:trash")
    assert "<h1>Forgotten: <bdi>Olga</bdi></h1>" in check_page(answer)
    assert "<bdi>Olga</bdi>," in check_page(alice_client.get(WIZARD))
    shown = " ".join(check_page(alice_client.get(trash)).split())
    assert "A person or thing: <bdi>Olga</bdi> </strong> · 1 drawer<" in shown
    alice_client.post(reverse("forget:erase", args=[Forgetting.objects.get().id]))
    for page in (receipt, WIZARD, trash):
        assert "Olga" not in check_page(alice_client.get(page))
    assert "<h1>Forgotten: A person or thing</h1>" in check_page(alice_client.get(receipt))


def test_dates_are_validated(alice_client, room):
    day = (NOW - timedelta(days=30)).date()
    seen = alice_client.get(PREVIEW, {"kind": "dates", "first": day.isoformat()})
    assert "My sister Olga" in check_page(seen)
    for wrong in ({}, {"first": "2026-05-02", "last": "2026-05-01"}, {"first": "soon"}):
        assert alice_client.get(PREVIEW, {"kind": "dates", **wrong}).status_code == 422
    empty = alice_client.get(PREVIEW, {"kind": "dates", "first": "1999-01-01", "last": "1999-01-02"})
    assert empty.status_code == 302


def test_places_of_another_user_are_not_found(alice_client, bob_client, room):
    for kind in ("room", "wing", "drawer", "closet", "source", "agent", "project"):
        url = f"{PREVIEW}?kind={kind}&id={room}"
        assert bob_client.get(url).status_code == 404
        assert bob_client.post(url, {"how": "now"}).status_code == 404


def test_a_receipt_offers_to_delete_an_upload_that_waits_for_import(as_alice, alice_client, room, uploads):
    value = export_of({"boats": ["My sister Olga lives in Kyiv."]})
    run = receive(as_alice.id, [as_file(value).getvalue()], timezone.now())
    answer = alice_client.post(preview_of(room), {"how": "now"}, follow=True)
    page = check_page(answer)
    cancel = reverse("chat:import_cancel", args=[run.id])
    assert "has not been imported yet" in page
    assert cancel in page
    alice_client.post(cancel)
    assert not run.upload.exists()
    assert "has not been imported yet" not in check_page(alice_client.get(answer.wsgi_request.path))
