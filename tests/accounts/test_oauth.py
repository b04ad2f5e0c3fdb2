"""Apps that register themselves, and what they get access to."""

import base64
import hashlib
import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.idp.oidc.models import Client as App
from allauth.idp.oidc.models import Token
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.oauth import connected_apps, remove_unused_access
from accounts.tenancy import tenant
from palace.settings import IDP_OIDC_RATE_LIMITS
from tests.html import check_page, parse

pytestmark = pytest.mark.django_db
REGISTER = "/identity/o/api/clients"
AUTHORIZE = "/identity/o/authorize"
TOKEN = "/identity/o/api/token"
REVOKE = "/identity/o/api/revoke"
CALLBACK = "https://app.example/callback"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def register(browser=None, **metadata):
    metadata = {"client_name": "Vane", "redirect_uris": [CALLBACK], **metadata}
    return (browser or Client()).post(REGISTER, json.dumps(metadata), "application/json")


def authorization(app, **more):
    return {
        "response_type": "code",
        "client_id": app["client_id"],
        "redirect_uri": app["redirect_uris"][0],
        "scope": app["scope"],
        "state": "s",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **more,
    }


def signed_request(browser, query):
    """The hidden field of the consent page."""
    page = parse(check_page(browser.get(AUTHORIZE, query)))
    (signed,) = (e.attributes["value"] for e in page.elements if e.attributes.get("name") == "request")
    return signed


def consent(browser, query, *scopes, action="grant"):
    """Answer the consent page; returns the query of the redirect to the app."""
    given = {"request": signed_request(browser, query), "action": action, "scopes": list(scopes)}
    location = browser.post(AUTHORIZE, given).headers["Location"]
    assert location.startswith(query["redirect_uri"])
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


def exchange(app, given_code, **more):
    given = {
        "grant_type": "authorization_code",
        "client_id": app["client_id"],
        "redirect_uri": app["redirect_uris"][0],
        "code": given_code,
        "code_verifier": VERIFIER,
    }
    return Client().post(TOKEN, given | more)


def renew(app, refresh_token, **more):
    given = {"grant_type": "refresh_token", "client_id": app["client_id"], "refresh_token": refresh_token}
    return Client().post(TOKEN, given | more)


def public_app(**metadata):
    app: dict[str, Any] = register(token_endpoint_auth_method="none", **metadata).json()
    return app


def access(browser, *scopes, **more):
    """An access token that the user granted to a new app."""
    app = public_app()
    code = consent(browser, authorization(app, **more), *scopes)["code"]
    return str(exchange(app, code).json()["access_token"])


def get(path, token):
    return Client().get(path, headers={"Authorization": f"Bearer {token}"}).status_code


def signing_key():
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_registered_app_has_every_scope_only_the_code_flow_and_no_other_metadata(alice_client):
    requested = ["authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]
    app = register(alice_client, grant_types=requested, response_types=["code", "token"]).json()
    assert app["grant_types"] == ["authorization_code", "refresh_token"]
    assert app["response_types"] == ["code"]
    assert app["scope"] == "read write chat"
    assert register(scope="read").json()["scope"] == "read"
    assert register(scope="read admin").status_code == 400
    many = [f"{CALLBACK}/{number}" for number in range(9)]
    after_logout = ["https://app.example/bye"]
    given = {"post_logout_redirect_uris": after_logout, "logo_uri": "\x00" * 9000}
    app = App.objects.get(id=register(redirect_uris=many, **given).json()["client_id"])
    assert app.data == {"dcr": True, "client_metadata": {"post_logout_redirect_uris": after_logout}}
    assert (app.get_redirect_uris(), app.get_post_logout_redirect_uris()) == (many, after_logout)
    assert register(redirect_uris=[*many, CALLBACK], **given).status_code == 400
    assert register(redirect_uris=["\n".join([CALLBACK] * 11)]).status_code == 400


@pytest.mark.parametrize(
    ("uri", "status"),
    [
        *((uri, 201) for uri in (CALLBACK, "http://127.0.0.1:1234/x", "http://localhost/x")),
        *((uri, 201) for uri in ("http://[::1]:9/x", "cursor://anysphere.cursor-retrieval/oauth")),
        *((uri, 400) for uri in ("http://app.example/callback", "http://127.0.0.1.evil.example/")),
        *((uri, 400) for uri in ("javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x")),
        *((uri, 400) for uri in ("/relative", "", " ", "https://[")),
        *((f"https://app.example/{character}", 400) for character in ("\ud800", "\x00")),
        (f"{CALLBACK}?{'x' * 900}", 201),
        (f"{CALLBACK}?{'x' * 1000}", 400),
    ],
)
def test_redirect_uris_are_validated(uri, status):
    assert register(redirect_uris=[uri]).status_code == status
    if uri.strip():
        assert register(post_logout_redirect_uris=[uri]).status_code == status


def test_refused_registrations_count_towards_the_limit(settings):
    settings.IDP_OIDC_RATE_LIMITS = IDP_OIDC_RATE_LIMITS
    wrong, right = ["data:1", "", "data:2", CALLBACK], [CALLBACK] * 4
    for network, callbacks, status in (("192.0.2.1", wrong, 400), ("192.0.2.2", right, 201)):
        browser = Client(REMOTE_ADDR=network)
        answers = [register(browser, redirect_uris=[each]) for each in callbacks]
        assert [each.status_code for each in answers] == [status] * 3 + [429]
        assert answers[-1].headers["Retry-After"] == "60"
        assert "in a minute" in answers[-1].json()["error_description"]


@pytest.mark.parametrize(
    ("uri", "source"),
    [
        ("https://app.example/callback", "https://app.example"),
        ("http://127.0.0.1:1234/x", "http://127.0.0.1:*"),
        ("cursor://anysphere/oauth", "cursor:"),
        ("https://a.example;script-src *", ""),
    ],
)
def test_consent_page_may_submit_only_to_the_app(alice_client, uri, source):
    app = public_app(redirect_uris=[uri])
    policy = alice_client.get(AUTHORIZE, authorization(app)).headers["Content-Security-Policy"]
    parts = {part.strip() for part in policy.split(";")}
    assert parts >= {f"form-action 'self' {source}".strip(), "script-src 'self'"}


@pytest.mark.parametrize("end", ["expired", "inactive", "refresh", "no user"])
def test_invalid_access_tokens_are_refused(alice_client, alice, end):
    token = access(alice_client, "read")
    assert get("/api/v1/account", token) == 200
    kept = Token.objects.filter(type=Token.Type.ACCESS_TOKEN)
    if end == "expired":
        kept.update(expires_at=timezone.now())
    elif end == "inactive":
        User.objects.filter(pk=alice.pk).update(is_active=False)
    elif end == "refresh":
        Token.objects.exclude(type=Token.Type.ACCESS_TOKEN).delete()
        kept.update(type=Token.Type.REFRESH_TOKEN)
    else:
        kept.update(user=None)
    assert get("/api/v1/account", token) == 401


def test_app_with_openid_scope_gets_an_id_token(alice_client, alice, settings):
    assert register(scope="openid").status_code == 400
    settings.IDP_OIDC_PRIVATE_KEY = signing_key()
    app = public_app(scope="openid profile")
    code = consent(alice_client, authorization(app), "openid", "profile")["code"]
    answer = exchange(app, code).json()
    claims = json.loads(base64.urlsafe_b64decode(answer["id_token"].split(".")[1] + "=="))
    assert (claims["sub"], claims["name"], claims["aud"]) == (str(alice.pk), "Alice", app["client_id"])
    assert len(Client().get("/.well-known/jwks.json").json()["keys"]) == 1


def test_apps_are_listed_and_can_be_disconnected(alice_client, bob_client, alice):
    token = access(alice_client, "read")
    (app,) = connected_apps(alice.id)
    page = check_page(alice_client.get("/accounts/tokens/"))
    address = f"/accounts/apps/{app.client_id}/disconnect/"
    assert "Vane" in page
    assert address in page
    assert address not in check_page(bob_client.get("/accounts/tokens/"))
    assert bob_client.post(address).status_code == 404
    assert get("/api/v1/account", token) == 200
    assert "disconnected" in check_page(alice_client.post(address, follow=True))
    assert get("/api/v1/account", token) == 401


def test_unused_apps_are_removed(alice_client):
    access(alice_client, "read")
    register(client_name="Never let in")
    now = timezone.now()
    for days, names in ((0, ["Never let in", "Vane"]), (2, ["Vane"]), (100, [])):
        remove_unused_access(now + timedelta(days=days))
        assert sorted(app.name for app in App.objects.all()) == names


def test_revoking_a_refresh_token_ends_the_access_tokens_of_its_app(alice_client, bob_client):
    app = public_app()
    code = consent(alice_client, authorization(app), "read")["code"]
    granted = exchange(app, code).json()
    renewed = renew(app, granted["refresh_token"]).json()
    of_bob = exchange(app, consent(bob_client, authorization(app), "read")["code"]).json()
    of_another_app = access(alice_client, "read")
    given = {"token": renewed["refresh_token"], "client_id": app["client_id"]}

    def statuses():
        tokens = [granted, renewed, of_bob, {"access_token": of_another_app}]
        return [get("/api/v1/account", each["access_token"]) for each in tokens]

    assert Client().post(REVOKE, given | {"client_id": "unknown"}).status_code == 401
    assert Client().post(REVOKE, {"token": "x", "client_id": app["client_id"]}).status_code == 200
    assert statuses() == [200, 200, 200, 200]
    assert Client().post(REVOKE, given).status_code == 200
    assert statuses() == [401, 401, 200, 200]
    assert renew(app, given["token"]).status_code == 400


def test_metadata_lists_endpoints_and_identity_only_with_a_signing_key(alice_client, settings):
    identity = {"jwks_uri", "userinfo_endpoint", "id_token_signing_alg_values_supported"}
    oauth, openid = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
    metadata = Client().get(oauth).json()
    assert not identity & set(metadata)
    assert metadata["scopes_supported"] == ["read", "write", "chat"]
    assert Client().get(openid).status_code == 404
    settings.IDP_OIDC_PRIVATE_KEY = signing_key()
    assert identity <= set(Client().get(openid).json())
    for address in (oauth, openid):
        metadata = alice_client.get(address).json()
        assert metadata["issuer"] == "http://testserver"
        assert metadata["registration_endpoint"] == f"http://testserver{REGISTER}"
        assert metadata["code_challenge_methods_supported"] == ["S256"]
        assert {"read", "write", "chat"} <= set(metadata["scopes_supported"])
        assert metadata["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert alice_client.post("/identity/o/api/device/code").status_code == 404


def test_consent_page_shows_app_and_scopes_and_can_be_cancelled(client, alice_client):
    app = public_app(client_name="Vane & Co")
    query = authorization(app)
    assert client.get(AUTHORIZE, query).headers["Location"].startswith("/accounts/sign-in/?next=")
    page = check_page(alice_client.get(AUTHORIZE, query))
    for words in ("Connect Vane &amp; Co?", "alice@example.org", CALLBACK, "Read and search your memory"):
        assert words in page
    refusal = consent(alice_client, query, action="cancel")
    assert refusal == {"error": "access_denied", "state": "s"}
    assert not Token.objects.exists()


def test_access_token_has_only_selected_scopes_and_resources_and_is_stored_as_digest(alice_client, bob):
    token = access(alice_client, "read")
    assert get("/api/v1/account", token) == 200
    assert get("/v1/models", token) == 403
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().post("/api/v1/notes", "{}", "application/json", headers=headers).status_code == 403
    assert token not in str(list(Token.objects.values_list()))
    with tenant(bob.id):
        assert not Token.objects.exists()
    only_mcp = access(alice_client, "read", "chat", resource="http://testserver/mcp")
    statuses = [get(path, only_mcp) for path in ("/api/v1/account", "/v1/models", "/mcp")]
    assert statuses == [401, 401, 405]
    assert get("/v1/models", access(alice_client, "chat")) == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"client_id": "x"},
        *({"redirect_uri": f"{CALLBACK}{end}"} for end in ("/../evil", ".evil.example", "#x", "/")),
        *({"redirect_uri": f"https://{uri}"} for uri in ("evil.example/", "app.example:444/callback")),
        {"redirect_uri": "https://app.example@evil.example/callback"},
        {"redirect_uri": "https://APP.example/callback\\@evil.example"},
        {"redirect_uri": "http://app.example/callback"},
    ],
)
def test_unregistered_apps_and_redirect_uris_are_refused(alice_client, wrong):
    answer = alice_client.get(AUTHORIZE, authorization(public_app()) | wrong)
    assert "could not be connected" in check_page(answer)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"code_verifier": verifier} for verifier in ("", CHALLENGE, "w" * 43)),
        *({"redirect_uri": "https://app.example/other"}, {"code": "x" * 20}, {"client_id": "another"}),
        {"grant_type": "password", "username": "alice@example.org", "password": "alice-password-1"},
        {"grant_type": "client_credentials"},
    ],
)
def test_code_works_once_and_only_with_its_original_parameters(alice_client, wrong):
    app = public_app()
    code = consent(alice_client, authorization(app), "read")["code"]
    if "client_id" in wrong:
        wrong = {"client_id": public_app()["client_id"]}
    assert exchange(app, code, **wrong).status_code in (400, 401)
    assert not Token.objects.filter(type=Token.Type.ACCESS_TOKEN).exists()
    code = consent(alice_client, authorization(app), "read")["code"]
    assert exchange(app, code).status_code == 200
    assert exchange(app, code).status_code == 400


@pytest.mark.parametrize(
    ("name", "value"),
    [*(("code_challenge_method", each) for each in ("plain", "", "S512", None)), ("code_challenge", None)],
)
def test_hashed_code_challenge_is_required(alice_client, name, value):
    query = {**authorization(public_app(), code_challenge=VERIFIER), name: value}
    given = {name: value for name, value in query.items() if value is not None}
    assert "error=invalid_request" in alice_client.get(AUTHORIZE, given).headers["Location"]


def test_apps_cannot_get_more_scopes_than_selected(alice_client, alice):
    app = public_app()
    query = authorization(app, scope="read")
    signed = signed_request(alice_client, query)
    more = {"request": signed, "action": "grant", "scopes": ["read", "write", "chat", "openid"]}
    answer = alice_client.post(AUTHORIZE, more)
    assert "code=" not in answer.headers.get("Location", "")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(AUTHORIZE, more | {"scopes": ["read"]}).status_code == 403
    forged = more | {"request": signed.replace(signed[:12], signed[:11] + "x"), "scopes": ["read"]}
    assert "code=" not in alice_client.post(AUTHORIZE, forged).headers.get("Location", "")
    refresh = exchange(app, consent(alice_client, query, "read")["code"]).json()["refresh_token"]
    assert renew(app, refresh, scope="read write").status_code == 400
    assert renew(public_app(), refresh).status_code in (400, 401)
    renewed = renew(app, refresh).json()
    assert renewed["scope"] == "read"
    assert get("/v1/models", renewed["access_token"]) == 403
