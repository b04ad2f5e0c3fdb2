"""Chats are kept as long as their owner wants; what was remembered from them stays."""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from chat.models import Agent, Generation, Message
from chat.retention import KEEP_DELETED_FOR, Emptied, empty_old_chats, expired_chats, remove
from memory.mining.progress import progress_of, record_failure
from memory.models import ActivityEvent, Drawer, Fact, MiningProgress, RecallTrace, Relation
from memory.preferences import change_preferences
from tests.chat.ledger import chat as exported
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.html import check_page
from transfer.filing import Outcome, file_conversation

SECRET = "My sister Ines keeps an unmistakable-lighthouse."
LATER = NOW + timedelta(days=1)
SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def kept(as_alice):
    """Alice keeps chats for two weeks."""
    change_preferences(as_alice.id, {"retention_days": 14}, NOW)
    return as_alice


def old(user, **changes):
    return converse(user.id, SECRET, "How nice.", **changes)


def memory_of(user):
    tables = (Drawer, Fact, Relation)
    return [list(table.objects.filter(user_id=user.id).order_by("id").values()) for table in tables]


def test_an_expired_chat_leaves_no_word_and_everything_remembered_stays(kept):
    chat = old(kept, title="About unmistakable-lighthouse", project="unmistakable-lighthouse")
    trace = RecallTrace.objects.create(user_id=kept.id, trace={"q": "x"})
    Message.objects.filter(sequence=2).update(trace_id=trace.id)
    assert not expired_chats(kept.id, LATER).exists(), "it waits to be remembered"
    mine(kept.id)
    before = memory_of(kept)
    assert all(before[:2])
    end = chat.last_message_at + timedelta(days=14)
    assert empty_old_chats(kept.id, end) == Emptied()
    assert empty_old_chats(kept.id, end + SECOND) == Emptied(1, 2)
    assert empty_old_chats(kept.id, end + timedelta(days=99)) == Emptied()
    assert memory_of(kept) == before
    assert not Message.objects.exists()
    assert not RecallTrace.objects.exists()
    chat.refresh_from_db()
    assert (chat.title, chat.project, chat.expired_at) == ("", "", end + SECOND)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.EXPIRED)
    assert event.details == {"conversations": 1, "messages": 2}


def test_without_a_limit_only_deleted_chats_go_after_thirty_days(as_alice):
    chat = old(as_alice)
    mine(as_alice.id)
    assert empty_old_chats(as_alice.id, NOW + timedelta(days=9999)) == Emptied()
    remove(chat, NOW, forget_too=False)
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR) == Emptied()
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR + SECOND) == Emptied(1, 2)
    assert Drawer.objects.live().count() == 2
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.EXPIRED).exists()


def test_what_could_not_be_remembered_waits_for_a_decision(kept):
    progress = progress_of(kept.id, "conversation", old(kept).id)
    for _ in range(4):
        record_failure(progress, "Broken", NOW)
    assert not expired_chats(kept.id, LATER).exists()
    MiningProgress.objects.update(state=MiningProgress.State.DISCARDED)
    assert expired_chats(kept.id, LATER).exists()


def test_chats_that_are_never_remembered_expire_too(kept):
    agent = Agent.objects.create(user_id=kept.id, name="Silent", mine=False)
    for changes in ({"learn": False}, {"incognito": True}, {"agent_id": agent.id}):
        old(kept, **changes)
    change_preferences(kept.id, {"auto_mine": False}, NOW)
    old(kept, source="chat")
    asked = old(kept, source="chat", mine_requested_at=NOW)
    assert empty_old_chats(kept.id, LATER) == Emptied(4, 8)
    asked.refresh_from_db()
    assert asked.expired_at is None


def test_a_reply_in_the_making_and_other_people_are_left_alone(kept, bob):
    chat = old(kept, learn=False)
    with tenant(bob.id):
        change_preferences(bob.id, {"retention_days": 1}, NOW)
        for user in (kept, bob):
            assert empty_old_chats(user.id, LATER) == Emptied()
    Generation.objects.create(user_id=kept.id, conversation_id=chat.id, parent_sequence=2)
    assert empty_old_chats(kept.id, LATER) == Emptied()


def test_an_import_does_not_bring_it_back(kept):
    file_conversation(kept.id, exported("boats", "A boat!", "Which?"), NOW)
    mine(kept.id, Clock(NOW))
    drawers = Drawer.objects.count()
    assert empty_old_chats(kept.id, LATER).messages == 2
    again = file_conversation(kept.id, exported("boats", "A boat!", "Which?"), LATER)
    assert again.outcome == Outcome.DUPLICATE
    assert not Message.objects.exists()
    mine(kept.id, Clock(LATER))
    assert Drawer.objects.count() == drawers


@pytest.mark.parametrize("way", ["expired", "deleted"])
def test_its_drawer_names_the_day_and_its_address_explains(kept, alice_client, bob_client, client, way):
    chat = old(kept)
    mine(kept.id)
    drawer = Drawer.objects.get(role="user")
    room = reverse("memory:room", args=[drawer.wing_id, drawer.room_id])
    pages = [reverse("memory:drawer", args=[drawer.id]), room]
    link = reverse("chat:conversation", args=[chat.id])
    for page in pages:
        assert link in check_page(alice_client.get(page))
    if way == "deleted":
        remove(chat, NOW, forget_too=False)
        assert "From a chat on 3 Feb 2031" in check_page(alice_client.get(pages[0]))
        return
    empty_old_chats(kept.id, LATER)
    for page in pages:
        html = check_page(alice_client.get(page))
        assert link not in html
        assert "From a chat on 3 Feb 2031. The chat itself was removed on 6 Mar 2031" in html
    assert "no longer kept" in check_page(alice_client.get(link), 410)
    assert bob_client.get(link).status_code == 404
    assert client.get(link).status_code == 302
