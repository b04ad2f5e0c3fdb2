"""Consolidation: plan and apply."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import BeforeValidator, Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.schemas import Id, OptionalId, Paged, PageQuery, StrictSchema
from memory.consolidation import application, journal

router = Router(tags=["Consolidation"])


class ConsolidationRun(Schema):
    """A planned or applied run. `counts` are its changes by kind; `digest` identifies exactly these
    changes."""

    id: UUID = Field(validation_alias="run.id")
    state: str = Field(validation_alias="run.state")
    digest: str = Field(validation_alias="run.digest")
    counts: Annotated[dict[str, int], BeforeValidator(dict)]
    can_be_undone: bool
    planned_at: datetime = Field(validation_alias="run.planned_at")
    applied_at: datetime | None = Field(validation_alias="run.applied_at")


class ConsolidationChange(Schema):
    """A change of a run: the statement or place it is `about`, and the `others` it affects."""

    id: UUID
    kind: str
    subject: str
    about: str
    others: list[str]
    can_be_undone: bool
    undone_at: datetime | None


class PlanDigest(StrictSchema):
    """The `digest` of the plan to apply."""

    digest: Annotated[str, Field(max_length=64)]


@router.get("consolidation", response=Paged[ConsolidationRun])
def list_consolidation_runs(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List consolidation runs that changed something, newest first."""
    return journal.applied_runs(request.user.id, timezone.now(), query.after, query.limit)


@router.post("consolidation/plan", response=OptionalId, auth=WRITE)
def plan_consolidation(request: BearerRequest) -> Any:
    """Plan a consolidation without applying it.

    The id is null if there is nothing to consolidate. Summaries are renewed at once; they need
    no approval."""
    run = application.preview(request.user.id, timezone.now())
    return {"id": run.id if run else None}


@router.get("consolidation/{uuid:run_id}", response=ConsolidationRun)
def get_consolidation_run(request: BearerRequest, run_id: UUID) -> Any:
    """Get a planned or applied run."""
    return journal.run_of(request.user.id, run_id, timezone.now())


@router.get("consolidation/{uuid:run_id}/changes", response=Paged[ConsolidationChange])
def list_consolidation_changes(request: BearerRequest, run_id: UUID, query: Query[PageQuery]) -> Any:
    """List the changes of a run in order."""
    now = timezone.now()
    run = journal.run_of(request.user.id, run_id, now).run
    return journal.lines(request.user.id, run, now, query.after, query.limit)


@router.post("consolidation/{uuid:run_id}/apply", response=Id, auth=WRITE)
def apply_consolidation(request: BearerRequest, run_id: UUID, seen: PlanDigest) -> Any:
    """Apply a planned run."""
    return application.apply(request.user.id, run_id, seen.digest, timezone.now())
