"""Refusals, failures and interruptions are reported in OpenAI's error format."""

import json

import openai
import pytest

from chat.models import Message
from chat.replies import limits
from chat.replies.limits import TOO_MANY
from llm.openai_client import MAX_ANSWER_BYTES
from llm.openai_format import MAX_REPLY_LENGTH
from memory.models import Usage
from tests.api.openai.asking import QUESTION, ask, eventually, ledger, sent
from tests.api.openai.conftest import client_of
from tests.floods import flood
from tests.openai_server import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_alice")]


def test_id_of_another_user_is_refused(client, upstream, alice, bob):
    for named in (str(bob.id), bob.email, "somebody"):
        with pytest.raises(openai.PermissionDeniedError) as caught:
            ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})
        assert caught.value.code == "not_your_memory"
    assert upstream.requests == []
    for named in (str(alice.id), "ALICE@example.org"):
        ask(client, QUESTION, extra_body={"memory_context": {"user_id": named}})


def test_memory_of_another_user_is_not_used(site, upstream, cat_in_memory, bob):
    with client_of(site, bob) as bob_api:
        ask(bob_api, QUESTION)
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]


def test_errors_have_openai_codes_and_parameters(site, client, alice):
    with pytest.raises(openai.AuthenticationError) as unknown:
        ask(openai.OpenAI(base_url=f"{site}/v1", api_key="pal_wrong", max_retries=0), "Hi")
    assert unknown.value.code == "invalid_api_key"
    with pytest.raises(openai.PermissionDeniedError):
        ask(client_of(site, alice, "read"), "Hi")
    with pytest.raises(openai.BadRequestError) as empty:
        client.chat.completions.create(model="m", messages=[])
    assert empty.value.param == "messages"
    with pytest.raises(openai.BadRequestError) as limit:
        ask(client, "Hi", extra_body={"memory_config": {"retrieval_limit": 99}})
    assert limit.value.param == "memory_config.retrieval_limit"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("unheard/of")


@pytest.mark.parametrize("value", ["nope", "", "offf"])
def test_unknown_value_of_the_opt_out_header_is_refused(client, upstream, alice, value):
    headers = {"X-Palace-Memory": value}
    requests = (
        lambda: ask(client, "Hi", extra_headers=headers),
        lambda: client.responses.create(model="m", input="Hi", extra_headers=headers),
    )
    for request in requests:
        with pytest.raises(openai.BadRequestError) as caught:
            request()
        assert caught.value.param == "X-Palace-Memory"
    assert upstream.requests == []
    ask(client, "Hi", extra_headers={"X-Palace-Memory": "On"})
    assert len(ledger(alice)) == 2


def test_model_must_be_a_string_and_roles_must_be_known(client, upstream, alice):
    with pytest.raises(openai.BadRequestError) as model:
        ask(client, "Hi", extra_body={"model": 5})
    assert model.value.param == "model"
    with pytest.raises(openai.BadRequestError) as response:
        client.responses.create(model="m", input="Hi", extra_body={"model": ["m"]})
    assert response.value.param == "model"
    messages = [{"role": "developer", "content": "Be short."}, {"role": "alien", "content": "Hi"}]
    with pytest.raises(openai.BadRequestError) as role:
        client.chat.completions.create(model="m", messages=messages)
    assert role.value.param == "messages[1].role"
    assert upstream.requests == []
    client.chat.completions.create(model="m", messages=[messages[0], {"role": "user", "content": "Hi"}])
    assert sent(upstream)[0] == messages[0]
    assert ledger(alice)[0] == ("system", "Be short.")


def test_error_of_the_endpoint_is_passed_on(client, upstream, alice):
    error = {"message": "Too long: you sent 9 tokens", "code": "context_length_exceeded"}
    upstream.script(Behaviour(status=400, error=error))
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, "Hi")
    assert caught.value.code == "context_length_exceeded"
    assert "9 tokens" in str(caught.value)
    upstream.script(Behaviour(status=400, error=error), Behaviour(status=400, error=error))
    with pytest.raises(openai.BadRequestError):
        ask(client, "Hi", stream=True)
    assert ledger(alice) == []


@pytest.mark.parametrize(("status", "seen"), [(401, 502), (402, 502), (500, 503), (429, 429)])
def test_status_of_endpoint_failures(client, upstream, status, seen):
    upstream.script(Behaviour(status=status))
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, "Hi")
    assert caught.value.status_code == seen
    assert ("Settings › Models" in str(caught.value)) is (status == 401)


@pytest.mark.parametrize(("asked", "told"), [("7", "7"), ("9" * 400, "86400"), ("soon", None), ("", None)])
def test_waiting_time_of_a_busy_endpoint_is_passed_on(client, upstream, asked, told):
    requests = (
        lambda: ask(client, "Hi"),
        lambda: ask(client, "Hi", stream=True),
        lambda: client.responses.create(model="m", input="Hi"),
    )
    upstream.script(*[Behaviour(status=429, retry_after=asked)] * len(requests))
    for request in requests:
        with pytest.raises(openai.RateLimitError) as caught:
            request()
        assert caught.value.response.headers.get("Retry-After") == told


def test_request_is_retried_without_memory_if_it_is_too_long(client, upstream, cat_in_memory):
    too_long = Behaviour(status=400, error={"code": "context_length_exceeded", "message": "long"})
    upstream.script(too_long, too_long, Behaviour(text="I do not know."))
    assert ask(client, QUESTION).choices[0].message.content == "I do not know."
    assert sent(upstream) == [{"role": "user", "content": QUESTION}]


def test_interrupted_stream_is_stored_in_part(client, upstream, alice):
    upstream.script(Behaviour(text="one two three four", cut_after=2))
    with pytest.raises(openai.APIError):
        list(ask(client, "Count.", stream=True))
    reply = Message.objects.get(user_id=alice.id, role="assistant")
    assert (reply.content.strip(), reply.status) == ("one two", Message.Status.FAILED)


@pytest.mark.parametrize("name", ["text", "odd events", "one line"])
def test_endless_stream_ends_with_an_error(client, upstream, alice, name):
    upstream.script(flood(name))
    with pytest.raises(openai.APIError, match="a reply that is too long"):
        list(ask(client, "Count.", stream=True))
    assert upstream.disconnected.wait(5)
    if name == "text":
        reply = Message.objects.filter(user_id=alice.id, role="assistant").first()
        assert (reply.content, reply.status) == ("[" * MAX_REPLY_LENGTH, Message.Status.FAILED)
        assert "too long" in reply.notice


@pytest.mark.parametrize("name", ["text", "odd events"])
def test_endless_response_fails(client, upstream, name):
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
    with pytest.raises(openai.InternalServerError, match="a reply that is too long"):
        ask(client, "Count.")
    with pytest.raises(openai.InternalServerError, match="a reply that is too long"):
        client.responses.create(model="m", input="Count.")
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
    refused = (
        lambda: ask(another, "Hi"),
        lambda: ask(client, "Hi", stream=True),
        lambda: client.responses.create(model="m", input="Hi"),
        lambda: client.responses.create(model="m", input="Hi", stream=True),
    )
    for request in refused:
        with pytest.raises(openai.RateLimitError) as caught:
            request()
        assert caught.value.body == {
            "message": TOO_MANY,
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    assert len(upstream.received("chat")) == 2
    assert ask(client_of(site, bob), "Hi").choices
    running[0].close()
    eventually(lambda: _is_answered(client))
    running[1].close()
    eventually(lambda: not limits._written)


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
    eventually(lambda: len(ledger(alice)) == 2)
    reply = Message.objects.get(user_id=alice.id, role="assistant")
    assert reply.status == Message.Status.STOPPED
    assert Usage.objects.get(user_id=alice.id, source=Usage.Source.CHAT).estimated
