"""Exports and restores in the background, up to files that nobody needs any more."""

import os
from contextlib import closing
from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection
from django.utils import timezone

from accounts.tenancy import tenant
from memory.facts.review import decisions
from memory.forgetting.account_deletion import close_account
from memory.forgetting.requests import empty_trash, forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Drawer, Fact, Forgetting, Wing
from tests.drills.ledger import NOW, Clock
from tests.transfer.exporting.furnished import BAKES, contents, export, furnish
from transfer.imports import tidy
from transfer.models import Transfer, folder_of
from transfer.transfers import (
    TransferRefused,
    ask_export,
    attend_transfer,
    begin_restore,
    drop,
    file_of,
    receive_export,
    stop,
    tidy_transfers,
    unattended_transfers,
)

pytestmark = pytest.mark.usefixtures("uploads")


@pytest.fixture
def furnished(as_alice):
    furnish(as_alice.id)
    return as_alice


def attend(transfer, clock=None):
    attend_transfer(transfer.user_id, transfer.id, clock or Clock())
    transfer.refresh_from_db()
    return transfer


def test_an_export_is_made_and_can_be_fetched(furnished):
    transfer = attend(ask_export(furnished.id, NOW))
    assert (transfer.state, transfer.counts["drawers"]) == ("done", 12)
    path = file_of(transfer, NOW)
    assert path.stat().st_size == transfer.size
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert contents(path.read_bytes())["data/drawers.jsonl"].count(b"\n") == 12
    assert ActivityEvent.objects.filter(kind="exported").count() == 1


def test_one_wing_only(furnished):
    wing = Wing.objects.order_by("ordinal").first()
    transfer = attend(ask_export(furnished.id, NOW, wing.id))
    assert "messages" not in transfer.counts
    assert transfer.counts["wings"] == 1


def test_asking_again_does_not_begin_another(furnished):
    assert ask_export(furnished.id, NOW).id == ask_export(furnished.id, NOW).id


def test_too_many_at_once_are_refused(furnished):
    wings = list(Wing.objects.values_list("id", flat=True)[:3])
    for wing in wings:
        ask_export(furnished.id, NOW, wing)
    with pytest.raises(TransferRefused, match="waiting already"):
        ask_export(furnished.id, NOW)


def test_a_wing_of_somebody_else_is_none(furnished, bob):
    wing = Wing.objects.first()
    with tenant(bob.id), pytest.raises(TransferRefused, match="no such wing"):
        ask_export(bob.id, NOW, wing.id)


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


def test_what_cannot_be_restored_says_so_and_is_deleted(as_alice):
    transfer = attend(receive_export(as_alice.id, [b"PK nonsense"], NOW))
    assert transfer.state == "failed"
    assert "not a zip" in transfer.error
    assert list(folder_of(as_alice.id).iterdir()) == []


def test_after_a_day_the_file_is_deleted(furnished):
    transfer = attend(ask_export(furnished.id, NOW))
    later, path = NOW + timedelta(days=1), transfer.file
    assert file_of(transfer, later) is None
    tidy_transfers(furnished.id, later)
    assert not path.exists()
    transfer.refresh_from_db()
    assert transfer.name == ""
    assert file_of(transfer, NOW) is None


def test_a_file_nobody_decided_about_is_deleted_too(as_alice, furnished):
    transfer = attend(receive_export(as_alice.id, [export(as_alice.id)], NOW))
    tidy_transfers(as_alice.id, NOW + timedelta(days=1))
    transfer.refresh_from_db()
    assert (transfer.state, list(folder_of(as_alice.id).iterdir())) == ("failed", [])


def test_files_that_no_transfer_needs_are_deleted(furnished):
    transfer = attend(ask_export(furnished.id, NOW))
    astray = folder_of(furnished.id) / "astray"
    astray.write_bytes(b"x")
    os.utime(astray, (0, 0))
    tidy_transfers(furnished.id, timezone.now())
    assert not astray.exists()
    assert transfer.file.exists() == (transfer.expires_at > timezone.now())


def test_a_worker_that_dies_is_replaced_and_not_for_ever(furnished):
    transfer = ask_export(furnished.id, NOW)
    assert unattended_transfers(furnished.id, NOW) == []
    assert unattended_transfers(furnished.id, NOW + timedelta(minutes=1)) == [transfer.id]
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=1)
    assert attend(transfer).state == "done"
    Transfer.objects.filter(id=transfer.id).update(state="running", attempts=3)
    transfer = attend(transfer)
    assert transfer.state == "failed"
    assert "too often" in transfer.error


def test_a_file_can_be_deleted_at_once(furnished):
    transfer = ask_export(furnished.id, NOW)
    assert not drop(transfer)
    attend(transfer)
    path = transfer.file
    assert drop(transfer)
    assert not path.exists()
    assert not Transfer.objects.exists()


def test_no_more_than_the_newest_exports_are_kept(furnished):
    made = []
    for hours in range(5):
        now = NOW + timedelta(hours=hours)
        made.append(attend(ask_export(furnished.id, now), Clock(now)))
    assert [file_of(each, now) is not None for each in map(fresh, made)] == [False] * 2 + [True] * 3
    assert len(list(folder_of(furnished.id).iterdir())) == 3


def fresh(transfer):
    transfer.refresh_from_db()
    return transfer


class Meanwhile(Clock):
    """A clock that moves by itself, and at whose fourth look its owner does something elsewhere."""

    def __init__(self, user, does):
        super().__init__()
        self.looks = 0
        self.user, self.does = user, does

    def __call__(self):
        self.looks += 1
        self.move(seconds=2)
        if self.looks == 4:
            elsewhere = Thread(target=self._do)
            elsewhere.start()
            elsewhere.join()
        return self.now

    def _do(self):
        with closing(connection), tenant(self.user.id):
            self.does()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("transferred", ["export", "looked through", "restored"])
def test_a_worker_stops_when_its_transfer_is_given_up(furnished, bob, transferred):
    archive = export(furnished.id)
    user = furnished if transferred == "export" else bob
    with tenant(user.id):
        before = Drawer.objects.count()
        if transferred == "export":
            transfer = ask_export(user.id, NOW)
        else:
            transfer = receive_export(user.id, [archive], NOW)
        if transferred == "restored":
            attend(transfer)
            assert begin_restore(transfer, NOW)
        clock = Meanwhile(user, lambda: stop(Transfer.objects.get()))
        attend_transfer(user.id, transfer.id, clock)
        assert clock.looks >= 4
        assert not Transfer.objects.exists()
        assert list(folder_of(user.id).iterdir()) == []
        assert Drawer.objects.count() == before
        assert not ActivityEvent.objects.filter(kind__in=("exported", "restored_export")).exists()


def test_it_is_too_late_to_stop_what_is_restored(furnished, bob):
    with tenant(bob.id):
        transfer = attend(receive_export(bob.id, [export(furnished.id)], NOW))
        begin_restore(transfer, NOW)
        attend(transfer)
        assert not stop(transfer)
        assert Transfer.objects.get().state == "done"


def forget_bread(user, *, for_good):
    wish = ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id)
    return (forget_now if for_good else forget)(user.id, wish, NOW)


@pytest.mark.parametrize("for_good", [False, True])
def test_an_export_does_not_outlive_what_is_forgotten(furnished, for_good):
    transfer = attend(ask_export(furnished.id, NOW))
    receipt = forget_bread(furnished, for_good=for_good)
    assert file_of(transfer, NOW) is None
    assert list(folder_of(furnished.id).iterdir()) == []
    assert receipt.erased.get("files", 0) == int(for_good), "what went is on the receipt"
    assert "forgotten since" in fresh(transfer).error
    again = attend(ask_export(furnished.id, NOW))
    assert file_of(again, NOW) is not None


def test_erasing_deletes_files_that_wait_to_be_restored(furnished):
    transfer = attend(receive_export(furnished.id, [export(furnished.id)], NOW))
    forget_bread(furnished, for_good=False)
    assert fresh(transfer).state == "ready"
    empty_trash(furnished.id, NOW + timedelta(days=31))
    assert (fresh(transfer).state, transfer.name) == ("failed", "")
    assert list(folder_of(furnished.id).iterdir()) == []
    assert Forgetting.objects.get(scope="drawer", final_at__isnull=False).erased["files"] == 1


def test_what_memory_forgets_by_itself_is_noticed_by_the_sweep(furnished):
    """Pages of the palace put drawers into the trash without knowing of exports."""
    transfer = attend(ask_export(furnished.id, NOW))
    delete(furnished.id, "drawer", Drawer.objects.get(content=BAKES).id, NOW)
    assert file_of(transfer, NOW) is None
    tidy_transfers(furnished.id, NOW)
    assert list(folder_of(furnished.id).iterdir()) == []


def test_a_fact_that_was_deleted_is_forgotten_too(furnished):
    transfer = attend(ask_export(furnished.id, NOW))
    decisions.delete(furnished.id, Fact.objects.get(statement="The user lives in Lisbon.").id, NOW)
    assert file_of(transfer, NOW) is None


@pytest.mark.django_db(transaction=True)
def test_an_export_under_way_is_not_kept_when_something_is_forgotten(furnished):
    transfer = ask_export(furnished.id, NOW)
    clock = Meanwhile(furnished, lambda: forget_bread(furnished, for_good=False))
    attend_transfer(furnished.id, transfer.id, clock)
    assert fresh(transfer).state == "failed"
    assert "forgotten since" in transfer.error
    assert list(folder_of(furnished.id).iterdir()) == []


def test_an_export_that_waits_is_made_after_what_was_forgotten(furnished):
    transfer = ask_export(furnished.id, NOW)
    forget_bread(furnished, for_good=True)
    transfer = attend(transfer)
    files = contents(file_of(transfer, NOW).read_bytes())
    assert not [name for name, data in files.items() if BAKES.encode() in data]


def test_nothing_is_left_of_a_closed_account(furnished, uploads):
    transfer = attend(ask_export(furnished.id, NOW))
    assert transfer.file.is_relative_to(uploads / str(furnished.id))
    assert close_account(furnished).files == 1
    assert not folder_of(furnished.id).exists()


def test_uploads_and_transfers_do_not_tidy_each_other_away(furnished):
    attend(ask_export(furnished.id, NOW))
    folder = folder_of(furnished.id)
    os.utime(folder, (0, 0))
    tidy(furnished.id, NOW)
    assert len(list(folder.iterdir())) == 1
