"""The list of an upload's chats, and choosing from it."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation
from jobs.actors import run_import
from llm import current
from llm.configuration import LlmConfiguration
from llm.metering import Price
from memory.models import Fact, Room
from tests.chat.ledger import NOW
from tests.html import check_fragment, check_page, parse
from tests.transfer.importing.exports import as_file, node, said
from transfer.choosing import chosen_counts
from transfer.imports import begin, process, receive
from transfer.models import ImportedChat, ImportRun

HOSTILE = "<script>alert(1)</script>"
LONG = "x" * 900
DAYS = {"Old boats": 1_700_000_000, HOSTILE: 1_735_000_000, "New tea": 1_748_000_000}  # 2023, 2024, 2025

pytestmark = pytest.mark.usefixtures("uploads", "embedder", "queued")


def entry(title, at, more=()):
    mapping = {
        "u": node(said(f"I live in Porto, {title}.", create_time=at), None, ["a"]),
        "a": node(said("Noted.", "assistant", create_time=at + 60), "u"),
    }
    parent = "a"
    for number, message in enumerate(more):
        mapping[parent]["children"] = [f"m{number}"]
        mapping[f"m{number}"] = node(message, parent)
        parent = f"m{number}"
    return {"id": f"id-{title}", "title": title, "mapping": mapping, "current_node": parent}


TOOL = (
    said('{"q": "tides"}', "assistant", recipient="browser", create_time=1_748_000_100),
    said(LONG, "tool", create_time=1_748_000_200),
    said("High at noon.", "assistant", create_time=1_748_000_300),
)


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
    return checked_run(alice, [entry(title, at) for title, at in DAYS.items()])


def chosen(run):
    with tenant(run.user_id):
        return set(ImportedChat.objects.filter(run_id=run.id, chosen=True).values_list("title", flat=True))


def at(name, run):
    return reverse(f"chat:{name}", args=[run.id])


def imported(client, run, **given):
    client.post(at("import_begin", run), {"shown": [], **given})
    run_import.fn(str(run.user_id), str(run.id))


def test_list_shows_each_chat_with_its_dates_and_size(alice_client, run):
    html = check_page(alice_client.get(at("import_run", run)))
    for words in ("Old boats", "&lt;script&gt;", "14 Nov 2023", "23 May 2025", "Import 3 chats", "Only 2025"):
        assert words in html
    assert HOSTILE not in html
    found = alice_client.get(at("import_run", run), {"q": "TEA"})
    assert "Old boats" not in check_page(found)
    assert "Only this 1" in found.content.decode()
    assert "No chat fits" in check_page(alice_client.get(at("import_run", run), {"q": "nothing like it"}))


@pytest.mark.parametrize(
    ("prices", "sentence"),
    [({"m": Price(Decimal(9), Decimal(9))}, "costs about $0.0"), ({}, "price is unknown")],
)
def test_list_says_what_a_paid_model_costs(alice_client, run, monkeypatch, prices, sentence):
    configuration = LlmConfiguration("https://example.com/v1", extraction_model="m", own_prices=prices)
    assert sentence not in check_page(alice_client.get(at("import_run", run)))
    monkeypatch.setattr(current, "configuration", lambda: configuration)
    assert sentence in check_page(alice_client.get(at("import_run", run)))


def test_list_explains_how_tool_output_is_used(alice, alice_client, run):
    kept = "Tool output, such as web pages and attached files, is kept as evidence"
    html = check_page(alice_client.get(at("import_run", run)))
    assert (kept in html, ">Tool output</th>" in html) == (False, False)
    again = checked_run(alice, [entry("Tides", DAYS["New tea"], TOOL), entry("Old boats", DAYS["Old boats"])])
    html = check_page(alice_client.get(at("import_run", again)))
    assert (kept in html, ">Tool output</th>" in html) == (True, True)
    rows = [e for e in parse(html).elements if e.tag == "td" and e.attributes.get("class") == "figure"]
    assert [e.words for e in rows][1:3] == ["5", "1"]
    assert [e.words for e in rows][5:7] == ["2", "0"]


@pytest.mark.parametrize(
    ("act", "given", "titles"),
    [
        ("year", {"year": "2025"}, {"New tea"}),
        ("range", {"first": "2023-11", "last": "2024-12"}, {"Old boats", HOSTILE}),
        ("none", {}, set()),
        ("all", {}, set(DAYS)),
        ("found", {"q": "boats"}, {"Old boats"}),
    ],
)
def test_buttons_select_chats(alice_client, run, act, given, titles):
    response = alice_client.post(at("import_choose", run), {"act": act, **given})
    assert chosen(run) == titles
    html = check_page(alice_client.get(response["Location"]))
    assert f"{len(titles)} of 3 selected" in html


@pytest.mark.parametrize("asked", [{"from": "soon"}, {"to": "2031-13-13"}, {"from": "99999-01"}])
def test_invalid_range_is_not_found(alice_client, run, asked):
    assert alice_client.get(at("import_run", run), asked).status_code == 404
    given = {"act": "range", "first": asked.get("from", ""), "last": asked.get("to", "")}
    assert alice_client.post(at("import_choose", run), given).status_code == 404
    assert alice_client.post(at("import_choose", run), {"shown": "x"}).status_code == 404


def test_checkboxes_are_saved_and_only_chosen_chats_imported(alice, alice_client, bob_client, run):
    with tenant(alice.id):
        ids = {chat.title: str(chat.id) for chat in ImportedChat.objects.all()}
    shown = [ids["Old boats"], ids["New tea"]]
    given = {"shown": shown, "chat": [ids["New tea"]]}
    assert bob_client.post(at("import_choose", run), given).status_code == 404
    response = alice_client.post(at("import_choose", run), given, headers={"HX-Request": "true"})
    assert "Import 2 chats" in check_fragment(response)
    assert chosen(run) == {HOSTILE, "New tea"}
    imported(alice_client, run, shown=shown, chat=[ids["New tea"]])
    with tenant(alice.id):
        assert set(Conversation.objects.values_list("title", flat=True)) == {HOSTILE, "New tea"}
        drain(alice.id, timezone.now, lambda left: None)
    html = check_page(alice_client.get(at("import_run", run)))
    links = {e.attributes.get("href") for e in parse(html).elements if e.tag == "a"}
    with tenant(alice.id):
        assert {reverse("chat:conversation", args=[each.id]) for each in Conversation.objects.all()} <= links
        rooms = Room.objects.filter(source_id__isnull=False)
        assert {reverse("memory:room", args=[each.wing_id, each.id]) for each in rooms} <= links
    for words in ("Import finished", "Imported", "1 fact"):
        assert words in html
    assert "Old boats" not in html


def test_result_names_the_facts_to_review(alice, alice_client, run):
    imported(alice_client, run)
    with tenant(alice.id):
        drain(alice.id, timezone.now, lambda left: None)
        count = Fact.objects.update(status=Fact.Status.PENDING)
    html = check_page(alice_client.get(at("import_run", run)))
    assert f"{count} facts to review ›" in html
    cells = [e.words for e in parse(html).elements if e.tag == "td" and "to review" in e.words]
    assert cells
    assert not any("0 facts" in words for words in cells)


def test_import_without_a_selection_is_refused(alice_client, run):
    alice_client.post(at("import_choose", run), {"act": "none"})
    response = alice_client.post(at("import_begin", run), follow=True)
    assert "Choose at least one chat." in check_page(response)


def test_chats_already_here_or_deleted_are_marked_and_not_selected(alice, alice_client, run):
    imported(alice_client, run)
    with tenant(alice.id):
        Conversation.objects.filter(title=HOSTILE).update(deleted_at=NOW)
    entries = [entry(title, when, TOOL if title == "New tea" else ()) for title, when in DAYS.items()]
    again = checked_run(alice, entries)
    assert chosen(again) == {"New tea"}
    with tenant(alice.id):
        whole = ImportedChat.objects.get(run_id=again.id, title="New tea")
        part = whole.characters * (whole.messages - whole.known) // whole.messages
        assert chosen_counts(again)["characters"] == part < whole.characters
    html = check_page(alice_client.get(at("import_run", again)))
    for words in ("Already here", "You deleted it", "3 new", "2 skipped", "Import 1 chat"):
        assert words in html
    known = checked_run(alice, [entry(title, when) for title, when in DAYS.items()])
    html = check_page(alice_client.get(reverse("chat:import")))
    assert "Nothing new" in html.split(at("import_run", known))[1].split("</li>")[0]
    assert "Nothing new" not in html.split(at("import_run", again))[1].split("</li>")[0]
    alice_client.post(at("import_choose", again), {"act": "all"})
    assert chosen(again) == {"New tea"}
    assert "Old boats" not in check_page(alice_client.get(at("import_run", again), {"new": "1"}))


def test_long_import_runs_in_slices(as_alice, run):
    """So that imports of two users do not occupy all threads of a worker."""
    begin(run, NOW)
    slices = 1
    while process(as_alice.id, run.id, timezone.now, timedelta(0)):
        run.refresh_from_db()
        assert (run.state, run.position) == ("running", slices)
        slices += 1
    run.refresh_from_db()
    assert (run.state, run.conversations, slices) == ("done", 3, 3 + 1)
    assert not run.upload.exists()


def test_list_of_ten_thousand_chats_is_paged(as_alice, alice_client, django_assert_max_num_queries):
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
        html = check_page(alice_client.get(at("import_run", run)))
    assert len(html) < 100_000
    assert html.count('name="shown"') == 100
    assert "1–100 of 10,000" in html
    assert "Import 10,000 chats" in html
    response = alice_client.post(at("import_choose", run), {"page": "100", "shown": []})
    assert "9,901–10,000 of 10,000" in check_page(alice_client.get(response["Location"]))
    alice_client.post(at("import_choose", run), {"act": "year", "year": "2031"})
    assert 0 < len(chosen(run)) < 2_000
