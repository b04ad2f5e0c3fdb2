from datetime import timedelta

import pytest
from django.utils import timezone

from chat.mining.drain import count_dead_jobs, drain, messages_left, retry_dead_jobs
from chat.mining.run import Round
from chat.models import Conversation
from memory.models import Drawer, MiningProgress
from tests.chat.ledger import NOW, chat
from transfer.choosing import imported_chats
from transfer.filing import file_conversation

pytestmark = pytest.mark.usefixtures("embedder")


def add_dead_letter(external_id):
    conversation = Conversation.objects.get(external_id=external_id)
    return MiningProgress.objects.create(
        user_id=conversation.user_id,
        source_kind="conversation",
        source_id=conversation.id,
        state=MiningProgress.State.DEAD,
    )


def run_drain(user, **options):
    """The number of dead letters, and the reported numbers of messages left."""
    left = []
    return drain(user.id, timezone.now, left.append, **options), left


def test_drain_mines_everything_and_reports_remaining_messages(as_alice):
    file_conversation(as_alice.id, chat("boats", *["Words."] * 20), NOW)
    file_conversation(as_alice.id, chat("tea", "Jasmine."), NOW)
    dead, left = run_drain(as_alice)
    assert (dead, left[0], left[-1]) == (0, 21, 0)
    assert Drawer.objects.count() == 21


def test_drain_counts_dead_letters_without_waiting_for_them(as_alice):
    for name in ("boats", "tea", "open"):
        file_conversation(as_alice.id, chat(name, "Words."), NOW)
    add_dead_letter("boats")
    add_dead_letter("open")
    Conversation.objects.filter(external_id="open").update(
        source="chat", mine_requested_at=None, last_message_at=timezone.now()
    )
    assert run_drain(as_alice, within=imported_chats(as_alice.id))[0] == 1
    assert Drawer.objects.count() == 1
    assert (
        count_dead_jobs(as_alice.id),
        count_dead_jobs(as_alice.id, within=imported_chats(as_alice.id)),
    ) == (2, 1)
    assert retry_dead_jobs(as_alice.id, NOW) == 2
    assert run_drain(as_alice, within=imported_chats(as_alice.id))[0] == 0
    assert Drawer.objects.count() == 2


def test_drain_waits_for_retries_and_other_workers(as_alice, monkeypatch):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    waiting, rounds = add_dead_letter("boats"), []
    MiningProgress.objects.filter(id=waiting.id).update(
        state=MiningProgress.State.RETRYING, next_attempt_at=NOW + timedelta(seconds=60)
    )
    assert messages_left(as_alice.id, NOW) == 1
    waiting.delete()

    def worker(user_id, clock, slice_):
        rounds.append(user_id)
        if len(rounds) == 3:
            Conversation.objects.update(mine=False)
        return Round(more_due=False)

    monkeypatch.setattr("chat.mining.drain.mine_user", worker)
    monkeypatch.setattr("chat.mining.drain.PAUSE_S", 0)
    run_drain(as_alice)
    assert len(rounds) == 3
