"""Refusals in the shape that clients of OpenAI read."""

import json
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

from api.doors import NotAdmitted
from llm.errors import ModelError, ModelRateLimited, ModelRefused, ModelTimeout
from llm.relay import Declined

Json = dict[str, Any]

REFUSED_HERE = (
    "The model endpoint refused Palace itself, not your request: whoever runs Palace has to look "
    "at its key and its address."
)
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class Refusal(Exception):
    """A request that cannot be answered: the status, and a sentence for its sender. `param` is the
    field it is about; `error` takes the place of all this where the endpoint said it itself."""

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
    """The refusal as an answer."""
    body = json.dumps({"error": refusal.error}, ensure_ascii=False)
    response = HttpResponse(body.encode("utf-8", "replace"), status=refusal.status)
    response.headers["Content-Type"] = "application/json"
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="Palace"'
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(round(refusal.retry_after))
    return response


def not_admitted(error: NotAdmitted) -> Refusal:
    """A token that does not work, or was made for less."""
    code = "invalid_api_key" if error.status == HTTPStatus.UNAUTHORIZED else "missing_scope"
    return Refusal(error.status, error.sentence, code=code)


def failed_model(failure: ModelError) -> Refusal:
    """What a failure of the endpoint means to whoever asked. What it declined is said in its own
    words, which only quote the request."""
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
