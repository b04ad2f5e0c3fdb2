"""The HTTP connection to an OpenAI-compatible endpoint: clients, limits of size and time, failures by name.

The endpoint decides what it sends, for how long and how fast. No failure raised here quotes a prompt or names
a host. Errors of the HTTP library do, so they are translated inside `except` and raised outside it, without a
context.
"""

import asyncio
import codecs
import io
import json
import logging
import ssl
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import takewhile
from typing import Any

import httpx2

from llm.addresses import AddressRefused, resolve
from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelReplyTooLong,
    ModelTimeout,
    ModelUnavailable,
)

logging.getLogger("httpx2").setLevel(logging.WARNING)  # it names hosts

Json = dict[str, Any]

OPENAI_URL = "https://api.openai.com/v1"
WIRE_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError)
UNREACHABLE = "The model endpoint cannot be reached, or broke off its response."
MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_DATA_BYTES = 64 * 1024 * 1024
"""The most that a stream or an answer full of vectors may have."""
MAX_EVENT_LENGTH = 1024 * 1024
_SLICE_BYTES = 64 * 1024
_MAX_ERROR_BODY_BYTES, _ERROR_BODY_TIMEOUT_S = 64 * 1024, 10.0
_BAD_CERTIFICATE = "The model endpoint has no valid certificate."
_UNREADABLE = "The model endpoint sent a response that cannot be read."
_NO_ANSWER = "The model endpoint did not respond in time."
_STALLED = "The model stalled in the middle of its reply."
_ENDLESS = "The model took too long to reply."
_OPTIONS = ("response_format", "stream_options", "max_tokens", "temperature")
_STATUS_MESSAGES = {
    401: "The model endpoint does not accept the key",
    402: "The account at the model endpoint has no credit",
    403: "The key may not use this model",
    404: "The model endpoint does not know the model or the URL",
    413: "The request is too large for the model endpoint",
}


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a stream: its data as the endpoint sent it, and the same parsed."""

    data: str
    chunk: Json


def sync_client(configuration: LlmConfiguration, owner: object) -> httpx2.Client:
    """A client for whole answers, shared by threads and closed together with its owner."""
    client = httpx2.Client(
        base_url=configuration.base_url or OPENAI_URL,
        headers=_headers(configuration),
        timeout=_timeout_of(configuration, configuration.reply_timeout_s),
        verify=tls_context(),
        transport=_PublicTransport(verify=tls_context()) if configuration.public_only else None,
        event_hooks={"response": [_truncate_error_body]},
        follow_redirects=True,
    )
    weakref.finalize(owner, client.close)
    return client


def fetch(
    client: httpx2.Client, path: str, body: Json | None, timeout_s: float, max_bytes: int = MAX_ANSWER_BYTES
) -> bytes:
    """The bytes of a whole answer to a GET, or to a POST of a body. Raises a ModelError.

    The timeout covers the whole answer: some endpoints send blanks to keep the connection alive.
    """
    deadline = time.monotonic() + timeout_s
    timeout = httpx2.Timeout(timeout_s, connect=client.timeout.connect)
    try:
        with client.stream(*_request(path, body), content=_encoded(body), timeout=timeout) as response:
            answer = bytearray()
            for piece in response.iter_bytes():
                answer += piece
                if time.monotonic() > deadline:
                    raise ModelTimeout(_NO_ANSWER)
                _check_size(len(answer), max_bytes)
            if not response.is_success:
                raise _status_failure(response, bytes(answer))
            return bytes(answer)
    except WIRE_ERRORS as error:
        failure = _translated(error)
    raise failure


@asynccontextmanager
async def open_response(
    configuration: LlmConfiguration, path: str, body: Json | None, limit_s: float
) -> AsyncIterator[httpx2.Response]:
    """The response to a GET, or to a POST of a body, once its headers have arrived within the limit.

    Raises a ModelError.
    """
    async with httpx2.AsyncClient(
        base_url=configuration.base_url or OPENAI_URL,
        headers=_headers(configuration),
        timeout=_timeout_of(configuration, None),
        verify=tls_context(),
        transport=_PublicAsyncTransport(verify=tls_context()) if configuration.public_only else None,
        event_hooks={"response": [_truncate_error_body_async]},
        follow_redirects=True,
    ) as client:
        response = await _accepted(
            client, client.build_request(*_request(path, body), content=_encoded(body)), limit_s
        )
        try:
            yield response
        finally:
            await response.aclose()


async def _accepted(client: httpx2.AsyncClient, request: httpx2.Request, limit_s: float) -> httpx2.Response:
    try:
        async with asyncio.timeout(limit_s):
            response = await client.send(request, stream=True)
            if response.is_success:
                return response
            failure = _status_failure(response, await response.aread())
    except TimeoutError:
        failure = ModelTimeout(_NO_ANSWER)
    except WIRE_ERRORS as error:
        failure = _translated(error)
    raise failure


async def read_response(response: httpx2.Response) -> bytes:
    """The bytes of a whole answer. Raises a ModelError."""
    answer = bytearray()
    try:
        async for piece in response.aiter_bytes():
            answer += piece
            _check_size(len(answer), MAX_ANSWER_BYTES)
        return bytes(answer)
    except WIRE_ERRORS as error:
        failure = _translated(error)
    raise failure


async def stream_events(
    response: httpx2.Response, configuration: LlmConfiguration, first_s: float
) -> AsyncGenerator[StreamEvent, None]:
    """The server-sent events of a streamed reply until the endpoint ends it. The first has to arrive within
    `first_s` seconds. Raises a ModelError.

    Other tasks of the event loop get their turn between two events or slices of the stream.
    """
    deadline, limit = time.monotonic() + configuration.stream_timeout_s, first_s
    async with aclosing(_events(response)) as events:
        while (data := await _next(events, limit, deadline)) is not None and data.strip() != "[DONE]":
            limit = configuration.stall_timeout_s
            chunk = parse_object(data)
            if error := chunk.get("error"):
                raise reported_failure(error)
            yield StreamEvent(data, chunk)
            await asyncio.sleep(0)


def parse_object(text: bytes | str) -> Json:
    """The JSON object in an answer or event. Raises ModelReplyInvalid."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict):
        return read
    raise ModelReplyInvalid(_UNREADABLE)


def reported_failure(error: object) -> ModelError:
    """The failure for an error object inside a response with status 200."""
    details = error if isinstance(error, dict) else {}
    code = details.get("code")
    status = int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
    if status == 429:
        return ModelRateLimited("The model endpoint asks to wait (429).")
    if 400 <= status < 500:
        words = f"The model endpoint rejected the request ({status})."
        return ModelRefused(words, status=status, error=details)
    return ModelUnavailable("The model endpoint reported an error of its own.")


def _headers(configuration: LlmConfiguration) -> dict[str, str]:
    key = configuration.api_key
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    return {"Content-Type": "application/json", **bearer}


def _request(path: str, body: Json | None) -> tuple[str, str]:
    return ("GET" if body is None else "POST"), path


def _encoded(body: Json | None) -> bytes | None:
    """A body in ASCII, because a lone surrogate cannot be sent in any other form."""
    return None if body is None else json.dumps(body).encode()


class _PublicTransport(httpx2.HTTPTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        _pin_address(request)
        return super().handle_request(request)


class _PublicAsyncTransport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await asyncio.to_thread(_pin_address, request)
        return await super().handle_async_request(request)


def _pin_address(request: httpx2.Request) -> None:
    """Connect to the address that was validated, whatever DNS says next, and after a redirect too."""
    try:
        target = resolve(str(request.url), private=False)
    except AddressRefused as refusal:
        raise httpx2.ConnectError(str(refusal)) from None
    request.extensions = {**request.extensions, "sni_hostname": target.host}
    request.url = request.url.copy_with(host=target.ip)


def _truncate_error_body(response: httpx2.Response) -> None:
    """Truncate the body of an error response, which would otherwise be read in full."""
    if not response.is_success:
        response.stream = _TruncatedBody(response.stream)


async def _truncate_error_body_async(response: httpx2.Response) -> None:
    _truncate_error_body(response)


class _TruncatedBody(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The beginning of a body, within limits on size and time."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._left = _MAX_ERROR_BODY_BYTES
        self._until = time.monotonic() + _ERROR_BODY_TIMEOUT_S

    def __iter__(self) -> Iterator[bytes]:
        yield from takewhile(self._fits, self._body)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            if not self._fits(piece):
                return
            yield piece

    def _fits(self, piece: bytes) -> bool:
        self._left -= len(piece)
        return self._left >= 0 and time.monotonic() < self._until

    def close(self) -> None:
        self._body.close()

    async def aclose(self) -> None:
        await self._body.aclose()


@cache
def tls_context() -> ssl.SSLContext:
    """The trusted certificates; loaded once because that takes time."""
    return ssl.create_default_context()


def _timeout_of(configuration: LlmConfiguration, seconds: float | None) -> httpx2.Timeout:
    """The timeout of each wait on the socket, with the shorter one for connecting."""
    return httpx2.Timeout(seconds, connect=configuration.connect_timeout_s)


def _check_size(arrived: int, max_bytes: int) -> None:
    if arrived > max_bytes:
        raise ModelReplyTooLong


def _translated(error: Exception) -> ModelError:
    """The ModelError that an error of the HTTP library amounts to."""
    if isinstance(error, httpx2.TimeoutException):
        return ModelTimeout(_NO_ANSWER)
    if isinstance(error, httpx2.HTTPError | httpx2.InvalidURL | OSError):
        return ModelUnavailable(_BAD_CERTIFICATE if is_tls_error(error) else UNREACHABLE)
    return ModelReplyInvalid(_UNREADABLE)


def is_tls_error(error: BaseException | None) -> bool:
    """Whether an error is due to a certificate or to TLS itself."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def _status_failure(response: httpx2.Response, content: bytes) -> ModelError:
    """The failure for an HTTP status other than success."""
    status, error = response.status_code, _reported_error(content)
    if status == 429 and error.get("code") == "insufficient_quota":
        return ModelRateLimited("The account at the model endpoint has no credit (429).", permanent=True)
    if status == 429:
        retry_after = _retry_after(response.headers.get("retry-after", ""))
        return ModelRateLimited("The model endpoint asks to wait (429).", retry_after=retry_after)
    if status >= 500 or status in {409, 425}:
        return ModelUnavailable(f"The model endpoint failed ({status}).")
    if status == 408:
        return ModelTimeout(_NO_ANSWER)
    words = _STATUS_MESSAGES.get(status, "The model endpoint rejected the request")
    option = _refused_option(error, content.decode("utf-8", "replace"))
    return ModelRefused(f"{words} ({status}).", status=status, option=option, error=error)


def _reported_error(content: bytes) -> Mapping[str, Any]:
    try:
        error = parse_object(content).get("error")
    except ModelReplyInvalid:
        error = None
    return error if isinstance(error, dict) else {"message": str(error or "")}


def _retry_after(value: str) -> float | None:
    try:
        if value.strip().isdecimal():
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _refused_option(error: Mapping[str, Any], text: str) -> str:
    if error.get("param") in _OPTIONS:
        return str(error["param"])
    return next((option for option in _OPTIONS if option in text), "")


async def _next(events: AsyncGenerator[str, None], limit: float, deadline: float) -> str | None:
    try:
        async with asyncio.timeout(min(limit, deadline - time.monotonic())):
            return await anext(events, None)
    except TimeoutError:
        failure: ModelError = ModelTimeout(_STALLED if time.monotonic() < deadline else _ENDLESS)
    except WIRE_ERRORS as error:
        failure = _translated(error)
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
        _check_size(arrived, MAX_DATA_BYTES)
        for start in range(0, len(piece), _SLICE_BYTES):
            yield piece[start : start + _SLICE_BYTES]
            await asyncio.sleep(0)
