"""The list of an upload's chats, and choosing from it."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation
from llm import current
from llm.configuration import LlmConfiguration
from llm.metering import Price
from memory.models import Fact, Room
from tests.chat.ledger import NOW
from tests.html import check_fragment, check_page, parse
from tests.transfer.conftest import at, import_all
from tests.transfer.importing.exports import as_file, node, said
from transfer.choosing import chosen_counts
from transfer.imports import begin, process, receive
from transfer.models import ImportedChat, ImportRun

HOSTILE = "<script>alert(1)</script>"
DAYS = {"Old boats": 1_700_000_000, HOSTILE: 1_735_000_000, "New tea": 1_748_000_000}  # 2023, 2024, 2025
TOOL = (
    said('{"q": "tides"}', "assistant", recipient="browser", create_time=1_748_000_100),
    said("x" * 900, "tool", create_time=1_748_000_200),
    said("High at noon.", "assistant", create_time=1_748_000_300),
)

pytestmark = pytest.mark.usefixtures("uploads", "embedder", "queued")


def entry(title, more=()):
    day = DAYS.get(title, DAYS["New tea"])
    turns = (said(f"I live in Porto, {title}.", create_time=day), said("Noted.", "assistant"), *more)
    keys = [str(number) for number in range(len(turns))]
    mapping = {
        key: node(turn, above, keys[place + 1 : place + 2])
        for place, (key, above, turn) in enumerate(zip(keys, [None, *keys], turns, strict=False))
    }
    return {"id": f"id-{title}", "title": title, "mapping": mapping, "current_node": keys[-1]}


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
    return [entry(title, more.get(title, ())) for title in DAYS]


@pytest.fixture
def show(alice_client):
    """The page of a run."""
    return lambda run, asked=None: check_page(alice_client.get(at("import_run", run), asked))


def chosen(run):
    with tenant(run.user_id):
        return set(ImportedChat.objects.filter(run_id=run.id, chosen=True).values_list("title", flat=True))


def mine_all(user):
    with tenant(user.id):
        drain(user.id, timezone.now, lambda left: None)


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
    html = show(checked_run(alice, [entry("Tides", TOOL), entry("Old boats")]))
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
    assert not any("0 fact" in words for words in cells)


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
