"""Searching and recalling, with the reasons, and the traces of what was recalled for replies."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.values import Given, Moment
from chat.conversations import find
from chat.mining.results import remembered_of
from chat.replies.sources import sources_of
from memory.changes.log import ChangedSince
from memory.facts import corrections
from memory.pages.search.traces import found_trace
from memory.preferences import preferences_of
from memory.recall import feedback
from memory.recall.pipeline import recall as recall_memory
from memory.recall.presets import RECIPES
from memory.recall.settings import settings_from
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Hit as RecallHit
from memory.recall.types import Recall, RecallRequest

MOST_HITS = 20
Words = Annotated[str, Field(min_length=1, max_length=20_000)]
HitLimit = Annotated[int, Field(ge=1, le=MOST_HITS)]


class Search(Given):
    """What to look for: words, a question, a date, or a pointer."""

    query: Words
    limit: HitLimit = 10
    at: Moment | None = None


class ToAnswer(Given):
    """A message to recall for. `history` holds the person's earlier turns, newest last; what is
    not given is as chosen in the settings. `at` is when it is said: now, unless given."""

    message: Words
    history: Annotated[list[Words], Field(max_length=20)] = []
    at: Moment | None = None
    top_k: HitLimit | None = None
    token_budget: Annotated[int, Field(ge=100, le=16_000)] | None = None
    recipe: Literal["fast", "default", "thorough"] | None = None


class Hit(Schema):
    """A recalled drawer: where it is, what it says, and why it was chosen. `scores` are what was
    measured, `shares` what part of the score each signal has; `span` is the half-open range of the
    best passage."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    room: str
    closet: str
    date: datetime
    role: str
    text: str
    excerpt: bool
    tokens: int
    reason: str
    score: float
    scores: dict[str, float]
    shares: dict[str, float]
    brought_by: dict[str, list[UUID]]
    span: tuple[int, int]


class Found(Schema):
    """Drawers, the best first, and how they were found."""

    hits: list[Hit]
    trace: dict[str, Any]


class Recalled(Found):
    """The same, and `block`: what to put before the model, empty when nothing fits. `profile` is
    what the block tells of the person."""

    block: str
    profile: str


PATIENCE_MS = 5000
PLENTY = 200_000

router = Router(tags=["Recall"])


@router.post("search", response=Found, summary="Search drawers")
def search(request: BearerRequest, asked: Search) -> Any:
    """Look for drawers as recall does, as many as wanted, whole, each with why it was found."""
    chosen = settings_from(preferences_of(request.user.id))
    generous = replace(
        chosen,
        enabled=True,
        top_k=asked.limit,
        token_budget=PLENTY,
        time_limit_ms=PATIENCE_MS,
    )
    found = recall_memory(
        RecallRequest(request.user.id, asked.query, asked.at or timezone.now(), settings=generous, asked=True)
    )
    return _told(found)


@router.post("recall", response=Recalled, summary="Recall for a message")
def recall(request: BearerRequest, asked: ToAnswer) -> Any:
    """What a reply to this message would be given, within the limits that were chosen: a block to
    put before the model, the drawers in it, and the trace. Nothing of it is kept."""
    chosen = settings_from(preferences_of(request.user.id))
    settings = replace(
        chosen,
        top_k=asked.top_k or chosen.top_k,
        token_budget=asked.token_budget or chosen.token_budget,
        recipe=RECIPES[asked.recipe] if asked.recipe else chosen.recipe,
    )
    found = recall_memory(
        RecallRequest(
            request.user.id,
            asked.message,
            asked.at or timezone.now(),
            history=tuple(asked.history),
            settings=settings,
        )
    )
    return {"block": found.block, "profile": found.profile, **_told(found)}


def _told(found: Recall) -> dict[str, Any]:
    return {"hits": [_hit(hit) for hit in found.hits], "trace": trace_as_json(found.trace)}


def _hit(hit: RecallHit) -> dict[str, Any]:
    return {**hit_as_json(hit), "room": hit.room, "text": hit.text, "span": hit.span}


class Source(Schema):
    """A recalled drawer as it is now: the beginning of its words (empty when it was forgotten
    since; `cut` when it goes on), why it was chosen, and what its owner said of it. `misfit` says
    that it was called not relevant here, `disputed` that it is called wrong."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    reason: str
    words: str
    cut: bool
    pinned: bool
    misfit: bool
    disputed: UUID | None
    remark: str
    deletion_id: UUID | None

    @staticmethod
    def resolve_reason(source: Any) -> str:
        """One sentence."""
        return str(source.ground.reason)

    @staticmethod
    def resolve_disputed(source: Any) -> UUID | None:
        """The id by which the dispute is taken back."""
        found: UUID | None = source.dispute.event_id if source.dispute else None
        return found


class Trace(Schema):
    """How memory was searched before a reply, stage by stage, and what it was given."""

    id: UUID
    at: datetime
    trace: dict[str, Any]
    sources: list[Source]


class Judged(Schema):
    """What was judged."""

    trace_id: UUID
    drawer_id: UUID
    misfit: bool


class Wrong(Given):
    """What is wrong; it stands beside the words from then on, and models are told."""

    remark: Annotated[str, Field(max_length=2_000)] = ""


class Disputed(Schema):
    """How many facts went to review. Posting to `/disputes/{id}/undo` takes it back."""

    id: UUID
    drawer_id: UUID
    facts: int


class Batch(Schema):
    """What one mining of a chat remembered; `deletion_id` is set while that is undone. Posting to
    `/activity/{id}/take-back` with its `event_id` undoes it."""

    event_id: UUID
    drawers: int
    facts: list[str]
    more_facts: int
    for_review: int
    deletion_id: UUID | None


class Remembered(Schema):
    """What is remembered of a chat, and how it stands with the rest: `off`, `empty`, `done`,
    `waiting`, `late`, `full`, `rereading` or `failed`, and the same in words."""

    state: str
    words: str
    batches: list[Batch]


@router.get("traces/{uuid:trace_id}", response=Trace, summary="What was recalled for a reply")
def trace(request: BearerRequest, trace_id: UUID) -> Any:
    """How memory was searched, and the drawers that were chosen as they are now. A message names
    its `trace_id`."""
    found = found_trace(request.user.id, trace_id)
    sources = sources_of(request.user.id, [trace_id]).get(trace_id, ())
    return {"id": found.id, "at": found.at, "trace": found.trace, "sources": list(sources)}


@router.put(
    "traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/misfit",
    response=Judged,
    auth=WRITE,
    summary="Not relevant",
)
def call_misfit(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Say that a recalled drawer did not fit; it comes later when something like it is asked."""
    feedback.call_unfitting(request.user.id, trace_id, drawer_id, timezone.now())
    return {"trace_id": trace_id, "drawer_id": drawer_id, "misfit": True}


@router.delete(
    "traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/misfit",
    response=Judged,
    auth=WRITE,
    summary="Relevant after all",
)
def take_back_misfit(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Take back that a recalled drawer did not fit."""
    found_trace(request.user.id, trace_id)
    feedback.call_fitting(request.user.id, trace_id, drawer_id)
    return {"trace_id": trace_id, "drawer_id": drawer_id, "misfit": False}


@router.post("drawers/{uuid:drawer_id}/dispute", response=Disputed, auth=WRITE, summary="It is wrong")
def dispute(request: BearerRequest, drawer_id: UUID, wrong: Wrong) -> Any:
    """Say that what a drawer says is wrong: your remark goes to models with it, and its facts go
    to review."""
    found = corrections.dispute(request.user.id, drawer_id, wrong.remark, timezone.now())
    return {"id": found.event_id, "drawer_id": found.drawer_id, "facts": found.facts}


@router.post("disputes/{uuid:dispute_id}/undo", response=Disputed, auth=WRITE, summary="Right after all")
def undo_dispute(request: BearerRequest, dispute_id: UUID) -> Any:
    """Take back that something is wrong; its facts hold as before."""
    try:
        drawer_id = corrections.undo(request.user.id, dispute_id, timezone.now())
    except ChangedSince as error:
        sentence = "Something was decided about its facts since; take that back first."
        raise Refused(409, sentence) from error
    return {"id": dispute_id, "drawer_id": drawer_id, "facts": 0}


@router.get(
    "conversations/{uuid:conversation_id}/remembered",
    response=Remembered,
    summary="What was remembered",
)
def remembered(request: BearerRequest, conversation_id: UUID) -> Any:
    """What is remembered of a chat and, if nothing is, why."""
    found = find(request.user.id, conversation_id)
    return remembered_of(found, timezone.now())
