"""Access to the OpenAI-compatible endpoints: methods, tokens, and errors in OpenAI's format."""

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

import structlog
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import Error, connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from accounts.http import BearerRequest
from api.auth import AccessDenied, Scope, require_scopes
from api.throttling import TooOften, count_request
from llm.errors import ModelError, ModelRateLimited, ModelRefused, ModelTimeout
from llm.relay import Declined

Json = dict[str, Any]

REFUSED_HERE = (
    "The model endpoint rejected Palace's own credentials. The operator must check its key and base URL."
)
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class Refusal(Exception):
    """An error response: the status, a sentence for the client, and the field it is about."""

    def __init__(
        self, status: int, sentence: str, *, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.error: Json = {
            "message": sentence,
            "type": _type(status),
            "param": param,
            "code": code,
        }
        self.retry_after: float | None = None


def response_of(refusal: Refusal) -> HttpResponse:
    """The error as an HTTP response."""
    body = json.dumps({"error": refusal.error}, ensure_ascii=False)
    response = HttpResponse(body.encode("utf-8", "replace"), status=refusal.status)
    response.headers["Content-Type"] = "application/json"
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="Palace"'
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(round(refusal.retry_after))
    return response


def access_denied(error: AccessDenied) -> Refusal:
    """A missing token, or one without the scope."""
    code = "invalid_api_key" if error.status == HTTPStatus.UNAUTHORIZED else "missing_scope"
    return Refusal(error.status, error.sentence, code=code)


def failed_model(failure: ModelError) -> Refusal:
    """The error for a failure of the model endpoint. Its own error is passed on if there is one."""
    if isinstance(failure, Declined):
        refusal = Refusal(failure.status or 400, str(failure))
        refusal.error |= failure.error
        return refusal
    if isinstance(failure, ModelRateLimited):
        refusal = Refusal(429, str(failure), code="rate_limit_exceeded")
        refusal.retry_after = failure.retry_after
        return refusal
    if isinstance(failure, ModelRefused):
        return Refusal(502, REFUSED_HERE, code="endpoint_refused")
    if isinstance(failure, ModelTimeout):
        return Refusal(504, str(failure), code="endpoint_timeout")
    return Refusal(503, str(failure), code="endpoint_unavailable")


def _type(status: int) -> str:
    usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
    return _TYPES.get(status, usual)


View = Callable[..., Awaitable[HttpResponseBase]]
DjangoView = Callable[..., HttpResponseBase]
UNAVAILABLE = "Memory could not be read just now. Try again shortly."

log = structlog.get_logger(__name__)


def api_view(scope: Scope, *methods: str) -> Callable[[View], DjangoView]:
    """Require a token with a scope. The view holds no database connection while a model writes."""

    def decorate(view: View) -> DjangoView:
        @wraps(view)
        async def enter(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
            try:
                _check(request, scope, methods)
                await sync_to_async(connections.close_all)()
                return await view(cast("BearerRequest", request), *arguments, **named)
            except AccessDenied as error:
                return response_of(access_denied(error))
            except Refusal as refusal:
                return response_of(refusal)
            except ModelError as failure:
                log.warning("relay failed", error=type(failure).__name__)
                return response_of(failed_model(failure))
            except Error as failure:
                log.warning("memory failed", error=type(failure).__name__)
                return response_of(Refusal(503, UNAVAILABLE, code="memory_unavailable"))

        return cast("DjangoView", csrf_exempt(login_not_required(enter)))

    return decorate


def _check(request: HttpRequest, scope: Scope, methods: tuple[str, ...]) -> None:
    if request.method not in methods:
        allowed = " or ".join(methods)
        raise Refusal(405, f"This path only supports {allowed}.", code="method_not_allowed")
    bearer = require_scopes(getattr(request, "bearer", None), scope)
    try:
        count_request(bearer, timezone.now())
    except TooOften as error:
        refusal = Refusal(429, str(error), code="rate_limit_exceeded")
        refusal.retry_after = error.seconds
        raise refusal from error
