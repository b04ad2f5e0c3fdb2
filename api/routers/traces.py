"""What was recalled for a reply, what its owner says of it, and what was remembered from a chat."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.problems import Refused
from api.schemas import traces as told
from chat.conversations import find
from chat.remembered import remembered_of
from chat.sources import sources_of
from memory import disputes, feedback
from memory.facts.versions import DecidedSince
from memory.traces import found_trace

router = Router(tags=["Recall"])


@router.get("traces/{uuid:trace_id}", response=told.Trace, summary="What was recalled for a reply")
def trace(request: BearerRequest, trace_id: UUID) -> Any:
    """How memory was searched, and the drawers that were chosen as they are now. A message names
    its `trace_id`."""
    found = found_trace(request.user.id, trace_id)
    sources = sources_of(request.user.id, [trace_id]).get(trace_id, ())
    return {"id": found.id, "at": found.at, "trace": found.trace, "sources": list(sources)}


@router.put(
    "traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/misfit",
    response=told.Judged,
    auth=WRITE,
    summary="Not relevant",
)
def call_misfit(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Say that a recalled drawer did not fit; it comes later when something like it is asked."""
    feedback.call_unfitting(request.user.id, trace_id, drawer_id, timezone.now())
    return {"trace_id": trace_id, "drawer_id": drawer_id, "misfit": True}


@router.delete(
    "traces/{uuid:trace_id}/drawers/{uuid:drawer_id}/misfit",
    response=told.Judged,
    auth=WRITE,
    summary="Relevant after all",
)
def take_back_misfit(request: BearerRequest, trace_id: UUID, drawer_id: UUID) -> Any:
    """Take back that a recalled drawer did not fit."""
    found_trace(request.user.id, trace_id)
    feedback.call_fitting(request.user.id, trace_id, drawer_id)
    return {"trace_id": trace_id, "drawer_id": drawer_id, "misfit": False}


@router.post(
    "drawers/{uuid:drawer_id}/dispute", response=told.Disputed, auth=WRITE, summary="It is wrong"
)
def dispute(request: BearerRequest, drawer_id: UUID, wrong: told.Wrong) -> Any:
    """Say that what a drawer says is wrong: your remark goes to models with it, and its facts go
    to review."""
    found = disputes.dispute(request.user.id, drawer_id, wrong.remark, timezone.now())
    return {"id": found.event_id, "drawer_id": found.drawer_id, "facts": found.facts}


@router.post(
    "disputes/{uuid:dispute_id}/undo", response=told.Disputed, auth=WRITE, summary="Right after all"
)
def undo_dispute(request: BearerRequest, dispute_id: UUID) -> Any:
    """Take back that something is wrong; its facts hold as before."""
    try:
        drawer_id = disputes.undo(request.user.id, dispute_id, timezone.now())
    except DecidedSince as error:
        sentence = "Something was decided about its facts since; take that back first."
        raise Refused(409, sentence) from error
    return {"id": dispute_id, "drawer_id": drawer_id, "facts": 0}


@router.get(
    "conversations/{uuid:conversation_id}/remembered",
    response=told.Remembered,
    summary="What was remembered",
)
def remembered(request: BearerRequest, conversation_id: UUID) -> Any:
    """What is remembered of a chat and, if nothing is, why."""
    found = find(request.user.id, conversation_id)
    return remembered_of(found, timezone.now())
