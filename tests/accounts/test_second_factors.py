import json
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from tests.accounts.conftest import sign_in
from tests.html import check_page

pytestmark = pytest.mark.django_db
SECURITY = "/accounts/security/"
SIGN_IN = {"login": "alice@example.org", "password": "alice-password-1"}
PASSWORD = {"password": "alice-password-1"}


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def add_app(browser: Client) -> str:
    """Add an authenticator app; returns its secret."""
    page = browser.get(f"{SECURITY}totp/activate/")
    check_page(page)
    secret = str(page.context["form"].secret)
    added = browser.post(f"{SECURITY}totp/activate/", {"code": code_of(secret)}, follow=True)
    assert "Recovery codes" in check_page(added)
    return secret


def test_a_sensitive_change_asks_for_the_password_first(signed_in: Client) -> None:
    page = signed_in.get(f"{SECURITY}totp/activate/", follow=True)
    assert "Confirm it’s you" in check_page(page)
    assert "Incorrect password." in check_page(signed_in.post(page.request["PATH_INFO"], {"password": "no"}))
    back = signed_in.post(
        page.request["PATH_INFO"], PASSWORD | {"next": f"{SECURITY}totp/activate/"}, follow=True
    )
    assert "Scan the code" in check_page(back)


@pytest.mark.parametrize("address", ["webauthn/add/", "recovery-codes/generate/"])
def test_other_second_factors_ask_for_it_too(signed_in: Client, address: str) -> None:
    assert signed_in.get(SECURITY + address).headers["Location"].startswith("/accounts/confirm/")


def test_signing_in_takes_a_second_step_and_a_recovery_code_stands_in_once(confirmed: Client) -> None:
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


def test_staff_help_somebody_who_lost_theirs(confirmed: Client, alice: User, carol_client: Client) -> None:
    add_app(confirmed)
    chosen = {"action": "remove_second_factors", "_selected_action": str(alice.pk)}
    answer = carol_client.post("/admin/accounts/user/", chosen, follow=True)
    assert b"Removed 2 second factors." in answer.content
    assert sign_in().get("/accounts/").status_code == 200


def test_somebody_elses_passkey_is_not_there(confirmed: Client, bob: User) -> None:
    key = Authenticator.objects.create(user=bob, type=Authenticator.Type.WEBAUTHN, data={"name": "Bob's"})
    for action in ("remove", "edit"):
        address = f"{SECURITY}webauthn/keys/{key.pk}/{action}/"
        assert confirmed.get(address).status_code == 404
        assert confirmed.post(address, {"name": "Mine"}).status_code == 404
    assert "Bob" not in check_page(confirmed.get(f"{SECURITY}webauthn/"))
    assert Authenticator.objects.filter(user=bob).exists()


def test_visitors_are_sent_to_sign_in(client: Client) -> None:
    for address in ("", "webauthn/", "webauthn/add/", "totp/activate/", "recovery-codes/"):
        answer = client.get(SECURITY + address, follow=True)
        assert answer.redirect_chain[-1][0].startswith("/accounts/sign-"), address


def test_the_secret_is_encrypted_and_removed_with_the_app(confirmed: Client, alice: User) -> None:
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
def test_a_forged_passkey_opens_nothing(client: Client, alice: User, credential: object) -> None:
    Authenticator.objects.create(user=alice, type=Authenticator.Type.WEBAUTHN, data={"name": "Key"})
    address = f"{SECURITY}webauthn/login/"
    client.get(address)
    given = credential if isinstance(credential, str) else json.dumps(credential)
    for browser in (client, Client()):  # with a challenge, and without
        browser.post(address, {"credential": given})
        assert browser.get("/accounts/").status_code == 302
