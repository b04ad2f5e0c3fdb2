import os
import stat
from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import ActivityEvent
from tests.chat.ledger import NOW, export_of
from tests.transfer.importing.exports import as_file
from transfer.importing.archives import ImportUnreadable
from transfer.imports import (
    MOST_WAITING,
    UploadNotKept,
    attend,
    begin,
    cancel,
    look_through,
    receive,
    tidy,
    unattended,
)
from transfer.models import ImportRun, RefusedEntry

BROKEN = {"id": "broken", "title": "Broken"}
EXPORT = export_of({"boats": ["A boat!", "Which?"], "tea": ["Jasmine."]}, [BROKEN])

pytestmark = pytest.mark.usefixtures("uploads")


def clock():
    return NOW


def received(user, value=EXPORT):
    return receive(user.id, [as_file(value).getvalue()], NOW)


def fresh(run):
    return ImportRun.objects.get(id=run.id)


def test_an_upload_is_kept_where_only_the_server_can_read_it(as_alice, uploads):
    run = received(as_alice)
    path = run.upload
    assert path == uploads / str(as_alice.id) / str(run.id)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert (run.state, run.format) == ("checking", "ChatGPT")


@pytest.mark.parametrize("value", [b"<html>", b"[]", b"PK\x03\x04 and no zip"])
def test_what_is_no_export_is_refused_at_once_and_not_kept(as_alice, uploads, value):
    with pytest.raises(ImportUnreadable):
        received(as_alice, value)
    assert not ImportRun.objects.exists()
    assert [path for path in uploads.rglob("*") if path.is_file()] == []


def test_a_full_disk_is_told_in_a_sentence(as_alice, uploads):
    uploads.write_text("in the way of the folder")
    with pytest.raises(UploadNotKept, match="This server cannot keep the file: "):
        received(as_alice)
    assert not ImportRun.objects.exists()


def test_nobody_piles_up_uploads(as_alice):
    for _ in range(MOST_WAITING):
        received(as_alice)
    with pytest.raises(UploadNotKept, match="waiting already"):
        received(as_alice)


def test_a_look_through_the_file_counts_and_writes_nothing_to_the_ledger(as_alice):
    run = received(as_alice)
    look_through(run, clock)
    run = fresh(run)
    assert run.state == "ready"
    assert {name: run.preview[name] for name in ("entries", "conversations", "messages")} == {
        "entries": 3, "conversations": 2, "messages": 3,
    }  # fmt: skip
    assert run.preview["broken"] == 1
    assert run.preview["first_said_at"].startswith("2023-11-14")
    assert "Broken" not in str(run.preview)
    assert RefusedEntry.objects.get().where == "entry 3 (“Broken”)"
    assert not Conversation.objects.exists()


def test_it_waits_for_its_owner_and_is_then_imported_and_deleted(as_alice):
    run = received(as_alice)
    attend(as_alice.id, run.id, clock)
    attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "ready"
    assert begin(run, NOW)
    assert not begin(run, NOW)
    attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "done"
    assert (fresh(run).messages, Message.objects.count()) == (3, 3)
    assert RefusedEntry.objects.count() == 1
    assert not run.upload.exists()
    attend(as_alice.id, run.id, clock)
    assert fresh(run).messages == 3


def test_a_run_at_work_elsewhere_is_left_alone(as_alice, monkeypatch):
    run = received(as_alice)

    class Busy:
        def __enter__(self):
            return False

        def __exit__(self, *_):
            return None

    monkeypatch.setattr("transfer.imports.sole_importer", lambda run_id: Busy())
    attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "checking"


def test_somebody_elses_run_is_not_attended_to(as_alice, bob):
    run = received(as_alice)
    with tenant(bob.id):
        attend(bob.id, run.id, clock)
        attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "checking"


def test_cancelled_it_is_gone_with_its_file(as_alice):
    run = received(as_alice)
    look_through(run, clock)
    assert cancel(run, NOW)
    assert not run.upload.exists()
    assert not ImportRun.objects.exists()
    assert not RefusedEntry.objects.exists()


def test_an_import_under_way_is_stopped_and_keeps_what_it_brought(as_alice, monkeypatch):
    run = received(as_alice)
    look_through(run, clock)
    begin(run, NOW)

    def stopping():
        if Conversation.objects.exists():
            cancel(run, NOW)
        return NOW

    attend(as_alice.id, run.id, stopping)
    stopped = fresh(run)
    assert (stopped.state, stopped.conversations, stopped.messages) == ("cancelled", 1, 2)
    assert Conversation.objects.count() == 1
    assert not run.upload.exists()
    assert not cancel(run, NOW)
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.IMPORTED)
    assert event.details["conversations"] == 1
    attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "cancelled"


def test_a_file_that_stops_early_brings_nothing(as_alice):
    whole = as_file(export_of({f"c{n}": ["Words.", "Yes."] for n in range(9)})).getvalue()
    run = receive(as_alice.id, [whole[: whole.rindex(b"}") + 1]], NOW)
    attend(as_alice.id, run.id, clock)
    assert (fresh(run).state, fresh(run).error[:27]) == ("failed", "This file stops before its ")
    assert not Conversation.objects.exists()
    assert not run.upload.exists()


def test_a_file_lost_on_the_way_fails_the_run_in_a_sentence(as_alice):
    run = received(as_alice)
    run.upload.unlink()
    attend(as_alice.id, run.id, clock)
    assert fresh(run).state == "failed"
    assert fresh(run).error == "This file cannot be read: No such file or directory."


def test_a_run_cancelled_while_it_was_looked_through_stays_gone(as_alice):
    run = received(as_alice)

    def cancelling():
        ImportRun.objects.all().delete()
        return NOW

    look_through(run, cancelling)
    assert not ImportRun.objects.exists()
    assert not RefusedEntry.objects.exists()


def test_runs_whose_worker_is_silent_are_found_again(as_alice):
    run = received(as_alice)
    assert unattended(as_alice.id, NOW) == []
    later = NOW + timedelta(minutes=1)
    assert unattended(as_alice.id, later) == [run.id]
    look_through(run, clock)
    assert unattended(as_alice.id, later) == []
    begin(run, NOW)
    assert unattended(as_alice.id, later) == [run.id]
    ImportRun.objects.update(state="running", active_at=later)
    assert unattended(as_alice.id, later) == []


def test_a_foreground_run_is_not_for_a_worker(as_alice):
    ImportRun.objects.create(user_id=as_alice.id, active_at=NOW, state="running")
    assert unattended(as_alice.id, NOW + timedelta(days=1)) == []


def test_tidying_drops_what_nobody_decided_about_and_files_without_a_run(as_alice):
    undecided = received(as_alice)
    look_through(undecided, clock)
    orphan = undecided.upload.with_name("orphan")
    orphan.write_text("left behind")
    old = (NOW - timedelta(days=1)).timestamp()
    os.utime(orphan, (old, old))
    tidy(as_alice.id, NOW)
    assert undecided.upload.exists()
    assert not orphan.exists()
    tidy(as_alice.id, NOW + timedelta(days=8))
    assert not undecided.upload.exists()
    assert not ImportRun.objects.exists()


def test_a_file_that_is_just_arriving_is_not_tidied_away(as_alice):
    run = received(as_alice)
    arriving = run.upload.with_name("arriving")
    arriving.write_text("a first chunk")
    os.utime(arriving, (NOW.timestamp(), NOW.timestamp()))
    tidy(as_alice.id, NOW)
    assert arriving.exists()
