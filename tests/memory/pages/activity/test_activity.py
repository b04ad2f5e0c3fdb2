import pytest
from django.test import Client
from django.urls import reverse

from memory.changes import activity_queries
from memory.models import ActivityEvent, Drawer
from tests.html import check_page
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import all_pages, undo_in
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


def test_a_mined_chat_shows_what_was_kept_and_refused_and_can_be_undone(alice_client, mined):
    html = page_of(alice_client)
    assert "Chat saved to memory" in html
    assert "3 drawers, 1 fact, 0 relations" in html
    for words in ("Was given a starter.", "user likes trains", "Nobody said that.", "No model was asked."):
        assert words in html
    assert reverse("chat:conversation", args=[mined.subject_id]) in html

    url = reverse("memory:take_back", args=[mined.id])
    assert url in html
    undo = undo_in(check_page(alice_client.post(url, follow=True)), "/undo/")
    assert not Drawer.objects.live().filter(user_id=mined.user_id).exists()
    assert url not in page_of(alice_client)
    alice_client.post(undo)
    assert Drawer.objects.live().filter(user_id=mined.user_id).count() == 3
    assert url in page_of(alice_client)


def test_a_deletion_can_be_undone_here_until_it_is(alice_client, bread):
    alice_client.post(reverse("memory:delete_drawer", args=[bread[0].id]))
    undo = undo_in(page_of(alice_client))
    alice_client.post(undo)
    html = page_of(alice_client)
    assert undo not in html
    assert "Restored from the trash" in html


def test_every_kind_of_event_has_a_label(alice_client, as_alice):
    kinds = {
        "imported": {"conversations": 3, "messages": 40, "duplicates": 1, "refused": 0},
        "demo": {"conversations": 14, "messages": 120},
        "settings_changed": {"changed": ["top_k"]},
        "mining_failed": {"error": "ModelTimeout"},
        "reembedded": {},
        "restored": {"deletion": "01890000-0000-7000-8000-000000000000", "drawers": 2},
        "memory_mined": {},
    }
    for kind, details in kinds.items():
        ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details, subject_id=as_alice.id)
    html = page_of(alice_client)
    assert [kind for kind in kinds if str(ActivityEvent.Kind(kind).label) not in html] == []


def test_many_events_come_in_pages_with_few_queries(
    alice_client, as_alice, monkeypatch, django_assert_max_num_queries
):
    shorten(monkeypatch, activity_queries.events, 5)
    for number in range(8):
        details = {"changed": [f"setting{number}"]}
        kind = ActivityEvent.Kind.SETTINGS
        ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details, at=MONDAY)
    with django_assert_max_num_queries(24):
        first, second = all_pages(alice_client, reverse("memory:activity"))
    assert all((f"setting{number}" in first) != (f"setting{number}" in second) for number in range(8))
