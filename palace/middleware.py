"""Middleware of the site: request ids, and the tenant of each request."""

import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from accounts.models import User
from accounts.tenancy import operator, tenant
from accounts.tokens import TokensUnreadable, bearer_of
from api.addresses import away
from api.problems import problem
from palace.metrics import observe_request

GetResponse = Callable[[HttpRequest], HttpResponseBase]
Scoped = Callable[[], AbstractContextManager[None]]
HEALTH = frozenset({"/healthz", "/readyz"})
FOR_PROGRAMS = ("/api/v1/", "/v1/", "/mcp")
DESCRIPTION = "/api/openapi.json"
WATCHED = HEALTH | {"/metrics"}
log = structlog.get_logger("palace.requests")


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id, on its log lines and in the answer; log routes, never addresses.

    Health checks are answered without a line in the log.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        identifier = uuid4().hex
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request_id=identifier):
            response = get_response(request)
            seconds = time.monotonic() - started
            route = _route(request)
            observe_request(request.method or "", route, response.status_code, seconds)
            if request.path not in WATCHED and route != "static":
                log.info(
                    "request",
                    method=request.method,
                    route=route,
                    status=int(response.status_code),
                    ms=round(seconds * 1000),
                )
        response.headers["X-Request-ID"] = identifier
        return response

    return middleware


def freshness(get_response: GetResponse) -> GetResponse:
    """Have browsers ask again for a page that somebody comes back to, and keep none after they left.

    Without this the back button shows what was true before the last button was pressed. Answers to
    forms are left out: a browser that may not keep one asks whether to send the form again.
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
    """Answer in the language the person chose, else in the one their browser asks for.

    It stays in force after the answer, because a streamed one is made later.
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
    """Let the database show the signed-in person's rows for the length of the request.

    Inside the admin, staff also see operational rows of others, which hold no words. Where programs
    ask, the token of the request says who that is, and a session counts for nothing, because a
    browser sends it unasked. A streamed answer keeps the tenant while it is streamed.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path in HEALTH:  # answered even without a database, which knows who asks
            request.user = AnonymousUser()
            return get_response(request)
        try:
            if _is_for_programs(request):
                _identify(request)
        except TokensUnreadable:
            return away(request.path)
        user = request.user
        if isinstance(user, AnonymousUser) or not user.is_authenticated:
            return get_response(request)

        return _answered(request, get_response, partial(_scope, request, user))

    return middleware


def _answered(request: HttpRequest, get_response: GetResponse, scope: Scoped) -> HttpResponseBase:
    with scope():
        response = get_response(request)
    if isinstance(response, StreamingHttpResponse):
        _keep_scope(response, scope)
    return response


def _is_for_programs(request: HttpRequest) -> bool:
    """The description of the API is read by people and by programs."""
    described = request.path == DESCRIPTION and "Authorization" in request.headers
    return described or request.path.startswith(FOR_PROGRAMS)


def _identify(request: HttpRequest) -> None:
    bearer = bearer_of(request.headers.get("Authorization", ""), timezone.now())
    request.user = bearer.user if bearer else AnonymousUser()
    request.bearer = bearer  # type: ignore[attr-defined]  # see accounts.http.BearerRequest


class SignInRequired(LoginRequiredMiddleware):
    """Lets nobody in who is not known; programs are told so, and people shown the way."""

    def handle_no_permission(  # type: ignore[override]  # its stub knows a redirect only
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        """401 for a program; for people the page to sign in."""
        if _is_for_programs(request):
            return problem(HTTPStatus.UNAUTHORIZED)
        return super().handle_no_permission(request, view_func)


def _scope(request: HttpRequest, user: User) -> AbstractContextManager[None]:
    if user.is_staff and request.path.startswith(reverse("admin:index")):
        return operator(user.id)
    return tenant(user.id)


def _keep_scope(response: StreamingHttpResponse, scope: Scoped) -> None:
    """Step through the answer inside the scope, and leave it between the steps."""
    parts: Any = response.streaming_content
    response.streaming_content = (
        _each_async(parts, scope) if response.is_async else _each(iter(parts), scope)
    )


def _each(parts: Iterator[bytes], scope: Scoped) -> Iterator[bytes]:
    while True:
        with scope():
            part = next(parts, None)
        if part is None:
            return
        yield part


async def _each_async(
    parts: AsyncGenerator[bytes, None], scope: Scoped
) -> AsyncGenerator[bytes, None]:
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
