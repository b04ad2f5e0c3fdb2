"""Lets go of what was derived from facts that are forgotten, in the same transaction."""

from collections.abc import Sequence
from uuid import UUID

from memory.models import InsightSource, Profile, Skill, SkillSource


def forget_derived(user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Throw away what was written from these facts; it is made again from what is left.

    Runs inside the transaction that forgets them.
    """
    if fact_ids:
        Profile.objects.filter(user_id=user_id).update(digest=b"", paragraphs=[])
        InsightSource.objects.filter(user_id=user_id, fact_id__in=fact_ids).delete()


def forget_drawn(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Erase the skills that were drawn from any of these drawers. Those drawn from facts go with
    their facts.

    Runs inside the transaction that erases the drawers.
    """
    drawn = SkillSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    Skill.objects.filter(user_id=user_id, id__in=drawn.values("skill_id")).delete()
