"""Background jobs while the database takes no further connection."""

from inspect import signature
from uuid import uuid4

import dramatiq
import pytest

from accounts.tenancy import tenant
from memory.models import MiningProgress
from tests.drills.ledger import converse, mine
from tests.palace.test_health import EXHAUSTED, refusing_connections

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("embedder", "queued")]


def test_jobs_wait_for_the_database_and_count_no_failed_attempt(alice, subtests):
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
        assert mine(alice.id).windows == 1
