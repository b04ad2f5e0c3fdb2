"""The account pages: name, look, language, sessions and email address."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail

from accounts.sessions import browser_name, open_session_ids, remove_expired_sessions
from tests.accounts.conftest import sign_in
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/"
SESSIONS = "/accounts/sessions/"
SECURITY = "/accounts/security/"


def test_users_change_only_their_name_and_language(client, alice_client, alice, settings):
    assert "Language of the pages" not in check_page(alice_client.get(ADDRESS))
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    page = client.get("/accounts/sign-in/", headers={"Accept-Language": "ar-EG, en;q=0.5"})
    assert 'dir="rtl"' in check_page(page)
    assert "Accept-Language" in page.headers["Vary"]
    shown = {"name": "Alice", "language": "", "initial-name": "Alice", "initial-language": ""}
    page = check_page(alice_client.post(ADDRESS, shown | {"language": "ar"}, follow=True))
    assert 'lang="ar"' in page
    assert 'dir="rtl"' in page
    given = shown | {
        "name": "أليس",
        "is_staff": "on",
        "is_superuser": "on",
    }  # in a window that was already open
    assert "Saved." in check_page(alice_client.post(ADDRESS, given, follow=True))
    alice.refresh_from_db()
    assert (alice.name, alice.language, alice.is_staff, alice.is_superuser) == ("أليس", "ar", False, False)
    refused = alice_client.post(ADDRESS, {"name": "أليس", "language": "de"})
    assert "no pages in that language" in check_page(refused, 422)
    back = alice_client.post(ADDRESS, {"name": "أليس", "language": ""}, follow=True)
    assert 'dir="ltr"' in check_page(back)


def test_pages_need_a_signed_in_user_and_link_staff_to_the_admin(client, alice_client, carol_client):
    for address in (ADDRESS, SESSIONS, "/accounts/welcome/"):
        assert "/admin/" not in check_page(alice_client.get(address))
        assert client.get(address).headers["Location"] == f"/accounts/sign-in/?next={address}"
    assert "/admin/" in check_page(carol_client.get(ADDRESS))
    for address in ("", "webauthn/", "webauthn/add/", "totp/activate/", "recovery-codes/"):
        page = client.get(SECURITY + address, follow=True)
        assert page.redirect_chain[-1][0].startswith("/accounts/sign-"), address


@pytest.mark.parametrize(
    ("name", "chosen", "kept"),
    [("theme", "dark", "dark"), ("density", "comfortable", "comfortable"), ("theme", '"><script>', "")],
)
def test_look_is_stored_in_the_session_and_can_be_reset(alice_client, name, chosen, kept):
    for value, shown in ((chosen, kept), ("", "")):
        alice_client.post("/accounts/look/", {name: value})
        assert f'data-{name}="{shown}"' in check_page(alice_client.get(ADDRESS))


def test_sessions_are_listed_without_their_keys_and_can_be_ended(signed_in, second_alice_client, bob_client):
    html = check_page(signed_in.get(SESSIONS))
    assert "Firefox on Linux" in html
    assert html.count("this browser</span>") == 1
    keys = list(UserSession.objects.values_list("session_key", flat=True))
    assert len(keys) == 2
    assert not [key for key in keys if key in html]
    forms = [e.attributes.get("action", "") for e in parse(html).elements if e.tag == "form"]
    (address,) = (action for action in forms if action.endswith("/end/"))
    assert signed_in.get(address).status_code == 405
    assert "Page not found" in check_page(bob_client.post(address), 404)
    assert second_alice_client.get(ADDRESS).status_code == 200
    assert signed_in.post(address).status_code == 302
    assert second_alice_client.get(ADDRESS).status_code == 302
    assert signed_in.post(address).status_code == 404
    third = sign_in()
    signed_in.post(SESSIONS)  # signs out all others
    statuses = [each.get(ADDRESS).status_code for each in (signed_in, third, bob_client)]
    assert statuses == [200, 302, 200]


def test_expired_sessions_are_removed(signed_in, alice):
    (expires,) = Session.objects.values_list("expire_date", flat=True)
    assert len(open_session_ids(alice.id, expires - timedelta(seconds=1))) == 1
    assert open_session_ids(alice.id, expires) == []
    remove_expired_sessions(expires - timedelta(seconds=1))
    assert signed_in.get(ADDRESS).status_code == 200
    remove_expired_sessions(expires)
    assert not Session.objects.exists()
    assert not UserSession.objects.exists()


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("curl/8.0", ""),
    ],
)
def test_browser_names(user_agent, name):
    assert browser_name(user_agent) == name


EMAIL = "/accounts/email/"
NEW_EMAIL = {"email": "New@example.org", "action_add": ""}


def test_email_changes_after_confirming_the_password_without_a_mail_server(signed_in, alice):
    assert signed_in.post(EMAIL, NEW_EMAIL).headers["Location"].startswith("/accounts/confirm/")
    given = {"password": "alice-password-1", "next": EMAIL}
    page = check_page(signed_in.post("/accounts/confirm/", given, follow=True))
    assert "Your email address is new@example.org." in page
    alice.refresh_from_db()
    assert alice.email == "new@example.org"
    kept = EmailAddress.objects.values_list("email", "verified", "primary")
    assert list(kept) == [("new@example.org", True, True)]
    for login, enters in (("alice@example.org", False), ("new@example.org", True)):
        assert (sign_in(login).get(ADDRESS).status_code == 200) is enters


def test_email_changes_after_entering_the_code_with_a_mail_server(confirmed, alice, bob, settings):
    for taken in ("BOB@example.org", "alice@example.org"):
        check_page(confirmed.post(EMAIL, NEW_EMAIL | {"email": taken}))
    settings.EMAIL_HOST = "mail.example.org"
    confirmed.post(EMAIL, NEW_EMAIL)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org", "others are taken, and this is not confirmed"
    (message,) = mail.outbox
    assert message.to == ["new@example.org"]
    code = str(message.body).split("\n\n")[1].strip()
    confirmed.post("/accounts/email/code/", {"code": code})
    alice.refresh_from_db()
    assert alice.email == "new@example.org"
