"""Search, recall, traces, and feedback on recalled drawers."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.places import WingKind
from api.rest.schemas import JsonObject, Moment, Paged, PageQuery, StrictSchema, Text
from chat.forgetting import readable_recalls
from chat.replies.recall import store_trace
from chat.replies.sources import sources_of
from memory.facts import corrections
from memory.models import RecallTrace
from memory.pages.palace import queries
from memory.pages.search.traces import recalls, stored_trace
from memory.preferences import preferences_of
from memory.recall import feedback, pipeline, types
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import settings_from
from memory.search.queries import SearchFilters

router = Router(tags=["Recall"])
MAX_HITS = 20
SEARCH_TIMEOUT_MS = 5_000
SEARCH_TOKENS = 200_000
Message = Annotated[str, Field(min_length=1, max_length=20_000)]
Role = Literal["user", "assistant", "tool", "note"]
HitLimit = Annotated[int, Field(ge=1, le=MAX_HITS)]


class SearchRequest(StrictSchema):
    """What to search for (words, a question, a date or a pointer), and filters: a wing, a kind of wing, a
    role, and the time from `since` up to, but not including, `until`."""

    query: Message
    limit: HitLimit = 10
    at: Moment | None = None
    wing: UUID | None = None
    wing_kind: WingKind | None = None
    role: Role | None = None
    since: Moment | None = None
    until: Moment | None = None


class RecallRequest(StrictSchema):
    """A message to recall memory for. `history` holds earlier turns of the user, newest last. Omitted
    parameters default to the settings, `at` to now."""

    message: Message
    history: Annotated[list[Message], Field(max_length=20)] = []
    at: Moment | None = None
    top_k: HitLimit | None = None
    token_budget: Annotated[int, Field(ge=100, le=16_000)] | None = None


class Hit(Schema):
    """A recalled drawer and why. `text` is part of the drawer if `truncated`; secrets are masked.
    `scores` are raw signals, `shares` how much each speaks for it (adding up to 1; penalties are negative);
    `retrievers` lists facts and entities that led to it; `span` is the half-open range of the best passage.
    `unfiled_in` is the chat of a message that is not filed yet: it has no pointer and no wing, and its drawer
    will have this id."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    room: str
    closet: str
    date: datetime
    role: str
    text: str
    truncated: bool = Field(validation_alias="excerpt")
    tokens: int
    reason: str
    score: float
    scores: dict[str, float]
    shares: dict[str, float]
    retrievers: dict[str, list[UUID]]
    span: tuple[int, int]
    unfiled_in: UUID | None = None


class SearchResult(Schema):
    """Drawers, best first, and the trace of the search. `trace_id` is null if it could not be stored."""

    hits: list[Hit]
    trace: JsonObject
    trace_id: UUID | None


class RecallResult(SearchResult):
    """The hits, and the `block` to put into the prompt; it is empty when nothing fits. `profile` is the part
    of the block about the user."""

    block: str
    profile: str


class RecalledDrawer(Schema):
    """A recalled drawer as it is now. `excerpt` is the beginning of its text if `truncated`, and empty if it
    was forgotten since. `correction_id` is set while the owner says that it is wrong, `unfiled_in` while it
    has no drawer yet."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    reason: Text = Field(validation_alias="ground.reason")
    excerpt: str = Field(validation_alias="words")
    truncated: bool = Field(validation_alias="cut")
    pinned: bool
    not_relevant: bool
    correction_id: UUID | None
    annotation: str = Field(validation_alias="remark")
    deletion_id: UUID | None
    unfiled_in: UUID | None = None


class RecallEntry(Schema):
    """A recall, its time and who asked. `question` is what was searched for; it is null if Palace did not
    search, or if the words were forgotten. `drawers` counts the recalled drawers that still exist."""

    id: UUID
    at: datetime
    source: RecallTrace.Source
    question: str | None
    drawers: int


class Trace(Schema):
    """How memory was searched, stage by stage, and the drawers that were recalled."""

    id: UUID
    at: datetime
    source: RecallTrace.Source
    trace: JsonObject
    sources: list[RecalledDrawer]


class Relevance(Schema):
    """The feedback on a recalled drawer."""

    trace_id: UUID
    drawer_id: UUID
    not_relevant: bool


class NewCorrection(StrictSchema):
    """What is wrong. The annotation is shown with the drawer from now on, to models too."""

    annotation: Annotated[str, Field(max_length=2_000)] = ""


class Correction(Schema):
    """A correction and how many facts it sent to review. Undo it with `POST /undo/{id}`."""

    id: UUID = Field(validation_alias="event_id")
    drawer_id: UUID
    facts: int


@router.post("search", response=SearchResult)
def search(request: BearerRequest, query: SearchRequest) -> Any:
    """Search drawers.

    Uses the recall pipeline without the limits of a prompt; hits are whole drawers. The search is listed
    among the recalls."""
    settings = replace(
        settings_from(preferences_of(request.user.id)).limited_to(query.limit),
        enabled=True,
        token_budget=SEARCH_TOKENS,
        time_limit_ms=SEARCH_TIMEOUT_MS,
    )
    if query.wing:
        queries.wing(request.user.id, query.wing)
    within = SearchFilters(query.wing, query.wing_kind or "", query.role or "", query.since, query.until)
    moment = query.at or timezone.now()
    wanted = types.RecallRequest(
        request.user.id, query.query, moment, settings=settings, explicit=True, within=within
    )
    return _result(wanted, pipeline.recall(wanted))


@router.post("recall", response=RecallResult)
def recall(request: BearerRequest, query: RecallRequest) -> Any:
    """Recall memory for a message.

    Returns what a model would get with the message: the block for the prompt, its drawers, and the trace,
    which is listed among the recalls."""
    chosen = settings_from(preferences_of(request.user.id))
    settings = replace(
        chosen.limited_to(query.top_k) if query.top_k else chosen,
        token_budget=query.token_budget or chosen.token_budget,
    )
    moment, history = query.at or timezone.now(), tuple(query.history)
    wanted = types.RecallRequest(request.user.id, query.message, moment, history=history, settings=settings)
    found = pipeline.recall(wanted)
    return {"block": found.block, "profile": found.profile, **_result(wanted, found)}


@router.get("traces", response=Paged[RecallEntry])
def list_traces(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List recalls, newest first.

    Includes the recalls of replies and those of programs."""
    return recalls(readable_recalls(request.user.id), query.after, query.limit)


@router.get("traces/{uuid:trace_id}", response=Trace)
def get_trace(request: BearerRequest, trace_id: UUID) -> Any:
    """Get the trace of a recall.

    Messages and the results of recalls contain their `trace_id`."""
    found = stored_trace(readable_recalls(request.user.id), trace_id)
    sources = sources_of(request.user.id, [trace_id]).get(trace_id, ())
    return {
        "id": found.id, "at": found.at, "source": found.source, "trace": found.trace, "sources": list(sources)
    }  # fmt: skip


@router.put("traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/not-relevant", response=Relevance, auth=WRITE)
def mark_not_relevant(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Mark a recalled drawer as not relevant.

    It ranks lower for similar questions."""
    feedback.record_not_relevant(request.user.id, trace_id, drawer_id, timezone.now())
    return {"trace_id": trace_id, "drawer_id": drawer_id, "not_relevant": True}


@router.delete("traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/not-relevant", response=Relevance, auth=WRITE)
def undo_not_relevant(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Undo marking a recalled drawer as not relevant."""
    stored_trace(readable_recalls(request.user.id), trace_id)
    feedback.clear_not_relevant(request.user.id, trace_id, drawer_id)
    return {"trace_id": trace_id, "drawer_id": drawer_id, "not_relevant": False}


@router.post("drawers/{uuid:drawer_id}/correction", response=Correction, auth=WRITE)
def correct_drawer(request: BearerRequest, drawer_id: UUID, new: NewCorrection) -> Any:
    """Mark a drawer as wrong.

    Its facts return to review, and models see your annotation with it."""
    return corrections.correct_drawer(request.user.id, drawer_id, new.annotation, timezone.now())


def rendered_hit(hit: types.Hit) -> JsonObject:
    """A hit with its text."""
    return {**hit_as_json(hit), "room": hit.room, "text": hit.text, "span": hit.span}


def _result(wanted: types.RecallRequest, found: types.Recall) -> JsonObject:
    hits = [rendered_hit(hit) for hit in found.hits]
    trace_id = store_trace(wanted, found, RecallTrace.Source.REST)
    return {"hits": hits, "trace": trace_as_json(found.trace), "trace_id": trace_id}
