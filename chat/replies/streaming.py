"""Streams replies: one writer per reply, any number of pages that follow it.

The writer is a task of the process that claimed the reply. Pages of the same process see each word at once;
others poll the row. No database connection is held between two polls.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import aclosing
from contextvars import Context
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.tenancy import tenant
from chat.branches import message_at
from chat.conversations import find_for_reply
from chat.models import Conversation, Generation
from chat.replies.generation import (
    STOPPED,
    Prepared,
    Reply,
    failed,
    model_for,
    prepare,
    settle,
    stopped,
    tool_loop_of,
    written,
)
from chat.replies.jobs import (
    INTERRUPTED,
    Pulse,
    claim,
    follow,
    heartbeat,
    interrupted,
    record_recall,
    settle_interrupted,
)
from chat.replies.tool_loop import ToolLoop
from llm.errors import ModelError, ModelRefused
from llm.types import ToolCall, Usage
from memory.text.sanitizing import storable

MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Tools:
    """The names of the tools that a reply has `used`, and of those it is `using` now."""

    used: tuple[str, ...] = ()
    using: tuple[str, ...] = ()

    def begin(self, names: Iterable[str]) -> "Tools":
        """The same with these running."""
        return replace(self, using=tuple(storable(name).text[:MAX_NAME_LENGTH] for name in names))

    def end(self) -> "Tools":
        """The same once they have finished."""
        return Tools(self.used + self.using)


NO_TOOLS = Tools()


def tools_from(kept: Mapping[str, list[str]]) -> Tools:
    """Read from a row; none if it stores none yet."""
    return Tools(**{name: tuple(names) for name, names in kept.items()})


@dataclass(slots=True)
class Draft:
    """A reply being written in this process.

    `text` includes what was said between tool calls; the reply itself starts at `start`. `changed` is set at
    the next change.
    """

    text: str = ""
    start: int = 0
    trace_id: UUID | None = None
    usage: Usage | None = None
    finish_reason: str = ""
    calls: tuple[ToolCall, ...] = ()
    tools: Tools = NO_TOOLS
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, text: str) -> None:
        self.text += storable(text).text
        self.tell()

    @property
    def reply(self) -> str:
        """The text since tools were last used."""
        return self.text[self.start :]

    def use(self) -> None:
        """Show the called tools as running."""
        self.tools = self.tools.begin(call.name for call in self.calls)
        self.tell()

    def turn(self) -> None:
        self.tools = self.tools.end()
        if self.reply.strip():
            self.add("\n\n")
        self.start, self.usage, self.calls = len(self.text), None, ()
        self.tell()

    def tell(self) -> None:
        """Wake all followers."""
        self.changed.set()
        self.changed = asyncio.Event()


BEAT_S = 0.5
WATCH_S = 5.0
PAUSES_S = (0.5, 2.0, 5.0)
UNREAD = gettext_noop("No page was open any more, so the reply was stopped here.")

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)
_writers: set[asyncio.Task[None]] = set()


@dataclass(frozen=True, slots=True)
class _Writing:
    """The state of a reply being written here."""

    generation: Generation
    prepared: Prepared
    draft: Draft
    rounds: ToolLoop


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a reply; `finished` once it is in the ledger."""

    text: str = ""
    trace_id: UUID | None = None
    finished: bool = False
    tools: Tools = NO_TOOLS


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
    writer.add_done_callback(_ended)


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
            await asyncio.sleep(BEAT_S)
            continue
        changed = draft.changed
        yield Progress(draft.text, draft.trace_id, tools=draft.tools)
        if monotonic() - watched > WATCH_S:
            watched = monotonic()
            await in_tenant(generation.user_id, follow, generation, timezone.now())
        await _until(changed)


async def _until(changed: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(changed.wait(), BEAT_S)
    except TimeoutError:
        return


async def _read_progress(generation: Generation) -> Progress:
    now = timezone.now()
    row = await in_tenant(generation.user_id, follow, generation, now)
    if row is None:
        return Progress(finished=True)
    if interrupted(row, now):
        conversation = Conversation(user_id=row.user_id, id=row.conversation_id)
        await in_tenant(row.user_id, settle_interrupted, conversation, now)
        return Progress(row.text, row.trace_id, finished=True)
    return Progress(row.text, row.trace_id, tools=tools_from(row.tools))


async def _write(generation: Generation) -> None:
    draft = _drafts[generation.id]
    user_id = generation.user_id
    try:
        prepared = await in_tenant(user_id, _prepared, generation)
        writing = _Writing(generation, prepared, draft, tool_loop_of(generation, prepared))
        draft.trace_id = prepared.trace_id
        draft.tell()
        try:
            reply = await _reply(writing)
        except asyncio.CancelledError:
            await _keep(writing, stopped(prepared, draft.reply, INTERRUPTED))
            raise
        await _keep(writing, reply)
    finally:
        del _drafts[generation.id]
        draft.tell()


async def _keep(writing: _Writing, reply: Reply) -> None:
    """Add the reply to the ledger, even if the database is unreachable for some seconds."""
    generation = writing.generation
    whole = (generation, writing.prepared, reply)
    for pause in PAUSES_S:
        try:
            await in_tenant(generation.user_id, settle, *whole, timezone.now(), writing.rounds)
        except DatabaseError as error:
            log.warning("reply not stored yet", error=type(error).__name__)
            await asyncio.sleep(pause)
        else:
            return
    await in_tenant(generation.user_id, settle, *whole, timezone.now(), writing.rounds)


def _prepared(generation: Generation) -> Prepared:
    conversation = find_for_reply(generation.user_id, generation.conversation_id)
    message = message_at(conversation, generation.parent_sequence)
    prepared = prepare(conversation, message, timezone.now())
    record_recall(generation, prepared.trace_id)
    return prepared


async def _reply(writing: _Writing) -> Reply:
    """Let the model write, and stop it on request or when nobody follows any more."""
    words = asyncio.create_task(_words(writing))
    prepared, draft = writing.prepared, writing.draft
    halt = ""
    try:
        while not (await asyncio.wait({words}, timeout=BEAT_S))[0]:
            halt = _halt(await _beat(writing.generation, draft))
            if halt:
                break
    finally:
        words.cancel()
        await asyncio.wait({words})
    if halt or words.cancelled():
        return stopped(prepared, draft.reply, halt)
    failure = words.exception()
    if isinstance(failure, ModelError):
        return failed(prepared, draft.reply, failure)
    words.result()
    return written(prepared, draft.reply, draft.usage, draft.finish_reason)


async def _words(writing: _Writing) -> None:
    """The model's output, in as many rounds as its tool calls take."""
    draft, rounds = writing.draft, writing.rounds
    while True:
        try:
            await _round(writing)
        except ModelRefused as refusal:
            if draft.reply or not rounds.gives_up_tools(refusal):
                raise
            continue
        if rounds.will_use(draft.calls):
            draft.use()
        said = (draft.reply, draft.calls, draft.usage)
        user_id = writing.generation.user_id
        if not await in_tenant(user_id, rounds.goes_on, *said, timezone.now()):
            return
        draft.turn()


async def _round(writing: _Writing) -> None:
    draft, request = writing.draft, writing.rounds.request
    async with aclosing(model_for(writing.prepared).stream(request)) as parts:
        async for part in parts:
            if part.text:
                draft.add(part.text)
            draft.usage = part.usage or draft.usage
            draft.finish_reason = part.finish_reason or draft.finish_reason
            draft.calls = part.tool_calls or draft.calls


async def _beat(generation: Generation, draft: Draft) -> Pulse:
    try:
        written = (draft.text, timezone.now(), asdict(draft.tools))
        return await in_tenant(generation.user_id, heartbeat, generation, *written)
    except DatabaseError as error:  # the reply continues: the next heartbeat may get through
        log.warning("heartbeat failed", error=type(error).__name__)
        return Pulse(stop=False, unwatched=False, gone=False)


def _halt(pulse: Pulse) -> str:
    if pulse.stop or pulse.gone:
        return STOPPED
    return UNREAD if pulse.unwatched else ""


def _ended(writer: asyncio.Task[None]) -> None:
    _writers.discard(writer)
    failure = None if writer.cancelled() else writer.exception()
    if failure is not None:
        log.error("writer failed", error=type(failure).__name__)
