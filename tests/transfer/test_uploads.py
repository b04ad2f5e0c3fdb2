"""Uploaded exports: their files, their workers, and the sweep."""

import os
import stat
from contextlib import nullcontext
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from jobs.sweep import sweep
from memory.models import ActivityEvent
from tests.chat.ledger import NOW, Killed, export_of
from tests.transfer.conftest import files_in, run_job
from tests.transfer.importing.exports import as_file, as_zip
from transfer.file_jobs import JobRefused, StorageFailed, delete_strays, folder_of, stalled
from transfer.importing.archives import FileRefused
from transfer.imports import cancel, drop_undecided, preview_upload, process, receive
from transfer.models import ImportRun, RefusedEntry
from transfer.transfers import process_transfer, receive_export, request_export

EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [{"id": "x", "title": "Broken"}])

pytestmark = pytest.mark.usefixtures("uploads")


def clock():
    return NOW


def received(user, now=NOW):
    return receive(user.id, [as_file(EXPORT).getvalue()], now)


@pytest.fixture
def run(as_alice):
    """A newly uploaded run."""
    return received(as_alice)


def fresh(run):
    return ImportRun.objects.get(id=run.id)


def test_upload_of_several_files_is_kept_until_it_is_imported(as_alice, uploads):
    chats = {"boats": ["A boat!"], "tea": ["Jasmine."]}
    zips = [as_zip({"conversations.json": export_of({key: chats[key]})}).getvalue() for key in chats]
    first, *others = ([data] for data in (*zips, *[as_zip({"a.png": b"x"}).getvalue()] * 9))
    run = receive(as_alice.id, first, NOW, others)
    assert (run.state, run.format, run.file) == (
        "checking", "ChatGPT", uploads / str(as_alice.id) / str(run.id),
    )  # fmt: skip
    kept = run.files()
    assert [path.read_bytes() for path in kept[:2]] == zips
    assert [path.suffix for path in kept] == ["", *(f".{number}" for number in range(1, 11))]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE(run.file.parent.stat().st_mode) == 0o700
    delete_strays(as_alice.id, timezone.now() + timedelta(days=1))
    assert files_in(uploads)
    preview_upload(run, clock)
    drop_undecided(as_alice.id, NOW)
    assert len(files_in(uploads)) == 11
    assert run.begin(NOW)
    process(as_alice.id, run.id, clock)
    assert (fresh(run).state, fresh(run).conversations) == ("done", 2)
    assert files_in(uploads) == []
    with pytest.raises(FileRefused, match="damaged"):
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
    with pytest.raises(JobRefused, match="This server cannot store the file: "):
        received(as_alice)
    assert not ImportRun.objects.exists()
    uploads.unlink()
    for _ in range(ImportRun.MAX_OPEN):
        received(as_alice)
    with pytest.raises(JobRefused, match="already waiting"):
        received(as_alice)


def test_file_that_fills_the_disk_is_removed(as_alice, uploads, settings, monkeypatch):
    megabyte = 1024**2
    free = [settings.MIN_FREE_MB * megabyte + 2 * megabyte]

    def write(user_id, file, *_):
        for _ in range(1024):
            file.write(bytes(megabyte // 16))
            written.append(file.tell())

    written: list[int] = []
    usage = Mock(side_effect=lambda _: Mock(free=free[0] - sum(p.stat().st_size for p in files_in(uploads))))
    monkeypatch.setattr("transfer.file_jobs.shutil.disk_usage", usage)
    monkeypatch.setattr("transfer.transfers.write_export", write)
    exported = request_export(as_alice.id, NOW)
    process_transfer(as_alice.id, exported.id, clock)
    exported.refresh_from_db()
    assert (exported.state, files_in(uploads)) == ("failed", [])
    assert exported.error == "This server cannot store or read the file: No space left on device."
    assert max(written) <= 4 * megabyte
    refused = r"This server cannot store the file: No space left on device\."
    for store in (receive, receive_export):
        with pytest.raises(StorageFailed, match=refused):
            store(as_alice.id, [bytes(megabyte)] * 4, NOW)
    assert files_in(uploads) == []
    free[0] += 4 * megabyte
    assert receive_export(as_alice.id, [bytes(megabyte)] * 4, NOW).size == 4 * megabyte


def test_run_is_processed_by_one_worker_and_only_for_its_owner(as_alice, bob, run, monkeypatch):
    with tenant(bob.id):
        for user in (bob, as_alice):
            process(user.id, run.id, clock)
    monkeypatch.setattr("transfer.file_jobs.sole_worker", lambda job_id: nullcontext(False))
    process(as_alice.id, run.id, clock)
    assert fresh(run).state == "checking"
    monkeypatch.undo()
    ImportRun.objects.all().delete()
    process(as_alice.id, run.id, clock)
    assert not Conversation.objects.exists()


def test_run_cancelled_during_the_check_is_not_recreated(run):
    preview_upload(run, lambda: ImportRun.objects.all().delete() and NOW)
    assert not ImportRun.objects.exists()
    assert not RefusedEntry.objects.exists()


def test_stopped_import_keeps_what_it_imported(as_alice, run):
    def stopping():
        if Conversation.objects.exists():
            cancel(run, NOW)
        return NOW

    preview_upload(run, clock)
    run.begin(NOW)
    process(as_alice.id, run.id, stopping)
    stopped = fresh(run)
    assert (stopped.state, stopped.conversations, stopped.messages) == ("cancelled", 1, 2)
    assert Conversation.objects.count() == 1
    assert not run.file.exists()
    assert not cancel(run, NOW)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.IMPORTED)
    assert event.details["conversations"] == 1
    process(as_alice.id, run.id, clock)
    assert fresh(run).state == "cancelled"


def test_missing_upload_fails_the_run_with_the_reason(as_alice, run):
    run.file.unlink()
    process(as_alice.id, run.id, clock)
    assert fresh(run).state == "failed"
    assert fresh(run).error == "This server cannot store or read the file: No such file or directory."


@pytest.mark.parametrize(("attempts", "state"), [(2, "ready"), (3, "failed")])
def test_import_that_kills_its_workers_is_tried_three_times(as_alice, run, attempts, state):
    ImportRun.objects.update(attempts=attempts)
    process(as_alice.id, run.id, clock)
    assert (fresh(run).state, run.file.exists()) == (state, state == "ready")
    assert (fresh(run).attempts == 0) == (state == "ready")
    assert fresh(run).error == ("" if state == "ready" else "This server was interrupted too many times.")


def test_a_killed_attempt_counts(as_alice, run, monkeypatch):
    monkeypatch.setattr("transfer.imports.preview_upload", Mock(side_effect=Killed))
    for attempts in (1, 2):
        with pytest.raises(Killed):
            process(as_alice.id, run.id, clock)
        assert fresh(run).attempts == attempts


def test_stalled_runs_are_found(as_alice, run):
    later = NOW + timedelta(minutes=1)
    assert stalled(ImportRun, as_alice.id, NOW) == []
    assert stalled(ImportRun, as_alice.id, later) == [run]
    preview_upload(run, clock)
    assert stalled(ImportRun, as_alice.id, later) == []
    run.begin(NOW)
    assert stalled(ImportRun, as_alice.id, later) == [run]
    ImportRun.objects.update(state="running", active_at=later)
    ImportRun.objects.create(user_id=as_alice.id, active_at=NOW, state="running")
    assert stalled(ImportRun, as_alice.id, later) == [], "a run in the foreground is not for a worker"


def test_cleanup_deletes_undecided_runs_and_orphaned_files(as_alice, run):
    preview_upload(run, clock)
    exported = request_export(as_alice.id, NOW).file
    orphan, arriving = run.file.with_name("orphan"), run.file.with_name("arriving")
    for path, at in ((orphan, NOW - timedelta(days=1)), (exported, NOW - timedelta(days=1)), (arriving, NOW)):
        path.write_text("words")
        os.utime(path, (at.timestamp(), at.timestamp()))
    drop_undecided(as_alice.id, NOW)
    delete_strays(as_alice.id, NOW)
    assert [path.exists() for path in (run.file, orphan, exported, arriving)] == [True, False, True, True]
    drop_undecided(as_alice.id, NOW + timedelta(days=8))
    assert not run.file.exists()
    assert not ImportRun.objects.exists()


def test_sweep_requeues_lost_jobs_and_those_of_dead_workers(alice, queued, monkeypatch):
    def swept(**later):
        queued()
        sweep(timezone.now() + timedelta(**later))
        jobs = queued()
        assert not any("conversations" in str(each) for each in jobs), "messages carry ids only"
        return [arguments for name, arguments in jobs if name == "run_import"]

    with tenant(alice.id):
        run = received(alice, now=timezone.now())
    ids = (str(alice.id), str(run.id))
    assert swept() == []
    assert swept(minutes=1) == [ids]
    run_job(run)
    with tenant(alice.id):
        run.begin(timezone.now())
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr("transfer.imports._finish", Mock(side_effect=Killed))
        run_job(run)
    assert swept(minutes=1) == [ids]
    queued()
    run_job(run)
    assert ("mine", (str(alice.id),)) in queued()
    with tenant(alice.id):
        done = ImportRun.objects.get()
        assert (done.state, done.messages, Message.objects.count()) == ("done", 3, 3)
        assert (done.path, files_in(folder_of(alice.id))) == ("", [])
    assert swept(minutes=2) == []
