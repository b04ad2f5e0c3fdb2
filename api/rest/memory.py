"""Mining, activity, what models cost, and settings."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from accounts.jobs import enqueue
from api.auth import WRITE
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.places import DrawerItem
from api.rest.values import Count, Deleted, Given, Moment, OptionalName
from chat.mining.drain import try_dead_jobs_again
from chat.mining.pending_work import waiting_of
from chat.mining.run import request_mining
from chat.statistics import statistics
from memory.changes import activity_queries
from memory.forgetting import trash
from memory.forgetting.holders import waiting_uploads
from memory.mining import progress as ledger
from memory.mining import reextraction
from memory.mining.reextraction import ask_for_second_readings, read_by_rules, waiting
from memory.pages.activity.cost import asked_month, costs_of, write_csv
from memory.pages.activity.days import FIRST_YEAR, LAST_YEAR, year_of, years_of
from memory.pages.palace.queries import drawers_between
from memory.pages.settings.form import SettingsForm
from memory.pages.settings.health import Check as HealthCheck
from memory.pages.settings.health import health_of
from memory.preferences import keep_choices, preferences_of, zone_of
from memory.preferences import take_back as take_settings_back
from memory.usage.budgets import budget_of


class Mining(Schema):
    """What is not remembered yet: messages in chats, chats that were given up, parts that only
    rules have read, and those of them that a model reads when it can. `sentences` say it in
    words."""

    messages: int
    chats: int
    asked_again_at: datetime | None
    given_up: int
    read_by_rules: int
    to_read_again: int
    sentences: list[str]


class Statistics(Schema):
    """How much there is of everything; what is in the trash does not count."""

    wings: int
    rooms: int
    closets: int
    drawers: int
    vectors: int
    facts: int
    entities: int
    relations: int
    conversations: int
    messages: int
    unmined_messages: int
    dead_jobs: int


class Event(Schema):
    """Something that happened, with counts, ids and reasons. `facts` are statements that were
    learned and still stand."""

    id: UUID
    kind: str
    label: str
    at: datetime
    subject_id: UUID | None
    details: dict[str, Any]
    facts: list[str]
    undone_at: datetime | None
    can_be_undone: UUID | None


class TakenBack(Schema):
    """The event that was taken back."""

    id: UUID


class CostLine(Schema):
    """Calls to a model for one purpose. `cost_usd` is of those whose price is known."""

    name: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    unpriced: int
    estimated: bool
    latency_ms: int


class CostDay(Schema):
    """What one day cost."""

    day: date
    calls: int
    cost_usd: Decimal


class Budget(Schema):
    """What may be spent in the month, null without a limit, and what is spent."""

    limit: Decimal | None
    spent: Decimal
    set_by_site: bool
    includes_chat: bool
    is_spent: bool


class Usage(Schema):
    """A month by the person's own clock; `until` is not included."""

    since: datetime
    until: datetime
    calls: int
    cost_usd: Decimal
    lines: list[CostLine]
    days: list[CostDay]
    budget: Budget | None


class Settings(Schema):
    """Everything a person has chosen about memory."""

    enabled: bool
    time_zone: str
    auto_mine: bool
    idle_minutes: int
    window_size: int
    extraction_model: str
    review_threshold: float
    recipe: str
    top_k: int
    token_budget: int
    similarity_floor: float
    inject_profile: bool
    use_rerank: bool
    rerank_model: str
    consolidation: str
    archive_after_days: int
    retention_days: int
    embedding_model: str
    monthly_budget: Decimal | None
    budget_includes_chat: bool


class SettingsChange(Given):
    """What is different from the next message on; what is left out stays. The bounds are those of
    the settings page."""

    enabled: bool | None = None
    time_zone: OptionalName | None = None
    auto_mine: bool | None = None
    idle_minutes: Annotated[int, Field(ge=1, le=1440)] | None = None
    window_size: Annotated[int, Field(ge=8, le=10)] | None = None
    extraction_model: Annotated[str, Field(max_length=120)] | None = None
    review_threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    recipe: Literal["fast", "default", "thorough"] | None = None
    top_k: Annotated[int, Field(ge=1, le=20)] | None = None
    token_budget: Annotated[int, Field(ge=100, le=16_000)] | None = None
    similarity_floor: Annotated[float, Field(ge=0, le=1)] | None = None
    inject_profile: bool | None = None
    use_rerank: bool | None = None
    rerank_model: Annotated[str, Field(max_length=120)] | None = None
    consolidation: Literal["never", "daily", "weekly", "monthly"] | None = None
    archive_after_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    retention_days: Annotated[int, Field(ge=0, le=3650)] | None = None
    embedding_model: Annotated[str, Field(max_length=80)] | None = None
    monthly_budget: (
        Annotated[
            float,
            Field(ge=0, le=100_000, description="US dollars; 0 for no limit of one's own."),
        ]
        | None
    ) = None
    budget_includes_chat: bool | None = None


class ChangedSettings(Schema):
    """The names of the settings that are different now. Posting to `/settings/changes/{id}/undo`
    takes each of `changes` back; there is none when nothing was different."""

    changed: list[str]
    changes: list[UUID]


class SettingsBack(Schema):
    """The names of the settings that are as before the change, and of those that stay because they
    were chosen anew since."""

    back: list[str]
    kept: list[str]


class Wish(Given):
    """What is to be forgotten: a `drawer`, `closet`, `room`, `wing`, `entity`, chat (`source`),
    `project` or `agent` by its id, a project also by its name; all that was said between `since`
    and `until`, which is not included (`dates`); or `everything`. With `chats` the words go out of
    the chats too."""

    kind: Literal[
        "drawer",
        "closet",
        "room",
        "wing",
        "entity",
        "source",
        "project",
        "agent",
        "dates",
        "everything",
    ]
    id: UUID | None = None
    project: OptionalName = ""
    since: Moment | None = None
    until: Moment | None = None
    chats: bool = True


class Forget(Wish):
    """The same, and whether to erase it at once, past the trash. `everything` has to be
    confirmed."""

    now: bool = False
    confirmed: bool = False


class Example(Schema):
    """The beginning of something that would be forgotten."""

    id: UUID
    said_at: datetime
    beginning: str

    @staticmethod
    def resolve_beginning(drawer: Any) -> str:
        """The first of its words."""
        return str(drawer.content[:160])


class Preview(Schema):
    """What a wish would take, by store, and the first of the words."""

    counts: dict[str, int]
    examples: list[Example]


class Receipt(Schema):
    """What was forgotten, without a word of it. Until it is final, posting to `/trash/{id}/undo`
    takes it back, and to `/trash/{id}/erase` makes it final. `residue` is what a search of every
    table for its words then found. `waiting_uploads` are imports whose files were here already and
    may hold the words: `DELETE /imports/{id}` deletes them."""

    id: UUID
    scope: str
    object_id: UUID | None
    since: datetime | None
    until: datetime | None
    with_chats: bool
    counts: dict[str, Any]
    erased: dict[str, Any]
    residue: Any
    at: datetime
    final_at: datetime | None
    undone_at: datetime | None
    waiting_uploads: list[UUID]

    @staticmethod
    def resolve_waiting_uploads(receipt: Any) -> list[UUID]:
        """The ids of uploads that nobody has imported or cancelled since."""
        return [each.id for each in waiting_uploads(receipt)]


router = Router(tags=["Mining, activity, usage and settings"])
CSV = {"text/csv": {"schema": {"type": "string"}}}
Month = Annotated[str, Query(pattern=r"^(20[0-9]{2}-(0[1-9]|1[0-2]))?$", description="2031-03")]


@router.get("stats", response=Statistics, summary="Counts of everything")
def stats(request: BearerRequest) -> Any:
    """How much there is in the palace and in the chats."""
    return statistics(request.user.id)


@router.get("mining", response=Mining, summary="What is not remembered yet")
def mining(request: BearerRequest) -> Any:
    """Chats that wait, were given up, or were read without a model."""
    found = waiting_of(request.user.id)
    return {
        "messages": found.messages,
        "chats": found.chats,
        "asked_again_at": found.asked_again_at,
        "given_up": ledger.given_up(request.user.id).count(),
        "read_by_rules": read_by_rules(request.user.id).count(),
        "to_read_again": waiting(request.user.id).count(),
        "sentences": found.sentences,
    }


@router.post("mining/now", response={202: Count}, auth=WRITE, summary="Mine now")
def mine_now(request: BearerRequest) -> Any:
    """Have every chat remembered without waiting, also those that were given up."""
    now = timezone.now()
    try_dead_jobs_again(request.user.id, now)
    count = request_mining(request.user.id, now)
    enqueue("mine", request.user.id)
    return {"count": count}


@router.post("mining/retry", response={202: Count}, auth=WRITE, summary="Try again")
def retry_mining(request: BearerRequest) -> Any:
    """Give every chat that was given up a fresh start."""
    return {"count": try_dead_jobs_again(request.user.id, timezone.now())}


@router.post("mining/discard", response=Count, auth=WRITE, summary="Leave them unremembered")
def discard_mining(request: BearerRequest) -> Any:
    """Leave every chat that was given up as it is."""
    jobs = list(ledger.given_up(request.user.id))
    for progress in jobs:
        ledger.discard(progress, timezone.now())
    return {"count": len(jobs)}


@router.post("mining/read-again", response={202: Count}, auth=WRITE, summary="Read again")
def read_again(request: BearerRequest) -> Any:
    """Have a model read what only the built-in reader has read so far."""
    return {"count": ask_for_second_readings(request.user.id, timezone.now())}


@router.get("activity", response=Paged[Event], summary="What happened, newest first")
def activity(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Everything that memory did, with what was kept or refused and why."""
    return paged(activity_queries.events(request.user.id, asked.after, asked.limit))


@router.post("activity/{uuid:event_id}/take-back", response=Deleted, auth=WRITE, summary="Take back mining")
def take_back(request: BearerRequest, event_id: UUID) -> Any:
    """Put what one mining of a chat remembered into the trash."""
    return trash.take_back(request.user.id, event_id, timezone.now())


@router.post(
    "activity/{uuid:event_id}/take-back-reading",
    response=TakenBack,
    auth=WRITE,
    summary="Take back a reading",
)
def take_back_reading(request: BearerRequest, event_id: UUID) -> Any:
    """Undo what came of reading a part of a chat again."""
    reextraction.take_back(request.user.id, event_id, timezone.now())
    return {"id": event_id}


@router.get("usage", response=Usage, summary="What models cost")
def usage(request: BearerRequest, month: Month = "") -> Any:
    """A month by purpose and by day, this one unless another is named."""
    now, preferences = timezone.now(), preferences_of(request.user.id)
    zone = zone_of(preferences)
    wanted = asked_month({"month": month}, now, zone)
    costs, budget = costs_of(request.user.id, wanted, zone), budget_of(preferences, now)
    return {
        "since": wanted.start,
        "until": wanted.end,
        "calls": costs.calls,
        "cost_usd": costs.cost_usd,
        "lines": costs.lines,
        "days": costs.days,
        "budget": budget if budget.month == wanted else None,
    }


@router.get(
    "usage.csv",
    summary="Every call of a month",
    openapi_extra={"responses": {200: {"description": "A table.", "content": CSV}}},
)
def usage_table(request: BearerRequest, month: Month = "") -> HttpResponse:
    """Every call to a model in a month, as comma-separated values for a spreadsheet."""
    zone = zone_of(preferences_of(request.user.id))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    wanted = asked_month({"month": month}, timezone.now(), zone)
    write_csv(request.user.id, wanted, response)  # type: ignore[arg-type]
    return response


@router.get("settings", response=Settings, summary="Settings of memory")
def settings(request: BearerRequest) -> Any:
    """Everything that was chosen, or stands by default."""
    return preferences_of(request.user.id)


@router.patch("settings", response=ChangedSettings, auth=WRITE, summary="Change settings")
def change_settings(request: BearerRequest, change: SettingsChange) -> Any:
    """Changes hold from the next message on; with one out of bounds, nothing changes."""
    preferences = preferences_of(request.user.id)
    given = {name: value for name, value in change.model_dump().items() if value is not None}
    form = SettingsForm(model_to_dict(preferences, SettingsForm.Meta.fields) | given, instance=preferences)
    if not form.is_valid():
        errors = [
            {"at": ["body", name], "detail": str(sentence)}
            for name, sentences in form.errors.items()
            for sentence in sentences
        ]
        raise Refused(422, "Nothing was changed: something is out of bounds.", errors=errors)
    kept = {name: form.cleaned_data[name] for name in given}
    event = keep_choices(request.user.id, kept, timezone.now())
    return {
        "changed": event.details["changed"] if event else [],
        "changes": [event.id] if event else [],
    }


@router.post(
    "settings/changes/{uuid:settings_id}/undo",
    response=SettingsBack,
    auth=WRITE,
    summary="Take settings back",
)
def undo_settings(request: BearerRequest, settings_id: UUID) -> Any:
    """Put settings back to what they were before a change."""
    back, kept = take_settings_back(request.user.id, settings_id, timezone.now())
    return {"back": back, "kept": kept}


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


@router.get("calendar", response=CalendarYear, summary="A year by day")
def calendar(request: BearerRequest, asked: Query[WantedYear]) -> Any:
    """On which days something was said, and how much."""
    zone = zone_of(preferences_of(request.user.id))
    years = years_of(request.user.id, zone)
    latest = years[0] if years else timezone.now().astimezone(zone).year
    year = year_of(request.user.id, asked.year or latest, zone)
    weeks = (week for month in year.months for week in month.weeks)
    days = [day for week in weeks for day in week if day and day.count]
    return {"year": year.number, "drawers": year.drawers, "days": days, "years": list(years)}


@router.get("drawers", response=Paged[DrawerItem], summary="Drawers of a time")
def drawers_of_time(request: BearerRequest, asked: Query[WantedDrawers]) -> Any:
    """What was said between two moments, as it was said."""
    times = asked.since, asked.until
    return paged(drawers_between(request.user.id, *times, asked.after, asked.limit))


@router.get("health", response=Health, summary="How well the memory stands")
def health(request: BearerRequest) -> Any:
    """A score and what would raise it."""
    found = health_of(request.user.id, timezone.now())
    return {"score": found.score, "checks": [_check(check) for check in found.checks]}


def _check(check: HealthCheck) -> dict[str, Any]:
    return {
        "name": str(check.name),
        "share": check.share,
        "weight": check.weight,
        "words": check.words,
    }
