"""Forwards requests of OpenAI clients to the endpoint unchanged, and its answers back: tools, message parts
and parameters pass through as they are."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from llm.configuration import LlmConfiguration
from llm.errors import ModelReplyInvalid, ModelTimeout
from llm.metering import Bill
from llm.openai_client import Json, StreamEvent, open_response, parse_object, read_response, stream_events
from llm.openai_format import read_reply
from llm.types import Usage

COMPLETION_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Relayed:
    """A whole answer as the endpoint sent it, and its usage."""

    body: Json
    usage: Usage


class Relay:
    """Sends requests in the endpoint's own format. Never retries; the clients do.

    Methods raise a `ModelError`; if the request is at fault, a `ModelRefused` with the endpoint's error.
    """

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration

    def bill(self, body: Json) -> Bill:
        """The meter of a request, under the model's name at the endpoint."""
        return Bill(self._with_endpoint_name(body), self._configuration.prices)

    async def complete(self, body: Json) -> Relayed:
        """The whole answer to a chat request, within the limits of `read_reply`."""
        bill = self.bill(body)
        try:
            answer = await self._fetch("/chat/completions", dict(bill.body), COMPLETION_TIMEOUT_S)
            _, usage = read_reply(answer, bill)
            return Relayed(parse_object(answer), usage)
        except ModelReplyInvalid as failure:
            failure.spent = failure.spent or bill.usage(None, "")
            raise

    async def stream(self, body: Json) -> AsyncGenerator[StreamEvent, None]:
        """The events of the answer. Closing the iterator closes the connection."""
        streamed = self._with_endpoint_name(body) | {"stream": True}
        limit = self._configuration.first_part_timeout_s
        async with (
            open_response(self._configuration, "/chat/completions", streamed, limit) as response,
            aclosing(stream_events(response, self._configuration, limit)) as events,
        ):
            async for event in events:
                yield event

    async def models(self) -> list[Json]:
        """The endpoint's models, as it describes them."""
        limit = self._configuration.connect_timeout_s
        listed = parse_object(await self._fetch("/models", None, limit)).get("data")
        return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []

    def _with_endpoint_name(self, body: Json) -> Json:
        model = str(body.get("model") or self._configuration.chat_model)
        return {**body, "model": self._configuration.name_at_endpoint(model)}

    async def _fetch(self, path: str, body: Json | None, limit: float) -> bytes:
        try:
            async with (
                asyncio.timeout(limit),
                open_response(self._configuration, path, body, limit) as response,
            ):
                return await read_response(response)
        except TimeoutError:
            failure = ModelTimeout("The model endpoint did not respond in time.")
        raise failure
