"""Streams replies: one writer per reply, and up to `MAX_STREAMS` pages of a user that follow replies.

The writer is a task of the process that claimed the reply. Pages of the same process see each word at once;
others poll the row. No database connection is held between two polls.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.tenancy import tenant
from chat.branches import message_at
from chat.conversations import find_for_reply
from chat.models import Conversation, Generation
from chat.replies.generation import (
    Prepared,
    Reply,
    failed_reply,
    finished_reply,
    model_for,
    prepare,
    stopped_reply,
    store_reply,
)
from chat.replies.jobs import (
    INTERRUPTED,
    claim,
    follow,
    heartbeat,
    is_interrupted,
    pending,
    record_recall,
    settle_interrupted,
)
from chat.replies.tools import ToolLoop
from llm.errors import ModelError, ModelRateLimited, ModelRefused
from llm.types import ToolCall, Usage
from memory.text.sanitizing import storable

MAX_NAME_LENGTH = 200


Tools = Mapping[str, Sequence[str]]
"""The names of the tools that a reply has `used`, and of those it is `using` now."""


@dataclass(slots=True)
class Draft:
    """A reply being written in this process.

    `text` includes what was said between tool calls; the reply itself starts at `start`. `recalled` is set
    once memory was searched, or could not be. `changed` is set at the next change.
    """

    text: str = ""
    start: int = 0
    recalled: bool = False
    trace_id: UUID | None = None
    usage: Usage | None = None
    finish_reason: str = ""
    calls: tuple[ToolCall, ...] = ()
    tools: Tools = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, text: str) -> None:
        self.text += storable(text).text
        self.notify()

    @property
    def reply(self) -> str:
        """The text since tools were last used."""
        return self.text[self.start :]

    def show_running_tools(self) -> None:
        """Show the called tools as running."""
        names = [storable(call.name).text[:MAX_NAME_LENGTH] for call in self.calls]
        self.tools = {"used": [*self.tools.get("used", ())], "using": names}
        self.notify()

    def start_next_round(self) -> None:
        self.tools = {"used": [*self.tools.get("used", ()), *self.tools.get("using", ())]}
        if self.reply.strip():
            self.add("\n\n")
        self.start, self.usage, self.calls = len(self.text), None, ()
        self.notify()

    def notify(self) -> None:
        """Wake all followers."""
        self.changed.set()
        self.changed = asyncio.Event()


HEARTBEAT_INTERVAL_S = 0.5
FOLLOW_INTERVAL_S = 5.0
RETRY_DELAYS_S = (0.5, 2.0, 5.0)

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)
_writers: set[asyncio.Task[None]] = set()


@dataclass(frozen=True, slots=True)
class _ReplyTask:
    """The state of a reply being written here."""

    generation: Generation
    prepared: Prepared
    draft: Draft
    tool_loop: ToolLoop


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a reply; `finished` once it is in the ledger. `recalled` stays False for a reply that
    another process writes."""

    text: str = ""
    trace_id: UUID | None = None
    finished: bool = False
    recalled: bool = False
    tools: Tools = field(default_factory=dict)


_drafts: dict[UUID, Draft] = {}


async def in_tenant(user_id: UUID, call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run database work as this user in a thread that keeps no connection."""

    def work() -> T:
        with tenant(user_id):
            try:
                return call(*arguments, **named)
            finally:
                connection.close()

    return await sync_to_async(work, thread_sensitive=False)()


async def begin(generation: Generation, *, watched: bool = True) -> None:
    """Write the reply in this process unless somebody already writes it.

    A reply that is not `watched` is finished even if no page follows it.
    """
    if generation.state != Generation.State.WAITING:
        return
    now = timezone.now()
    if not await in_tenant(generation.user_id, claim, generation, now, watched=watched):
        return
    _drafts[generation.id] = Draft()
    writer = asyncio.create_task(_write(generation), context=Context())
    _writers.add(writer)
    writer.add_done_callback(_on_writer_done)


async def progress(generation: Generation) -> AsyncIterator[Progress]:
    """The reply as it grows, at least every half second, until it is finished."""
    watched = 0.0
    while True:
        draft = _drafts.get(generation.id)
        if draft is None:
            now = await _read_progress(generation)
            yield now
            if now.finished:
                return
            await asyncio.sleep(HEARTBEAT_INTERVAL_S)
            continue
        changed = draft.changed
        yield Progress(draft.text, draft.trace_id, recalled=draft.recalled, tools=draft.tools)
        if monotonic() - watched > FOLLOW_INTERVAL_S:
            watched = monotonic()
            await in_tenant(generation.user_id, follow, generation, timezone.now())
        with suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), HEARTBEAT_INTERVAL_S)


async def _read_progress(generation: Generation) -> Progress:
    now = timezone.now()
    row = await in_tenant(generation.user_id, follow, generation, now)
    if row is None:
        return Progress(finished=True)
    if is_interrupted(row, now):
        conversation = Conversation(user_id=row.user_id, id=row.conversation_id)
        await in_tenant(row.user_id, settle_interrupted, conversation, now)
        return Progress(row.text, row.trace_id, finished=True)
    return Progress(row.text, row.trace_id, tools=row.tools)


async def _write(generation: Generation) -> None:
    draft = _drafts[generation.id]
    user_id = generation.user_id
    try:
        prepared = await in_tenant(user_id, _prepare, generation)
        tool_loop = ToolLoop(prepared.tool_context, prepared.request, generation.id)
        task = _ReplyTask(generation, prepared, draft, tool_loop)
        draft.recalled, draft.trace_id = True, prepared.recalled.trace_id
        draft.notify()
        try:
            reply = await _write_until_stopped(task)
        except asyncio.CancelledError:
            await _store(task, stopped_reply(prepared, draft.reply, INTERRUPTED))
            raise
        await _store(task, reply)
    finally:
        del _drafts[generation.id]
        draft.notify()


async def _store(task: _ReplyTask, reply: Reply) -> None:
    """Add the reply to the ledger, even if the database is unreachable for some seconds."""
    user_id, whole = task.generation.user_id, (task.generation, task.prepared, reply)
    for pause in (*RETRY_DELAYS_S, None):
        try:
            await in_tenant(user_id, store_reply, *whole, timezone.now(), task.tool_loop)
        except DatabaseError as error:
            if pause is None:
                raise
            log.warning("reply not stored yet", error=type(error).__name__)
            await asyncio.sleep(pause)
        else:
            return


def _prepare(generation: Generation) -> Prepared:
    conversation = find_for_reply(generation.user_id, generation.conversation_id)
    message = message_at(conversation, generation.parent_sequence)
    prepared = prepare(conversation, message, timezone.now())
    record_recall(generation, prepared.recalled.trace_id)
    return prepared


async def _write_until_stopped(task: _ReplyTask) -> Reply:
    """Let the model write, and stop it on request or when nobody follows any more."""
    generating = asyncio.create_task(_generate(task))
    prepared, draft = task.prepared, task.draft
    notice = ""
    try:
        while not (await asyncio.wait({generating}, timeout=HEARTBEAT_INTERVAL_S))[0]:
            notice = await _send_heartbeat(task.generation, draft)
            if notice:
                break
    finally:
        generating.cancel()
        await asyncio.wait({generating})
    if notice or generating.cancelled():
        return stopped_reply(prepared, draft.reply, notice)
    failure = generating.exception()
    if isinstance(failure, ModelError):
        return failed_reply(prepared, draft.reply, failure)
    generating.result()
    return finished_reply(prepared, draft.reply, draft.usage, draft.finish_reason)


async def _generate(task: _ReplyTask) -> None:
    """The model's output, in as many rounds as its tool calls take."""
    draft, tool_loop, user_id = task.draft, task.tool_loop, task.generation.user_id
    with counted_reply(user_id):
        while True:
            try:
                await _round(task)
            except ModelRefused as refusal:
                if draft.reply or not tool_loop.retry_without_tools(refusal):
                    raise
                continue
            if tool_loop.will_run(draft.calls):
                draft.show_running_tools()
            said = (draft.reply, draft.calls, draft.usage)
            if not await in_tenant(user_id, tool_loop.run_tools, *said, timezone.now()):
                return
            draft.start_next_round()


async def _round(task: _ReplyTask) -> None:
    draft, request = task.draft, task.tool_loop.request
    async with aclosing(model_for(task.prepared).stream(request)) as parts:
        async for part in parts:
            if part.text:
                draft.add(part.text)
            draft.usage = part.usage or draft.usage
            draft.finish_reason = part.finish_reason or draft.finish_reason
            draft.calls = part.tool_calls or draft.calls


async def _send_heartbeat(generation: Generation, draft: Draft) -> str:
    try:
        written = (draft.text, timezone.now(), draft.tools)
        return await in_tenant(generation.user_id, heartbeat, generation, *written)
    except DatabaseError as error:  # the reply continues: the next heartbeat may get through
        log.warning("heartbeat failed", error=type(error).__name__)
        return ""


def _on_writer_done(writer: asyncio.Task[None]) -> None:
    _writers.discard(writer)
    failure = None if writer.cancelled() else writer.exception()
    if failure is not None:
        log.error("writer failed", error=type(failure).__name__)


REPLY_WAIT_S = 5.0
STOP_WAIT_S = 3.0
POLL_INTERVAL_S = 0.1


def write_reply(conversation: Conversation, generation: Generation) -> None:
    """Have a reply written; return when it is finished or takes longer than a page may wait.

    It is then finished even if nobody follows it.
    """
    async_to_sync(begin)(generation, watched=False)
    wait_for_end(conversation, REPLY_WAIT_S)


def wait_for_end(conversation: Conversation, seconds: float) -> None:
    """Return when no reply is being written any more, after `seconds` at the latest."""
    until = monotonic() + seconds
    while pending(conversation) is not None and monotonic() < until:
        sleep(POLL_INTERVAL_S)


TOO_MANY = gettext_noop("Too many of your replies are being written at once. Wait until one is finished.")

MAX_STREAMS = 64
"""The most streams of one user at once; each renders its reply itself."""

_written: Counter[UUID] = Counter()
_followed: Counter[UUID] = Counter()


@contextmanager
def counted_reply(user_id: UUID) -> Iterator[None]:
    """Count a reply while a model writes it. Raises ModelRateLimited beyond PALACE_REPLIES_AT_ONCE."""
    if _written[user_id] >= settings.REPLIES_AT_ONCE:
        raise ModelRateLimited(TOO_MANY)
    with _counted(_written, user_id):
        yield


def counted_stream(user_id: UUID) -> AbstractContextManager[None]:
    """Count a stream while it is open."""
    return _counted(_followed, user_id)


def has_too_many_streams(user_id: UUID) -> bool:
    """Whether the user has MAX_STREAMS open."""
    return _followed[user_id] >= MAX_STREAMS


@contextmanager
def _counted(counts: Counter[UUID], user_id: UUID) -> Iterator[None]:
    """Count in this process, whose event loop does all the work, while the block runs."""
    counts[user_id] += 1
    try:
        yield
    finally:
        counts[user_id] -= 1
        if not counts[user_id]:
            del counts[user_id]
