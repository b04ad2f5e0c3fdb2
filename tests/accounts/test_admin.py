import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token

pytestmark = pytest.mark.django_db
TOKENS = "/admin/accounts/apitoken/"
USERS = "/admin/accounts/user/"


@pytest.fixture
def token(alice: User) -> ApiToken:
    with tenant(alice.id):
        issue_token(alice.id, "Laptop", timezone.now())
        return ApiToken.objects.get()


def test_only_staff_come_in(client: Client, alice_client: Client, carol_client: Client) -> None:
    assert client.get(USERS).status_code == 302
    assert alice_client.get(USERS).status_code == 302
    assert b"Palace administration" in carol_client.get("/admin/").content


def test_users_are_listed_and_changed(carol_client: Client, alice: User) -> None:
    assert b"alice@example.org" in carol_client.get(USERS, {"q": "alice"}).content
    address = f"{USERS}{alice.pk}/change/"
    assert carol_client.get(address).status_code == 200
    given = {"email": "ALICE2@example.org", "name": "A", "is_active": "on"}
    assert carol_client.post(address, given).status_code == 302
    alice.refresh_from_db()
    assert alice.email == "alice2@example.org"


def test_a_user_is_added_under_small_letters(carol_client: Client) -> None:
    given = {
        "email": "Dan@Example.org",
        "usable_password": "true",
        "password1": "a phrase to keep",
        "password2": "a phrase to keep",
    }
    assert carol_client.post(f"{USERS}add/", given).status_code == 302
    assert User.objects.get(email="dan@example.org").check_password("a phrase to keep")


def test_users_are_not_deleted_here(carol_client: Client, alice: User) -> None:
    assert carol_client.post(f"{USERS}{alice.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": str(alice.pk), "post": "yes"}
    carol_client.post(USERS, chosen)
    assert User.objects.filter(pk=alice.pk).exists()


def test_tokens_are_shown_without_their_digest(carol_client: Client, token: ApiToken) -> None:
    for address in (TOKENS, f"{TOKENS}{token.pk}/change/"):
        html = carol_client.get(address).content.decode()
        assert "Laptop" in html
        assert token.digest not in html


def test_tokens_are_revoked(carol_client: Client, alice: User, token: ApiToken) -> None:
    chosen = {"action": "revoke", "_selected_action": str(token.pk)}
    assert b"1 token is revoked." in carol_client.post(TOKENS, chosen, follow=True).content
    with tenant(alice.id):
        assert ApiToken.objects.get().revoked_at


def test_tokens_are_not_made_here(carol_client: Client, token: ApiToken) -> None:
    assert carol_client.get(f"{TOKENS}add/").status_code == 403
    assert carol_client.post(f"{TOKENS}{token.pk}/change/", {"name": "x"}).status_code == 403
