import json
from uuid import uuid4

import pytest

from palace.asgi import application
from palace.bodies import MEGABYTE, BodyLimit, limit_of

COOKIE = (b"cookie", b"sessionid=x")


@pytest.fixture(autouse=True)
def limits(settings):
    settings.UPLOAD_LIMIT_MB = 3
    settings.REQUEST_LIMIT_MB = 1


def scope(path="/chat/import/", *headers, method="POST"):
    return {"type": "http", "method": method, "path": path, "headers": list(headers)}


class Exchange:
    """One request of so many megabytes, and what came of it."""

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
    """Reads everything, and answers with its size unless the sender goes away."""
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        size += len(event["body"])
        more = event["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def asked(megabytes, *headers, path="/chat/import/", inner=counting):
    exchange = Exchange(megabytes)
    await BodyLimit(inner)(scope(path, *headers), exchange.receive, exchange.send)
    return exchange


async def test_an_upload_of_somebody_with_a_session_may_be_large():
    assert (await asked(3, COOKIE)).answer[2] == str(3 * MEGABYTE)


async def test_what_turns_out_too_large_is_told_and_read_no_further_than_twice_the_limit():
    exchange = await asked(100, COOKIE)
    status, headers, body = exchange.answer
    assert (status, headers[b"connection"]) == (413, b"close")
    assert "larger than 3 MB, the most this server takes here. Nothing of it was kept." in body
    assert exchange.left == 100 - 4 - 3


async def test_what_is_declared_too_large_never_reaches_the_site():
    async def never(scope, receive, send):
        raise AssertionError

    for size in (b"4194304", b"9" * 5000):
        exchange = await asked(4, COOKIE, (b"content-length", size), inner=never)
        assert exchange.answer[0] == 413


async def test_programs_are_answered_in_their_own_form():
    _, headers, body = (await asked(9, COOKIE, path="/api/v1/imports")).answer
    assert headers[b"content-type"] == b"application/problem+json"
    assert json.loads(body)["status"] == 413
    _, headers, body = (await asked(9, COOKIE, path="/v1/chat/completions")).answer
    assert headers[b"content-type"] == b"application/json"
    assert json.loads(body)["error"]["code"] == "request_too_large"


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
def test_only_uploads_of_somebody_may_be_large(scope, megabytes):
    assert limit_of(scope) == megabytes * MEGABYTE


async def test_an_answer_that_has_begun_is_left_alone():
    async def hasty(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await counting(scope, receive, send)

    exchange = await asked(9, inner=hasty)
    assert [event["type"] for event in exchange.sent] == ["http.response.start"]


async def test_other_than_http_is_passed_on():
    seen = []

    async def inner(scope, receive, send):
        seen.append(scope["type"])

    await BodyLimit(inner)({"type": "lifespan"}, None, None)
    assert seen == ["lifespan"]


async def test_the_site_itself_answers_so():
    exchange = Exchange(9)
    request = {**scope("/chat/import/"), "query_string": b"", "headers": [(b"host", b"localhost")]}
    await application(request, exchange.receive, exchange.send)
    assert exchange.answer[0] == 413
