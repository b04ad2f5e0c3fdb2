import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import mail
from django.test import Client
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import User
from tests.html import check_page

pytestmark = pytest.mark.django_db
FORGOTTEN = "/accounts/password/forgotten/"
NEW = {"new_password1": "another phrase", "new_password2": "another phrase"}


@pytest.fixture
def sends_mail(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"


def link_for(user: User) -> str:
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return f"/accounts/password/new/{uid}/{default_token_generator.make_token(user)}/"


def test_changing_it_ends_the_other_sessions(
    alice_client: Client, second_alice_client: Client, alice: User
) -> None:
    given = NEW | {"old_password": "alice-password-1"}
    response = alice_client.post("/accounts/password/", given, follow=True)
    assert "Your password is changed." in check_page(response)
    assert second_alice_client.get("/accounts/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("another phrase")


@pytest.mark.parametrize(
    "wrong", [{"old_password": "no"}, {"new_password2": "x"}, {"new_password1": "1"}]
)
def test_changing_it_is_refused(alice_client: Client, alice: User, wrong: dict[str, str]) -> None:
    given = NEW | {"old_password": "alice-password-1"} | wrong
    check_page(alice_client.post("/accounts/password/", given), 422)
    alice.refresh_from_db()
    assert alice.check_password("alice-password-1")


def test_a_server_without_mail_says_so(client: Client, alice: User) -> None:
    html = check_page(client.get(FORGOTTEN))
    assert "sends no mail" in html
    assert "manage.py changepassword" in html
    check_page(client.post(FORGOTTEN, {"email": alice.email}))
    assert mail.outbox == []


def test_a_link_comes_by_mail_and_works_once(
    client: Client, alice_client: Client, alice: User, sends_mail: None
) -> None:
    check_page(client.get(FORGOTTEN))
    response = client.post(FORGOTTEN, {"email": "ALICE@example.org"}, follow=True)
    assert "Look into your mail" in check_page(response)
    (letter,) = mail.outbox
    assert letter.to == ["alice@example.org"]
    found = re.search(r"http://testserver(\S+)", str(letter.body))
    assert found
    check_page(client.get(found[1]))
    response = client.post(found[1], NEW, follow=True)
    assert "Your password is set." in check_page(response)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")
    assert alice_client.get("/accounts/").status_code == 302
    assert "does not work any more" in check_page(client.get(found[1]), 410)


def test_an_unknown_address_gets_the_same_answer(
    client: Client, alice: User, sends_mail: None
) -> None:
    known = client.post(FORGOTTEN, {"email": alice.email})
    unknown = client.post(FORGOTTEN, {"email": "zed@example.org"})
    assert (known.status_code, known.headers["Location"]) == (302, unknown.headers["Location"])
    assert len(mail.outbox) == 1


def test_a_wrong_host_is_not_put_into_a_letter(
    client: Client, alice: User, sends_mail: None, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    response = client.post(FORGOTTEN, {"email": alice.email}, headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert mail.outbox == []


@pytest.mark.parametrize(
    "path", ["MQ/x-y/", "x/set-password/", "4pyT/a-b/", "%00/a-b/", "____/a-b/"]
)
def test_a_forged_link_is_refused(client: Client, alice: User, path: str) -> None:
    assert client.get("/accounts/password/new/" + path).status_code in {404, 410}


def test_a_link_of_somebody_else_does_not_fit(client: Client, alice: User, bob: User) -> None:
    uid = urlsafe_base64_encode(force_bytes(bob.pk))
    forged = re.sub(r"new/[^/]+", f"new/{uid}", link_for(alice))
    check_page(client.post(forged, NEW), 410)
    bob.refresh_from_db()
    assert bob.check_password("bob-password-1")


def test_an_account_switched_off_gets_no_password(client: Client, alice: User) -> None:
    address = link_for(alice)
    alice.is_active = False
    alice.save()
    check_page(client.get(address), 410)


def test_a_link_grows_too_old(client: Client, alice: User, settings: Any) -> None:
    settings.PASSWORD_RESET_TIMEOUT = -timedelta(seconds=1).total_seconds()
    check_page(client.get(link_for(alice)), 410)


def test_a_weak_password_is_refused(client: Client, alice: User) -> None:
    weak = {"new_password1": "12345678", "new_password2": "12345678"}
    check_page(client.post(link_for(alice), weak), 422)
    alice.refresh_from_db()
    assert alice.check_password("alice-password-1")
