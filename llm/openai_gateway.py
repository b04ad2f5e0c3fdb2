"""Chat with any OpenAI-compatible endpoint."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import openai

from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelRateLimited, ModelRefused, ModelReplyInvalid, ModelUnavailable
from llm.gateway import ChatRequest, JsonSchema, Probe
from llm.metering import Bill, published_window
from llm.openai_client import (
    ChunkStream,
    async_client,
    event_data,
    open_stream,
    read_body,
    reported_failure,
    sync_client,
    timeout_of,
)
from llm.openai_format import (
    Body,
    ChatAnswer,
    ModelList,
    StreamedReply,
    ThoughtFilter,
    chat_body,
    json_format,
    parse_object,
    read_answer,
    read_reply,
    tool_calls,
    without_rejected_option,
    without_thoughts,
)
from llm.types import Completion, StreamPart, Usage

MAX_MODELS, MAX_NAME_LENGTH = 1_000, 120
_EMBEDS = re.compile(r"embed|(?:^|/)bge-", re.IGNORECASE)
_FENCED = re.compile(r"\s*```[a-z]*\s*\n(?P<inside>.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)


class OpenAIGateway:
    """A `ChatGateway` over HTTP. Never retries a failure; the calling jobs do."""

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration
        self._client = sync_client(configuration, self)

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt."""
        return self._complete(request, chat_body(request, self._configuration))

    def complete_json(self, request: ChatRequest, schema: JsonSchema, schema_name: str) -> Completion:
        """A reply meant to be JSON of this schema, enforced as strictly as the endpoint can.

        Code fences around the object are removed; the caller still has to validate it.
        """
        body = chat_body(request, self._configuration)
        body["response_format"] = json_format(schema, schema_name, bounded=self._configuration.is_private)
        completion = self._complete(request, body)
        fenced = _FENCED.fullmatch(completion.text)
        return replace(completion, text=fenced["inside"]) if fenced else completion

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        """The reply in parts, the usage last. Closing the iterator closes the connection."""
        body = chat_body(request, self._configuration)
        reply, thoughts = StreamedReply(Bill(body, self._configuration.prices)), ThoughtFilter()
        limit = request.timeout_s or self._configuration.first_part_timeout_s
        async with (
            async_client(self._configuration) as client,
            await self._open_stream(client, body, limit) as stream,
            aclosing(event_data(stream.response, self._configuration, limit)) as events,
        ):
            async for data in events:
                event = parse_object(data)
                if error := event.get("error"):
                    raise reported_failure(error.get("code") if isinstance(error, dict) else None)
                if text := thoughts.feed(reply.feed(event)):
                    yield StreamPart(text=text)
        final = _final_part(reply)
        ended = final.finish_reason == "stop"
        if not thoughts.begun and (rest := without_thoughts("".join(reply.pieces), ended=ended)):
            yield StreamPart(text=rest)
        yield final

    def models(self, named: str = "") -> dict[str, int | None]:
        """The endpoint's models by name, at most a thousand, with the tokens that each reads at once. Those
        whose names say that they embed are left out, except the `named` one."""
        listed = sorted(read_answer(self._list_models(), ModelList).data, key=lambda each: each.id.casefold())
        valid = [each for each in listed if each.id.isprintable() and 0 < len(each.id) <= MAX_NAME_LENGTH]
        offered = [each for each in valid if each.id == named or not _EMBEDS.search(each.id)]
        return {each.id: each.window or published_window(each.id) for each in offered[:MAX_MODELS]}

    def reachable(self) -> Probe:
        """Whether the endpoint lists its models within the connection timeout."""
        try:
            self._list_models()
        except ModelRefused as refusal:
            if refusal.status in {404, 405}:
                return Probe("up", "The model endpoint answers, but does not list its models.")
            return Probe("down", str(refusal))
        except ModelError as failure:
            return Probe("degraded" if isinstance(failure, ModelRateLimited) else "down", str(failure))
        return Probe("up", "The model endpoint answers.")

    def _list_models(self) -> bytes:
        limit = self._configuration.connect_timeout_s
        timeout = timeout_of(self._configuration, limit)
        return read_body(self._client.models.with_streaming_response.list(timeout=timeout), limit)

    def _complete(self, request: ChatRequest, body: Body) -> Completion:
        bill = Bill(body, self._configuration.prices)
        try:
            limit = request.timeout_s or self._configuration.background_timeout_s
            answer, usage = self._answer(body, bill, limit)
        except ModelReplyInvalid as failure:
            failure.spent = failure.spent or bill.usage(None, "")
            raise
        choice = answer.choices[0]
        reason = choice.finish_reason or "stop"
        text = without_thoughts(choice.message.text, ended=reason == "stop")
        return Completion(text, usage, reason, tool_calls(choice.message))

    def _answer(self, body: Body, bill: Bill, timeout_s: float) -> tuple[ChatAnswer, Usage]:
        timeout = timeout_of(self._configuration, timeout_s)
        while True:
            opening = self._client.chat.completions.with_streaming_response.create(**body, timeout=timeout)
            try:
                return read_reply(read_body(opening, timeout_s), bill)
            except ModelRefused as refusal:
                body = without_rejected_option(body, refusal)

    async def _open_stream(self, client: openai.AsyncOpenAI, body: Body, timeout_s: float) -> ChunkStream:
        timeout = timeout_of(self._configuration, None)
        body = body | {"stream_options": {"include_usage": True}, "timeout": timeout}
        while True:
            try:
                return await open_stream(client, body, timeout_s)
            except ModelRefused as refusal:
                body = without_rejected_option(body, refusal)


def _final_part(reply: StreamedReply) -> StreamPart:
    """The end of the stream. Raises ModelUnavailable if the endpoint never said that it ended."""
    if not reply.pieces:
        raise ModelReplyInvalid("The model endpoint sent a response that cannot be read.")
    if not reply.is_complete:
        raise ModelUnavailable("The model broke off in the middle of its reply.")
    ending = reply.finish_reason or "stop"
    return StreamPart(usage=reply.usage(), finish_reason=ending, tool_calls=reply.calls.assembled())
