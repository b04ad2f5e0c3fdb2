"""The account pages: name, look, language, sessions, email address and second factors."""

import json
import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client

from accounts.sessions import browser_name, open_session_ids, remove_expired_sessions
from accounts.tenancy import tenant
from memory.models import ActivityEvent
from tests.accounts.conftest import sign_in
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/"
SESSIONS = "/accounts/sessions/"


def test_form_changes_only_fields_edited_in_its_window(alice_client, alice, settings):
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    beginnings = {"initial-name": "Alice", "initial-language": ""}
    first = {"name": "Alice", "language": ""} | beginnings
    alice_client.post(ADDRESS, first | {"language": "ar"})
    alice_client.post(ADDRESS, first | {"name": "أليس"})
    alice.refresh_from_db()
    assert (alice.name, alice.language) == ("أليس", "ar")


def test_language_can_be_chosen_if_there_are_several(alice_client, alice, settings):
    assert "Language of the pages" not in check_page(alice_client.get(ADDRESS))
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    given = {"name": "أليس", "language": "ar"}
    page = check_page(alice_client.post(ADDRESS, given, follow=True))
    assert 'lang="ar"' in page
    assert 'dir="rtl"' in page
    assert "no pages in that language" in check_page(
        alice_client.post(ADDRESS, {**given, "language": "de"}), 422
    )
    back = alice_client.post(ADDRESS, {**given, "language": ""}, follow=True)
    assert 'dir="ltr"' in check_page(back)


def test_visitors_get_the_language_of_their_browser(client, alice, settings):
    settings.LANGUAGES = [("en-gb", "English"), ("ar", "العربية")]
    wanted = {"Accept-Language": "ar-EG, en;q=0.5"}
    answer = client.get("/accounts/sign-in/", headers=wanted)
    assert 'dir="rtl"' in check_page(answer)
    assert "Accept-Language" in answer.headers["Vary"]


def sessions_on(html):
    actions = [e.attributes.get("action", "") for e in parse(html).elements if e.tag == "form"]
    return [action for action in actions if action.endswith("/end/")]


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
    "address", ["look/", "sessions/", "sessions/1/end/", "tokens/", "apps/x/disconnect/", ""]
)
def test_changes_need_a_csrf_token_and_a_signed_in_user(strict, client, alice, address):
    assert client.post(ADDRESS + address).status_code == 302
    strict.force_login(alice)
    assert strict.post(ADDRESS + address).status_code == 403


@pytest.mark.parametrize("address", [ADDRESS, SESSIONS, "/accounts/welcome/"])
def test_pages_need_a_signed_in_user(client, alice_client, address):
    assert "/admin/" not in check_page(alice_client.get(address))
    assert client.get(address).headers["Location"] == f"/accounts/sign-in/?next={address}"


def test_only_staff_see_a_link_to_the_admin(carol_client):
    assert "/admin/" in check_page(carol_client.get(ADDRESS))


def test_users_rename_themselves_but_cannot_become_staff(alice_client, alice):
    given = {"name": "أليس", "is_staff": "on", "is_superuser": "on"}
    assert "Saved." in check_page(alice_client.post(ADDRESS, given, follow=True))
    alice.refresh_from_db()
    assert (alice.name, alice.is_staff, alice.is_superuser) == ("أليس", False, False)


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
    (address,) = sessions_on(html)
    assert signed_in.get(address).status_code == 405
    assert "Page not found" in check_page(bob_client.post(address), 404)
    assert second_alice_client.get(ADDRESS).status_code == 200
    assert signed_in.post(address).status_code == 302
    assert second_alice_client.get(ADDRESS).status_code == 302
    assert signed_in.get(ADDRESS).status_code == 200
    assert signed_in.post(address).status_code == 404


def test_all_other_sessions_can_be_ended(signed_in, second_alice_client, bob_client):
    signed_in.post(SESSIONS)
    statuses = [each.get(ADDRESS).status_code for each in (signed_in, second_alice_client, bob_client)]
    assert statuses == [200, 302, 200]


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
    assert list(EmailAddress.objects.values_list("email", "verified", "primary")) == [
        ("new@example.org", True, True)
    ]
    for login, enters in (("alice@example.org", False), ("new@example.org", True)):
        assert (sign_in(login).get("/accounts/").status_code == 200) is enters


def test_email_changes_after_entering_the_code_with_a_mail_server(confirmed, alice, settings):
    settings.EMAIL_HOST = "mail.example.org"
    confirmed.post(EMAIL, NEW_EMAIL)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    (message,) = mail.outbox
    assert message.to == ["new@example.org"]
    code = str(message.body).split("\n\n")[1].strip()
    confirmed.post("/accounts/email/code/", {"code": code})
    alice.refresh_from_db()
    assert alice.email == "new@example.org"


@pytest.mark.parametrize("taken", ["BOB@example.org", "alice@example.org"])
def test_taken_email_address_is_refused(confirmed, alice, bob, taken):
    check_page(confirmed.post(EMAIL, NEW_EMAIL | {"email": taken}))
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


SECURITY = "/accounts/security/"
SIGN_IN = {"login": "alice@example.org", "password": "alice-password-1"}
PASSWORD = {"password": "alice-password-1"}


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def add_app(browser):
    """Add an authenticator app; returns its secret."""
    page = browser.get(f"{SECURITY}totp/activate/")
    check_page(page)
    secret = str(page.context["form"].secret)
    added = browser.post(f"{SECURITY}totp/activate/", {"code": code_of(secret)}, follow=True)
    assert "Recovery codes" in check_page(added)
    return secret


def test_adding_an_authenticator_app_needs_the_password(signed_in):
    page = signed_in.get(f"{SECURITY}totp/activate/", follow=True)
    assert "Confirm it’s you" in check_page(page)
    assert "Incorrect password." in check_page(signed_in.post(page.request["PATH_INFO"], {"password": "no"}))
    back = signed_in.post(
        page.request["PATH_INFO"], PASSWORD | {"next": f"{SECURITY}totp/activate/"}, follow=True
    )
    assert "Scan the code" in check_page(back)


@pytest.mark.parametrize("address", ["webauthn/add/", "recovery-codes/generate/"])
def test_other_second_factors_need_the_password(signed_in, address):
    assert signed_in.get(SECURITY + address).headers["Location"].startswith("/accounts/confirm/")


def test_sign_in_needs_a_second_factor_or_an_unused_recovery_code(confirmed):
    secret = add_app(confirmed)
    codes = confirmed.get(f"{SECURITY}recovery-codes/")
    check_page(codes)
    (first, *_) = codes.context["unused_codes"]
    for code, enters in ((code_of(secret), True), (first, True), (first, False), ("000000", False)):
        browser = Client()
        page = check_page(browser.post("/accounts/sign-in/", SIGN_IN, follow=True))
        assert "authenticator app" in page
        assert browser.get("/accounts/").status_code == 302
        browser.post(f"{SECURITY}authenticate/", {"code": code})
        assert (browser.get("/accounts/").status_code == 200) is enters, code


def test_staff_can_remove_second_factors_and_the_owner_is_told(
    confirmed, alice, bob, carol_client, sends_mail, settings
):
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    add_app(confirmed)
    mail.outbox.clear()
    chosen = {"action": "remove_second_factors", "_selected_action": [str(alice.pk), str(bob.pk)]}
    answer = carol_client.post("/admin/accounts/user/", chosen, follow=True)
    assert b"Removed 2 second factors." in answer.content
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["alice@example.org"], "Staff removed your second factors")
    assert "127.0.0.1" not in str(message.body)
    assert "staff removed your second factors" in check_page(confirmed.get("/memory/activity/"))
    browser = Client()
    browser.post("/accounts/sign-in/", SIGN_IN | {"password": "carol-password-1"})
    assert browser.get("/accounts/").status_code == 302
    assert sign_in().get("/accounts/").status_code == 200
    with tenant(bob.pk):
        assert not ActivityEvent.objects.exists()


def test_passkeys_of_others_are_not_found(confirmed, bob):
    key = Authenticator.objects.create(user=bob, type=Authenticator.Type.WEBAUTHN, data={"name": "Bob's"})
    for action in ("remove", "edit"):
        address = f"{SECURITY}webauthn/keys/{key.pk}/{action}/"
        assert confirmed.get(address).status_code == 404
        assert confirmed.post(address, {"name": "Mine"}).status_code == 404
    assert "Bob" not in check_page(confirmed.get(f"{SECURITY}webauthn/"))
    assert Authenticator.objects.filter(user=bob).exists()


def test_security_pages_redirect_visitors_to_sign_in(client):
    for address in ("", "webauthn/", "webauthn/add/", "totp/activate/", "recovery-codes/"):
        answer = client.get(SECURITY + address, follow=True)
        assert answer.redirect_chain[-1][0].startswith("/accounts/sign-"), address


def test_totp_secret_is_encrypted_and_removed_with_the_app(confirmed, alice):
    secret = add_app(confirmed)
    with tenant(alice.id):
        kept = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    assert secret not in str(kept.data)
    assert "Remove authenticator app" in check_page(confirmed.get(SECURITY))
    check_page(confirmed.get(f"{SECURITY}totp/deactivate/"))
    confirmed.post(f"{SECURITY}totp/deactivate/")
    assert not Authenticator.objects.exists()


PASSKEY = {"id": "x", "rawId": "eA", "type": "public-key", "clientExtensionResults": {}, "response": {
    "clientDataJSON": "e30", "authenticatorData": "eA", "signature": "eA", "userHandle": "eA"}}  # fmt: skip


@pytest.mark.parametrize("credential", [PASSKEY, {}, {**PASSKEY, "response": {}}, "no JSON"])
def test_forged_passkey_is_refused(client, alice, credential):
    Authenticator.objects.create(user=alice, type=Authenticator.Type.WEBAUTHN, data={"name": "Key"})
    address = f"{SECURITY}webauthn/login/"
    client.get(address)
    given = credential if isinstance(credential, str) else json.dumps(credential)
    for browser in (client, Client()):  # with a challenge, and without
        browser.post(address, {"credential": given})
        assert browser.get("/accounts/").status_code == 302
