"""Skills: procedures that worked, proposed to their owner, who publishes, rejects and rewords them.

They come from chats with tools that ended well, and from facts about successful procedures. A skill is only
shown while its sources exist: while its fact holds, or none of its drawers is in the trash.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from accounts.owned import NotFound, first_or_raise
from memory.changes.activity import record
from memory.facts.queries import current_facts
from memory.models import ActivityEvent, Drawer, Fact, FactSource, Room, Skill, SkillSource, SkillText
from memory.paging import Page, paginate
from memory.placement import locked_palace
from memory.text.patterns import patterns, table_of
from memory.text.sanitizing import hidden_characters
from memory.text.secrets import hide_secrets
from memory.text.sentences import sentences

PAGE = 30
DECIDED = ActivityEvent.Kind.SKILL_DECIDED
SUCCESSFUL_PATH = "successful_path"
MAX_PER_CHAT = 2_000
OVERLAP = timedelta(hours=1)
GOAL_LENGTH = 300
STEP_LENGTH, MAX_STEPS = 200, 5
REPLY_LENGTH = 600
HEAD_LENGTH = 400

_PATTERNS = patterns(table_of(__file__))
_FAILED = re.compile(_PATTERNS["failed"], re.IGNORECASE)
_HARMLESS = re.compile(
    r"\b(?:0|no|without|zero)(?: \w+)? (?:errors?|failures?|exceptions?)\b|\b0 failed\b", re.I
)
_CONFIRMED = re.compile(_PATTERNS["confirmed"], re.IGNORECASE)
_DENIED = re.compile(_PATTERNS["denied"], re.IGNORECASE)
_CALL = re.compile(r"(?:^|\n)(?P<tool>[\w.:-]{2,60}) (?P<arguments>\{.*\})\s*$", re.DOTALL)


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
    with locked_palace(user_id):
        skill = _skill(user_id, skill_id)
        if skill.status != status:
            skill.status = status
            skill.decided_at = None if status == Skill.Status.PROPOSED else now
            skill.save(update_fields=("status", "decided_at"))
            record(user_id, DECIDED, {"decision": status}, now, subject_id=skill.id)
    return skill


def reword(user_id: UUID, skill_id: UUID, wording: Wording, now: datetime) -> Skill:
    """Store the owner's text as a new version. Raises NotFound."""
    with locked_palace(user_id):
        skill = _skill(user_id, skill_id)
        last = skill.texts.aggregate(last=Max("number"))["last"]
        current = skill.texts.get(number=skill.version)
        if Wording(current.goal, current.worked, current.failed, current.applies) != wording:
            write_text(skill, wording, last + 1, now, by_owner=True)
            _set_version(skill, last + 1, now)
    return skill


def use_version(user_id: UUID, skill_id: UUID, number: int, now: datetime) -> Skill:
    """Make another version of a skill's text the current one. Raises NotFound."""
    with locked_palace(user_id):
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
    record(skill.user_id, DECIDED, {"decision": "reworded"}, now, subject_id=skill.id)


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


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure that worked: the goal, the calls that worked followed by the reply, the calls that failed,
    and the source drawers."""

    goal: str
    worked: str
    failed: str
    drawer_ids: tuple[UUID, ...]


def procedures(drawers: Sequence[Drawer]) -> Iterator[Procedure]:
    """The procedures in the drawers of one chat, in the order they were said."""
    episode: list[Drawer] = []
    for drawer in drawers:
        episode.append(drawer)
        if drawer.role == Drawer.Role.USER and _confirms(drawer.content):
            procedure = _procedure(episode)
            if procedure is not None:
                yield procedure
            episode = []


def _procedure(episode: Sequence[Drawer]) -> Procedure | None:
    tools = [place for place, drawer in enumerate(episode) if drawer.role == Drawer.Role.TOOL]
    if not tools:
        return None
    questions = [d for d in episode[: tools[0]] if d.role == Drawer.Role.USER]
    if not questions or _has_failed(episode[tools[-1]].content):
        return None
    turns = episode[episode.index(questions[-1]) :]
    if any(drawer.sensitive or hidden_characters(drawer.content) for drawer in turns):
        return None
    failed, worked = _steps(turns)
    reply = next((d for d in reversed(turns) if d.role == Drawer.Role.ASSISTANT), None)
    reply_text = _CALL.sub("", reply.content) if reply else ""
    return Procedure(
        goal=_truncated(questions[-1].content, GOAL_LENGTH),
        worked="\n".join(filter(None, [*worked, _truncated(reply_text, REPLY_LENGTH)])),
        failed="\n".join(failed),
        drawer_ids=tuple(drawer.id for drawer in turns),
    )


def _steps(turns: Sequence[Drawer]) -> tuple[list[str], list[str]]:
    """The last calls that failed and the last that worked, one line each."""
    failed, worked, call = [], [], ""
    for drawer in turns:
        found = _CALL.search(drawer.content)
        if found:
            call = _truncated(f"{found['tool']} {found['arguments']}", STEP_LENGTH)
        if drawer.role != Drawer.Role.TOOL:
            continue
        if _has_failed(drawer.content):
            failed.append(": ".join(filter(None, [call, _error_line(drawer.content)])))
        elif call:
            worked.append(call)
        call = ""
    return failed[-MAX_STEPS:], worked[-MAX_STEPS:]


def _has_failed(result: str) -> bool:
    return bool(_FAILED.search(_HARMLESS.sub("", result[:HEAD_LENGTH])))


def _error_line(result: str) -> str:
    """The first line of a result that reports the failure."""
    lines = (line for line in result.splitlines() if _FAILED.search(_HARMLESS.sub("", line)))
    return _truncated(next(lines, ""), STEP_LENGTH)


def _confirms(words: str) -> bool:
    """Whether a sentence says that something works, without doubt."""
    head = words[:HEAD_LENGTH]
    said = (head[start:end] for start, end in sentences(head))
    return any(_CONFIRMED.search(sentence) and not _DENIED.search(sentence) for sentence in said)


def _truncated(words: str, length: int) -> str:
    """The text on one line, with secrets masked, truncated."""
    line = " ".join(hide_secrets(words[: length * 4]).split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def propose_skills(user_id: UUID, since: datetime | None, now: datetime) -> int:
    """Propose skills from chats with new drawers since a moment and from current facts; returns how many.

    A procedure is proposed only once, whatever the owner decided.
    """
    with locked_palace(user_id):
        new = [*_from_chats(user_id, _rooms(user_id, since), now), *_from_facts(user_id, now)]
        if new:
            details = {"skills": [str(skill.id) for skill in new]}
            record(user_id, ActivityEvent.Kind.SKILLS_PROPOSED, details, now)
    return len(new)


def _rooms(user_id: UUID, since: datetime | None) -> list[Room]:
    """Rooms with tool results and new drawers since then, with some overlap, because drawers are dated before
    their window commits."""
    drawers = Drawer.objects.live().filter(user_id=user_id)
    if since is not None:
        recent = drawers.filter(created_at__gte=since - OVERLAP)
        rooms = recent.values_list("room_id", flat=True).distinct()
        drawers = drawers.filter(room_id__in=list(rooms))
    with_tools = drawers.filter(role=Drawer.Role.TOOL).values_list("room_id", flat=True)
    rooms_found = Room.objects.filter(user_id=user_id, id__in=list(with_tools.distinct()))
    return list(rooms_found.select_related("wing").order_by("started_at", "id"))


def _from_chats(user_id: UUID, rooms: Iterable[Room], now: datetime) -> Iterable[Skill]:
    for room in rooms:
        drawers = Drawer.objects.live().filter(user_id=user_id, room_id=room.id)
        for procedure in procedures(list(drawers.order_by("source_sequence", "id")[:MAX_PER_CHAT])):
            skill = _propose_procedure(user_id, procedure, room, now)
            if skill is not None:
                yield skill


def _propose_procedure(user_id: UUID, procedure: Procedure, room: Room, now: datetime) -> Skill | None:
    digest = sha256(b"chat\n" + procedure.drawer_ids[0].bytes + procedure.drawer_ids[-1].bytes).digest()
    if Skill.objects.filter(user_id=user_id, digest=digest).exists():
        return None
    skill = Skill.objects.create(user_id=user_id, digest=digest, proposed_at=now)
    wording = Wording(procedure.goal, procedure.worked, procedure.failed, room.wing.name)
    write_text(skill, wording, 1, now)
    SkillSource.objects.bulk_create(
        SkillSource(user_id=user_id, skill_id=skill.id, drawer_id=drawer_id)
        for drawer_id in procedure.drawer_ids
    )
    return skill


def _from_facts(user_id: UUID, now: datetime) -> Iterable[Skill]:
    for fact in current_facts(user_id).filter(kind=SUCCESSFUL_PATH).order_by("valid_from", "id"):
        digest = sha256(b"fact\n" + bytes(fact.content_hash)).digest()
        known = Skill.objects.filter(user_id=user_id, digest=digest).first()
        if known is None:
            skill = Skill.objects.create(user_id=user_id, digest=digest, fact_id=fact.id, proposed_at=now)
            write_text(skill, _wording(fact), 1, now)
            yield skill
        elif known.fact_id != fact.id:
            known.fact_id = fact.id
            known.save(update_fields=("fact_id",))


def _wording(fact: Fact) -> Wording:
    goal = fact.value if fact.value != fact.statement else fact.key.replace("_", " ")
    return Wording(goal[:GOAL_LENGTH], fact.statement, applies=fact.location[:GOAL_LENGTH])
