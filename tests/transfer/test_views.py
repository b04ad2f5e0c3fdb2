"""The pages of export and restore."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from jobs.actors import run_transfer
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.models import Drawer
from tests.html import check_page
from tests.transfer.exporting.furnished import BAKES, LATER
from transfer.models import UNDO_PERIOD, Transfer, folder_of
from transfer.transfers import clean_up_transfers

pytestmark = pytest.mark.usefixtures("uploads")
PAGE = "chat:exports"


@pytest.fixture
def alice(palace):
    return palace


@pytest.fixture
def made(alice, alice_client, queued):
    """A finished export of Alice."""
    alice_client.post(reverse(PAGE))
    transfer = only(alice)
    run_transfer.fn(str(alice.id), str(transfer.id))
    return only(alice)


def only(user):
    with tenant(user.id):
        return Transfer.objects.get()


def at(name, transfer):
    return reverse(f"chat:{name}", args=[transfer.id])


@pytest.fixture
def forget_bread(alice):
    """Forget a drawer that is in the export."""

    def forgetting():
        with tenant(alice.id):
            forget(alice.id, ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id), LATER)

    return forgetting


def test_import_page_links_to_exports(alice_client, client):
    assert "Create export" in check_page(alice_client.get(reverse(PAGE)))
    assert reverse(PAGE) in alice_client.get(reverse("chat:import")).content.decode()
    assert client.get(reverse(PAGE)).status_code == 302
    assert client.post(reverse("chat:restore_export")).status_code == 302


def test_file_that_is_not_an_export_is_refused(bob_client, bob, queued):
    file = SimpleUploadedFile("mine.zip", b"<script>alert(1)</script>")
    bob_client.post(reverse("chat:restore_export"), {"file": file})
    transfer = only(bob)
    run_transfer.fn(str(bob.id), str(transfer.id))
    assert "not a zip" in check_page(bob_client.get(at("transfer", transfer)))
    assert (only(bob).state, list(folder_of(bob.id).iterdir())) == ("failed", [])
    response = bob_client.post(reverse("chat:restore_export"))
    assert "Choose a file first." in check_page(response, 422)


def test_deleted_export_can_be_restored_for_an_hour(alice_client, made):
    for _ in range(2):
        assert alice_client.post(at("transfer_drop", made)).url == reverse(PAGE)
        for name in ("transfer", "transfer_state", "fetch_export"):
            assert alice_client.get(at(name, made)).status_code == 404
        page = check_page(alice_client.get(reverse(PAGE)))
        assert at("fetch_export", made) not in page
        assert at("transfer_undo", made) in page
        for _ in range(2):
            back = check_page(alice_client.post(at("transfer_undo", made), follow=True))
            assert "The export was restored." in back
            assert "Your export is ready" in back
    with tenant(made.user_id):
        clean_up_transfers(made.user_id, timezone.now() + UNDO_PERIOD)
        assert made.file.exists()
        alice_client.post(at("transfer_drop", made))
        clean_up_transfers(made.user_id, timezone.now())
        assert made.file.exists()
        clean_up_transfers(made.user_id, timezone.now() + UNDO_PERIOD)
        assert not made.file.exists()
    assert alice_client.post(at("transfer_undo", made)).status_code == 404


@pytest.mark.parametrize("dropped", [False, True])
def test_page_explains_that_an_export_was_deleted_by_forgetting(alice_client, made, forget_bread, dropped):
    if dropped:
        alice_client.post(at("transfer_drop", made))
    forget_bread()
    assert not made.file.exists()
    if dropped:
        html = check_page(alice_client.post(at("transfer_undo", made), follow=True))
    else:
        html = check_page(alice_client.get(at("transfer", made)))
        assert "Something was forgotten after" in html
    assert "no longer kept" in html
    assert alice_client.get(at("fetch_export", made)).status_code == 404


def test_running_export_can_be_stopped(alice_client, alice, queued):
    alice_client.post(reverse(PAGE))
    transfer = only(alice)
    assert at("transfer_stop", transfer) in check_page(alice_client.get(at("transfer", transfer)))
    response = alice_client.post(at("transfer_stop", transfer), follow=True)
    assert "its file deleted" in check_page(response)
    assert alice_client.get(at("transfer", transfer)).status_code == 404
    run_transfer.fn(str(alice.id), str(transfer.id))
