"""Forged passkey sign-ins: answers for other sites, replays, other users' keys, unattended devices."""

import json
import os
from dataclasses import dataclass, field
from hashlib import sha256

import pytest
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
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

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/security/webauthn/login/"
HOST = "localhost"
ORIGIN = f"http://{HOST}"
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


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
            "clientDataJSON": websafe_encode(_client_data("webauthn.create", "e30", ORIGIN)),
            "attestationObject": websafe_encode(AttestationObject.create("none", signed, {})),
        }
        data = {"name": "Key", "credential": self._credential(response)}
        with tenant(self.user.id):
            Authenticator.objects.create(user=self.user, type=Authenticator.Type.WEBAUTHN, data=data)

    def answer(self, challenge, origin=ORIGIN, flags=PRESENT | VERIFIED, owner=None):
        """The signed answer to a challenge, as the sign-in form sends it."""
        client = _client_data("webauthn.get", challenge, origin)
        signed = AuthenticatorData.create(sha256(HOST.encode()).digest(), flags, 0)
        signature = self.key.sign(signed + sha256(client).digest(), ec.ECDSA(SHA256()))
        handle = user_pk_to_url_str(owner or self.user)
        return json.dumps(
            self._credential(
                {
                    "clientDataJSON": websafe_encode(client),
                    "authenticatorData": websafe_encode(signed),
                    "signature": websafe_encode(signature),
                    "userHandle": websafe_encode(handle.encode()),
                }
            )
        )

    def _credential(self, response):
        encoded = websafe_encode(self.credential_id)
        kind = {"type": "public-key", "clientExtensionResults": {}}
        return {"id": encoded, "rawId": encoded, "response": response, **kind}


def _client_data(kind, challenge, origin):
    return CollectedClientData.create(kind, challenge, origin)


def challenge_of(browser):
    """A new challenge of the sign-in page."""
    answer = browser.get(LOGIN, headers={"x-requested-with": "XMLHttpRequest"})
    return str(answer.json()["request_options"]["publicKey"]["challenge"])


def signs_in(browser, credential):
    browser.post(LOGIN, {"credential": credential})
    return browser.get("/accounts/").status_code == 200


@pytest.fixture
def device(alice):
    device = SecurityKey(alice)
    device.add()
    return device


def browser():
    return Client(SERVER_NAME=HOST)


def test_passkey_opens_its_account_once_per_challenge(device):
    first, second = browser(), browser()
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
    visitor = browser()
    assert not signs_in(visitor, device.answer(challenge_of(visitor), **given))


def test_key_does_not_open_another_account(device, alice, bob):
    visitor, own = browser(), SecurityKey(bob)
    own.add()
    assert not signs_in(visitor, own.answer(challenge_of(visitor), owner=alice))
    forged = SecurityKey(alice, credential_id=device.credential_id)
    assert not signs_in(visitor, forged.answer(challenge_of(visitor)))
    assert signs_in(visitor, device.answer(challenge_of(visitor)))
