"""Replies: what is recalled and asked for one message, and what becomes of the answer."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic
from uuid import UUID

import structlog
from django.db import DatabaseError

from chat.agents import agent_of, model_of
from chat.branches import branch, message_at
from chat.conversations import NewMessage
from chat.generations import claim, finish
from chat.models import MEMORY_ONLY, Agent, Conversation, Generation, Message
from chat.prompts import Setting, memory_only, prompt
from llm import current
from llm.errors import (
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    NoEndpoint,
)
from llm.gateway import ChatGateway, ChatRequest
from llm.types import Usage
from memory.models import MemoryPreferences, RecallTrace
from memory.models import Usage as UsageRow
from memory.preferences import preferences_of
from memory.recall.pipeline import recall
from memory.recall.record import hit_as_json, trace_as_json
from memory.recall.settings import settings_from
from memory.recall.types import Hit, Recall, RecallRequest, RecallSettings
from memory.spending import BudgetSpent, admit
from memory.time_limit import TimeLimit, TooSlow
from memory.usage import Purpose

HISTORY_MESSAGES = 200
EARLIER_TURNS = 6
WHOLE_REPLY_S = 120.0
TRACE_MS = 1_000

NOT_CONNECTED = "No language model is connected."
MEMORY_FAILED = "Memory could not be read just now, so this was answered without it."
NO_TRACE = "How memory was searched could not be written down."
STOPPED = "You stopped this reply."
CUT_SHORT = "The model reached its limit here and stopped."
NO_WORDS = "The model sent an empty reply."

_FAILURES: tuple[tuple[type[ModelError], str], ...] = (
    (NoEndpoint, NOT_CONNECTED),
    (BudgetSpent, "This month’s budget is spent, so no language model was asked."),
    (ModelTimeout, "The language model did not answer in time."),
    (ModelRateLimited, "The language model has too much to do and asks to wait."),
    (ModelRefused, "The language model refused this request."),
    (ModelReplyInvalid, "The language model sent something that cannot be read."),
    (ModelError, "The language model cannot be reached."),
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that a reply is made from. `hits` are in the prompt; `notice` says in words what part of
    memory failed; `trace_id` is None when memory was not asked; `refusal` is set when no model may
    be."""

    request: ChatRequest
    settings: RecallSettings
    hits: tuple[Hit, ...] = ()
    trace_id: UUID | None = None
    notice: str = ""
    refusal: ModelError | None = None
    since: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply ready for the ledger, with what the model call took."""

    content: str
    model: str = ""
    status: str = Message.Status.COMPLETE
    notice: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class _Remembered:
    block: str = ""
    hits: tuple[Hit, ...] = ()
    trace_id: UUID | None = None
    notice: str = ""


def prepare(conversation: Conversation, message: Message, now: datetime) -> Prepared:
    """Recall what fits a message of the person and put the prompt together.

    A failure of memory never fails this: the notice tells of it.
    """
    preferences = preferences_of(conversation.user_id)
    settings = settings_from(preferences)
    agent = agent_of(conversation)
    model = model_of(conversation, agent)
    history = branch(conversation, upto=message.sequence, most=HISTORY_MESSAGES)
    remembered = _Remembered()
    if recalls(preferences, agent, conversation):
        remembered = _remembered(_recall_request(message, history, settings, now))
    setting = Setting(agent.instructions, remembered.block, now, settings.zone)
    return Prepared(
        request=ChatRequest(prompt(setting, history), model=model),
        settings=settings,
        hits=remembered.hits,
        trace_id=remembered.trace_id,
        notice=remembered.notice,
        refusal=_refusal(conversation.user_id, model, now),
    )


def model_for(prepared: Prepared) -> ChatGateway:
    """The model that is to reply. Raises NoEndpoint, or BudgetSpent when nothing is left of the
    month's budget."""
    chat = current.chat()
    if prepared.refusal is not None:
        raise prepared.refusal
    return chat


def recalls(preferences: MemoryPreferences, agent: Agent, conversation: Conversation) -> bool:
    """Whether this person, this agent and this chat all want memories in replies."""
    wanted = conversation.use_memory and not conversation.incognito
    return preferences.enabled and agent.recall_memory and wanted


def answer(conversation: Conversation, generation: Generation, now: datetime) -> Message | None:
    """Write a whole reply while the caller waits.

    None when somebody else writes it already, or the conversation went away meanwhile.
    """
    if not claim(generation, now, seconds=2 * WHOLE_REPLY_S):
        return None
    message = message_at(conversation, generation.parent_sequence)
    prepared = prepare(conversation, message, now)
    try:
        request = replace(prepared.request, timeout_s=WHOLE_REPLY_S)
        done = model_for(prepared).complete(request)
    except ModelError as failure:
        reply = failed(prepared, "", failure)
    else:
        reply = written(prepared, done.text, done.usage, done.finish_reason)
    return settle(generation, prepared, reply, now)


def written(prepared: Prepared, text: str, usage: Usage | None, finish_reason: str) -> Reply:
    """The reply that a model wrote to its end."""
    notices = [prepared.notice, CUT_SHORT if finish_reason == "length" else ""]
    status = Message.Status.COMPLETE
    if not text.strip():
        notices, status = [NO_WORDS], Message.Status.FAILED
    notice = " ".join(notice for notice in notices if notice)
    usage = usage or _so_far(prepared, text)
    return Reply(text, usage.model, status, notice, usage)


def failed(prepared: Prepared, text: str, failure: ModelError) -> Reply:
    """The reply when the model failed: what it wrote so far, or memory alone, with the reason."""
    reason = in_words(failure)
    expected = isinstance(failure, NoEndpoint | BudgetSpent)
    if not expected:
        log.warning("reply failed", error=type(failure).__name__, started=bool(text))
    if text.strip():
        notice = f"{reason} The reply breaks off here."
        status = Message.Status.FAILED
        return Reply(text, prepared.request.model, status, notice, _so_far(prepared, text))
    content = memory_only(prepared.hits, reason, prepared.settings.zone)
    notices = (prepared.notice, "" if expected else reason)
    notice = " ".join(notice for notice in notices if notice)
    return Reply(content, MEMORY_ONLY, notice=notice, usage=failure.spent)


def stopped(prepared: Prepared, text: str, notice: str = STOPPED) -> Reply:
    """The reply as far as it came before it was stopped."""
    usage = _so_far(prepared, text)
    return Reply(text, prepared.request.model, Message.Status.STOPPED, notice, usage)


def settle(
    generation: Generation, prepared: Prepared, reply: Reply, now: datetime
) -> Message | None:
    """Put the reply into the ledger, once; None when another did or the chat is gone."""
    new = NewMessage(
        role=Message.Role.ASSISTANT,
        content=reply.content,
        parent=generation.parent_sequence,
        status=reply.status,
        notice=reply.notice[:300],
        model=reply.model[:120],
        input_tokens=reply.usage.input_tokens if reply.usage else None,
        output_tokens=reply.usage.output_tokens if reply.usage else None,
        cost_usd=reply.usage.cost_usd if reply.usage else None,
        trace_id=prepared.trace_id,
    )
    return finish(generation, new, reply.usage, now)


def in_words(failure: ModelError) -> str:
    """What went wrong with the model, as a sentence for the person."""
    return next(words for kind, words in _FAILURES if isinstance(failure, kind))


def _refusal(user_id: UUID, model: str, now: datetime) -> ModelError | None:
    try:
        admit(Purpose(user_id, UsageRow.Source.CHAT, now), model)
    except BudgetSpent as refusal:
        return refusal
    return None


def _so_far(prepared: Prepared, text: str) -> Usage:
    """What a reply that ended early has cost: the endpoint read the prompt and wrote the text."""
    milliseconds = round((monotonic() - prepared.since) * 1000)
    return current.estimated_usage(prepared.request, text, milliseconds)


def _recall_request(
    message: Message, history: list[Message], settings: RecallSettings, now: datetime
) -> RecallRequest:
    earlier = [turn.content for turn in history[:-1] if turn.role == Message.Role.USER]
    return RecallRequest(
        user_id=message.user_id,
        message=message.content,
        now=now,
        history=tuple(earlier[-EARLIER_TURNS:]),
        settings=settings,
        exclude_source_id=message.conversation_id,
        called_at=now,
    )


def _remembered(request: RecallRequest) -> _Remembered:
    try:
        found = recall(request)
    except (DatabaseError, ModelError) as failure:
        log.warning("memory failed", error=type(failure).__name__)
        return _Remembered(notice=MEMORY_FAILED)
    trace_id = _kept_trace(request, found)
    notices = [lost.words for lost in found.trace.degraded]
    notices += [] if trace_id else [NO_TRACE]
    return _Remembered(found.block, found.hits, trace_id, " ".join(dict.fromkeys(notices)))


def _kept_trace(request: RecallRequest, found: Recall) -> UUID | None:
    """The id of the stored trace; None when the database would not take it in time."""
    try:
        with TimeLimit(TRACE_MS).stage():
            return _keep_trace(request, found)
    except (DatabaseError, TooSlow) as failure:
        log.warning("trace not kept", error=type(failure).__name__)
        return None


def _keep_trace(request: RecallRequest, found: Recall) -> UUID:
    trace = RecallTrace.objects.create(
        user_id=request.user_id,
        trace=trace_as_json(found.trace),
        hits=[hit_as_json(hit) for hit in found.hits],
        at=request.now,
    )
    return trace.id
