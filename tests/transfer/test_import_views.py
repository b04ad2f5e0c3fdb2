import json

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation, Message
from jobs.actors import run_import
from memory.models import Drawer
from tests.chat.ledger import export_of
from tests.html import check_fragment, check_page
from tests.transfer.importing.exports import as_file
from transfer.models import ImportRun

BROKEN = {"id": "broken", "title": "<b>Broken</b>"}
EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [BROKEN])

pytestmark = pytest.mark.usefixtures("uploads", "embedder", "queued")


def upload(client, value=EXPORT):
    file = as_file(value)
    file.name = "conversations.json"
    return client.post(reverse("chat:import"), {"file": file})


def only_run(user):
    with tenant(user.id):
        return ImportRun.objects.get(user_id=user.id)


def run_job(run):
    run_import.fn(str(run.user_id), str(run.id))


def at(name, run):
    return reverse(f"chat:{name}", args=[run.id])


@pytest.fixture
def ready(alice, alice_client):
    """A checked run of Alice."""
    upload(alice_client)
    run_job(only_run(alice))
    return only_run(alice)


def test_upload_is_checked_before_anything_is_imported(alice, alice_client, queued):
    html = check_page(alice_client.get(reverse("chat:import")))
    for words in ('enctype="multipart/form-data"', "up to 2.0\xa0GB", 'data-most-bytes="2147483648"'):
        assert words in html
    response = upload(alice_client)
    run = only_run(alice)
    assert response["Location"] == at("import_run", run)
    assert queued() == [("run_import", (str(alice.id), str(run.id)))]
    html = check_page(alice_client.get(at("import_run", run)))
    for words in ("Reading your file", 'hx-trigger="every 2s"', "Refresh"):
        assert words in html
    html = check_fragment(alice_client.get(at("import_state", run)))
    assert html.strip().startswith('<div id="import-state"')
    run_job(run)
    html = check_page(alice_client.get(at("import_run", run)))
    for words in ("Import 2 chats", "14 Nov 2023", "&lt;b&gt;Broken&lt;/b&gt;"):
        assert words in html
    assert "every 2s" not in html
    assert "Refresh" not in html
    assert alice_client.get(at("import_state", run))["HX-Redirect"] == at("import_run", run)
    assert "Broken" not in json.dumps(only_run(alice).preview)
    with tenant(alice.id):
        assert not Conversation.objects.exists()


def test_several_files_can_be_uploaded_together(alice, alice_client, settings):
    assert " multiple" in check_page(alice_client.get(reverse("chat:import")))
    files = [as_file(export_of({key: [key]})) for key in ("boats", "tea")]
    response = alice_client.post(reverse("chat:import"), {"file": files})
    run = only_run(alice)
    assert response["Location"] == at("import_run", run)
    run_job(run)
    assert "Import 2 chats" in check_page(alice_client.get(at("import_run", run)))
    settings.UPLOAD_LIMIT_MB = 1
    half = b"[" + b" " * 600_000 + b"]"
    html = check_page(alice_client.post(reverse("chat:import"), {"file": [as_file(half)] * 2}), 422)
    assert "This is more than 1 MB" in html
    html = check_page(alice_client.post(reverse("chat:import"), {"file": [files[0], as_file(b"")]}), 422)
    assert "This file is empty." in html


def test_import_runs_until_everything_is_saved_to_memory(alice, alice_client, ready, queued, uploads):
    run_job(ready)
    assert only_run(alice).state == "ready", "it waits for confirmation"
    queued()
    for _ in range(2):
        response = alice_client.post(at("import_begin", ready))
        assert response["Location"] == at("import_run", ready)
    assert queued() == [("run_import", (str(alice.id), str(ready.id)))]
    html = check_page(alice_client.get(at("import_run", ready)))
    for words in ('<progress class="meter"', 'max="3"', "0 of 3 entries done."):
        assert words in html
    for _ in range(2):
        run_job(ready)
    html = check_page(alice_client.get(at("import_run", ready)))
    assert "0 of 3 messages of these chats are saved to memory" in html
    assert "every 2s" in html
    assert [path for path in uploads.rglob("*") if path.is_file()] == []
    with tenant(alice.id):
        assert Message.objects.count() == 3
        drain(alice.id, timezone.now, lambda left: None)
    html = check_page(alice_client.get(at("import_run", ready)))
    assert "Everything you imported is saved to memory." in html
    assert "Broken" in html
    assert "every 2s" not in html


def test_the_chats_of_an_import_can_be_deleted_with_what_was_saved_from_them(alice, alice_client, ready):
    with tenant(alice.id):
        kept = Conversation.objects.create(user_id=alice.id, title="Kept")
    alice_client.post(at("import_begin", ready))
    run_job(ready)
    with tenant(alice.id):
        drain(alice.id, timezone.now, lambda left: None)
    preview = f"{reverse('forget:preview')}?kind=import&id={ready.id}"
    assert preview.replace("&", "&amp;") in check_page(alice_client.get(at("import_run", ready)))
    check_page(alice_client.get(preview))
    receipt = alice_client.post(preview, {"how": "trash", "with_chats": "on"}, follow=True)
    assert "Messages in chats" in check_page(receipt)
    assert preview.replace("&", "&amp;") not in check_page(alice_client.get(at("import_run", ready)))
    with tenant(alice.id):
        assert list(Conversation.objects.filter(deleted_at=None)) == [kept]
        assert not Drawer.objects.live().exists()


def test_progress_counts_only_the_chats_of_this_import(alice, alice_client, ready):
    run_job(ready)
    alice_client.post(at("import_begin", ready))
    run_job(ready)
    with tenant(alice.id):
        drain(alice.id, timezone.now, lambda left: None)
    upload(alice_client, export_of({"harbour": ["Which harbour?"]}))
    with tenant(alice.id):
        later = ImportRun.objects.exclude(id=ready.id).get(user_id=alice.id)
    run_job(later)
    alice_client.post(at("import_begin", later))
    run_job(later)
    assert "0 of 1 messages of these chats are saved" in check_page(alice_client.get(at("import_run", later)))
    html = check_page(alice_client.get(at("import_run", ready)))
    assert "Everything you imported is saved to memory." in html
    assert "every 2s" not in html


@pytest.mark.parametrize("begun", [False, True])
def test_cancelled_import_leaves_nothing(alice, alice_client, ready, uploads, begun):
    if begun:
        alice_client.post(at("import_begin", ready))
        assert "Stop" in check_page(alice_client.get(at("import_run", ready)))
    html = check_page(alice_client.post(at("import_cancel", ready), follow=True))
    if begun:
        assert "You stopped this import." in html
        assert only_run(alice).state == "cancelled"
        run_job(ready)
    else:
        assert "Nothing was imported. The file was deleted." in html
        assert [path for path in uploads.rglob("*") if path.is_file()] == []
        assert alice_client.get(at("import_run", ready)).status_code == 404
    with tenant(alice.id):
        assert not Conversation.objects.exists()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (b"<html></html>", "This is a web page, not an export."),
        (b"", "This file is empty."),
        ([{"a": 1}], "not an export of chats"),
        (b"I like tea.", "add them under “Import ChatGPT’s saved memories”."),
        (b"[" + b" " * 1024**2 + b"]", "This is more than 1 MB"),
        (None, "Choose a file first."),
    ],
    ids=["a web page", "empty", "other JSON", "text", "too large", "no file"],
)
def test_invalid_upload_is_refused_with_the_reason(alice_client, settings, value, sentence):
    settings.UPLOAD_LIMIT_MB = 1
    missing = value is None
    response = alice_client.post(reverse("chat:import"), {}) if missing else upload(alice_client, value)
    html = check_page(response, 422)
    assert sentence in html
    assert "<summary>Import ChatGPT’s saved memories</summary>" in html
    assert not ImportRun.objects.exists()
