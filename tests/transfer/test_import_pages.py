"""The pages of an import: uploads, the list of chats to choose from, progress, and files that are refused."""

import json
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation, Message
from llm import current
from llm.configuration import LlmConfiguration
from llm.metering import Price
from memory.models import Drawer, Fact, Room
from tests.chat.ledger import NOW, entry, export_of
from tests.html import check_fragment, check_page, parse
from tests.transfer.conftest import at, files_in, import_all, run_job
from tests.transfer.importing.exports import as_file, as_zip, conversation, said
from transfer.choosing import chosen_counts
from transfer.imports import process, receive
from transfer.models import ImportedChat, ImportRun, RefusedEntry

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
    return lambda run, asked=None: check_page(alice_client.get(at("import_run", run), asked))


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
    assert ("Import finished" in html, "Imported. Saving to memory…" in html) == (False, True)
    assert files_in(uploads) == []
    mine_all(alice)
    upload(alice_client, export_of({"harbour": ["Which harbour?"]}))
    later = newest_run(alice)
    run_job(later)
    import_all(alice_client, later)
    assert "0 of 1 message of these chats is saved" in show(later)
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
    for name in ("one", "two"):
        upload(alice_client, export_of({name: [name]}))
    assert "2 chats · 3 messages" in check_page(alice_client.get(reverse("chat:import")))
    receipt = alice_client.post(preview, {"how": "trash", "with_chats": "on"}, follow=True)
    html = check_page(receipt)
    assert "Messages in chats" in html
    assert (html.count("may contain some of these words"), html.count("View file")) == (1, 2)
    html = show(ready)
    assert preview.replace("&", "&amp;") not in html
    assert ("is saved to memory" in html, "You deleted the chats that this import added." in html) == (
        False,
        True,
    )
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


def test_stopped_import_keeps_the_chats_imported_so_far(as_alice, alice_client, ready, show):
    ready.begin(NOW)
    process(as_alice.id, ready.id, timezone.now, timedelta(0))
    alice_client.post(at("import_cancel", ready))
    assert "The chats below were imported completely and stay." in show(ready)
    run_job(ready)
    assert Conversation.objects.count() == 1


SECONDS = 30
WHOLE = as_file([conversation(f"Chat {number}") for number in range(50)]).getvalue()
REFUSED = {
    "no file": (lambda: None, "Choose a file first."),
    "empty": (lambda: b"", "This file is empty."),
    "web page": (lambda: b"<html></html>", "This is a web page, not an export."),
    "text": (lambda: b"I like tea.", "add them under “Import ChatGPT’s saved memories”."),
    "ten million levels": (lambda: b"[" * 10_000_000 + b"]" * 10_000_000, "nested too deeply"),
    "cut off between two chats": (lambda: WHOLE[: WHOLE.rindex(b"}") + 1], "is cut off"),
    "second part cut off": (
        lambda: as_zip({"1.json": WHOLE, "2.json": WHOLE[:-40]}).getvalue(),
        "is cut off",
    ),
}
"""Files that are refused when they arrive, and when they are checked."""


@pytest.mark.parametrize("name", REFUSED)
def test_unusable_and_malicious_upload_is_refused_with_the_reason(alice, alice_client, uploads, name):
    make, sentence = REFUSED[name]
    value, started = make(), time.monotonic()
    response, status = upload(alice_client, *[value] * (value is not None)), 422
    if response.status_code == 302:
        run_job(newest_run(alice))
        response, status = alice_client.get(response["Location"]), 200
    else:
        with tenant(alice.id):
            assert not ImportRun.objects.exists()
    html = check_page(response, status)
    assert sentence in html
    assert status == 200 or "<summary>Import ChatGPT’s saved memories</summary>" in html
    assert time.monotonic() - started < SECONDS
    assert files_in(uploads) == []
    with tenant(alice.id):
        for model in (Conversation, Message, RefusedEntry):
            assert not model.objects.exists()


HOSTILE = "<script>alert(1)</script>"
DAYS = {"Old boats": 1_700_000_000, HOSTILE: 1_735_000_000, "New tea": 1_748_000_000}  # 2023, 2024, 2025
TOOL = (
    said('{"q": "tides"}', "assistant", recipient="browser", create_time=1_748_000_100),
    said("x" * 900, "tool", create_time=1_748_000_200),
    said("High at noon.", "assistant", create_time=1_748_000_300),
)


def chat_of(title, more=()):
    day = DAYS.get(title, DAYS["New tea"])
    turns = (said(f"I live in Porto, {title}.", create_time=day), said("Noted.", "assistant"), *more)
    return entry(f"id-{title}", title, *turns)


def checked_run(user, entries):
    """A checked run of a file with these chats, ready for choosing."""
    with tenant(user.id):
        run = receive(user.id, [as_file(entries).getvalue()], NOW)
        process(user.id, run.id, timezone.now)
        run.refresh_from_db()
    assert run.state == "ready"
    return run


@pytest.fixture
def run(alice):
    return checked_run(alice, entries_with())


def entries_with(**more):
    return [chat_of(title, more.get(title, ())) for title in DAYS]


def chosen(run):
    with tenant(run.user_id):
        return set(ImportedChat.objects.filter(run_id=run.id, chosen=True).values_list("title", flat=True))


def test_list_shows_each_chat_with_its_dates_and_tool_output(alice, show, run):
    kept = "Tool output, such as web pages and attached files, is kept as evidence"
    html = show(run)
    for words in ("Old boats", "&lt;script&gt;", "14 Nov 2023", "23 May 2025", "Import 3 chats", "Only 2025"):
        assert words in html
    for words in (HOSTILE, kept, ">Tool output</th>"):
        assert words not in html
    found = show(run, {"q": "TEA"})
    assert "Old boats" not in found
    assert "Only this 1" in found
    assert "No chat fits" in show(run, {"q": "nothing like it"})
    html = show(checked_run(alice, [chat_of("Tides", TOOL), chat_of("Old boats")]))
    assert kept in html
    assert ">Tool output</th>" in html
    rows = [e for e in parse(html).elements if e.tag == "td" and e.attributes.get("class") == "figure"]
    assert [e.words for e in rows][1:3] == ["5", "1"]
    assert [e.words for e in rows][5:7] == ["2", "0"]


@pytest.mark.parametrize(
    ("prices", "sentence"),
    [({"m": Price(Decimal(9), Decimal(9))}, "costs about $0.0"), ({}, "price is unknown")],
)
def test_list_says_what_a_paid_model_costs(show, run, monkeypatch, prices, sentence):
    configuration = LlmConfiguration("https://example.com/v1", extraction_model="m", own_prices=prices)
    assert sentence not in show(run)
    monkeypatch.setattr(current, "configuration", lambda: configuration)
    assert sentence in show(run)


def test_buttons_select_chats(alice_client, run):
    for act, given, titles in (
        ("year", {"year": "2025"}, {"New tea"}),
        ("range", {"first": "2023-11", "last": "2024-12"}, {"Old boats", HOSTILE}),
        ("none", {}, set()),
        ("all", {}, set(DAYS)),
        ("found", {"q": "boats"}, {"Old boats"}),
    ):
        response = alice_client.post(at("import_choose", run), {"act": act, **given})
        assert chosen(run) == titles, act
        assert f"{len(titles)} of 3 selected" in check_page(alice_client.get(response["Location"]))
    alice_client.post(at("import_choose", run), {"act": "none"})
    response = alice_client.post(at("import_begin", run), follow=True)
    assert "Choose at least one chat." in check_page(response)


@pytest.mark.parametrize("asked", [{"from": "soon"}, {"to": "2031-13-13"}, {"from": "99999-01"}])
def test_invalid_range_is_not_found(alice_client, run, asked):
    assert alice_client.get(at("import_run", run), asked).status_code == 404
    given = {"act": "range", "first": asked.get("from", ""), "last": asked.get("to", "")}
    assert alice_client.post(at("import_choose", run), given).status_code == 404
    assert alice_client.post(at("import_choose", run), {"shown": "x"}).status_code == 404


def test_checkboxes_are_saved_and_only_chosen_chats_imported(alice, alice_client, bob_client, run, show):
    with tenant(alice.id):
        ids = {chat.title: str(chat.id) for chat in ImportedChat.objects.all()}
    given = {"shown": [ids["Old boats"], ids["New tea"]], "chat": [ids["New tea"]]}
    assert bob_client.post(at("import_choose", run), given).status_code == 404
    response = alice_client.post(at("import_choose", run), given, headers={"HX-Request": "true"})
    assert "Import 2 chats" in check_fragment(response)
    assert chosen(run) == {HOSTILE, "New tea"}
    import_all(alice_client, run, **given)
    mine_all(alice)
    html = show(run)
    links = {e.attributes.get("href") for e in parse(html).elements if e.tag == "a"}
    with tenant(alice.id):
        chats, rooms = Conversation.objects.all(), Room.objects.filter(source_id__isnull=False)
        assert {chat.title for chat in chats} == {HOSTILE, "New tea"}
        assert {reverse("chat:conversation", args=[each.id]) for each in chats} <= links
        assert {reverse("memory:room", args=[each.wing_id, each.id]) for each in rooms} <= links
        assert Fact.objects.update(status=Fact.Status.PENDING) == 1
    for words in ("Import finished", "Imported", "1 fact"):
        assert words in html
    assert "Old boats" not in html
    html = show(run)
    assert "1 fact to review ›" in html
    cells = [e.words for e in parse(html).elements if e.tag == "td" and "to review" in e.words]
    assert cells
    assert [words for words in cells if "0 fact" in words] == []


def test_chats_already_here_or_deleted_are_marked_and_not_selected(alice, alice_client, run, show):
    import_all(alice_client, run)
    with tenant(alice.id):
        Conversation.objects.filter(title=HOSTILE).update(deleted_at=NOW)
    again = checked_run(alice, entries_with(**{"New tea": TOOL}))
    assert chosen(again) == {"New tea"}
    with tenant(alice.id):
        whole = ImportedChat.objects.get(run_id=again.id, title="New tea")
        part = whole.characters * (whole.messages - whole.known) // whole.messages
        assert chosen_counts(again)["characters"] == part < whole.characters
    html = show(again)
    for words in ("Already here", "You deleted it", "3 new", "2 skipped", "Import 1 chat"):
        assert words in html
    known = checked_run(alice, entries_with())
    html = check_page(alice_client.get(reverse("chat:import")))
    assert "Nothing new" in html.split(at("import_run", known))[1].split("</li>")[0]
    assert "Nothing new" not in html.split(at("import_run", again))[1].split("</li>")[0]
    alice_client.post(at("import_choose", again), {"act": "all"})
    assert chosen(again) == {"New tea"}
    assert "Old boats" not in show(again, {"new": "1"})


def test_long_import_runs_in_slices(as_alice, run, uploads):
    """So that imports of two users do not occupy all threads of a worker."""
    run.begin(NOW)
    slices = 1
    while process(as_alice.id, run.id, timezone.now, timedelta(0)):
        run.refresh_from_db()
        assert (run.state, run.position) == ("running", slices)
        slices += 1
    run.refresh_from_db()
    assert (run.state, run.conversations, slices) == ("done", 3, 3 + 1)
    assert (run.path, files_in(uploads)) == ("", [])


def test_list_of_ten_thousand_chats_is_paged(as_alice, alice_client, django_assert_max_num_queries, show):
    run = ImportRun.objects.create(user_id=as_alice.id, state="ready", format="ChatGPT")
    ImportedChat.objects.bulk_create(
        ImportedChat(
            user_id=as_alice.id,
            run_id=run.id,
            external_id=str(number),
            title=f"Chat {number}",
            messages=2,
            last_said_at=NOW - timedelta(hours=number),
        )
        for number in range(10_000)
    )
    with django_assert_max_num_queries(30):
        html = show(run)
    assert len(html) < 100_000
    assert html.count('name="shown"') == 100
    assert "1–100 of 10,000" in html
    assert "Import 10,000 chats" in html
    response = alice_client.post(at("import_choose", run), {"page": "100", "shown": []})
    assert "9,901–10,000 of 10,000" in check_page(alice_client.get(response["Location"]))
    alice_client.post(at("import_choose", run), {"act": "year", "year": "2031"})
    assert 0 < len(chosen(run)) < 2_000
