"""Requests are answered although memory fails: tables are really locked, or the database is unreachable."""

import json
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import openai
import pytest
from django.db import connections

from api.openai import completion
from chat.models import Message
from chat.replies.generation import NOT_CONNECTED
from chat.replies.recall import MEMORY_FAILED, MEMORY_OFF
from palace.postgres.base import as_owner
from tests.api.openai.asking import FACT, QUESTION, sent
from tests.api.openai.conftest import client_of
from tests.api.serving import endpoint
from tests.memory.palaces import Spot, file
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


@contextmanager
def locked(table):
    """Lock a table against all other connections."""
    with as_owner():
        connection = connections["default"].copy()
        try:
            with connection.cursor() as cursor:
                cursor.execute("BEGIN")
                cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                yield
                cursor.execute("ROLLBACK")
        finally:
            connection.close()


def ask(client):
    return client.chat.completions.with_raw_response.create(
        model="m", messages=[{"role": "user", "content": QUESTION}]
    )


def refusal_of(address, headers):
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(address, headers=headers))
    with refused.value as answer:
        return answer, json.load(answer)["detail"]


@pytest.mark.parametrize("table", ["memory_drawer", "chat_threaddigest", "memory_memorypreferences"])
def test_locked_tables_do_not_delay_the_reply(client, upstream, cat_in_memory, table):
    upstream.script(Behaviour(text="I cannot remember."))
    with locked(table):
        raw = ask(client)
    assert raw.parse().choices[0].message.content == "I cannot remember."
    assert raw.headers["X-Palace-Notice"]
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]


def test_reply_is_returned_if_it_cannot_be_stored(client, upstream, cat_in_memory, alice, monkeypatch):
    monkeypatch.setattr(completion, "KEEPING_MS", 500)
    upstream.script(Behaviour(text="Minka."), Behaviour(text="Minka!"))
    with locked("chat_message"):
        raw = ask(client)
    assert raw.parse().choices[0].message.content == "Minka."
    assert raw.headers["X-Palace-Recalled"] == "1"
    assert not Message.objects.filter(user_id=alice.id).exists()
    ask(client)
    assert Message.objects.filter(user_id=alice.id).count() == 2


def test_reply_without_a_database(client, upstream, cat_in_memory, monkeypatch):
    ask(client)  # the site has cached the token now
    upstream.script(Behaviour(text="Hello."), Behaviour(text="Good day to you"))
    for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
        monkeypatch.setitem(connections.settings["default"], name, value)
    raw = ask(client)
    assert raw.parse().choices[0].message.content == "Hello."
    assert raw.headers["X-Palace-Notice"] == MEMORY_FAILED
    streamed = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": QUESTION}], stream=True
    )
    words = [chunk.choices[0].delta.content or "" for chunk in streamed]
    assert "".join(words) == "Good day to you"


def test_uncheckable_token_gives_503_instead_of_401(client, monkeypatch):
    """On 401 a client would discard its token; on 503 it may retry."""
    ask(client)
    rest = f"{str(client.base_url).removesuffix('v1/')}api/v1/wings"
    known = {"Authorization": f"Bearer {client.api_key}"}
    unknown = {"Authorization": f"Bearer {client.api_key[:-2]}xx"}
    for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
        monkeypatch.setitem(connections.settings["default"], name, value)
    stranger = client.with_options(api_key=f"{client.api_key[:-2]}xx", max_retries=0)
    with pytest.raises(openai.InternalServerError) as refused:
        ask(stranger)
    assert refused.value.status_code == 503
    assert "token cannot be checked" in str(refused.value.body)
    for headers, words in ((known, "Memory could not be read"), (unknown, "token cannot be checked")):
        answer, detail = refusal_of(rest, headers)
        assert answer.status == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["retry-after"] == "5"
        assert words in detail
    assert refusal_of(rest, {"Authorization": "Bearer x"})[0].status == 401


def test_reply_does_not_wait_for_a_slow_database(client, upstream, monkeypatch):
    monkeypatch.setattr(completion, "MEMORY_S", 0.0)
    monkeypatch.setattr(completion, "KEEPING_S", 0.0)
    upstream.script(Behaviour(text="Hello."))
    assert ask(client).parse().choices[0].message.content == "Hello."


def test_reply_from_memory_quotes_the_same_chat(site, alice):
    said = ("I own a kayak called Otter.", "What is my kayak called?")
    messages = [{"role": "user", "content": text} for text in said]
    with endpoint(""), client_of(site, alice) as client:
        client.chat.completions.create(model="m", messages=messages[:1])
        answer = client.chat.completions.create(model="m", messages=messages)
    assert answer.choices[0].message.content.startswith(f"> {said[0]}")


def test_reply_from_memory_without_an_endpoint(site, alice):
    with endpoint(""), client_of(site, alice) as client:
        file(alice.id, [FACT], Spot(wing="Home", kind="topic"))
        raw = ask(client)
        answer = raw.parse()
        assert answer.model == "memory"
        words = answer.choices[0].message.content
        assert NOT_CONNECTED in words
        assert f"> {FACT}" in words
        messages = [{"role": "user", "content": QUESTION}]
        stream = client.chat.completions.create(model="m", messages=messages, stream=True)
        chunks = list(stream)
        assert chunks[0].choices[0].delta.content == words
        assert chunks[-1].choices[0].finish_reason == "stop"
        off = {"X-Palace-Memory": "off"}
        unsearched = client.chat.completions.create(model="palace", messages=messages, extra_headers=off)
        assert unsearched.choices[0].message.content == f"{NOT_CONNECTED} {MEMORY_OFF}"
    assert Message.objects.get(user_id=alice.id, role="assistant").model == "memory"
