"""Forwards requests of OpenAI clients to the endpoint unchanged, and its answers back: tools, message parts
and parameters pass through as they are."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelRefused, ModelReplyInvalid
from llm.metering import Bill
from llm.openai_client import (
    MAX_ANSWER_BYTES,
    OPENAI_URL,
    WIRE_ERRORS,
    busy_error,
    check_size,
    event_data,
    http_client,
    reported_failure,
    status_failure,
    timeout_error,
    timeout_of,
    translate_error,
)
from llm.openai_format import parse_object, read_reply
from llm.types import Usage

Json = dict[str, Any]

COMPLETION_TIMEOUT_S = 600.0
_CLIENT_ERRORS = frozenset((400, 404, 405, 409, 413, 415, 422, 429))


class RequestRejected(ModelRefused):
    """The endpoint declined the contents of a request; `error` is its own error object, for the client
    that sent the request and never for a log."""

    def __init__(self, status: int, error: Json) -> None:
        super().__init__(f"The model endpoint rejected the request ({status}).", status=status)
        self.error = error


@dataclass(frozen=True, slots=True)
class RelayedEvent:
    """An event of a stream: its data as the endpoint sent it, and the same parsed."""

    data: str
    chunk: Json


class Relay:
    """Sends requests in the endpoint's own format. Never retries; the clients do.

    Methods raise a `ModelError`; if the request is at fault, a `RequestRejected` with the endpoint's error.
    """

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration

    def bill(self, body: Json) -> Bill:
        """The meter of a request, under the model's name at the endpoint."""
        return Bill(self._with_endpoint_name(body), self._configuration.prices)

    async def complete(self, body: Json) -> tuple[Json, Usage]:
        """The whole answer to a chat request, valid and within the limits of `read_reply`, and its usage."""
        bill = self.bill(body)
        try:
            answer = await self._fetch("POST", "/chat/completions", bill.body, COMPLETION_TIMEOUT_S)
            _, usage = read_reply(answer, bill)
            return parse_object(answer), usage
        except ModelReplyInvalid as failure:
            failure.spent = failure.spent or bill.usage(None, "")
            raise

    async def stream(self, body: Json) -> AsyncGenerator[RelayedEvent, None]:
        """The events of the answer. Closing the iterator closes the connection."""
        streamed = self._with_endpoint_name(body) | {"stream": True}
        limit = self._configuration.first_part_timeout_s
        async with (
            self._open("POST", "/chat/completions", streamed, limit) as response,
            aclosing(event_data(response, self._configuration, limit)) as events,
        ):
            async for data in events:
                chunk = parse_object(data)
                if isinstance(chunk.get("error"), dict):
                    raise _error_in_stream(chunk["error"])
                yield RelayedEvent(data, chunk)

    async def models(self) -> list[Json]:
        """The endpoint's models, as it describes them."""
        limit = self._configuration.connect_timeout_s
        listed = parse_object(await self._fetch("GET", "/models", None, limit)).get("data")
        return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []

    def _with_endpoint_name(self, body: Json) -> Json:
        model = str(body.get("model") or self._configuration.chat_model)
        return {**body, "model": self._configuration.name_at_endpoint(model)}

    async def _fetch(self, method: str, path: str, body: Any, limit: float) -> bytes:
        try:
            async with asyncio.timeout(limit), self._open(method, path, body, limit) as response:
                return await _read(response)
        except TimeoutError:
            failure = timeout_error()
        raise failure

    @asynccontextmanager
    async def _open(self, method: str, path: str, body: Any, limit: float) -> AsyncIterator[httpx2.Response]:
        async with http_client(self._configuration) as client:
            # ASCII, because a lone surrogate cannot be sent in any other form.
            content = None if body is None else json.dumps(body).encode()
            url = f"{self._configuration.base_url or OPENAI_URL}{path}"
            key = self._configuration.api_key
            bearer = {"Authorization": f"Bearer {key}"} if key else {}
            headers = {"Content-Type": "application/json", **bearer}
            timeout = timeout_of(self._configuration, limit)
            request = client.build_request(method, url, content=content, headers=headers, timeout=timeout)
            response = await _send(client, request)
            try:
                if response.status_code >= 400:
                    raise await _error_of(response)
                yield response
            finally:
                await response.aclose()


async def _send(client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
    try:
        return await client.send(request, stream=True, follow_redirects=False)
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


async def _read(response: httpx2.Response) -> bytes:
    body = bytearray()
    try:
        async for piece in response.aiter_bytes():
            body += piece
            check_size(len(body), MAX_ANSWER_BYTES)
        return bytes(body)
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


def _error_in_stream(error: Json) -> ModelError:
    failure = reported_failure(error.get("code"))
    failure.reason_given = str(error.get("message") or "")
    if isinstance(failure, ModelRefused) and failure.status:
        return RequestRejected(failure.status, error)
    return failure


async def _error_of(response: httpx2.Response) -> ModelError:
    status = response.status_code
    if status not in _CLIENT_ERRORS:
        return status_failure(status)
    try:
        error = parse_object(await _read(response)).get("error")
    except ModelError:
        error = None
    details = error if isinstance(error, dict) else {"message": str(error or "")}
    if status == 429 and details.get("code") != "insufficient_quota":
        return busy_error(response)
    return RequestRejected(status, details)
