"""Middleware of the site: request ids, and the tenant of each request."""

import time
from collections.abc import Callable
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponseBase

from accounts.tenancy import operator, tenant

GetResponse = Callable[[HttpRequest], HttpResponseBase]
log = structlog.get_logger("palace.requests")


def request_id(get_response: GetResponse) -> GetResponse:
    """Give each request an id, on its log lines and in the answer; log paths, never queries."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        identifier = uuid4().hex
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request_id=identifier):
            response = get_response(request)
            milliseconds = round((time.monotonic() - started) * 1000)
            if not request.path.startswith(("/static/", "/healthz")):
                log.info(
                    "request",
                    method=request.method,
                    route=_route(request),
                    status=response.status_code,
                    ms=milliseconds,
                )
        response.headers["X-Request-ID"] = identifier
        return response

    return middleware


def _route(request: HttpRequest) -> str:
    match = request.resolver_match
    return match.route if match else "unknown"


def tenancy(get_response: GetResponse) -> GetResponse:
    """Let the database show the signed-in person's rows for the length of the request.

    Inside the admin, staff also see operational rows of others, which hold no words.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            return get_response(request)
        if user.is_staff and request.path.startswith("/admin/"):
            with operator(user.id):
                return get_response(request)
        with tenant(user.id):
            return get_response(request)

    return middleware
