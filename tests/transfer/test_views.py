"""The pages of export and restore."""

from contextlib import closing

import pytest
from asgiref.sync import sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from jobs.actors import run_transfer
from memory.forgetting.requests import forget
from memory.forgetting.scopes import ForgetRequest
from memory.models import Drawer, Wing
from tests.html import check_fragment, check_page
from tests.transfer.exporting.furnished import BAKES, LATER, contents, furnish
from transfer.models import DROPPED_FOR, Transfer
from transfer.transfers import ask_export, tidy_transfers

pytestmark = pytest.mark.usefixtures("uploads")
PAGE = "chat:exports"


@pytest.fixture
def furnished(alice):
    with tenant(alice.id):
        furnish(alice.id)
    return alice


@pytest.fixture
def made(furnished, alice_client, queued):
    """An export of Alice's that is ready."""
    alice_client.post(reverse(PAGE), {"wing": ""})
    transfer = only(furnished)
    run_transfer.fn(str(furnished.id), str(transfer.id))
    return only(furnished)


def only(user):
    with tenant(user.id):
        return Transfer.objects.get()


def at(name, transfer):
    return reverse(f"chat:{name}", args=[transfer.id])


def fetch(client, url):
    """The answer with its whole body, as a server that speaks ASGI sends it."""
    response = client.get(url)
    return response, b"".join(response.streaming_content) if response.streaming else b""


def test_the_page_says_what_it_is(alice_client, furnished):
    html = check_page(alice_client.get(reverse(PAGE)))
    assert "Make an export" in html
    assert ">Home</option>" in html
    settings = alice_client.get(reverse("memory:settings"))
    assert reverse(PAGE) in settings.content.decode()


def test_a_wing_leads_to_its_export(alice_client, furnished):
    with tenant(furnished.id):
        wing = Wing.objects.get(name="Home")
    address = f"{reverse(PAGE)}?wing={wing.id}"
    assert address in alice_client.get(reverse("memory:wing", args=[wing.id])).content.decode()
    assert f'<option value="{wing.id}" selected>Home</option>' in check_page(alice_client.get(address))


def test_an_export_is_queued(alice_client, furnished, queued):
    response = alice_client.post(reverse(PAGE), {"wing": ""})
    transfer = only(furnished)
    assert response.url == at("transfer", transfer)
    assert queued() == [("run_transfer", (str(furnished.id), str(transfer.id)))]
    html = check_page(alice_client.get(response.url))
    assert "Writing your export" in html
    assert "hx-trigger" in html
    assert "hx-trigger" in check_fragment(alice_client.get(at("transfer_state", transfer)))


def test_a_wing_that_is_not_hers_is_refused(bob_client, furnished, queued):
    with tenant(furnished.id):
        wing = Wing.objects.first()
    response = bob_client.post(reverse(PAGE), {"wing": str(wing.id)})
    assert "no such wing" in check_page(response, 422)
    assert queued() == []


def test_the_page_of_a_ready_export(alice_client, made):
    html = check_page(alice_client.get(at("transfer", made)))
    assert "Your export is ready" in html
    assert at("fetch_export", made) in html
    assert "hx-trigger" not in html
    assert at("fetch_export", made) in check_page(alice_client.get(reverse(PAGE)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("close_connections")
async def test_its_owner_fetches_the_file(alice, bob):
    client, other = AsyncClient(), AsyncClient()
    await client.aforce_login(alice)
    await other.aforce_login(bob)
    transfer = await _export(alice)
    response = await client.get(at("fetch_export", transfer))
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"].startswith('attachment; filename="palace-20')
    assert "no-store" in response["Cache-Control"]
    body = b"".join([piece async for piece in response.streaming_content])
    assert len(body) == int(response["Content-Length"]) == transfer.size
    assert "manifest.json" in contents(body)
    assert (await other.get(at("fetch_export", transfer))).status_code == 404
    assert (await AsyncClient().get(at("fetch_export", transfer))).status_code == 302
    assert (await client.post(at("fetch_export", transfer))).status_code == 405


@sync_to_async
def _export(user):
    with closing(connection), tenant(user.id):
        transfer = ask_export(user.id, timezone.now())
        run_transfer.fn(str(user.id), str(transfer.id))
        return Transfer.objects.get(id=transfer.id)


def test_a_file_comes_back(alice_client, bob_client, bob, furnished, made, queued):
    file = SimpleUploadedFile("mine.zip", made.file.read_bytes())
    queued()
    response = bob_client.post(reverse("chat:restore_export"), {"file": file})
    transfer = only(bob)
    assert queued() == [("run_transfer", (str(bob.id), str(transfer.id)))]
    run_transfer.fn(str(bob.id), str(transfer.id))
    html = check_page(bob_client.get(response.url))
    assert "This would be added" in html
    assert bob_client.post(at("transfer_begin", transfer)).url == at("transfer", transfer)
    run_transfer.fn(str(bob.id), str(transfer.id))
    assert "Restored" in check_page(bob_client.get(response.url))
    with tenant(bob.id):
        assert Drawer.objects.count() == 12


def test_something_else_is_refused_in_words(bob_client, bob, queued):
    file = SimpleUploadedFile("mine.zip", b"<script>alert(1)</script>")
    bob_client.post(reverse("chat:restore_export"), {"file": file})
    transfer = only(bob)
    run_transfer.fn(str(bob.id), str(transfer.id))
    assert "not a zip" in check_page(bob_client.get(at("transfer", transfer)))


def test_without_a_file_it_says_so(bob_client, queued):
    response = bob_client.post(reverse("chat:restore_export"))
    assert "Choose a file first." in check_page(response, 422)


def test_a_file_is_deleted(alice_client, made):
    response = alice_client.post(at("transfer_drop", made))
    assert response.url == reverse(PAGE)
    for name in ("transfer", "transfer_state", "fetch_export"):
        assert alice_client.get(at(name, made)).status_code == 404
    page = check_page(alice_client.get(reverse(PAGE)))
    assert at("fetch_export", made) not in page
    assert at("transfer_take_back", made) in page


def test_a_deleted_file_is_taken_back(alice_client, made):
    alice_client.post(at("transfer_drop", made))
    for _ in range(2):
        back = check_page(alice_client.post(at("transfer_take_back", made), follow=True))
        assert "The export is back." in back
        assert "Your export is ready" in back
    with tenant(made.user_id):
        tidy_transfers(made.user_id, timezone.now() + DROPPED_FOR)
        assert made.file.exists()


def test_an_hour_later_a_deleted_file_is_gone(alice_client, made):
    alice_client.post(at("transfer_drop", made))
    with tenant(made.user_id):
        tidy_transfers(made.user_id, timezone.now())
        assert made.file.exists()
        tidy_transfers(made.user_id, timezone.now() + DROPPED_FOR)
        assert not made.file.exists()
    assert alice_client.post(at("transfer_take_back", made)).status_code == 404


def test_what_is_forgotten_meanwhile_leaves_a_deleted_file_too(alice_client, made):
    alice_client.post(at("transfer_drop", made))
    with tenant(made.user_id):
        forget(made.user_id, ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id), LATER)
        assert not made.file.exists()
    back = check_page(alice_client.post(at("transfer_take_back", made), follow=True))
    assert "no longer kept" in back


def test_an_export_under_way_is_stopped(alice_client, furnished, queued):
    alice_client.post(reverse(PAGE), {"wing": ""})
    transfer = only(furnished)
    assert at("transfer_stop", transfer) in check_page(alice_client.get(at("transfer", transfer)))
    response = alice_client.post(at("transfer_stop", transfer), follow=True)
    assert "nothing of it is kept" in check_page(response)
    assert alice_client.get(at("transfer", transfer)).status_code == 404
    run_transfer.fn(str(furnished.id), str(transfer.id))


def test_what_is_over_cannot_be_stopped_and_what_is_not_cannot_be_dropped(alice_client, made, queued):
    assert alice_client.post(at("transfer_stop", made)).url == at("transfer", made)
    assert alice_client.get(at("transfer", made)).status_code == 200
    alice_client.post(reverse(PAGE), {"wing": ""})
    with tenant(made.user_id):
        waiting = Transfer.objects.get(state="waiting")
    assert alice_client.post(at("transfer_drop", waiting)).url == at("transfer", waiting)
    assert alice_client.get(at("transfer", waiting)).status_code == 200


def test_the_page_says_why_an_export_is_gone(alice_client, made):
    with tenant(made.user_id):
        forget(made.user_id, ForgetRequest("drawer", Drawer.objects.get(content=BAKES).id), LATER)
    html = check_page(alice_client.get(at("transfer", made)))
    assert "no longer kept" in html
    assert "Something was forgotten since" in html
    assert alice_client.get(at("fetch_export", made)).status_code == 404


POSTS = ("transfer_begin", "transfer_drop", "transfer_stop", "transfer_take_back")
GETS = ("transfer", "transfer_state")


@pytest.mark.parametrize("name", [*POSTS, *GETS])
def test_nobody_elses(name, bob_client, client, made):
    method = "post" if name in POSTS else "get"
    assert getattr(bob_client, method)(at(name, made)).status_code == 404
    response = getattr(client, method)(at(name, made))
    assert response.status_code == 302
    assert "/sign-in/" in response.url


@pytest.mark.parametrize("name", POSTS)
def test_a_link_changes_nothing(name, alice_client, made):
    assert alice_client.get(at(name, made)).status_code == 405


def test_the_page_needs_a_person(client):
    assert client.get(reverse(PAGE)).status_code == 302
    assert client.post(reverse("chat:restore_export")).status_code == 302
