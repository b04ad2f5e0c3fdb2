"""Tidying up: what would change, letting it happen, taking it back."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Given
from memory.consolidation import application, decay, journal
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.consolidation.journal import Told
from memory.consolidation.planning import plan
from memory.facts.review import NoSuchFact

router = Router(tags=["Consolidation"])


class Run(Schema):
    """A plan to tidy up, or what became of it. `counts` are changes by kind; `digest` names
    exactly these changes."""

    id: UUID
    state: str
    digest: str
    counts: dict[str, int]
    can_be_undone: bool
    planned_at: datetime
    applied_at: datetime | None


class Change(Schema):
    """One change of a run: what it is about and what it concerns, in words that still exist."""

    id: UUID
    kind: str
    subject: str
    about: str
    others: list[str]
    can_be_undone: bool
    undone_at: datetime | None


class Seen(Given):
    """The `digest` of the plan that was read."""

    digest: Annotated[str, Field(max_length=64)]


class Planned(Schema):
    """The plan; null when everything is tidy."""

    id: UUID | None


class Applied(Schema):
    """The run that was applied."""

    id: UUID


class Left(Schema):
    """How many changes stay, because what they concern has changed again since."""

    left: int


@router.get("tidying", response=Paged[Run], summary="What was tidied up")
def runs(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Runs that changed something, newest first."""
    now = timezone.now()
    return paged(journal.done(request.user.id, now, asked.after, asked.limit), _run)


@router.post("tidying/plan", response=Planned, auth=WRITE, summary="Plan")
def make_plan(request: BearerRequest) -> Any:
    """Work out what would be tidied up now; nothing else changes."""
    run = application.keep(request.user.id, plan(request.user.id, timezone.now()))
    if not run.counts:
        application.drop(request.user.id)
    return {"id": run.id if run.counts else None}


@router.get("tidying/{uuid:run_id}", response=Run, summary="One run")
def run(request: BearerRequest, run_id: UUID) -> Any:
    """A plan, or what became of it."""
    return _run(journal.run_of(request.user.id, run_id, timezone.now()))


@router.get("tidying/{uuid:run_id}/changes", response=Paged[Change], summary="Its changes")
def changes(request: BearerRequest, run_id: UUID, asked: Query[Asked]) -> Any:
    """Each change of a run in its order."""
    now = timezone.now()
    told = journal.run_of(request.user.id, run_id, now)
    return paged(journal.lines(request.user.id, told.run, now, asked.after, asked.limit))


@router.post("tidying/{uuid:run_id}/apply", response=Applied, auth=WRITE, summary="Let it happen")
def apply_plan(request: BearerRequest, run_id: UUID, seen: Seen) -> Any:
    """Do exactly what the plan says."""
    try:
        return application.apply(request.user.id, run_id, seen.digest, timezone.now())
    except (PlanOutdated, AlreadyApplied) as error:
        sentence = "Facts have changed since, or it was done before. Make a new plan."
        raise Refused(409, sentence) from error


@router.post("tidying/{uuid:run_id}/undo", response=Left, auth=WRITE, summary="Take it back")
def undo_run(request: BearerRequest, run_id: UUID) -> Any:
    """Take back all changes of a run that were not taken back yet."""
    return {"left": application.undo(request.user.id, run_id, timezone.now())}


@router.post(
    "tidying/{uuid:run_id}/changes/{uuid:change_id}/undo",
    response=Left,
    auth=WRITE,
    summary="Take one change back",
)
def undo_one_change(request: BearerRequest, run_id: UUID, change_id: UUID) -> Any:
    """Take back one change of a run."""
    return {"left": application.undo(request.user.id, run_id, timezone.now(), change_id)}


@router.post("facts/{uuid:fact_id}/use-again", response=Applied, auth=WRITE, summary="Out of the archive")
def use_again(request: BearerRequest, fact_id: UUID) -> Any:
    """Take a fact out of the archive."""
    if not decay.use_again(request.user.id, fact_id):
        raise NoSuchFact
    return {"id": fact_id}


def _run(told: Told) -> dict[str, Any]:
    return {
        "id": told.run.id,
        "state": told.run.state,
        "digest": told.run.digest,
        "counts": dict(told.counts),
        "can_be_undone": told.can_be_undone,
        "planned_at": told.run.planned_at,
        "applied_at": told.run.applied_at,
    }
