"""Review: what waits for its owner, decisions about it, and taking them back."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Asked, Paged, paged
from api.problems import Refused
from api.routers.facts import decided
from api.schemas import facts as told
from api.schemas.values import Count
from memory import fact_lists
from memory.facts.versions import DecidedSince
from memory.review import decisions, undoing

router = Router(tags=["Review"])


@router.get("review", response=Paged[told.Waiting], summary="What waits for review")
def review(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Facts that are not used before their owner says yes, newest first."""
    return paged(fact_lists.waiting_facts(request.user.id, asked.after, asked.limit))


@router.post("review/approve", response=told.Decided, auth=WRITE, summary="Approve facts")
def approve(request: BearerRequest, several: told.Several) -> Any:
    """Let waiting facts hold; one that can have one value ends the value before it."""
    return decided(decisions.approve(request.user.id, several.facts, timezone.now()))


@router.post("review/reject", response=told.Decided, auth=WRITE, summary="Reject facts")
def reject(request: BearerRequest, several: told.Several) -> Any:
    """Refuse facts; they are not learned again."""
    return decided(decisions.reject(request.user.id, several.facts, timezone.now()))


@router.post(
    "facts/{uuid:fact_id}/keep-both", response=told.Decided, auth=WRITE, summary="Keep both"
)
def keep_both(request: BearerRequest, fact_id: UUID) -> Any:
    """Let a waiting fact hold beside the one it contradicts."""
    return decided(decisions.keep_both(request.user.id, fact_id, timezone.now()))


@router.post(
    "facts/{uuid:fact_id}/merge", response=told.Decided, auth=WRITE, summary="Merge two facts"
)
def merge_facts(request: BearerRequest, fact_id: UUID, given: told.MergedInto) -> Any:
    """Let a fact go up in another, which then rests on the words of both."""
    return decided(decisions.merge(request.user.id, fact_id, given.into, timezone.now()))


@router.post(
    "facts/{uuid:fact_id}/reconsider", response=told.Decided, auth=WRITE, summary="Wait again"
)
def reconsider(request: BearerRequest, fact_id: UUID) -> Any:
    """Put a fact that once waited back into review."""
    return decided(decisions.wait_again(request.user.id, fact_id, timezone.now()))


@router.post(
    "decisions/{uuid:decision_id}/undo", response=Count, auth=WRITE, summary="Take a decision back"
)
def undo_decision(request: BearerRequest, decision_id: UUID) -> Any:
    """Take a decision about facts back; how many facts are as they were."""
    try:
        facts = undoing.undo(request.user.id, decision_id, timezone.now())
    except DecidedSince as error:
        sentence = "Something was decided about this since; take that back first."
        raise Refused(409, sentence) from error
    return {"count": len(facts)}
