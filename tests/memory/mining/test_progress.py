from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError, connection, transaction

from accounts.tenancy import tenant
from llm.errors import ModelRateLimited, ModelUnavailable
from memory.forgetting.tombstones import tombstoned, utterance_digest
from memory.mining import progress as mining
from memory.mining.progress import MAX_CLAIMS, MAX_IMMEDIATE_CLAIMS, Attempt, progress_of
from memory.mining.reextraction import MAX_ATTEMPTS, ReextractionJob
from memory.models import MinedWindow, MiningProgress, Tombstone
from memory.text.digests import text_digest
from tests.drills.ledger import NOW, Clock
from tests.memory.mining.chats import chat


@pytest.fixture
def progress(as_alice):
    return progress_of(as_alice.id, "conversation", uuid4())


def test_retries_back_off_and_end_as_a_dead_letter(progress):
    for attempt in range(mining.RETRIES):
        mining.record_failure(progress, "Boom", NOW)
        assert (progress.state, progress.next_attempt_at) == ("retrying", NOW + mining.BACKOFF[attempt])
    mining.record_failure(progress, "Boom", NOW)
    assert (progress.state, progress.error) == ("dead", "Boom")
    assert list(mining.dead_letters(progress.user_id)) == [progress]


@pytest.mark.django_db(transaction=True)
def test_a_lost_database_connection_is_not_a_failure_of_the_window(alice):
    with tenant(alice.id):
        progress = progress_of(alice.id, "conversation", uuid4())
        with pytest.raises(OperationalError), Attempt(progress, Clock()):
            connection.connection.close()
            progress_of(alice.id, "conversation", uuid4())
        with pytest.raises(OperationalError), Attempt(progress, Clock()):
            try:
                with transaction.atomic():
                    connection.connection.close()
                    progress_of(alice.id, "conversation", uuid4())
            finally:
                assert MiningProgress.objects.exists(), "by now, the database is there again"
        progress.refresh_from_db()
        assert (progress.attempts, progress.claims, progress.state) == (0, 2, "ready")
        with Attempt(progress, Clock()) as attempt:
            connection.connection.close()
            raise KeyError
        progress.refresh_from_db()
    assert attempt.failed
    assert (progress.attempts, progress.error) == (1, "KeyError")


@pytest.mark.django_db(transaction=True)
def test_a_lost_database_connection_is_not_a_failure_of_a_reextraction(alice):
    with tenant(alice.id):
        window = MinedWindow(user_id=alice.id, id=uuid4(), attempts=MAX_ATTEMPTS)
        with pytest.raises(OperationalError), ReextractionJob(window, NOW) as job:
            connection.connection.close()
            MinedWindow.objects.count()
        assert (job.failed, MinedWindow.objects.count()) == (False, 0)


def test_a_statement_timeout_is_a_failure_of_the_window(progress):
    with Attempt(progress, Clock()) as attempt, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 1")
        cursor.execute("SELECT pg_sleep(1)")
    assert attempt.failed
    progress.refresh_from_db()
    assert (progress.attempts, progress.error) == (1, "OperationalError")


def test_an_interrupt_is_raised_and_leaves_a_claim(progress):
    with pytest.raises(KeyboardInterrupt), Attempt(progress, Clock()):
        raise KeyboardInterrupt
    progress.refresh_from_db()
    assert (progress.attempts, progress.claims, progress.state) == (0, 1, "ready")


@pytest.mark.parametrize(("retry_after", "pause"), [(None, 4), (1.0, 4), (45.0, 45), (1e9, 3600), (-5.0, 4)])
def test_retry_after_of_an_endpoint_is_respected_within_limits(progress, retry_after, pause):
    with Attempt(progress, Clock()):
        raise ModelRateLimited("Busy.", retry_after=retry_after)
    progress.refresh_from_db()
    assert progress.next_attempt_at == NOW + timedelta(seconds=pause)


def test_a_failure_does_not_overwrite_progress_of_another_worker(progress):
    stale = MiningProgress.objects.get(id=progress.id)
    with Attempt(stale, Clock()):
        MiningProgress.objects.filter(id=progress.id).update(mined_through=8)
        raise ModelUnavailable("Away.")
    progress.refresh_from_db()
    assert progress.mined_through == 8


def kill_worker(progress):
    with pytest.raises(SystemExit), Attempt(progress, Clock()):
        raise SystemExit


def test_a_window_that_keeps_killing_its_worker_becomes_a_dead_letter(progress):
    for _ in range(MAX_CLAIMS):
        assert mining.give_up_on_crashing_windows(progress.user_id, NOW) == 0
        kill_worker(progress)
    assert mining.give_up_on_crashing_windows(progress.user_id, NOW) == 1
    progress.refresh_from_db()
    assert (progress.state, progress.error) == ("dead", "WorkerDied")
    mining.retry_failed(progress, NOW)
    assert (progress.state, progress.claims, progress.error) == ("ready", 0, "")
    assert mining.give_up_on_crashing_windows(progress.user_id, NOW) == 0
    mining.discard(progress, NOW)
    assert not mining.dead_letters(progress.user_id).exists()


def test_a_window_that_killed_its_worker_repeatedly_is_postponed(progress):
    next_attempts = []
    for _ in range(MAX_IMMEDIATE_CLAIMS):
        kill_worker(progress)
        progress.refresh_from_db()
        next_attempts.append(progress.next_attempt_at)
    assert next_attempts == [*[None] * (MAX_IMMEDIATE_CLAIMS - 1), NOW + mining.CRASH_PAUSE]


def test_the_mining_lock_is_per_user_and_can_be_taken_again(alice, bob):
    with mining.sole_miner(alice.id) as first, mining.sole_miner(bob.id) as other:
        assert first
        assert other
    with mining.sole_miner(alice.id) as again:
        assert again


def test_tombstones_match_the_same_words_at_the_same_second(as_alice):
    digest = utterance_digest("Hush.", NOW)
    Tombstone.objects.create(user_id=as_alice.id, kind="text", digest=digest, deletion_id=uuid4())
    same = utterance_digest("Hush.", NOW.replace(microsecond=999))
    assert same == digest
    others = [
        utterance_digest("Hush.", NOW + timedelta(seconds=1)),
        utterance_digest("Hush", NOW),
    ]
    assert tombstoned(as_alice.id, [same, *others, text_digest("Hush.")]) == {digest}


def test_the_progress_advances_once_and_clears_failures(as_alice):
    source = replace(chat("Hm."), user_id=as_alice.id)
    assert [mining.move_pointer(source, before, 8, NOW) for before in (3, 0, 0)] == [False, True, False]
    progress = progress_of(as_alice.id, "conversation", source.source_id)
    mining.record_failure(progress, "Boom", NOW)
    assert [mining.move_pointer(source, before, 16, NOW) for before in (8, 8, 5)] == [True, False, False]
    progress.refresh_from_db()
    assert (progress.mined_through, progress.state, progress.attempts) == (16, "ready", 0)
    assert (progress.error, progress.next_attempt_at) == ("", None)
