"""Loads the words of candidates: what was found becomes a hit with an address."""

from collections.abc import Sequence
from uuid import UUID

from memory.drawers import pointer_of
from memory.models import Drawer
from memory.recall.types import Candidate, Hit, RecallRequest

BESIDE = "It was said right beside another that was recalled."
_READ = (
    *("user_id", "id", "pointer_wing", "pointer_room", "pointer_drawer", "role", "said_at"),
    *("content", "token_count", "wing_id", "room_id", "closet_id"),
    *("wing__name", "wing__kind", "room__title", "closet__name"),
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
    """The drawers said just after and just before a hit, in the same room."""
    drawer = Drawer.objects.filter(user_id=request.user_id, id=hit.drawer_id).first()
    if drawer is None:
        return ()
    live = _with_places(request.user_id).filter(room_id=drawer.room_id, sensitive=False)
    after = live.filter(source_sequence__gt=drawer.source_sequence)
    before = live.filter(source_sequence__lt=drawer.source_sequence)
    beside = (
        after.order_by("source_sequence").first(),
        before.order_by("-source_sequence").first(),
    )
    return tuple(_beside(neighbour) for neighbour in beside if neighbour is not None)


def _with_places(user_id: UUID):  # type: ignore[no-untyped-def]
    drawers = Drawer.objects.live().filter(user_id=user_id)
    return drawers.select_related("wing", "room", "closet").only(*_READ)


def _drawers(user_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Drawer]:
    return {drawer.id: drawer for drawer in _with_places(user_id).filter(id__in=ids)}


def _beside(drawer: Drawer) -> Hit:
    candidate = Candidate(drawer.id, drawer.room_id, drawer.role, drawer.said_at)
    return _hit(candidate, drawer, BESIDE)


def _hit(candidate: Candidate, drawer: Drawer, why: str = "") -> Hit:
    return Hit(
        drawer_id=drawer.id,
        pointer=pointer_of(drawer),
        wing=drawer.wing.name,
        wing_kind=drawer.wing.kind,
        room=drawer.room.title,
        closet=drawer.closet.name,
        room_id=drawer.room_id,
        role=candidate.role,
        said_at=drawer.said_at,
        text=drawer.content,
        reason=why,
        score=candidate.score,
        scores=candidate.scores,
        tokens=drawer.token_count,
        span=candidate.span,
        parts=candidate.parts,
        brought_by=candidate.brought_by,
    )
