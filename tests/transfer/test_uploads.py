"""Uploads, from the page to the worker and the sweep."""

import os
import stat
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from jobs.actors import run_import
from jobs.sweep import sweep
from memory.models import ActivityEvent
from tests.chat.ledger import NOW, export_of
from tests.transfer.importing.exports import as_file, as_zip
from transfer.importing.archives import ImportUnreadable
from transfer.imports import (
    MAX_WAITING,
    StorageFailed,
    UploadRejected,
    begin,
    cancel,
    clean_up,
    preview_upload,
    process,
    receive,
    stalled,
)
from transfer.models import ImportRun, RefusedEntry
from transfer.transfers import process_transfer, receive_export, request_export

BROKEN = {"id": "broken", "title": "Broken"}
EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [BROKEN])
MINUTE = timedelta(minutes=1)

pytestmark = pytest.mark.usefixtures("uploads")


def clock():
    return NOW


def received(user, value=EXPORT, now=NOW):
    return receive(user.id, [as_file(value).getvalue()], now)


@pytest.fixture
def run(as_alice):
    """A newly uploaded run."""
    return received(as_alice)


@pytest.fixture
def confirmed(run):
    """A checked and confirmed run."""
    preview_upload(run, clock)
    assert begin(run, NOW)
    return run


def fresh(run):
    return ImportRun.objects.get(id=run.id)


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_upload_is_readable_only_by_the_server(as_alice, run, uploads):
    path = run.upload
    assert path == uploads / str(as_alice.id) / str(run.id)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert (run.state, run.format) == ("checking", "ChatGPT")


def test_several_files_are_one_upload(as_alice, uploads):
    chats = {"boats": ["A boat!"], "tea": ["Jasmine."]}
    zips = [as_zip({"conversations.json": export_of({key: chats[key]})}).getvalue() for key in chats]
    first, *others = ([data] for data in (*zips, *[as_zip({"a.png": b"x"}).getvalue()] * 9))
    run = receive(as_alice.id, first, NOW, others)
    kept = run.uploads()
    assert [path.read_bytes() for path in kept[:2]] == zips
    assert [path.suffix for path in kept] == ["", *(f".{number}" for number in range(1, 11))]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    clean_up(as_alice.id, timezone.now() + timedelta(days=1))
    assert files_in(uploads)
    preview_upload(run, clock)
    clean_up(as_alice.id, NOW)
    assert len(files_in(uploads)) == 11
    assert begin(run, NOW)
    process(as_alice.id, run.id, clock)
    assert (fresh(run).state, fresh(run).conversations) == ("done", 2)
    assert files_in(uploads) == []
    with pytest.raises(ImportUnreadable, match="damaged"):
        receive(as_alice.id, [zips[0]], NOW, [[b"PK nonsense"]])
    assert files_in(uploads) == []


def test_cancelling_a_run_without_an_upload_deletes_nothing(as_alice, uploads):
    beside = uploads.with_name(f"{uploads.name}.1")
    beside.write_text("not an upload")
    run = ImportRun.objects.create(user_id=as_alice.id, state="running")
    assert cancel(run, NOW)
    assert beside.exists()


def test_too_many_uploads_and_storage_errors_are_refused_with_the_reason(as_alice, uploads):
    uploads.write_text("in the way of the folder")
    with pytest.raises(UploadRejected, match="This server cannot store the file: "):
        received(as_alice)
    assert not ImportRun.objects.exists()
    uploads.unlink()
    for _ in range(MAX_WAITING):
        received(as_alice)
    with pytest.raises(UploadRejected, match="already waiting"):
        received(as_alice)


def test_nearly_full_disk_refuses_uploads_and_exports(as_alice, uploads, settings):
    settings.MIN_FREE_MB = 10**12
    refused = r"This server cannot store the file: No space left on device\."
    for store in (received, lambda user: receive_export(user.id, [b"words"], NOW)):
        with pytest.raises(StorageFailed, match=refused):
            store(as_alice)
    exported = request_export(as_alice.id, NOW)
    process_transfer(as_alice.id, exported.id, clock)
    exported.refresh_from_db()
    assert (exported.state, "No space left on device" in exported.error) == ("failed", True)
    assert (files_in(uploads), ImportRun.objects.count()) == ([], 0)


def test_file_that_fills_the_disk_is_removed(as_alice, uploads, settings, monkeypatch):
    megabyte = 1024**2
    free = [settings.MIN_FREE_MB * megabyte + 2 * megabyte]

    def usage(folder):
        size = sum(path.stat().st_size for path in uploads.rglob("*") if path.is_file())
        return Mock(free=free[0] - size)

    def write(user_id, file, *_):
        for _ in range(1024):
            file.write(bytes(megabyte // 16))
            written.append(file.tell())

    written: list[int] = []
    monkeypatch.setattr("transfer.models.shutil.disk_usage", usage)
    monkeypatch.setattr("transfer.transfers.write_export", write)
    exported = request_export(as_alice.id, NOW)
    process_transfer(as_alice.id, exported.id, clock)
    exported.refresh_from_db()
    assert (exported.state, files_in(uploads)) == ("failed", [])
    assert exported.error == "This server cannot store or read the file: No space left on device."
    assert max(written) <= 4 * megabyte
    with pytest.raises(StorageFailed, match="No space left on device"):
        receive_export(as_alice.id, [bytes(megabyte)] * 4, NOW)
    assert files_in(uploads) == []
    free[0] += 4 * megabyte
    assert receive_export(as_alice.id, [bytes(megabyte)] * 4, NOW).size == 4 * megabyte


def test_run_is_processed_by_one_worker_and_only_for_its_owner(as_alice, bob, run, monkeypatch):
    class Busy:
        def __enter__(self):
            return False

        def __exit__(self, *_):
            return None

    with tenant(bob.id):
        for user in (bob, as_alice):
            process(user.id, run.id, clock)
    monkeypatch.setattr("transfer.imports.sole_importer", lambda run_id: Busy())
    process(as_alice.id, run.id, clock)
    assert fresh(run).state == "checking"
    monkeypatch.undo()
    ImportRun.objects.all().delete()
    process(as_alice.id, run.id, clock)
    assert not Conversation.objects.exists()


def test_run_cancelled_during_the_check_is_not_recreated(run):
    def cancelling():
        ImportRun.objects.all().delete()
        return NOW

    preview_upload(run, cancelling)
    assert not ImportRun.objects.exists()
    assert not RefusedEntry.objects.exists()


def test_stopped_import_keeps_what_it_imported(as_alice, confirmed):
    def stopping():
        if Conversation.objects.exists():
            cancel(confirmed, NOW)
        return NOW

    process(as_alice.id, confirmed.id, stopping)
    stopped = fresh(confirmed)
    assert (stopped.state, stopped.conversations, stopped.messages) == ("cancelled", 1, 2)
    assert Conversation.objects.count() == 1
    assert not confirmed.upload.exists()
    assert not cancel(confirmed, NOW)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.IMPORTED)
    assert event.details["conversations"] == 1
    process(as_alice.id, confirmed.id, clock)
    assert fresh(confirmed).state == "cancelled"


def test_missing_upload_fails_the_run_with_the_reason(as_alice, run):
    run.upload.unlink()
    process(as_alice.id, run.id, clock)
    assert fresh(run).error == "This file cannot be read: No such file or directory."
    assert fresh(run).state == "failed"


def test_stalled_runs_are_found(as_alice, run):
    later = NOW + MINUTE
    assert stalled(as_alice.id, NOW) == []
    assert stalled(as_alice.id, later) == [run.id]
    preview_upload(run, clock)
    assert stalled(as_alice.id, later) == []
    begin(run, NOW)
    assert stalled(as_alice.id, later) == [run.id]
    ImportRun.objects.update(state="running", active_at=later)
    assert stalled(as_alice.id, later) == []
    ImportRun.objects.create(user_id=as_alice.id, active_at=NOW, state="running")
    assert stalled(as_alice.id, later) == [], "a run in the foreground is not for a worker"


def test_cleanup_deletes_undecided_runs_and_orphaned_files(as_alice, run):
    preview_upload(run, clock)
    orphan, arriving = run.upload.with_name("orphan"), run.upload.with_name("arriving")
    for path, at in ((orphan, NOW - timedelta(days=1)), (arriving, NOW)):
        path.write_text("words")
        os.utime(path, (at.timestamp(), at.timestamp()))
    clean_up(as_alice.id, NOW)
    assert [path.exists() for path in (run.upload, orphan, arriving)] == [True, False, True]
    clean_up(as_alice.id, NOW + timedelta(days=8))
    assert not run.upload.exists()
    assert not ImportRun.objects.exists()


@pytest.fixture
def uploaded(alice):
    """A run uploaded just now, for a worker."""
    with tenant(alice.id):
        return received(alice, now=timezone.now())


def jobs_of_sweep(queued, actor, **later):
    """The jobs that the sweep queues for this actor."""
    queued()
    sweep(timezone.now() + timedelta(**later))
    jobs = queued()
    assert not any("conversations" in str(each) for each in jobs), "messages carry ids only"
    return [arguments for name, arguments in jobs if name == actor]


def test_sweep_requeues_lost_jobs_and_those_of_dead_workers(alice, uploaded, queued, monkeypatch):
    class Died(BaseException):
        pass

    def die(*_):
        raise Died

    ids = (str(alice.id), str(uploaded.id))
    assert jobs_of_sweep(queued, "run_import") == []
    assert jobs_of_sweep(queued, "run_import", minutes=1) == [ids]
    run_import.fn(*ids)
    with tenant(alice.id):
        begin(uploaded, timezone.now())
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr("transfer.imports._finish", die)
        run_import.fn(*ids)
    assert jobs_of_sweep(queued, "run_import", minutes=1) == [ids]
    queued()
    run_import.fn(*ids)
    assert ("mine", (str(alice.id),)) in queued()
    with tenant(alice.id):
        done = ImportRun.objects.get()
        assert (done.state, done.messages, Message.objects.count()) == ("done", 3, 3)
        assert not done.upload.exists()
    assert jobs_of_sweep(queued, "run_import", minutes=2) == []
