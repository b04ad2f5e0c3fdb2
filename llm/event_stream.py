"""Reads the server-sent events of a streamed reply within limits of size and time.

The endpoint decides what it sends, for how long and how fast. Other tasks of the event loop get their turn
between two events or slices of the stream.
"""

import asyncio
import codecs
import io
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelReplyTooLong
from llm.openai_client import (
    MAX_DATA_BYTES,
    WIRE_ERRORS,
    check_size,
    stall_error,
    stream_timeout_error,
    translate_error,
)

MAX_EVENT_LENGTH = 1024 * 1024
_SLICE_BYTES = 64 * 1024


async def event_data(
    response: httpx2.Response, configuration: LlmConfiguration, first_s: float
) -> AsyncGenerator[str, None]:
    """The data of each event until the endpoint ends the stream. The first has to arrive within `first_s`
    seconds. Raises a ModelError."""
    deadline, limit = time.monotonic() + configuration.stream_timeout_s, first_s
    async with aclosing(_events(response)) as events:
        while (data := await _next(events, limit, deadline)) is not None and data.strip() != "[DONE]":
            limit = configuration.stall_timeout_s
            yield data
            await asyncio.sleep(0)


async def _next(events: AsyncGenerator[str, None], limit: float, deadline: float) -> str | None:
    try:
        async with asyncio.timeout(min(limit, deadline - time.monotonic())):
            return await anext(events, None)
    except TimeoutError:
        failure: ModelError = stall_error() if time.monotonic() < deadline else stream_timeout_error()
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


async def _events(response: httpx2.Response) -> AsyncGenerator[str, None]:
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
    line: list[str] = []
    data: list[str] = []
    length = 0
    async for piece in _slices(response):
        text = decoder.decode(piece)
        length += len(text)
        rest, *others = text.split("\n")
        for following in others:
            whole = "".join((*line, rest))
            line, rest = [], following
            if whole.startswith("data:"):
                data.append(whole.removeprefix("data:").removeprefix(" "))
            elif not whole and data:
                yield "\n".join(data)
                data, length = [], 0
        line.append(rest)
        if length > MAX_EVENT_LENGTH:
            raise ModelReplyTooLong


async def _slices(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    arrived = 0
    async for piece in response.aiter_bytes():
        arrived += len(piece)
        check_size(arrived, MAX_DATA_BYTES)
        for start in range(0, len(piece), _SLICE_BYTES):
            yield piece[start : start + _SLICE_BYTES]
            await asyncio.sleep(0)
