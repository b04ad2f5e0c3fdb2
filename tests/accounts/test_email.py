from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from accounts.models import User
from tests.accounts.conftest import sign_in
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/email/"
GIVEN = {"email": "New@example.org", "action_add": ""}


def test_without_a_mail_server_it_counts_once_the_password_is_confirmed(
    signed_in: Client, alice: User
) -> None:
    assert signed_in.post(ADDRESS, GIVEN).headers["Location"].startswith("/accounts/confirm/")
    given = {"password": "alice-password-1", "next": ADDRESS}
    page = check_page(signed_in.post("/accounts/confirm/", given, follow=True))
    assert "Your email address is new@example.org." in page
    alice.refresh_from_db()
    assert alice.email == "new@example.org"
    assert list(EmailAddress.objects.values_list("email", "verified", "primary")) == [
        ("new@example.org", True, True)
    ]
    for login, enters in (("alice@example.org", False), ("new@example.org", True)):
        assert (sign_in(login).get("/accounts/").status_code == 200) is enters


def test_with_one_it_counts_once_the_code_is_entered(confirmed: Client, alice: User, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    confirmed.post(ADDRESS, GIVEN)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    (letter,) = mail.outbox
    assert letter.to == ["new@example.org"]
    code = str(letter.body).split("\n\n")[1].strip()
    confirmed.post("/accounts/email/code/", {"code": code})
    alice.refresh_from_db()
    assert alice.email == "new@example.org"


@pytest.mark.parametrize("taken", ["BOB@example.org", "alice@example.org"])
def test_a_taken_address_is_refused(confirmed: Client, alice: User, bob: User, taken: str) -> None:
    check_page(confirmed.post(ADDRESS, GIVEN | {"email": taken}))
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
