"""The users and the work that the sweep queues."""

from datetime import timedelta

import pytest
from django.db import DataError, connection, transaction

import jobs.sweep as sweeping
from accounts.tenancy import tenant
from chat.models import Conversation
from jobs.sweep import sweep
from llm import current
from llm.errors import EmbedderUnavailable
from memory.changes import log
from memory.changes.rows import RowDiff
from memory.forgetting.trash import delete
from memory.mining.progress import give_up_on_crashing_windows
from memory.mining.reextraction import request_all
from memory.models import (
    ActivityEvent,
    ChangeSet,
    ConsolidationRun,
    Drawer,
    MinedWindow,
    MiningProgress,
    RowChange,
)
from memory.placement import lock_palace
from memory.projections.upkeep import refresh_due
from tests.drills.ledger import NOW, converse, mine, remember
from tests.fake_gateway import FakeChat
from transfer.models import ImportRun

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture(autouse=True)
def _consolidated(alice, bob):
    """Both palaces were consolidated just now."""
    for person in (alice, bob):
        with tenant(person.id), transaction.atomic():
            lock_palace(person.id)
            ConsolidationRun.objects.create(user_id=person.id, state="applied", planned_at=NOW)


@pytest.fixture
def said(alice):
    """A chat of Alice."""
    with tenant(alice.id):
        return converse(alice.id, "I live in Porto.")


@pytest.fixture
def mined(alice, said):
    with tenant(alice.id):
        mine(alice.id)


def swept(queued, now=NOW):
    """The jobs queued by a sweep, except `refresh_projections`, which every new fact queues."""
    queued()
    sweep(now)
    return sorted(name for name, _ in queued() if name != "refresh_projections")


def test_only_users_with_due_work_are_queued(alice, bob, said, queued):
    for _ in range(2):
        sweep(NOW)
        assert queued() == [("mine", (str(alice.id),))], "a lost job is queued again"
    with tenant(alice.id):
        mine(alice.id)
    sweep(NOW)
    assert queued() == [("refresh_projections", (str(alice.id),))]
    with tenant(alice.id):
        refresh_due(alice.id, NOW)
    sweep(NOW)
    assert queued() == []


def test_error_of_one_user_stops_the_sweep_only_if_the_database_is_lost(
    alice, bob, said, queued, monkeypatch
):
    with tenant(bob.id):
        converse(bob.id, "I live in Porto.")
    broken, other = sorted((alice.id, bob.id))

    def give_up(user_id, now):
        if user_id == broken:
            raise DataError("I live in Porto.")
        return give_up_on_crashing_windows(user_id, now)

    monkeypatch.setattr(sweeping, "give_up_on_crashing_windows", give_up)
    sweep(NOW)
    assert queued() == [("mine", (str(other),))]
    monkeypatch.setattr(connection, "is_usable", lambda: False)
    with pytest.raises(DataError):
        sweep(NOW)


def test_missing_vectors_are_queued_when_the_embedder_is_available(alice, said, queued, embedder):
    with tenant(alice.id):
        embedder.fail_with(EmbedderUnavailable("Away."))
        mine(alice.id)
    embedder.fail_with(None)
    assert swept(queued) == ["embed_missing"]


@pytest.mark.parametrize("after_an_outage", [False, True])
def test_reextraction_is_queued_when_there_is_a_model(alice, mined, queued, after_an_outage):
    """If it was requested, or there was an outage before."""
    with tenant(alice.id):
        if after_an_outage:
            MinedWindow.objects.update(reason="unavailable")
        else:
            request_all(alice.id, NOW)
    assert swept(queued) == [], "there is no model"
    with current.using(chat=FakeChat()):
        for _ in range(2):
            assert swept(queued) == ["reextract"]
        with tenant(alice.id):
            converse(alice.id, "My sister is Olga.")
        assert swept(queued) == ["mine"], "new messages come first"


def test_window_that_kills_its_worker_is_given_up(alice, said, queued):
    with tenant(alice.id):
        MiningProgress.objects.create(
            user_id=alice.id, source_kind="conversation", source_id=said.id, claims=20
        )
    assert swept(queued) == []
    with tenant(alice.id):
        assert MiningProgress.objects.get().error == "WorkerDied"


def test_trash_is_emptied_after_thirty_days(alice):
    with tenant(alice.id):
        remember(alice.id, "I live in Porto.", "Good.")
        delete(alice.id, "drawer", Drawer.objects.first().id, NOW)
    for after, drawers in ((timedelta(days=30), 2), *[(timedelta(days=30, seconds=1), 1)] * 2):
        sweep(NOW + after)
        with tenant(alice.id):
            assert Drawer.objects.count() == drawers
    with tenant(alice.id):
        (event,) = ActivityEvent.objects.filter(kind=ActivityEvent.Kind.PURGED)
        assert event.details == {"drawers": 1}


def test_import_is_mined_after_it_is_complete(alice, said, queued):
    def change(model, **values):
        with tenant(alice.id):
            model.objects.update(**values)

    with tenant(alice.id):
        run = ImportRun.objects.create(user_id=alice.id, state="running", active_at=NOW)
    assert swept(queued) == []
    assert swept(queued, NOW + timedelta(minutes=3)) == ["mine"]
    change(ImportRun, path=f"{alice.id}/{run.id}")
    assert "mine" not in swept(queued, NOW + timedelta(days=3))
    change(ImportRun, state="done")
    assert swept(queued) == ["mine"]
    change(ImportRun, state="running")
    change(Conversation, source="chat")
    assert "mine" in swept(queued)


def test_consolidation_is_queued_weekly(queued):
    assert swept(queued, NOW + timedelta(days=7, seconds=-1)) == []
    assert swept(queued, NOW + timedelta(days=7)) == ["consolidate_memory", "consolidate_memory"]


def test_row_changes_are_removed_after_thirty_days(alice, queued):
    with tenant(alice.id):
        run = ConsolidationRun.objects.get()
        ConsolidationRun.objects.update(applied_at=NOW)
        row = RowDiff("memory.closet", run.id, {"name": "x"}, None)
        log.record(alice.id, log.Area.CONSOLIDATION, log.Change("removed", "closet", run.id, (row,)), NOW)
    sweep(NOW + timedelta(days=31))
    with tenant(alice.id):
        assert ChangeSet.objects.exists()
        assert not RowChange.objects.exists()
