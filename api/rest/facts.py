"""Facts and the review queue."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import AfterValidator, Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.idempotency import keep_response
from api.rest.schemas import (
    Destination,
    Id,
    Ids,
    Moment,
    Paged,
    PageQuery,
    Revision,
    StrictSchema,
)
from memory.consolidation import application
from memory.facts.conflicts import contradicted_by
from memory.facts.review import decisions, wording
from memory.facts.statements import STATEMENT_LIMIT
from memory.facts.vocabulary import KINDS, details_of, kind_of, kinds_matching
from memory.models import Fact as FactRow
from memory.pages.facts import queries
from memory.pages.palace.queries import wing

router = Router(tags=["Facts and review"])
FactStatus = Literal["active", "pending_review", "superseded", "rejected"]
Attribute = Literal[
    "", "name", "home_city", "employer", "occupation", "spouse", "partner", "birthday", "hometown", "diet",
    "university",
]  # fmt: skip
VALUE_NEEDED = "An `attribute` needs its `value`, such as the name of the city."

END_IN_RANGE = "`at` must be between the `valid_from` of the fact and now."


def _known_kind(name: str) -> str:
    kind = kind_of(name)
    if kind is None:
        raise ValueError(f"unknown kind; must be one of {', '.join(KINDS)}")
    return kind


FactKind = Annotated[
    str, Field(max_length=40, description="A kind of fact, in any vocabulary."), AfterValidator(_known_kind)
]


def _matching_kinds(name: str) -> str:
    if name and not kinds_matching(name):
        raise ValueError(f"there is no such kind of fact; the kinds are {', '.join(KINDS)}")
    return name


KindName = Annotated[
    str,
    Field(max_length=40, description="A kind of fact, in any vocabulary."),
    AfterValidator(_matching_kinds),
]
Statement = Annotated[str, Field(min_length=5, max_length=STATEMENT_LIMIT)]
Value = Annotated[str, Field(max_length=300)]


class Fact(Schema):
    """A statement about the owner, valid from `valid_from` until `valid_to`, exclusive."""

    id: UUID
    kind: str
    memory_type: str
    nature: str
    section: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    event_time: datetime | None
    people: list[str] = Field(validation_alias="persons")
    entities: list[str]
    location: str
    topic: str
    confidence: float
    importance: float
    authority: str
    source_kind: str
    status: str
    review_reason: str
    valid_from: datetime
    valid_to: datetime | None
    ended_at: datetime | None
    superseded_by_id: UUID | None
    version: int
    times_seen: int
    times_recalled: int
    last_recalled_at: datetime | None
    extracted_by: str = Field(validation_alias="mined_by")
    recorded_at: datetime
    archived_at: datetime | None

    @staticmethod
    def resolve_nature(fact: Any) -> str:
        """The kind in the vocabulary of natures."""
        return details_of(fact.kind).nature

    @staticmethod
    def resolve_section(fact: Any) -> str:
        """The kind in the vocabulary of sections."""
        return details_of(fact.kind).section


class Quote(Schema):
    """The words a fact rests on, and their drawer."""

    drawer_id: UUID
    text: str = Field(validation_alias="words")


class FactWithQuotes(Schema):
    """A fact with the quotes that still exist."""

    fact: Fact
    quotes: list[Quote]


class Relation(Schema):
    """A relation between two entities and when it held. An empty name means the owner."""

    id: UUID
    subject_id: UUID
    subject: str = Field(validation_alias="subject_name")
    relation: str = Field(validation_alias="words")
    object_id: UUID
    object: str = Field(validation_alias="object_name")
    valid_from: datetime
    valid_to: datetime | None
    drawer_id: UUID


class Evidence(Schema):
    """A quote in context; `start` and `end` are the half-open range of the quote in `text`."""

    drawer_id: UUID = Field(validation_alias="source.drawer_id")
    text: str
    start: int
    end: int


class FactVersion(Schema):
    """An earlier version of a fact. `undone` marks one that was undone rather than replaced."""

    number: int
    statement: str = Field(validation_alias="sentence")
    status: str
    replaced_at: datetime
    undone: bool


class SimilarFact(Schema):
    """A fact with a similar meaning; `is_duplicate` if both say the same."""

    fact: Fact
    similarity: float
    is_duplicate: bool

    @staticmethod
    def resolve_similarity(similar: Any) -> float:
        return float(similar.percent) / 100


class FactDetails(Schema):
    """A fact with its evidence, history, and related facts."""

    fact: Fact
    evidence: list[Evidence]
    versions: list[FactVersion]
    other_values: list[Fact]
    similar_facts: list[SimilarFact]
    contradicts: Fact | None


class ReviewItem(Schema):
    """A fact that waits for review, the fact it contradicts, and facts it could be merged into."""

    candidate: FactWithQuotes
    contradicts: FactWithQuotes | None
    similar_facts: list[SimilarFact]


class EndingToReview(Schema):
    """A fact that may have ended at `ended_at`, with the words that suggest it."""

    fact: Fact
    ended_at: datetime
    quote: Quote


class FactQuery(PageQuery):
    """Which facts to list: those of a status, or with `at` all that were valid then."""

    status: FactStatus = "active"
    at: Moment | None = None
    kind: KindName = ""
    wing: UUID | None = None


class NewFact(StrictSchema):
    """A fact to add. An `attribute` has one value at a time: its new `value` ends the previous one."""

    statement: Statement
    kind: FactKind = "other"
    value: Value = ""
    valid_from: Moment | None = None
    attribute: Attribute = ""


class FactUpdate(StrictSchema):
    """The fields to change; omitted fields stay as they are. An empty `value` removes it."""

    statement: Statement | None = None
    kind: FactKind | None = None
    value: Value | None = None
    valid_from: Moment | None = None


class FactEnd(StrictSchema):
    """When the fact stopped being true; now if omitted."""

    at: Moment | None = None


class FactIds(StrictSchema):
    """The facts to decide about."""

    facts: Ids


class Decision(Schema):
    """A decision about facts. Undo it with `POST /undo/{id}`."""

    id: UUID = Field(validation_alias="event_id")
    facts: list[Revision]


class OptionalDecision(Schema):
    """A decision about facts. Undo it with `POST /undo/{id}`. The id is null if nothing changed."""

    id: UUID | None = Field(validation_alias="event_id")
    facts: list[Revision]


@router.get("facts", response=Paged[FactWithQuotes])
def list_facts(request: BearerRequest, query: Query[FactQuery]) -> Any:
    """List facts with their quotes, newest first."""
    if query.wing is not None:
        wing(request.user.id, query.wing)
    chosen = queries.FactSelection(
        query.status, wing_id=query.wing, at=query.at, kinds=kinds_matching(query.kind)
    )
    return queries.facts_page(request.user.id, chosen, query.after, query.limit)


@router.post("facts", response={200: Id, 201: Id}, auth=WRITE)
def create_fact(request: BearerRequest, new: NewFact) -> Any:
    """Add a fact.

    The statement is saved as a note. If the fact already exists, the note becomes one of its sources, and the
    status is 200."""
    if new.attribute and not new.value:
        raise Refused(422, VALUE_NEEDED)
    now = timezone.now()
    words = wording.Wording(new.statement, new.kind, new.value, new.valid_from or now)

    def keep(fact: FactRow, created: bool) -> None:
        keep_response(request, 201 if created else 200, {"id": fact.id})

    fact, created = wording.add(request.user.id, wording.NewFact(words, new.attribute), now, keep)
    return Status(201 if created else 200, fact)


@router.get("facts/{uuid:fact_id}", response=FactDetails)
def get_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Get a fact with its evidence, history, similar and contradicting facts."""
    found = decisions.found_fact(request.user.id, fact_id)
    return {
        "fact": found,
        "evidence": queries.sources_of(found),
        "versions": queries.versions_of(found),
        "other_values": queries.other_values(found),
        "similar_facts": queries.similar_facts_of(found),
        "contradicts": contradicted_by(found),
    }


@router.patch("facts/{uuid:fact_id}", response=OptionalDecision, auth=WRITE)
def update_fact(request: BearerRequest, fact_id: UUID, change: FactUpdate) -> Any:
    """Edit a fact, and approve it if it waits for review.

    The previous wording stays in its history. If no field is given, nothing changes and the id is null."""
    found = decisions.found_fact(request.user.id, fact_id)
    if not change.model_dump(exclude_none=True):
        return {"event_id": None, "facts": [found]}
    if change.value == "" and found.single_valued:
        raise Refused(422, VALUE_NEEDED)
    words = wording.Wording(
        statement=change.statement or found.statement,
        kind=change.kind or found.kind,
        value=found.value if change.value is None else change.value,
        valid_from=change.valid_from or found.valid_from,
    )
    return wording.edit(request.user.id, fact_id, words, timezone.now())


@router.delete("facts/{uuid:fact_id}", response=Decision, auth=WRITE)
def delete_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Delete a fact.

    Its drawers stay, and do not bring it back."""
    return decisions.delete(request.user.id, [fact_id], timezone.now())


@router.post("facts/{uuid:fact_id}/end", response=Decision, auth=WRITE)
def end_fact(request: BearerRequest, fact_id: UUID, end: FactEnd) -> Any:
    """Mark a fact as no longer true."""
    now = timezone.now()
    if end.at and not decisions.found_fact(request.user.id, fact_id).valid_from <= end.at <= now:
        raise Refused(422, END_IN_RANGE)
    return decisions.end(request.user.id, fact_id, end.at or now, now)


@router.post("facts/{uuid:fact_id}/confirm", response=Decision, auth=WRITE)
def confirm_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Confirm that a fact is true, or that one that may have ended is still true."""
    return decisions.confirm(request.user.id, [fact_id], timezone.now())


@router.post("facts/{uuid:fact_id}/keep-both", response=Decision, auth=WRITE)
def keep_both_facts(request: BearerRequest, fact_id: UUID) -> Any:
    """Approve a fact and keep the one it contradicts."""
    return decisions.keep_both(request.user.id, [fact_id], timezone.now())


@router.post("facts/{uuid:fact_id}/merge", response=Decision, auth=WRITE)
def merge_facts(request: BearerRequest, fact_id: UUID, destination: Destination) -> Any:
    """Merge a fact into another, which keeps the evidence of both."""
    return decisions.merge(request.user.id, fact_id, destination.into, timezone.now())


@router.post("facts/{uuid:fact_id}/reconsider", response=Decision, auth=WRITE)
def reconsider_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Return a reviewed fact to the review queue."""
    return decisions.return_to_review(request.user.id, [fact_id], timezone.now())


@router.post("facts/{uuid:fact_id}/unarchive", response=Id, auth=WRITE)
def unarchive_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Unarchive a fact."""
    application.unarchive(request.user.id, fact_id)
    return {"id": fact_id}


@router.get("review", response=Paged[ReviewItem])
def list_review_items(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List facts that wait for review, newest first.

    They are not used until they are approved."""
    return queries.waiting_facts(request.user.id, query.after, query.limit)


@router.get("review/endings", response=Paged[EndingToReview])
def list_endings_to_review(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List facts that may have ended, the latest ending first.

    Palace is not certain that the quoted words end them, so they stay current until you end them. To say that
    one is still true, confirm it. This also decides about a fact to review that says the same in these words
    ("You used to work at Seat"), and the other way round."""
    return queries.endings_to_review(request.user.id, query.after, query.limit)


@router.post("review/approve", response=Decision, auth=WRITE)
def approve_facts(request: BearerRequest, selection: FactIds) -> Any:
    """Approve facts.

    The value of a single-valued attribute ends the previous one."""
    return decisions.approve(request.user.id, selection.facts, timezone.now())


@router.post("review/reject", response=Decision, auth=WRITE)
def reject_facts(request: BearerRequest, selection: FactIds) -> Any:
    """Reject facts.

    Rejected facts are not learned again."""
    return decisions.reject(request.user.id, selection.facts, timezone.now())
