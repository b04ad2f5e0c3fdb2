"""Deletes what was derived from forgotten facts, in the same transaction."""

from collections.abc import Sequence
from uuid import UUID

from memory.models import Profile, Skill, SkillSource


def forget_derived(user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Delete what was generated from these facts; it is generated again from what is left.

    Call inside the transaction that forgets them.
    """
    if fact_ids:
        Profile.objects.filter(user_id=user_id).update(digest=b"", paragraphs=[])


def forget_skills(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Erase the skills derived from any of these drawers.

    Skills derived from facts are erased with their facts. Call inside the transaction that erases the
    drawers.
    """
    drawn = SkillSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    Skill.objects.filter(user_id=user_id, id__in=drawn.values("skill_id")).delete()
