"""Rate limits stop guessing, spraying and mass sign-up across processes; the owner can still sign in."""

import multiprocessing
import os
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from accounts.models import CacheEntry, User
from accounts.shared_cache import remove_expired_entries
from accounts.tenancy import visitor
from palace.settings import ACCOUNT_RATE_LIMITS
from tests.accounts.test_account import add_app, code_of
from tests.at_once import at_once
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/sign-in/"
SIGN_UP = "/accounts/sign-up/"
FORGOTTEN = "/accounts/password/forgotten/"
GIVEN = {"login": "alice@example.org", "password": "alice-password-1"}
NEW = {"name": "", "password1": "a phrase to keep", "password2": "a phrase to keep"}


@pytest.fixture(autouse=True)
def limits(settings):
    """The rate limits of a real site."""
    settings.ACCOUNT_RATE_LIMITS = ACCOUNT_RATE_LIMITS


def guess(login, address, browser=None, **more):
    """Try a wrong password from a network address."""
    given = {"login": login, "password": "wrong"}
    return (browser or Client()).post(ADDRESS, given, REMOTE_ADDR=address, **more)


def can_sign_in(browser, address):
    """Whether Alice can sign in with the correct password."""
    return browser.post(ADDRESS, GIVEN, REMOTE_ADDR=address).status_code == 302


def test_failures_lock_all_spellings_of_an_email_from_any_network(client, alice):
    for number, spelling in enumerate(["alice", "Alice", "ALICE", " alice", "aLice"]):
        guess(f"{spelling}@example.org", f"192.0.2.{number}")
    page = check_page(client.post(ADDRESS, GIVEN, REMOTE_ADDR="192.0.2.9"))
    assert "Too many failed attempts." in page
    assert client.get("/accounts/").status_code == 302


@pytest.mark.parametrize("network", ["192.0.2.1", "2001:db8::{}", "::ffff:192.0.2.1"])
def test_failures_on_many_accounts_lock_the_network(client, alice, network):
    for number in range(10):
        assert "Incorrect" in check_page(guess(f"guess{number}@example.org", network.format(number)))
    assert "Too many" in check_page(client.post(ADDRESS, GIVEN, REMOTE_ADDR=network.format("ffff")))
    assert can_sign_in(client, "::ffff:198.51.100.1")


def test_slow_spraying_locks_the_network(alice, monkeypatch):
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    for number in range(30):
        now += 61
        assert "Incorrect" in check_page(guess(f"guess{number}@example.org", "192.0.2.1"))
    now += 61
    assert "Too many" in check_page(guess("guess@example.org", "192.0.2.1"))


def test_own_sign_in_does_not_reset_the_limit_of_a_network(bob, confirmed):
    secret = add_app(confirmed)
    for number in range(9):
        guess(f"guess{number}@example.org", "127.0.0.1")
    own = Client()
    own.post(ADDRESS, GIVEN)
    own.post("/accounts/security/authenticate/", {"code": code_of(secret)})
    assert own.get("/accounts/").status_code == 200
    assert "Incorrect" in check_page(guess(bob.email, "127.0.0.1"))
    assert "Too many" in check_page(guess(bob.email, "127.0.0.1"))


def test_forged_forwarded_addresses_are_ignored(client, alice):
    for number in range(10):
        forged = f"192.0.2.{number}"
        headers = {"X-Forwarded-For": forged, "X-Real-IP": forged, "Forwarded": f"for={forged}"}
        guess(f"guess{number}@example.org", "203.0.113.7", headers=headers)
    headers = {"X-Forwarded-For": "198.51.100.1"}
    assert "Too many" in check_page(guess("guess@example.org", "203.0.113.7", headers=headers))


def test_known_browser_can_sign_in_to_a_locked_account(client, second_alice_client, alice):
    second_alice_client.post("/accounts/sign-out/")
    for number in range(5):
        guess(alice.email, f"192.0.2.{number}")
    assert not can_sign_in(client, "192.0.2.9")
    assert can_sign_in(second_alice_client, "192.0.2.9")


def test_known_browser_has_the_same_limit_of_failures(second_alice_client, bob, alice):
    second_alice_client.post("/accounts/sign-out/")
    for email, network in ((alice.email, "192.0.2.{}"), (bob.email, "198.51.100.{}")):
        pages = [
            guess(email, network.format(number), second_alice_client).content.decode() for number in range(6)
        ]
        assert ["Too many" in page for page in pages] == [False] * 5 + [True]


def test_forged_browser_cookie_is_ignored(alice):
    for number in range(6):
        browser = Client()
        browser.cookies["known_browser"] = f"{alice.email} {number}:forged:signature"
        page = check_page(guess(alice.email, f"192.0.2.{number}", browser))
    assert "Too many failed attempts." in page


@pytest.mark.parametrize(
    ("network", "stricter", "most"), [("192.0.2.1", {}, 10), ("192.0.2.{}", {"signup_on_site": "3/h/key"}, 3)]
)
def test_sign_ups_are_limited_per_network_and_per_site(alice, settings, network, stricter, most):
    settings.ACCOUNT_RATE_LIMITS = ACCOUNT_RATE_LIMITS | stricter
    for number in range(most + 1):
        given = NEW | {"email": f"v{number}@example.org"}
        answer = Client().post(SIGN_UP, given, REMOTE_ADDR=network.format(number))
        assert answer.status_code == (302 if number < most else 429)
    assert "Too many attempts" in check_page(answer, 429)
    with visitor():
        assert User.objects.count() == most + 1


@pytest.mark.parametrize("email", ["alice@example.org", "zed@example.org"])
def test_reset_emails_to_one_address_are_limited(alice, sends_mail, email):
    answers = [
        Client().post(FORGOTTEN, {"email": email}, REMOTE_ADDR=f"192.0.2.{number}").status_code
        for number in range(4)
    ]
    assert answers == [302, 302, 302, 429]
    assert len(mail.outbox) == 3


@pytest.mark.django_db(transaction=True)
def test_failures_are_counted_across_processes(alice):
    for number in range(4):
        guess(alice.email, f"192.0.2.{number}")
    connections.close_all()
    other = multiprocessing.get_context("fork").Process(target=_one_more, args=(alice.email,))
    other.start()
    other.join(60)
    assert other.exitcode == 0
    assert not can_sign_in(Client(), "192.0.2.9")


def _one_more(email):
    answer = guess(email, "192.0.2.8")
    os._exit(0 if b"Incorrect email or password." in answer.content else 1)


def test_database_cache_keeps_values_until_they_expire():
    assert cache.add("key", [1.5], timeout=60)
    assert not cache.add("key", [2.5], timeout=60)
    assert cache.get("key") == [1.5]
    cache.set("key", {"claims": None}, timeout=0)
    assert cache.get("key", "nothing") == "nothing"
    assert cache.add("key", 5, timeout=None)
    assert cache.get("key") == 5
    assert cache.delete("key")
    assert not cache.delete("key")


def test_expired_cache_entries_are_removed():
    cache.set("short", 1, timeout=60)
    cache.set("long", 1, timeout=600)
    remove_expired_entries(timezone.now() + timedelta(seconds=90))
    assert (cache.get("short"), cache.get("long")) == (None, 1)
    with visitor():
        assert "long" not in repr(CacheEntry.objects.values_list())


@pytest.mark.django_db(transaction=True)
def test_concurrent_adds_succeed_once():
    assert sorted(at_once(lambda number: cache.add("lock", number, 60), 8)) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_cache_table_is_unlogged():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_cacheentry'")
        assert cursor.fetchone() == ("u",)
