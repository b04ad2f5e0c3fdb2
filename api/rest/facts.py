"""Facts: lists, one fact with its words, and what its owner writes about it."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import AfterValidator, Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Count, Given, Ids, Moment
from memory.changes.log import ChangedSince
from memory.facts.conflicts import contradicted_by
from memory.facts.review import decisions, wording
from memory.facts.review.decisions import Decision
from memory.facts.review.wording import KnownAlready
from memory.facts.statements import STATEMENT_LIMIT
from memory.facts.vocabulary import KINDS, kind_of, kinds_called, nature_of, section_of
from memory.organize.notes import NoteRefused
from memory.pages.facts import queries
from memory.pages.facts.queries import Chosen
from memory.pages.palace.queries import wing

State = Literal["active", "pending_review", "superseded", "rejected"]
Subject = Literal[
    "",
    "name",
    "home_city",
    "employer",
    "occupation",
    "spouse",
    "partner",
    "birthday",
    "hometown",
    "diet",
    "university",
]


def _known_kind(name: str) -> str:
    kind = kind_of(name)
    if kind is None:
        raise ValueError(f"there is no such kind; there are {', '.join(KINDS)}")
    return kind


KindName = Annotated[
    str,
    Field(max_length=40, description="A kind of fact, in any of the vocabularies."),
    AfterValidator(_known_kind),
]
Statement = Annotated[str, Field(min_length=5, max_length=STATEMENT_LIMIT)]
Value = Annotated[str, Field(max_length=300)]


class Fact(Schema):
    """One statement about the owner of the palace, true from `valid_from` until `valid_to`, which
    is not included."""

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
    persons: list[str]
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
    mined_by: str
    recorded_at: datetime
    archived_at: datetime | None

    @staticmethod
    def resolve_nature(fact: Any) -> str:
        """The kind in the vocabulary of natures."""
        return nature_of(fact.kind)

    @staticmethod
    def resolve_section(fact: Any) -> str:
        """The kind in the vocabulary of sections."""
        return section_of(fact.kind)


class Quote(Schema):
    """The words a fact rests on, and the drawer they stand in."""

    drawer_id: UUID
    words: str


class KnownFact(Schema):
    """A fact with its words, those that still exist."""

    fact: Fact
    quotes: list[Quote]


class FactInDrawer(Schema):
    """A fact known from a drawer; `start` and `end` are the half-open range of its words."""

    fact: Fact
    start: int
    end: int


class Line(Schema):
    """A relation: `subject` knows `object`, from when until when. An empty name is the owner."""

    id: UUID
    subject_id: UUID
    subject: str
    relation: str
    object_id: UUID
    object: str
    valid_from: datetime
    valid_to: datetime | None
    drawer_id: UUID


class Known(Schema):
    """What rests on the words of a drawer."""

    facts: list[FactInDrawer]
    relations: list[Line]


class Evidence(Schema):
    """The words around those a fact rests on; `start` and `end` count in `text`."""

    drawer_id: UUID
    text: str
    start: int
    end: int

    @staticmethod
    def resolve_drawer_id(evidence: Any) -> UUID:
        """The drawer is that of the source."""
        found: UUID = evidence.source.drawer_id
        return found


class Version(Schema):
    """A form the fact had before its owner decided about it, or, if `undone`, after that."""

    number: int
    statement: str
    status: str
    replaced_at: datetime
    undone: bool


class Relative(Schema):
    """A fact that means much the same, how much in percent, and whether it is the same."""

    fact: Fact
    percent: int
    is_same: bool


class WholeFact(Schema):
    """All there is to say about one fact."""

    fact: Fact
    evidence: list[Evidence]
    versions: list[Version]
    other_values: list[Fact]
    relatives: list[Relative]
    against: Fact | None


class Waiting(Schema):
    """A fact that waits for a decision, what it contradicts, and what it could be merged into."""

    known: KnownFact
    against: KnownFact | None
    relatives: list[Relative]


class NewFact(Given):
    """A fact to write down. What it is `about` can have one answer at a time: a new one ends the
    old one, and needs its `value`."""

    statement: Statement
    kind: KindName = "other"
    value: Value = ""
    since: Moment | None = None
    about: Subject = ""


class NewWording(Given):
    """A fact in other words; what is left out stays."""

    statement: Statement | None = None
    kind: KindName | None = None
    value: Value | None = None
    since: Moment | None = None


class Ending(Given):
    """When a fact was over: now, if nothing is given."""

    at: Moment | None = None


class Several(Given):
    """Facts to decide about at once."""

    facts: Ids


class MergedInto(Given):
    """The fact that another goes up in."""

    into: UUID


class Noted(Schema):
    """The fact that was written down; null when it was known already."""

    id: UUID | None


class DecidedFact(Schema):
    """A fact as a decision left it."""

    id: UUID
    status: str
    version: int


class Decided(Schema):
    """What was decided. Posting to `/decisions/{id}/undo` takes it back."""

    id: UUID
    facts: list[DecidedFact]


router = Router(tags=["Facts and review"])


class WantedFacts(Asked):
    """Which facts: of a state, or all that were true at a moment; of a kind in any of the
    vocabularies; of a wing."""

    status: State = "active"
    at: Moment | None = None
    kind: Annotated[str, Field(max_length=40)] = ""
    wing: UUID | None = None


@router.get("facts", response=Paged[KnownFact], summary="Facts, newest first")
def facts(request: BearerRequest, asked: Query[WantedFacts]) -> Any:
    """Facts with the words they rest on."""
    kinds = kinds_called(asked.kind)
    if asked.kind and not kinds:
        raise Refused(422, "There is no such kind of fact in any of the vocabularies.")
    if asked.wing is not None:
        wing(request.user.id, asked.wing)
    chosen = Chosen(asked.status, wing_id=asked.wing, at=asked.at, kinds=kinds)
    return paged(queries.facts_chosen(request.user.id, chosen, asked.after, asked.limit))


@router.post("facts", response={201: Noted}, auth=WRITE, summary="Write a fact down")
def add_fact(request: BearerRequest, new: NewFact) -> Any:
    """Keep a fact in its owner's words, which become a note. The id is null when it was known."""
    if new.about and not new.value:
        raise Refused(422, "What it is about needs its value, such as the name of the place.")
    now = timezone.now()
    words = wording.Wording(new.statement, new.kind, new.value, new.since or now)
    try:
        made = wording.add(request.user.id, wording.NewFact(words, new.about), now)
    except NoteRefused as error:
        raise Refused(422, str(error)) from error
    return Status(201, {"id": made.id if made else None})


@router.get("facts/{uuid:fact_id}", response=WholeFact, summary="One fact")
def fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Its words in their place, its versions, what is like it and what it contradicts."""
    found = decisions.found_fact(request.user.id, fact_id)
    return {
        "fact": found,
        "evidence": queries.evidence_of(found),
        "versions": queries.versions_of(found),
        "other_values": queries.other_values(found),
        "relatives": queries.relatives_of(found),
        "against": contradicted_by(found),
    }


@router.patch("facts/{uuid:fact_id}", response=Decided, auth=WRITE, summary="Edit a fact")
def edit_fact(request: BearerRequest, fact_id: UUID, new: NewWording) -> Any:
    """Put a fact into other words; the earlier ones stay in its history."""
    found = decisions.found_fact(request.user.id, fact_id)
    words = wording.Wording(
        statement=new.statement or found.statement,
        kind=new.kind or found.kind,
        value=new.value or found.value,
        valid_from=new.since or found.valid_from,
    )
    try:
        return decided(wording.edit(request.user.id, fact_id, words, timezone.now()))
    except KnownAlready as error:
        raise Refused(409, str(error)) from error


@router.delete("facts/{uuid:fact_id}", response=Decided, auth=WRITE, summary="Delete a fact")
def delete_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Delete a fact; the words it rests on stay and do not bring it back."""
    return decided(decisions.delete(request.user.id, fact_id, timezone.now()))


@router.post("facts/{uuid:fact_id}/end", response=Decided, auth=WRITE, summary="End a fact")
def end_fact(request: BearerRequest, fact_id: UUID, ending: Ending) -> Any:
    """Say that a fact is true no longer."""
    now = timezone.now()
    at = min(ending.at or now, now)
    return decided(decisions.end(request.user.id, fact_id, at, now))


def decided(decision: Decision) -> dict[str, Any]:
    """A decision as it is answered."""
    return {"id": decision.event_id, "facts": decision.facts}


@router.get("review", response=Paged[Waiting], summary="What waits for review")
def review(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Facts that are not used before their owner says yes, newest first."""
    return paged(queries.waiting_facts(request.user.id, asked.after, asked.limit))


@router.post("review/approve", response=Decided, auth=WRITE, summary="Approve facts")
def approve(request: BearerRequest, several: Several) -> Any:
    """Let waiting facts hold; one that can have one value ends the value before it."""
    return decided(decisions.approve(request.user.id, several.facts, timezone.now()))


@router.post("review/reject", response=Decided, auth=WRITE, summary="Reject facts")
def reject(request: BearerRequest, several: Several) -> Any:
    """Refuse facts; they are not learned again."""
    return decided(decisions.reject(request.user.id, several.facts, timezone.now()))


@router.post("facts/{uuid:fact_id}/keep-both", response=Decided, auth=WRITE, summary="Keep both")
def keep_both(request: BearerRequest, fact_id: UUID) -> Any:
    """Let a waiting fact hold beside the one it contradicts."""
    return decided(decisions.keep_both(request.user.id, fact_id, timezone.now()))


@router.post("facts/{uuid:fact_id}/merge", response=Decided, auth=WRITE, summary="Merge two facts")
def merge_facts(request: BearerRequest, fact_id: UUID, given: MergedInto) -> Any:
    """Let a fact go up in another, which then rests on the words of both."""
    return decided(decisions.merge(request.user.id, fact_id, given.into, timezone.now()))


@router.post("facts/{uuid:fact_id}/reconsider", response=Decided, auth=WRITE, summary="Wait again")
def reconsider(request: BearerRequest, fact_id: UUID) -> Any:
    """Put a fact that once waited back into review."""
    return decided(decisions.wait_again(request.user.id, fact_id, timezone.now()))


@router.post("decisions/{uuid:decision_id}/undo", response=Count, auth=WRITE, summary="Take a decision back")
def undo_decision(request: BearerRequest, decision_id: UUID) -> Any:
    """Take a decision about facts back; how many facts are as they were."""
    try:
        facts = decisions.undo(request.user.id, decision_id, timezone.now())
    except ChangedSince as error:
        sentence = "Something was decided about this since; take that back first."
        raise Refused(409, sentence) from error
    return {"count": len(facts)}
