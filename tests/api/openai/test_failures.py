"""Refusals, failures and interruptions are reported in OpenAI's error format, and requests are answered even
if memory fails. The tests lock real tables or make the database unreachable."""

import json
import re
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import openai
import pytest
from django.db import connections

from api.openai import completion
from api.openai.completion import NOT_STORED
from api.openai.recall import TOO_LONG
from chat.conversations import MAX_MESSAGE_LENGTH
from chat.models import Message
from chat.replies import streaming
from chat.replies.generation import NOT_CONNECTED
from chat.replies.recall import MEMORY_FAILED, MEMORY_OFF
from chat.replies.streaming import TOO_MANY
from llm.openai_client import MAX_ANSWER_BYTES
from llm.openai_format import MAX_REPLY_LENGTH
from memory.models import RecallTrace, Usage
from palace.postgres.base import as_owner
from tests.api.conftest import send
from tests.api.openai.conftest import FACT, QUESTION, ask, client_of, ledger, sent
from tests.api.serving import endpoint
from tests.floods import flood
from tests.memory.palaces import Spot, file
from tests.openai_server import Behaviour
from tests.palace.processes import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]
PLAIN = [{"role": "user", "content": QUESTION}]


def requests(client, words="Hi", **more):
    """A chat completion, a streamed one, and a response."""
    return (
        lambda: ask(client, words, **more),
        lambda: ask(client, words, stream=True, **more),
        lambda: client.responses.create(model="m", input=words, **more),
    )


def test_memory_of_another_user_is_refused_and_not_used(site, client, upstream, cat_in_memory, alice, bob):
    for named in (str(bob.id), bob.email, "somebody"):
        with pytest.raises(openai.PermissionDeniedError) as caught:
            ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})
        assert caught.value.code == "not_your_memory"
    assert upstream.requests == []
    for named in (str(alice.id), "ALICE@example.org"):
        ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})
    with client_of(site, bob) as bob_api:
        ask(bob_api, QUESTION)
    assert sent(upstream) == PLAIN


def test_invalid_requests_are_refused_by_parameter(client, upstream):
    words = ("nope", "", "offf")
    for more, param in (
        ({"messages": []}, "messages"),
        ({"messages": [PLAIN[0], {"role": "alien", "content": "Hi"}]}, "messages[1].role"),
        ({"extra_body": {"memory_config": {"retrieval_limit": 99}}}, "memory_config.retrieval_limit"),
        ({"extra_body": {"memory_config": {"memory_types": ["gossip"]}}}, "memory_config.memory_types.0"),
        ({"extra_body": {"memory_config": "off"}}, "memory_config"),
        ({"extra_body": {"model": 5}}, "model"),
        ({"extra_body": {"stream": "no"}}, "stream"),
        ({"extra_body": {"store": 0}}, "store"),
        *(({"extra_headers": {"X-Palace-Memory": word}}, "X-Palace-Memory") for word in words),
    ):
        for request in requests(client, **more)[: 2 if "messages" in more else 3]:
            with pytest.raises(openai.BadRequestError) as caught:
                request()
            assert caught.value.param == param
            assert not re.search("Value error|dictionary|MemoryConfig", str(caught.value))
    assert upstream.requests == []


def test_errors_have_openai_codes(site, client, upstream, alice):
    with pytest.raises(openai.AuthenticationError) as unknown:
        ask(openai.OpenAI(base_url=f"{site}/v1", api_key="pal_wrong", max_retries=0), "Hi")
    assert unknown.value.code == "invalid_api_key"
    with pytest.raises(openai.PermissionDeniedError):
        ask(client_of(site, alice, "read"), "Hi")
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("unheard/of")
    assert upstream.received("chat") == []
    developer = {"role": "developer", "content": "Be short."}
    ask(client, messages=[developer, *PLAIN], extra_headers={"X-Palace-Memory": "On"})
    assert sent(upstream)[0] == developer
    assert ledger(alice)[0] == ("system", "Be short.")
    assert len(ledger(alice)) == 3


def test_error_of_the_endpoint_is_passed_on(client, upstream, alice):
    error = {"message": "Too long: you sent 9 tokens", "code": "context_length_exceeded"}
    upstream.script(*[Behaviour(status=400, error=error)] * 3)
    for request in requests(client)[:2]:
        with pytest.raises(openai.BadRequestError, match="9 tokens") as caught:
            request()
        assert caught.value.code == "context_length_exceeded"
    assert ledger(alice) == []


def test_status_and_waiting_time_of_endpoint_failures_are_passed_on(client, upstream):
    for status, seen in ((401, 502), (402, 502), (500, 503), (429, 429)):
        upstream.script(Behaviour(status=status))
        with pytest.raises(openai.APIStatusError) as caught:
            ask(client, "Hi")
        assert caught.value.status_code == seen
        assert ("Settings › Models" in str(caught.value)) is (status == 401)
    for asked, told in (("7", "7"), ("9" * 400, "86400"), ("soon", None), ("", None)):
        for request in requests(client):
            upstream.script(Behaviour(status=429, retry_after=asked))
            with pytest.raises(openai.RateLimitError) as busy:
                request()
            assert busy.value.response.headers.get("Retry-After") == told


def test_request_is_retried_without_memory_if_it_is_too_long(client, upstream, cat_in_memory):
    too_long = Behaviour(status=400, error={"code": "context_length_exceeded", "message": "long"})
    upstream.script(too_long, too_long, Behaviour(text="I do not know."))
    assert ask(client, QUESTION).choices[0].message.content == "I do not know."
    assert sent(upstream) == PLAIN


def test_failure_in_mid_stream_keeps_its_reason_and_what_was_delivered(client, upstream, alice):
    overloaded = Behaviour(text="one two", stream_error={"message": "overloaded"})
    upstream.script(Behaviour(text="one two three four", cut_after=2), overloaded, overloaded)
    for reason in ("broke off its response", "overloaded"):
        with pytest.raises(openai.APIError, match=reason):
            list(ask(client, "Count.", stream=True))
        reply = Message.objects.filter(user_id=alice.id, role="assistant").latest("id")
        assert (reply.content.strip(), reply.status) == ("one two", Message.Status.FAILED)
    *_, last = client.responses.create(model="m", input="Count.", stream=True)
    assert (last.type, last.response.error.message) == ("response.failed", "overloaded")
    assert (last.response.output_text, last.response.output[0].status) == ("one two", "incomplete")


def test_long_messages_are_stored_whole_or_as_a_label(client, upstream, cat_in_memory, alice):
    pasted = f"{QUESTION} " * (MAX_MESSAGE_LENGTH // len(QUESTION))
    for stream in (False, True):
        roles = zip(("user", "assistant", "user"), (pasted, "Noted.", QUESTION), strict=True)
        messages = [{"role": role, "content": words} for role, words in roles]
        raw = ask(client.with_raw_response, messages=messages, stream=stream)
        assert list(raw.parse())
        assert raw.headers["X-Palace-Notice"] == TOO_LONG
        assert FACT in sent(upstream)[2]["content"]
        assert RecallTrace.objects.filter(user_id=alice.id, id=raw.headers["X-Palace-Trace"]).exists()
    assert ledger(alice)[:3] == [
        ("user", f"[{len(pasted):,} characters]"),
        ("assistant", "Noted."),
        ("user", QUESTION),
    ]
    upstream.script(Behaviour(text="Minka."))
    raw = ask(client.with_raw_response, "Lorem ipsum dolor sit amet. " * 40_000 + QUESTION)
    assert "X-Palace-Notice" not in raw.headers
    assert FACT in sent(upstream)[0]["content"]


def test_lone_surrogates_are_replaced(upstream, alice, alice_api):
    words, model = "half \ud83d, whole \ud83d\ude00, escaped \\ud83d", "m \ud83d"
    messages = [{"role": "user", "content": words}]
    for path, more in (("chat/completions", {"messages": messages}), ("responses", {"input": words})):
        answer = send(alice_api, "POST", f"/v1/{path}", {"model": model, **more})
        assert answer.json()["model"] == "m \ufffd"
        assert sent(upstream)[-1]["content"] == "half \ufffd, whole 😀, escaped \\ud83d"


@pytest.mark.parametrize("name", ["text", "odd events", "one line"])
def test_endless_streams_end_with_an_error(client, upstream, alice, name):
    upstream.script(flood(name))
    with pytest.raises(openai.APIError, match="a reply that is too long"):
        list(ask(client, "Count.", stream=True))
    assert upstream.disconnected.wait(5)
    if name == "text":
        reply = Message.objects.filter(user_id=alice.id, role="assistant").first()
        assert (reply.content, reply.status) == ("[" * MAX_REPLY_LENGTH, Message.Status.FAILED)
        assert "too long" in reply.notice
    if name != "one line":
        upstream.script(flood(name))
        *_, last = client.responses.create(model="m", input="Count.", stream=True)
        assert last.type == "response.failed"
        assert "a reply that is too long" in last.response.error.message
        assert len(last.response.output_text) <= MAX_REPLY_LENGTH


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps({"choices": [{"message": {"content": "[" * (MAX_REPLY_LENGTH // 2 + 1)}}] * 2}),
        json.dumps({"choices": [{"message": {"content": "a"}}]}) + " " * MAX_ANSWER_BYTES,
    ],
    ids=["characters", "bytes"],
)
def test_whole_answer_over_the_limits_fails_and_is_billed(client, upstream, alice, raw):
    upstream.script(*[Behaviour(raw=raw)] * 2)
    completed, _, responded = requests(client, "Count.")
    for request in (completed, responded):
        with pytest.raises(openai.InternalServerError, match="a reply that is too long"):
            request()
    billed = Usage.objects.filter(user_id=alice.id, source=Usage.Source.CHAT)
    assert all(billed.values_list("input_tokens", flat=True))
    assert billed.count() == 2


def test_user_has_a_few_replies_at_once(site, client, upstream, alice, bob, settings):
    settings.REPLIES_AT_ONCE = 2
    upstream.script(*[Behaviour(text="word " * 400, drip_s=0.02)] * 2)
    running = [
        ask(client, "Talk.", stream=True),
        client.responses.create(model="m", input="Talk.", stream=True),
    ]
    for stream in running:
        next(iter(stream))
    another = client_of(site, alice, "chat")
    streamed = lambda: client.responses.create(model="m", input="Hi", stream=True)  # noqa: E731
    for request in (*requests(client), *requests(another), streamed):
        with pytest.raises(openai.RateLimitError) as caught:
            request()
        known = {"message": TOO_MANY, "type": "rate_limit_error", "param": None}
        assert caught.value.body == known | {"code": "rate_limit_exceeded"}
    assert len(upstream.received("chat")) == 2
    assert ask(client_of(site, bob), "Hi").choices
    running[0].close()
    eventually(lambda: _is_answered(client), 20)
    running[1].close()
    eventually(lambda: not streaming._written, 20)


def _is_answered(client):
    try:
        return bool(ask(client, "Hi").choices)
    except openai.RateLimitError:
        return False


def test_disconnecting_client_stops_the_endpoint(client, upstream, alice):
    upstream.script(Behaviour(text="word " * 400, drip_s=0.02))
    stream = ask(client, "Talk.", stream=True)
    for _, chunk in zip(range(5), stream, strict=False):
        assert chunk.choices
    stream.close()
    assert upstream.disconnected.wait(10)
    eventually(lambda: len(ledger(alice)) == 2, 20)
    reply = Message.objects.get(user_id=alice.id, role="assistant")
    assert reply.status == Message.Status.STOPPED
    assert Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT).estimated


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


@pytest.fixture
def database_lost(client, monkeypatch):
    """A function that makes the database unreachable, once the site has cached the token."""

    def lose():
        ask(client, QUESTION)
        for name, value in (("HOST", "127.0.0.1"), ("PORT", "9")):
            monkeypatch.setitem(connections.settings["default"], name, value)

    return lose


def raw_reply(client, **more):
    """The text of a reply, and its headers."""
    raw = ask(client.with_raw_response, QUESTION, **more)
    return raw.parse().choices[0].message.content, raw.headers


@pytest.mark.parametrize("table", ["memory_drawer", "chat_threaddigest", "memory_memorypreferences"])
def test_locked_tables_do_not_prevent_the_reply(client, upstream, cat_in_memory, table, monkeypatch):
    monkeypatch.setattr(completion, "KEEPING_MS", 500)
    upstream.script(Behaviour(text="I cannot remember."))
    with locked(table):
        text, headers = raw_reply(client)
    assert text == "I cannot remember."
    assert headers["X-Palace-Notice"]
    assert sent(upstream) == PLAIN


def test_reply_is_returned_if_it_cannot_be_stored(client, upstream, cat_in_memory, alice, monkeypatch):
    monkeypatch.setattr(completion, "KEEPING_MS", 500)
    upstream.script(Behaviour(text="Minka."), Behaviour(text="Minka!"))
    with locked("chat_message"):
        text, headers = raw_reply(client)
    assert (text, headers["X-Palace-Recalled"]) == ("Minka.", "1")
    assert headers["X-Palace-Notice"] == NOT_STORED
    assert "X-Palace-Trace" not in headers
    assert not Message.objects.filter(user_id=alice.id).exists()
    ask(client, QUESTION)
    assert Message.objects.filter(user_id=alice.id).count() == 2


def test_reply_without_a_database_and_with_a_slow_one(client, upstream, database_lost, monkeypatch):
    upstream.script(*(Behaviour(text=text) for text in ("At once.", "", "Hello.", "Good day to you")))
    with monkeypatch.context() as slow:
        slow.setattr(completion, "MEMORY_S", 0.0)
        slow.setattr(completion, "KEEPING_S", 0.0)
        assert raw_reply(client)[0] == "At once."
    database_lost()
    text, headers = raw_reply(client)
    assert (text, headers["X-Palace-Notice"]) == ("Hello.", f"{MEMORY_FAILED} {NOT_STORED}")
    words = [chunk.choices[0].delta.content or "" for chunk in ask(client, QUESTION, stream=True)]
    assert "".join(words) == "Good day to you"


def refusal_of(address, headers):
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(address, headers=headers))
    with refused.value as answer:
        return answer, json.load(answer)["detail"]


def test_uncheckable_token_gives_503_instead_of_401(client, database_lost):
    """On 401 a client would discard its token; on 503 it may retry."""
    database_lost()
    rest = f"{str(client.base_url).removesuffix('v1/')}api/v1/wings"
    unknown = f"{client.api_key[:-2]}xx"
    with pytest.raises(openai.InternalServerError) as refused:
        ask(client.with_options(api_key=unknown), "Hi")
    assert refused.value.status_code == 503
    assert "token cannot be checked" in str(refused.value.body)
    for token, words in ((client.api_key, "Memory could not be read"), (unknown, "token cannot be checked")):
        answer, detail = refusal_of(rest, {"Authorization": f"Bearer {token}"})
        assert answer.status == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["retry-after"] == "5"
        assert words in detail
    assert refusal_of(rest, {"Authorization": "Bearer x"})[0].status == 401


def test_reply_from_memory_without_an_endpoint(site, alice):
    said = ("I own a kayak called Otter.", "What is my kayak called?")
    with endpoint(""), client_of(site, alice) as client:
        file(alice.id, [FACT], Spot(wing="Home", kind="topic"))
        answer = ask(client, QUESTION)
        assert answer.model == "memory"
        words = answer.choices[0].message.content
        assert NOT_CONNECTED in words
        assert f"> {FACT}" in words
        chunks = list(ask(client, QUESTION, stream=True))
        assert chunks[0].choices[0].delta.content == words
        assert chunks[-1].choices[0].finish_reason == "stop"
        off = {"X-Palace-Memory": "off"}
        assert raw_reply(client, model="palace", extra_headers=off)[0] == f"{NOT_CONNECTED} {MEMORY_OFF}"
        models = Message.objects.filter(user_id=alice.id, role="assistant").values_list("model", flat=True)
        assert set(models) == {"memory"}
        messages = [{"role": "user", "content": text} for text in said]  # the same chat is quoted
        ask(client, messages=messages[:1])
        answer = ask(client, messages=messages)
        assert answer.choices[0].message.content.startswith(f"> {said[0]}")
