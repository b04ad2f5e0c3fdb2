"""Chat with any OpenAI-compatible endpoint."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import openai

from llm.billing import Bill
from llm.configuration import LlmConfiguration
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
)
from llm.gateway import ChatRequest, JsonSchema, Probe
from llm.openai_replies import (
    CallPiece,
    ChatAnswer,
    TokenCounts,
    read_answer,
    read_chunk,
    tool_calls,
)
from llm.openai_requests import Body, chat_body, json_format, relaxed
from llm.openai_wire import (
    ChunkStream,
    answer_body,
    async_client,
    next_chunk,
    opened_stream,
    sync_client,
    time_limit,
)
from llm.types import Completion, StreamPart

_FENCED = re.compile(r"\s*```[a-z]*\s*\n(?P<inside>.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)


class OpenAIGateway:
    """A `ChatGateway` over HTTP. Never retries a failure; its callers are jobs that do."""

    def __init__(self, configuration: LlmConfiguration) -> None:
        self._configuration = configuration
        self._client = sync_client(configuration, self)

    def complete(self, request: ChatRequest) -> Completion:
        """The whole reply to a prompt."""
        return self._completed(request, chat_body(request, self._configuration))

    def complete_json(
        self, request: ChatRequest, schema: JsonSchema, schema_name: str
    ) -> Completion:
        """A reply meant to be JSON of this schema, as strictly as the endpoint can enforce it.

        Code fences around the object are removed; the caller still has to validate.
        """
        body = chat_body(request, self._configuration)
        body["response_format"] = json_format(schema, schema_name)
        completion = self._completed(request, body)
        return Completion(
            text=_unfenced(completion.text),
            usage=completion.usage,
            finish_reason=completion.finish_reason,
        )

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamPart, None]:
        """The reply in pieces, the usage last. Closing the iterator closes the connection."""
        body = chat_body(request, self._configuration)
        tally = _Tally(body, Bill(body, self._configuration.prices))
        limit = request.timeout_s or self._configuration.first_part_timeout_s
        async with (
            async_client(self._configuration) as client,
            await self._opened(client, tally.body, limit) as chunks,
        ):
            while (event := await next_chunk(chunks, limit)) is not None:
                limit = self._configuration.stall_timeout_s
                if text := tally.take(event):
                    yield StreamPart(text=text)
        yield tally.final_part()

    def reachable(self) -> Probe:
        """Whether the endpoint lists its models within the time for connecting."""
        limit = self._configuration.connect_timeout_s
        listing = self._client.models.with_streaming_response.list(
            timeout=time_limit(self._configuration, limit)
        )
        try:
            answer_body(listing, limit)
        except ModelRefused as refusal:
            return _refused_probe(refusal)
        except ModelRateLimited as failure:
            return Probe("degraded", str(failure))
        except ModelError as failure:
            return Probe("down", str(failure))
        return Probe("up", "The model endpoint answers.")

    def _completed(self, request: ChatRequest, body: Body) -> Completion:
        bill = Bill(body, self._configuration.prices)
        try:
            answer = self._answer(body, request.timeout_s or self._configuration.reply_timeout_s)
        except ModelReplyInvalid as failure:
            failure.spent = bill.usage(None, "")
            raise
        choice = answer.choices[0]
        text = choice.message.text
        return Completion(
            text=text,
            usage=bill.usage(answer.usage, text),
            finish_reason=choice.finish_reason or "stop",
            tool_calls=tool_calls(choice.message.tool_calls or ()),
        )

    def _answer(self, body: Body, timeout_s: float) -> ChatAnswer:
        while True:
            opening = self._client.chat.completions.with_streaming_response.create(
                **body, timeout=time_limit(self._configuration, timeout_s)
            )
            try:
                return read_answer(answer_body(opening, timeout_s), ChatAnswer)
            except ModelRefused as refusal:
                body = _accepted(body, refusal)

    async def _opened(
        self, client: openai.AsyncOpenAI, body: Body, timeout_s: float
    ) -> ChunkStream:
        body = body | {
            "stream_options": {"include_usage": True},
            "timeout": time_limit(self._configuration, None),
        }
        while True:
            try:
                return await opened_stream(client, body, timeout_s)
            except ModelRefused as refusal:
                body = _accepted(body, refusal)


@dataclass(slots=True)
class _Tally:
    """What has arrived of a stream so far."""

    body: Body
    bill: Bill
    pieces: list[str] = field(default_factory=list)
    calls: list[CallPiece] = field(default_factory=list)
    counts: TokenCounts | None = None
    finish_reason: str = ""

    def take(self, event: object) -> str:
        """The text that this event adds."""
        chunk = read_chunk(event)
        self.counts = chunk.usage or self.counts
        text = ""
        for choice in (chunk.choices or [])[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            text = choice.delta.text if choice.delta else ""
            self.calls += (choice.delta.tool_calls or ()) if choice.delta else ()
        self.pieces.append(text)
        return text

    def final_part(self) -> StreamPart:
        """The end of the stream; ModelUnavailable when it ended without saying so."""
        if not self.finish_reason and self.counts is None:
            raise ModelUnavailable("The model broke off in the middle of its reply.")
        usage = self.bill.usage(self.counts, "".join(self.pieces))
        calls = tool_calls(self.calls)
        return StreamPart(usage=usage, finish_reason=self.finish_reason or "stop", tool_calls=calls)


def _accepted(body: Body, refusal: ModelRefused) -> Body:
    smaller = relaxed(body, refusal)
    if smaller is None:
        raise refusal
    return smaller


def _unfenced(text: str) -> str:
    fenced = _FENCED.fullmatch(text)
    return fenced["inside"] if fenced else text


def _refused_probe(refusal: ModelRefused) -> Probe:
    if refusal.status in {404, 405}:
        return Probe("up", "The model endpoint answers, but does not list its models.")
    return Probe("down", str(refusal))
