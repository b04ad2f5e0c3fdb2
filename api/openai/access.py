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
from django.views.decorators.csrf import csrf_exempt

from accounts.http import BearerRequest
from api.auth import Scope, admit
from api.problems import MEMORY_UNAVAILABLE, Refused
from llm.errors import ModelError, ModelRateLimited, ModelRefused, ModelTimeout
from llm.relay import RequestRejected

Json = dict[str, Any]

WHOSE_KEY = (
    "This is not your program's key, but the one under Settings › Models (for your own endpoint) or in the "
    "server's configuration."
)
_ABOUT_THE_KEY = frozenset((401, 403))
_CODES = {401: "invalid_api_key", 403: "missing_scope", 413: "request_too_large", 429: "rate_limit_exceeded"}
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class Refusal(Refused):
    """A refused request in OpenAI's error format, with the field it is about and a code."""

    def __init__(
        self,
        status: int,
        sentence: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, sentence, retry_after=retry_after)
        usual = "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
        type_ = _TYPES.get(status, usual)
        code = code or _CODES.get(status)
        self.error: Json = {"message": sentence, "type": type_, "param": param, "code": code}

    def response(self) -> HttpResponse:
        """The answer to the request."""
        body = json.dumps({"error": self.error}, ensure_ascii=False).encode("utf-8", "replace")
        return self.with_headers(HttpResponse(body, status=self.status, content_type="application/json"))


def failed_model(failure: ModelError) -> Refusal:
    """The error for a failure of the model endpoint. Its own error is passed on if there is one."""
    if isinstance(failure, RequestRejected):
        refusal = Refusal(failure.status or 400, str(failure))
        refusal.error |= failure.error
        return refusal
    sentence = failure.reason_given or str(failure)
    if isinstance(failure, ModelRateLimited):
        return Refusal(429, sentence, retry_after=failure.retry_after)
    if isinstance(failure, ModelRefused):
        words = f"{failure} {WHOSE_KEY}" if failure.status in _ABOUT_THE_KEY else str(failure)
        return Refusal(502, words, code="endpoint_refused")
    if isinstance(failure, ModelTimeout):
        return Refusal(504, str(failure), code="endpoint_timeout")
    return Refusal(503, sentence, code="endpoint_unavailable")


View = Callable[..., Awaitable[HttpResponseBase]]
DjangoView = Callable[..., HttpResponseBase]

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
            except Refusal as refusal:
                return refusal.response()
            except Refused as error:
                return Refusal(error.status, error.sentence, retry_after=error.retry_after).response()
            except ModelError as failure:
                log.warning("relay failed", error=type(failure).__name__)
                return failed_model(failure).response()
            except Error as failure:
                log.warning("memory failed", error=type(failure).__name__)
                return Refusal(503, MEMORY_UNAVAILABLE, code="memory_unavailable").response()

        return cast("DjangoView", csrf_exempt(login_not_required(enter)))

    return decorate


def _check(request: HttpRequest, scope: Scope, methods: tuple[str, ...]) -> None:
    if request.method not in methods:
        allowed = " or ".join(methods)
        raise Refusal(405, f"This path only supports {allowed}.", code="method_not_allowed")
    admit(request, scope)
