"""Facts: lists, one fact with its words, and what its owner writes about it."""

from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import Field

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Asked, Paged, paged
from api.problems import Refused
from api.schemas import facts as told
from api.schemas.values import Moment
from memory import fact_lists
from memory.browsing import wing
from memory.fact_lists import Chosen
from memory.facts.conflicts import contradicted_by
from memory.kinds import kinds_called
from memory.notes import NoteRefused
from memory.review import decisions, wording
from memory.review.decisions import Decision
from memory.review.wording import KnownAlready

router = Router(tags=["Facts"])


class WantedFacts(Asked):
    """Which facts: of a state, or all that were true at a moment; of a kind in any of the
    vocabularies; of a wing."""

    status: told.State = "active"
    at: Moment | None = None
    kind: Annotated[str, Field(max_length=40)] = ""
    wing: UUID | None = None


@router.get("facts", response=Paged[told.KnownFact], summary="Facts, newest first")
def facts(request: BearerRequest, asked: Query[WantedFacts]) -> Any:
    """Facts with the words they rest on."""
    kinds = kinds_called(asked.kind)
    if asked.kind and not kinds:
        raise Refused(422, "There is no such kind of fact in any of the vocabularies.")
    if asked.wing is not None:
        wing(request.user.id, asked.wing)
    chosen = Chosen(asked.status, wing_id=asked.wing, at=asked.at, kinds=kinds)
    return paged(fact_lists.facts_chosen(request.user.id, chosen, asked.after, asked.limit))


@router.post("facts", response={201: told.Noted}, auth=WRITE, summary="Write a fact down")
def add_fact(request: BearerRequest, new: told.NewFact) -> Any:
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


@router.get("facts/{uuid:fact_id}", response=told.WholeFact, summary="One fact")
def fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Its words in their place, its versions, what is like it and what it contradicts."""
    found = decisions.found_fact(request.user.id, fact_id)
    return {
        "fact": found,
        "evidence": fact_lists.evidence_of(found),
        "versions": fact_lists.versions_of(found),
        "other_values": fact_lists.other_values(found),
        "relatives": fact_lists.relatives_of(found),
        "against": contradicted_by(found),
    }


@router.patch("facts/{uuid:fact_id}", response=told.Decided, auth=WRITE, summary="Edit a fact")
def edit_fact(request: BearerRequest, fact_id: UUID, new: told.NewWording) -> Any:
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


@router.delete("facts/{uuid:fact_id}", response=told.Decided, auth=WRITE, summary="Delete a fact")
def delete_fact(request: BearerRequest, fact_id: UUID) -> Any:
    """Delete a fact; the words it rests on stay and do not bring it back."""
    return decided(decisions.delete(request.user.id, fact_id, timezone.now()))


@router.post("facts/{uuid:fact_id}/end", response=told.Decided, auth=WRITE, summary="End a fact")
def end_fact(request: BearerRequest, fact_id: UUID, ending: told.Ending) -> Any:
    """Say that a fact is true no longer."""
    now = timezone.now()
    at = min(ending.at or now, now)
    return decided(decisions.end(request.user.id, fact_id, at, now))


def decided(decision: Decision) -> dict[str, Any]:
    """A decision as it is answered."""
    return {"id": decision.event_id, "facts": decision.facts}
