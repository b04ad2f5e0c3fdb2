"""Palace as an OAuth server: apps register themselves; users connect and disconnect them."""

import re
import secrets
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from allauth.core.internal import ratelimit
from allauth.idp.oidc import views as allauth_views
from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import Client, Token
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import SCOPES

UNUSED_CLIENT_AGE = timedelta(days=1)
MAX_REDIRECTS = 10
MAX_REDIRECT_LENGTH = 1_000
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# Schemes that browsers handle themselves; any other belongs to an app on the user's device.
FORBIDDEN_SCHEMES = frozenset({"", "about", "blob", "data", "file", "http", "javascript", "vbscript"})
WEB_ORIGIN = re.compile(r"(?P<site>https?://(?:[\w.-]+|\[[0-9a-f:]+\]))(?::\d+)?(?=[/?#]|$)", re.ASCII)
IDENTITY = {"openid": _("Identify you"), "email": _("See your email address"), "profile": _("See your name")}
IDENTITY_METADATA = (
    "end_session_endpoint",
    "id_token_signing_alg_values_supported",
    "jwks_uri",
    "subject_types_supported",
    "userinfo_endpoint",
)
GRANTS = (Client.GrantType.AUTHORIZATION_CODE, Client.GrantType.REFRESH_TOKEN)


class OidcAdapter(DefaultOIDCAdapter):  # type: ignore[misc]
    """What apps may register for, and what users read before they connect one."""

    scope_display = SCOPES | IDENTITY

    def generate_client_secret(self) -> str:
        """A secret that URL encoding does not change."""
        return secrets.token_urlsafe(32)

    def populate_server_metadata(self, data: dict[str, Any]) -> None:
        """Advertise only what this server supports, out of all that django-allauth can do."""
        data["scopes_supported"] = _scopes()
        data["grant_types_supported"] = list(GRANTS)
        data["response_types_supported"] = [Client.ResponseType.CODE]
        for name in ("device_authorization_endpoint", *(() if _signs_identity() else IDENTITY_METADATA)):
            del data[name]

    def validate_client_registration(
        self, *, client: Client, client_metadata: dict[str, Any], **given: Any
    ) -> None:
        """Register an app for the authorization code flow only. Raises ValidationError.

        Rejects redirect URIs that could leak the code or run code. Metadata that is not used is not stored.
        """
        callbacks, after_logout = client.get_redirect_uris(), client.get_post_logout_redirect_uris()
        addresses = [*callbacks, *after_logout]
        if len(addresses) > MAX_REDIRECTS:
            raise ValidationError(f"an app may have at most {MAX_REDIRECTS} redirect URIs")
        if not callbacks or not all(map(_is_allowed_redirect, addresses)):
            raise ValidationError(
                "redirect URIs must use https, a loopback address or an app's own scheme, "
                f"with at most {MAX_REDIRECT_LENGTH} characters"
            )
        client.data = {"dcr": True}
        client.set_post_logout_redirect_uris(after_logout)
        scopes = client.get_scopes() if client_metadata.get("scope") else list(SCOPES)
        if unknown := set(scopes).difference(_scopes()):
            raise ValidationError(f"scope has unknown values: {' '.join(sorted(unknown))}")
        client.set_scopes(scopes)
        client.set_default_scopes(scopes)
        client.set_grant_types(list(GRANTS))
        client.set_response_types([Client.ResponseType.CODE])


def _scopes() -> list[str]:
    """The scopes apps may request."""
    return [*SCOPES, *(IDENTITY if _signs_identity() else ())]


def _signs_identity() -> bool:
    """Whether apps may use Palace to sign people in: ID tokens need a signing key."""
    return bool(settings.IDP_OIDC_PRIVATE_KEY)


def _is_allowed_redirect(uri: str) -> bool:
    if len(uri) > MAX_REDIRECT_LENGTH or not uri.isprintable():
        return False
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK
    return parts.scheme not in FORBIDDEN_SCHEMES


@csrf_exempt
@login_not_required
def register(request: HttpRequest) -> HttpResponseBase:
    """Register an app, unless its network has made too many attempts, including refused ones."""
    if not ratelimit.consume(request, app="allauth.idp.oidc", action="client_registration_attempt"):
        error = {
            "error": "temporarily_unavailable",
            "error_description": "too many registrations from this network; try again in a minute",
        }
        return JsonResponse(error, status=HTTPStatus.TOO_MANY_REQUESTS, headers={"Retry-After": "60"})
    response: HttpResponseBase = allauth_views.client_registration(request)
    return response


@csrf_exempt
@login_not_required
@require_POST
@transaction.atomic
def revoke(request: HttpRequest) -> HttpResponseBase:
    """Revoke a token; with a refresh token, all access tokens of the app and the user (RFC 7009).

    Access tokens do not say which grant they are from. An app that was connected twice can renew the others.
    """
    refreshing = Token.objects.by_value(request.POST.get("token", "")).filter(type=Token.Type.REFRESH_TOKEN)
    grant = refreshing.values("client_id", "user_id").first()
    response: HttpResponseBase = allauth_views.revoke(request)
    if grant and not refreshing.exists():
        Token.objects.filter(**grant, type=Token.Type.ACCESS_TOKEN).delete()
    return response


@login_not_required
@require_safe
def openid_configuration(request: HttpRequest) -> HttpResponseBase:
    """The metadata of OpenID Connect, if Palace can sign people in to apps. Errors are JSON, for programs."""
    if not _signs_identity():
        return JsonResponse({"error": _("OpenID Connect is not configured.")}, status=404)
    response: HttpResponseBase = allauth_views.configuration(request)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@csrf_exempt  # django-allauth checks the token of the form itself
@login_not_required
def authorize(request: HttpRequest) -> HttpResponseBase:
    """Ask the user whether to connect an app.

    Browsers treat the redirect that follows as part of the form, so the page's content security policy names
    the app's redirect URIs.
    """
    _reject_plain_challenge(request)
    response: HttpResponseBase = allauth_views.authorization(request)
    if not isinstance(response, TemplateResponse):
        return response
    client: Client = (response.context_data or {})["client"]
    targets = list(filter(None, map(_policy_source, client.get_redirect_uris())))
    return csp_update({"form-action": targets})(lambda _: response)(request)


def _reject_plain_challenge(request: HttpRequest) -> None:
    """Have django-allauth refuse a PKCE challenge that is the verifier itself, which it would accept."""
    query = request.GET.copy()
    if "code_challenge" in query and query.get("code_challenge_method") != "S256":
        query["code_challenge_method"] = "refused"
        request.META["QUERY_STRING"] = query.urlencode()


def _policy_source(uri: str) -> str:
    """The CSP source expression that allows a redirect to this URI; empty for an unusual one."""
    scheme, hostname = urlsplit(uri).scheme, urlsplit(uri).hostname or ""
    if scheme not in {"http", "https"}:
        return f"{scheme}:"
    found = WEB_ORIGIN.match(uri)
    if hostname in LOOPBACK and found:
        return f"{found['site']}:*"
    return found[0] if found else ""


def connected_apps(user_id: UUID) -> QuerySet[Token]:
    """The latest token of each app (`client`) that can access the user's memory."""
    tokens: QuerySet[Token] = Token.objects.valid().filter(user_id=user_id)
    return tokens.select_related("client").order_by("client_id", "-created_at").distinct("client_id")


def disconnect_app(user_id: UUID, client_id: str) -> bool:
    """Revoke an app's access; False if it was not connected."""
    return bool(Token.objects.filter(user_id=user_id, client_id=client_id).delete()[0])


def remove_unused_access(now: datetime) -> None:
    """Delete expired tokens, and registered apps that nobody connected."""
    Token.objects.filter(expires_at__lte=now).delete()
    unused = Client.objects.filter(
        created_at__lte=now - UNUSED_CLIENT_AGE, token=None, owner=None, data__dcr=True
    )
    unused.delete()
