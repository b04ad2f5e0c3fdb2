"""Streams of the gateway through the real client against a real HTTP server."""

import asyncio
import socket
import time
import traceback
from contextlib import aclosing
from dataclasses import replace

import pytest

from llm.errors import ModelError, ModelRefused, ModelReplyInvalid, ModelTimeout, ModelUnavailable
from llm.gateway import ChatRequest
from llm.openai_gateway import OpenAIGateway
from llm.types import ChatMessage, StreamPart
from tests.openai_server import Behaviour

SECRET = "my sister Ana moved to Lisbon"
HELLO = ChatRequest(
    (ChatMessage("system", "Be brief."), ChatMessage("user", SECRET)), model="gpt-4o-mini"
)


def collected(gateway: OpenAIGateway, request: ChatRequest = HELLO) -> list[StreamPart]:
    async def collect() -> list[StreamPart]:
        return [part async for part in gateway.stream(request)]

    return asyncio.run(collect())


def until_failure(gateway: OpenAIGateway) -> tuple[str, ModelError]:
    """The text that arrived before a stream failed, and the failure."""
    arrived: list[str] = []

    async def collect() -> None:
        async for part in gateway.stream(HELLO):
            arrived.append(part.text)

    with pytest.raises(ModelError) as failure:
        asyncio.run(collect())
    return "".join(arrived), failure.value


def test_words_arrive_as_they_are_written(server, gateway):
    server.script(Behaviour(text="Hallo 王敏, wie geht's?"))
    *words, last = collected(gateway)
    assert [part.text for part in words] == ["Hallo ", "王敏, ", "wie ", "geht's?"]
    assert all(part.usage is None for part in words)
    assert last.text == ""
    assert last.finish_reason == "stop"
    assert last.usage is not None
    assert last.usage.output_tokens > 3
    assert not last.usage.estimated


def test_the_first_word_does_not_wait_for_the_last(server, gateway):
    server.script(Behaviour(text="one two", stall_after=1))

    async def first_word() -> str:
        async with aclosing(gateway.stream(HELLO)) as parts:
            return str((await anext(parts)).text)

    assert asyncio.run(first_word()) == "one "


def test_an_endpoint_that_refuses_to_count_still_streams(server, gateway):
    server.script(Behaviour(refuses="stream_options"), Behaviour(text="Hello you"))
    last = collected(gateway)[-1]
    assert last.usage is not None
    assert last.usage.estimated
    assert last.usage.input_tokens > 5
    assert "stream_options" not in server.requests[1].body


def test_an_endpoint_that_never_counts_is_tolerated(server, gateway):
    server.script(Behaviour(text="Hello you", sends_usage=False, sends_done=False))
    last = collected(gateway)[-1]
    assert last.usage is not None
    assert last.usage.estimated


def test_a_stall_in_the_middle_is_noticed(server, gateway):
    server.script(Behaviour(text="one two three", stall_after=2))
    started = time.monotonic()
    arrived, failure = until_failure(gateway)
    assert arrived == "one two "
    assert isinstance(failure, ModelTimeout)
    assert time.monotonic() - started < 10


def test_the_first_part_may_take_longer_than_a_stall(server, gateway):
    server.script(Behaviour(text="worth waiting", stall_s=1.5))
    assert collected(gateway)[0].text == "worth "


def test_the_wait_for_the_first_part_ends_too(server, gateway):
    server.script(Behaviour(stall_s=30))
    with pytest.raises(ModelTimeout):
        collected(gateway, replace(HELLO, timeout_s=0.3))


def test_a_cut_connection_is_not_taken_for_the_end(server, gateway):
    server.script(Behaviour(text="one two three", cut_after=2))
    arrived, failure = until_failure(gateway)
    assert arrived == "one two "
    assert isinstance(failure, ModelUnavailable)


def test_an_end_without_a_reason_is_not_taken_for_the_end(server, gateway):
    server.script(Behaviour(text="one two", finish_reason=None, sends_usage=False))
    assert isinstance(until_failure(gateway)[1], ModelUnavailable)


def test_an_error_inside_the_stream_has_its_name(server, gateway):
    server.script(Behaviour(text="one", stream_error={"code": 502, "message": SECRET}))
    arrived, failure = until_failure(gateway)
    assert arrived == "one"
    assert isinstance(failure, ModelUnavailable)
    assert SECRET not in "".join(traceback.format_exception(failure))


@pytest.mark.parametrize("event", ['{"choices": [', "5", '{"choices": 5}'])
def test_a_piece_that_cannot_be_read(server, gateway, event):
    server.script(Behaviour(raw=event))
    _, failure = until_failure(gateway)
    assert isinstance(failure, ModelReplyInvalid)


def test_refusals_come_before_the_first_part(server, gateway):
    server.script(Behaviour(status=404))
    arrived, failure = until_failure(gateway)
    assert arrived == ""
    assert isinstance(failure, ModelRefused)


def test_a_reader_who_leaves_ends_the_call(server, gateway):
    server.script(Behaviour(text="word " * 3000, drip_s=0.005))

    async def read_one_and_leave() -> None:
        async with aclosing(gateway.stream(HELLO)) as parts:
            await anext(parts)
        await asyncio.sleep(0)

    asyncio.run(read_one_and_leave())
    assert server.disconnected.wait(5)


def test_streams_of_two_event_loops_do_not_meet(server, gateway):
    assert collected(gateway)[-1].usage is not None
    assert collected(gateway)[-1].usage is not None


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_neither_message_nor_traceback_quotes_the_prompt(server, gateway, status):
    server.script(*[Behaviour(status=status)] * 2)
    _, failure = until_failure(gateway)
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(failure))


def test_nobody_at_the_address(configuration):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
        lonely = OpenAIGateway(replace(configuration, base_url=address))
        assert isinstance(until_failure(lonely)[1], ModelUnavailable)
