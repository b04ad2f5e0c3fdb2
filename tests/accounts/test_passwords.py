import re

import pytest
from allauth.idp.oidc.models import Token
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import CommandError
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from tests.commands import run_command
from tests.html import check_page

pytestmark = pytest.mark.django_db
CHANGE = "/accounts/password/"
FORGOTTEN = "/accounts/password/forgotten/"
NEW = {"password1": "another phrase", "password2": "another phrase"}
CHANGED = NEW | {"oldpassword": "alice-password-1"}


@pytest.fixture(autouse=True)
def programs(alice, bob):
    """Give both users a token and a connected app."""
    for user in (alice, bob):
        with tenant(user.id):
            issue_token(user.id, "Laptop", timezone.now())
            Token.objects.create(user=user, type=Token.Type.ACCESS_TOKEN, hash=str(user.id))


def count_valid_tokens(user):
    with tenant(user.id):
        return ApiToken.objects.filter(revoked_at=None).count() + Token.objects.count()


@pytest.mark.parametrize(("selected", "left"), [({"revoke": "on"}, 0), ({}, 2)])
def test_password_change_ends_other_sessions_and_revokes_tokens_if_selected(
    alice_client, second_alice_client, alice, bob, selected, left
):
    page = check_page(alice_client.get(CHANGE))
    assert re.search(r'name="revoke"[^>]*checked', page)
    page = check_page(alice_client.post(CHANGE, CHANGED | selected, follow=True))
    assert "Your password was changed." in page
    assert second_alice_client.get("/accounts/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("another phrase")
    assert (count_valid_tokens(alice), count_valid_tokens(bob)) == (left, 2)


@pytest.mark.parametrize("wrong", [{"oldpassword": "no"}, {"password2": "x"}, {"password1": "1"}])
def test_invalid_password_change_is_refused(alice_client, alice, wrong):
    check_page(alice_client.post(CHANGE, CHANGED | wrong | {"revoke": "on"}))
    alice.refresh_from_db()
    assert alice.check_password("alice-password-1")
    assert count_valid_tokens(alice) == 2


def test_reset_page_without_a_mail_server(client, alice):
    html = check_page(client.get(FORGOTTEN))
    assert "cannot send email" in html
    assert "manage.py changepassword" in html
    check_page(client.post(FORGOTTEN, {"email": alice.email}))
    assert mail.outbox == []


def mailed_link():
    found = re.search(r"http://testserver(\S+)", str(mail.outbox[0].body))
    assert found
    return found[1]


def test_reset_link_is_mailed_and_works_once(client, second_alice_client, alice, sends_mail, settings):
    check_page(client.get(FORGOTTEN))
    response = client.post(FORGOTTEN, {"email": "ALICE@example.org"}, follow=True)
    assert "a new password is on its way" in check_page(response)
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    form = client.get(mailed_link(), follow=True)
    check_page(form)
    response = client.post(form.request["PATH_INFO"], NEW | {"revoke": "on"}, follow=True)
    assert "Your password is set" in check_page(response)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")
    assert count_valid_tokens(alice) == 0
    assert second_alice_client.get("/accounts/").status_code == 302
    assert "no longer works" in check_page(Client().get(mailed_link(), follow=True))
    settings.ALLOWED_HOSTS = ["testserver"]
    forged = client.post(FORGOTTEN, {"email": alice.email}, headers={"Host": "evil.example"})
    assert (forged.status_code, len(mail.outbox)) == (400, 1)


def test_account_without_a_password_can_set_one(alice_client, alice):
    alice.set_unusable_password()
    alice.save()
    alice_client.force_login(alice)
    html = check_page(alice_client.get(CHANGE, follow=True))
    assert "Set a password" in html
    assert "Repeat password" in html
    alice_client.post("/accounts/password/set/", NEW)
    alice.refresh_from_db()
    assert alice.check_password("another phrase")


def test_reset_link_is_valid_only_for_its_account_and_password(client, alice, bob, sends_mail):
    client.post(FORGOTTEN, {"email": alice.email})
    client.post(FORGOTTEN, {"email": bob.email})
    links = [re.search(r"http://testserver(\S+/)(\w+)-([\w-]+)/", str(each.body)) for each in mail.outbox]
    (path, mine, key), (_, theirs, _) = [found.groups() for found in links if found]
    for forged in (f"{path}{theirs}-{key}/", f"{path}{mine}-{key[:-1]}x/", f"{path}{mine}-set-password/"):
        assert "no longer works" in check_page(Client().get(forged, follow=True))
    alice.set_password("changed meanwhile")
    alice.save()
    assert "no longer works" in check_page(Client().get(f"{path}{mine}-{key}/", follow=True))


def test_changepassword_signs_out_everywhere_and_revokes_tokens_and_apps(
    monkeypatch, second_alice_client, alice, bob
):
    typed = iter(["1", "1", "another phrase", "another phrase"])
    passkey = Authenticator.objects.create(user=alice, type=Authenticator.Type.WEBAUTHN, data={})
    before, held = len(connection.atomic_blocks), []

    def getpass(prompt):
        held.append(len(connection.atomic_blocks) - before)
        return next(typed)

    monkeypatch.setattr("getpass.getpass", getpass)
    assert "They are signed out everywhere" in run_command("changepassword ALICE@example.org")
    assert held == [0, 0, 0, 0], "no transaction waits for the operator"
    with tenant(alice.id):
        assert Authenticator.objects.get() == passkey
        passkey.delete()
    assert (count_valid_tokens(alice), count_valid_tokens(bob)) == (0, 2)
    assert second_alice_client.get("/accounts/").status_code == 302
    assert not Session.objects.exists()
    browser = Client()
    browser.post("/accounts/sign-in/", {"login": alice.email, "password": "another phrase"})
    assert "a new password was set on the server" in check_page(browser.get("/memory/activity/"))


def test_aborted_changepassword_changes_nothing(monkeypatch, alice):
    monkeypatch.setattr("getpass.getpass", lambda prompt: "1")
    for address in (alice.email, "nobody@example.org"):
        with pytest.raises(CommandError):
            run_command("changepassword", address)
    alice.refresh_from_db()
    assert alice.check_password("alice-password-1")
    assert count_valid_tokens(alice) == 2
