"""Recalls memory for a request. If that fails, the request continues with a notice instead."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from uuid import UUID

import structlog
from django.db import Error

from api.openai.access import Json
from api.openai.request import MemoryRequest
from api.openai.turns import is_too_long, turns_of, user_messages
from chat.agents import agent_of
from chat.conversations import MAX_MESSAGE_LENGTH
from chat.external_threads import History, find_position
from chat.models import Conversation
from chat.replies.generation import budget_error
from chat.replies.recall import EARLIER_TURNS, MEMORY_FAILED, MEMORY_OFF, NOT_SEARCHED, nothing_found
from llm import current
from llm.errors import ModelError
from memory.facts.queries import drawers_with_facts
from memory.models import RecallTrace, Wing
from memory.pages.requests import parse_uuid
from memory.placement import find_wing
from memory.preferences import preferences_of
from memory.recall.block import context_block, tokens_left, tokens_of_hit
from memory.recall.pipeline import recall
from memory.recall.trace import new_trace
from memory.recall.types import Hit, Recall, RecallRequest, RecallSettings, settings_from
from memory.search.time_limit import TimeLimit, TooSlow

LOOKING_UP_MS = 500
WIDE = 20
WIDER_BUDGET = 4

TOO_LONG = f"A message was not stored because it is longer than {MAX_MESSAGE_LENGTH:,} characters."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The block for the model, its drawers, and a notice of what failed.

    `trace` is not saved yet. `nothing` says what it means if there are no drawers. `conversation_id` is the
    conversation that the request continues. `refusal` is set when no model may be called.
    """

    block: str = ""
    hits: tuple[Hit, ...] = ()
    trace: RecallTrace | None = None
    notice: str = ""
    conversation_id: UUID | None = None
    refusal: ModelError | None = None
    zone: tzinfo = UTC
    nothing: str = MEMORY_OFF


LOST = RecallOutcome(notice=MEMORY_FAILED, nothing=NOT_SEARCHED)
"""The result when memory is unavailable."""


def try_recall(ask: MemoryRequest, messages: list[Json], model: str, now: datetime) -> RecallOutcome:
    """Recall memory for the last user message."""
    history = History(turns_of(messages), ask.external_id, ask.project)
    try:
        with TimeLimit(LOOKING_UP_MS).stage():
            conversation = find_position(ask.user_id, history, now).conversation
            preferences = preferences_of(ask.user_id)
            project = project_of(ask.user_id, ask.project)
            refusal = budget_error(ask.user_id, model, now)
    except (Error, TooSlow) as failure:
        log.warning("memory failed", error=type(failure).__name__)
        return LOST
    settings = settings_from(preferences)
    conversation_id = conversation.id if conversation else None
    unstored = ask.config.stores and any(map(is_too_long, messages))
    found = RecallOutcome(
        notice=TOO_LONG if unstored else "",
        conversation_id=conversation_id,
        refusal=refusal,
        zone=settings.zone,
    )
    texts = user_messages(messages)
    allowed = ask.config.enabled and settings.enabled and (conversation is None or _may_recall(conversation))
    if not allowed:
        return found
    if not (texts and texts[-1].strip()):
        return replace(found, nothing=NOT_SEARCHED)
    quoted = refusal is not None or not current.configuration().has_endpoint
    request = RecallRequest(
        user_id=ask.user_id,
        message=texts[-1],
        now=now,
        history=tuple(texts[:-1][-EARLIER_TURNS:]),
        settings=_overridden(settings, ask),
        exclude_source_id=None if quoted else conversation_id,
        quoted=quoted,
        called_at=now,
        wing_id=project.id if project else None,
    )
    return _recalled(found, request, ask)


def _may_recall(conversation: Conversation) -> bool:
    """Whether the chat and the agent chosen for it, if any, allow recall."""
    return conversation.recall_memory and (
        conversation.agent_id is None or agent_of(conversation).recall_memory
    )


def project_of(user_id: UUID, named: str) -> Wing | None:
    """The project with this id, name or alias, or None."""
    if not named:
        return None
    wing_id = parse_uuid(named)
    wing = Wing.objects.filter(user_id=user_id, id=wing_id).first() if wing_id else None
    wing = wing or find_wing(user_id, named)
    return wing if wing and wing.kind == Wing.Kind.PROJECT else None


def _overridden(settings: RecallSettings, ask: MemoryRequest) -> RecallSettings:
    """The user's settings with the overrides of the request."""
    config = ask.config
    if config.retrieval_limit is not None:
        settings = settings.limited_to(config.retrieval_limit)
    if config.similarity_threshold is not None:
        settings = replace(settings, similarity_floor=config.similarity_threshold)
    return settings


def _recalled(found: RecallOutcome, request: RecallRequest, ask: MemoryRequest) -> RecallOutcome:
    kinds, wanted = ask.config.kinds, request.settings
    if kinds:
        wide = replace(wanted.limited_to(WIDE), token_budget=wanted.token_budget * WIDER_BUDGET)
        request = replace(request, settings=wide)
    try:
        recalled = recall(request)
        if kinds:
            recalled = _narrowed(recalled, request.user_id, kinds, wanted)
    except (Error, TooSlow, ModelError) as failure:
        log.warning("memory failed", error=type(failure).__name__)
        return replace(found, notice=f"{MEMORY_FAILED} {found.notice}".strip(), nothing=NOT_SEARCHED)
    notices = dict.fromkeys((*(lost.words for lost in recalled.trace.degraded), found.notice))
    return replace(
        found,
        block=recalled.block,
        hits=recalled.hits,
        trace=new_trace(request, recalled, RecallTrace.Source.OPENAI),
        notice=" ".join(notices).strip(),
        nothing=nothing_found(request, recalled),
    )


def _narrowed(recalled: Recall, user_id: UUID, kinds: frozenset[str], settings: RecallSettings) -> Recall:
    """The drawers with facts of these kinds, within the user's limits."""
    ids = [hit.drawer_id for hit in recalled.hits]
    with TimeLimit(LOOKING_UP_MS).stage():
        fitting = drawers_with_facts(user_id, ids, kinds)
    hits: list[Hit] = []
    left = tokens_left(settings)
    query = recalled.trace.query
    most = settings.limit_for(query) if query else settings.top_k
    for hit in recalled.hits:
        needed = tokens_of_hit(hit, settings.zone)
        if hit.drawer_id in fitting and len(hits) < most and needed <= left:
            hits.append(hit)
            left -= needed
    return replace(recalled, hits=tuple(hits), block=context_block(hits, settings.zone), profile="")
