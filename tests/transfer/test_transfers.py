"""Exports and restores in the background, up to files that nobody needs any more."""

import os
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.facts.review import decisions
from memory.forgetting.account_deletion import close_account
from memory.forgetting.requests import empty_trash, forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Drawer, Fact, Forgetting
from tests.drills.ledger import NOW, Clock
from tests.transfer.exporting.furnished import BAKES, contents, export
from transfer import transfers
from transfer.imports import clean_up
from transfer.models import ImportRun, Transfer, folder_of
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


def attend(transfer, clock=None):
    process_transfer(transfer.user_id, transfer.id, clock or Clock())
    transfer.refresh_from_db()
    return transfer


def test_an_export_is_made_and_can_be_fetched(furnished):
    transfer = attend(request_export(furnished.id, NOW))
    assert (transfer.state, transfer.counts["drawers"]) == ("done", 12)
    path = file_of(transfer, NOW)
    assert path.stat().st_size == transfer.size
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert contents(path.read_bytes())["data/drawers.jsonl"].count(b"\n") == 12
    assert ActivityEvent.objects.filter(kind="exported").count() == 1


def test_a_person_has_one_export_at_once_and_few_files(furnished):
    asked = request_export(furnished.id, NOW)
    assert request_export(furnished.id, NOW).id == asked.id
    for _ in range(2):
        receive_export(furnished.id, [b""], NOW)
    with pytest.raises(TransferRefused, match="already waiting"):
        receive_export(furnished.id, [b""], NOW)


def test_a_file_is_looked_through_and_restored_when_its_owner_says_so(furnished, bob):
    archive = export(furnished.id)
    with tenant(bob.id):
        transfer = attend(receive_export(bob.id, [archive], NOW))
        assert (transfer.state, transfer.counts["added"]["drawers"]) == ("ready", 12)
        assert not Drawer.objects.exists()
        assert attend(transfer).state == "ready"
        assert begin_restore(transfer, NOW)
        assert not begin_restore(transfer, NOW)
        assert attend(transfer).state == "done"
        assert Drawer.objects.count() == 12
        assert list(folder_of(bob.id).iterdir()) == []
        assert not stop(transfer), "it is too late"
        assert Transfer.objects.get().state == "done"


def test_files_are_deleted_after_a_day(furnished):
    made = attend(request_export(furnished.id, NOW))
    undecided = attend(receive_export(furnished.id, [made.file.read_bytes()], NOW))
    later, path = NOW + timedelta(days=1), made.file
    assert path.exists()
    assert file_of(made, later) is None
    clean_up_transfers(furnished.id, later)
    assert (fresh(made).name, file_of(made, NOW)) == ("", None)
    assert fresh(undecided).state == "failed"
    assert list(folder_of(furnished.id).iterdir()) == []


def test_tidying_leaves_what_a_transfer_needs(furnished):
    transfer = attend(request_export(furnished.id, NOW))
    folder = folder_of(furnished.id)
    astray = folder / "astray"
    astray.write_bytes(b"x")
    for path in (astray, folder):
        os.utime(path, (0, 0))
    clean_up(furnished.id, NOW)
    assert transfer.file.exists(), "tidying uploads leaves transfers alone"
    clean_up_transfers(furnished.id, timezone.now())
    assert not astray.exists()
    assert transfer.file.exists() == (transfer.expires_at > timezone.now())


def test_a_worker_that_dies_is_replaced_and_not_for_ever(furnished):
    transfer = request_export(furnished.id, NOW)
    assert stalled_transfers(furnished.id, NOW) == []
    assert stalled_transfers(furnished.id, NOW + timedelta(minutes=1)) == [transfer.id]
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=1)
    assert attend(transfer).state == "done"
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=3)
    transfer = attend(transfer)
    assert transfer.state == "failed"
    assert "too many times" in transfer.error


def test_no_more_than_the_newest_exports_are_kept(furnished):
    made = []
    for hours in range(5):
        now = NOW + timedelta(hours=hours)
        made.append(attend(request_export(furnished.id, now), Clock(now)))
    assert [file_of(each, now) is not None for each in map(fresh, made)] == [False] * 2 + [True] * 3
    assert len(list(folder_of(furnished.id).iterdir())) == 3


def fresh(transfer):
    transfer.refresh_from_db()
    return transfer


def forget_bread(user, *, for_good):
    wish = ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id)
    return (forget_now if for_good else forget)(user.id, wish, NOW)


@pytest.mark.parametrize("for_good", [False, True])
def test_an_export_does_not_outlive_what_is_forgotten(furnished, for_good):
    transfer = attend(request_export(furnished.id, NOW))
    receipt = forget_bread(furnished, for_good=for_good)
    assert file_of(transfer, NOW) is None
    assert list(folder_of(furnished.id).iterdir()) == []
    assert receipt.erased.get("files", 0) == int(for_good), "what went is on the receipt"
    assert "forgotten after" in fresh(transfer).error
    again = attend(request_export(furnished.id, NOW))
    assert file_of(again, NOW) is not None


def test_erasing_deletes_files_that_wait_to_be_restored(furnished):
    transfer = attend(receive_export(furnished.id, [export(furnished.id)], NOW))
    forget_bread(furnished, for_good=False)
    assert fresh(transfer).state == "ready"
    empty_trash(furnished.id, NOW + timedelta(days=31))
    assert (fresh(transfer).state, transfer.name) == ("failed", "")
    assert list(folder_of(furnished.id).iterdir()) == []
    assert Forgetting.objects.get(scope="drawer", final_at__isnull=False).erased["files"] == 1


def test_deletions_elsewhere_are_noticed_when_the_file_is_fetched(furnished):
    """Pages of the palace put drawers into the trash without knowing of exports."""
    transfer = attend(request_export(furnished.id, NOW))
    decisions.delete(furnished.id, [Fact.objects.get(statement="The user lives in Lisbon.").id], NOW)
    assert file_of(transfer, NOW) is None
    transfer = attend(request_export(furnished.id, NOW))
    delete(furnished.id, "drawer", Drawer.objects.get(content=BAKES).id, NOW)
    assert file_of(transfer, NOW) is None
    clean_up_transfers(furnished.id, NOW)
    assert list(folder_of(furnished.id).iterdir()) == []


def test_an_export_that_waits_is_made_after_what_was_forgotten(furnished):
    transfer = request_export(furnished.id, NOW)
    forget_bread(furnished, for_good=True)
    transfer = attend(transfer)
    files = contents(file_of(transfer, NOW).read_bytes())
    assert not [name for name, data in files.items() if BAKES.encode() in data]


def test_nothing_is_left_of_a_closed_account(furnished, uploads):
    transfer = attend(request_export(furnished.id, NOW))
    assert transfer.file.is_relative_to(uploads / str(furnished.id))
    assert close_account(furnished).files == 1
    assert not folder_of(furnished.id).exists()


def test_lists_of_runs_are_their_owners(furnished, bob):
    made, back = request_export(furnished.id, NOW), receive_export(furnished.id, [b"PK"], NOW)
    run = ImportRun.objects.create(user_id=furnished.id)
    for direction, transfer in ((Transfer.Direction.EXPORT, made), (Transfer.Direction.RESTORE, back)):
        page = transfers.transfers(furnished.id, direction, "", 2)
        assert [each.id for each in page.items] == [transfer.id]
    with pytest.raises(NotFound):
        transfers.transfer(furnished.id, Transfer.Direction.EXPORT, back.id)
    with tenant(bob.id), pytest.raises(NotFound):
        transfers.import_run(bob.id, run.id)
