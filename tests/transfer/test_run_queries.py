from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from accounts.tenancy import tenant
from transfer import run_queries
from transfer.models import ImportRun, RefusedEntry, Transfer

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
EXPORT, RESTORE = Transfer.Direction.EXPORT, Transfer.Direction.RESTORE


def walked(read):
    """The ids of a whole list, two at a time."""
    found, after = [], ""
    while True:
        page = read(after)
        assert len(page.items) <= 2
        found.extend(row.id for row in page.items)
        after = page.after
        if not after:
            return found


def test_imports_newest_first_to_the_end(as_alice):
    made = [
        ImportRun.objects.create(user_id=as_alice.id, started_at=NOW + timedelta(hours=hour)).id
        for hour in (0, 1, 1, 2, 3)
    ]
    read = walked(lambda after: run_queries.import_runs(as_alice.id, after, 2))
    assert read == [made[4], made[3], made[2], made[1], made[0]]


def test_refused_entries_in_their_order(as_alice):
    run = ImportRun.objects.create(user_id=as_alice.id)
    made = [
        RefusedEntry.objects.create(
            user_id=as_alice.id, run_id=run.id, where=f"chat {number}", reason="Broken."
        ).id
        for number in range(5)
    ]
    assert walked(lambda after: run_queries.refused_entries(run, after, 2)) == made


def test_exports_and_restores_are_told_apart(as_alice):
    for number, direction in enumerate((EXPORT, RESTORE, EXPORT, EXPORT)):
        Transfer.objects.create(
            user_id=as_alice.id,
            direction=direction,
            asked_at=NOW + timedelta(hours=number),
            expires_at=NOW,
        )
    exports = walked(lambda after: run_queries.transfers(as_alice.id, EXPORT, after, 2))
    (back,) = walked(lambda after: run_queries.transfers(as_alice.id, RESTORE, after, 2))
    assert len(exports) == 3
    assert run_queries.transfer(as_alice.id, RESTORE, back).id == back
    with pytest.raises(run_queries.NoSuchRun):
        run_queries.transfer(as_alice.id, EXPORT, back)


def test_somebody_elses_is_not_there(as_alice, bob):
    run = ImportRun.objects.create(user_id=as_alice.id)
    with tenant(bob.id), pytest.raises(run_queries.NoSuchRun):
        run_queries.import_run(bob.id, run.id)
    with pytest.raises(run_queries.NoSuchRun):
        run_queries.import_run(as_alice.id, uuid4())
