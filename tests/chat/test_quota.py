"""A full palace: chats stay word for word in the ledger and are remembered when there is room."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import operator
from chat.mining.pending_work import waiting_of
from jobs.sweep import sweep
from memory.forgetting.trash import delete
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, MiningProgress
from tests.drills.ledger import NOW, converse, mine
from tests.html import check_page


@pytest.fixture(autouse=True)
def _embedder(embedder):
    return embedder


@pytest.fixture
def full(as_alice: User) -> User:
    """Alice may keep ten drawers, keeps ten, and has said more."""
    User.objects.filter(id=as_alice.id).update(drawer_quota=10)
    converse(as_alice.id, *[f"Number {n}." for n in range(40)])
    mine(as_alice.id)
    return as_alice


def test_mining_stops_at_the_quota_and_loses_nothing(full: User):
    kept = Drawer.objects.count()
    assert 10 <= kept < 20  # a window that begins below the quota is filed as a whole
    (job,) = MiningProgress.objects.all()
    assert (job.state, job.attempts, job.claims, job.mined_through) == ("ready", 0, 0, kept)
    assert mine(full.id).windows == 0
    assert waiting_of(full.id).messages == 40 - kept
    User.objects.filter(id=full.id).update(drawer_quota=None)
    mine(full.id)
    said = Drawer.objects.order_by("id").values_list("content", flat=True)
    assert list(said) == [f"Number {n}." for n in range(40)]


def test_room_in_the_palace_is_used(full: User):
    for drawer in Drawer.objects.all():
        delete(full.id, "drawer", drawer.id, NOW)
    assert mine(full.id).windows > 0


def test_the_sweep_queues_nothing_that_has_no_room(full: User, queued):
    assert sweep(NOW).to_mine == 0
    assert not any(name == "mine" for name, _ in queued())
    User.objects.filter(id=full.id).update(drawer_quota=None)
    assert sweep(NOW).to_mine == 1


def test_pages_say_that_the_palace_is_full(full: User, alice_client: Client):
    kept = Drawer.objects.count()
    words = f"Your palace is full: it holds {kept} of 10 drawers."
    for page in ("memory:palace", "memory:settings"):
        assert words in check_page(alice_client.get(reverse(page)))
    note = {"text": "A note.", "wing": "", "wing_kind": "topic", "room": "", "closet": ""}
    assert words in check_page(alice_client.post(reverse("memory:note"), note), status=422)


def test_a_chat_says_that_it_has_no_room(full: User, alice_client: Client):
    chat = converse(full.id, "More.", source="chat")
    progress_of(full.id, CONVERSATION, chat.id)
    page = check_page(alice_client.get(f"/chat/{chat.id}/"))
    assert "Your palace is full, so this chat is not remembered yet" in page


def test_settings_tell_how_much_room_is_left(as_alice: User, alice_client: Client):
    assert "drawers you may keep" not in check_page(alice_client.get(reverse("memory:settings")))
    User.objects.filter(id=as_alice.id).update(drawer_quota=1200)
    page = check_page(alice_client.get(reverse("memory:settings")))
    assert "holds 0 of the 1,200 drawers you may keep here" in page


def test_whoever_waits_at_a_terminal_is_told(full: User):
    with pytest.raises(CommandError, match=r"The palace is full: \d+ messages are not"):
        call_command("mine", user=full.email, wait=True)


def test_staff_give_a_person_more(full: User, carol_client: Client):
    url = reverse("admin:accounts_user_change", args=[full.id])
    page = carol_client.get(url).content.decode()
    assert 'name="drawer_quota"' in page
    form = {"email": full.email, "name": "Alice", "is_active": "on", "drawer_quota": "5000"}
    form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    assert carol_client.post(url, form).status_code == 302
    with operator():
        assert User.objects.get(id=full.id).drawer_quota == 5000
