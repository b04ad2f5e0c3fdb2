"""Middleware: request ids and metrics, caching, tenancy, language, sign-in and consent."""

import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import get_user
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import ResolverMatch, reverse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from accounts.demo import user_shown
from accounts.models import User
from accounts.sessions import SessionStore
from accounts.tenancy import operator, tenant, visitor
from accounts.tokens import TokensUnavailable, bearer_of
from api.error_format import unavailable
from api.problems import problem
from memory.text.sanitizing import visible
from palace.health import observe_request

GetResponse = Callable[[HttpRequest], HttpResponseBase]
Scoped = Callable[[], AbstractContextManager[None]]
HEALTH = frozenset({"/healthz", "/readyz"})
API_PREFIXES = ("/api/v1/", "/v1/", "/mcp")
OPENAPI = "/api/openapi.json"
UNLOGGED = HEALTH | {"/metrics"}
APP_REGISTRATION = "/identity/o/api/clients"
"""Apps register themselves, whoever is signed in to the browser they run in."""
CONSENT = "memory:consent"
NEED_CONSENT = frozenset({"chat", "memory"})
DEMO_APPS = frozenset({"chat", "memory", "forget"})
DEMO_PAGES = frozenset({"home", "go", "keys", "sidebar", "account_logout"})
CLOSED_IN_DEMO = re.compile("import|export|transfer|model|endpoint")
log = structlog.get_logger("palace.requests")


def visible_text(get_response: GetResponse) -> GetResponse:
    """Show characters that hide or reorder text as escapes on every page."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if is_page and isinstance(response, HttpResponse):
            page = response.content.decode()
            if (shown := visible(page)) is not page:
                response.content = shown.encode()
        return response

    return middleware


def request_id(get_response: GetResponse) -> GetResponse:
    """Add a request id to log lines and to the response, and log each request by route, never by URL.

    Health checks and static files are not logged.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        identifier = uuid4().hex
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request_id=identifier):
            response = get_response(request)
            seconds = time.monotonic() - started
            route = _route(request)
            observe_request(request.method or "", route, response.status_code, seconds)
            if request.path in HEALTH:  # Django would log each 503 of /readyz as an error
                response._has_been_logged = True  # type: ignore[attr-defined]
            elif request.path not in UNLOGGED and route != "static":
                status, ms = int(response.status_code), round(seconds * 1000)
                log.info("request", method=request.method, route=route, status=status, ms=ms)
        response.headers["X-Request-ID"] = identifier
        return response

    return middleware


def freshness(get_response: GetResponse) -> GetResponse:
    """Forbid caching of pages, so that the back button never shows stale data or another user's page.

    Responses to forms are exempt: a browser that cannot cache one asks whether to submit it again.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method in {"GET", "HEAD"}:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return middleware


def _route(request: HttpRequest) -> str:
    if request.path.startswith("/static/"):
        return "static"
    match = request.resolver_match
    return match.route if match else "unknown"


def language(get_response: GetResponse) -> GetResponse:
    """Respond in the language the user chose, or in the one the browser asks for.

    The language stays active after the response, because a streamed one is rendered later.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        chosen = request.user.language if isinstance(request.user, User) else ""
        translation.activate(chosen or translation.get_language_from_request(request))
        response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language() or "")
        return response

    return middleware


def tenancy(get_response: GetResponse) -> GetResponse:
    """Make the database show the signed-in user's rows, and no others, during the request.

    In the admin, staff also see other users' operational rows, which hold no memory text. API requests
    are identified by their token alone: a browser sends the session cookie unasked. A streamed response
    keeps its tenant while it streams.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path in HEALTH:  # must answer without the database that knows the user
            request.user = AnonymousUser()
            return get_response(request)
        with visitor():
            try:
                if _is_api(request):
                    _authenticate_token(request)
            except TokensUnavailable:
                return unavailable(request.path)
            user = request.user
            if isinstance(user, AnonymousUser) or request.path == APP_REGISTRATION:
                return get_response(request)
            if not _is_api(request):
                user = request.user = user_shown(request, user)

        return _respond_in_scope(request, get_response, partial(_scope, request, user))

    return middleware


def _respond_in_scope(request: HttpRequest, get_response: GetResponse, scope: Scoped) -> HttpResponseBase:
    with scope():
        response = get_response(request)
    if isinstance(response, StreamingHttpResponse) and response.is_async:
        response.streaming_content = _scoped_parts(response.streaming_content, scope)
    return response


def _is_api(request: HttpRequest) -> bool:
    has_token = "Authorization" in request.headers
    return (request.path == OPENAPI and has_token) or request.path.startswith(API_PREFIXES)


def _authenticate_token(request: HttpRequest) -> None:
    address = request.build_absolute_uri(request.path)
    bearer = bearer_of(request.headers.get("Authorization", ""), address, timezone.now())
    request.user = bearer.user if bearer else AnonymousUser()
    request.bearer = bearer  # type: ignore[attr-defined]  # see accounts.http.BearerRequest


def has_valid_credentials(request: HttpRequest) -> bool:
    """Whether a request has a valid session or, to the API, a valid token. Needs no other middleware.

    Raises TokensUnavailable.
    """
    with visitor():
        if _is_api(request):
            _authenticate_token(request)
        else:
            request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
            request.user = get_user(request)
        return request.user.is_authenticated


class SignInRequired(LoginRequiredMiddleware):
    """Requires sign-in: API requests get 401, browsers the sign-in page."""

    def handle_no_permission(  # type: ignore[override]  # its stub knows a redirect only
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """The response to an anonymous request."""
        wants_page = "text/html" in request.headers.get("Accept", "text/html")  # programs accept anything
        if _is_api(request) or (request.path == OPENAPI and not wants_page):
            return problem(HTTPStatus.UNAUTHORIZED)
        return super().handle_no_permission(request, view_func)


class ClosedViews(MiddlewareMixin):
    """Redirects signed-in users from views that are closed to them.

    A session that shows the demo can only open the demo's chats and memory. Everything not listed here is
    closed, such as accounts, tokens, apps, webhooks, imports, exports and the admin. Before consent, chats
    and memory are closed; the account pages stay open so that users can close their account. API requests
    pass, because creating a token implies consent.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., Any],  # Django passes these by position
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        """Redirect to the demo or to the consent page; None lets the request pass."""
        user, match = request.user, request.resolver_match
        if not isinstance(user, User) or match is None:
            return None
        if user.demo_of_id is not None and not _is_in_demo(match):
            messages.info(request, _("This is not part of the demo. Go back to your own palace first."))
            return _redirect(request, "chat:demo")
        if not user.agreed_at and match.app_name in NEED_CONSENT and match.view_name != CONSENT:
            return _redirect(request, CONSENT)
        return None


def _is_in_demo(match: ResolverMatch) -> bool:
    in_app = match.app_name in DEMO_APPS and not CLOSED_IN_DEMO.search(match.view_name)
    return in_app or match.view_name in DEMO_PAGES


def _redirect(request: HttpRequest, view: str) -> HttpResponse:
    if "HX-Request" in request.headers:
        return HttpResponseClientRedirect(reverse(view))
    return redirect(view)


def _scope(request: HttpRequest, user: User) -> AbstractContextManager[None]:
    if user.is_staff and request.path.startswith(reverse("admin:index")):
        return operator(user.id)
    return tenant(user.id)


async def _scoped_parts(parts: Any, scope: Scoped) -> AsyncGenerator[bytes, None]:
    """Each part of the stream, produced inside the scope, which is left between parts."""
    try:
        while True:
            with scope():
                part = await anext(parts, None)
            if part is None:
                return
            yield part
    finally:
        with scope():
            await parts.aclose()
