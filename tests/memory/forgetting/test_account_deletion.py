"""Closing an account deletes all of its data and none of other users."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError
from django.db import OperationalError, connection, transaction
from django.test import Client

from accounts.models import User
from accounts.sessions import sessions_with
from accounts.tenancy import operator, tenant
from accounts.tokens import issue_token
from llm import current
from memory.forgetting.account_deletion import LastStaffUser, close_account
from memory.forgetting.verification import count_rows, tables
from memory.models import Drawer, Wing
from memory.sql import fetch
from palace.postgres.base import as_owner
from tests.commands import run_command
from tests.conftest import create_user
from tests.drills.ledger import NOW, remember
from tests.fake_gateway import FakeEmbedder
from tests.html import check_page
from tests.palace.postgres.catalogue import SIGNING_IN, add_row, owned_tables

URL = "/accounts/close/"
LEFT = "nothing of the account is left"
with_data = pytest.mark.usefixtures("accounts_with_data")


@pytest.fixture
def accounts_with_data(alice, bob, tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    with current.using(embedder=FakeEmbedder()):
        for person, words in ((alice, "My sister Olga lives in Kyiv."), (bob, "I sing in Porto.")):
            with tenant(person.id):
                remember(person.id, words, "Noted.")
                issue_token(person.id, "Zanzibar", NOW)
        yield


def signed_in(person):
    client = Client()
    password = f"{person.name.lower()}-password-1"
    client.post("/accounts/sign-in/", {"login": person.email, "password": password})
    return client


def tables_with_rows_of(user_id):
    with as_owner():
        return sorted(each.name for each in tables() if each.owner and count_rows(each, user_id))


@with_data
def test_closing_an_account_deletes_all_its_data_in_every_table_and_none_of_others(alice, bob, tmp_path):
    """The tables come from the catalogue, so that new ones are covered too."""
    signed_in(bob)
    before = tables_with_rows_of(bob.id)
    (tmp_path / str(alice.id)).mkdir()
    (tmp_path / str(alice.id) / "export").write_text("Olga")
    signed_in(alice)
    assert len(sessions_with([alice.email])) == 1
    LogEntry.objects.create(user_id=bob.id, action_flag=2, object_id=str(alice.id), object_repr=alice.email)
    every = [*owned_tables(), *SIGNING_IN]
    for table in set(every) - set(tables_with_rows_of(alice.id)):
        add_row(table, alice.id)
    assert set(every) <= set(tables_with_rows_of(alice.id))
    closed = close_account(alice)
    assert closed.rows["memory_drawer"] == 2
    assert closed.files == 1
    assert closed.found == ()
    assert closed.searched > 40
    assert tables_with_rows_of(alice.id) == []
    assert tables_with_rows_of(bob.id) == before
    assert sessions_with([alice.email, str(alice.id)]) == []
    assert len(sessions_with([bob.email])) == 1
    assert not (settings.MEDIA_ROOT / str(alice.id)).exists()
    with tenant(bob.id):
        assert Drawer.objects.filter(content="I sing in Porto.").exists()


@with_data
def test_the_page_asks_for_the_password_and_shows_the_receipt(alice):
    assert Client().get(URL).status_code == 302
    client = signed_in(alice)
    assert "memory_drawer" in check_page(client.get(URL))
    response = client.post(URL)
    assert response.headers["Location"] == f"/accounts/confirm/?next={URL.replace('/', '%2F')}"
    check_page(client.post("/accounts/confirm/", {"password": "something else", "next": URL}))
    assert User.objects.filter(id=alice.id).exists()
    page = check_page(client.post("/accounts/confirm/", {"password": "alice-password-1", "next": URL}))
    assert LEFT in page
    assert "Olga" not in page
    assert not User.objects.filter(id=alice.id).exists()
    assert client.get("/chat/").status_code == 302


@with_data
def test_the_last_staff_account_cannot_be_closed_while_other_users_exist(carol, bob):
    with pytest.raises(LastStaffUser):
        close_account(carol)
    with operator():
        User.objects.filter(id=bob.id).update(is_staff=True)
    assert close_account(carol).found == ()


@with_data
def test_closing_accounts_in_the_admin_requires_confirmation(carol_client, alice):
    url = "/admin/accounts/user/"
    chosen = {"action": "close_accounts", "_selected_action": [str(alice.id)]}
    carol_client.post(url, chosen)
    assert User.objects.filter(id=alice.id).exists()
    answer = carol_client.post(url, chosen | {"sure": "yes"}, follow=True)
    assert "Closed:" in answer.content.decode()
    assert "Olga" not in answer.content.decode()
    assert tables_with_rows_of(alice.id) == []


@with_data
def test_the_close_account_command_asks_before_it_erases(alice, carol, tmp_path):
    assert "only superuser" in run_command("close_account", carol.email)
    out = run_command("close_account", alice.email)
    assert ("memory_drawer" in out, "only superuser" in out) == (True, False)
    with operator():
        User.objects.filter(id=alice.id).update(is_superuser=True, is_staff=True)
    assert "only superuser" not in run_command("close_account", carol.email)
    assert User.objects.filter(id=alice.id).exists()
    receipt = tmp_path / "receipt.txt"
    run_command("close_account --yes", alice.email, receipt=receipt)
    assert LEFT in receipt.read_text()
    with pytest.raises(CommandError):
        run_command("close_account --yes", alice.email)


def wait_for_a_blocked_session():
    """Return as soon as a session of this database waits for a lock."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    for _ in range(400):
        with as_owner():
            if fetch(waiting):
                return
        sleep(0.01)
    raise TimeoutError


def close_during_a_job(user):
    """Close an account while one of its jobs locks rows in another order; returns which was aborted."""
    with tenant(user.id):
        wing = Wing.objects.create(user_id=user.id, ordinal=98, kind="project", name="Mine")
    row_locked = Event()

    def job():
        try:
            with tenant(user.id), transaction.atomic():
                Wing.objects.filter(user_id=user.id, id=wing.id).update(name="Held")
                row_locked.set()
                wait_for_a_blocked_session()
                Wing.objects.create(user_id=user.id, ordinal=99, kind="project", name="Late")
        except OperationalError:
            return "job"
        finally:
            connection.close()
        return "closing"

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(job)
        assert row_locked.wait(10)
        assert close_account(user).found == ()
        return running.result()


@pytest.mark.django_db(transaction=True)
def test_closing_an_account_survives_a_deadlock_with_a_job():
    """The database aborts the first to wait for a second; on a busy machine that may be the job."""
    for name in ("alice", "bob", "carol"):
        user = create_user(name)
        aborted = close_during_a_job(user)
        assert not User.objects.filter(id=user.id).exists()
        if aborted == "closing":
            return
    raise AssertionError("The database never stopped the closing of an account.")
