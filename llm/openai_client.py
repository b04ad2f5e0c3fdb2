"""The connection to an OpenAI-compatible endpoint: clients, timeouts, and failures by name.

No failure raised here quotes a prompt or names a host. Errors of the client library do, so they are
translated inside `except` and raised outside it, without a context.
"""

import asyncio
import codecs
import io
import logging
import re
import ssl
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AbstractContextManager, aclosing
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import takewhile
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk

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

logging.getLogger("openai").setLevel(logging.WARNING)  # at DEBUG it logs whole prompts
logging.getLogger("httpx2").setLevel(logging.WARNING)  # it names hosts

ChunkStream = openai.AsyncStream[ChatCompletionChunk]
OpenResponse = AbstractContextManager[openai.APIResponse[Any]]

OPENAI_URL = "https://api.openai.com/v1"
WIRE_ERRORS = (openai.OpenAIError, httpx2.HTTPError, OSError, ValueError)
UNREACHABLE = "The model endpoint cannot be reached, or broke off its response."
_STALLED = "The model stalled in the middle of its reply."
_BAD_CERTIFICATE = "The model endpoint has no valid certificate."
MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_DATA_BYTES = 64 * 1024 * 1024
"""The most that a stream or an answer full of vectors may have."""
_MAX_ERROR_BODY_BYTES, _ERROR_BODY_TIMEOUT_S = 64 * 1024, 10.0
_MAX_RETRY_AFTER_S = 24 * 60 * 60.0
OPTIONS = ("response_format", "stream_options", "max_tokens", "temperature")
_MAX_SENTENCE_LENGTH = 200
_WINDOW_WORDS = ("context length", "context_length", "context window", "context size", "token count")
_WHAT_IS_READ = ("context", "prompt", "token", "input is")
_STATUS_MESSAGES = {
    401: "The model endpoint does not accept the key",
    402: "The account at the model endpoint has no credit",
    403: "The key may not use this model",
    404: "The model endpoint does not know the model or the URL",
    413: "The request is too large for the model endpoint",
}


def sync_client(configuration: LlmConfiguration, owner: object) -> openai.OpenAI:
    """A client for whole answers, shared by threads and closed together with its owner."""
    transport = _PublicTransport(verify=tls_context()) if configuration.public_only else None
    hooks = {"response": [_truncate_error_body]}
    http_client = openai.DefaultHttpxClient(verify=tls_context(), transport=transport, event_hooks=hooks)
    client = openai.OpenAI(**_credentials(configuration), http_client=http_client)
    weakref.finalize(owner, client.close)
    return client


def async_client(configuration: LlmConfiguration) -> openai.AsyncOpenAI:
    """A client for one stream."""
    return openai.AsyncOpenAI(**_credentials(configuration), http_client=http_client(configuration))


def http_client(configuration: LlmConfiguration) -> httpx2.AsyncClient:
    """A client for one exchange of any format: its connections belong to the running event loop."""
    transport = _PublicAsyncTransport(verify=tls_context()) if configuration.public_only else None
    hooks = {"response": [_truncate_async]}
    return openai.DefaultAsyncHttpxClient(verify=tls_context(), transport=transport, event_hooks=hooks)


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


async def _truncate_async(response: httpx2.Response) -> None:
    _truncate_error_body(response)


def _truncate_error_body(response: httpx2.Response) -> None:
    """Truncate the body of an error response, which clients would otherwise read in full."""
    if not response.is_success:
        response.stream = _TruncatedBody(response.stream)


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


def _credentials(configuration: LlmConfiguration) -> dict[str, Any]:
    return {
        "base_url": configuration.base_url or OPENAI_URL,
        "api_key": configuration.api_key or "none",  # the client insists on one
        "max_retries": 0,
        "timeout": timeout_of(configuration, configuration.reply_timeout_s),
    }


@cache
def tls_context() -> ssl.SSLContext:
    """The trusted certificates; loaded once because that takes time."""
    return ssl.create_default_context()


def timeout_of(configuration: LlmConfiguration, seconds: float | None) -> httpx2.Timeout:
    """The timeout of each wait on the socket, with the shorter one for connecting."""
    return httpx2.Timeout(seconds, connect=configuration.connect_timeout_s)


def read_body(opening: OpenResponse, timeout_s: float, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """The bytes of a whole answer. Raises a ModelError.

    The timeout covers the whole answer: some endpoints send blanks to keep the connection alive.
    """
    try:
        with opening as response:
            return _read(response, time.monotonic() + timeout_s, max_bytes)
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


def _read(response: openai.APIResponse[Any], deadline: float, max_bytes: int) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if time.monotonic() > deadline:
            raise timeout_error()
        check_size(len(body), max_bytes)
    return bytes(body)


def check_size(arrived: int, max_bytes: int) -> None:
    """Raise ModelReplyTooLong if more bytes arrived than that."""
    if arrived > max_bytes:
        raise ModelReplyTooLong


async def open_stream(client: openai.AsyncOpenAI, body: dict[str, Any], timeout_s: float) -> ChunkStream:
    """A stream whose headers have arrived. Raises a ModelError."""
    try:
        async with asyncio.timeout(timeout_s):
            stream: ChunkStream = await client.chat.completions.create(**body, stream=True)
            return stream
    except TimeoutError:
        failure: ModelError = timeout_error()
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


def translate_error(error: Exception) -> ModelError:
    """The ModelError that an error of the client library amounts to."""
    if isinstance(error, openai.APIStatusError):
        return _rate_limit(error) if error.status_code == 429 else status_failure(error.status_code, error)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return timeout_error()
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | OSError):
        return ModelUnavailable(_BAD_CERTIFICATE if is_tls_error(error) else UNREACHABLE)
    if isinstance(error, openai.APIError):
        return reported_failure(error.code)
    return ModelReplyInvalid("The model endpoint sent a response that cannot be read.")


def is_tls_error(error: BaseException | None) -> bool:
    """Whether an error is due to a certificate or to TLS itself."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def reported_failure(code: object) -> ModelError:
    """The failure for an error code inside a response with status 200."""
    status = int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
    if status == 429:
        return ModelRateLimited("The model endpoint asks to wait (429).")
    if 400 <= status < 500:
        return ModelRefused(f"The model endpoint rejected the request ({status}).", status=status)
    return ModelUnavailable("The model endpoint reported an error of its own.")


def status_failure(status: int, error: openai.APIStatusError | None = None) -> ModelError:
    """The failure for an HTTP status other than 429."""
    if status >= 500 or status in {409, 425}:
        return ModelUnavailable(f"The model endpoint failed ({status}).")
    if status == 408:
        return timeout_error()
    if error is not None and status in {400, 422} and _exceeds_window(error):
        return ModelRefused(f"The request is longer than the model can read at once ({status}).", status=413)
    words = _STATUS_MESSAGES.get(status, "The model endpoint rejected the request")
    return ModelRefused(f"{words} ({status}).", status=status, option=_refused_option(error))


def timeout_error() -> ModelTimeout:
    """The error for an endpoint that did not respond in time."""
    return ModelTimeout("The model endpoint did not respond in time.")


def _rate_limit(error: openai.APIStatusError) -> ModelRateLimited:
    if error.code == "insufficient_quota":
        return ModelRateLimited("The account at the model endpoint has no credit (429).", permanent=True)
    return busy_error(error.response)


def busy_error(response: httpx2.Response) -> ModelRateLimited:
    """The error for an endpoint that asks to wait, with how long, up to a day."""
    retry_after = _retry_after(response.headers.get("retry-after", ""))
    return ModelRateLimited("The model endpoint asks to wait (429).", retry_after=retry_after)


def _retry_after(value: str) -> float | None:
    try:
        if value.strip().isdecimal():
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), _MAX_RETRY_AFTER_S)


def _exceeds_window(error: openai.APIStatusError) -> bool:
    message = error.body.get("message") if isinstance(error.body, dict) else ""
    words = f"{error.code} {str(message)[:_MAX_SENTENCE_LENGTH]}".casefold()  # it may quote the prompt
    too_long = "too long" in words and any(each in words for each in _WHAT_IS_READ)
    return too_long or any(each in words for each in _WINDOW_WORDS)


def _refused_option(error: openai.APIStatusError | None) -> str:
    """The field that the endpoint names, if it is one that matters here, or an option that its message
    mentions."""
    if error is None:
        return ""
    field = re.split(r"[.\[]", str(error.param))[0]
    if field in OPTIONS or field == "messages" or field.startswith("tool"):
        return field
    return next((option for option in OPTIONS if option in error.message), "")


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
        stalled = time.monotonic() < deadline
        failure: ModelError = ModelTimeout(_STALLED if stalled else "The model took too long to reply.")
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
