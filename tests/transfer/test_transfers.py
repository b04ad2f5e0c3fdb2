"""Exports and restores in the background with their pages, and the clean-up of their files."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.tenancy import tenant
from jobs.actors import run_transfer
from memory.facts.review import decisions
from memory.forgetting.requests import empty_trash, forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Drawer, Fact, Forgetting
from tests.drills.ledger import NOW, Clock
from tests.html import check_page
from tests.transfer.conftest import at
from tests.transfer.exporting.furnished import BAKES, contents, export
from transfer.file_jobs import JobRefused, folder_of
from transfer.models import OPEN, Transfer
from transfer.transfers import (
    delete_expired,
    file_of,
    process_transfer,
    receive_export,
    request_export,
)

pytestmark = pytest.mark.usefixtures("uploads")
PAGE = "chat:exports"


@pytest.fixture
def alice(palace):
    return palace


@pytest.fixture
def made(as_alice):
    """A finished export of Alice, whose tenant is active."""
    return process(request_export(as_alice.id, NOW))


def process(transfer, clock=None):
    process_transfer(transfer.user_id, transfer.id, clock or Clock())
    return fresh(transfer)


def fresh(transfer):
    transfer.refresh_from_db()
    return transfer


def files_of(user):
    return list(folder_of(user.id).iterdir())


def only(user):
    with tenant(user.id):
        return Transfer.objects.get()


def forget_bread(user, *, erase=False):
    request = ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id)
    return (forget_now if erase else forget)(user.id, request, NOW)


def test_export_is_created_with_every_row_and_can_be_downloaded(as_alice, uploads):
    transfer = request_export(as_alice.id, NOW)
    assert request_export(as_alice.id, NOW).id == transfer.id, "one waits at a time"
    Transfer.objects.filter(id=transfer.id).update(total=393)
    process(transfer)
    assert (transfer.state, transfer.counts["drawers"]) == ("done", 12)
    assert (transfer.done, transfer.total) == (393, 393)
    path = file_of(transfer, NOW)
    assert path.parent == uploads / str(as_alice.id), "which is deleted with the account"
    assert path.stat().st_size == transfer.size
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert contents(path.read_bytes())["data/drawers.jsonl"].count(b"\n") == 12
    assert ActivityEvent.objects.filter(kind="exported").count() == 1


def test_upload_is_checked_and_restored_after_confirmation(as_alice, bob):
    archive = export(as_alice.id)
    with tenant(bob.id):
        transfer = receive_export(bob.id, [archive], NOW)
        Transfer.objects.filter(id=transfer.id).update(total=393)
        process(transfer)
        assert (transfer.state, transfer.counts["added"]["drawers"], transfer.done) == ("ready", 12, 393)
        assert not Drawer.objects.exists()
        assert process(transfer).state == "ready"
        assert transfer.begin(NOW)
        assert not transfer.begin(NOW)
        assert (process(transfer).state, transfer.done) == ("done", 393)
        assert Drawer.objects.count() == 12
        assert files_of(bob) == []
        assert not transfer.remove(*OPEN), "it is too late"
        assert Transfer.objects.get().state == "done"
        for _ in range(3):
            receive_export(bob.id, [b""], NOW)
        with pytest.raises(JobRefused, match="already waiting"):
            receive_export(bob.id, [b""], NOW)


def test_files_are_deleted_after_a_day(as_alice, made):
    undecided = process(receive_export(as_alice.id, [made.file.read_bytes()], NOW))
    later = NOW + timedelta(days=1)
    assert made.file.exists()
    assert file_of(made, later) is None
    delete_expired(as_alice.id, later)
    assert (fresh(made).path, file_of(made, NOW)) == ("", None)
    assert fresh(undecided).state == "failed"
    assert undecided.error == "The file was deleted after one day."
    assert files_of(as_alice) == []


def test_only_the_three_newest_exports_are_kept(as_alice):
    made = []
    for hours in range(5):
        now = NOW + timedelta(hours=hours)
        made.append(process(request_export(as_alice.id, now), Clock(now)))
    assert [file_of(each, now) is not None for each in map(fresh, made)] == [False] * 2 + [True] * 3
    assert len(files_of(as_alice)) == 3


@pytest.mark.parametrize("erase", [False, True])
def test_export_file_is_deleted_when_something_in_it_is_forgotten(as_alice, made, erase):
    receipt = forget_bread(as_alice, erase=erase)
    assert file_of(made, NOW) is None
    assert files_of(as_alice) == []
    assert receipt.erased.get("files", 0) == int(erase), "deleted files are on the receipt"
    assert "forgotten after" in fresh(made).error
    again = process(request_export(as_alice.id, NOW))
    assert file_of(again, NOW) is not None


def test_erasing_deletes_uploads_that_wait_to_be_restored(as_alice):
    transfer = process(receive_export(as_alice.id, [export(as_alice.id)], NOW))
    forget_bread(as_alice)
    assert fresh(transfer).state == "ready"
    empty_trash(as_alice.id, NOW + timedelta(days=31))
    assert (fresh(transfer).state, transfer.path) == ("failed", "")
    assert files_of(as_alice) == []
    assert Forgetting.objects.get(scope="drawer", final_at__isnull=False).erased["files"] == 1


def test_export_is_withdrawn_after_deletions_on_other_pages(as_alice, made):
    """Pages of the palace move drawers to the trash without knowing about exports."""
    decisions.delete(as_alice.id, [Fact.objects.get(statement="The user lives in Lisbon.").id], NOW)
    assert file_of(made, NOW) is None
    transfer = process(request_export(as_alice.id, NOW))
    delete(as_alice.id, "drawer", Drawer.objects.get(content=BAKES).id, NOW)
    assert file_of(transfer, NOW) is None
    delete_expired(as_alice.id, NOW)
    assert files_of(as_alice) == []


def test_pending_export_omits_what_was_forgotten_meanwhile(as_alice):
    transfer = request_export(as_alice.id, NOW)
    forget_bread(as_alice, erase=True)
    files = contents(file_of(process(transfer), NOW).read_bytes())
    assert not [name for name, data in files.items() if BAKES.encode() in data]


@pytest.fixture
def shown(alice, alice_client, queued):
    """A finished export that Alice requested on its page."""
    alice_client.post(reverse(PAGE))
    run_transfer.fn(str(alice.id), str(only(alice).id))
    return only(alice)


def test_file_that_is_not_an_export_is_refused(bob_client, bob, client, queued):
    restore = reverse("chat:restore_export")
    assert client.get(reverse(PAGE)).status_code == client.post(restore).status_code == 302
    bob_client.post(restore, {"file": SimpleUploadedFile("mine.zip", b"<script>alert(1)</script>")})
    transfer = only(bob)
    run_transfer.fn(str(bob.id), str(transfer.id))
    assert "not a zip" in check_page(bob_client.get(at("transfer", transfer)))
    assert (only(bob).state, files_of(bob)) == ("failed", [])
    assert "Choose a file first." in check_page(bob_client.post(restore), 422)


def test_finished_export_can_be_deleted(alice_client, shown):
    html = check_page(alice_client.get(at("transfer", shown)))
    assert "This cannot be undone." in html
    assert at("transfer_delete", shown) in html
    response = alice_client.post(at("transfer_delete", shown), follow=True)
    assert "The file was deleted." in check_page(response)
    for name in ("transfer", "transfer_state", "fetch_export"):
        assert alice_client.get(at(name, shown)).status_code == 404
    assert not shown.file.exists()
    assert alice_client.post(at("transfer_delete", shown)).status_code == 404


def test_page_explains_that_an_export_was_deleted_by_forgetting(alice, alice_client, shown):
    with tenant(alice.id):
        forget_bread(alice)
    assert not shown.file.exists()
    html = check_page(alice_client.get(at("transfer", shown)))
    assert "Something was forgotten after" in html
    assert "no longer kept" in html
    assert alice_client.get(at("fetch_export", shown)).status_code == 404


def test_running_export_can_be_stopped(alice_client, alice, queued):
    assert reverse(PAGE) in check_page(alice_client.get(reverse("chat:import")))
    alice_client.post(reverse(PAGE))
    transfer = only(alice)
    assert at("transfer_delete", transfer) in check_page(alice_client.get(at("transfer", transfer)))
    response = alice_client.post(at("transfer_delete", transfer), follow=True)
    assert "its file deleted" in check_page(response)
    assert alice_client.get(at("transfer", transfer)).status_code == 404
    run_transfer.fn(str(alice.id), str(transfer.id))
