"""The profile, the timeline and the diary."""

from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Path, Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest.facts import Fact
from api.rest.memory import Event
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Given
from memory.changes.activity_queries import days
from memory.preferences import preferences_of, zone_of
from memory.projections import corrections
from memory.projections import insights as insight_store
from memory.projections import skills as skill_store
from memory.projections import timeline as occurrences
from memory.projections.profile import profile_of
from memory.projections.skills import Wording
from memory.projections.timeline import Choice, NotInCalendar, Period

Words = Annotated[str, Field(max_length=4_000)]
Line = Annotated[str, Field(max_length=300)]


VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]


class Section(Schema):
    """Values of the profile that belong together."""

    name: str
    facts: list[Fact]


class OwnWords(Schema):
    """A version of what the owner wrote about themselves; one that stands has no end."""

    id: UUID
    text: str
    written_at: datetime
    ended_at: datetime | None


class Profile(Schema):
    """Who the owner is. `text` is written by the `owner`, a `model` or `rules`."""

    text: str
    written_by: str
    sections: list[Section]
    hidden: list[Fact]
    versions: list[OwnWords]


class NewWords(Given):
    """The owner's own words; empty words let Palace tell the profile again."""

    text: Annotated[str, Field(max_length=3_000)]


class Standing(Schema):
    """The version that stood before, null when there was none."""

    before: UUID | None


class Touched(Schema):
    """What was changed."""

    id: UUID


class WantedOccurrences(Asked):
    """Which events: of a year, a month of it or a day of that, of a kind, with these words; or
    those nobody gave a date."""

    year: Annotated[int, Field(ge=1, le=9998)] | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    day: Annotated[int, Field(ge=1, le=31)] | None = None
    kind: Literal["", "event", "experience"] = ""
    q: Annotated[str, Field(max_length=200)] = ""
    undated: bool = False


class Occurrence(Schema):
    """Something that happened or will: its day (the first of a month or year), its time of day if
    it is known, and how exactly (`year`, `month`, `day` or `time`)."""

    fact: Fact
    day: date
    clock: time | None
    precision: str
    is_coming: bool


class SkillText(Schema):
    """One version of what a skill says."""

    number: int
    goal: str
    worked: str
    failed: str
    applies: str
    by_owner: bool
    written_at: datetime


class SkillRow(Schema):
    """A skill without its words."""

    id: UUID
    status: str
    version: int
    proposed_at: datetime
    decided_at: datetime | None


class Skill(Schema):
    """A path that worked, with the drawers it was drawn from and its versions, newest first."""

    skill: SkillRow
    text: SkillText
    drawer_ids: list[UUID]
    versions: list[SkillText]


class WantedSkills(Asked):
    """Skills of which state."""

    status: Literal["proposed", "published", "rejected"] = "proposed"


class NewText(Given):
    """What a skill says, in its owner's words."""

    goal: Annotated[str, Field(min_length=1, max_length=300)]
    worked: Annotated[str, Field(min_length=1, max_length=4_000)]
    failed: Words = ""
    applies: Line = ""


class DecidedSkill(Schema):
    """A skill as a decision left it."""

    id: UUID
    status: str
    version: int


class InsightRow(Schema):
    """An insight without its words."""

    id: UUID
    rule: str
    found_at: datetime
    dismissed_at: datetime | None


class Insight(Schema):
    """A pattern in a sentence, with the facts it rests on."""

    insight: InsightRow
    sentence: str
    facts: list[Fact]


class WantedInsights(Asked):
    """Insights that stand, or those that were dismissed."""

    dismissed: bool = False


class Entry(Schema):
    """One thing that happened."""

    event: Event


class Day(Schema):
    """What happened on one day of the owner's, newest first."""

    day: date
    learned: list[Entry]
    changed: list[Entry]
    forgot: list[Entry]


router = Router(tags=["Profile, timeline, skills and insights"])


@router.get("profile", response=Profile, summary="Who you are")
def profile(request: BearerRequest) -> Any:
    """Values by section, and a few paragraphs made of them or written by the owner."""
    found = profile_of(request.user.id, timezone.now())
    return {
        "text": found.prose.text,
        "written_by": found.prose.written_by,
        "sections": [{"name": name, "facts": facts} for name, facts in found.sections],
        "hidden": found.hidden,
        "versions": found.versions,
    }


@router.put("profile/words", response=Standing, auth=WRITE, summary="Your own words")
def write_words(request: BearerRequest, new: NewWords) -> Any:
    """Let your own words stand in the place of what Palace wrote."""
    before = corrections.write_own_words(request.user.id, new.text, timezone.now())
    return {"before": before.id if before else None}


@router.post("profile/words/{uuid:words_id}/use", response=Standing, auth=WRITE, summary="Use again")
def use_words(request: BearerRequest, words_id: UUID) -> Any:
    """Let an earlier version of your words stand again."""
    before = corrections.use_again(request.user.id, words_id, timezone.now())
    return {"before": before.id if before else None}


@router.delete("profile/words/{uuid:words_id}", response=Touched, auth=WRITE, summary="Erase words")
def erase_words(request: BearerRequest, words_id: UUID) -> Any:
    """Erase a version of your words for good."""
    corrections.erase_words(request.user.id, words_id, timezone.now())
    return {"id": words_id}


@router.post("profile/values/{uuid:fact_id}/hide", response=Touched, auth=WRITE, summary="Leave it out")
def hide_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Leave a value out of the profile; the fact itself stays."""
    corrections.hide(request.user.id, fact_id, timezone.now())
    return {"id": fact_id}


@router.post("profile/values/{uuid:fact_id}/show", response=Touched, auth=WRITE, summary="Take it back")
def show_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Take a value back into the profile."""
    corrections.show(request.user.id, fact_id, timezone.now())
    return {"id": fact_id}


@router.get("timeline", response=Paged[Occurrence], summary="What happened, newest first")
def timeline(request: BearerRequest, asked: Query[WantedOccurrences]) -> Any:
    """Dated events and experiences by the date of the event."""
    try:
        period = Period(asked.year, asked.month, asked.day)
    except NotInCalendar as error:
        raise Refused(422, "There is no such year, month or day.") from error
    choice = Choice(period, kind=asked.kind, words=asked.q, dated=not asked.undated)
    now = timezone.now()
    return paged(occurrences.timeline(request.user.id, choice, now, asked.after, asked.limit))


@router.get("diary", response=Paged[Day], summary="The diary, newest day first")
def diary(request: BearerRequest, asked: Query[Asked]) -> Any:
    """What memory learned, changed and forgot, by day. A long day goes on on the next page."""
    zone = zone_of(preferences_of(request.user.id))
    return paged(days(request.user.id, zone, asked.after, asked.limit))


@router.get("skills", response=Paged[Skill], summary="Skills, newest first")
def skills(request: BearerRequest, asked: Query[WantedSkills]) -> Any:
    """Skills of one state, with their words."""
    found = skill_store.skills_by_status(request.user.id, asked.status, asked.after, asked.limit)
    return paged(found)


@router.get("skills/{uuid:skill_id}", response=Skill, summary="One skill")
def skill(request: BearerRequest, skill_id: UUID) -> Any:
    """A skill with every version of its text."""
    return skill_store.skill_of(request.user.id, skill_id)


@router.put("skills/{uuid:skill_id}/text", response=DecidedSkill, auth=WRITE, summary="Reword it")
def reword_skill(request: BearerRequest, skill_id: UUID, new: NewText) -> Any:
    """Let your wording stand, as a new version."""
    wording = Wording(**new.model_dump())
    return skill_store.reword(request.user.id, skill_id, wording, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/versions/{number}/use",
    response=DecidedSkill,
    auth=WRITE,
    summary="Use a version",
)
def use_skill_text(request: BearerRequest, skill_id: UUID, number: VersionNumber) -> Any:
    """Let another version of a skill's text stand."""
    return skill_store.use_version(request.user.id, skill_id, number, timezone.now())


@router.post("skills/{uuid:skill_id}/publish", response=DecidedSkill, auth=WRITE, summary="Publish it")
def publish_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Let assistants be told of a skill."""
    return skill_store.publish(request.user.id, skill_id, timezone.now())


@router.post("skills/{uuid:skill_id}/reject", response=DecidedSkill, auth=WRITE, summary="Reject it")
def reject_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Refuse a skill; it is not proposed again."""
    return skill_store.reject(request.user.id, skill_id, timezone.now())


@router.post(
    "skills/{uuid:skill_id}/reconsider",
    response=DecidedSkill,
    auth=WRITE,
    summary="Propose it again",
)
def reconsider_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Make a decided skill a proposal again."""
    return skill_store.reconsider(request.user.id, skill_id, timezone.now())


@router.get("insights", response=Paged[Insight], summary="Insights, newest first")
def insights(request: BearerRequest, asked: Query[WantedInsights]) -> Any:
    """Patterns that hold of the facts as they are now, or those that were dismissed."""
    found = insight_store.insights(
        request.user.id, dismissed=asked.dismissed, after=asked.after, most=asked.limit
    )
    return paged(found)


@router.post("insights/{uuid:insight_id}/dismiss", response=Touched, auth=WRITE, summary="Dismiss it")
def dismiss_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Show a pattern no more."""
    insight_store.dismiss(request.user.id, insight_id, timezone.now())
    return {"id": insight_id}


@router.post("insights/{uuid:insight_id}/restore", response=Touched, auth=WRITE, summary="Show it again")
def restore_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Show a dismissed pattern again."""
    insight_store.restore(request.user.id, insight_id, timezone.now())
    return {"id": insight_id}
