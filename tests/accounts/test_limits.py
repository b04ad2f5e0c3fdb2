"""Rate limits stop guessing, spraying and mass sign-up, and the owner can still sign in.
Responses reveal in neither content nor time which addresses have an account."""

import re
import socket
import time
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import CacheEntry, User
from accounts.shared_cache import remove_expired_entries
from accounts.tenancy import visitor
from palace.settings import ACCOUNT_RATE_LIMITS
from tests.accounts.conftest import sign_in
from tests.accounts.test_second_factors import add_app, code_of
from tests.at_once import at_once
from tests.commands import run_command
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
    """The page after trying a wrong password from a network address."""
    given = {"login": login, "password": "wrong"}
    return (browser or Client()).post(ADDRESS, given, REMOTE_ADDR=address, **more).content.decode()


def can_sign_in(browser, address):
    """Whether Alice can sign in with the correct password."""
    return browser.post(ADDRESS, GIVEN, REMOTE_ADDR=address).status_code == 302


def test_failures_lock_every_spelling_of_an_email_until_an_operator_sets_a_password(
    client, alice, monkeypatch
):
    """From any network, at any port."""
    for number, spelling in enumerate(["alice", "Alice", "ALICE", " alice", "aLice"]):
        guess(f"{spelling}@example.org", f"192.0.2.{number}", headers={"Host": f"testserver:{8000 + number}"})
    page = check_page(client.post(ADDRESS, GIVEN, REMOTE_ADDR="192.0.2.9"))
    assert "Too many failed attempts." in page
    assert client.get("/accounts/").status_code == 302
    monkeypatch.setattr("getpass.getpass", lambda prompt: GIVEN["password"])
    run_command("changepassword Alice@example.org")
    assert can_sign_in(client, "192.0.2.9")


@pytest.mark.parametrize("network", ["192.0.2.1", "2001:db8::{}", "::ffff:192.0.2.1"])
def test_failures_on_many_accounts_lock_the_network(client, alice, network):
    for number in range(10):
        assert "Incorrect" in guess(f"guess{number}@example.org", network.format(number))
    assert not can_sign_in(client, network.format("ffff"))
    assert can_sign_in(client, "::ffff:198.51.100.1")


def test_slow_spraying_locks_the_network(alice, monkeypatch):
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    for number in range(31):
        now += 61
        page = guess(f"guess{number}@example.org", "192.0.2.1")
        assert ("Incorrect" in page, "Too many" in page) == (number < 30, number == 30)


def test_own_sign_in_does_not_reset_the_limit_of_a_network(bob, confirmed):
    secret = add_app(confirmed)
    for number in range(9):
        guess(f"guess{number}@example.org", "127.0.0.1")
    own = sign_in()
    own.post("/accounts/security/authenticate/", {"code": code_of(secret)})
    assert own.get("/accounts/").status_code == 200
    assert "Incorrect" in guess(bob.email, "127.0.0.1")
    assert "Too many" in guess(bob.email, "127.0.0.1")


def test_forged_addresses_and_browser_cookies_are_ignored(alice):
    for number in range(11):
        forged = f"192.0.2.{number}"
        headers = {"X-Forwarded-For": forged, "X-Real-IP": forged, "Forwarded": f"for={forged}"}
        page = guess(f"guess{number}@example.org", "203.0.113.7", headers=headers)
        assert ("Too many" in page) is (number == 10)
    for number in range(6):
        browser = Client()
        browser.cookies["known_browser"] = f"{alice.email} {number}:forged:signature"
        page = guess(alice.email, f"192.0.2.{number}", browser)
    assert "Too many failed attempts." in page


def test_known_browser_can_sign_in_to_a_locked_account_with_a_limit_of_its_own(
    client, second_alice_client, bob, alice
):
    second_alice_client.post("/accounts/sign-out/")
    for number in range(5):
        guess(alice.email, f"192.0.2.{number}")
    assert not can_sign_in(client, "192.0.2.9")
    assert can_sign_in(second_alice_client, "192.0.2.9")
    second_alice_client.post("/accounts/sign-out/")
    for email, network in ((alice.email, "192.0.2.{}"), (bob.email, "198.51.100.{}")):
        pages = [guess(email, network.format(number), second_alice_client) for number in range(6)]
        assert ["Too many" in page for page in pages] == [False] * 5 + [True]


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
def test_shared_cache_keeps_values_until_they_expire_and_is_unlogged():
    assert cache.add("key", [1.5], timeout=60)
    assert not cache.add("key", [2.5], timeout=60)
    assert cache.get("key") == [1.5]
    cache.set("key", {"claims": None}, timeout=0)
    assert cache.get("key", "nothing") == "nothing"
    assert cache.add("key", 5, timeout=None)
    assert cache.get("key") == 5
    assert cache.delete("key")
    assert not cache.delete("key")
    cache.set("short", 1, timeout=60)
    cache.set("long", 1, timeout=600)
    remove_expired_entries(timezone.now() + timedelta(seconds=90))
    assert (cache.get("short"), cache.get("long")) == (None, 1)
    assert "long" not in repr(CacheEntry.objects.values_list())
    assert sorted(at_once(lambda number: cache.add("lock", number, 60), 8)) == [False] * 7 + [True]
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_cacheentry'")
        assert cursor.fetchone() == ("u",)


ENCODE = MD5PasswordHasher.encode
TOKEN = re.compile(r"[A-Za-z0-9]{64}")
NEW_SUBJECTS = ("You already have a Palace account", "Your Palace code", "You already have a Palace account")
FORGOTTEN_SUBJECTS = (
    "Set a new Palace password",
    "No Palace account with this address",
    "Set a new Palace password",
)
KNOWN, WITHOUT_PASSWORD, UNKNOWN = "alice@example.org", "key@example.org", "zed@example.org"


@pytest.fixture
def site(alice, sends_mail, settings):
    """A site with a mail server and two accounts, one of them without a password."""
    settings.ACCOUNT_RATE_LIMITS = False
    with visitor():
        User.objects.create_user(WITHOUT_PASSWORD)


def visible_part(answer, email):
    """The visible part of a response, without the given address and CSRF tokens."""
    page = TOKEN.sub("", answer.content.decode()).replace(email, "")
    return answer.status_code, answer.headers.get("Location", ""), page


@pytest.mark.parametrize(
    ("address", "field", "more", "hashes", "expected_subjects"),
    [
        (ADDRESS, "login", {"password": "wrong"}, 1, ()),
        (SIGN_UP, "email", NEW, 1, NEW_SUBJECTS),
        (f"{SIGN_UP}passkey/", "email", {"name": ""}, 0, NEW_SUBJECTS),
        (FORGOTTEN, "email", {}, 0, FORGOTTEN_SUBJECTS),
    ],
)
def test_every_address_gets_the_same_response_with_the_same_work(
    site, address, field, more, hashes, expected_subjects
):
    seen, subjects = set(), []
    for email in (KNOWN, UNKNOWN, WITHOUT_PASSWORD):
        mail.outbox.clear()
        with patch.object(MD5PasswordHasher, "encode", autospec=True, side_effect=ENCODE) as hashed:
            answer = Client().post(address, more | {field: email})
        seen.add((*visible_part(answer, email), hashed.call_count, len(mail.outbox)))
        subjects += [message.subject for message in mail.outbox if message.to == [email]]
    (one,) = seen
    assert (one[3], tuple(subjects)) == (hashes, expected_subjects)


@pytest.mark.parametrize("email", [KNOWN, UNKNOWN])
@pytest.mark.parametrize("address", [SIGN_UP, FORGOTTEN])
def test_sign_up_and_reset_take_constant_time(site, settings, address, email):
    settings.ANSWER_AFTER_S = 0.5
    began = time.monotonic()
    Client().post(address, NEW | {"email": email})
    assert 0.5 <= time.monotonic() - began < 0.75


def test_responses_do_not_wait_for_the_mail_server(settings):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_TIMEOUT = 1
        host, port = silent.getsockname()
        backend = get_connection("accounts.adapters.EmailBackend", host=host, port=port, use_tls=False)
        began = time.monotonic()
        EmailMessage("Subject", "Words", to=["a@example.org"], connection=backend).send()
        assert time.monotonic() - began < 0.5
        silent.settimeout(10)
        silent.accept()[0].close()
