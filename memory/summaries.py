"""The summaries of closets and rooms that are on show, and forgetting them with their words."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import Q

from memory.models import Drawer, Summary


def summary_of(user_id: UUID, subject_id: UUID) -> Summary | None:
    """The summary of a closet or room that is on show, or None."""
    shown = Summary.objects.filter(
        user_id=user_id, subject_id=subject_id, shown_at__isnull=False, retired_at=None
    )
    return shown.order_by("-shown_at", "-id").first()


def forget_summaries(user_id: UUID, drawer_ids: Sequence[UUID]) -> int:
    """Erase every summary, old ones and drafts too, of the places these drawers lie in, because
    it may tell their words; returns how many. The next tidying up writes new ones."""
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    of_closets = Q(closet_id__in=drawers.values("closet_id"))
    of_rooms = Q(closet_id=None, room_id__in=drawers.values("room_id"))
    return Summary.objects.filter(of_closets | of_rooms, user_id=user_id).delete()[0]


def forget_summaries_of(user_id: UUID, place_ids: Collection[UUID]) -> None:
    """Erase every summary of these closets and rooms, because they hold other drawers now."""
    Summary.objects.filter(user_id=user_id, subject_id__in=place_ids).delete()
