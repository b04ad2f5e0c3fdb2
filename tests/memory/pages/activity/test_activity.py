from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.tenancy import tenant
from memory.changes import activity_queries
from memory.models import ActivityEvent, Drawer, Usage
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, learn


def page_of(client: Client) -> str:
    return check_page(client.get(reverse("memory:activity")))


@pytest.fixture
def mined(bread: list[Drawer]) -> ActivityEvent:
    fact = learn(bread[1], "gave it to me", "Was given a starter.")
    return ActivityEvent.objects.create(
        user_id=bread[0].user_id,
        kind=ActivityEvent.Kind.MINED,
        subject_id=bread[0].source_id,
        details={
            "drawers": [str(drawer.id) for drawer in bread],
            "facts": [str(fact.id)],
            "relations": [],
            "refused": [{"item": "user likes trains", "reason": "Nobody said that."}],
            "for_review": 1,
            "notes": ["No model was asked."],
        },
    )


def test_a_mined_chat_says_what_was_kept_and_refused(alice_client: Client, mined: ActivityEvent):
    html = page_of(alice_client)

    assert "Chat remembered" in html
    assert "3 drawers, 1 fact, 0 relations" in html
    assert "Was given a starter." in html
    assert "user likes trains" in html
    assert "Nobody said that." in html
    assert "No model was asked." in html
    assert reverse("chat:conversation", args=[mined.subject_id]) in html


def test_a_mined_chat_can_be_taken_back_and_restored(alice_client: Client, mined: ActivityEvent):
    url = reverse("memory:take_back", args=[mined.id])
    assert url in page_of(alice_client)

    response = alice_client.post(url, follow=True)
    assert not Drawer.objects.live().filter(user_id=mined.user_id).exists()
    (undo,) = {
        e.attributes["action"]
        for e in parse(check_page(response)).elements
        if "/undo/" in e.attributes.get("action", "")
    }
    assert url not in page_of(alice_client)

    alice_client.post(undo)
    assert Drawer.objects.live().filter(user_id=mined.user_id).count() == 3
    assert url in page_of(alice_client)


def test_a_deletion_can_be_undone_here_until_it_is(alice_client: Client, bread: list[Drawer]):
    alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]))
    bread[0].refresh_from_db()
    undo = reverse("memory:undo", args=[bread[0].deletion_id])

    assert undo in page_of(alice_client)
    alice_client.post(undo)
    html = page_of(alice_client)
    assert undo not in html
    assert "Restored from the trash" in html


@pytest.mark.parametrize(
    ("kind", "details"),
    [
        ("imported", {"conversations": 3, "messages": 40, "duplicates": 1, "refused": 0}),
        ("demo", {"conversations": 14, "messages": 120}),
        ("settings_changed", {"changed": ["top_k"]}),
        ("mining_failed", {"error": "ModelTimeout"}),
        ("reembedded", {}),
        ("restored", {"deletion": "01890000-0000-7000-8000-000000000000", "drawers": 2}),
        ("memory_mined", {}),
    ],
)
def test_every_kind_of_event_is_told(
    alice_client: Client, as_alice: User, kind: str, details: dict[str, object]
):
    ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details, subject_id=as_alice.id)

    assert str(ActivityEvent.Kind(kind).label) in page_of(alice_client)


def test_use_of_models_is_summed_for_this_month(alice_client: Client, as_alice: User, bob: User):
    now = timezone.now()
    for at, cost in ((now, "0.5"), (now, "0.25"), (now - timedelta(days=40), "9")):
        Usage.objects.create(
            user_id=as_alice.id,
            source="memory_extract",
            model="m",
            input_tokens=1000,
            output_tokens=100,
            cost_usd=Decimal(cost),
            at=at,
        )
    with tenant(bob.id):
        Usage.objects.create(user_id=bob.id, source="chat", model="m", input_tokens=7)

    html = page_of(alice_client)

    assert "Extraction: 2 calls, 2,200 tokens, 0.75 USD" in html
    assert "Chat:" not in html


def test_nobody_reads_anothers_events(bob_client: Client, mined: ActivityEvent):
    assert "Nothing has happened yet" in page_of(bob_client)


def test_many_events_come_in_pages_with_few_queries(
    alice_client: Client,
    as_alice: User,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    shorten(monkeypatch, activity_queries.events, 5)
    for number in range(8):
        ActivityEvent.objects.create(
            user_id=as_alice.id,
            kind=ActivityEvent.Kind.SETTINGS,
            details={"changed": [f"setting{number}"]},
            at=MONDAY,
        )
    with django_assert_max_num_queries(12):
        first = page_of(alice_client)
    (more,) = [e for e in parse(first).elements if e.attributes.get("rel") == "next"]
    second = check_page(alice_client.get(reverse("memory:activity") + more.attributes["href"]))

    assert all((f"setting{number}" in first) != (f"setting{number}" in second) for number in range(8))
