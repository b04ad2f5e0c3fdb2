"""Background jobs while a model takes minutes to answer, and while the database accepts no connections."""

import threading
from datetime import timedelta
from inspect import signature
from uuid import uuid4

import dramatiq
import pytest
from django.db import connection
from django.utils import timezone
from dramatiq.worker import WorkerThread

from accounts.tenancy import operator, tenant
from chat.mining.run import unmined_messages
from jobs.actors import mine
from jobs.sweep import sweep
from memory.models import MiningProgress
from palace.management.commands import worker
from tests.chat.conftest import endpoint
from tests.drills import ledger
from tests.drills.ledger import converse
from tests.openai_server import Behaviour, OpenAIServer
from tests.palace.processes import eventually
from tests.palace.test_health import EXHAUSTED, refusing_connections

FOREVER = 3_600.0
IDLE = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queued")]


@pytest.fixture
def slow(settings, close_connections):
    """A model that does not answer the first request before the test ends."""
    settings.WORKER_THREADS = 4
    with OpenAIServer(Behaviour("chat", stall_s=FOREVER)) as server, endpoint(server.base_url):
        yield server
    for thread in threading.enumerate():
        if isinstance(thread, WorkerThread):
            thread.join()


@pytest.fixture
def stop(slow, queued, monkeypatch):
    """Run a worker in this process; setting the event stops it."""
    monkeypatch.setattr(worker, "GRACE_MS", 100)
    monkeypatch.setattr(worker, "_reset_watchdog", lambda: None)
    ended = threading.Event()
    process = threading.Thread(target=worker.run_worker, args=(ended,), kwargs={"threads": 4})
    process.start()
    yield ended
    ended.set()
    process.join(10)
    assert not process.is_alive(), "a slow call does not delay the shutdown"


def test_slow_model_call_does_not_delay_other_users(alice, bob, slow, stop):
    for person in (alice, bob):
        with tenant(person.id):
            converse(person.id, "I live in Porto.", at=timezone.now() - timedelta(days=1))
    mine.send(str(alice.id))
    eventually(lambda: slow.received("chat"))
    with operator(), connection.cursor() as cursor:
        cursor.execute(IDLE)
        assert cursor.fetchone() == (0,), "no transaction is open during the call"
    for _ in range(3):
        sweep(timezone.now())
        mine.send(str(alice.id))
    mine.send(str(bob.id))
    with tenant(bob.id):
        eventually(lambda: unmined_messages(bob.id) == 0)
    stop.set()
    with tenant(alice.id):
        progress = MiningProgress.objects.get()
        assert (progress.state, progress.attempts, progress.claims) == ("ready", 0, 1)


def test_jobs_wait_for_the_database_and_count_no_failed_attempt(alice, embedder, subtests):
    with tenant(alice.id):
        converse(alice.id, "I live in Porto.", "Lovely.")
    jobs = [each for each in dramatiq.get_broker().actors.values() if each.options.get("for_user")]
    assert len(jobs) > 9
    with refusing_connections(EXHAUSTED):
        for job in jobs:
            with subtests.test(job.actor_name):
                ids = [alice.id, uuid4()][: len(signature(job.fn).parameters)]
                job.fn(*map(str, ids))
    with tenant(alice.id):
        assert not MiningProgress.objects.exists()
        assert ledger.mine(alice.id).windows == 1
