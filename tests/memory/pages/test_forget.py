"""The pages to forget something: the wizard, the preview and the receipt."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.models import Message
from memory.models import Drawer, Entity, Forgetting
from tests.chat.ledger import export_of
from tests.drills.ledger import NOW, converse, remember
from tests.html import check_page
from tests.memory.pages.forms import submit, undo_of
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


def preview(client, status=200, **scope):
    return check_page(client.get(PREVIEW, scope), status)


def test_the_wizard_offers_every_scope_and_a_preview_that_changes_nothing(alice_client, client, room):
    wizard = check_page(alice_client.get(WIZARD))
    assert "A project" not in wizard, "there is none"
    for kind in ("wing", "entity", "source", "dates", "everything"):
        assert f'value="{kind}"' in wizard
    html = preview(alice_client, kind="room", id=room)
    assert "My sister Olga lives in Kyiv." in html
    assert "Facts that come only from them" in html
    preview(alice_client, kind="everything", id=room)
    day = (NOW - timedelta(days=30)).date()
    assert "My sister Olga" in preview(alice_client, kind="dates", first=day.isoformat())
    assert Drawer.objects.live().count() == 3
    for url in (WIZARD, f"{PREVIEW}?kind=everything"):
        assert client.get(url).status_code == 302


def test_invalid_scopes_and_places_of_another_user_are_refused(alice_client, bob_client, room):
    for wrong in ({}, {"first": "2026-05-02", "last": "2026-05-01"}, {"first": "soon"}):
        preview(alice_client, 422, kind="dates", **wrong)
    empty = {"kind": "dates", "first": "1999-01-01", "last": "1999-01-02"}
    assert alice_client.get(PREVIEW, empty).status_code == 302
    assert "person or thing has that name" in preview(alice_client, 422, kind="entity", name="Zorro")
    for kind in ("room", "wing", "drawer", "closet", "source", "agent", "project"):
        url = f"{PREVIEW}?kind={kind}&id={room}"
        assert bob_client.get(url).status_code == 404
        assert bob_client.post(url, {"how": "now"}).status_code == 404


def test_a_person_in_the_trash_is_named_until_erased_from_the_receipt(alice_client, room):
    url = f"{PREVIEW}?kind=entity&name=olga"
    html = check_page(alice_client.get(url))
    assert "<h1>Forget: <bdi>Olga</bdi></h1>" in html
    assert "My sister Olga" in html
    assert "Olga is your sister." in html, "the facts are listed"
    answer = alice_client.post(url, {"how": "trash"}, follow=True)
    forgetting = Forgetting.objects.get()
    receipt, trash = answer.wsgi_request.path, reverse("memory:trash")
    html = check_page(answer)
    assert "<h1>Forgotten: <bdi>Olga</bdi></h1>" in html
    assert undo_of(forgetting) in html
    assert Drawer.objects.live().count() == 2
    assert "<bdi>Olga</bdi>," in check_page(alice_client.get(WIZARD))
    shown = " ".join(check_page(alice_client.get(trash)).split())
    assert "A person or thing: <bdi>Olga</bdi> </strong> · 1 drawer<" in shown
    html = submit(alice_client, reverse("forget:erase", args=[forgetting.id]))
    assert "erased, nothing left" in html
    assert "<h1>Forgotten: A person or thing</h1>" in html
    for each in (receipt, WIZARD, trash):
        assert "Olga" not in check_page(alice_client.get(each))
    assert not Entity.objects.filter(name__icontains="olga").exists()
    assert Message.objects.filter(content__contains="Olga").exists(), "chats were to be kept"


def test_a_receipt_offers_to_delete_an_upload_that_waits_for_import(as_alice, alice_client, room, uploads):
    value = export_of({"boats": ["My sister Olga lives in Kyiv."]})
    run = receive(as_alice.id, [as_file(value).getvalue()], timezone.now())
    answer = alice_client.post(f"{PREVIEW}?kind=room&id={room}", {"how": "now"}, follow=True)
    html = check_page(answer)
    cancel = reverse("chat:import_cancel", args=[run.id])
    assert "have not imported yet" in html
    assert f"Uploaded on {run.requested_at.day} " in html
    assert cancel in html
    alice_client.post(cancel)
    assert not run.file.exists()
    assert "have not imported yet" not in check_page(alice_client.get(answer.wsgi_request.path))
