"""Mining and the activity log."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema

from accounts.hooks import enqueue
from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.schemas import Count, JsonObject, Paged, PageQuery
from chat import statistics
from chat.mining.drain import retry_dead_jobs
from chat.mining.run import request_mining
from chat.mining.status import pending_work_of
from memory.changes import activity_queries
from memory.mining import progress, reextraction

router = Router(tags=["Mining and activity"])


class Statistics(Schema):
    """Counts of everything outside the trash."""

    wings: int
    rooms: int
    closets: int
    drawers: int
    vectors: int
    facts: int
    entities: int
    relations: int
    conversations: int
    messages: int
    unmined_messages: int
    dead_jobs: int


class MiningStatus(Schema):
    """What is not mined yet: messages in conversations, conversations that `failed` for good, and parts
    `extracted_without_model`, some of them `awaiting_reextraction`. `notices` say so in sentences."""

    messages: int
    conversations: int
    retry_at: datetime | None
    failed: int
    extracted_without_model: int
    awaiting_reextraction: int
    notices: list[str]


class Discarded(Count):
    """How many conversations were given up. Undo it with `POST /undo/{id}`; the id is null if there were
    none."""

    id: UUID | None


class ActivityEvent(Schema):
    """Something that happened, with counts, ids and reasons. `facts` are learned statements that still
    hold. `undo_id` is the id for `POST /undo/{id}`, if it can be undone."""

    id: UUID
    kind: str
    label: str
    at: datetime
    subject_id: UUID | None
    details: JsonObject
    facts: list[str]
    undone_at: datetime | None
    undo_id: UUID | None

    @staticmethod
    def resolve_details(event: Any) -> JsonObject:
        """The details with ids as paths have them; drawers are stored without dashes."""
        drawers = event.details.get("drawers")
        listed = {"drawers": [str(UUID(each)) for each in drawers]} if isinstance(drawers, list) else {}
        return {**event.details, **listed}


@router.get("stats", response=Statistics)
def get_statistics(request: BearerRequest) -> Any:
    """Count drawers, facts, conversations and everything else."""
    return statistics.statistics(request.user.id)


@router.get("mining", response=MiningStatus)
def get_mining_status(request: BearerRequest) -> Any:
    """Get what is not mined yet."""
    user_id = request.user.id
    pending = pending_work_of(user_id)
    return {
        "messages": pending.messages,
        "conversations": pending.chats,
        "retry_at": pending.asked_again_at,
        "failed": progress.dead_letters(user_id).count(),
        "extracted_without_model": reextraction.read_without_model(user_id).count(),
        "awaiting_reextraction": reextraction.waiting(user_id).count(),
        "notices": pending.sentences,
    }


@router.post("mining/now", response={202: Count}, auth=WRITE)
def mine_now(request: BearerRequest) -> Any:
    """Mine all conversations now, including failed ones."""
    now = timezone.now()
    retry_dead_jobs(request.user.id, now)
    count = request_mining(request.user.id, now)
    enqueue("mine", request.user.id)
    return {"count": count}


@router.post("mining/retry", response={202: Count}, auth=WRITE)
def retry_mining(request: BearerRequest) -> Any:
    """Retry failed conversations."""
    count = retry_dead_jobs(request.user.id, timezone.now())
    enqueue("mine", request.user.id)
    return {"count": count}


@router.post("mining/discard", response=Discarded, auth=WRITE)
def discard_mining(request: BearerRequest) -> Any:
    """Give up failed conversations without mining them."""
    with transaction.atomic():
        count = progress.dead_letters(request.user.id).count()
        return {"count": count, "id": progress.discard_all(request.user.id, timezone.now())}


@router.post("mining/reextract", response={202: Count}, auth=WRITE)
def request_reextraction(request: BearerRequest) -> Any:
    """Extract facts again with a model where only the built-in reader did so far."""
    return {"count": reextraction.request_all(request.user.id, timezone.now())}


@router.get("activity", response=Paged[ActivityEvent])
def list_activity(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List everything memory did, newest first."""
    return activity_queries.events(request.user.id, query.after, limit=query.limit)
