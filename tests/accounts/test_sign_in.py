"""Signing in, up and out, passwords, and the commands that add users and set passwords."""

import hashlib
import re
import sys
from contextlib import suppress
from io import StringIO
from unittest.mock import Mock
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Token
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import CommandError
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.registration import EmailTaken, add_account, site_is_empty
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from tests.accounts.conftest import is_signed_in, sign_in
from tests.at_once import at_once
from tests.commands import Terminal, run_command
from tests.html import check_page

pytestmark = pytest.mark.django_db

ADDRESS = "/accounts/sign-in/"
ALICE = {"login": "alice@example.org", "password": "alice-password-1"}
SIGN_UP = "/accounts/sign-up/"
BY_PASSKEY = "/accounts/sign-up/passkey/"
PHRASE = {"password1": "a phrase to keep", "password2": "a phrase to keep"}
GIVEN = PHRASE | {"name": "王敏", "email": "Wang.Min@Example.org"}


@pytest.mark.parametrize("reset_requested", [False, True])
def test_sign_in_verifies_the_address_of_an_older_account(client, alice, sends_mail, reset_requested):
    """Even if a stranger requested a password reset before."""
    if reset_requested:
        Client().post(FORGOTTEN, {"email": alice.email})
        assert not EmailAddress.objects.get().verified
        mail.outbox.clear()
    assert "Sign in" in check_page(client.get(ADDRESS))
    response = client.post(ADDRESS, ALICE | {"login": " Alice@EXAMPLE.org "})
    assert response.headers["Location"] == "/"
    assert is_signed_in(client)
    kept = EmailAddress.objects.get()
    assert (kept.user, kept.email, kept.verified, kept.primary) == (alice, alice.email, True, True)
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("wanted", "led_to"),
    [
        ("/memory/facts/?q=1", "/memory/facts/?q=1"),
        *((uri, "/") for uri in ("https://evil.example/", "//evil.example/", "javascript:alert(1)")),
    ],
)
def test_sign_in_leads_to_the_requested_page_of_this_site(client, alice, wanted, led_to):
    asked = client.get("/memory/facts/?q=%C2%A7")
    assert 'value="/memory/facts/?q=%C2%A7"' in check_page(client.get(asked.headers["Location"]))
    assert client.post(ADDRESS, ALICE | {"next": wanted}).headers["Location"] == led_to


@pytest.mark.parametrize("address", [ADDRESS, SIGN_UP])
def test_forms_need_a_csrf_token(strict, alice, address):
    assert "Nothing was changed" in check_page(strict.post(address, ALICE | GIVEN), 403)
    assert User.objects.get() == alice
    token = {"csrfmiddlewaretoken": str(strict.get(address).context["csrf_token"])}
    assert strict.post(address, ALICE | GIVEN | token).status_code == 302


def test_sign_out_ends_the_session(signed_in):
    check_page(signed_in.get("/accounts/sign-out/"))
    assert is_signed_in(signed_in)
    assert signed_in.post("/accounts/sign-out/").headers["Location"] == ADDRESS
    assert not is_signed_in(signed_in)
    assert [each for each in UserSession.objects.all() if each.exists()] == []


def test_inactive_accounts_cannot_sign_in(client, alice):
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert "account is disabled" in check_page(client.post(ADDRESS, ALICE, follow=True))
    assert not is_signed_in(client)


def test_first_account_owns_the_site_and_later_ones_have_no_privileges(client):
    for start in ("/", ADDRESS):
        response = client.get(start, follow=True)
        assert response.redirect_chain[-1][0] == SIGN_UP
        assert "Create the owner account" in check_page(response)
    assert client.post(SIGN_UP, GIVEN).headers["Location"] == "/memory/consent/"
    owner = User.objects.get()
    assert (owner.email, owner.name) == ("wang.min@example.org", "王敏")
    assert (owner.is_staff, owner.is_superuser) == (True, True)
    assert is_signed_in(client)
    assert mail.outbox == []
    later = Client()
    assert "owner" not in check_page(later.get(SIGN_UP))
    hostile = {"name": "<script>alert(1)</script>", "is_staff": "on", "is_superuser": "on"}
    later.post(SIGN_UP, GIVEN | hostile | {"email": "later@example.org"})
    assert "&lt;script&gt;alert(1)" in check_page(later.get("/accounts/"))
    user = User.objects.get(email="later@example.org")
    assert (user.is_staff, user.is_superuser) == (False, False)


def test_closed_sign_up_is_refused_even_on_an_empty_site(client, settings):
    settings.SIGN_UP = False
    for start in ("/", ADDRESS, SIGN_UP, BY_PASSKEY):
        page = check_page(client.get(start, follow=True))
        assert "Sign-up is closed" in page
        assert "manage.py add_user" in page or start == BY_PASSKEY
    for address in (SIGN_UP, BY_PASSKEY):
        client.post(address, GIVEN)
    assert not User.objects.exists()
    add_account("ann@example.org", "p", is_staff=False)
    for address in (SIGN_UP, BY_PASSKEY):
        assert "Sign-up is closed" in check_page(client.get(address))
        client.post(address, GIVEN)
    assert User.objects.count() == 1
    assert SIGN_UP not in check_page(client.get(ADDRESS))


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
    assert not is_signed_in(client)
    (message,) = mail.outbox
    assert message.to == ["wang.min@example.org"]
    code = str(message.body).split("\n\n")[1].strip()
    assert "Incorrect code" in check_page(client.post("/accounts/email/code/", {"code": "x"}))
    assert client.post("/accounts/email/code/", {"code": code}).status_code == 302
    assert is_signed_in(client)


def test_unfinished_passkey_sign_up_does_not_block_the_address(client):
    response = client.post(BY_PASSKEY, {"name": "", "email": GIVEN["email"]}, follow=True)
    assert "Create your passkey" in check_page(response)
    assert not is_signed_in(client)
    assert site_is_empty()
    Client().post(SIGN_UP, GIVEN)
    owner = User.objects.get()
    assert (owner.is_staff, owner.has_usable_password()) == (True, True)


def test_accounts_without_password_are_not_replaced_by_sign_up(client, alice):
    by_command = add_account("cron@example.org", None, is_staff=False)
    by_passkey = User.objects.create_user("key@example.org")
    by_passkey.emailaddress_set.create(email=by_passkey.email, primary=True)
    Authenticator.objects.create(user=by_passkey, type=Authenticator.Type.WEBAUTHN, data={})
    for user in (by_command, by_passkey):
        assert "already exists" in check_page(client.post(SIGN_UP, GIVEN | {"email": user.email}))
    assert User.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_concurrent_sign_ups_create_one_owner_and_one_account_per_address():
    at_once(lambda number: Client().post(SIGN_UP, GIVEN | {"email": f"v{number}@example.org"}), 4)
    assert sorted(User.objects.values_list("is_staff", flat=True)) == [False, False, False, True]

    def visit(number):
        with suppress(EmailTaken):
            if number:
                add_account("same@example.org", "a phrase", is_staff=False)
            else:
                Client().post(SIGN_UP, GIVEN | {"email": "same@example.org"})

    at_once(visit, 3)
    assert User.objects.count() == 5


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
def test_add_user_with_refused_arguments_changes_nothing(alice, arguments, sentence):
    with pytest.raises(CommandError, match=sentence) as refusal:
        add_user(*arguments)
    assert refusal.value.returncode == 1
    assert User.objects.count() == 1


def test_add_user_makes_the_first_account_a_superuser_and_prints_id_and_token():
    add_user("ben@example.org", "--password", "p")
    printed, token = add_user("Ann@Example.org", "--password", "p", "--token")
    rights = User.objects.order_by("email").values_list("email", "is_staff", "is_superuser")
    assert list(rights) == [("ann@example.org", False, False), ("ben@example.org", True, True)]
    user = User.objects.get(id=UUID(printed))
    assert user.email == "ann@example.org"
    assert user.check_password("p")
    with tenant(user.id):
        kept = ApiToken.objects.get()
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token.startswith(f"pal_{user.id.hex}_")


def test_superuser_needs_a_password(monkeypatch):
    arguments = ("createsuperuser", "--noinput", "--email", "ann@example.org")
    with pytest.raises(CommandError, match="DJANGO_SUPERUSER_PASSWORD"):
        run_command(*arguments)
    assert not User.objects.exists()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "p")
    run_command(*arguments)
    assert User.objects.get().is_superuser


def test_password_is_typed_twice_on_a_terminal_and_missing_without_one(monkeypatch):
    monkeypatch.setattr(sys, "stdin", StringIO())
    add_user("zoe@example.org", "--staff")
    zoe = User.objects.get()
    assert (zoe.is_staff, zoe.is_superuser, zoe.has_usable_password()) == (True, True, False)
    answers = iter(["a", "b", "word", "word", ""])
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))
    with pytest.raises(CommandError, match="do not match"):
        add_user("ann@example.org")
    for name in ("ann", "ben"):
        add_user(f"{name}@example.org")
    usable = [user.has_usable_password() for user in User.objects.order_by("email")]
    assert usable == [True, False, False]


CHANGE = "/accounts/password/"
FORGOTTEN = "/accounts/password/forgotten/"
NEW = {"password1": "another phrase", "password2": "another phrase"}
CHANGED = NEW | {"oldpassword": "alice-password-1"}


@pytest.fixture
def programs(alice, bob):
    """Give both users a token and a connected app."""
    for user in (alice, bob):
        with tenant(user.id):
            issue_token(user.id, "Laptop", timezone.now())
            Token.objects.create(user=user, type=Token.Type.ACCESS_TOKEN, hash=str(user.id))


def valid_tokens(*users):
    for user in users:
        with tenant(user.id):
            yield ApiToken.objects.filter(revoked_at=None).count() + Token.objects.count()


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(("selected", "left"), [({"revoke": "on"}, 0), ({}, 2)])
def test_password_is_changed_or_set_and_tokens_revoked_if_selected(
    alice_client, second_alice_client, alice, bob, selected, left
):
    for wrong in ({"oldpassword": "no"}, {"password2": "x"}, {"password1": "1"}):
        check_page(alice_client.post(CHANGE, CHANGED | wrong | {"revoke": "on"}))
    assert re.search(r'name="revoke"[^>]*checked', check_page(alice_client.get(CHANGE)))
    alice.refresh_from_db()
    assert alice.check_password("alice-password-1")
    assert list(valid_tokens(alice, bob)) == [2, 2]
    page = check_page(alice_client.post(CHANGE, CHANGED | selected, follow=True))
    assert "Your password was changed." in page
    assert not is_signed_in(second_alice_client)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")
    assert list(valid_tokens(alice, bob)) == [left, 2]
    alice.set_unusable_password()
    alice.save()
    alice_client.force_login(alice)
    html = check_page(alice_client.get(CHANGE, follow=True))
    assert "Set a password" in html
    assert "Repeat password" in html
    alice_client.post("/accounts/password/set/", NEW)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")


def test_reset_page_without_a_mail_server(client, alice):
    html = check_page(client.get(FORGOTTEN))
    assert "cannot send email" in html
    assert "manage.py changepassword" in html
    check_page(client.post(FORGOTTEN, {"email": alice.email}))
    assert mail.outbox == []


def mailed_links():
    return [re.search(r"http://testserver(\S+)", str(each.body))[1] for each in mail.outbox]


@pytest.mark.usefixtures("programs")
def test_reset_link_is_mailed_and_works_once(client, second_alice_client, alice, sends_mail, settings):
    check_page(client.get(FORGOTTEN))
    response = client.post(FORGOTTEN, {"email": "ALICE@example.org"}, follow=True)
    assert "a new password is on its way" in check_page(response)
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    form = client.get(mailed_links()[0], follow=True)
    check_page(form)
    response = client.post(form.request["PATH_INFO"], NEW | {"revoke": "on"}, follow=True)
    assert "Your password is set" in check_page(response)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")
    assert list(valid_tokens(alice)) == [0]
    assert not is_signed_in(second_alice_client)
    assert "no longer works" in check_page(Client().get(mailed_links()[0], follow=True))
    settings.ALLOWED_HOSTS = ["testserver"]
    forged = client.post(FORGOTTEN, {"email": alice.email}, headers={"Host": "evil.example"})
    assert (forged.status_code, len(mail.outbox)) == (400, 1)


def test_reset_link_is_valid_only_for_its_account_and_password(client, alice, bob, sends_mail):
    client.post(FORGOTTEN, {"email": alice.email})
    client.post(FORGOTTEN, {"email": bob.email})
    (path, mine, key), (_, theirs, _) = (re.split(r"(?<=/)(\w+)-", link) for link in mailed_links())
    for forged in (f"{path}{theirs}-{key}", f"{path}{mine}-{key[:-2]}x/", f"{path}{mine}-set-password/"):
        assert "no longer works" in check_page(Client().get(forged, follow=True))
    alice.set_password("changed meanwhile")
    alice.save()
    assert "no longer works" in check_page(Client().get(f"{path}{mine}-{key}", follow=True))


@pytest.mark.parametrize("sign_up", [True, False])
def test_email_to_an_unknown_address_offers_sign_up_only_where_it_is_open(settings, sends_mail, sign_up):
    settings.SIGN_UP = sign_up
    Client().post(FORGOTTEN, {"email": "nobody@example.org"})
    body = str(mail.outbox[0].body)
    assert (SIGN_UP in body, "ask the owner" in body) == (sign_up, not sign_up)


@pytest.mark.usefixtures("programs")
def test_changepassword_signs_out_everywhere_and_revokes_tokens_and_apps(
    monkeypatch, second_alice_client, alice, bob
):
    typed = iter(["1"] * 8 + ["another phrase"] * 2)
    passkey = Authenticator.objects.create(user=alice, type=Authenticator.Type.WEBAUTHN, data={})
    before, held = len(connection.atomic_blocks), []

    def getpass(prompt):
        held.append(len(connection.atomic_blocks) - before)
        return next(typed)

    monkeypatch.setattr("getpass.getpass", getpass)
    for address in (alice.email, "nobody@example.org"):
        with pytest.raises(CommandError):
            run_command("changepassword", address)
    assert list(valid_tokens(alice, bob)) == [2, 2]
    assert "They are signed out everywhere" in run_command("changepassword ALICE@example.org")
    assert set(held) == {0}, "no transaction waits for the operator"
    with tenant(alice.id):
        assert Authenticator.objects.get() == passkey
        passkey.delete()
    assert list(valid_tokens(alice, bob)) == [0, 2]
    assert not is_signed_in(second_alice_client)
    assert not Session.objects.exists()
    browser = sign_in(password="another phrase")
    assert "a new password was set on the server" in check_page(browser.get("/memory/activity/"))

    monkeypatch.setattr("getpass.getpass", Mock(side_effect=EOFError))
    with pytest.raises(CommandError, match="no terminal"):
        run_command("changepassword", alice.email)
