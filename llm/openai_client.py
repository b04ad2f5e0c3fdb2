"""The connection to an OpenAI-compatible endpoint: requests, timeouts, and failures by name.

No failure raised here quotes a prompt or names a host. Errors of the client library do, so they are
translated inside `except` and raised outside it, without a context.
"""

import asyncio
import codecs
import io
import json
import logging
import re
import ssl
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from email.utils import parsedate_to_datetime
from functools import cache
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

Body = dict[str, Any]
Request = Mapping[str, Any] | None
"""The body of a POST request; None for GET."""
Failure = Callable[[httpx2.Response, Body], ModelError]
"""Names the failure of a response, given the error object in its body."""

CHAT, EMBEDDINGS, MODELS = "/chat/completions", "/embeddings", "/models"
OPENAI_URL = "https://api.openai.com/v1"
WIRE_ERRORS = (httpx2.HTTPError, OSError, ValueError)
UNREACHABLE = "The model endpoint cannot be reached, or broke off its response."
UNREADABLE = "The model endpoint sent a response that cannot be read."
_STALLED = "The model stalled in the middle of its reply."
_BAD_CERTIFICATE = "The model endpoint has no valid certificate."
MAX_ANSWER_BYTES = 4 * 1024 * 1024
MAX_DATA_BYTES = 64 * 1024 * 1024
"""The most that a stream or an answer full of vectors may have."""
_MAX_ERROR_BYTES, _ERROR_TIMEOUT_S = 64 * 1024, 10.0
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


class Connection:
    """Fetches whole answers; shared by threads."""

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration
        transport = _PublicTransport(verify=tls_context()) if configuration.public_only else None
        self._client = httpx2.Client(**_options(configuration), transport=transport)
        weakref.finalize(self, self._client.close)

    def fetch(self, path: str, body: Request, timeout_s: float, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        """The answer to a request. Raises a ModelError.

        The timeout covers the whole answer: some endpoints send blanks to keep the connection alive.
        """
        timeout = _timeout_of(self._configuration, timeout_s)
        try:
            with self._client.stream(**_request(path, body), timeout=timeout) as response:
                if response.is_success:
                    return _read(response, timeout_s, max_bytes)
                failure = status_failure(response, _error_in(response))
        except WIRE_ERRORS as error:
            failure = translate_error(error)
        raise failure


def async_client(configuration: LlmConfiguration) -> httpx2.AsyncClient:
    """A client for one stream or answer: its connections belong to the running event loop."""
    transport = _PublicAsyncTransport(verify=tls_context()) if configuration.public_only else None
    return httpx2.AsyncClient(**_options(configuration), transport=transport)


async def open_response(
    client: httpx2.AsyncClient, path: str, body: Request, timeout_s: float, failure_of: Failure
) -> httpx2.Response:
    """A response whose headers have arrived, for the caller to close. Raises a ModelError."""
    request = client.build_request(**_request(path, body))
    try:
        async with asyncio.timeout(timeout_s):
            response = await client.send(request, stream=True)
            if response.is_success:
                return response
            async with aclosing(response):
                failure = failure_of(response, await _error_in_async(response))
    except TimeoutError:
        failure = timeout_error()
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


async def read_response(response: httpx2.Response, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """The body of an open response. Raises a ModelError."""
    body = bytearray()
    try:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > max_bytes:
                raise ModelReplyTooLong
        return bytes(body)
    except WIRE_ERRORS as error:
        failure = translate_error(error)
    raise failure


def _read(response: httpx2.Response, timeout_s: float, max_bytes: int) -> bytes:
    body, deadline = bytearray(), time.monotonic() + timeout_s
    for piece in response.iter_bytes():
        body += piece
        if time.monotonic() > deadline:
            raise timeout_error()
        if len(body) > max_bytes:
            raise ModelReplyTooLong
    return bytes(body)


def _error_in(response: httpx2.Response) -> Body:
    with suppress(ModelError, *WIRE_ERRORS):
        return _error_object(_read(response, _ERROR_TIMEOUT_S, _MAX_ERROR_BYTES))
    return {}


async def _error_in_async(response: httpx2.Response) -> Body:
    with suppress(ModelError, *WIRE_ERRORS):
        async with asyncio.timeout(_ERROR_TIMEOUT_S):
            return _error_object(await read_response(response, _MAX_ERROR_BYTES))
    return {}


def _error_object(body: bytes) -> Body:
    """The endpoint's description of an error, which some put at the top level or into one sentence."""
    parsed = parse_object(body)
    error = parsed.get("error", parsed)
    return error if isinstance(error, dict) else {"message": str(error or "")}


def parse_object(text: bytes | str) -> Body:
    """The JSON object in an answer or event. Raises ModelReplyInvalid."""
    with suppress(ValueError, RecursionError):
        if isinstance(read := json.loads(text), dict):
            return read
    raise ModelReplyInvalid(UNREADABLE)


def _options(configuration: LlmConfiguration) -> dict[str, Any]:
    key = configuration.api_key
    return {
        "base_url": configuration.base_url or OPENAI_URL,
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
        "timeout": _timeout_of(configuration, None),
        "verify": tls_context(),
        "follow_redirects": True,
    }


def _timeout_of(configuration: LlmConfiguration, seconds: float | None) -> httpx2.Timeout:
    """The timeout of each wait on the socket, with the shorter one for connecting."""
    return httpx2.Timeout(seconds, connect=configuration.connect_timeout_s)


def _request(path: str, body: Request) -> Mapping[str, Any]:
    if body is None:
        return {"method": "GET", "url": path}
    # ASCII, because a lone surrogate cannot be sent in any other form.
    content, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    return {"method": "POST", "url": path, "content": content, "headers": headers}


@cache
def tls_context() -> ssl.SSLContext:
    """The trusted certificates; loaded once because that takes time."""
    return ssl.create_default_context()


class _PublicTransport(httpx2.HTTPTransport):
    """Connects only to public addresses."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        _pin_address(request)
        return super().handle_request(request)


class _PublicAsyncTransport(httpx2.AsyncHTTPTransport):
    """Connects only to public addresses."""

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


def translate_error(error: Exception) -> ModelError:
    """The ModelError that an error of the client library amounts to."""
    if isinstance(error, httpx2.TimeoutException):
        return timeout_error()
    if isinstance(error, httpx2.HTTPError | OSError):
        return ModelUnavailable(_BAD_CERTIFICATE if is_tls_error(error) else UNREACHABLE)
    return ModelReplyInvalid(UNREADABLE)


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


def status_failure(response: httpx2.Response, error: Body) -> ModelError:
    """The failure that a status means, given the endpoint's error object."""
    status = response.status_code
    if status == 429:
        return _rate_limit(response, error)
    if status >= 500 or status in {409, 425}:
        return ModelUnavailable(f"The model endpoint failed ({status}).")
    if status == 408:
        return timeout_error()
    if status in {400, 422} and _exceeds_window(error):
        return ModelRefused(f"The request is longer than the model can read at once ({status}).", status=413)
    words = _STATUS_MESSAGES.get(status, "The model endpoint rejected the request")
    return ModelRefused(f"{words} ({status}).", status=status, option=_refused_option(error))


def timeout_error() -> ModelTimeout:
    """The error for an endpoint that did not respond in time."""
    return ModelTimeout("The model endpoint did not respond in time.")


def has_no_credit(error: Body) -> bool:
    """Whether waiting is pointless, although the status is 429."""
    return error.get("code") == "insufficient_quota"


def _rate_limit(response: httpx2.Response, error: Body) -> ModelRateLimited:
    """The error of an endpoint that asks to wait, with how long, up to a day."""
    if has_no_credit(error):
        return ModelRateLimited("The account at the model endpoint has no credit (429).", permanent=True)
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


def _exceeds_window(error: Body) -> bool:
    message = str(error.get("message"))[:_MAX_SENTENCE_LENGTH]  # it may quote the prompt
    words = f"{error.get('code')} {message}".casefold()
    too_long = "too long" in words and any(each in words for each in _WHAT_IS_READ)
    return too_long or any(each in words for each in _WINDOW_WORDS)


def _refused_option(error: Body) -> str:
    """The field that the endpoint names, if it is one that matters here, or an option that it mentions."""
    field = re.split(r"[.\[]", str(error.get("param")))[0]
    if field in OPTIONS or field == "messages" or field.startswith("tool"):
        return field
    return next((option for option in OPTIONS if option in str(error)), "")


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
        if arrived > MAX_DATA_BYTES:
            raise ModelReplyTooLong
        for start in range(0, len(piece), _SLICE_BYTES):
            yield piece[start : start + _SLICE_BYTES]
            await asyncio.sleep(0)
