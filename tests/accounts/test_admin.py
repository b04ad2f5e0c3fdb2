import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from chat.models import Agent, Conversation, Generation, Message
from tests.accounts.conftest import sign_in
from transfer.models import ImportRun, RefusedEntry

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


def test_users_are_not_deleted_here(carol_client: Client, alice: User) -> None:
    assert carol_client.post(f"{USERS}{alice.pk}/delete/", {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": str(alice.pk), "post": "yes"}
    carol_client.post(USERS, chosen)
    assert User.objects.filter(pk=alice.pk).exists()


def test_staff_add_users_and_change_their_address_and_quota(carol_client: Client, alice: User) -> None:
    given = {"email": "Dan@Example.org", "usable_password": "true"}
    given |= {"password1": "a phrase to keep", "password2": "a phrase to keep"}
    assert carol_client.post(f"{USERS}add/", given).status_code == 302
    assert User.objects.get(email="dan@example.org").check_password("a phrase to keep")
    assert b"alice@example.org" in carol_client.get(USERS, {"q": "alice"}).content
    page = f"{USERS}{alice.pk}/change/"
    assert b'name="drawer_quota"' in carol_client.get(page).content
    changed = {"email": "MOVED@example.org", "name": "Alice", "is_active": "on", "drawer_quota": "5000"}
    assert carol_client.post(page, changed).status_code == 302
    assert User.objects.get(pk=alice.pk).drawer_quota == 5000
    for login, enters in (("alice@example.org", False), ("moved@example.org", True)):
        assert (sign_in(login).get("/accounts/").status_code == 200) is enters


def test_tokens_are_revoked_and_never_made_changed_or_shown(
    carol_client: Client, alice: User, token: ApiToken
) -> None:
    for address in (TOKENS, f"{TOKENS}{token.pk}/change/"):
        html = carol_client.get(address).content.decode()
        assert str(token.pk) in html
        assert "Laptop" not in html
        assert token.digest not in html
    assert carol_client.get(f"{TOKENS}add/").status_code == 403
    assert carol_client.post(f"{TOKENS}{token.pk}/change/", {"name": "x"}).status_code == 403
    chosen = {"action": "revoke", "_selected_action": str(token.pk)}
    assert b"Revoked 1 token." in carol_client.post(TOKENS, chosen, follow=True).content
    with tenant(alice.id):
        assert ApiToken.objects.get().revoked_at


@pytest.fixture
def rows(alice):
    with tenant(alice.id):
        run = ImportRun.objects.create(user_id=alice.id, format="chatgpt", messages=12)
    return {"transfer/importrun": (run, "chatgpt")}


def test_operators_read_the_figures_and_change_nothing(rows, carol_client, alice_client):
    for model in (Agent, Conversation, Message, Generation, RefusedEntry):
        assert not admin.site.is_registered(model)
    for name, (row, figure) in rows.items():
        for path in (f"/admin/{name}/", f"/admin/{name}/{row.id}/change/"):
            html = carol_client.get(path).content.decode()
            assert str(row.id) in html
            assert figure in html
            assert "Secret" not in html
            assert alice_client.get(path).status_code == 302
        assert carol_client.get(f"/admin/{name}/add/").status_code == 403
        assert carol_client.post(f"/admin/{name}/{row.id}/change/", {"model": "x"}).status_code == 403
