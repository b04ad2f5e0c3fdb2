from datetime import timedelta

import pytest
from django.utils import timezone

from chat.mining.drain import catch_up, dead_jobs, messages_left, try_dead_jobs_again
from chat.mining.run import Round
from chat.models import Conversation
from memory.models import Drawer, MiningProgress
from tests.chat.ledger import NOW, chat
from transfer.filing import file_conversation

pytestmark = pytest.mark.usefixtures("embedder")


def give_up(conversation):
    return MiningProgress.objects.create(
        user_id=conversation.user_id,
        source_kind="conversation",
        source_id=conversation.id,
        state=MiningProgress.State.DEAD,
        attempts=4,
        error="ModelDown",
    )


def test_it_goes_on_until_everything_is_mined_and_tells_how_far_it_is(as_alice):
    file_conversation(as_alice.id, chat("boats", *["Words."] * 20), NOW)
    file_conversation(as_alice.id, chat("tea", "Jasmine."), NOW)
    told = []
    assert catch_up(as_alice.id, timezone.now, told.append) == 0
    assert (told[0], told[-1]) == (21, 0)
    assert Drawer.objects.count() == 21


def test_what_was_given_up_is_counted_and_not_waited_for(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    file_conversation(as_alice.id, chat("tea", "Jasmine."), NOW)
    give_up(Conversation.objects.get(external_id="boats"))
    assert catch_up(as_alice.id, timezone.now, lambda left: None) == 1
    assert Drawer.objects.count() == 1
    assert try_dead_jobs_again(as_alice.id, NOW) == 1
    assert catch_up(as_alice.id, timezone.now, lambda left: None) == 0
    assert Drawer.objects.count() == 2


def test_after_an_import_only_what_was_imported_counts(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    file_conversation(as_alice.id, chat("open", "Still talking"), NOW)
    still_open = Conversation.objects.get(external_id="open")
    Conversation.objects.filter(id=still_open.id).update(
        source="chat", mine_requested_at=None, last_message_at=timezone.now()
    )
    give_up(still_open)
    assert catch_up(as_alice.id, timezone.now, lambda left: None, imported_only=True) == 0
    assert Drawer.objects.count() == 1
    assert dead_jobs(as_alice.id) == 1
    assert dead_jobs(as_alice.id, imported_only=True) == 0


def test_a_pause_before_a_retry_is_waited_for(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    waiting = give_up(Conversation.objects.get())
    MiningProgress.objects.filter(id=waiting.id).update(
        state=MiningProgress.State.RETRYING, next_attempt_at=NOW + timedelta(seconds=60)
    )
    assert messages_left(as_alice.id, NOW) == 1


def test_beside_a_worker_it_waits_for_what_that_has_in_hand(as_alice, monkeypatch):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    rounds = []

    def worker(user_id, clock, slice_):
        rounds.append(user_id)
        if len(rounds) == 3:
            Conversation.objects.update(learn=False)
        return Round(unfinished=False)

    monkeypatch.setattr("chat.mining.drain.mine_person", worker)
    monkeypatch.setattr("chat.mining.drain.PAUSE_S", 0)
    catch_up(as_alice.id, timezone.now, lambda left: None)
    assert len(rounds) == 3
