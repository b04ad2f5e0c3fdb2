"""What went wrong, as RFC 9457 says it: a status, a title that stays, a sentence for this case."""

import json
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

MEDIA_TYPE = "application/problem+json"
BEARER = 'Bearer realm="Palace"'
SENTENCES = {
    400: "The request cannot be read.",
    401: "Send a token that works: `Authorization: Bearer pal_…`.",
    403: "This token may not do that.",
    404: "There is nothing here. The address may be wrong, or what was here has been forgotten.",
    405: "This address does not answer that method.",
    413: "The request is too large.",
    429: "Too many requests. Try again a little later.",
    500: "Something went wrong here. It is written in the log under the request's id.",
    503: "This cannot be answered just now. Try again a little later.",
}


class Refused(Exception):
    """A request that cannot be done as it was sent: the status and a sentence for its sender."""

    def __init__(self, status: int, sentence: str, **more: Any) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.more = more


def problem(status: int, sentence: str = "", **more: Any) -> HttpResponse:
    """An answer that says what is wrong; `more` are further members, such as `errors`."""
    content = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": sentence or SENTENCES.get(status, HTTPStatus(status).phrase + "."),
        **more,
    }
    written = json.dumps(content, ensure_ascii=False).encode()
    response = HttpResponse(written, status=status, content_type=MEDIA_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = BEARER
    return response
