"""Formats errors for clients: problem+json or OpenAI's format, whichever part of Django raised them."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from api.openai.access import Refusal
from api.problems import MEDIA_TYPE, RETRY_AFTER_S, SENTENCES, problem

REST, MCP, OPENAI = "/api", "/mcp", "/v1"
JSON = "application/json"
KEPT = ("Allow", "Retry-After", "WWW-Authenticate", "Location")
NOT_OFFERED = (
    "Palace does not offer this endpoint. It offers /v1/chat/completions, /v1/responses, /v1/models and "
    "/v1/memory."
)
UNAVAILABLE = "The database is unavailable, so your token cannot be checked. Try again shortly."

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def middleware(get_response: GetResponse) -> GetResponse:
    """Convert all errors below the API prefixes, unknown paths included."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code < HTTPStatus.BAD_REQUEST or _is_formatted(request.path, response):
            return response
        error = error_response(request.path, response.status_code)
        for name in KEPT:
            if name in response.headers:
                error.headers[name] = response.headers[name]
        return error

    return respond


def error_response(path: str, status: int, sentence: str = "") -> HttpResponse:
    """An error in the format of this path."""
    if not _is_below(path, OPENAI):
        return problem(status, sentence)
    if status == HTTPStatus.NOT_FOUND:
        return Refusal(status, sentence or NOT_OFFERED).response()
    return Refusal(status, sentence or SENTENCES.get(status, "The request was rejected.")).response()


def unavailable(path: str) -> HttpResponse:
    """The response while tokens cannot be checked."""
    response = error_response(path, HTTPStatus.SERVICE_UNAVAILABLE, UNAVAILABLE)
    response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def _is_formatted(path: str, response: HttpResponseBase) -> bool:
    """Whether an error has the format of its path already, or is a page."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if _is_below(path, REST):
        return kind == MEDIA_TYPE
    return kind in (MEDIA_TYPE, JSON) or not (_is_below(path, MCP) or _is_below(path, OPENAI))


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
