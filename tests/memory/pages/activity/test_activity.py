"""The pages of activity and of consolidation: what happened, what waits for a decision, and their undo."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tokens import issue_token, revoke_everything, revoke_token, tokens_of
from chat.mining.run import reextract_for_user
from chat.models import Conversation
from llm import current
from llm.current import LOCAL_MODELS
from memory.changes import activity_queries
from memory.changes.activity_queries import events
from memory.consolidation.application import consolidate
from memory.models import ActivityEvent, ChangeSet, ConsolidationRun, Drawer, Fact, MinedWindow, Usage
from memory.preferences import change_preferences
from tests.drills.ledger import LONG, Clock, converse, mine, remember
from tests.fake_gateway import FakeChat
from tests.html import check_page
from tests.memory.consolidation.facts import add
from tests.memory.mining.answers import answer, placed, stated
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import actions, all_pages, page, post, submit, undo_in, undo_of, value_of
from tests.memory.palaces import MONDAY, learn
from transfer.models import ImportedChat, ImportRun

ACTIVITY = "/memory/activity/"


def page_of(client, name="activity", **query):
    """A list of the activity, with every run of white space as one space."""
    return " ".join(page(client, name, **query).split())


def event(user, kind, **given):
    return ActivityEvent.objects.create(user_id=user.id, kind=kind, **{"at": MONDAY} | given)


@pytest.fixture
def mined(bread, as_alice):
    fact = learn(bread[1], "gave it to me", "Was given a starter.")
    details = {
        "drawers": [str(drawer.id) for drawer in bread],
        "facts": [str(fact.id)],
        "relations": [],
        "refused": [{"item": "user likes trains", "reason": "Nobody said that."}],
        "for_review": 1,
        "notes": ["No model was asked."],
    }
    return event(as_alice, "memory_mined", subject_id=bread[0].source_id, details=details)


def test_a_mined_chat_shows_saved_and_refused_items_and_can_be_undone(alice_client, mined, bread):
    html = page_of(alice_client)
    for words in (
        *("Monday, 6 May 2024", "3 drawers, 1 fact, 0 relations", "Was given a starter.", "Sourdough"),
        *("user likes trains", "Nobody said that.", "No model was asked."),
        reverse("chat:conversation", args=[mined.subject_id]),
        reverse("memory:room", args=[bread[0].wing_id, bread[0].room_id]),
        undo_of(mined),
    ):
        assert words in html
    undone = submit(alice_client, undo_of(mined), back=ACTIVITY)
    assert "Moved to the trash for 30 days." in undone
    assert not Drawer.objects.live().filter(user_id=mined.user_id).exists()
    html = page_of(alice_client)
    assert [each for each in (undo_of(mined), "starter", "Sourdough", "trains") if each in html] == []
    alice_client.post(undo_in(undone, "/undo/"))
    assert Drawer.objects.live().filter(user_id=mined.user_id).count() == 3
    assert undo_of(mined) in page_of(alice_client)
    away = alice_client.post(undo_of(mined), {"back": "https://example.org/"})
    assert away["Location"].startswith("/memory/trash/")


def test_windows_of_one_chat_are_grouped_and_undone_separately(alice_client, as_alice, mined, bread):
    details = mined.details | {"drawers": [str(bread[2].id)], "facts": []}
    at = MONDAY + timedelta(minutes=1)
    later = event(as_alice, mined.kind, subject_id=mined.subject_id, at=at, details=details)
    first_two = mined.details | {"drawers": [str(drawer.id) for drawer in bread[:2]]}
    ActivityEvent.objects.filter(id=mined.id).update(details=first_two)
    html = page_of(alice_client)
    assert html.count("Sourdough") == 1
    assert html.index("1 drawer, 0 facts") < html.index("2 drawers, 1 fact")
    assert {undo_of(mined), undo_of(later)} <= set(actions(html))
    alice_client.post(undo_of(later))
    html = page_of(alice_client)
    assert (undo_of(later) in html, undo_of(mined) in html) == (False, True)


def test_every_kind_of_event_is_shown_except_empty_chats(alice_client, as_alice):
    empty = {"drawers": [], "facts": [], "relations": [], "refused": []}
    event(as_alice, "memory_mined", details=empty)
    assert "Nothing yet." in page_of(alice_client)
    for kind in ActivityEvent.Kind:
        details = {
            "drawers": [str(as_alice.id)] if kind == "memory_mined" else 1,
            "counts": {"merged": 2},
            "conversations": 3,
            "edit": str(as_alice.id),
            "changed": ["top_k"],
        }
        event(as_alice, kind, subject_id=as_alice.id, details=details)
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
        event(as_alice, "restored", details={"drawers": number + 10}, at=at)
    with django_assert_max_num_queries(70):
        first, second = all_pages(alice_client, ACTIVITY)
    for number in range(5):
        words = f"{number + 10} drawers"
        assert (words in first) != (words in second)
    assert "Friday, 10 May 2024" in first
    change_preferences(as_alice.id, {"time_zone": "Asia/Tokyo"}, MONDAY - timedelta(days=40))
    assert "Saturday, 11 May 2024" in page_of(alice_client)


def test_events_filtered_by_kind_are_paginated(as_alice):
    for kind in ("imported", "restored", "imported", "restored"):
        event(as_alice, kind)
    first = activity_queries.events(as_alice.id, kinds=("imported",), limit=1)
    rest = activity_queries.events(as_alice.id, first.after, kinds=("imported",))
    assert [event.kind for event in (*first.items, *rest.items)] == ["imported", "imported"]


def import_chat(user, run, **given):
    chat = Conversation.objects.create(user_id=user.id, source="import", last_sequence=3, **given)
    ImportedChat.objects.create(
        user_id=user.id, run_id=run.id, external_id=chat.id, conversation_id=chat.id, outcome="conversations"
    )
    return chat


def test_chats_of_an_import_are_grouped_under_its_name(alice_client, as_alice, mined, monkeypatch):
    run = ImportRun.objects.create(user_id=as_alice.id, state="done", format="ChatGPT")
    import_chat(as_alice, run, id=mined.subject_id, title="<b>Bread</b>")
    event(as_alice, "imported", subject_id=run.id, details={"conversations": 1, "messages": 3})
    html = page_of(alice_client)
    saved = "1 chat saved to memory, 1 fact found"
    for words in ("Import from ChatGPT", saved, "3 messages", "&lt;b&gt;Bread&lt;/b&gt;", undo_of(mined)):
        assert words in html
    assert reverse("chat:import_run", args=[run.id]) in html
    assert html.index("Import from ChatGPT") < html.index("Bread")
    assert "Bread" not in page_of(alice_client, show="imports").split("</aside>")[0]
    assert "Not kept" in page_of(alice_client, show="refused").split("</aside>")[0]

    ActivityEvent.objects.filter(kind="imported").delete()
    event(as_alice, "memory_mined", subject_id=import_chat(as_alice, run).id, details=mined.details)
    html = page_of(alice_client)
    assert ("On this page" in html, "2 chats saved to memory" in html) == (False, True)
    shorten(monkeypatch, events, 1)
    for part in all_pages(alice_client, ACTIVITY):
        assert f"On this page: {saved}" in " ".join(part.split())


def test_facts_in_review_are_decided_on_the_page_and_decisions_titled_by_their_outcome(alice_client, bread):
    fact = learn(bread[0], "my rye starter", "The user has a rye starter.", review_reason="Unsure.")
    html = page_of(alice_client)
    assert [w for w in ("Waiting for you · 1", "Unsure.", "my rye starter") if w not in html] == []
    html = submit(alice_client, reverse("memory:approve", args=[fact.id]), back=ACTIVITY)
    assert ("Approved." in html, "Waiting for you" in html) == (True, False)
    assert Fact.objects.get(id=fact.id).status == "active"
    fact = learn(bread[2], "too hot", "Has an oven that is too hot.", review_reason="Unsure.")
    post(alice_client, "reject", fact.id)
    html = page_of(alice_client, "changes")
    assert "<strong>Rejected</strong>" in html
    assert html.count("Has an oven that is too hot.") == 1
    ids = list(Fact.objects.values_list("id", flat=True))
    post(alice_client, "decide", action="delete", fact=ids)
    html = page_of(alice_client, "changes")
    assert [words in html for words in ("<strong>Deleted</strong>", "3 facts", "You decided")] == [1, 1, 0]


def test_calls_to_models_on_this_server_are_not_counted(alice_client, as_alice):
    for model in (LOCAL_MODELS[0].name, "gpt-5"):
        Usage.objects.create(user_id=as_alice.id, source="memory_embed", model=model, calls=7)
    assert "7 calls to model endpoints" in page_of(alice_client), "those on this server do not count"


def test_token_events_show_the_name_of_the_token(as_alice, alice_client):
    issue_token(as_alice.id, "<Laptop>", MONDAY, ("read", "write"))
    html = page_of(alice_client)
    assert "Token</strong>" in html
    assert "created: <bdi>&lt;Laptop&gt;</bdi> (read, write)" in html
    revoke_token(tokens_of(as_alice.id).get(), MONDAY)
    assert "revoked: <bdi>&lt;Laptop&gt;</bdi>" in page_of(alice_client)
    issue_token(as_alice.id, "Phone", MONDAY)
    revoke_everything(as_alice.id, MONDAY)
    assert "all revoked, and all apps disconnected" in page_of(alice_client)
    assert "Token</strong>" not in page_of(alice_client, "changes")


def test_windows_mined_by_the_reader_can_be_reextracted_once_there_is_a_model(
    alice_client, bob_client, as_alice
):
    reextract = reverse("memory:reextract")
    for words in ("I live in Zürich.", "I am allergic to nuts."):
        converse(as_alice.id, words)
    mine(as_alice.id)
    html = page(alice_client, "activity")
    assert "The built-in reader read 2 parts of your chats" in html
    assert ("Set up a model" in html, reextract in html) == (True, False)
    assert "The built-in reader read" not in page(bob_client, "activity")
    bob_client.post(reextract)
    assert MinedWindow.objects.exclude(requested_at=None).count() == 0
    with current.using(chat=FakeChat()):
        assert reextract in page(alice_client, "activity")
        html = submit(alice_client, reextract)
    assert "A model will read 2 parts of your chats again" in html
    assert "2 parts of your chats are waiting to be read again" in html
    assert reextract not in html
    assert MinedWindow.objects.filter(requested_at=None).count() == 0


def test_the_result_of_a_reextraction_is_shown_and_can_be_undone(alice_client, as_alice):
    remember(as_alice.id, "I live in Zürich.")
    post(alice_client, "reextract")
    better = stated(statement="The user lives in the old town of Zürich.")
    with current.using(chat=FakeChat([answer(turns=[placed()], facts=[better])])):
        reextract_for_user(as_alice.id, Clock(), LONG)
    html = page(alice_client, "activity")
    url = undo_of(ActivityEvent.objects.get(kind="reextracted"))
    for words in ("<strong>Read again</strong>", "1 new fact", "You live in the old town of Zürich.", url):
        assert words in html
    for outcome in ("Undone.", "That was already undone."):
        html = check_page(alice_client.post(url, follow=True))
        assert outcome in html
        assert url not in html
        assert Fact.objects.get(statement="The user lives in Zürich.").status == "active"


@pytest.fixture
def repeated(bread):
    add(bread[0], "Likes <tea>.")
    add(bread[1], "likes the <tea>")
    return bread


def plan_page(client):
    return submit(client, reverse("memory:preview"))


def active():
    return Fact.objects.filter(status="active").count()


def test_a_plan_is_shown_applied_once_and_undone(alice_client, bob_client, repeated):
    assert "Preview consolidation" in page(alice_client, "consolidation")
    html = plan_page(alice_client)
    for words in ("1 fact merged with its duplicates", "Likes &lt;tea&gt;.", "likes the &lt;tea&gt;"):
        assert words in html
    assert active() == 3

    run = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[run.id])
    shown = {"digest": value_of(html, "digest")}
    assert bob_client.post(url, shown).status_code == 404
    done = submit(alice_client, url, **shown)
    assert active() == 2
    assert alice_client.post(url, shown).url == reverse("memory:consolidation_run", args=[run.id])
    assert alice_client.post(url, {"digest": "0" * 64}).status_code == 404
    assert active() == 2

    assert {undo_of(run), undo_of(ChangeSet.objects.get(area="consolidation"))} <= set(actions(done))
    for name in ("activity", "changes", "consolidation"):
        html = page(alice_client, name)
        assert "1 fact merged with its duplicates" in html
        assert undo_of(run) in actions(html)
    back = submit(alice_client, undo_of(run))
    assert active() == 3
    assert undo_of(run) not in actions(back)
    assert "undone" in back
    assert ">undone<" in page(alice_client, "activity")
    assert alice_client.post(url, shown).status_code == 404
    assert (active(), ConsolidationRun.objects.get().state) == (3, "undone")


def test_an_outdated_plan_is_made_again_and_can_be_discarded(alice_client, repeated):
    html = plan_page(alice_client)
    add(repeated[2], "Likes milk.")
    old = ConsolidationRun.objects.get()
    url = reverse("memory:apply_plan", args=[old.id])
    again = submit(alice_client, url, digest=value_of(html, "digest"))
    assert "Facts have changed since, so nothing was applied." in again
    assert active() == 4
    assert ConsolidationRun.objects.get().id != old.id
    assert "The plan was discarded." in submit(alice_client, reverse("memory:drop_plan"))
    Fact.objects.filter(statement__istartswith="likes").delete()
    assert "There is nothing to consolidate" in plan_page(alice_client)
    assert not ConsolidationRun.objects.exists()


def test_deleted_words_are_not_shown_by_an_old_run(alice_client, repeated, alice):
    run = consolidate(alice.id, timezone.now())
    assert "tea" in page(alice_client, "consolidation_run", run.id)
    for drawer in repeated[:2]:
        post(alice_client, "delete_drawer", drawer.id)
    assert "tea" not in page(alice_client, "consolidation_run", run.id)


def test_an_archived_fact_is_labelled_and_can_be_used_again(alice_client, bread, alice):
    add(bread[0], "Liked ships.")
    run = consolidate(alice.id, timezone.now() + timedelta(days=3000))
    assert run.counts["archived"] >= 1
    made = Fact.objects.get(statement="Liked ships.")
    url = reverse("memory:use_again", args=[made.id])
    assert "archived" in page(alice_client, "facts")
    assert url in actions(page(alice_client, "fact", made.id))
    assert url not in actions(submit(alice_client, url))
    made.refresh_from_db()
    assert made.archived_at is None
    assert alice_client.post(url).status_code == 404
