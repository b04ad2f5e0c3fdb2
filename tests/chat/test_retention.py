"""Chats are kept as long as their owner wants; what was remembered from them stays."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Agent, Conversation, Generation, Message
from chat.retention import DELETED_FOR, Emptied, empty_old_chats, expired_chats, remove
from memory.mining.progress import progress_of, record_failure
from memory.models import ActivityEvent, Drawer, Fact, MiningProgress, RecallTrace, Relation
from memory.preferences import change_preferences
from tests.chat.ledger import chat as exported
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.html import check_page
from transfer.filing import Outcome, file_conversation

SECRET = "My sister Ines keeps an unmistakable-lighthouse."
LATER = NOW + timedelta(days=1)


@pytest.fixture(autouse=True)
def _embedder(embedder):
    return embedder


@pytest.fixture
def kept(as_alice: User) -> User:
    """Alice keeps chats for two weeks."""
    change_preferences(as_alice.id, {"retention_days": 14}, NOW)
    return as_alice


def old(user: User, **changes: object) -> Conversation:
    return converse(user.id, SECRET, "How nice.", **changes)


def memory_of(user: User) -> list[object]:
    tables = (Drawer, Fact, Relation)
    return [list(table.objects.filter(user_id=user.id).order_by("id").values()) for table in tables]


def test_chats_are_kept_for_ever_unless_it_was_asked_for(as_alice: User):
    old(as_alice)
    mine(as_alice.id)
    assert empty_old_chats(as_alice.id, NOW + timedelta(days=9999)) == Emptied()
    assert Message.objects.count() == 2


def test_an_expired_chat_leaves_no_word_and_everything_remembered_stays(kept: User):
    chat = old(kept, title="About unmistakable-lighthouse", project="unmistakable-lighthouse")
    trace = RecallTrace.objects.create(user_id=kept.id, trace={"q": "x"})
    Message.objects.filter(sequence=2).update(trace_id=trace.id)
    mine(kept.id)
    before = memory_of(kept)
    assert before[0]
    assert before[1]

    assert empty_old_chats(kept.id, LATER) == Emptied(1, 2)

    assert memory_of(kept) == before
    assert not Message.objects.exists()
    assert not RecallTrace.objects.exists()
    chat.refresh_from_db()
    assert (chat.title, chat.project, chat.expired_at) == ("", "", LATER)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.EXPIRED)
    assert event.details == {"conversations": 1, "messages": 2}


def test_it_happens_when_the_last_word_is_older_than_that(kept: User):
    chat = old(kept)
    mine(kept.id)
    end = chat.last_message_at + timedelta(days=14)
    assert empty_old_chats(kept.id, end) == Emptied()
    assert empty_old_chats(kept.id, end + timedelta(seconds=1)) == Emptied(1, 2)
    assert empty_old_chats(kept.id, end + timedelta(days=99)) == Emptied()


def test_what_waits_to_be_remembered_is_kept(kept: User):
    old(kept)
    assert not expired_chats(kept.id, LATER).exists()
    mine(kept.id)
    assert expired_chats(kept.id, LATER).count() == 1


def test_what_could_not_be_remembered_waits_for_a_decision(kept: User):
    chat = old(kept)
    progress = progress_of(kept.id, "conversation", chat.id)
    for _ in range(4):
        record_failure(progress, "Broken", NOW)
    assert not expired_chats(kept.id, LATER).exists()
    MiningProgress.objects.update(state=MiningProgress.State.DISCARDED)
    assert expired_chats(kept.id, LATER).exists()


@pytest.mark.parametrize("changes", [{"learn": False}, {"incognito": True}])
def test_what_is_never_remembered_expires_too(kept: User, changes: dict[str, object]):
    old(kept, **changes)
    assert empty_old_chats(kept.id, LATER).messages == 2


def test_chats_of_an_agent_that_keeps_nothing_expire_too(kept: User):
    agent = Agent.objects.create(user_id=kept.id, name="Silent", mine=False)
    old(kept, agent_id=agent.id)
    assert empty_old_chats(kept.id, LATER).messages == 2


def test_without_mining_by_itself_only_what_was_asked_for_waits(kept: User):
    change_preferences(kept.id, {"auto_mine": False}, NOW)
    old(kept, source="chat")
    asked = old(kept, source="chat", mine_requested_at=NOW)
    assert empty_old_chats(kept.id, LATER).messages == 2
    asked.refresh_from_db()
    assert asked.expired_at is None


def test_a_reply_in_the_making_and_the_demo_are_left_alone(kept: User):
    chat = old(kept, learn=False)
    old(kept, learn=False, is_demo=True)
    Generation.objects.create(user_id=kept.id, conversation_id=chat.id, parent_sequence=2)
    assert empty_old_chats(kept.id, LATER) == Emptied()


def test_an_import_does_not_bring_it_back(kept: User):
    file_conversation(kept.id, exported("boats", "A boat!", "Which?"), NOW)
    mine(kept.id, Clock(NOW))
    drawers = Drawer.objects.count()
    assert empty_old_chats(kept.id, LATER).messages == 2

    again = file_conversation(kept.id, exported("boats", "A boat!", "Which?"), LATER)

    assert again.outcome == Outcome.DUPLICATE
    assert not Message.objects.exists()
    mine(kept.id, Clock(LATER))
    assert Drawer.objects.count() == drawers


def test_messages_of_a_deleted_chat_go_after_thirty_days(as_alice: User):
    chat = old(as_alice)
    mine(as_alice.id)
    remove(chat, NOW, forget_too=False)
    assert empty_old_chats(as_alice.id, NOW + DELETED_FOR) == Emptied()
    assert empty_old_chats(as_alice.id, NOW + DELETED_FOR + timedelta(seconds=1)) == Emptied(1, 2)
    assert Drawer.objects.live().count() == 2
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.EXPIRED).exists()


def test_its_drawer_and_room_name_the_day_and_link_nowhere(kept: User, alice_client: Client):
    chat = old(kept)
    mine(kept.id)
    drawer = Drawer.objects.get(role="user")
    pages = [
        reverse("memory:drawer", args=[drawer.id]),
        reverse("memory:room", args=[drawer.wing_id, drawer.room_id]),
    ]
    link = reverse("chat:conversation", args=[chat.id])
    for page in pages:
        assert link in check_page(alice_client.get(page))

    empty_old_chats(kept.id, LATER)

    for page in pages:
        html = check_page(alice_client.get(page))
        assert link not in html
        assert "From a chat of 3 Feb 2031. The chat itself is no longer kept since 6 Mar 2031" in html


def test_a_chat_that_was_deleted_is_named_by_its_day_too(as_alice: User, alice_client: Client):
    chat = old(as_alice)
    mine(as_alice.id)
    remove(chat, NOW, forget_too=False)
    drawer = Drawer.objects.get(role="user")
    html = check_page(alice_client.get(reverse("memory:drawer", args=[drawer.id])))
    assert "From a chat of 3 Feb 2031" in html


def test_an_old_link_to_it_leads_to_an_explanation(
    kept: User, alice_client: Client, bob_client: Client, client: Client
):
    chat = old(kept)
    mine(kept.id)
    empty_old_chats(kept.id, LATER)
    url = reverse("chat:conversation", args=[chat.id])
    assert "no longer kept" in check_page(alice_client.get(url), 410)
    assert bob_client.get(url).status_code == 404
    assert client.get(url).status_code == 302


def test_nobody_empties_anothers_chats(kept: User, bob: User):
    old(kept, learn=False)
    with tenant(bob.id):
        change_preferences(bob.id, {"retention_days": 1}, NOW)
        assert empty_old_chats(bob.id, LATER) == Emptied()
        assert empty_old_chats(kept.id, LATER) == Emptied()
