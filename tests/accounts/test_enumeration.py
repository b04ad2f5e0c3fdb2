"""Responses reveal in neither content nor time which addresses have an account."""

import re
import socket
import time

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.mail import EmailMessage, get_connection
from django.test import Client

from accounts.models import User
from accounts.tenancy import visitor

pytestmark = pytest.mark.django_db
SIGN_UP = {"name": "", "password1": "a phrase to keep", "password2": "a phrase to keep"}
TOKEN = re.compile(r"[A-Za-z0-9]{64}")
NEW = ("You already have a Palace account", "Your Palace code", "You already have a Palace account")
FORGOTTEN = ("Set a new Palace password", "No Palace account with this address", "Set a new Palace password")
KNOWN, WITHOUT_PASSWORD, UNKNOWN = "alice@example.org", "key@example.org", "zed@example.org"


@pytest.fixture(autouse=True)
def site(alice, sends_mail):
    """A site with a mail server and two accounts, one of them without a password."""
    with visitor():
        User.objects.create_user(WITHOUT_PASSWORD)


@pytest.fixture
def hashed(monkeypatch):
    """Records each password that is hashed."""
    done: list[str] = []
    usual = MD5PasswordHasher.encode

    def encode(self, password, salt):
        done.append(password)
        return str(usual(self, password, salt))

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    return done


def visible_part(answer, email):
    """The visible part of a response, without the given address and CSRF tokens."""
    page = TOKEN.sub("", answer.content.decode()).replace(email, "")
    return answer.status_code, answer.headers.get("Location", ""), page


@pytest.mark.parametrize(
    ("address", "field", "more", "hashes", "expected_subjects"),
    [
        ("/accounts/sign-in/", "login", {"password": "wrong"}, 1, ()),
        ("/accounts/sign-up/", "email", SIGN_UP, 1, NEW),
        ("/accounts/sign-up/passkey/", "email", {"name": ""}, 0, NEW),
        ("/accounts/password/forgotten/", "email", {}, 0, FORGOTTEN),
    ],
)
def test_every_address_gets_the_same_response_with_the_same_work(
    hashed, address, field, more, hashes, expected_subjects
):
    seen, subjects = set(), []
    for email in (KNOWN, UNKNOWN, WITHOUT_PASSWORD):
        hashed.clear()
        mail.outbox.clear()
        answer = Client().post(address, more | {field: email})
        seen.add((*visible_part(answer, email), len(hashed), len(mail.outbox)))
        subjects += [message.subject for message in mail.outbox if message.to == [email]]
    (one,) = seen
    assert (one[3], tuple(subjects)) == (hashes, expected_subjects)


@pytest.mark.parametrize("email", [KNOWN, UNKNOWN])
@pytest.mark.parametrize("address", ["/accounts/sign-up/", "/accounts/password/forgotten/"])
def test_sign_up_and_reset_take_constant_time(settings, address, email):
    settings.ANSWER_AFTER_S = 0.5
    began = time.monotonic()
    Client().post(address, SIGN_UP | {"email": email})
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
