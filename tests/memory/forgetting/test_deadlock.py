"""Closing an account while one of its jobs locks rows in another order."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from django.db import OperationalError, connection, transaction

from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.account_deletion import close_account
from memory.models import Wing
from palace.postgres.base import as_owner
from tests.conftest import create_user

WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def wait_for_a_blocked_session():
    """Return as soon as a session of this database waits for a lock."""
    for _ in range(400):
        with as_owner(), connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return
        sleep(0.01)
    raise TimeoutError


def work_on(user_id, wing_id, row_locked):
    """Change a row, and add another once the account is being closed; returns which side was aborted."""
    try:
        with tenant(user_id), transaction.atomic():
            Wing.objects.filter(user_id=user_id, id=wing_id).update(name="Held")
            row_locked.set()
            wait_for_a_blocked_session()
            Wing.objects.create(user_id=user_id, ordinal=99, kind="project", name="Late")
    except OperationalError:
        return "job"
    finally:
        connection.close()
    return "closing"


@pytest.mark.django_db(transaction=True)
def test_closing_an_account_survives_a_deadlock_with_a_job():
    """The database aborts the first to wait for a second; on a busy machine that may be the job."""
    for name in ("alice", "bob", "carol"):
        user = create_user(name)
        aborted = close_during_a_job(user)
        assert not User.objects.filter(id=user.id).exists()
        if aborted == "closing":
            return
    raise AssertionError("The database never stopped the closing of an account.")


def close_during_a_job(user):
    """Close an account while one of its jobs runs; returns which side the database aborted."""
    with tenant(user.id):
        wing = Wing.objects.create(user_id=user.id, ordinal=98, kind="project", name="Mine")
    row_locked = Event()
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(work_on, user.id, wing.id, row_locked)
        assert row_locked.wait(10)
        assert close_account(user).found == ()
        return job.result()
