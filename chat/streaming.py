"""Streams replies: one writer a reply, any number of pages that follow it.

The writer is a task of the process that claimed the reply. Pages of the same process see each
word at once; others read the row. No database connection is held between two looks at it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from contextvars import Context
from dataclasses import dataclass, field
from time import monotonic
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from django.utils import timezone

from accounts.tenancy import tenant
from chat.branches import message_at
from chat.conversations import being_answered
from chat.generations import (
    INTERRUPTED,
    Pulse,
    beat,
    claim,
    follow,
    interrupted,
    note_recall,
    settle_interrupted,
)
from chat.models import Conversation, Generation
from chat.replies import (
    STOPPED,
    Prepared,
    Reply,
    failed,
    model_for,
    prepare,
    settle,
    stopped,
    written,
)
from llm.errors import ModelError
from llm.types import Usage
from memory.sanitising import storable

BEAT_S = 0.5
WATCH_S = 5.0
PAUSES_S = (0.5, 2.0, 5.0)
UNREAD = "No page was open any more, so the reply was stopped here."

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger(__name__)
_writers: set[asyncio.Task[None]] = set()


@dataclass(slots=True)
class Draft:
    """A reply while it is written in this process. `changed` is set at the next change."""

    text: str = ""
    trace_id: UUID | None = None
    usage: Usage | None = None
    finish_reason: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, text: str) -> None:
        """Put words at the end."""
        self.text += storable(text).text
        self.tell()

    def tell(self) -> None:
        """Wake everybody who follows."""
        self.changed.set()
        self.changed = asyncio.Event()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reply has come; `finished` when it has left the making."""

    text: str = ""
    trace_id: UUID | None = None
    finished: bool = False


_drafts: dict[UUID, Draft] = {}


async def in_tenant(
    user_id: UUID, call: Callable[P, T], *arguments: P.args, **named: P.kwargs
) -> T:
    """The result of database work done as this person in a thread that keeps no connection."""

    def work() -> T:
        with tenant(user_id):
            try:
                return call(*arguments, **named)
            finally:
                connection.close()

    return await sync_to_async(work, thread_sensitive=False)()


async def begin(generation: Generation) -> None:
    """Write the reply in this process unless somebody writes it already."""
    if generation.state != Generation.State.WAITING:
        return
    if not await in_tenant(generation.user_id, claim, generation, timezone.now()):
        return
    _drafts[generation.id] = Draft()
    writer = asyncio.create_task(_write(generation), context=Context())
    _writers.add(writer)
    writer.add_done_callback(_ended)


async def progress(generation: Generation) -> AsyncIterator[Progress]:
    """The reply as it grows, at least once every half second, until it is finished."""
    watched = 0.0
    while True:
        draft = _drafts.get(generation.id)
        if draft is None:
            now = await _looked_up(generation)
            yield now
            if now.finished:
                return
            await asyncio.sleep(BEAT_S)
            continue
        changed = draft.changed
        yield Progress(draft.text, draft.trace_id)
        if monotonic() - watched > WATCH_S:
            watched = monotonic()
            await in_tenant(generation.user_id, follow, generation, timezone.now())
        await _until(changed)


async def _until(changed: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(changed.wait(), BEAT_S)
    except TimeoutError:
        return


async def _looked_up(generation: Generation) -> Progress:
    now = timezone.now()
    row = await in_tenant(generation.user_id, follow, generation, now)
    if row is None:
        return Progress(finished=True)
    if interrupted(row, now):
        await in_tenant(row.user_id, settle_interrupted, _conversation(row), now)
        return Progress(row.text, row.trace_id, finished=True)
    return Progress(row.text, row.trace_id)


async def _write(generation: Generation) -> None:
    draft = _drafts[generation.id]
    user_id = generation.user_id
    try:
        prepared = await in_tenant(user_id, _prepared, generation)
        draft.trace_id = prepared.trace_id
        draft.tell()
        try:
            reply = await _reply(generation, prepared, draft)
        except asyncio.CancelledError:
            await _keep(generation, prepared, stopped(prepared, draft.text, INTERRUPTED))
            raise
        await _keep(generation, prepared, reply)
    finally:
        del _drafts[generation.id]
        draft.tell()


async def _keep(generation: Generation, prepared: Prepared, reply: Reply) -> None:
    """Put the reply into the ledger, also when the database is away for some seconds."""
    for pause in PAUSES_S:
        try:
            await in_tenant(generation.user_id, settle, generation, prepared, reply, timezone.now())
        except DatabaseError as error:
            log.warning("reply not kept yet", error=type(error).__name__)
            await asyncio.sleep(pause)
        else:
            return
    await in_tenant(generation.user_id, settle, generation, prepared, reply, timezone.now())


def _prepared(generation: Generation) -> Prepared:
    conversation = being_answered(generation.user_id, generation.conversation_id)
    message = message_at(conversation, generation.parent_sequence)
    prepared = prepare(conversation, message, timezone.now())
    note_recall(generation, prepared.trace_id)
    return prepared


async def _reply(generation: Generation, prepared: Prepared, draft: Draft) -> Reply:
    """Let the model write, and stop it when it is asked for or when nobody reads any more."""
    writing = asyncio.create_task(_words(prepared, draft))
    halt = ""
    try:
        while not (await asyncio.wait({writing}, timeout=BEAT_S))[0]:
            halt = _halt(await _beat(generation, draft))
            if halt:
                break
    finally:
        writing.cancel()
        await asyncio.wait({writing})
    if halt or writing.cancelled():
        return stopped(prepared, draft.text, halt)
    failure = writing.exception()
    if isinstance(failure, ModelError):
        return failed(prepared, draft.text, failure)
    writing.result()
    return written(prepared, draft.text, draft.usage, draft.finish_reason)


async def _words(prepared: Prepared, draft: Draft) -> None:
    async with aclosing(model_for(prepared).stream(prepared.request)) as parts:
        async for part in parts:
            if part.text:
                draft.add(part.text)
            draft.usage = part.usage or draft.usage
            draft.finish_reason = part.finish_reason or draft.finish_reason


async def _beat(generation: Generation, draft: Draft) -> Pulse:
    try:
        return await in_tenant(generation.user_id, beat, generation, draft.text, timezone.now())
    except DatabaseError as error:  # the reply goes on: the next beat may get through
        log.warning("no sign of life", error=type(error).__name__)
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


def _conversation(generation: Generation) -> Conversation:
    return Conversation(user_id=generation.user_id, id=generation.conversation_id)
