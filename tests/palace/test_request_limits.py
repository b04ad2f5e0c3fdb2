import json
from uuid import uuid4

import pytest

from palace.asgi import application
from palace.request_limits import MEGABYTE, BodyLimit, limit_of

COOKIE = (b"cookie", b"sessionid=x")


@pytest.fixture(autouse=True)
def limits(settings):
    settings.UPLOAD_LIMIT_MB = 3
    settings.REQUEST_LIMIT_MB = 1


def scope(path="/chat/import/", *headers, method="POST"):
    return {"type": "http", "method": method, "path": path, "headers": list(headers), "query_string": b""}


class Exchange:
    """A request of so many megabytes, and the response to it."""

    def __init__(self, megabytes):
        self.sent = []
        self.left = megabytes

    async def receive(self):
        self.left -= 1
        return {"type": "http.request", "body": b"x" * MEGABYTE, "more_body": self.left > 0}

    async def send(self, event):
        self.sent.append(event)

    @property
    def answer(self):
        start, body = self.sent
        return start["status"], dict(start["headers"]), body["body"].decode()


async def counting(scope, receive, send):
    """An application that reads everything and answers with its size."""
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        size += len(event["body"])
        more = event["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def never(scope, receive, send):
    raise AssertionError


async def hasty(scope, receive, send):
    """An application that answers before it reads."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await counting(scope, receive, send)


async def asked(megabytes, *headers, path="/chat/import/", inner=counting):
    exchange = Exchange(megabytes)
    await BodyLimit(inner)(scope(path, *headers), exchange.receive, exchange.send)
    return exchange


async def test_bodies_within_the_limit_pass():
    assert (await asked(3, COOKIE)).answer[2] == str(3 * MEGABYTE)


async def test_oversized_bodies_are_refused_and_read_to_twice_the_limit():
    exchange = await asked(100, COOKIE)
    status, headers, body = exchange.answer
    assert (status, headers[b"connection"]) == (413, b"close")
    assert "The limit here is 3 MB. Nothing was saved." in body
    assert exchange.left == 100 - 4 - 3


@pytest.mark.parametrize("size", [b"4194304", b"9" * 5000])
async def test_declared_oversized_bodies_never_reach_the_application(size):
    assert (await asked(4, COOKIE, (b"content-length", size), inner=never)).answer[0] == 413


@pytest.mark.parametrize(
    ("path", "content_type", "keys"),
    [
        ("/api/v1/imports", b"application/problem+json", ["status"]),
        ("/v1/chat/completions", b"application/json", ["error", "code"]),
    ],
)
async def test_errors_have_the_format_of_the_api(path, content_type, keys):
    _, headers, body = (await asked(9, COOKIE, path=path)).answer
    assert headers[b"content-type"] == content_type
    found = json.loads(body)
    for key in keys:
        found = found[key]
    assert found in {413, "request_too_large"}


@pytest.mark.parametrize(
    ("scope", "megabytes"),
    [
        (scope("/chat/import/", COOKIE), 3),
        (scope("/api/v1/imports", (b"authorization", b"Bearer x")), 3),
        (scope("/api/v1/restores/", COOKIE), 3),
        (scope("/chat/export/restore/", COOKIE), 3),
        (scope("/memory/restore/", COOKIE), 1),
        (scope("/api/v1/conversations/imports", COOKIE), 1),
        (scope(f"/api/v1/conversations/{uuid4()}/restore", COOKIE), 1),
        (scope("/chat/import//", COOKIE), 1),
        (scope("/chat/import/"), 1),
        (scope("/chat/", COOKIE), 1),
        (scope("/chat/import/", COOKIE, method="PUT"), 1),
    ],
)
def test_only_uploads_with_credentials_may_be_large(scope, megabytes):
    assert limit_of(scope) == megabytes * MEGABYTE


async def test_a_response_that_has_begun_is_left_alone():
    exchange = await asked(9, inner=hasty)
    assert [event["type"] for event in exchange.sent] == ["http.response.start"]


async def test_the_site_is_protected():
    exchange = Exchange(9)
    await application(scope("/chat/import/", (b"host", b"localhost")), exchange.receive, exchange.send)
    assert exchange.answer[0] == 413
