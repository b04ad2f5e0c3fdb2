from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tokens import issue_token, revoke_everything, revoke_token, tokens_of
from chat.mining.reextraction import reextract_for_user
from chat.models import Conversation
from llm import current
from llm.current import LOCAL_MODELS
from memory.changes import activity_queries
from memory.changes.activity_queries import events
from memory.consolidation.application import consolidate
from memory.models import ActivityEvent, ConsolidationRun, Drawer, Fact, MinedWindow, Usage
from memory.preferences import change_preferences
from tests.drills.ledger import LONG, Clock, converse, mine, remember
from tests.fake_gateway import FakeChat
from tests.html import check_page
from tests.memory.consolidation.facts import add
from tests.memory.mining.answers import answer, placed, stated
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import actions, all_pages, page, undo_in
from tests.memory.palaces import MONDAY, learn
from transfer.models import ImportedChat, ImportRun


def page_of(client, name="activity", **query):
    """A list of the activity, with every run of white space as one space."""
    return " ".join(page(client, name, **query).split())


def undo_of(event):
    return reverse("memory:undo", args=[event.id])


@pytest.fixture
def mined(bread):
    fact = learn(bread[1], "gave it to me", "Was given a starter.")
    return ActivityEvent.objects.create(
        user_id=bread[0].user_id,
        kind=ActivityEvent.Kind.MINED,
        subject_id=bread[0].source_id,
        at=MONDAY,
        details={
            "drawers": [str(drawer.id) for drawer in bread],
            "facts": [str(fact.id)],
            "relations": [],
            "refused": [{"item": "user likes trains", "reason": "Nobody said that."}],
            "for_review": 1,
            "notes": ["No model was asked."],
        },
    )


def test_a_mined_chat_shows_saved_and_refused_items_and_can_be_undone(alice_client, mined, bread):
    html = page_of(alice_client)
    assert "Monday, 6 May 2024" in html
    assert "3 drawers, 1 fact, 0 relations" in html
    for words in ("Was given a starter.", "user likes trains", "Nobody said that.", "No model was asked."):
        assert words in html
    assert reverse("chat:conversation", args=[mined.subject_id]) in html
    assert reverse("memory:room", args=[bread[0].wing_id, bread[0].room_id]) in html
    assert "Sourdough" in html

    assert undo_of(mined) in html
    here = {"back": reverse("memory:activity")}
    undone = check_page(alice_client.post(undo_of(mined), here, follow=True))
    assert "Moved to the trash for 30 days." in undone
    assert not Drawer.objects.live().filter(user_id=mined.user_id).exists()
    html = page_of(alice_client)
    for words in (undo_of(mined), "starter", "Sourdough", "trains"):
        assert words not in html
    alice_client.post(undo_in(undone, "/undo/"))
    assert Drawer.objects.live().filter(user_id=mined.user_id).count() == 3
    assert undo_of(mined) in page_of(alice_client)


def test_undo_redirects_only_within_the_site(alice_client, mined):
    answer = alice_client.post(undo_of(mined), {"back": "https://example.org/"})
    assert answer["Location"].startswith("/memory/trash/")


def test_windows_of_one_chat_are_grouped_and_undone_separately(alice_client, mined, bread):
    later = ActivityEvent.objects.create(
        user_id=mined.user_id,
        kind=mined.kind,
        subject_id=mined.subject_id,
        at=MONDAY + timedelta(minutes=1),
        details=mined.details | {"drawers": [str(bread[2].id)], "facts": []},
    )
    first_two = mined.details | {"drawers": [str(drawer.id) for drawer in bread[:2]]}
    ActivityEvent.objects.filter(id=mined.id).update(details=first_two)
    html = page_of(alice_client)
    assert html.count("Sourdough") == 1
    assert html.index("1 drawer, 0 facts") < html.index("2 drawers, 1 fact")
    assert {undo_of(mined), undo_of(later)} <= set(actions(html))

    alice_client.post(undo_of(later))
    html = page_of(alice_client)
    assert undo_of(later) not in html
    assert undo_of(mined) in html


def test_changes_and_consolidation_have_their_own_lists(alice_client, bread, alice, mined):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = consolidate(alice.id, timezone.now(), scheduled=True)
    undo = reverse("memory:undo", args=[run.id])
    for name in ("activity", "changes", "consolidation"):
        html = page_of(alice_client, name)
        assert "1 fact merged with its duplicates" in html
        assert undo in actions(html)
        assert ("<strong>Saved</strong>" in html) == (name == "activity")
    alice_client.post(undo)
    after = page_of(alice_client)
    assert undo not in actions(after)
    assert ">undone<" in after
    assert Fact.objects.filter(status="active").count() == 4
    assert ConsolidationRun.objects.get().state == "undone"


def test_every_kind_of_event_is_shown_except_empty_chats(alice_client, as_alice):
    empty = {"drawers": [], "facts": [], "relations": [], "refused": []}
    ActivityEvent.objects.create(user_id=as_alice.id, kind=ActivityEvent.Kind.MINED, details=empty)
    assert "Nothing yet." in page_of(alice_client)
    for kind in ActivityEvent.Kind:
        details = {
            "drawers": [str(as_alice.id)] if kind == "memory_mined" else 1,
            "counts": {"merged": 2},
            "conversations": 3,
            "edit": str(as_alice.id),
            "changed": ["top_k"],
        }
        ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, subject_id=as_alice.id, details=details)
    html = page_of(alice_client)
    labels = {str(kind.label) for kind in ActivityEvent.Kind if kind not in activity_queries.CHAT_KINDS}
    labels -= {"Memory tidied up", "You decided about facts"}
    labels |= {"Consolidation", "Moved to review", "Saved", "Read again", "Not saved"}
    assert [label for label in labels if f"<strong>{label}</strong>" not in html] == []
    assert "Drawers per reply" in html


def test_days_follow_the_users_time_zone_and_are_paginated_with_few_queries(
    alice_client, as_alice, monkeypatch, django_assert_max_num_queries
):
    shorten(monkeypatch, events, 3)
    for number in range(5):
        at = MONDAY.replace(hour=23, minute=30) + timedelta(days=number)
        details = {"drawers": number + 10}
        ActivityEvent.objects.create(
            user_id=as_alice.id, kind=ActivityEvent.Kind.RESTORED, details=details, at=at
        )
    with django_assert_max_num_queries(70):
        first, second = all_pages(alice_client, reverse("memory:activity"))
    for number in range(5):
        words = f"{number + 10} drawers"
        assert (words in first) != (words in second)
    assert "Friday, 10 May 2024" in first
    change_preferences(as_alice.id, {"time_zone": "Asia/Tokyo"}, MONDAY - timedelta(days=40))
    assert "Saturday, 11 May 2024" in page_of(alice_client)


def test_events_filtered_by_kind_are_paginated(as_alice):
    for kind in ("imported", "restored", "imported", "restored"):
        ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, at=MONDAY)
    first = activity_queries.events(as_alice.id, kinds=("imported",), limit=1)
    rest = activity_queries.events(as_alice.id, first.after, kinds=("imported",))
    assert [event.kind for event in (*first.items, *rest.items)] == ["imported", "imported"]


def test_chats_of_an_import_are_grouped_under_its_name(alice_client, as_alice, mined):
    run = ImportRun.objects.create(user_id=as_alice.id, state="done", format="ChatGPT")
    chat = Conversation.objects.create(
        user_id=as_alice.id, id=mined.subject_id, title="<b>Bread</b>", source="import", last_sequence=3
    )
    assert "&lt;b&gt;Bread&lt;/b&gt;" in page_of(alice_client)
    ImportedChat.objects.create(
        user_id=as_alice.id, run_id=run.id, external_id="1", conversation_id=chat.id, outcome="conversations"
    )
    counts = {"conversations": 1, "messages": 3}
    ActivityEvent.objects.create(
        user_id=as_alice.id, kind="imported", subject_id=run.id, details=counts, at=MONDAY
    )
    html = page_of(alice_client)
    for words in (
        "Import from ChatGPT",
        "1 chat saved to memory, 1 fact found",
        "3 messages",
        undo_of(mined),
    ):
        assert words in html
    assert reverse("chat:import_run", args=[run.id]) in html
    assert html.index("Import from ChatGPT") < html.index("Bread")
    assert "Bread" not in page_of(alice_client, show="imports").split("</aside>")[0]
    assert "Not kept" in page_of(alice_client, show="refused").split("</aside>")[0]


def test_an_import_that_continues_on_the_next_page_claims_only_what_is_listed(
    alice_client, as_alice, mined, monkeypatch
):
    run = ImportRun.objects.create(user_id=as_alice.id, state="done", format="ChatGPT")
    for number in "12":
        chat = Conversation.objects.create(user_id=as_alice.id, source="import", last_sequence=3)
        ImportedChat.objects.create(
            user_id=as_alice.id,
            run_id=run.id,
            external_id=number,
            conversation_id=chat.id,
            outcome="conversations",
        )
        ActivityEvent.objects.create(
            user_id=as_alice.id, kind="memory_mined", subject_id=chat.id, at=MONDAY, details=mined.details
        )
    mined.delete()
    assert "On this page" not in page_of(alice_client)
    assert "2 chats saved to memory" in page_of(alice_client)
    shorten(monkeypatch, events, 1)
    for part in all_pages(alice_client, reverse("memory:activity")):
        assert "On this page: 1 chat saved to memory, 1 fact found" in " ".join(part.split())


def test_a_decision_is_titled_by_what_was_decided_about_which_fact(alice_client, bread):
    fact = learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")
    alice_client.post(reverse("memory:reject", args=[fact.id]))
    html = page_of(alice_client, "changes")
    assert "<strong>Rejected</strong>" in html
    assert html.count("Has an oven that is too hot.") == 1
    ids = list(Fact.objects.values_list("id", flat=True))
    alice_client.post(reverse("memory:decide"), {"action": "delete", "fact": ids})
    html = page_of(alice_client, "changes")
    assert "<strong>Deleted</strong>" in html
    assert "2 facts" in html
    assert "You decided" not in html


def test_calls_of_the_models_on_this_server_are_not_counted_as_calls_to_endpoints(alice_client, as_alice):
    for model in (LOCAL_MODELS[0].name, "gpt-5"):
        Usage.objects.create(user_id=as_alice.id, source="memory_embed", model=model, calls=7)
    assert "7 calls to model endpoints" in page_of(alice_client)


def test_facts_in_review_can_be_decided_on_the_activity_page(alice_client, bread, alice):
    fact = learn(bread[0], "my rye starter", "The user has a rye starter.", review_reason="Unsure.")
    html = page_of(alice_client)
    for words in ("Waiting for you · 1", "Unsure.", "my rye starter"):
        assert words in html
    here = reverse("memory:activity")
    response = alice_client.post(reverse("memory:approve", args=[fact.id]), {"back": here}, follow=True)
    assert response.redirect_chain == [(here, 302)]
    assert "Approved." in check_page(response)
    fact.refresh_from_db()
    assert fact.status == "active"
    assert "Waiting for you" not in page_of(alice_client)


def test_token_events_show_the_name_of_the_token(as_alice, alice_client):
    issue_token(as_alice.id, "<Laptop>", MONDAY, ("read", "write"))
    assert "Token</strong>" in page_of(alice_client)
    assert "created: <bdi>&lt;Laptop&gt;</bdi> (read, write)" in page_of(alice_client)
    revoke_token(tokens_of(as_alice.id).get(), MONDAY)
    assert "revoked: <bdi>&lt;Laptop&gt;</bdi>" in page_of(alice_client)
    issue_token(as_alice.id, "Phone", MONDAY)
    revoke_everything(as_alice.id, MONDAY)
    assert "all revoked, and all apps disconnected" in page_of(alice_client)
    assert "Token</strong>" not in page_of(alice_client, "changes")


BETTER = stated(statement="The user lives in the old town of Zürich.")


@pytest.fixture
def windows(as_alice):
    """Two windows that the built-in reader has mined."""
    for words in ("I live in Zürich.", "I am allergic to nuts."):
        converse(as_alice.id, words)
    mine(as_alice.id)


def test_windows_mined_by_the_reader_can_be_reextracted_once_there_is_a_model(
    alice_client, bob_client, windows
):
    html = page(alice_client, "activity")
    assert "The built-in reader read 2 parts of your chats" in html
    assert "Set up a model" in html
    assert reverse("memory:reextract") not in html
    assert "The built-in reader read" not in page(bob_client, "activity")
    bob_client.post(reverse("memory:reextract"))
    assert MinedWindow.objects.exclude(requested_at=None).count() == 0

    with current.using(chat=FakeChat()):
        assert reverse("memory:reextract") in page(alice_client, "activity")
        html = check_page(alice_client.post(reverse("memory:reextract"), follow=True))
    assert "A model will read 2 parts of your chats again" in html
    assert "2 parts of your chats are waiting to be read again" in html
    assert reverse("memory:reextract") not in html
    assert MinedWindow.objects.filter(requested_at=None).count() == 0


def test_the_result_of_a_reextraction_is_shown_and_can_be_undone(alice_client, as_alice):
    remember(as_alice.id, "I live in Zürich.")
    alice_client.post(reverse("memory:reextract"))
    model = FakeChat([answer(turns=[placed()], facts=[BETTER])])
    with current.using(chat=model):
        reextract_for_user(as_alice.id, Clock(), LONG)
    html = page(alice_client, "activity")
    assert "<strong>Read again</strong>" in html
    assert "1 new fact" in html
    assert "You live in the old town of Zürich." in html
    event = ActivityEvent.objects.get(kind="reextracted")
    url = reverse("memory:undo", args=[event.id])
    assert url in html
    html = check_page(alice_client.post(url, follow=True))
    assert "Undone." in html
    assert url not in html
    assert Fact.objects.get(statement="The user lives in Zürich.").status == "active"
    assert "That was already undone." in check_page(alice_client.post(url, follow=True))
    assert Fact.objects.get(statement="The user lives in Zürich.").status == "active"
