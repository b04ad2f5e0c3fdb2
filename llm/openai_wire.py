"""The wire to an OpenAI-compatible endpoint: clients, answers in time, failures by name."""

import asyncio
import logging
import ssl
import time
import weakref
from contextlib import AbstractContextManager
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk

from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)

# At DEBUG the client logs whole prompts.
logging.getLogger("openai").setLevel(logging.WARNING)
logging.getLogger("httpx2").setLevel(logging.WARNING)  # it names hosts

ChunkStream = openai.AsyncStream[ChatCompletionChunk]
OpenResponse = AbstractContextManager[openai.APIResponse[Any]]

OPTIONS = ("response_format", "stream_options", "max_tokens", "temperature")
OPENAI_URL = "https://api.openai.com/v1"
_LARGEST_ANSWER = 64 * 1024 * 1024
_WIRE_ERRORS = (openai.OpenAIError, httpx2.HTTPError, ssl.SSLError, ValueError)


def sync_client(configuration: LlmConfiguration, owner: object) -> openai.OpenAI:
    """A client for whole answers, to be shared by threads; it is closed when its owner goes."""
    client = openai.OpenAI(
        **_credentials(configuration), http_client=openai.DefaultHttpxClient(verify=trust())
    )
    weakref.finalize(owner, client.close)
    return client


def async_client(configuration: LlmConfiguration) -> openai.AsyncOpenAI:
    """A client for one stream: its connections belong to the running event loop."""
    return openai.AsyncOpenAI(
        **_credentials(configuration), http_client=openai.DefaultAsyncHttpxClient(verify=trust())
    )


def time_limit(configuration: LlmConfiguration, seconds: float | None) -> httpx2.Timeout:
    """A limit for each wait on the socket, with the shorter one for connecting."""
    return httpx2.Timeout(seconds, connect=configuration.connect_timeout_s)


def answer_body(opening: OpenResponse, timeout_s: float) -> bytes:
    """The bytes of a whole answer, or a ModelError by name.

    The limit holds for the answer as a whole: some endpoints send blanks to keep the line alive.
    """
    try:
        with opening as response:
            return _read(response, time.monotonic() + timeout_s)
    except _WIRE_ERRORS as error:
        failure = named_failure(error)
    # Raised out here so that the error of the client, which quotes the prompt, does not travel on.
    raise failure


async def opened_stream(
    client: openai.AsyncOpenAI, body: dict[str, Any], timeout_s: float
) -> ChunkStream:
    """A stream whose headers have arrived, or a ModelError by name."""
    try:
        async with asyncio.timeout(timeout_s):
            stream: ChunkStream = await client.chat.completions.create(**body, stream=True)
            return stream
    except TimeoutError:
        failure: ModelError = _too_slow()
    except _WIRE_ERRORS as error:
        failure = named_failure(error)
    raise failure


async def next_chunk(stream: ChunkStream, timeout_s: float) -> ChatCompletionChunk | None:
    """The next chunk of a stream, None at its end, or a ModelError by name."""
    try:
        async with asyncio.timeout(timeout_s):
            return await anext(stream, None)
    except TimeoutError:
        failure: ModelError = ModelTimeout("The model stalled in the middle of its reply.")
    except _WIRE_ERRORS as error:
        failure = named_failure(error)
    raise failure


def named_failure(error: Exception) -> ModelError:
    """What an error of the client means, without its words."""
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return _too_slow()
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | ssl.SSLError):
        return ModelUnavailable("The model endpoint cannot be reached, or broke off its answer.")
    if isinstance(error, openai.APIError):
        return reported_failure(error.code)
    return ModelReplyInvalid("The model endpoint answered with something that cannot be read.")


def reported_failure(code: object) -> ModelError:
    """What an error inside an answer with status 200 means, by the code it carries."""
    status = int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
    if status == 429:
        return ModelRateLimited("The model endpoint asks to wait (429).")
    if 400 <= status < 500:
        return ModelRefused(f"The model endpoint refused the request ({status}).", status=status)
    return ModelUnavailable("The model endpoint reported a failure of its own.")


def _status_failure(error: openai.APIStatusError) -> ModelError:
    if error.status_code == 429:
        return _rate_limit(error)
    return named_status(error.status_code, option=_named_option(error))


def named_status(status: int, *, option: str = "") -> ModelError:
    """What a status other than 429 means; `option` is the request option it was about."""
    if status >= 500 or status in {409, 425}:
        return ModelUnavailable(f"The model endpoint failed ({status}).")
    if status == 408:
        return _too_slow()
    words = _REFUSALS.get(status, "The model endpoint refused the request")
    return ModelRefused(f"{words} ({status}).", status=status, option=option)


_REFUSALS = {
    401: "The model endpoint does not accept the key",
    402: "The account at the model endpoint has no credit",
    403: "The key may not use this model",
    404: "The model endpoint does not know the model or the address",
    413: "The request is too large for the model endpoint",
}


def _rate_limit(error: openai.APIStatusError) -> ModelRateLimited:
    if error.code == "insufficient_quota":
        return ModelRateLimited(
            "The account at the model endpoint has no credit (429).", permanent=True
        )
    return ModelRateLimited(
        "The model endpoint asks to wait (429).",
        retry_after=_retry_after(error.response.headers.get("retry-after", "")),
    )


def _retry_after(value: str) -> float | None:
    try:
        if value.strip().isdecimal():
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _named_option(error: openai.APIStatusError) -> str:
    if error.param in OPTIONS:
        return str(error.param)
    return next((option for option in OPTIONS if option in error.message), "")


def _read(response: openai.APIResponse[Any], deadline: float) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if time.monotonic() > deadline:
            raise _too_slow()
        if len(body) > _LARGEST_ANSWER:
            raise ModelReplyInvalid("The model endpoint sent more than any answer needs.")
    return bytes(body)


def _too_slow() -> ModelTimeout:
    return ModelTimeout("The model endpoint did not answer in time.")


def _credentials(configuration: LlmConfiguration) -> dict[str, Any]:
    return {
        "base_url": configuration.base_url or OPENAI_URL,
        # Endpoints at home need no key, the client insists on one.
        "api_key": configuration.api_key or "none",
        "max_retries": 0,
        "timeout": time_limit(configuration, configuration.reply_timeout_s),
    }


@cache
def trust() -> ssl.SSLContext:
    """Whose certificates are believed; made once, because that takes time."""
    return ssl.create_default_context()
