"""Authenticator apps, recovery codes and passkeys, and forged answers of passkeys."""

import json
import os
import time
from dataclasses import dataclass, field
from hashlib import sha256

import pytest
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.core import mail
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import ActivityEvent
from tests.accounts.conftest import is_signed_in, sign_in
from tests.html import check_page

pytestmark = pytest.mark.django_db
SECURITY = "/accounts/security/"
TOTP = f"{SECURITY}totp/activate/"
LOGIN = f"{SECURITY}webauthn/login/"
HOST = "localhost"
ORIGIN = f"http://{HOST}"
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def add_app(browser):
    """Add an authenticator app; returns its secret."""
    page = browser.get(TOTP)
    check_page(page)
    secret = str(page.context["form"].secret)
    added = browser.post(TOTP, {"code": code_of(secret)}, follow=True)
    assert "Recovery codes" in check_page(added)
    return secret


def test_adding_second_factors_needs_the_password(signed_in):
    for address in ("webauthn/add/", "recovery-codes/generate/"):
        assert signed_in.get(SECURITY + address).headers["Location"].startswith("/accounts/confirm/")
    page = signed_in.get(TOTP, follow=True)
    confirm = page.request["PATH_INFO"]
    assert "Confirm it’s you" in check_page(page)
    assert "Incorrect password." in check_page(signed_in.post(confirm, {"password": "no"}))
    given = {"password": "alice-password-1", "next": TOTP}
    assert "Scan the code" in check_page(signed_in.post(confirm, given, follow=True))


def test_sign_in_needs_the_app_or_an_unused_recovery_code_until_the_app_is_removed(confirmed, alice):
    secret = add_app(confirmed)
    with tenant(alice.id):
        kept = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    assert secret not in str(kept.data), "it is encrypted"
    codes = confirmed.get(f"{SECURITY}recovery-codes/")
    check_page(codes)
    (first, *_) = codes.context["unused_codes"]
    for code, enters in ((code_of(secret), True), (first, True), (first, False), ("000000", False)):
        browser = sign_in()
        assert not is_signed_in(browser)
        assert "authenticator app" in check_page(browser.get(f"{SECURITY}authenticate/"))
        browser.post(f"{SECURITY}authenticate/", {"code": code})
        assert is_signed_in(browser) is enters, code
    assert "Remove authenticator app" in check_page(confirmed.get(SECURITY))
    check_page(confirmed.get(f"{SECURITY}totp/deactivate/"))
    confirmed.post(f"{SECURITY}totp/deactivate/")
    assert not Authenticator.objects.exists()


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
    assert is_signed_in(sign_in())
    assert not is_signed_in(sign_in(password="carol-password-1"))
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


@dataclass
class SecurityKey:
    """A software security key that holds one passkey of a user."""

    user: User
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: os.urandom(16))

    def add(self):
        """Store the passkey in the user's account."""
        public = ES256.from_cryptography_key(self.key.public_key())
        credential = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, public)
        signed = AuthenticatorData.create(
            sha256(HOST.encode()).digest(), PRESENT | VERIFIED | ATTESTED, 0, credential
        )
        response = {
            "clientDataJSON": CollectedClientData.create("webauthn.create", "e30", ORIGIN),
            "attestationObject": AttestationObject.create("none", signed, {}),
        }
        data = {"name": "Key", "credential": self._credential(response)}
        with tenant(self.user.id):
            Authenticator.objects.create(user=self.user, type=Authenticator.Type.WEBAUTHN, data=data)

    def answer(self, challenge, origin=ORIGIN, flags=PRESENT | VERIFIED, owner=None):
        """The signed answer to a challenge, as the sign-in form sends it."""
        client = CollectedClientData.create("webauthn.get", challenge, origin)
        signed = AuthenticatorData.create(sha256(HOST.encode()).digest(), flags, 0)
        response = {
            "clientDataJSON": client,
            "authenticatorData": signed,
            "signature": self.key.sign(signed + sha256(client).digest(), ec.ECDSA(SHA256())),
            "userHandle": user_pk_to_url_str(owner or self.user).encode(),
        }
        return json.dumps(self._credential(response))

    def _credential(self, response):
        encoded = websafe_encode(self.credential_id)
        kind = {"type": "public-key", "clientExtensionResults": {}}
        written = {name: websafe_encode(value) for name, value in response.items()}
        return {"id": encoded, "rawId": encoded, "response": written, **kind}


def challenge_of(browser):
    """A new challenge of the sign-in page."""
    answer = browser.get(LOGIN, headers={"x-requested-with": "XMLHttpRequest"})
    return str(answer.json()["request_options"]["publicKey"]["challenge"])


def signs_in(browser, credential):
    browser.post(LOGIN, {"credential": credential})
    return is_signed_in(browser)


def local_browser():
    return Client(SERVER_NAME=HOST)


@pytest.fixture
def device(alice):
    device = SecurityKey(alice)
    device.add()
    return device


def test_passkey_opens_its_account_once_per_challenge(device):
    first, second = local_browser(), local_browser()
    answer = device.answer(challenge_of(first))
    assert signs_in(first, answer)
    first.post("/accounts/sign-out/")
    assert not signs_in(first, answer)
    challenge_of(second)
    assert not signs_in(second, answer)
    assert signs_in(second, device.answer(challenge_of(second)))


@pytest.mark.parametrize(
    "given",
    [
        {"origin": "https://palace.example.com"},
        {"origin": "http://localhost.example.com"},
        {"flags": PRESENT},
        {"flags": VERIFIED},
    ],
    ids=["another site", "a similar site", "nobody verified", "nobody present"],
)
def test_answer_for_another_site_or_from_an_unattended_key_is_refused(device, given):
    visitor = local_browser()
    assert not signs_in(visitor, device.answer(challenge_of(visitor), **given))


def test_key_does_not_open_another_account(device, alice, bob):
    visitor, own = local_browser(), SecurityKey(bob)
    own.add()
    assert not signs_in(visitor, own.answer(challenge_of(visitor), owner=alice))
    forged = SecurityKey(alice, credential_id=device.credential_id)
    assert not signs_in(visitor, forged.answer(challenge_of(visitor)))
    assert signs_in(visitor, device.answer(challenge_of(visitor)))


@pytest.mark.parametrize("credential", ["no JSON", "{}", '{"response": {}}', "unchallenged"])
def test_malformed_and_unchallenged_answers_are_refused(device, credential):
    given = device.answer("eA") if credential == "unchallenged" else credential
    visitor = local_browser()
    assert not signs_in(visitor, given), "without a challenge"
    challenge_of(visitor)
    assert not signs_in(visitor, given)
