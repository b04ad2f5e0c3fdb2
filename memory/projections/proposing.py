"""Proposes skills: from chats with tools that ended well, and from facts of successful paths."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from memory.activity import Happening, record
from memory.facts import current_facts
from memory.models import ActivityEvent, Drawer, Fact, Room, Skill, SkillSource
from memory.placement import lock_palace
from memory.projections.paths import GOAL_LENGTH, Path, paths
from memory.projections.skills import Wording, write_text

SUCCESSFUL_PATH = "successful_path"
MOST_OF_A_CHAT = 2_000
OVERLAP = timedelta(hours=1)


def propose_skills(user_id: UUID, since: datetime | None, now: datetime) -> int:
    """Propose what chats that went on since a moment and today's facts give; returns how many
    skills are new. The same path is proposed once, whatever became of it."""
    with transaction.atomic():
        lock_palace(user_id)
        new = [
            *_of_chats(user_id, _rooms(user_id, since), now),
            *_of_facts(user_id, now),
        ]
        if new:
            details = {"skills": [str(skill.id) for skill in new]}
            record(user_id, Happening(ActivityEvent.Kind.SKILLS_PROPOSED, None, details), now)
    return len(new)


def _rooms(user_id: UUID, since: datetime | None) -> list[Room]:
    """Rooms with tool results that got drawers since then. Ids of drawers tell their time; they
    are given some time before their window is committed, hence the overlap."""
    drawers = Drawer.objects.live().filter(user_id=user_id)
    if since is not None:
        recent = drawers.filter(id__gte=_first_id(since - OVERLAP))
        rooms = recent.values_list("room_id", flat=True).distinct()
        drawers = drawers.filter(room_id__in=list(rooms))
    with_tools = drawers.filter(role=Drawer.Role.TOOL).values_list("room_id", flat=True)
    rooms_found = Room.objects.filter(user_id=user_id, id__in=list(with_tools.distinct()))
    return list(rooms_found.select_related("wing").order_by("started_at", "id"))


def _of_chats(user_id: UUID, rooms: Iterable[Room], now: datetime) -> Iterable[Skill]:
    for room in rooms:
        drawers = Drawer.objects.live().filter(user_id=user_id, room_id=room.id)
        for path in paths(list(drawers.order_by("source_sequence", "id")[:MOST_OF_A_CHAT])):
            skill = _propose_path(user_id, path, room, now)
            if skill is not None:
                yield skill


def _propose_path(user_id: UUID, path: Path, room: Room, now: datetime) -> Skill | None:
    digest = sha256(b"chat\n" + path.drawer_ids[0].bytes + path.drawer_ids[-1].bytes).digest()
    if Skill.objects.filter(user_id=user_id, digest=digest).exists():
        return None
    skill = Skill.objects.create(user_id=user_id, digest=digest, proposed_at=now)
    wording = Wording(path.goal, path.worked, path.failed, room.wing.name)
    write_text(skill, wording, 1, now)
    SkillSource.objects.bulk_create(
        SkillSource(user_id=user_id, skill_id=skill.id, drawer_id=drawer_id)
        for drawer_id in path.drawer_ids
    )
    return skill


def _of_facts(user_id: UUID, now: datetime) -> Iterable[Skill]:
    for fact in current_facts(user_id).filter(kind=SUCCESSFUL_PATH).order_by("valid_from", "id"):
        digest = sha256(b"fact\n" + bytes(fact.content_hash)).digest()
        known = Skill.objects.filter(user_id=user_id, digest=digest).first()
        if known is None:
            skill = Skill.objects.create(
                user_id=user_id, digest=digest, fact_id=fact.id, proposed_at=now
            )
            write_text(skill, _wording(fact), 1, now)
            yield skill
        elif known.fact_id != fact.id:
            known.fact_id = fact.id
            known.save(update_fields=("fact_id",))


def _wording(fact: Fact) -> Wording:
    goal = fact.value if fact.value != fact.statement else fact.key.replace("_", " ")
    return Wording(goal[:GOAL_LENGTH], fact.statement, applies=fact.location[:GOAL_LENGTH])


def _first_id(moment: datetime) -> UUID:
    """The smallest id that could have been made at a moment: ids begin with the milliseconds."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
