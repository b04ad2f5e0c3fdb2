"""What is read out of facts, as the API tells and takes it: profile, timeline, skills, insights."""

from datetime import date, datetime, time
from typing import Annotated, Literal
from uuid import UUID

from ninja import Path, Schema
from pydantic import Field

from api.paging import Asked
from api.schemas.facts import Fact
from api.schemas.upkeep import Event
from api.schemas.values import Given

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
