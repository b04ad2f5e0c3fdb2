"""Loads the words of candidates: what was found becomes a hit with an address."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Left

from llm.tokens import estimate_tokens
from memory.drawers import pointer_of
from memory.models import Closet, Drawer, Room, Wing
from memory.recall.types import Candidate, Hit, RecallRequest

LONGEST_REMARK = 500
BESIDE = "It was said right beside another that was recalled."
_READ = (
    *("user_id", "id", "pointer_wing", "pointer_room", "pointer_drawer", "role", "said_at"),
    *("content", "token_count", "room_id"),
    *("wing_name", "wing_kind", "room_title", "closet_name", "remark"),
)


def read_hits(request: RecallRequest, candidates: Sequence[Candidate]) -> tuple[Hit, ...]:
    """The candidates as hits with their verbatim words, in the same order."""
    drawers = _drawers(request.user_id, [candidate.drawer_id for candidate in candidates])
    return tuple(
        _hit(candidate, drawers[candidate.drawer_id])
        for candidate in candidates
        if candidate.drawer_id in drawers
    )


def neighbours(request: RecallRequest, hit: Hit) -> tuple[Hit, ...]:
    """The drawers said just after and just before a hit, in the same room and chat."""
    drawer = Drawer.objects.filter(user_id=request.user_id, id=hit.drawer_id).first()
    if drawer is None:
        return ()
    live = _with_places(request.user_id).filter(
        room_id=drawer.room_id, source_id=drawer.source_id, sensitive=False
    )
    after = live.filter(source_sequence__gt=drawer.source_sequence)
    before = live.filter(source_sequence__lt=drawer.source_sequence)
    beside = (
        after.order_by("source_sequence").first(),
        before.order_by("-source_sequence").first(),
    )
    return tuple(_beside(neighbour) for neighbour in beside if neighbour is not None)


def _with_places(user_id: UUID) -> Any:
    """Rows of `_READ`. Each place is looked up by its key: joins would go by what the planner
    believes about the tables, and after an import that is nothing or wrong."""
    drawers = Drawer.objects.live().filter(user_id=user_id)
    return drawers.annotate(
        wing_name=_of(Wing, "wing_id", "name"),
        wing_kind=_of(Wing, "wing_id", "kind"),
        room_title=_of(Room, "room_id", "title"),
        closet_name=_of(Closet, "closet_id", "name"),
        remark=Left("annotation", LONGEST_REMARK),
    ).values_list(*_READ, named=True)


def _of(place: type[Wing | Room | Closet], key: str, column: str) -> Subquery:
    found = place._default_manager.filter(user_id=OuterRef("user_id"), id=OuterRef(key))
    return Subquery(found.values(column)[:1])


def _drawers(user_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Any]:
    return {drawer.id: drawer for drawer in _with_places(user_id).filter(id__in=ids)}


def _beside(drawer: Any) -> Hit:
    candidate = Candidate(drawer.id, drawer.room_id, drawer.role, drawer.said_at)
    return _hit(candidate, drawer, BESIDE)


def _hit(candidate: Candidate, drawer: Any, why: str = "") -> Hit:
    return Hit(
        drawer_id=drawer.id,
        pointer=pointer_of(drawer),
        wing=drawer.wing_name,
        wing_kind=drawer.wing_kind,
        room=drawer.room_title,
        closet=drawer.closet_name,
        room_id=drawer.room_id,
        role=candidate.role,
        said_at=drawer.said_at,
        text=drawer.content,
        reason=why,
        score=candidate.score,
        scores=candidate.scores,
        tokens=drawer.token_count + estimate_tokens(drawer.remark),
        span=candidate.span,
        parts=candidate.parts,
        brought_by=candidate.brought_by,
        remark=drawer.remark,
    )
