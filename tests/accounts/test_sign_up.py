from contextlib import suppress
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client

from accounts.models import User
from accounts.registration import AddressTaken, add_account, site_is_empty
from tests.at_once import at_once
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/sign-up/"
BY_PASSKEY = "/accounts/sign-up/passkey/"
GIVEN = {
    "name": "王敏",
    "email": "Wang.Min@Example.org",
    "password1": "a phrase to keep",
    "password2": "a phrase to keep",
}


@pytest.mark.parametrize("open_to_others", [True, False])
def test_the_first_account_owns_the_site(client: Client, settings: Any, open_to_others: bool) -> None:
    settings.SIGN_UP = open_to_others
    for start in ("/", "/accounts/sign-in/"):
        response = client.get(start, follow=True)
        assert response.redirect_chain[-1][0] == ADDRESS
        assert "Create the owner account" in check_page(response)
    response = client.post(ADDRESS, GIVEN)
    assert response.headers["Location"] == "/memory/consent/"
    owner = User.objects.get()
    assert (owner.email, owner.name) == ("wang.min@example.org", "王敏")
    assert owner.is_staff
    assert owner.is_superuser
    assert client.get("/accounts/").status_code == 200
    assert mail.outbox == []


def test_the_next_account_is_nobody_special(client: Client, carol: User) -> None:
    assert "owner" not in check_page(client.get(ADDRESS))
    hostile = {"name": "<script>alert(1)</script>", "is_staff": "on", "is_superuser": "on"}
    client.post(ADDRESS, GIVEN | hostile)
    assert "&lt;script&gt;alert(1)" in check_page(client.get("/accounts/"))
    user = User.objects.get(email="wang.min@example.org")
    assert not user.is_staff
    assert not user.is_superuser


@pytest.mark.parametrize("address", [ADDRESS, BY_PASSKEY])
def test_switched_off(client: Client, carol: User, settings: Any, address: str) -> None:
    settings.SIGN_UP = False
    assert "Sign-up is closed" in check_page(client.get(address))
    client.post(address, GIVEN)
    assert User.objects.count() == 1
    assert ADDRESS not in check_page(client.get("/accounts/sign-in/"))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"email": "ALICE@example.org"}, "already exists"),
        ({"email": "nobody"}, "Enter a valid email address."),
        ({"password2": "another"}, "same password"),
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "nul\x00"}, "Null characters"),
    ],
)
def test_what_is_refused(client: Client, alice: User, wrong: dict[str, str], sentence: str) -> None:
    assert sentence in check_page(client.post(ADDRESS, GIVEN | wrong))
    assert User.objects.count() == 1


def test_a_post_needs_its_token(strict: Client) -> None:
    assert strict.post(ADDRESS, GIVEN).status_code == 403
    assert not User.objects.exists()


def test_a_mail_server_asks_for_the_code_that_it_sent(client: Client, sends_mail: None) -> None:
    page = check_page(client.post(ADDRESS, GIVEN, follow=True))
    assert "wang.min@example.org" in page
    assert client.get("/accounts/").status_code == 302
    (letter,) = mail.outbox
    assert letter.to == ["wang.min@example.org"]
    code = str(letter.body).split("\n\n")[1].strip()
    assert "Incorrect code" in check_page(client.post("/accounts/email/code/", {"code": "x"}))
    assert client.post("/accounts/email/code/", {"code": code}).status_code == 302
    assert client.get("/accounts/").status_code == 200


def test_with_a_mail_server_nobody_learns_who_has_an_account(
    client: Client, alice: User, sends_mail: None
) -> None:
    taken = client.post(ADDRESS, GIVEN | {"email": alice.email})
    free = Client().post(ADDRESS, GIVEN)
    assert (taken.status_code, taken.headers["Location"]) == (302, free.headers["Location"])
    assert check_page(client.get(taken.headers["Location"])).count(alice.email) == 1
    assert [letter.subject for letter in mail.outbox] == [
        "You already have a Palace account",
        "Your Palace code",
    ]


def test_a_passkey_that_was_never_made_leaves_nothing_in_the_way(client: Client) -> None:
    response = client.post(BY_PASSKEY, {"name": "", "email": GIVEN["email"]}, follow=True)
    assert "Create your passkey" in check_page(response)
    assert client.get("/accounts/").status_code == 302
    assert site_is_empty()
    Client().post(ADDRESS, GIVEN)
    owner = User.objects.get()
    assert owner.is_staff
    assert owner.has_usable_password()


def test_accounts_that_are_in_use_are_never_taken_for_unfinished_ones(client: Client, alice: User) -> None:
    by_command = add_account("cron@example.org", None, is_staff=False)
    by_passkey = User.objects.create_user("key@example.org")
    by_passkey.emailaddress_set.create(email=by_passkey.email, primary=True)
    Authenticator.objects.create(user=by_passkey, type=Authenticator.Type.WEBAUTHN, data={})
    for user in (by_command, by_passkey):
        assert "already exists" in check_page(client.post(ADDRESS, GIVEN | {"email": user.email}))
    assert User.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_at_once_becomes_the_owner() -> None:
    at_once(lambda number: Client().post(ADDRESS, GIVEN | {"email": f"v{number}@example.org"}), 4)
    assert sorted(User.objects.values_list("is_staff", flat=True)) == [False, False, False, True]


@pytest.mark.django_db(transaction=True)
def test_one_address_at_once_makes_one_account() -> None:
    def visit(number: int) -> None:
        with suppress(AddressTaken):
            if number:
                add_account("same@example.org", "a phrase", is_staff=False)
            else:
                Client().post(ADDRESS, GIVEN | {"email": "same@example.org"})

    at_once(visit, 3)
    assert User.objects.count() == 1
