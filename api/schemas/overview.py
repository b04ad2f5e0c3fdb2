"""When something was said and how well the memory stands, as the API tells it."""

from datetime import date
from typing import Annotated

from ninja import Schema
from pydantic import Field

from api.paging import Asked
from api.schemas.values import Moment
from memory.days import FIRST_YEAR, LAST_YEAR


class WantedYear(Schema):
    """Which year; the last one that has anything unless it is given."""

    year: Annotated[int, Field(ge=FIRST_YEAR, le=LAST_YEAR)] | None = None


class BusyDay(Schema):
    """How many drawers are of a day."""

    day: date
    count: int


class CalendarYear(Schema):
    """The days of a year on which something was said, by the owner's own clock, and the years that
    have anything, newest first."""

    year: int
    drawers: int
    days: list[BusyDay]
    years: list[int]


class WantedDrawers(Asked):
    """Drawers said from one moment to another, both included."""

    since: Moment
    until: Moment


class Check(Schema):
    """One thing that can be well (`share` 1) or not, and what is so in a sentence."""

    name: str
    share: float
    weight: int
    words: str


class Health(Schema):
    """A score of 0 to 100 and what it is made of, the worst first."""

    score: int
    checks: list[Check]
