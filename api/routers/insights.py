"""Insights: patterns over facts, each with what it rests on."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Paged, paged
from api.schemas import projections as told
from memory.projections import insights as domain

router = Router(tags=["Insights"])


@router.get("insights", response=Paged[told.Insight], summary="Insights, newest first")
def insights(request: BearerRequest, asked: Query[told.WantedInsights]) -> Any:
    """Patterns that hold of the facts as they are now, or those that were dismissed."""
    found = domain.insights(
        request.user.id, dismissed=asked.dismissed, after=asked.after, most=asked.limit
    )
    return paged(found)


@router.post(
    "insights/{uuid:insight_id}/dismiss", response=told.Touched, auth=WRITE, summary="Dismiss it"
)
def dismiss_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Show a pattern no more."""
    domain.dismiss(request.user.id, insight_id, timezone.now())
    return {"id": insight_id}


@router.post(
    "insights/{uuid:insight_id}/restore", response=told.Touched, auth=WRITE, summary="Show it again"
)
def restore_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Show a dismissed pattern again."""
    domain.restore(request.user.id, insight_id, timezone.now())
    return {"id": insight_id}
