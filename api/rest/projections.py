"""Views derived from facts: profile, timeline, skills and insights."""

from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from ninja import Path, Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.facts import Fact
from api.rest.schemas import Id, JsonObject, Paged, PageQuery, Revision, SearchWords, StrictSchema, Year
from memory import models
from memory.projections import corrections, insights, skills, timeline
from memory.projections.profile import ProfileView, profile_of

router = Router(tags=["Profile, timeline, skills and insights"])
VersionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
SkillStatus = Literal["proposed", "published", "rejected"]
LongText = Annotated[str, Field(max_length=4_000)]


class ProfileSection(Schema):
    """Related values of the profile."""

    name: str
    facts: list[Fact]


class ProfileVersion(Schema):
    """A profile text written by the owner. The current one has no `ended_at`."""

    id: UUID
    text: str
    written_at: datetime
    ended_at: datetime | None


class Profile(Schema):
    """Who the owner is. `text` is written by the `owner`, a `model` or `rules`."""

    text: str = Field(validation_alias="prose.text")
    written_by: str = Field(validation_alias="prose.written_by")
    sections: list[ProfileSection]
    hidden: list[Fact]
    versions: list[ProfileVersion]

    @staticmethod
    def resolve_sections(profile: ProfileView) -> list[JsonObject]:
        return [{"name": name, "facts": facts} for name, facts in profile.sections]


class ProfileText(StrictSchema):
    """The text of the profile. An empty text lets Palace generate it again."""

    text: Annotated[str, Field(max_length=3_000)]


class PreviousProfileVersion(Schema):
    """The version that was current before; null if there was none."""

    previous_id: UUID | None


class TimelineQuery(PageQuery):
    """Which events to list: of a year, month or day; of a kind; or with `undated` those without a date."""

    year: Year | None = None
    month: Annotated[int, Field(ge=1, le=12)] | None = None
    day: Annotated[int, Field(ge=1, le=31)] | None = None
    kind: Literal["", "event", "experience"] = ""
    q: SearchWords = ""
    undated: bool = False


class TimelineEvent(Schema):
    """A past or upcoming event, or the start of a fact that has only one value, such as a home or a job.
    `day` is the first day of its month or year when `precision`, one of `year`, `month`, `day` or `time`, is
    no finer."""

    fact: Fact
    day: date
    time_of_day: time | None = Field(validation_alias="clock")
    precision: str
    is_upcoming: bool = Field(validation_alias="is_coming")


class SkillText(Schema):
    """A version of a skill: its goal, what worked, what failed, and where it applies."""

    number: int
    goal: str
    worked: str
    failed: str
    applies: str
    by_owner: bool
    written_at: datetime


class SkillState(Schema):
    """The status of a skill."""

    id: UUID
    status: str
    version: int
    proposed_at: datetime
    decided_at: datetime | None


class Skill(Schema):
    """A procedure that worked, with the drawers it was derived from and its versions, newest first."""

    skill: SkillState
    text: SkillText
    drawer_ids: list[UUID]
    versions: list[SkillText]


class SkillQuery(PageQuery):
    """Which skills to list."""

    status: SkillStatus = "proposed"


class NewSkillText(StrictSchema):
    """A new version of a skill."""

    goal: Annotated[str, Field(min_length=1, max_length=300)]
    worked: Annotated[str, Field(min_length=1, max_length=4_000)]
    failed: LongText = ""
    applies: Annotated[str, Field(max_length=300)] = ""


class InsightState(Schema):
    """The rule behind an insight, the date of its newest fact (`found_at`), and when it was dismissed."""

    id: UUID
    rule: str
    found_at: datetime
    dismissed_at: datetime | None


class Insight(Schema):
    """A pattern in the facts, in one sentence, with the facts it rests on."""

    insight: InsightState
    sentence: str
    facts: list[Fact]

    @staticmethod
    def resolve_insight(found: insights.Pattern) -> insights.Pattern:
        return found


class InsightQuery(PageQuery):
    """Which insights to list: current or dismissed ones."""

    dismissed: bool = False


@router.get("profile", response=Profile)
def get_profile(request: BearerRequest) -> Any:
    """Get the profile: its text and its values by section."""
    return profile_of(request.user.id, timezone.now())


@router.put("profile/text", response=PreviousProfileVersion, auth=WRITE)
def update_profile_text(request: BearerRequest, new: ProfileText) -> Any:
    """Replace the text of the profile with your own."""
    return _previous(corrections.write_own_words(request.user.id, new.text, timezone.now()))


@router.post("profile/text/{uuid:text_id}/restore", response=PreviousProfileVersion, auth=WRITE)
def restore_profile_text(request: BearerRequest, text_id: UUID) -> Any:
    """Restore an earlier version of your profile text."""
    return _previous(corrections.restore_version(request.user.id, text_id, timezone.now()))


@router.delete("profile/text/{uuid:text_id}", response=Id, auth=WRITE)
def erase_profile_text(request: BearerRequest, text_id: UUID) -> Any:
    """Erase a version of your profile text for good."""
    corrections.erase_words(request.user.id, text_id, timezone.now())
    return {"id": text_id}


@router.post("profile/values/{uuid:fact_id}/hide", response=Id, auth=WRITE)
def hide_profile_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Hide a value from the profile.

    The fact itself stays."""
    corrections.set_hidden(request.user.id, fact_id, timezone.now(), hidden=True)
    return {"id": fact_id}


@router.post("profile/values/{uuid:fact_id}/show", response=Id, auth=WRITE)
def show_profile_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Show a hidden value in the profile again."""
    corrections.set_hidden(request.user.id, fact_id, timezone.now(), hidden=False)
    return {"id": fact_id}


@router.get("timeline", response=Paged[TimelineEvent])
def list_timeline_events(request: BearerRequest, query: Query[TimelineQuery]) -> Any:
    """List events and experiences by date, and when facts such as a home or job began, newest first."""
    period = timeline.Period(query.year, query.month, query.day)
    choice = timeline.Choice(period, kind=query.kind, words=query.q, dated=not query.undated)
    return timeline.timeline(request.user.id, choice, timezone.now(), query.after, query.limit)


@router.get("skills", response=Paged[Skill])
def list_skills(request: BearerRequest, query: Query[SkillQuery]) -> Any:
    """List skills of a status, newest first."""
    return skills.skills_by_status(request.user.id, query.status, query.after, query.limit)


@router.get("skills/{uuid:skill_id}", response=Skill)
def get_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Get a skill with all its versions."""
    return skills.skill_of(request.user.id, skill_id)


@router.put("skills/{uuid:skill_id}/text", response=Revision, auth=WRITE)
def update_skill_text(request: BearerRequest, skill_id: UUID, new: NewSkillText) -> Any:
    """Reword a skill as a new version."""
    return skills.reword(request.user.id, skill_id, skills.Wording(**new.model_dump()), timezone.now())


@router.post("skills/{uuid:skill_id}/versions/{number}/restore", response=Revision, auth=WRITE)
def restore_skill_version(request: BearerRequest, skill_id: UUID, number: VersionNumber) -> Any:
    """Restore a version of a skill."""
    return skills.use_version(request.user.id, skill_id, number, timezone.now())


@router.post("skills/{uuid:skill_id}/publish", response=Revision, auth=WRITE)
def publish_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Publish a skill to assistants."""
    return skills.decide(request.user.id, skill_id, "published", timezone.now())


@router.post("skills/{uuid:skill_id}/reject", response=Revision, auth=WRITE)
def reject_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Reject a skill.

    It is not proposed again."""
    return skills.decide(request.user.id, skill_id, "rejected", timezone.now())


@router.post("skills/{uuid:skill_id}/reconsider", response=Revision, auth=WRITE)
def reconsider_skill(request: BearerRequest, skill_id: UUID) -> Any:
    """Return a published or rejected skill to the proposals."""
    return skills.decide(request.user.id, skill_id, "proposed", timezone.now())


@router.get("insights", response=Paged[Insight])
def list_insights(request: BearerRequest, query: Query[InsightQuery]) -> Any:
    """List patterns in your current facts, newest first."""
    return insights.insights(request.user.id, dismissed=query.dismissed, after=query.after, limit=query.limit)


@router.post("insights/{uuid:insight_id}/dismiss", response=Id, auth=WRITE)
def dismiss_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Dismiss an insight."""
    insights.decide(request.user.id, insight_id, timezone.now(), dismissed=True)
    return {"id": insight_id}


@router.post("insights/{uuid:insight_id}/restore", response=Id, auth=WRITE)
def restore_insight(request: BearerRequest, insight_id: UUID) -> Any:
    """Restore a dismissed insight."""
    insights.decide(request.user.id, insight_id, timezone.now(), dismissed=False)
    return {"id": insight_id}


def _previous(version: models.ProfileText | None) -> JsonObject:
    return {"previous_id": version.id if version else None}
