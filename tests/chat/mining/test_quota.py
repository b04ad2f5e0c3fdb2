"""The drawer quota: chats in a full palace are mined when there is room again."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import operator
from chat.mining.pending_work import pending_work_of
from jobs.sweep import sweep
from memory.forgetting.trash import delete
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, MiningProgress
from tests.drills.ledger import NOW, converse, mine
from tests.html import check_page

pytestmark = pytest.mark.usefixtures("embedder")


def allow(user, drawers):
    with operator():
        User.objects.filter(id=user.id).update(drawer_quota=drawers)


@pytest.fixture
def full(as_alice):
    """Alice's palace is full: she may have ten drawers and has said more."""
    allow(as_alice, 10)
    converse(as_alice.id, *[f"Number {n}." for n in range(40)])
    mine(as_alice.id)
    return as_alice


def test_mining_stops_at_the_quota_and_continues_when_it_is_lifted(full, queued):
    kept = Drawer.objects.count()
    assert 10 <= kept < 20  # a window that begins below the quota is filed as a whole
    (job,) = MiningProgress.objects.all()
    assert (job.state, job.attempts, job.claims, job.mined_through) == ("ready", 0, 0, kept)
    assert mine(full.id).windows == sweep(NOW).to_mine == 0
    assert not any(name == "mine" for name, _ in queued())
    assert pending_work_of(full.id).messages == 40 - kept
    with pytest.raises(CommandError, match=r"The palace is full: \d+ messages are not"):
        call_command("mine", user=full.email, wait=True)
    allow(full, None)
    assert sweep(NOW).to_mine == 1
    mine(full.id)
    said = Drawer.objects.order_by("id").values_list("content", flat=True)
    assert list(said) == [f"Number {n}." for n in range(40)]


def test_deleting_drawers_makes_room(full):
    for drawer in Drawer.objects.all():
        delete(full.id, "drawer", drawer.id, NOW)
    assert mine(full.id).windows > 0


def test_pages_show_used_and_allowed_drawers(full, alice_client):
    kept, settings = Drawer.objects.count(), reverse("memory:settings")
    words = f"Your palace is full: it has {kept} of 10 drawers."
    for page in (reverse("memory:palace"), settings):
        assert words in check_page(alice_client.get(page))
    note = {"text": "A note.", "wing": "", "wing_kind": "topic", "room": "", "closet": ""}
    assert words in check_page(alice_client.post(reverse("memory:note"), note), status=422)
    chat = converse(full.id, "More.", source="chat")
    progress_of(full.id, CONVERSATION, chat.id)
    page = check_page(alice_client.get(f"/chat/{chat.id}/"))
    assert "Your palace is full, so this chat is not in memory yet" in page
    allow(full, 1200)
    assert f"holds {kept} of 1,200 drawers allowed" in check_page(alice_client.get(settings))
    allow(full, None)
    assert "drawers allowed" not in check_page(alice_client.get(settings))
