import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import catch_up
from chat.models import Conversation, Message
from jobs.actors import run_import
from tests.chat.ledger import NOW, export_of
from tests.html import check_fragment, check_page
from tests.transfer.importing.exports import as_file
from transfer.demo import demo_is_loaded, load_demo
from transfer.models import ImportRun

BROKEN = {"id": "broken", "title": "<b>Broken</b>"}
EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [BROKEN])

pytestmark = pytest.mark.usefixtures("uploads", "embedder", "queued")


def upload(client, value=EXPORT, name="conversations.json"):
    file = as_file(value)
    file.name = name
    return client.post(reverse("chat:import"), {"file": file})


def only_run(user):
    with tenant(user.id):
        return ImportRun.objects.get(user_id=user.id)


def attend(run):
    run_import.fn(str(run.user_id), str(run.id))


def page_of(run):
    return reverse("chat:import_run", args=[run.id])


@pytest.fixture
def ready(alice, alice_client):
    """A run of Alice's that was looked through."""
    upload(alice_client)
    run = only_run(alice)
    attend(run)
    return run


def test_the_page_asks_for_a_file_and_says_how_large_it_may_be(alice_client):
    html = check_page(alice_client.get(reverse("chat:import")))
    assert 'enctype="multipart/form-data"' in html
    assert "up to 2.0\xa0GB" in html
    assert 'data-most-bytes="2147483648"' in html
    assert "Load the demo" in html


def test_an_upload_is_looked_through_before_anything_is_kept(alice, alice_client, queued):
    response = upload(alice_client)
    run = only_run(alice)
    assert response["Location"] == page_of(run)
    assert queued() == [("run_import", (str(alice.id), str(run.id)))]
    html = check_page(alice_client.get(page_of(run)))
    assert "Looking into your file" in html
    assert 'hx-trigger="every 2s"' in html
    assert "Look again" in html
    attend(run)
    html = check_page(alice_client.get(page_of(run)))
    assert "Import now" in html
    assert "14 November 2023" in html
    assert "&lt;b&gt;Broken&lt;/b&gt;" in html
    assert "every 2s" not in html
    assert "Look again" not in html
    with tenant(alice.id):
        assert not Conversation.objects.exists()


def test_from_import_now_to_everything_remembered(alice, alice_client, ready, queued):
    response = alice_client.post(reverse("chat:import_begin", args=[ready.id]))
    assert response["Location"] == page_of(ready)
    assert ("run_import", (str(alice.id), str(ready.id))) in queued()
    html = check_page(alice_client.get(page_of(ready)))
    assert '<progress class="meter"' in html
    assert 'max="3"' in html
    assert "0 of 3 entries of the file are done." in html
    attend(ready)
    html = check_page(alice_client.get(page_of(ready)))
    assert "0 of 3 messages of your imported chats have been read" in html
    assert "every 2s" in html
    with tenant(alice.id):
        catch_up(alice.id, timezone.now, lambda left: None)
    html = check_page(alice_client.get(page_of(ready)))
    assert "Everything you imported has been read." in html
    assert "every 2s" not in html
    assert "Broken" in html


def test_the_part_that_changes_comes_alone(alice_client, ready):
    html = check_fragment(alice_client.get(reverse("chat:import_state", args=[ready.id])))
    assert html.strip().startswith('<div id="import-state"')
    assert "Import now" in html


def test_beginning_twice_imports_once(alice, alice_client, ready, queued):
    queued()
    for _ in range(2):
        alice_client.post(reverse("chat:import_begin", args=[ready.id]))
    assert len(queued()) == 1
    attend(ready)
    attend(ready)
    with tenant(alice.id):
        assert Message.objects.count() == 3


def test_cancelled_nothing_is_left(alice, alice_client, ready, uploads):
    response = alice_client.post(reverse("chat:import_cancel", args=[ready.id]), follow=True)
    assert "Nothing was imported, and the file is deleted." in check_page(response)
    assert [path for path in uploads.rglob("*") if path.is_file()] == []
    assert alice_client.get(page_of(ready)).status_code == 404


def test_an_import_under_way_can_be_stopped(alice, alice_client, ready):
    alice_client.post(reverse("chat:import_begin", args=[ready.id]))
    assert "Stop" in check_page(alice_client.get(page_of(ready)))
    response = alice_client.post(reverse("chat:import_cancel", args=[ready.id]))
    assert response["Location"] == page_of(ready)
    assert only_run(alice).state == "cancelled"
    html = check_page(alice_client.get(page_of(ready)))
    assert "You stopped this import." in html
    attend(ready)
    with tenant(alice.id):
        assert not Conversation.objects.exists()


def refused(client, value, name="conversations.json"):
    response = upload(client, value, name)
    html = check_page(response, 422)
    assert ImportRun.objects.count() == 0
    return html


def test_what_is_no_export_is_refused_with_a_sentence(alice_client):
    assert "This is a web page, not an export." in refused(alice_client, b"<html></html>")
    assert "This file is empty." in refused(alice_client, b"")
    assert "not an export of chats" in refused(alice_client, [{"a": 1}])


def test_no_file_at_all_is_refused(alice_client):
    html = check_page(alice_client.post(reverse("chat:import"), {}), 422)
    assert "Choose a file first." in html


def test_a_file_beyond_the_limit_is_refused(alice_client, settings):
    settings.UPLOAD_LIMIT_MB = 1
    html = refused(alice_client, b"[" + b" " * 1024**2 + b"]")
    assert "This file is larger than 1 MB" in html


def test_everything_is_behind_the_sign_in(ready):
    for name in ("import_run", "import_state"):
        response = Client().get(reverse(f"chat:{name}", args=[ready.id]))
        assert response.status_code == 302
        assert "sign" in response["Location"]
    assert upload(Client())["Location"].startswith(reverse("account_login"))


def test_another_persons_import_is_not_found(bob_client, alice, ready):
    for name in ("import_run", "import_state"):
        response = bob_client.get(reverse(f"chat:{name}", args=[ready.id]))
        assert response.status_code == 404
    for name in ("import_begin", "import_cancel"):
        response = bob_client.post(reverse(f"chat:{name}", args=[ready.id]))
        assert response.status_code == 404
    assert "Imports so far" not in check_page(bob_client.get(reverse("chat:import")))
    assert only_run(alice).state == "ready"


def test_writing_takes_a_post_with_a_token(alice, ready):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    for name in ("import_begin", "import_cancel"):
        address = reverse(f"chat:{name}", args=[ready.id])
        assert client.get(address).status_code == 405
        assert client.post(address).status_code == 403
    assert client.get(reverse("chat:demo_remove")).status_code == 405
    for name in ("demo", "demo_remove"):
        assert client.post(reverse(f"chat:{name}")).status_code == 403
    assert upload(client).status_code == 403


def test_other_methods_are_refused(alice_client, ready):
    assert alice_client.put(reverse("chat:import")).status_code == 405
    assert alice_client.post(page_of(ready)).status_code == 405


def test_the_demo_is_loaded_and_removed_by_one_press_each(alice, alice_client, queued):
    assert "Load the demo" in check_page(alice_client.get(reverse("chat:demo")))
    with tenant(alice.id):
        assert not demo_is_loaded(alice.id)
    response = alice_client.post(reverse("chat:demo"))
    assert response["Location"] == reverse("chat:chat")
    assert ("mine", (str(alice.id),)) in queued()
    for name in ("import", "demo"):
        assert "Remove the demo" in check_page(alice_client.get(reverse(f"chat:{name}")))
    response = alice_client.post(reverse("chat:demo_remove"), follow=True)
    assert "The demo is removed" in check_page(response)
    with tenant(alice.id):
        assert not demo_is_loaded(alice.id)
    response = alice_client.post(reverse("chat:demo_remove"), follow=True)
    assert "The demo is not loaded." in check_page(response)


def test_a_demo_that_is_being_mined_is_removed_by_a_worker(alice, alice_client, queued, monkeypatch):
    with tenant(alice.id):
        load_demo(alice.id, NOW)
    queued()
    monkeypatch.setattr("transfer.import_pages.remove_demo", lambda user_id: False)
    response = alice_client.post(reverse("chat:demo_remove"), follow=True)
    assert "The demo is being removed." in check_page(response)
    assert queued() == [("remove_demo_palace", (str(alice.id),))]
    with tenant(alice.id):
        assert not demo_is_loaded(alice.id)


def test_names_of_broken_entries_stay_out_of_the_run(alice, ready):
    assert "Broken" not in json.dumps(only_run(alice).preview)
