from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.core import mail
from django.test import Client

from accounts.models import User
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/sign-in/"
GIVEN = {"login": "alice@example.org", "password": "alice-password-1"}


def test_it_works_in_any_case(client: Client, alice: User) -> None:
    assert "Sign in" in check_page(client.get(ADDRESS))
    response = client.post(ADDRESS, GIVEN | {"login": " Alice@EXAMPLE.org "})
    assert response.headers["Location"] == "/"
    assert client.get("/accounts/").status_code == 200


def test_an_account_from_before_gets_a_confirmed_address(client: Client, alice: User, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    assert not EmailAddress.objects.exists()
    client.post(ADDRESS, GIVEN)
    assert client.get("/accounts/").status_code == 200
    kept = EmailAddress.objects.get()
    assert (kept.user, kept.email, kept.verified, kept.primary) == (alice, alice.email, True, True)
    assert mail.outbox == []


@pytest.mark.parametrize("wrong", [{"password": "wrong"}, {"login": "zed@example.org"}, {"login": "bad"}])
def test_a_refusal_does_not_tell_who_has_an_account(
    client: Client, alice: User, wrong: dict[str, str]
) -> None:
    page = check_page(client.post(ADDRESS, GIVEN | wrong))
    assert "Incorrect email or password." in page or wrong["login"] == "bad"
    assert client.get("/accounts/").status_code == 302


def test_an_account_switched_off(client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert "account is disabled" in check_page(client.post(ADDRESS, GIVEN, follow=True))
    assert client.get("/accounts/").status_code == 302


def test_it_goes_on_where_the_person_wanted_to_go(client: Client, alice: User) -> None:
    response = client.get("/memory/facts/?q=%C2%A7")
    assert 'value="/memory/facts/?q=%C2%A7"' in check_page(client.get(response.headers["Location"]))
    response = client.post(ADDRESS, GIVEN | {"next": "/memory/facts/?q=1"})
    assert response.headers["Location"] == "/memory/facts/?q=1"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_it_leads_nowhere_else(client: Client, alice: User, elsewhere: str) -> None:
    response = client.post(ADDRESS, GIVEN | {"next": elsewhere})
    assert response.headers["Location"] == "/"


def test_a_post_needs_its_token(strict: Client, alice: User) -> None:
    response = strict.post(ADDRESS, GIVEN)
    assert "Nothing was changed" in check_page(response, 403)
    token = strict.get(ADDRESS).context["csrf_token"]
    assert strict.post(ADDRESS, GIVEN | {"csrfmiddlewaretoken": str(token)}).status_code == 302


def test_signing_out(client: Client, alice: User) -> None:
    client.post(ADDRESS, GIVEN)
    check_page(client.get("/accounts/sign-out/"))
    assert client.get("/accounts/").status_code == 200
    response = client.post("/accounts/sign-out/")
    assert response.headers["Location"] == ADDRESS
    assert client.get("/accounts/").status_code == 302
    assert not any(each.exists() for each in UserSession.objects.all())
