from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.changes.activity_queries import days
from memory.consolidation.application import consolidate
from memory.models import ActivityEvent, ConsolidationRun, Drawer, Fact
from memory.preferences import change_preferences
from tests.html import check_page, parse
from tests.memory.consolidation.facts import add
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, learn


def page_of(client: Client, query: str = "") -> str:
    return check_page(client.get(reverse("memory:diary") + query))


def actions(html: str) -> list[str]:
    return [e.attributes["action"] for e in parse(html).elements if "action" in e.attributes]


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


def test_it_tells_what_was_learned_with_the_way_there_and_back(
    alice_client: Client, mined: ActivityEvent, bread: list[Drawer]
):
    html = page_of(alice_client)

    assert "Monday, 6 May 2024" in html
    assert "I kept 3 messages of a chat word for word and learned one thing about you." in " ".join(
        html.split()
    )
    assert "Was given a starter." in html
    assert reverse("memory:room", args=[bread[0].wing_id, bread[0].room_id]) in html
    assert "Sourdough" in html
    assert "likes trains" not in html
    assert reverse("memory:take_back", args=[mined.id]) in actions(html)


def test_no_word_of_what_was_forgotten_is_left(
    alice_client: Client, mined: ActivityEvent, bread: list[Drawer]
):
    alice_client.post(reverse("memory:delete_room", args=[bread[0].wing_id, bread[0].room_id]))
    html = page_of(alice_client)

    assert "You had me forget 3 drawers" in html
    for words in ("starter", "Sourdough", "Ines", "Porto"):
        assert words not in html
    (undo,) = [action for action in actions(html) if "/undo/" in action]
    alice_client.post(undo)
    again = page_of(alice_client)
    assert "You took 3 drawers out of the trash" in again
    assert "Was given a starter." in again


def test_tidying_up_is_told_and_taken_back_here(alice_client: Client, bread: list[Drawer], alice: User):
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


def test_a_day_is_the_owners_own(alice_client: Client, alice: User, bread: list[Drawer]):
    ActivityEvent.objects.create(
        user_id=alice.id,
        kind=ActivityEvent.Kind.RESTORED,
        details={"drawers": 1},
        at=MONDAY.replace(hour=23, minute=30),
    )
    assert "Monday, 6 May 2024" in page_of(alice_client)
    change_preferences(alice.id, {"time_zone": "Asia/Tokyo"}, MONDAY - timedelta(days=40))
    assert "Tuesday, 7 May 2024" in page_of(alice_client)


@pytest.mark.parametrize("kind", ActivityEvent.Kind.values)
def test_every_kind_of_event_has_a_sentence(alice_client: Client, as_alice: User, kind: str):
    drawers = [str(as_alice.id)] if kind == "memory_mined" else 1
    details = {
        "drawers": drawers,
        "counts": {"merged": 2},
        "conversations": 3,
        "edit": str(as_alice.id),
    }
    ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, subject_id=as_alice.id, details=details)
    html = page_of(alice_client)
    assert "The diary begins" not in html
    assert any(f">{title}<" in html for title in ("Learned", "Changed", "Forgot"))


def test_a_chat_without_anything_to_keep_is_no_news(alice_client: Client, as_alice: User):
    ActivityEvent.objects.create(
        user_id=as_alice.id,
        kind=ActivityEvent.Kind.MINED,
        details={"drawers": [], "facts": [], "relations": [], "refused": []},
    )
    assert "The diary begins" in page_of(alice_client)


def test_nobody_reads_anothers_diary(bob_client: Client, mined: ActivityEvent):
    assert "The diary begins" in page_of(bob_client)


def test_a_long_diary_comes_in_pages_with_few_queries(
    alice_client: Client,
    as_alice: User,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    shorten(monkeypatch, days, 3)
    for number in range(5):
        ActivityEvent.objects.create(
            user_id=as_alice.id,
            kind=ActivityEvent.Kind.RESTORED,
            details={"drawers": number + 10},
            at=MONDAY + timedelta(days=number),
        )
    with django_assert_max_num_queries(14):
        first = page_of(alice_client)
    (more,) = [e for e in parse(first).elements if e.attributes.get("rel") == "next"]
    second = page_of(alice_client, more.attributes["href"])
    assert all(
        (f"took {number + 10} drawers" in first) != (f"took {number + 10} drawers" in second)
        for number in range(5)
    )


def test_the_windows_of_one_chat_are_told_once_and_taken_back_apart(
    alice_client: Client, mined: ActivityEvent, bread: list[Drawer]
):
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
    told = " ".join(html.split())
    assert told.count("of a chat word for word") == 1
    assert "I kept 3 messages of a chat word for word and learned one thing about you." in told
    assert told.count("Was given a starter.") == 1
    for event in (mined, later):
        assert reverse("memory:take_back", args=[event.id]) in actions(html)

    alice_client.post(reverse("memory:take_back", args=[later.id]))
    told = " ".join(page_of(alice_client).split())
    assert "I kept 2 messages of a chat word for word and learned one thing about you." in told
    assert "I kept 1 message of a chat word for word." in told
