"""Forwards requests of OpenAI clients to the endpoint unchanged, and its answers back: tools, message parts
and parameters pass through as they are."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import httpx2

from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelRefused, ModelReplyInvalid
from llm.metering import Bill
from llm.openai_client import (
    CHAT,
    MODELS,
    Body,
    Request,
    async_client,
    event_data,
    has_no_credit,
    open_response,
    parse_object,
    read_response,
    reported_failure,
    status_failure,
    timeout_error,
)
from llm.openai_format import read_reply
from llm.types import Usage

COMPLETION_TIMEOUT_S = 600.0
_CLIENT_ERRORS = frozenset((400, 404, 405, 409, 413, 415, 422, 429))


class RequestRejected(ModelRefused):
    """The endpoint declined the contents of a request; `error` is its own error object, for the client
    that sent the request and never for a log."""

    def __init__(self, status: int, error: Body) -> None:
        super().__init__(f"The model endpoint rejected the request ({status}).", status=status)
        self.error = error


@dataclass(frozen=True, slots=True)
class Relayed:
    """A whole answer as the endpoint sent it, and its usage."""

    body: Body
    usage: Usage


@dataclass(frozen=True, slots=True)
class RelayedEvent:
    """An event of a stream: its data as the endpoint sent it, and the same parsed."""

    data: str
    chunk: Body


class Relay:
    """Sends requests in the endpoint's own format. Never retries; the clients do.

    Methods raise a `ModelError`; if the request is at fault, a `RequestRejected` with the endpoint's error.
    """

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration

    def bill(self, body: Body) -> Bill:
        """The meter of a request, under the model's name at the endpoint."""
        return Bill(self._with_endpoint_name(body), self._configuration.prices)

    async def complete(self, body: Body) -> Relayed:
        """The whole answer to a chat request, within the limits of `read_reply`."""
        bill = self.bill(body)
        try:
            answer = await self._fetch(CHAT, bill.body, COMPLETION_TIMEOUT_S)
            _, usage = read_reply(answer, bill)
            return Relayed(parse_object(answer), usage)
        except ModelReplyInvalid as failure:
            failure.spent = failure.spent or bill.usage(None, "")
            raise

    async def stream(self, body: Body) -> AsyncGenerator[RelayedEvent, None]:
        """The events of the answer. Closing the iterator closes the connection."""
        streamed = self._with_endpoint_name(body) | {"stream": True}
        limit = self._configuration.first_part_timeout_s
        async with (
            async_client(self._configuration) as client,
            aclosing(await open_response(client, CHAT, streamed, limit, _failure_of)) as response,
            aclosing(event_data(response, self._configuration, limit)) as events,
        ):
            async for data in events:
                chunk = parse_object(data)
                if isinstance(chunk.get("error"), dict):
                    raise _error_in_stream(chunk["error"])
                yield RelayedEvent(data, chunk)

    async def models(self) -> list[Body]:
        """The endpoint's models, as it describes them."""
        limit = self._configuration.connect_timeout_s
        listed = parse_object(await self._fetch(MODELS, None, limit)).get("data")
        return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []

    def _with_endpoint_name(self, body: Body) -> Body:
        model = str(body.get("model") or self._configuration.chat_model)
        return {**body, "model": self._configuration.name_at_endpoint(model)}

    async def _fetch(self, path: str, body: Request, limit: float) -> bytes:
        try:
            async with (
                asyncio.timeout(limit),
                async_client(self._configuration) as client,
                aclosing(await open_response(client, path, body, limit, _failure_of)) as response,
            ):
                return await read_response(response)
        except TimeoutError:
            failure = timeout_error()
        raise failure


def _error_in_stream(error: Body) -> ModelError:
    failure = reported_failure(error.get("code"))
    failure.reason_given = str(error.get("message") or "")
    if isinstance(failure, ModelRefused) and failure.status:
        return RequestRejected(failure.status, error)
    return failure


def _failure_of(response: httpx2.Response, error: Body) -> ModelError:
    status = response.status_code
    if status not in _CLIENT_ERRORS or (status == 429 and not has_no_credit(error)):
        return status_failure(response, error)
    return RequestRejected(status, error)
