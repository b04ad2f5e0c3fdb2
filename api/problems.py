"""Error responses in the format of RFC 9457: a status, a fixed title, and a sentence for this case."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

MEDIA_TYPE = "application/problem+json"
BEARER = 'Bearer realm="Palace"'
MEMORY_UNAVAILABLE = "Memory could not be read just now. Try again shortly."
RETRY_AFTER_S = 5
SENTENCES = {
    400: "The request cannot be parsed.",
    401: "Send a valid token: `Authorization: Bearer pal_…`.",
    403: "This token does not allow this.",
    404: "Not found. The URL may be wrong, or what was here was forgotten.",
    405: "This URL does not support this method.",
    413: "The request is too large.",
    429: "Too many requests. Try again shortly.",
    500: "Something went wrong. The log has the details under this request's id.",
    503: "This cannot be answered just now. Try again shortly.",
}


class Refused(Exception):
    """A request that cannot be done: the status, a sentence for the client, errors by field, and after how
    many seconds to try again."""

    def __init__(
        self, status: int, sentence: str, errors: Sequence[Any] = (), *, retry_after: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.errors = errors
        self.retry_after = retry_after

    def response(self) -> HttpResponse:
        """The answer to the request."""
        return problem(self.status, self.sentence, self.errors, retry_after=self.retry_after)


def problem(
    status: int, sentence: str = "", errors: Sequence[Any] = (), *, retry_after: int | None = None
) -> HttpResponse:
    """A problem+json response."""
    content = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": sentence or SENTENCES.get(status, HTTPStatus(status).phrase + "."),
    }
    if errors:
        content["errors"] = list(errors)
    body = json.dumps(content, ensure_ascii=False).encode()
    response = HttpResponse(body, status=status, content_type=MEDIA_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = BEARER
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response
