"""Signing in, signing out and signing up, and adding users by command."""

import hashlib
import sys
from contextlib import suppress
from io import StringIO
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core import mail
from django.core.management import CommandError
from django.test import Client

from accounts.models import ApiToken, User
from accounts.registration import EmailTaken, add_account, site_is_empty
from accounts.tenancy import tenant
from tests.at_once import at_once
from tests.commands import Terminal, run_command
from tests.html import check_page

pytestmark = pytest.mark.django_db

ADDRESS = "/accounts/sign-in/"
ALICE = {"login": "alice@example.org", "password": "alice-password-1"}
SIGN_UP = "/accounts/sign-up/"
BY_PASSKEY = "/accounts/sign-up/passkey/"
GIVEN = {
    "name": "王敏",
    "email": "Wang.Min@Example.org",
    "password1": "a phrase to keep",
    "password2": "a phrase to keep",
}


def test_sign_in_ignores_case_of_the_email(client, alice):
    assert "Sign in" in check_page(client.get(ADDRESS))
    response = client.post(ADDRESS, ALICE | {"login": " Alice@EXAMPLE.org "})
    assert response.headers["Location"] == "/"
    assert client.get("/accounts/").status_code == 200


def test_older_account_gets_a_verified_email_address(client, alice, settings):
    settings.EMAIL_HOST = "mail.example.org"
    assert not EmailAddress.objects.exists()
    client.post(ADDRESS, ALICE)
    assert client.get("/accounts/").status_code == 200
    kept = EmailAddress.objects.get()
    assert (kept.user, kept.email, kept.verified, kept.primary) == (alice, alice.email, True, True)
    assert mail.outbox == []


def test_reset_requested_by_a_stranger_does_not_lock_an_account_out(client, alice, sends_mail):
    Client().post("/accounts/password/forgotten/", {"email": alice.email})
    assert not EmailAddress.objects.get().verified
    client.post(ADDRESS, ALICE)
    assert client.get("/accounts/").status_code == 200
    kept = EmailAddress.objects.get()
    assert (kept.email, kept.verified, kept.primary) == (alice.email, True, True)


def test_inactive_account_cannot_sign_in(client, alice):
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert "account is disabled" in check_page(client.post(ADDRESS, ALICE, follow=True))
    assert client.get("/accounts/").status_code == 302


def test_sign_in_redirects_to_the_requested_page(client, alice):
    response = client.get("/memory/facts/?q=%C2%A7")
    assert 'value="/memory/facts/?q=%C2%A7"' in check_page(client.get(response.headers["Location"]))
    response = client.post(ADDRESS, ALICE | {"next": "/memory/facts/?q=1"})
    assert response.headers["Location"] == "/memory/facts/?q=1"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_sign_in_does_not_redirect_to_other_sites(client, alice, elsewhere):
    response = client.post(ADDRESS, ALICE | {"next": elsewhere})
    assert response.headers["Location"] == "/"


@pytest.mark.parametrize("address", [ADDRESS, SIGN_UP])
def test_forms_need_a_csrf_token(strict, alice, address):
    assert "Nothing was changed" in check_page(strict.post(address, ALICE | GIVEN), 403)
    assert User.objects.get() == alice
    token = {"csrfmiddlewaretoken": str(strict.get(address).context["csrf_token"])}
    assert strict.post(address, ALICE | GIVEN | token).status_code == 302


def test_sign_out_ends_the_session(client, alice):
    client.post(ADDRESS, ALICE)
    check_page(client.get("/accounts/sign-out/"))
    assert client.get("/accounts/").status_code == 200
    response = client.post("/accounts/sign-out/")
    assert response.headers["Location"] == ADDRESS
    assert client.get("/accounts/").status_code == 302
    assert not any(each.exists() for each in UserSession.objects.all())


def test_first_account_owns_the_site(client):
    for start in ("/", "/accounts/sign-in/"):
        response = client.get(start, follow=True)
        assert response.redirect_chain[-1][0] == SIGN_UP
        assert "Create the owner account" in check_page(response)
    response = client.post(SIGN_UP, GIVEN)
    assert response.headers["Location"] == "/memory/consent/"
    owner = User.objects.get()
    assert (owner.email, owner.name) == ("wang.min@example.org", "王敏")
    assert owner.is_staff
    assert owner.is_superuser
    assert client.get("/accounts/").status_code == 200
    assert mail.outbox == []


def test_later_accounts_have_no_privileges(client, carol):
    assert "owner" not in check_page(client.get(SIGN_UP))
    hostile = {"name": "<script>alert(1)</script>", "is_staff": "on", "is_superuser": "on"}
    client.post(SIGN_UP, GIVEN | hostile)
    assert "&lt;script&gt;alert(1)" in check_page(client.get("/accounts/"))
    user = User.objects.get(email="wang.min@example.org")
    assert not user.is_staff
    assert not user.is_superuser


def test_visitors_cannot_claim_an_empty_site_with_closed_sign_up(client, settings):
    settings.SIGN_UP = False
    for start in ("/", ADDRESS):
        page = check_page(client.get(start, follow=True))
        assert "Sign-up is closed" in page
        assert "manage.py add_user" in page
    client.post(SIGN_UP, GIVEN)
    assert not User.objects.exists()


@pytest.mark.parametrize("address", [SIGN_UP, BY_PASSKEY])
def test_closed_sign_up_is_refused(client, carol, settings, address):
    settings.SIGN_UP = False
    assert "Sign-up is closed" in check_page(client.get(address))
    client.post(address, GIVEN)
    assert User.objects.count() == 1
    assert SIGN_UP not in check_page(client.get("/accounts/sign-in/"))


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
def test_invalid_sign_up_is_refused(client, alice, wrong, sentence):
    assert sentence in check_page(client.post(SIGN_UP, GIVEN | wrong))
    assert User.objects.count() == 1


def test_sign_up_with_a_mail_server_needs_the_mailed_code(client, sends_mail):
    page = check_page(client.post(SIGN_UP, GIVEN, follow=True))
    assert "wang.min@example.org" in page
    assert client.get("/accounts/").status_code == 302
    (message,) = mail.outbox
    assert message.to == ["wang.min@example.org"]
    code = str(message.body).split("\n\n")[1].strip()
    assert "Incorrect code" in check_page(client.post("/accounts/email/code/", {"code": "x"}))
    assert client.post("/accounts/email/code/", {"code": code}).status_code == 302
    assert client.get("/accounts/").status_code == 200


def test_unfinished_passkey_sign_up_does_not_block_the_address(client):
    response = client.post(BY_PASSKEY, {"name": "", "email": GIVEN["email"]}, follow=True)
    assert "Create your passkey" in check_page(response)
    assert client.get("/accounts/").status_code == 302
    assert site_is_empty()
    Client().post(SIGN_UP, GIVEN)
    owner = User.objects.get()
    assert owner.is_staff
    assert owner.has_usable_password()


def test_accounts_without_password_are_not_replaced_by_sign_up(client, alice):
    by_command = add_account("cron@example.org", None, is_staff=False)
    by_passkey = User.objects.create_user("key@example.org")
    by_passkey.emailaddress_set.create(email=by_passkey.email, primary=True)
    Authenticator.objects.create(user=by_passkey, type=Authenticator.Type.WEBAUTHN, data={})
    for user in (by_command, by_passkey):
        assert "already exists" in check_page(client.post(SIGN_UP, GIVEN | {"email": user.email}))
    assert User.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_concurrent_sign_ups_create_one_owner():
    at_once(lambda number: Client().post(SIGN_UP, GIVEN | {"email": f"v{number}@example.org"}), 4)
    assert sorted(User.objects.values_list("is_staff", flat=True)) == [False, False, False, True]


@pytest.mark.django_db(transaction=True)
def test_concurrent_sign_ups_of_one_address_create_one_account():
    def visit(number):
        with suppress(EmailTaken):
            if number:
                add_account("same@example.org", "a phrase", is_staff=False)
            else:
                Client().post(SIGN_UP, GIVEN | {"email": "same@example.org"})

    at_once(visit, 3)
    assert User.objects.count() == 1


def add_user(*arguments):
    return run_command("add_user", *arguments).splitlines()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["not-an-address"], "is not an email address"),
        (["ALICE@example.org", "--password", "p"], "already has an account"),
        (["ann@example.org", "--password", ""], "is empty"),
        (["a\x00@example.org", "--password", "p"], "is not an email address"),
    ],
)
def test_refused_arguments_change_nothing(alice, arguments, sentence):
    with pytest.raises(CommandError, match=sentence) as refusal:
        add_user(*arguments)
    assert refusal.value.returncode == 1
    assert User.objects.count() == 1


def test_first_account_by_command_is_a_superuser():
    for name in ("ann", "ben"):
        add_user(f"{name}@example.org", "--password", "p")
    rights = User.objects.order_by("email").values_list("is_staff", "is_superuser")
    assert list(rights) == [(True, True), (False, False)]


def test_superuser_needs_a_password(monkeypatch):
    arguments = ("createsuperuser", "--noinput", "--email", "ann@example.org")
    with pytest.raises(CommandError, match="DJANGO_SUPERUSER_PASSWORD"):
        run_command(*arguments)
    assert not User.objects.exists()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "p")
    run_command(*arguments)
    assert User.objects.get().is_superuser


def test_command_prints_the_id_and_a_token_stored_as_digest(alice):
    printed, token = add_user("Ann@Example.org", "--password", "p", "--token")
    user = User.objects.get(id=UUID(printed))
    assert user.email == "ann@example.org"
    assert user.check_password("p")
    assert not user.is_staff
    with tenant(user.id):
        kept = ApiToken.objects.get()
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token.startswith(f"pal_{user.id.hex}_")


def test_staff_without_a_password_cannot_sign_in(alice, monkeypatch):
    monkeypatch.setattr(sys, "stdin", StringIO())
    add_user("ann@example.org", "--staff")
    user = User.objects.get(email="ann@example.org")
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (True, True, False)


@pytest.mark.parametrize(("typed", "usable"), [(["word", "word"], True), ([""], False), (["a", "b"], None)])
def test_password_is_typed_twice_on_a_terminal(monkeypatch, typed, usable):
    answers = iter(typed)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    if usable is None:
        with pytest.raises(CommandError, match="do not match"):
            add_user("ann@example.org")
    else:
        add_user("ann@example.org")
    assert [user.has_usable_password() for user in User.objects.all()] == [usable] * (usable is not None)
