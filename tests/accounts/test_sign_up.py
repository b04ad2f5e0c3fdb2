from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.models import User
from accounts.signing import AddressTaken, NewAccount, SignUpClosed, open_account
from tests.html import check_page

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/sign-up/"
GIVEN = {
    "name": "王敏",
    "email": "Wang.Min@Example.org",
    "password1": "a phrase to keep",
    "password2": "a phrase to keep",
}


def test_the_first_account_owns_the_site(client: Client) -> None:
    assert "Create the owner account" in check_page(client.get(ADDRESS))
    response = client.post(ADDRESS, GIVEN)
    assert response.headers["Location"] == "/memory/consent/"
    owner = User.objects.get()
    assert (owner.email, owner.name) == ("wang.min@example.org", "王敏")
    assert owner.is_staff
    assert owner.is_superuser
    assert client.get("/accounts/").status_code == 200


def test_the_next_account_is_nobody_special(client: Client, carol: User) -> None:
    assert "owner" not in check_page(client.get(ADDRESS))
    client.post(ADDRESS, GIVEN)
    user = User.objects.get(email="wang.min@example.org")
    assert not user.is_staff
    assert not user.is_superuser


def test_visitors_of_an_empty_site_come_here(client: Client) -> None:
    response = client.get("/", follow=True)
    assert response.redirect_chain[-1][0] == ADDRESS
    assert "Create the owner account" in check_page(response)


def test_switched_off(client: Client, carol: User, settings: Any) -> None:
    settings.SIGN_UP = False
    assert "takes no new accounts" in check_page(client.get(ADDRESS), 403)
    assert client.post(ADDRESS, GIVEN).status_code == 403
    assert User.objects.count() == 1
    assert ADDRESS not in check_page(client.get("/accounts/sign-in/"))


def test_switched_off_still_lets_the_owner_in(client: Client, settings: Any) -> None:
    settings.SIGN_UP = False
    client.post(ADDRESS, GIVEN)
    assert User.objects.get().is_staff
    with pytest.raises(SignUpClosed):
        open_account(NewAccount("late@example.org", "a phrase to keep"))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"email": "ALICE@example.org"}, "Somebody has an account with this address."),
        ({"email": "nobody"}, "Enter a valid email address."),
        ({"email": ""}, "This field is required."),
        ({"password2": "another"}, "match"),
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "nul\x00"}, "Null characters"),
    ],
)
def test_what_is_refused(client: Client, alice: User, wrong: dict[str, str], sentence: str) -> None:
    html = check_page(client.post(ADDRESS, GIVEN | wrong), 422)
    assert sentence in html
    assert "Constraint" not in html
    assert User.objects.count() == 1


def test_a_hostile_name_is_shown_as_words(client: Client, carol: User) -> None:
    client.post(ADDRESS, GIVEN | {"name": "<script>alert(1)</script>"})
    html = check_page(client.get("/accounts/"))
    assert "&lt;script&gt;alert(1)" in html


def test_an_address_taken_meanwhile_is_refused(alice: User) -> None:
    with pytest.raises(AddressTaken):
        open_account(NewAccount("Alice@Example.org", "a phrase to keep"))


def test_somebody_signed_in_has_an_account(alice_client: Client) -> None:
    assert alice_client.get(ADDRESS).headers["Location"] == "/"


def test_a_post_needs_its_token(strict: Client) -> None:
    assert strict.post(ADDRESS, GIVEN).status_code == 403
    assert not User.objects.exists()


def test_wrong_method(client: Client) -> None:
    assert client.put(ADDRESS).status_code == 405


@pytest.mark.django_db(transaction=True)
def test_only_one_of_many_at_once_becomes_the_owner() -> None:
    start = Barrier(4)

    def visit(number: int) -> bool:
        start.wait(10)
        try:
            return open_account(NewAccount(f"v{number}@example.org", "a phrase")).is_staff
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as visitors:
        owners = list(visitors.map(visit, range(4)))
    assert owners.count(True) == 1
    assert User.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_one_address_at_once_makes_one_account() -> None:
    start = Barrier(3)

    def visit(_: int) -> bool:
        start.wait(10)
        try:
            open_account(NewAccount("same@example.org", "a phrase"))
        except AddressTaken:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(3) as visitors:
        assert list(visitors.map(visit, range(3))).count(True) == 1
