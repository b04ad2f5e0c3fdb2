"""Skills: what worked before, proposed to their owner."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Paged, paged
from api.schemas import projections as told
from memory.projections import skills as domain
from memory.projections.skills import Wording

router = Router(tags=["Skills"])


@router.get("skills", response=Paged[told.Skill], summary="Skills, newest first")
def skills(request: BearerRequest, asked: Query[told.WantedSkills]) -> Any:
    """Skills of one state, with their words."""
    found = domain.skills_by_status(request.user.id, asked.status, asked.after, asked.limit)
    return paged(found)


@router.get("skills/{uuid:skill_id}", response=told.Skill, summary="One skill")
def skill(request: BearerRequest, skill_id: UUID) -> Any:
    """A skill with every version of its text."""
    return domain.skill_of(request.user.id, skill_id)


@router.put(
    "skills/{uuid:skill_id}/text", response=told.DecidedSkill, auth=WRITE, summary="Reword it"
)
def reword_skill(request: BearerRequest, skill_id: UUID, new: told.NewText) -> Any:
    """Let your wording stand, as a new version."""
    wording = Wording(**new.model_dump())
    return domain.reword(request.user.id, skill_id, wording, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/versions/{number}/use",
    response=told.DecidedSkill,
    auth=WRITE,
    summary="Use a version",
)
def use_skill_text(request: BearerRequest, skill_id: UUID, number: told.VersionNumber) -> Any:
    """Let another version of a skill's text stand."""
    return domain.use_version(request.user.id, skill_id, number, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/publish", response=told.DecidedSkill, auth=WRITE, summary="Publish it"
)
def publish_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Let assistants be told of a skill."""
    return domain.publish(request.user.id, skill_id, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/reject", response=told.DecidedSkill, auth=WRITE, summary="Reject it"
)
def reject_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Refuse a skill; it is not proposed again."""
    return domain.reject(request.user.id, skill_id, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/reconsider",
    response=told.DecidedSkill,
    auth=WRITE,
    summary="Propose it again",
)
def reconsider_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Make a decided skill a proposal again."""
    return domain.reconsider(request.user.id, skill_id, timezone.now())
