"""The pages of an import, and files that they refuse."""

import json
import time
import zipfile

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation, Message
from memory.models import Drawer
from tests.chat.ledger import export_of
from tests.html import check_fragment, check_page
from tests.transfer.conftest import at, files_in, import_all, run_job
from tests.transfer.importing.exports import as_file, as_zip, conversation
from transfer.models import ImportRun, RefusedEntry

BROKEN = {"id": "broken", "title": "<b>Broken</b>"}
EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [BROKEN])

pytestmark = pytest.mark.usefixtures("uploads", "embedder", "queued")


def upload(client, *values):
    files = [as_file(value) for value in values]
    for file in files:
        file.name = "conversations.json"
    return client.post(reverse("chat:import"), {"file": files})


def newest_run(user):
    with tenant(user.id):
        return ImportRun.objects.latest("id")


@pytest.fixture
def ready(alice, alice_client):
    """A checked run of Alice."""
    upload(alice_client, EXPORT)
    run_job(newest_run(alice))
    return newest_run(alice)


@pytest.fixture
def show(alice_client):
    """The page of a run."""
    return lambda run: check_page(alice_client.get(at("import_run", run)))


def mine_all(user):
    with tenant(user.id):
        drain(user.id, timezone.now, lambda left: None)


def test_upload_is_checked_before_anything_is_imported(alice, alice_client, queued, show):
    html = check_page(alice_client.get(reverse("chat:import")))
    for words in ('enctype="multipart/form-data"', " multiple", "up to 2.0\xa0GB", 'data-most-bytes="2147'):
        assert words in html
    response = upload(alice_client, EXPORT)
    run = newest_run(alice)
    assert response["Location"] == at("import_run", run)
    assert queued() == [("run_import", (str(alice.id), str(run.id)))]
    html = show(run)
    for words in ("Reading your file", 'hx-trigger="every 2s"', "Refresh"):
        assert words in html
    html = check_fragment(alice_client.get(at("import_state", run)))
    assert html.strip().startswith('<div id="import-state"')
    run_job(run)
    html = show(run)
    for words in ("Import 2 chats", "14 Nov 2023", "&lt;b&gt;Broken&lt;/b&gt;"):
        assert words in html
    for words in ("every 2s", "Refresh"):
        assert words not in html
    assert alice_client.get(at("import_state", run))["HX-Redirect"] == at("import_run", run)
    assert "Broken" not in json.dumps(newest_run(alice).preview)
    with tenant(alice.id):
        assert not Conversation.objects.exists()


def test_several_files_can_be_uploaded_together(alice, alice_client, settings, show):
    upload(alice_client, *(export_of({key: [key]}) for key in ("boats", "tea")))
    run_job(newest_run(alice))
    assert "Import 2 chats" in show(newest_run(alice))
    settings.UPLOAD_LIMIT_MB = 1
    half = b"[" + b" " * 600_000 + b"]"
    assert "This is more than 1 MB" in check_page(upload(alice_client, half, half), 422)
    assert "This file is empty." in check_page(upload(alice_client, EXPORT, b""), 422)


def test_import_runs_until_everything_is_saved_to_memory(alice, alice_client, ready, queued, uploads, show):
    run_job(ready)
    assert newest_run(alice).state == "ready", "it waits for confirmation"
    queued()
    for _ in range(2):
        response = alice_client.post(at("import_begin", ready))
        assert response["Location"] == at("import_run", ready)
    assert queued() == [("run_import", (str(alice.id), str(ready.id)))]
    html = show(ready)
    for words in ('<progress class="meter"', 'max="3"', "0 of 3 entries done."):
        assert words in html
    for _ in range(2):
        run_job(ready)
    html = show(ready)
    assert "0 of 3 messages of these chats are saved to memory" in html
    assert "every 2s" in html
    assert files_in(uploads) == []
    mine_all(alice)
    upload(alice_client, export_of({"harbour": ["Which harbour?"]}))
    later = newest_run(alice)
    run_job(later)
    import_all(alice_client, later)
    assert "0 of 1 messages of these chats are saved" in show(later)
    html = show(ready)
    assert "Everything you imported is saved to memory." in html, "only the chats of this import count"
    assert "Broken" in html
    assert "every 2s" not in html


def test_the_chats_of_an_import_can_be_deleted_with_what_was_saved_from_them(
    alice, alice_client, ready, show
):
    with tenant(alice.id):
        kept = Conversation.objects.create(user_id=alice.id, title="Kept")
    import_all(alice_client, ready)
    mine_all(alice)
    preview = f"{reverse('forget:preview')}?kind=import&id={ready.id}"
    assert preview.replace("&", "&amp;") in show(ready)
    check_page(alice_client.get(preview))
    receipt = alice_client.post(preview, {"how": "trash", "with_chats": "on"}, follow=True)
    assert "Messages in chats" in check_page(receipt)
    assert preview.replace("&", "&amp;") not in show(ready)
    with tenant(alice.id):
        assert list(Conversation.objects.filter(deleted_at=None)) == [kept]
        assert not Drawer.objects.live().exists()


@pytest.mark.parametrize("begun", [False, True])
def test_cancelled_import_leaves_nothing(alice, alice_client, ready, uploads, show, begun):
    if begun:
        alice_client.post(at("import_begin", ready))
        assert "Stop" in show(ready)
    html = check_page(alice_client.post(at("import_cancel", ready), follow=True))
    if begun:
        assert "You stopped this import." in html
        assert newest_run(alice).state == "cancelled"
        run_job(ready)
    else:
        assert "Nothing was imported. The file was deleted." in html
        assert files_in(uploads) == []
        assert alice_client.get(at("import_run", ready)).status_code == 404
    with tenant(alice.id):
        assert not Conversation.objects.exists()


SECONDS = 30
GOOD = [conversation(f"Chat {number}") for number in range(50)]
WHOLE = as_file(GOOD).getvalue()
START = WHOLE[: WHOLE.rindex(b"}") + 1] + b","
RUSSIAN = json.dumps([conversation("Привет, мир, как дела сегодня")] * 9, ensure_ascii=False)


def zipped(data, name="conversations.json", compression=zipfile.ZIP_DEFLATED):
    return as_zip({name: data}, compression).getvalue()


REFUSED = {
    "no file": (lambda: None, "Choose a file first."),
    "empty": (lambda: b"", "This file is empty."),
    "web page": (lambda: b"<html></html>", "This is a web page, not an export."),
    "other JSON": (lambda: [{"a": 1}], "not an export of chats"),
    "text": (lambda: b"I like tea.", "add them under “Import ChatGPT’s saved memories”."),
    "zip bomb": (lambda: zipped(b"[" + b" " * 50_000_000 + b"]"), "unpacks to far more than an export can"),
    "path out of the zip": (lambda: zipped(GOOD, "../../c.json"), "lists files outside its own folder"),
    "absolute path": (lambda: zipped(GOOD, "/etc/cron.d/c.json"), "lists files outside its own folder"),
    "ten million levels": (lambda: b"[" * 10_000_000 + b"]" * 10_000_000, "nested too deeply"),
    "a million levels behind good chats": (lambda: START + b"[" * 1_000_000 + b"]", "nested too deeply"),
    "another encoding": (lambda: RUSSIAN.encode("cp1251", "ignore"), "not encoded as UTF-8"),
    "cut off": (lambda: WHOLE[:-2000], "is cut off"),
    "cut off between two chats": (lambda: START[:-1], "is cut off"),
    "zip cut off": (lambda: zipped(WHOLE)[:-200], "damaged"),
    "second part cut off": (
        lambda: as_zip({"1.json": WHOLE, "2.json": WHOLE[:-40]}).getvalue(),
        "is cut off",
    ),
    "wrong checksum": (
        lambda: zipped(WHOLE, compression=zipfile.ZIP_STORED).replace(b"Petrel", b"Pebble", 1),
        "damaged or incomplete",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unusable_and_malicious_upload_is_refused_with_the_reason(alice, alice_client, uploads, name):
    make, sentence = REFUSED[name]
    value, started = make(), time.monotonic()
    response, status = upload(alice_client, *[value] * (value is not None)), 422
    if response.status_code == 302:
        run_job(newest_run(alice))
        response, status = alice_client.get(response["Location"]), 200
    html = check_page(response, status)
    assert sentence in html
    assert status == 200 or "<summary>Import ChatGPT’s saved memories</summary>" in html
    assert time.monotonic() - started < SECONDS
    assert files_in(uploads) == []
    with tenant(alice.id):
        for model in (Conversation, Message, RefusedEntry):
            assert not model.objects.exists()
