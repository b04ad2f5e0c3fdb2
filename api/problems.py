"""Error responses in the format of RFC 9457: a status, a fixed title, and a sentence for this case."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

MEDIA_TYPE = "application/problem+json"
BEARER = 'Bearer realm="Palace"'
MEMORY_UNAVAILABLE = "Memory could not be read just now. Try again shortly."
RETRY_AFTER_S = 5
_PLAIN_WORDS = {
    **dict.fromkeys(("dict_type", "model_attributes_type", "model_type"), "Input should be an object"),
    "timezone_aware": "Input should have a UTC offset, such as `Z`",
}
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
        self, status: int, sentence: str, errors: Sequence[Any] = (), *, retry_after: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.errors = errors
        self.retry_after = retry_after

    def response(self) -> HttpResponse:
        """The answer to the request."""
        content = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.sentence,
        }
        if self.errors:
            content["errors"] = list(self.errors)
        body = json.dumps(content, ensure_ascii=False).encode()
        return self.with_headers(HttpResponse(body, status=self.status, content_type=MEDIA_TYPE))

    def with_headers(self, response: HttpResponse) -> HttpResponse:
        """The response with what to send or when to try again."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = BEARER
        if self.retry_after is not None:
            response.headers["Retry-After"] = str(round(self.retry_after))
        return response


def plain_words(error: Mapping[str, Any]) -> str:
    """What a validation error says, without the terms of Python."""
    return _PLAIN_WORDS.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")


def problem(
    status: int, sentence: str = "", errors: Sequence[Any] = (), *, retry_after: int | None = None
) -> HttpResponse:
    """A problem+json response; without a sentence, the one of the status."""
    sentence = sentence or SENTENCES.get(status, HTTPStatus(status).phrase + ".")
    return Refused(status, sentence, errors, retry_after=retry_after).response()
