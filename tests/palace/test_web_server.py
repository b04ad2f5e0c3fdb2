"""The web server: trusted proxies, slow and large requests, and headers of every page."""

import asyncio
import gc
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from http.client import HTTPResponse
from io import BytesIO
from tempfile import gettempdir
from unittest.mock import Mock
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.contrib.sessions.models import Session
from django.core.handlers.asgi import ASGIRequest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant, visitor
from accounts.tokens import revoke_token, tokens_of
from chat.models import Conversation
from memory.models import Drawer
from palace import request_limits
from palace.asgi import application
from palace.environment import Environment
from palace.middleware import APP_REGISTRATION
from palace.processes import web_server
from palace.processes.web_server import Http
from palace.request_limits import MEGABYTE, BodyLimit, limit_of
from tests.api.conftest import token_of
from tests.api.serving import served
from tests.chat.ledger import export_of
from tests.conftest import signed_in
from tests.memory.palaces import file
from tests.palace.processes import eventually
from tests.palace.test_health import refusing_connections


@pytest.fixture
def configured(monkeypatch, settings):
    """Build the server's configuration for these trusted proxies."""
    server = Mock()
    monkeypatch.setattr(web_server.uvicorn, "Server", server)
    for name in ("stop_on_signals", "log_uncaught_errors", "_pool_connections", "ignore_unreachable_queue"):
        monkeypatch.setattr(web_server, name, lambda: None)

    def configure(proxies):
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxies)
        settings.TRUSTED_PROXIES = Environment().networks("FORWARDED_ALLOW_IPS")
        web_server.serve(port=1)
        return server.call_args.args[0]

    return configure


def test_server_is_configured_for_slow_clients_idle_proxies_and_rare_collection(configured):
    frozen = gc.get_freeze_count()
    loaded = [[]]
    configuration = configured("")
    assert configuration.http is Http
    assert configuration.timeout_keep_alive > 60
    assert gc.get_freeze_count() > frozen
    assert not any(each is loaded for each in gc.get_objects())


@pytest.mark.parametrize(
    ("proxies", "connection", "forwarded", "expected"),
    [
        ("", "127.0.0.1", "192.0.2.1", ("127.0.0.1", False)),
        ("", "203.0.113.7", "192.0.2.1", ("203.0.113.7", False)),
        ("127.0.0.1", "203.0.113.7", "192.0.2.1", ("203.0.113.7", False)),
        ("127.0.0.1", "127.0.0.1", "192.0.2.1, 203.0.113.7", ("203.0.113.7", True)),
        ("127.0.0.1,10.0.0.0/8", "127.0.0.1", "192.0.2.1, 203.0.113.7, 10.9.9.9", ("203.0.113.7", True)),
    ],
)
async def test_forwarded_address_and_scheme_are_used_only_from_trusted_proxies(
    configured, proxies, connection, forwarded, expected
):
    seen: list[tuple[str, bool]] = []

    async def application(given, receive, send):
        request = ASGIRequest(given, BytesIO())
        seen.append((request.META["REMOTE_ADDR"], request.is_secure()))

    configuration = configured(proxies)
    configuration.app = application
    configuration.load()
    headers = [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", b"https")]
    request = {**scope("/", *headers), "scheme": "http", "client": (connection, 1)}
    await configuration.loaded_app(request, None, None)
    assert seen == [expected]


WINDOW_S = 1.0
START = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
SLOW_PATH = b"/slow"


async def counting(scope, receive, send):
    """Answer with the size of the body; at /slow wait before reading and before answering."""
    slow = scope["path"].encode() == SLOW_PATH
    await asyncio.sleep(2.2 * WINDOW_S if slow else 0)
    size, more = 0, True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return
        size, more = size + len(event["body"]), event["more_body"]
    await asyncio.sleep(1.5 * WINDOW_S if slow else 0)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(web_server, "WINDOW_S", WINDOW_S)
    with served(counting, http=Http) as running:
        yield running.server


def connected(server):
    port = server.servers[0].sockets[0].getsockname()[1]
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def is_open(peer):
    peer.setblocking(False)
    try:
        return peer.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def test_incomplete_requests_are_closed(server):
    halves = (b"", b"GE", START, START + b"Content-Length: 9\r\n\r\nhalf") * 50
    peers = [connected(server) for _ in halves]
    for peer, half in zip(peers, halves, strict=True):
        peer.sendall(half)
    eventually(lambda: not any(is_open(peer) for peer in peers), WINDOW_S + 10)
    for peer in peers:
        peer.close()
    eventually(lambda: not server.server_state.connections, 10)


@pytest.mark.parametrize("start", [START + b"X-Slow: ", START + b"Content-Length: 1000000\r\n\r\n"])
def test_slowly_dripped_request_is_closed(server, start):
    with closing(connected(server)) as peer:
        peer.sendall(start)
        until = time.monotonic() + 3 * WINDOW_S
        with suppress(OSError):
            while time.monotonic() < until:
                peer.sendall(b"x")
                time.sleep(WINDOW_S / 10)
        assert not is_open(peer)


def answer(peer):
    response = HTTPResponse(peer)
    response.begin()
    return response.read()


def large_body_arrives_slowly(peer):
    peer.sendall(START + b"Content-Length: 200000\r\n\r\n")
    for _ in range(10):
        peer.sendall(b"x" * 20_000)
        time.sleep(WINDOW_S / 3)
    assert answer(peer) == b"200000"


def server_delays_reading_and_answering(peer):
    peer.sendall(START.replace(b" / ", b" " + SLOW_PATH + b" ") + b"Content-Length: 1000000\r\n\r\n")
    peer.sendall(b"x" * 1_000_000)
    assert answer(peer) == b"1000000"


def each_request_has_its_own_window(peer):
    whole = START + b"Content-Length: 2\r\n\r\nok"
    for _ in range(3):
        peer.sendall(whole[:20])
        time.sleep(WINDOW_S * 0.7)
        peer.sendall(whole[20:])
        assert answer(peer) == b"2"


def test_slow_but_steady_requests_are_answered(server):
    exchanges = (
        large_body_arrives_slowly,
        server_delays_reading_and_answering,
        each_request_has_its_own_window,
    )
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        peers = [stack.enter_context(closing(connected(server))) for _ in exchanges]
        for done in [pool.submit(each, peer) for each, peer in zip(exchanges, peers, strict=True)]:
            done.result()


COOKIE = (b"cookie", b"sessionid=x")
BEARER = (b"authorization", b"Bearer x")


@pytest.fixture(autouse=True)
def limits(settings):
    settings.UPLOAD_LIMIT_MB = 3
    settings.REQUEST_LIMIT_MB = 1


@pytest.fixture
def any_credentials(monkeypatch):
    """All credentials count as valid."""
    monkeypatch.setattr(request_limits, "has_valid_credentials", lambda request: True)


def scope(path="/chat/import/", *headers, method="POST"):
    return {"type": "http", "method": method, "path": path, "headers": list(headers), "query_string": b""}


class Exchange:
    """A request with a body of these parts, and its response."""

    def __init__(self, *parts):
        self.parts = list(parts)
        self.sent = []

    async def receive(self):
        part = self.parts.pop(0) if self.parts else await asyncio.Future()
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}

    async def send(self, event):
        self.sent.append(event)

    @property
    def answer(self):
        start, body = self.sent
        return start["status"], dict(start["headers"]), body["body"].decode()


async def early_application(scope, receive, send):
    """An application that responds before reading."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await counting(scope, receive, send)


async def exchange_of(megabytes, *headers, path="/chat/import/", inner=counting):
    """Send a body of some megabytes to an application; `inner` is None if it must not be called."""
    exchange = Exchange(*[b"x" * MEGABYTE] * megabytes)
    await BodyLimit(inner)(scope(path, *headers), exchange.receive, exchange.send)
    return exchange


@pytest.mark.usefixtures("any_credentials")
async def test_oversized_bodies_are_refused_and_read_to_twice_the_limit():
    assert (await exchange_of(3, COOKIE)).answer[2] == str(3 * MEGABYTE)
    exchange = await exchange_of(100, COOKIE)
    status, headers, body = exchange.answer
    assert (status, headers[b"connection"]) == (413, b"close")
    assert "The limit here is 3 MB. Nothing was saved." in body
    assert len(exchange.parts) == 100 - 4 - 3
    for declared in (b"4194304", b"9" * 5000):
        assert (await exchange_of(4, COOKIE, (b"content-length", declared), inner=None)).answer[0] == 413
    answered = await exchange_of(9, inner=early_application)
    assert [event["type"] for event in answered.sent] == ["http.response.start"]


@pytest.mark.parametrize(
    ("path", "content_type", "words"),
    [
        ("/api/v1/imports", b"application/problem+json", '"status": 413'),
        ("/v1/chat/completions", b"application/json", '"code": "request_too_large"'),
        (APP_REGISTRATION, b"application/problem+json", "The limit here is 16 kB. Nothing was saved."),
    ],
)
@pytest.mark.usefixtures("any_credentials")
async def test_errors_have_the_format_of_the_api(path, content_type, words):
    size = (b"content-length", b"16385" if path == APP_REGISTRATION else b"9437184")
    status, headers, body = (await exchange_of(9, COOKIE, size, path=path, inner=None)).answer
    assert (status, headers[b"content-type"]) == (413, content_type)
    assert words in body


@pytest.mark.parametrize(
    ("scope", "megabytes"),
    [
        (scope("/chat/import/", COOKIE), 3),
        (scope("/api/v1/imports", BEARER), 3),
        (scope("/api/v1/restores/", COOKIE), 3),
        (scope("/chat/export/restore/", COOKIE), 3),
        (scope("/memory/restore/", COOKIE), 1),
        (scope("/api/v1/conversations/imports", COOKIE), 1),
        (scope(f"/api/v1/conversations/{uuid4()}/restore", COOKIE), 1),
        (scope("/chat/import//", COOKIE), 1),
        (scope("/chat/import/"), 1),
        (scope("/chat/", COOKIE), 1),
        (scope("/chat/import/", COOKIE, method="PUT"), 1),
        (scope(APP_REGISTRATION, COOKIE, BEARER), 1 / 64),
    ],
)
@pytest.mark.usefixtures("any_credentials")
async def test_only_uploads_with_credentials_may_be_large(scope, megabytes):
    assert await limit_of(scope) == megabytes * MEGABYTE


def upload_limit(path, name, value, host=b"localhost"):
    """The upload limit in megabytes for a request with this header."""
    headers = ((b"host", host), (name, value.encode()))
    return async_to_sync(limit_of)(scope(path, *headers) | {"query_string": b"\xff"}) // MEGABYTE


@pytest.mark.django_db(transaction=True)
def test_only_valid_sessions_make_uploads_large(alice, bob, settings):
    browsers = {name: signed_in(alice) for name in ("valid", "expired", "signed out")}
    browsers |= {"switched off": signed_in(bob), "visitor": Client()}
    browsers["visitor"].get("/accounts/sign-in/")
    browsers["visitor"].session["stored"] = "something"
    browsers["visitor"].session.save()
    keys = {name: browser.session.session_key for name, browser in browsers.items()}
    browsers["signed out"].post("/accounts/sign-out/")
    with visitor():
        Session.objects.filter(session_key=keys["expired"]).update(expire_date=timezone.now())
        User.objects.filter(id=bob.id).update(is_active=False)
    keys |= {"invented": "x" * 32, "no text": r'"\000aaaaaaaaa"', "empty": ""}
    assert [name for name in browsers if not keys[name]] == []
    cookies = {name: f"{settings.SESSION_COOKIE_NAME}={key}" for name, key in keys.items()}
    large = {name for name in cookies if upload_limit("/chat/import/", b"cookie", cookies[name]) == 3}
    assert large == {"valid"}
    assert upload_limit("/api/v1/imports", b"cookie", cookies["valid"]) == 1
    with refusing_connections():
        assert upload_limit("/chat/import/", b"cookie", cookies["valid"]) == 1


@pytest.mark.django_db(transaction=True)
def test_only_valid_tokens_make_uploads_large(alice):
    token, revoked = token_of(alice), token_of(alice, "read", "write")
    with tenant(alice.id):
        revoke_token(tokens_of(alice.id).get(scopes="read,write"), timezone.now())
    for path in ("/api/v1/imports", "/api/v1/restores/"):
        limits = [upload_limit(path, b"authorization", f"Bearer {each}") for each in (token, revoked, "x")]
        assert limits == [3, 1, 1]
    assert upload_limit("/api/v1/imports", b"authorization", f"Bearer {token}", host=b"evil.example") == 1
    assert upload_limit("/chat/import/", b"authorization", f"Bearer {token}") == 1


@pytest.mark.django_db(transaction=True)
def test_large_upload_in_chunks_is_received(alice, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    content = b"[" + b" " * 2 * MEGABYTE + json.dumps(export_of({"boats": ["A boat!"]})).encode()[1:]
    start = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
    parts = [start, content[:MEGABYTE], content[MEGABYTE:], b"\r\n--x--\r\n"]

    def answer(token):
        exchange = Exchange(*parts)
        headers = [(b"host", b"localhost"), (b"content-type", b"multipart/form-data; boundary=x")]
        headers.append((b"content-length", str(sum(map(len, parts))).encode()))
        headers.append((b"authorization", f"Bearer {token}".encode()))
        async_to_sync(application)(scope("/api/v1/imports", *headers), exchange.receive, exchange.send)
        return exchange.answer

    status, _, body = answer("invented")
    assert status == 413
    assert "Unless you sign in or send a valid token, the limit here is 1 MB." in body
    status, _, body = answer(token_of(alice))
    assert (status, list(json.loads(body))) == (202, ["id"])
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert kept.read_bytes() == content


@pytest.mark.parametrize(
    ("path", "content_type"),
    [("/chat/import/", b"text/html; charset=utf-8"), ("/api/v1/imports", b"application/problem+json")],
)
@pytest.mark.usefixtures("any_credentials")
async def test_uploads_leave_disk_space_free(monkeypatch, settings, path, content_type):
    free = spool = 9 * MEGABYTE
    settings.MIN_FREE_MB = 1
    monkeypatch.setattr(
        "transfer.file_jobs.shutil.disk_usage",
        lambda folder: Mock(free=spool if folder == gettempdir() else free),
    )
    size = (b"content-length", b"3145728")
    assert (await exchange_of(1, COOKIE, path=path)).answer[2] == str(MEGABYTE)
    exchange = await exchange_of(3, COOKIE, size, path=path, inner=None)
    status, headers, body = exchange.answer
    assert (status, headers[b"content-type"], exchange.parts) == (507, content_type, [])
    assert "This server cannot store the file: No space left on device. Nothing was saved." in body
    assert (await exchange_of(3, COOKIE, path=path)).answer[0] == 200
    free = 6 * MEGABYTE
    assert (await exchange_of(3, COOKIE, path=path)).answer[0] == 507
    free, spool = 10 * MEGABYTE, 6 * MEGABYTE
    assert (await exchange_of(3, COOKIE, size, path=path)).answer[0] == 200
    spool -= 1
    assert (await exchange_of(3, COOKIE, size, path=path, inner=None)).answer[0] == 507


CONSENT = "/memory/consent/"


def test_only_rejected_forms_may_be_cached(alice_client, client):
    """So that the back button brings up what was typed."""
    for name in ("memory:palace", "chat:agents", "accounts:account"):
        assert alice_client.get(reverse(name)).headers["Cache-Control"] == "private, no-store"
    for path in ("/nowhere/", reverse("account_login"), "/memory/", "/healthz"):
        assert "no-store" in client.get(path).headers["Cache-Control"]
    refused = alice_client.post(reverse("chat:new_agent"), {"name": ""})
    assert (refused.status_code, "Cache-Control" in refused.headers) == (422, False)


def test_chats_and_memory_are_closed_until_consent(alice, as_alice, alice_client):
    User.objects.filter(pk=alice.pk).update(agreed_at=None)
    for path in ("/chat/", "/memory/", "/memory/facts/", "/memory/note/", "/chat/import/"):
        answer = alice_client.get(path)
        assert (answer.status_code, answer["Location"]) == (302, CONSENT)
        assert alice_client.get(path, headers={"HX-Request": "true"})["HX-Redirect"] == CONSENT
    answer = alice_client.post("/chat/new/", {"message": "I live in Porto."})
    assert (answer.status_code, answer["Location"]) == (302, CONSENT)
    assert not Conversation.objects.exists()
    for path in (CONSENT, "/accounts/", "/accounts/close/", "/healthz"):
        assert alice_client.get(path).status_code == 200
    bearer = {"Authorization": f"Bearer {token_of(alice)}"}
    assert alice_client.get("/api/v1/wings", headers=bearer).status_code == 200


def test_pages_make_hidden_characters_visible(alice_client, as_alice):
    hiding = "access \u202enimda\u202c \U000e0041 but 👩🏽\u200d💻 and می\u200cخواهم stay"
    drawer = file(as_alice.id, [hiding])[0]
    page = alice_client.get(reverse("memory:drawer", args=[drawer.id])).content.decode()
    assert "access \\u202enimda\\u202c \\U000e0041 but 👩🏽\u200d💻 and می\u200cخواهم stay" in page
    assert Drawer.objects.get().content == hiding
