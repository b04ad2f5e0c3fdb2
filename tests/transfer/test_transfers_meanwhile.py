"""Transfers while something else happens, with committed transactions."""

from contextlib import closing
from threading import Thread

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from jobs.actors import run_transfer
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.models import ActivityEvent, Drawer
from tests.drills.ledger import NOW, Clock
from tests.transfer.exporting.furnished import BAKES, contents, export, furnish
from transfer.file_jobs import folder_of
from transfer.models import OPEN, Transfer
from transfer.transfers import process_transfer, receive_export, request_export

pytestmark = [pytest.mark.usefixtures("uploads"), pytest.mark.django_db(transaction=True)]


@pytest.fixture
def furnished(as_alice):
    furnish(as_alice.id)
    return as_alice


def interrupted(user, transfer, action):
    """Process a transfer; when it reads the clock for the fourth time, run `action` as the same user."""
    readings, clock = 0, Clock()

    def act():
        with closing(connection), tenant(user.id):
            action()

    def read():
        nonlocal readings
        readings += 1
        clock.move(seconds=2)
        if readings == 4:
            thread = Thread(target=act)
            thread.start()
            thread.join()
        return clock.now

    process_transfer(user.id, transfer.id, read)
    assert readings >= 4
    assert list(folder_of(user.id).iterdir()) == []


@pytest.mark.parametrize("transferred", ["export", "checked", "restored"])
def test_worker_stops_when_its_transfer_is_stopped(furnished, bob, transferred):
    archive = export(furnished.id)
    user = furnished if transferred == "export" else bob
    with tenant(user.id):
        before = Drawer.objects.count()
        if transferred == "export":
            transfer = request_export(user.id, NOW)
        else:
            transfer = receive_export(user.id, [archive], NOW)
        if transferred == "restored":
            process_transfer(user.id, transfer.id, Clock())
            transfer.refresh_from_db()
            assert transfer.begin(NOW)
        interrupted(user, transfer, lambda: Transfer.objects.get().remove(*OPEN))
        assert not Transfer.objects.exists()
        assert Drawer.objects.count() == before
        assert not ActivityEvent.objects.filter(kind__in=("exported", "restored_export")).exists()


def test_running_export_fails_when_something_is_forgotten(furnished):
    transfer = request_export(furnished.id, NOW)
    request = ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id)
    interrupted(furnished, transfer, lambda: forget(furnished.id, request, NOW))
    transfer.refresh_from_db()
    assert transfer.state == "failed"
    assert "forgotten after" in transfer.error


@pytest.mark.usefixtures("close_connections")
async def test_only_the_owner_can_download_the_file(alice, bob):
    client, other = AsyncClient(), AsyncClient()
    await client.aforce_login(alice)
    await other.aforce_login(bob)
    transfer = await sync_to_async(_export)(alice)
    address = reverse("chat:fetch_export", args=[transfer.id])
    response = await client.get(address)
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"].startswith('attachment; filename="palace-20')
    assert "no-store" in response["Cache-Control"]
    body = b"".join([piece async for piece in response.streaming_content])
    assert len(body) == int(response["Content-Length"]) == transfer.size
    assert "manifest.json" in contents(body)
    assert (await other.get(address)).status_code == 404
    assert (await AsyncClient().get(address)).status_code == 302
    assert (await client.post(address)).status_code == 405


def _export(user):
    with closing(connection), tenant(user.id):
        transfer = request_export(user.id, timezone.now())
        run_transfer.fn(str(user.id), str(transfer.id))
        return Transfer.objects.get(id=transfer.id)
