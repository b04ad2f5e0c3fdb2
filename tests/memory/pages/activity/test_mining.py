"""Chats that were read without a model can be read again, from the activity page."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import tenant
from chat.mining.reextraction import reextract_for_user
from llm import current
from memory.models import ActivityEvent, Fact, MinedWindow
from tests.drills.ledger import LONG, Clock, converse, mine
from tests.fake_gateway import FakeChat
from tests.html import check_page
from tests.memory.mining.answers import answer, placed, stated
from tests.memory.pages.forms import page

BETTER = stated(statement="The user lives in the old town of Zürich.")


@pytest.fixture
def windows(as_alice: User) -> None:
    """Two parts of chats that rules have read."""
    for words in ("I live in Zürich.", "I am allergic to nuts."):
        converse(as_alice.id, words)
    mine(as_alice.id)


def test_chats_read_by_rules_can_be_read_again_once_there_is_a_model(
    alice_client, bob_client, alice, windows
):
    html = page(alice_client, "activity")
    assert "The built-in reader read 2 parts of your chats" in html
    assert "Set up a model" in html
    assert reverse("memory:read_again") not in html
    assert "The built-in reader read" not in page(bob_client, "activity")
    bob_client.post(reverse("memory:read_again"))
    assert MinedWindow.objects.exclude(requested_at=None).count() == 0

    with current.using(chat=FakeChat()):
        assert reverse("memory:read_again") in page(alice_client, "activity")
        html = check_page(alice_client.post(reverse("memory:read_again"), follow=True))
    assert "A model will read 2 parts of your chats again" in html
    assert "2 parts of your chats are waiting to be read again" in html
    assert reverse("memory:read_again") not in html
    with tenant(alice.id):
        assert MinedWindow.objects.filter(requested_at=None).count() == 0


def test_the_outcome_of_reading_again_is_shown_and_can_be_undone(alice_client: Client, alice: User):
    with tenant(alice.id):
        converse(alice.id, "I live in Zürich.")
        mine(alice.id)
    alice_client.post(reverse("memory:read_again"))
    model = FakeChat([answer(turns=[placed()], facts=[BETTER])])
    with tenant(alice.id), current.using(chat=model):
        reextract_for_user(alice.id, Clock(), LONG)
    html = page(alice_client, "activity")
    assert "<strong>Read again</strong>" in html
    assert "1 new fact" in html
    assert "You live in the old town of Zürich." in html
    with tenant(alice.id):
        event = ActivityEvent.objects.get(kind="read_again")
    url = reverse("memory:undo", args=[event.id])
    assert url in html
    html = check_page(alice_client.post(url, follow=True))
    assert "Undone." in html
    assert url not in html
    with tenant(alice.id):
        assert Fact.objects.get(statement="The user lives in Zürich.").status == "active"
    assert alice_client.post(url).status_code == 404
