from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.changes.activity_queries import days
from memory.consolidation.application import consolidate
from memory.models import ActivityEvent, ConsolidationRun, Drawer, Fact
from memory.preferences import change_preferences
from tests.html import check_page
from tests.memory.consolidation.facts import add
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import actions, all_pages, undo_in
from tests.memory.palaces import MONDAY, learn


def page_of(client: Client) -> str:
    """The diary, with every run of white space as one space."""
    return " ".join(check_page(client.get(reverse("memory:diary"))).split())


@pytest.fixture
def mined(bread: list[Drawer]) -> ActivityEvent:
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
            "refused": [{"item": "likes trains", "reason": "Nobody said that."}],
        },
    )


def test_the_diary_tells_what_was_learned_and_no_word_of_what_was_forgotten(alice_client, mined, bread):
    html = page_of(alice_client)
    assert "Monday, 6 May 2024" in html
    assert "I kept 3 messages of a chat word for word and learned one thing about you." in html
    assert "Was given a starter." in html
    room = [bread[0].wing_id, bread[0].room_id]
    assert reverse("memory:room", args=room) in html
    assert "Sourdough" in html
    assert "likes trains" not in html
    assert reverse("memory:take_back", args=[mined.id]) in actions(html)

    alice_client.post(reverse("memory:delete_room", args=room))
    html = page_of(alice_client)
    assert "You had me forget 3 drawers" in html
    for words in ("starter", "Sourdough", "Ines", "Porto"):
        assert words not in html
    alice_client.post(undo_in(html, "/undo/"))
    again = page_of(alice_client)
    assert "You took 3 drawers out of the trash" in again
    assert "Was given a starter." in again


def test_the_windows_of_one_chat_are_one_entry_and_undone_separately(alice_client, mined, bread):
    later = ActivityEvent.objects.create(
        user_id=mined.user_id,
        kind=mined.kind,
        subject_id=mined.subject_id,
        at=MONDAY + timedelta(minutes=1),
        details=mined.details | {"drawers": [str(bread[2].id)], "facts": []},
    )
    ActivityEvent.objects.filter(id=mined.id).update(
        details=mined.details | {"drawers": [str(drawer.id) for drawer in bread[:2]]}
    )
    html = page_of(alice_client)
    assert html.count("of a chat word for word") == 1
    assert "I kept 3 messages of a chat word for word and learned one thing about you." in html
    assert html.count("Was given a starter.") == 1
    for event in (mined, later):
        assert reverse("memory:take_back", args=[event.id]) in actions(html)

    alice_client.post(reverse("memory:take_back", args=[later.id]))
    html = page_of(alice_client)
    assert "I kept 2 messages of a chat word for word and learned one thing about you." in html
    assert "I kept 1 message of a chat word for word." in html


def test_consolidation_is_told_and_undone_here(alice_client, bread, alice):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = consolidate(alice.id, timezone.now(), scheduled=True)
    html = page_of(alice_client)
    assert "I tidied up." in html
    assert "1 fact takes in others that say the same" in html
    undo = reverse("memory:undo_run", args=[run.id])
    assert undo in actions(html)
    alice_client.post(undo)
    after = page_of(alice_client)
    assert undo not in actions(after)
    assert "taken back" in after
    assert Fact.objects.filter(status="active").count() == 3
    assert ConsolidationRun.objects.get().state == "undone"


def test_every_kind_of_event_has_a_sentence_but_an_empty_chat_is_no_news(alice_client, as_alice):
    empty = {"drawers": [], "facts": [], "relations": [], "refused": []}
    ActivityEvent.objects.create(user_id=as_alice.id, kind=ActivityEvent.Kind.MINED, details=empty)
    assert "The diary begins" in page_of(alice_client)
    for kind in ActivityEvent.Kind.values:
        ActivityEvent.objects.all().delete()
        details = {
            "drawers": [str(as_alice.id)] if kind == "memory_mined" else 1,
            "counts": {"merged": 2},
            "conversations": 3,
            "edit": str(as_alice.id),
        }
        ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, subject_id=as_alice.id, details=details)
        html = page_of(alice_client)
        assert "The diary begins" not in html, kind
        assert any(f">{title}<" in html for title in ("Learned", "Changed", "Forgot")), kind


def test_days_are_the_owners_own_and_come_in_pages_with_few_queries(
    alice_client, as_alice, monkeypatch, django_assert_max_num_queries
):
    shorten(monkeypatch, days, 3)
    for number in range(5):
        at = MONDAY.replace(hour=23, minute=30) + timedelta(days=number)
        details = {"drawers": number + 10}
        ActivityEvent.objects.create(
            user_id=as_alice.id, kind=ActivityEvent.Kind.RESTORED, details=details, at=at
        )
    with django_assert_max_num_queries(28):
        first, second = all_pages(alice_client, reverse("memory:diary"))
    for number in range(5):
        words = f"took {number + 10} drawers"
        assert (words in first) != (words in second)
    assert "Friday, 10 May 2024" in first
    change_preferences(as_alice.id, {"time_zone": "Asia/Tokyo"}, MONDAY - timedelta(days=40))
    assert "Saturday, 11 May 2024" in page_of(alice_client)
