"""Chats expire after the time their owner chose; drawers and facts from them stay."""

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
def alice_with_limit(as_alice):
    """Alice, whose chats are kept for two weeks."""
    change_preferences(as_alice.id, {"retention_days": 14}, NOW)
    return as_alice


def old(user, **changes):
    return converse(user.id, SECRET, "How nice.", **changes)


def memory_of(user):
    tables = (Drawer, Fact, Relation)
    return [list(table.objects.filter(user_id=user.id).order_by("id").values()) for table in tables]


def test_expired_chat_is_emptied_and_its_memory_stays(alice_with_limit):
    chat = old(alice_with_limit, title="About unmistakable-lighthouse", project="unmistakable-lighthouse")
    trace = RecallTrace.objects.create(user_id=alice_with_limit.id, trace={"q": "x"})
    Message.objects.filter(sequence=2).update(trace_id=trace.id)
    assert not expired_chats(alice_with_limit.id, LATER).exists(), "it is not mined yet"
    mine(alice_with_limit.id)
    before = memory_of(alice_with_limit)
    assert all(before[:2])
    end = chat.last_message_at + timedelta(days=14)
    for now, emptied in ((end, Emptied()), (end + SECOND, Emptied(1, 2)), (end + 99 * SECOND, Emptied())):
        assert empty_old_chats(alice_with_limit.id, now) == emptied
    assert memory_of(alice_with_limit) == before
    assert not Message.objects.exists()
    assert not RecallTrace.objects.exists()
    chat.refresh_from_db()
    assert (chat.title, chat.project, chat.expired_at) == ("", "", end + SECOND)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.EXPIRED)
    assert event.details == {"conversations": 1, "messages": 2}


def test_without_a_limit_only_deleted_chats_are_emptied_after_thirty_days(as_alice):
    chat = old(as_alice)
    mine(as_alice.id)
    assert empty_old_chats(as_alice.id, NOW + timedelta(days=9999)) == Emptied()
    remove(chat, NOW, forget_too=False)
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR) == Emptied()
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR + SECOND) == Emptied(1, 2)
    assert Drawer.objects.live().count() == 2
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.EXPIRED).exists()


def test_chats_excluded_from_mining_expire_and_those_that_wait_for_it_do_not(alice_with_limit):
    agent = Agent.objects.create(user_id=alice_with_limit.id, name="Silent", mine=False)
    for changes in ({"mine": False}, {"incognito": True}, {"agent_id": agent.id}):
        old(alice_with_limit, **changes)
    change_preferences(alice_with_limit.id, {"auto_mine": False}, NOW)
    old(alice_with_limit, source="chat")
    asked = old(alice_with_limit, source="chat", mine_requested_at=NOW)
    progress = progress_of(alice_with_limit.id, "conversation", asked.id)
    for _ in range(4):
        record_failure(progress, "Broken", NOW)
    assert empty_old_chats(alice_with_limit.id, LATER) == Emptied(4, 8)
    MiningProgress.objects.update(state=MiningProgress.State.DISCARDED)
    assert expired_chats(alice_with_limit.id, LATER).get() == asked


def test_chats_with_a_pending_reply_and_of_other_users_do_not_expire(alice_with_limit, bob):
    chat = old(alice_with_limit, mine=False)
    with tenant(bob.id):
        change_preferences(bob.id, {"retention_days": 1}, NOW)
        for user in (alice_with_limit, bob):
            assert empty_old_chats(user.id, LATER) == Emptied()
    Generation.objects.create(user_id=alice_with_limit.id, conversation_id=chat.id, parent_sequence=2)
    assert empty_old_chats(alice_with_limit.id, LATER) == Emptied()


def test_import_does_not_restore_an_expired_chat(alice_with_limit):
    file_conversation(alice_with_limit.id, exported("boats", "A boat!", "Which?"), NOW)
    mine(alice_with_limit.id, Clock(NOW))
    drawers = Drawer.objects.count()
    assert empty_old_chats(alice_with_limit.id, LATER).messages == 2
    again = file_conversation(alice_with_limit.id, exported("boats", "A boat!", "Which?"), LATER)
    assert again.outcome == Outcome.DUPLICATE
    mine(alice_with_limit.id, Clock(LATER))
    assert (Message.objects.count(), Drawer.objects.count()) == (0, drawers)


@pytest.mark.parametrize("way", ["expired", "deleted"])
def test_drawers_of_removed_chats_show_their_date_instead_of_a_link(
    alice_with_limit, alice_client, bob_client, client, way
):
    chat = old(alice_with_limit)
    mine(alice_with_limit.id)
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
    empty_old_chats(alice_with_limit.id, LATER)
    for page in pages:
        html = check_page(alice_client.get(page))
        assert link not in html
        assert "From a chat on 3 Feb 2031. The chat itself was removed on 6 Mar 2031" in html
    assert "no longer kept" in check_page(alice_client.get(link), 410)
    assert (bob_client.get(link).status_code, client.get(link).status_code) == (404, 302)
