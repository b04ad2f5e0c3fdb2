from typing import Any

import pytest
from django.test import Client

FIREFOX = "Mozilla/5.0 (X11; Linux) Gecko Firefox/140.0"


def sign_in(login: str = "alice@example.org", password: str = "alice-password-1", **browser: Any) -> Client:
    """Submit the sign-in page, by default with Alice's password; returns the client."""
    client = Client(**browser)
    client.post("/accounts/sign-in/", {"login": login, "password": password})
    return client


def is_signed_in(browser: Client) -> bool:
    return browser.get("/accounts/").status_code == 200


@pytest.fixture
def sends_mail(settings):
    """Configure a mail server."""
    settings.EMAIL_HOST = "mail.example.org"
    settings.ACCOUNT_PREVENT_ENUMERATION = True


@pytest.fixture
def strict():
    """A browser with CSRF checks."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def signed_in(alice):
    """Alice's browser, signed in on the sign-in page."""
    return sign_in()


@pytest.fixture
def confirmed(signed_in):
    """Alice's browser, with her password just confirmed."""
    signed_in.post("/accounts/confirm/", {"password": "alice-password-1"})
    return signed_in


@pytest.fixture
def second_alice_client(alice):
    """A second browser of Alice."""
    return sign_in(headers={"User-Agent": FIREFOX})
