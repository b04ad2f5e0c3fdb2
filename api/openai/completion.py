"""Processes one request: recall memory, forward it to the model endpoint, store the conversation.

Memory has a few seconds and never fails a request. The database is used in threads that hold no connection,
because a response may take minutes.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TypeVar
from uuid import UUID, uuid4

import structlog
from django.db import Error, transaction
from django.utils import timezone
from uuid_utils.compat import uuid7

from api.openai.access import Json
from api.openai.recall import LOST, RecallOutcome, project_of, try_recall
from api.openai.request import CONVERSATION, MemoryRequest, messages_of
from api.openai.turns import last_request, turns_of, user_messages
from chat.conversations import NewMessage
from chat.external_threads import History, StoredHistory, store_history
from chat.models import MEMORY_ONLY, Message
from chat.replies.generation import NOT_CONNECTED, describe_error
from chat.replies.prompts import memory_only
from chat.replies.streaming import counted_reply, in_tenant
from llm import current
from llm.errors import ModelError, ModelReplyInvalid, ModelReplyTooLong, ModelUnavailable, NoEndpoint
from llm.openai_format import StreamedReply
from llm.relay import Relay, RelayedEvent, RequestRejected
from llm.types import Usage as ModelUsage
from memory.models import Usage
from memory.search.time_limit import TimeLimit, TooSlow
from memory.usage.budgets import BudgetSpent
from memory.usage.records import Purpose, record_usage

MEMORY_S = 4.0
KEEPING_S = 10.0
KEEPING_MS = 8_000
NOT_FITTING = frozenset((400, 413, 422))
BROKEN_OFF = "The model endpoint stopped in the middle of its response."
NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
LEFT = "The client disconnected before the reply was complete."
NOT_STORED = "The conversation was not stored because the database is unavailable or slow."

T = TypeVar("T")
log = structlog.get_logger(__name__)
_keeping: set[asyncio.Task[StoredHistory | None]] = set()


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply: its message, how it ended, and its usage. Replies from memory alone have no usage."""

    message: Json
    status: str = Message.Status.COMPLETE
    notice: str = ""
    usage: ModelUsage | None = None


@dataclass(slots=True)
class Exchange:
    """A request with its recalled memory. `kept` is set once the conversation is stored, `lost` if that
    failed; a new one gets the id `new_id`."""

    ask: MemoryRequest
    messages: list[Json]
    recollection: RecallOutcome
    notice: str = ""
    kept: StoredHistory | None = None
    lost: bool = False
    usage: ModelUsage | None = None
    new_id: UUID = field(default_factory=uuid7)

    @property
    def headers(self) -> dict[str, str]:
        """What memory did; the body stays the endpoint's own."""
        found = self.recollection
        kept = self.kept.conversation.id if self.kept else found.conversation_id
        notices = (self.notice or found.notice, NOT_STORED if self.lost else "")
        trace = found.trace if self.ask.config.stores and not self.lost else None
        headers = {
            "X-Palace-Recalled": str(len(found.hits)),
            CONVERSATION: str(kept or ""),
            "X-Palace-Trace": str(trace.id) if trace else "",
            "X-Palace-Notice": " ".join(filter(None, notices)).replace("’", "'"),
        }
        return {name: value for name, value in headers.items() if value}

    @property
    def early_headers(self) -> dict[str, str]:
        """The headers of a stream, sent before a new conversation is stored."""
        announced = self.ask.config.stores and self.recollection is not LOST
        return ({CONVERSATION: str(self.new_id)} if announced else {}) | self.headers

    @property
    def counts(self) -> Json | None:
        """The usage in OpenAI's format."""
        if self.usage is None:
            return None
        read, wrote = self.usage.input_tokens, self.usage.output_tokens
        return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}

    @property
    def body(self) -> Json:
        return {**self.ask.body, "messages": self.messages}


async def begin(ask: MemoryRequest) -> Exchange:
    """Recall memory for a request; without it if that fails or takes too long. Raises Refusal for an invalid
    request."""
    messages = messages_of(ask.body)
    ask = replace(ask, body=addressed(ask.body))
    model = str(ask.body.get("model") or "")
    work = partial(try_recall, ask, messages, model, timezone.now())
    found = await run_within(ask.user_id, work, LOST, MEMORY_S)
    return Exchange(ask, messages, found)


async def opened(parts: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """The same parts once the first has arrived; what fails before it is raised here."""
    first = await anext(parts, None)
    return _rejoined(first, parts)


async def _rejoined(first: T | None, rest: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    async with aclosing(rest):
        if first is not None:
            yield first
        async for part in rest:
            yield part


async def complete(exchange: Exchange) -> Json:
    """Return the response after storing it. Raises ModelError if the endpoint fails or the user has too many
    replies in progress."""
    try:
        relay = await _relay(exchange)
    except (NoEndpoint, BudgetSpent) as reason:
        text = _from_memory(exchange, reason)
        await _begin_keeping(exchange, Reply({"role": "assistant", "content": text}))
        return _memory_answer(text, timezone.now())
    try:
        with counted_reply(exchange.ask.user_id):
            body, exchange.usage = await _first_accepted(exchange, relay.complete)
    except ModelReplyInvalid as failure:
        failed = Reply({}, Message.Status.FAILED, describe_error(failure), failure.spent)
        await _begin_keeping(exchange, failed)
        raise
    message = {**body["choices"][0]["message"], "role": "assistant"}
    await _begin_keeping(exchange, Reply(message, usage=exchange.usage))
    return body


async def stream(exchange: Exchange) -> AsyncGenerator[RelayedEvent, None]:
    """Yield the events of a streamed response, and store it at the end or when the client disconnects. Raises
    ModelError if the endpoint fails or the user has too many replies in progress."""
    try:
        relay = await _relay(exchange)
    except (NoEndpoint, BudgetSpent) as reason:
        text = _from_memory(exchange, reason)
        for chunk in _memory_chunks(text, timezone.now()):
            yield RelayedEvent(json.dumps(chunk), chunk)
        await _begin_keeping(exchange, Reply({"role": "assistant", "content": text}))
        return
    reading = StreamedReply(relay.bill(exchange.body))
    ended = Reply({}, Message.Status.STOPPED, LEFT)
    try:
        with counted_reply(exchange.ask.user_id):
            accepted = await _first_accepted(exchange, lambda body: opened(relay.stream(body)))
            async with aclosing(accepted) as events:
                async for event in events:
                    _note(reading, event)
                    yield event
        if not reading.is_complete:
            raise ModelUnavailable(BROKEN_OFF)
        ended = Reply({})
    except ModelError as failure:
        ended = Reply({}, Message.Status.FAILED, describe_error(failure))
        raise
    finally:
        keeping = _store_partial(exchange, reading, ended)
        if ended.status != Message.Status.STOPPED:
            await keeping


def _store_partial(
    exchange: Exchange, reading: StreamedReply, ended: Reply
) -> "asyncio.Task[StoredHistory | None]":
    """Store what was streamed, also after the client disconnected."""
    exchange.usage = reading.usage() if reading.pieces else None
    reply = replace(ended, message=_streamed_message(reading), usage=exchange.usage)
    return _begin_keeping(exchange, reply)


def _note(reading: StreamedReply, event: RelayedEvent) -> None:
    try:
        reading.feed(event.chunk)
    except ModelReplyTooLong:
        raise
    except ModelReplyInvalid:  # unknown chunks are passed on
        log.warning("chunk not parsed")
        reading.count_characters(len(event.data))


async def _first_accepted(exchange: Exchange, send: Callable[[Json], Awaitable[T]]) -> T:
    """What the endpoint answers to the first body that it does not decline. Raises ModelError."""
    failure: ModelError = ModelUnavailable(BROKEN_OFF)
    for body in attempts(exchange.body, exchange.recollection.block):
        try:
            return await send(body)
        except RequestRejected as refusal:
            failure = refusal
            if refusal.status not in NOT_FITTING:
                break
    raise failure


async def _relay(exchange: Exchange) -> Relay:
    relay = await in_tenant(exchange.ask.user_id, current.relay)
    if exchange.recollection.refusal is not None:
        raise exchange.recollection.refusal
    return relay


def _from_memory(exchange: Exchange, reason: ModelError) -> str:
    words = NOT_CONNECTED if isinstance(reason, NoEndpoint) else describe_error(reason)
    found = exchange.recollection
    exchange.notice = " ".join(filter(None, (words, found.notice)))
    question = next(reversed(user_messages(exchange.messages)), "")
    return memory_only(question, found.hits, words, found.zone, found.nothing)


def _begin_keeping(exchange: Exchange, reply: Reply) -> "asyncio.Task[StoredHistory | None]":
    task = asyncio.create_task(_keep_in_time(exchange, reply))
    _keeping.add(task)
    task.add_done_callback(_keeping.discard)
    return task


async def _keep_in_time(exchange: Exchange, reply: Reply) -> StoredHistory | None:
    work = partial(_store, exchange, reply, timezone.now())
    failed: tuple[StoredHistory | None, bool] = (None, True)
    exchange.kept, lost = await run_within(exchange.ask.user_id, work, failed, KEEPING_S)
    exchange.lost = lost and exchange.ask.config.stores
    return exchange.kept


async def run_within(user_id: UUID, work: Callable[[], T], otherwise: T, seconds: float) -> T:
    """Run database work as a user; returns `otherwise` if it fails or takes too long. The thread is not
    interrupted and ends by itself."""
    task = asyncio.create_task(in_tenant(user_id, work))
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        task.add_done_callback(_log_late_failure)
        log.warning("memory too slow")
        return otherwise
    try:
        return task.result()
    except Error as error:
        log.warning("memory failed", error=type(error).__name__)
        return otherwise


def _log_late_failure(task: "asyncio.Task[T]") -> None:
    if not task.cancelled() and task.exception() is not None:
        log.warning("memory failed late", error=type(task.exception()).__name__)


def _store(exchange: Exchange, reply: Reply, now: datetime) -> tuple[StoredHistory | None, bool]:
    """Record the usage and, unless the request opted out, store the conversation; and whether it was too
    slow for that."""
    ask, found = exchange.ask, exchange.recollection
    if reply.usage is not None:
        record_usage(Purpose(ask.user_id, Usage.Source.CHAT, now, uuid7()), reply.usage)
    replies = _replies(reply, found)
    if not ask.config.stores or (not replies and reply.status == Message.Status.FAILED):
        return None, False
    project = project_of(ask.user_id, ask.project)
    history = History(
        said=(*turns_of(exchange.messages), *replies),
        external_id=ask.external_id,
        project=project.name if project else ask.project,
        new_id=exchange.new_id,
    )
    try:
        with TimeLimit(KEEPING_MS).stage(), transaction.atomic():
            if found.trace is not None:
                found.trace.save(force_insert=True)
            return store_history(ask.user_id, history, now), False
    except TooSlow as error:
        log.warning("conversation not kept", error=type(error).__name__)
        return None, True


def _replies(reply: Reply, found: RecallOutcome) -> tuple[NewMessage, ...]:
    turns = turns_of([reply.message]) if reply.message else ()
    usage = reply.usage
    return tuple(
        replace(
            turn,
            status=reply.status,
            notice=reply.notice[:300],
            model=(usage.model if usage else MEMORY_ONLY)[:120],
            input_tokens=usage.input_tokens if usage and not place else None,
            output_tokens=usage.output_tokens if usage and not place else None,
            trace_id=found.trace.id if found.trace and not place else None,
        )
        for place, turn in enumerate(turns)
    )


def _streamed_message(reading: StreamedReply) -> Json:
    """The reply streamed so far as one message."""
    message: Json = {"role": "assistant", "content": "".join(reading.pieces) or None}
    if calls := reading.calls.assembled():
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return message


def _memory_answer(text: str, now: datetime) -> Json:
    """A response made of memory alone."""
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {**_head("chat.completion", now), "choices": [choice], "usage": NO_USAGE}


def _memory_chunks(text: str, now: datetime) -> Iterator[Json]:
    """The same as stream chunks."""
    head = _head("chat.completion.chunk", now)
    for delta, end in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}
        yield {**head, "choices": [choice]}
    yield {**head, "choices": [], "usage": NO_USAGE}


def _head(kind: str, now: datetime) -> Json:
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(now.timestamp()),
        "model": MEMORY_ONLY,
    }


OURS = frozenset(("", "palace", "memory"))
STREAM_OPTIONS = "stream_options"


def addressed(body: Json) -> Json:
    """The body with the endpoint's model; our own model names mean the configured one."""
    model = body.get("model")
    if isinstance(model, str) and model.strip() not in OURS:
        return body
    return {name: value for name, value in body.items() if name != "model"}


def attempts(body: Json, block: str) -> Iterator[Json]:
    """The bodies to try while the endpoint declines: with memory before the last user message, with memory in
    the first instructions, and the request as it came."""
    counted = _counted(body)
    if block:
        yield _before_request(counted, block)
        yield _in_instructions(body, block)
    elif counted != body:
        yield counted
    yield body


def is_unasked(chunk: Json, body: Json) -> bool:
    """Whether this is the usage chunk of a stream, which only Palace requested."""
    options = body.get(STREAM_OPTIONS)
    asked = isinstance(options, Mapping) and options.get("include_usage")
    return bool(chunk.get("usage") and not chunk.get("choices") and not asked)


def _counted(body: Json) -> Json:
    """The body of a stream with its usage requested, so it can be recorded."""
    if not body.get("stream"):
        return body
    options = body.get(STREAM_OPTIONS)
    known = options if isinstance(options, Mapping) else {}
    return {**body, STREAM_OPTIONS: {**known, "include_usage": True}}


def _before_request(body: Json, block: str) -> Json:
    messages = list(body["messages"])
    place = last_request(messages)
    messages.insert(len(messages) if place is None else place, _instruction(block))
    return {**body, "messages": messages}


def _in_instructions(body: Json, block: str) -> Json:
    """For endpoints that only accept a system message at the beginning."""
    first, *rest = body["messages"]
    if first["role"] not in {"system", "developer"}:
        return {**body, "messages": [_instruction(block), first, *rest]}
    content = first.get("content")
    if isinstance(content, list):
        merged = {**first, "content": [*content, {"type": "text", "text": block}]}
    else:
        merged = {**first, "content": f"{content or ''}\n\n{block}"}
    return {**body, "messages": [merged, *rest]}


def _instruction(block: str) -> Json:
    return {"role": "system", "content": block}
