"""Exports and restores in the background, and the clean-up of their files."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from memory.facts.review import decisions
from memory.forgetting.account_deletion import close_account
from memory.forgetting.requests import empty_trash, forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Drawer, Fact, Forgetting
from tests.drills.ledger import NOW, Clock
from tests.transfer.exporting.furnished import BAKES, contents, export
from transfer.imports import clean_up
from transfer.models import Transfer, folder_of
from transfer.transfers import (
    TransferRefused,
    begin_restore,
    clean_up_transfers,
    file_of,
    process_transfer,
    receive_export,
    request_export,
    stalled_transfers,
    stop,
)

pytestmark = pytest.mark.usefixtures("uploads")


@pytest.fixture
def alice(palace):
    return palace


@pytest.fixture
def furnished(as_alice):
    return as_alice


def process(transfer, clock=None):
    process_transfer(transfer.user_id, transfer.id, clock or Clock())
    transfer.refresh_from_db()
    return transfer


def test_export_is_created_and_can_be_downloaded(furnished):
    transfer = process(request_export(furnished.id, NOW))
    assert (transfer.state, transfer.counts["drawers"]) == ("done", 12)
    path = file_of(transfer, NOW)
    assert path.stat().st_size == transfer.size
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert contents(path.read_bytes())["data/drawers.jsonl"].count(b"\n") == 12
    assert ActivityEvent.objects.filter(kind="exported").count() == 1


def test_user_has_one_pending_export_and_few_uploads(furnished):
    requested = request_export(furnished.id, NOW)
    assert request_export(furnished.id, NOW).id == requested.id
    for _ in range(2):
        receive_export(furnished.id, [b""], NOW)
    with pytest.raises(TransferRefused, match="already waiting"):
        receive_export(furnished.id, [b""], NOW)


def test_upload_is_checked_and_restored_after_confirmation(furnished, bob):
    archive = export(furnished.id)
    with tenant(bob.id):
        transfer = process(receive_export(bob.id, [archive], NOW))
        assert (transfer.state, transfer.counts["added"]["drawers"]) == ("ready", 12)
        assert not Drawer.objects.exists()
        assert process(transfer).state == "ready"
        assert begin_restore(transfer, NOW)
        assert not begin_restore(transfer, NOW)
        assert process(transfer).state == "done"
        assert Drawer.objects.count() == 12
        assert list(folder_of(bob.id).iterdir()) == []
        assert not stop(transfer), "it is too late"
        assert Transfer.objects.get().state == "done"


def test_files_are_deleted_after_a_day(furnished):
    made = process(request_export(furnished.id, NOW))
    undecided = process(receive_export(furnished.id, [made.file.read_bytes()], NOW))
    later, path = NOW + timedelta(days=1), made.file
    assert path.exists()
    assert file_of(made, later) is None
    clean_up_transfers(furnished.id, later)
    assert (fresh(made).name, file_of(made, NOW)) == ("", None)
    assert fresh(undecided).state == "failed"
    assert list(folder_of(furnished.id).iterdir()) == []


def test_cleanup_keeps_files_of_transfers(furnished):
    transfer = process(request_export(furnished.id, NOW))
    folder = folder_of(furnished.id)
    orphan = folder / "astray"
    orphan.write_bytes(b"x")
    for path in (orphan, folder):
        os.utime(path, (0, 0))
    clean_up(furnished.id, NOW)
    assert transfer.file.exists(), "cleaning up uploads leaves transfers alone"
    clean_up_transfers(furnished.id, timezone.now())
    assert not orphan.exists()
    assert transfer.file.exists() == (transfer.expires_at > timezone.now())


def test_stalled_transfer_is_retried_a_limited_number_of_times(furnished):
    transfer = request_export(furnished.id, NOW)
    assert stalled_transfers(furnished.id, NOW) == []
    assert stalled_transfers(furnished.id, NOW + timedelta(minutes=1)) == [transfer.id]
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=1)
    assert process(transfer).state == "done"
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=3)
    transfer = process(transfer)
    assert transfer.state == "failed"
    assert "too many times" in transfer.error


def test_finished_transfers_have_processed_every_row(furnished):
    export = request_export(furnished.id, NOW)
    Transfer.objects.filter(id=export.id).update(total=393)
    export = process(export)
    assert (export.state, export.done, export.total) == ("done", 393, 393)
    back = receive_export(furnished.id, [export.file.read_bytes()], NOW)
    Transfer.objects.filter(id=back.id).update(total=393)
    for state in ("ready", "done"):
        back = process(back)
        assert (back.state, back.done) == (state, 393)
        begin_restore(back, NOW)


def test_only_the_three_newest_exports_are_kept(furnished):
    made = []
    for hours in range(5):
        now = NOW + timedelta(hours=hours)
        made.append(process(request_export(furnished.id, now), Clock(now)))
    assert [file_of(each, now) is not None for each in map(fresh, made)] == [False] * 2 + [True] * 3
    assert len(list(folder_of(furnished.id).iterdir())) == 3


def fresh(transfer):
    transfer.refresh_from_db()
    return transfer


def forget_bread(user, *, erase):
    request = ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id)
    return (forget_now if erase else forget)(user.id, request, NOW)


@pytest.mark.parametrize("erase", [False, True])
def test_export_file_is_deleted_when_something_in_it_is_forgotten(furnished, erase):
    transfer = process(request_export(furnished.id, NOW))
    receipt = forget_bread(furnished, erase=erase)
    assert file_of(transfer, NOW) is None
    assert list(folder_of(furnished.id).iterdir()) == []
    assert receipt.erased.get("files", 0) == int(erase), "deleted files are on the receipt"
    assert "forgotten after" in fresh(transfer).error
    again = process(request_export(furnished.id, NOW))
    assert file_of(again, NOW) is not None


def test_erasing_deletes_uploads_that_wait_to_be_restored(furnished):
    transfer = process(receive_export(furnished.id, [export(furnished.id)], NOW))
    forget_bread(furnished, erase=False)
    assert fresh(transfer).state == "ready"
    empty_trash(furnished.id, NOW + timedelta(days=31))
    assert (fresh(transfer).state, transfer.name) == ("failed", "")
    assert list(folder_of(furnished.id).iterdir()) == []
    assert Forgetting.objects.get(scope="drawer", final_at__isnull=False).erased["files"] == 1


def test_export_is_withdrawn_after_deletions_on_other_pages(furnished):
    """Pages of the palace move drawers to the trash without knowing about exports."""
    transfer = process(request_export(furnished.id, NOW))
    decisions.delete(furnished.id, [Fact.objects.get(statement="The user lives in Lisbon.").id], NOW)
    assert file_of(transfer, NOW) is None
    transfer = process(request_export(furnished.id, NOW))
    delete(furnished.id, "drawer", Drawer.objects.get(content=BAKES).id, NOW)
    assert file_of(transfer, NOW) is None
    clean_up_transfers(furnished.id, NOW)
    assert list(folder_of(furnished.id).iterdir()) == []


def test_pending_export_omits_what_was_forgotten_meanwhile(furnished):
    transfer = request_export(furnished.id, NOW)
    forget_bread(furnished, erase=True)
    transfer = process(transfer)
    files = contents(file_of(transfer, NOW).read_bytes())
    assert not [name for name, data in files.items() if BAKES.encode() in data]


def test_closing_an_account_deletes_its_files(furnished, uploads):
    transfer = process(request_export(furnished.id, NOW))
    assert transfer.file.is_relative_to(uploads / str(furnished.id))
    assert close_account(furnished).files == 1
    assert not folder_of(furnished.id).exists()
