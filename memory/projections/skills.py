"""Skills: procedures that worked, proposed to their owner, who publishes, rejects and rewords them.

A skill is only shown while its sources exist: while its fact holds, or none of its drawers is in the trash.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from accounts.owned import NotFound, first_or_raise
from memory.changes.activity import NewEvent, record
from memory.facts.queries import current_facts
from memory.models import ActivityEvent, FactSource, Skill, SkillSource, SkillText
from memory.paging import Page, paginate
from memory.placement import lock_palace

PAGE = 30
DECIDED = ActivityEvent.Kind.SKILL_DECIDED


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of a skill: the goal, what worked, what failed, and where it applies."""

    goal: str
    worked: str
    failed: str = ""
    applies: str = ""


@dataclass(frozen=True, slots=True)
class SkillView:
    """A skill with its current text, its source drawers, and its versions, newest first."""

    skill: Skill
    text: SkillText
    drawer_ids: tuple[UUID, ...] = ()
    versions: tuple[SkillText, ...] = ()


def skills_by_status(user_id: UUID, status: str, after: str = "", limit: int = PAGE) -> Page[SkillView]:
    """Skills of one status, newest first. Raises CursorUnreadable."""
    found = _with_evidence(user_id).filter(status=status)
    page = paginate(found, "-proposed_at", "id", after, limit)
    return Page(_skill_views(user_id, page.items), page.after)


def skill_of(user_id: UUID, skill_id: UUID) -> SkillView:
    """One skill with all its versions. Raises NotFound."""
    (view,) = _skill_views(user_id, [_skill(user_id, skill_id)])
    return view


def count_skills(user_id: UUID) -> dict[str, int]:
    """How many skills there are of each status."""
    rows = _with_evidence(user_id).values_list("status").annotate(number=Count("*"))
    return dict(rows.order_by())


def published_skills(user_id: UUID) -> tuple[SkillView, ...]:
    """Published skills, which models may see, newest first.

    Leaves out those derived from drawers marked as sensitive.
    """
    own = SkillSource.objects.filter(user_id=user_id, skill_id=OuterRef("id"))
    of_fact = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("fact_id"))
    published = _with_evidence(user_id).filter(
        ~Exists(own.filter(drawer__sensitive=True)),
        ~Exists(of_fact.filter(drawer__sensitive=True)),
        status=Skill.Status.PUBLISHED,
    )
    return _skill_views(user_id, list(published.order_by("-proposed_at", "id")))


def decide(user_id: UUID, skill_id: UUID, status: str, now: datetime) -> Skill:
    """Publish a skill to assistants, reject it, or turn it back into a proposal. Raises NotFound.

    A rejected skill is kept so that it is not proposed again.
    """
    with transaction.atomic():
        lock_palace(user_id)
        skill = _skill(user_id, skill_id)
        if skill.status != status:
            skill.status = status
            skill.decided_at = None if status == Skill.Status.PROPOSED else now
            skill.save(update_fields=("status", "decided_at"))
            record(user_id, NewEvent(DECIDED, skill.id, {"decision": status}), now)
    return skill


def reword(user_id: UUID, skill_id: UUID, wording: Wording, now: datetime) -> Skill:
    """Store the owner's text as a new version. Raises NotFound."""
    with transaction.atomic():
        lock_palace(user_id)
        skill = _skill(user_id, skill_id)
        last = skill.texts.aggregate(last=Max("number"))["last"]
        current = skill.texts.get(number=skill.version)
        if Wording(current.goal, current.worked, current.failed, current.applies) != wording:
            write_text(skill, wording, last + 1, now, by_owner=True)
            _set_version(skill, last + 1, now)
    return skill


def use_version(user_id: UUID, skill_id: UUID, number: int, now: datetime) -> Skill:
    """Make another version of a skill's text the current one. Raises NotFound."""
    with transaction.atomic():
        lock_palace(user_id)
        skill = _skill(user_id, skill_id)
        if not skill.texts.filter(number=number).exists():
            raise NotFound
        if skill.version != number:
            _set_version(skill, number, now)
    return skill


def write_text(
    skill: Skill, wording: Wording, number: int, now: datetime, *, by_owner: bool = False
) -> SkillText:
    """Store a version of a skill's text."""
    return SkillText.objects.create(
        user_id=skill.user_id,
        skill_id=skill.id,
        number=number,
        by_owner=by_owner,
        **asdict(wording),
        written_at=now,
    )


def _with_evidence(user_id: UUID) -> QuerySet[Skill]:
    """Skills whose sources still exist."""
    sources = SkillSource.objects.filter(user_id=user_id, skill_id=OuterRef("id"))
    facts = current_facts(user_id).filter(id=OuterRef("fact_id"))
    return Skill.objects.filter(
        Exists(facts) | Q(Exists(sources), ~Exists(sources.exclude(drawer__deleted_at=None)), fact_id=None),
        user_id=user_id,
    )


def _skill(user_id: UUID, skill_id: UUID) -> Skill:
    return first_or_raise(_with_evidence(user_id).filter(id=skill_id))


def _set_version(skill: Skill, number: int, now: datetime) -> None:
    skill.version = number
    skill.save(update_fields=("version",))
    record(skill.user_id, NewEvent(DECIDED, skill.id, {"decision": "reworded"}), now)


def _skill_views(user_id: UUID, skills: Sequence[Skill]) -> tuple[SkillView, ...]:
    ids = [skill.id for skill in skills]
    texts: dict[UUID, list[SkillText]] = defaultdict(list)
    for text in SkillText.objects.filter(user_id=user_id, skill_id__in=ids).order_by("-number"):
        texts[text.skill_id].append(text)
    drawers = _drawers(user_id, skills)
    return tuple(
        SkillView(
            skill=skill,
            text=next(each for each in texts[skill.id] if each.number == skill.version),
            drawer_ids=tuple(drawers[skill.id]),
            versions=tuple(texts[skill.id]),
        )
        for skill in skills
    )


def _drawers(user_id: UUID, skills: Sequence[Skill]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = defaultdict(list)
    own = SkillSource.objects.filter(user_id=user_id, skill_id__in=[skill.id for skill in skills])
    rows = own.order_by("drawer__source_sequence", "id").values_list("skill_id", "drawer_id")
    for skill_id, drawer_id in rows:
        found[skill_id].append(drawer_id)
    of_fact = {skill.fact_id: skill.id for skill in skills if skill.fact_id}
    sources = FactSource.objects.filter(user_id=user_id, fact_id__in=of_fact, drawer__deleted_at=None)
    for fact_id, drawer_id in sources.order_by("id").values_list("fact_id", "drawer_id"):
        found[of_fact[fact_id]].append(drawer_id)
    return found
