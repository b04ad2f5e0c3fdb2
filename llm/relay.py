"""Passes requests of other programs on to the endpoint as they came, and its answers back as they
come: tools, parts, parameters that nobody here knows."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2

from llm.billing import Bill
from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
)
from llm.openai_replies import ChatAnswer, TokenCounts, read_answer, read_chunk
from llm.openai_wire import (
    OPENAI_URL,
    named_failure,
    named_status,
    reported_failure,
    time_limit,
    trust,
)
from llm.types import Usage

Json = dict[str, Any]

WHOLE_ANSWER_S = 600.0
LARGEST_ANSWER = 64 * 1024 * 1024
_THEIR_FAULT = frozenset((400, 404, 405, 409, 413, 415, 422, 429))
_WIRE_ERRORS = (httpx2.HTTPError, ssl.SSLError, OSError, ValueError)


class Declined(ModelRefused):
    """The endpoint declined a request for what is in it; `error` is what it said, in its own shape,
    for whoever sent the request and for nobody's log."""

    def __init__(self, status: int, error: Json) -> None:
        super().__init__(f"The model endpoint refused the request ({status}).", status=status)
        self.error = error


@dataclass(frozen=True, slots=True)
class Relayed:
    """A whole answer as the endpoint sent it, and what it took."""

    body: Json
    usage: Usage


@dataclass(frozen=True, slots=True)
class RelayedEvent:
    """An event of a stream: its data as the endpoint sent it, and the same read."""

    data: str
    chunk: Json


@dataclass(slots=True)
class Reading:
    """What has arrived of a streamed answer to a request: its text, and the endpoint's counts."""

    bill: Bill
    pieces: list[str] = field(default_factory=list)
    counts: TokenCounts | None = None
    finished: bool = False

    def take(self, chunk: Json) -> None:
        """Note what an event brings."""
        read = read_chunk(chunk)
        self.counts = read.usage or self.counts
        for choice in (read.choices or [])[:1]:
            self.pieces.append(choice.delta.text if choice.delta else "")
            self.finished = self.finished or bool(choice.finish_reason)

    def usage(self) -> Usage:
        """What the answer has taken so far."""
        return self.bill.usage(self.counts, "".join(self.pieces))


class Relay(Protocol):
    """The way to an endpoint for requests in its own shape. Methods raise a `ModelError`; where
    the endpoint declined what a request says, it is a `Declined` with its own words."""

    def bill(self, body: Json) -> Bill:
        """What has to be paid for a request."""
        ...

    async def complete(self, body: Json) -> Relayed:
        """The whole answer to a chat request."""
        ...

    def stream(self, body: Json) -> AsyncGenerator[RelayedEvent, None]:
        """The events of the answer up to its end. Closing the iterator ends the call."""
        ...

    async def models(self) -> list[Json]:
        """The models that the endpoint offers, as it describes them."""
        ...


class OpenAIRelay:
    """A `Relay` over HTTP. It never tries again: its callers' clients do."""

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration

    def bill(self, body: Json) -> Bill:
        """What has to be paid for a request, by the model's name at the endpoint."""
        return Bill(self._addressed(body), self._configuration.prices)

    async def complete(self, body: Json) -> Relayed:
        """The whole answer to a chat request."""
        bill = self.bill(body)
        answer = await self._whole("POST", "/chat/completions", bill.body, WHOLE_ANSWER_S)
        read = read_answer(json.dumps(answer).encode(), ChatAnswer)
        return Relayed(answer, bill.usage(read.usage, read.choices[0].message.text))

    async def stream(self, body: Json) -> AsyncGenerator[RelayedEvent, None]:
        """The events of the answer up to its end. Closing the iterator closes the connection."""
        asked = self._addressed(body) | {"stream": True}
        limit = self._configuration.first_part_timeout_s
        async with self._opened("POST", "/chat/completions", asked, limit) as response:
            events = aiter(httpx2.EventSource(response))
            while (event := await _next(events, limit)) is not None:
                limit = self._configuration.stall_timeout_s
                yield event

    async def models(self) -> list[Json]:
        """The models that the endpoint offers, as it describes them."""
        limit = self._configuration.connect_timeout_s
        listed = (await self._whole("GET", "/models", None, limit)).get("data")
        return (
            [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        )

    def _addressed(self, body: Json) -> Json:
        model = str(body.get("model") or self._configuration.chat_model)
        return {**body, "model": self._configuration.name_at_endpoint(model)}

    async def _whole(self, method: str, path: str, body: Any, limit: float) -> Json:
        try:
            async with asyncio.timeout(limit), self._opened(method, path, body, limit) as response:
                return _object(await _read(response))
        except TimeoutError:
            failure = ModelTimeout("The model endpoint did not answer in time.")
        raise failure

    @asynccontextmanager
    async def _opened(
        self, method: str, path: str, body: Any, limit: float
    ) -> AsyncIterator[httpx2.Response]:
        async with httpx2.AsyncClient(
            verify=trust(), timeout=time_limit(self._configuration, limit)
        ) as client:
            # As ASCII: a lone surrogate has no other form that can be sent.
            content = None if body is None else json.dumps(body).encode()
            request = client.build_request(
                method, f"{self._address}{path}", content=content, headers=self._headers
            )
            response = await _sent(client, request)
            try:
                if response.status_code >= 400:
                    raise await _refusal(response)
                yield response
            finally:
                await response.aclose()

    @property
    def _address(self) -> str:
        return self._configuration.base_url or OPENAI_URL

    @property
    def _headers(self) -> dict[str, str]:
        key = self._configuration.api_key
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        return {"Content-Type": "application/json", **bearer}


async def _sent(client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    try:
        return await client.send(request, stream=True)
    except _WIRE_ERRORS as error:
        failure = named_failure(error)
    raise failure


async def _read(response: httpx2.Response) -> bytes:
    body = bytearray()
    try:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > LARGEST_ANSWER:
                raise ModelReplyInvalid("The model endpoint sent more than any answer needs.")
        return bytes(body)
    except _WIRE_ERRORS as error:
        failure = named_failure(error)
    raise failure


async def _next(events: AsyncIterator[httpx2.ServerSentEvent], limit: float) -> RelayedEvent | None:
    """The next event that says something; None when the stream has said that it is done."""
    try:
        async with asyncio.timeout(limit):
            event = await anext(events, None)
    except TimeoutError:
        raise ModelTimeout("The model stalled in the middle of its reply.") from None
    except _WIRE_ERRORS as error:
        raise named_failure(error) from None
    if event is None or event.data.strip() == "[DONE]":
        return None
    chunk = _object(event.data)
    if isinstance(chunk.get("error"), dict):
        raise _reported(chunk["error"])
    return RelayedEvent(event.data, chunk)


def _reported(error: Json) -> ModelError:
    failure = reported_failure(error.get("code"))
    if isinstance(failure, ModelRefused) and failure.status:
        return Declined(failure.status, error)
    return failure


async def _refusal(response: httpx2.Response) -> ModelError:
    status = response.status_code
    if status not in _THEIR_FAULT:
        return named_status(status)
    try:
        error = _object(await _read(response)).get("error")
    except ModelError:
        error = None
    said = error if isinstance(error, dict) else {"message": str(error or "")}
    if status == 429 and said.get("code") != "insufficient_quota":
        return ModelRateLimited("The model endpoint asks to wait (429).")
    return Declined(status, said)


def _object(text: bytes | str) -> Json:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if isinstance(read, dict):
        return read
    raise ModelReplyInvalid("The model endpoint answered with something that cannot be read.")
